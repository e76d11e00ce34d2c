#include "emulator/host/quick_accesses.h"

namespace heddle::detail {

race::SiteId PlainSites::look_up(Known& known, const emulation::PlainAccess& access, OperationKind kind,
                                 race::KernelDetector& detector) {
  const emulation::Qualified q =
      emulation::qualified(access.qualifiers, kind == OperationKind::Write);
  const StorageClass storage_class = access.binding->storage_class;
  const race::SiteId site =
      detector.site_of(race::site_key(kind, storage_class, access.size_bytes, q.operands,
                                      q.available_scope, q.visible_scope, access.where));
  if (site == race::kNoSite) return site;
  known.line = access.where.line;
  known.qualifiers = access.qualifiers;
  known.file = access.where.file;
  known.function = access.where.function;
  known.storage_class = storage_class;
  known.size_bytes = access.size_bytes;
  known.kind = kind;
  return known.site = site;
}

}  // namespace heddle::detail
