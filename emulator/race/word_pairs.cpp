#include "emulator/race/word_pairs.h"

#include "emulator/race/kernel_races.h"

namespace heddle::race {

bool WordPairs::is_in_order(const Record& older, const WordAccess& now, const RecordList& list) {
  if (are_mutually_ordered(older, now) || is_ordered(older, now, list)) return true;
  if (are_foreign(order_.places(), sites_[older.site], older.agent, *now.instruction, now.agent)) return true;
  const bool is_of_another_class = sites_[older.site].storage != now.instruction->storage;
  const bool is_cut = list.lossy || (order_.chains().has_one_class_each() && is_of_another_class);
  return is_cut && may_be_ordered(older, now, list);
}

// Whether accesses to the same bytes of one word, through one reference, are mutually ordered.
bool WordPairs::are_mutually_ordered(const Record& older, const WordAccess& now) const {
  return older.reference == now.record.reference && older.first == now.record.first && older.last == now.record.last &&
         mutually_ordered(order_.places(), sites_[older.site], older.agent, *now.instruction, now.agent);
}

// Whether something orders the two, with whatever masks and scopes.
bool WordPairs::is_reached(const Record& older, const WordAccess& now) const {
  return order_.view(now.record.agent)->reached.has(order_.group(older.agent), older.agent, older.stamp);
}

bool WordPairs::is_ordered(const Record& older, const WordAccess& now, const RecordList& list) {
  const Site& old = sites_[older.site];
  const bool same_reference = older.reference == now.record.reference;
  if (order_.is_lost()) return true;
  if (older.agent == now.record.agent && same_reference) return true;
  if (now.is_near(older.agent) && (same_reference || !old.writes) && now.is_settled(older.site, older.stamp))
    return true;
  if (older.agent != now.record.agent && !is_reached(older, now)) return false;
  look_at_others(list, now);
  KernelAccess later = access_of(now.record, now);
  later.view = order_.view(now.record.agent).get();
  const auto at = static_cast<std::size_t>(&older - list.records.data());
  return location_order_.ordered(others_[at], later, others_);
}

// Whether something that was forgotten may have ordered them.
bool WordPairs::may_be_ordered(const Record& older, const WordAccess& now, const RecordList& list) const {
  const Site& old = sites_[older.site];
  if (!old.non_private || !now.instruction->non_private) return false;
  if (old.storage != now.instruction->storage || old.storage == 0 || list.mixed || order_.log().leads_past(old.storage))
    return is_reached(older, now);
  return order_.view(now.record.agent)
      ->before[old.class_number]
      .has(order_.group(older.agent), older.agent, older.stamp);
}

KernelAccess WordPairs::access_of(const Record& record, const WordAccess& now) const {
  KernelAccess access;
  access.agent = record.agent;
  access.stamp = record.stamp;
  access.number = record.number;
  access.site = &sites_[record.site];
  access.reference = record.reference;
  access.bytes = {now.operation->locations.allocation, now.word * kWordBytes + record.first,
                  static_cast<std::uint32_t>(record.last - record.first)};
  access.view = record.view.get();
  return access;
}

void WordPairs::look_at_others(const RecordList& list, const WordAccess& now) {
  if (looked_) return;
  looked_ = true;
  others_.clear();
  for (const Record& record : list.records) others_.push_back(access_of(record, now));
}

//= vk:memory-model-location-ordered
MissingStep WordPairs::missing(const Record& older, const WordAccess& now, const RecordList& list) {
  const Site& old = sites_[older.site];
  const Site& later_site = *now.instruction;
  const bool same_reference = older.reference == now.record.reference;
  if (older.agent == now.record.agent) return MissingStep::OwnReferences;
  if (old.atomic && later_site.atomic && same_reference) return MissingStep::NotMutual;
  if (!old.non_private || !later_site.non_private) return MissingStep::Private;
  if (!same_reference) return MissingStep::References;
  const ViewPointer view = order_.view(now.record.agent);
  look_at_others(list, now);
  KernelAccess later = access_of(now.record, now);
  later.view = view.get();
  const auto at = static_cast<std::size_t>(&older - list.records.data());
  return location_order_.missing(others_[at], later, others_);
}

std::string WordPairs::explain(const Record& older, const WordAccess& now, MissingStep missing) const {
  const std::uint32_t agent = now.record.agent;
  switch (missing) {
    case MissingStep::OwnReferences:
      return "one invocation makes both accesses, but through two references to the same memory: program "
             "order counts only for accesses through one reference";
    case MissingStep::NotMutual:
      return "both are atomic, but not for each other: their scopes do not include both invocations, or "
             "they have other bytes";
    case MissingStep::Private: {
      const bool first = !sites_[older.site].non_private;
      const char* which = first && !now.instruction->non_private ? "both accesses are private"
                          : first                                ? "the first access is private"
                                                                 : "the second access is private";
      const std::string why = std::string(which) + ": only non-private ones are ordered between invocations";
      const bool may_be_synchronized = is_reached(older, now);
      return may_be_synchronized ? why : not_synchronized(older.agent, agent) + "; besides, " + why;
    }
    case MissingStep::References:
      return "they use different references to the same memory, which only a dependency between "
             "dispatches orders";
    case MissingStep::Synchronization:
      return not_synchronized(older.agent, agent);
    case MissingStep::Scope:
      return "a release and an acquire meet, but the scopes do not include both invocations";
    case MissingStep::StorageClass:
      return "they are synchronized, but the storage class of this memory is missing in the "
             "semantics on the way";
    case MissingStep::Availability:
      return "they are synchronized, but the write was never made available: MakeAvailable is missing";
    case MissingStep::WiderAvailability:
      return "they are synchronized, but the write was made available at a scope that does not "
             "include both invocations";
    case MissingStep::Visibility:
      return "they are synchronized and the write is available, but it was never made visible: "
             "MakeVisible is missing";
  }
  return {};
}

std::string WordPairs::not_synchronized(std::uint32_t first, std::uint32_t second) const {
  return order_.places().same_instance(first, second, kWorkgroup)
             ? "no synchronization: no barrier of the workgroup, and no release and acquire, is between them"
             : "no synchronization: nothing between the two workgroups releases and acquires";
}

}  // namespace heddle::race
