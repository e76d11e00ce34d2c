#include "emulator/advice/operation_text.h"

#include <heddle/semantics.h>

#include <string_view>

#include "emulator/edits/words.h"
#include "emulator/model/tags.h"
#include "runtime/text/readable.h"

namespace heddle::advice {
namespace {

std::string order_of(MemorySemantics semantics) {
  if (acquires(semantics) && releases(semantics)) return "AcquireRelease";
  if (acquires(semantics)) return "Acquire";
  return releases(semantics) ? "Release" : "Relaxed";
}

}  // namespace

std::string text_of(MemorySemantics semantics, bool with_name) {
  return edits::text_of(semantics, with_name);
}

std::string kind_of(const Operation& op) {
  std::string what;
  switch (op.kind) {
    case OperationKind::Read:
      what = "read";
      break;
    case OperationKind::Write:
      what = "write";
      break;
    case OperationKind::ReadModifyWrite:
      what = "read-modify-write";
      break;
    case OperationKind::MemoryBarrier:
      return "memory barrier";
    case OperationKind::ControlBarrier:
      return "control barrier";
    default:
      return "operation";
  }
  return op.atomic ? "atomic " + what : what;
}

std::string describe(const Operation& op) {
  const std::string tags = op.tags == TagSetId::Empty ? "" : " # " + model::text(model::tags_of(op.tags));
  if (op.is_access() && !op.atomic) return (op.is_non_private() ? "" : "private ") + kind_of(op) + tags;
  return kind_of(op) + " (" + std::string(name_of(op.scope)) + ", " + order_of(op.semantics) + ")" + tags;
}

std::string line_of(const Operation& op, const char* file) {
  const std::string_view path = op.where.file;
  const std::string line = std::to_string(op.where.line);
  if (path == file) return "line " + line;
  return std::string(text::file_name(path)) + ":" + line;
}

bool in_one_line(const Operation& a, const Operation& b) {
  return a.where.line == b.where.line && std::string_view(a.where.file) == b.where.file;
}

}  // namespace heddle::advice
