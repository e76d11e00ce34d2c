#include <algorithm>

#include "emulator/judge/order_reason.h"

namespace heddle::judge {
namespace {

using Chain = std::array<EventSet, kLevels.size()>;

bool has_scope(const Operation& op) {
  return op.is_barrier() || (op.is_access() && op.atomic);
}

model::Execution with_widest_scopes(model::Execution execution) {
  for (Operation& op : execution.operations)
    if (has_scope(op) && !includes(op.scope, Scope::Device)) op.scope = Scope::Device;
  return execution;
}

model::Execution with_all_storage_classes(model::Execution execution) {
  for (Operation& op : execution.operations)
    if (has_scope(op) && (acquires(op.semantics) || releases(op.semantics)))
      op.semantics |= kStorageClassBits;
  return execution;
}

/// What is missing on the way from one operation to another, link by link.
class FirstMissing {
 public:
  FirstMissing(const Facts& facts, const Location& location, model::OperationIndex x,
               model::OperationIndex y)
      : facts_(facts), chains_(facts, location), x_(facts.write_event(x)), y_(facts.read_event(y)) {
    if (!facts.events[x_].writes) x_ = facts.read_event(x);
    if (!facts.events[y_].reads) y_ = facts.write_event(y);
    reason_.from = x;
    reason_.to = y;
  }

  MissingReason find() {
    if (!facts_.happens_before.has(x_, y_)) return no_happens_before();
    if (!facts_.events[x_].non_private) add_culprit(x_);
    if (!facts_.events[y_].non_private) add_culprit(y_);
    if (!reason_.culprits.empty()) return reason(MissingLink::PrivateAccess);
    if (facts_.operation(x_).reference != facts_.operation(y_).reference) {
      reason_.culprits = {reason_.from, reason_.to};
      return reason(MissingLink::AnotherReference);
    }
    return no_chain();
  }

 private:
  MissingReason reason(MissingLink link) {
    reason_.link = link;
    return reason_;
  }
  void add_culprit(EventIndex e) {
    const model::OperationIndex op = facts_.events[e].operation;
    if (std::find(reason_.culprits.begin(), reason_.culprits.end(), op) == reason_.culprits.end())
      reason_.culprits.push_back(op);
  }

  // Tries the two repairs of the synchronization that there is.
  //= vk:memory-model-synchronizes-with
  MissingReason no_happens_before() {
    if (repaired_by(with_widest_scopes(*facts_.execution)))
      return reason(MissingLink::ScopesDoNotIncludeEachOther);
    if (repaired_by(with_all_storage_classes(*facts_.execution)))
      return reason(MissingLink::StorageClassMissing);
    if (repaired_by(with_all_storage_classes(with_widest_scopes(*facts_.execution))))
      return reason(MissingLink::ScopesDoNotIncludeEachOther);
    return reason(MissingLink::NoSynchronization);
  }

  bool repaired_by(const model::Execution& repaired) {
    Facts facts;
    facts.derive(repaired, facts_.options);
    if (!facts.happens_before.has(x_, y_)) return false;
    bool new_edge = false;
    facts.synchronizes.for_each([&](EventIndex a, EventIndex b) {
      if (new_edge || facts_.synchronizes.has(a, b) || !useful(facts, a, b)) return;
      new_edge = true;
      add_culprit(a);
      add_culprit(b);
    });
    // No new edge: one that there is lacks the storage class of an end.
    facts_.synchronizes.for_each([&](EventIndex a, EventIndex b) {
      if (new_edge || !reason_.culprits.empty() || !useful(facts, a, b)) return;
      if (!has(facts_.events[a].mask, facts_.events[x_].storage)) add_culprit(a);
      if (!has(facts_.events[b].mask, facts_.events[y_].storage)) add_culprit(b);
    });
    return true;
  }

  // Whether the repaired edge lies between the two accesses.
  bool useful(const Facts& repaired, EventIndex a, EventIndex b) const {
    const bool after_x = a == x_ || repaired.happens_before.has(x_, a);
    const bool before_y = b == y_ || repaired.happens_before.has(b, y_);
    return after_x && before_y;
  }

  bool in_common_instance(Level level) const {
    return facts_.instance(facts_.events[x_].agent, level).has(y_);
  }

  //= vk:memory-model-availability-visibility
  MissingReason no_chain() {
    const Chain available = chains_.availability(x_);
    bool is_available = false;
    for (const Level level : facts_.levels) {
      if (!in_common_instance(level)) continue;
      available[level].for_each([&](EventIndex av) {
        is_available = is_available || leads_to(av);
      });
    }
    if (!is_available) return no_availability();
    return no_visibility();
  }

  // Whether what is made available by `av` is so before the second access, or before something that
  // could make it visible to it.
  bool leads_to(EventIndex av) const {
    if (facts_.happens_before.has(av, y_)) return true;
    bool found = false;
    facts_.of_agent[static_cast<std::size_t>(facts_.events[y_].agent)].for_each([&](EventIndex e) {
      found = found || (facts_.program_order.has(e, y_) && facts_.happens_before.has(av, e));
    });
    return found;
  }

  MissingReason no_availability() {
    facts_.of_agent[static_cast<std::size_t>(facts_.events[x_].agent)].for_each([&](EventIndex e) {
      if (e != x_ && !facts_.program_order.has(x_, e)) return;
      note_failed(e, chains_.available_level(e, x_), facts_.events[e].bulk_availability);
    });
    return reason(failed_ ? *failed_ : MissingLink::NeverMadeAvailable);
  }

  MissingReason no_visibility() {
    facts_.of_agent[static_cast<std::size_t>(facts_.events[y_].agent)].for_each([&](EventIndex e) {
      if (e != y_ && !facts_.program_order.has(e, y_)) return;
      note_failed(e, chains_.visible_level(e, y_), facts_.events[e].bulk_visibility);
    });
    return reason(failed_ ? *failed_ : MissingLink::NeverMadeVisible);
  }

  // An operation that would do but for its scope, or else but for its storage classes.
  void note_failed(EventIndex e, Level level, Level bulk) {
    if (level != 0 && !in_common_instance(level)) {
      if (failed_ != MissingLink::ScopesDoNotIncludeEachOther) reason_.culprits.clear();
      failed_ = MissingLink::ScopesDoNotIncludeEachOther;
      add_culprit(e);
    } else if (level == 0 && bulk != 0 && failed_ != MissingLink::ScopesDoNotIncludeEachOther) {
      failed_ = MissingLink::StorageClassMissing;
      add_culprit(e);
    }
  }

  const Facts& facts_;
  Chains chains_;
  EventIndex x_;
  EventIndex y_;
  MissingReason reason_;
  std::optional<MissingLink> failed_;
};

}  // namespace

MissingReason reason_of_missing(const Facts& facts, const Location& location,
                                model::OperationIndex x, model::OperationIndex y) {
  return FirstMissing(facts, location, x, y).find();
}

int progress(MissingLink link) {
  switch (link) {
    case MissingLink::NoSynchronization: return 0;
    case MissingLink::ScopesDoNotIncludeEachOther: return 1;
    case MissingLink::StorageClassMissing: return 2;
    case MissingLink::PrivateAccess: return 3;
    case MissingLink::AnotherReference: return 4;
    case MissingLink::NeverMadeAvailable: return 5;
    case MissingLink::NeverMadeVisible: return 6;
  }
  return 0;
}

std::string_view name(MissingLink link) {
  switch (link) {
    case MissingLink::NoSynchronization: return "no synchronization";
    case MissingLink::ScopesDoNotIncludeEachOther: return "scopes do not include each other";
    case MissingLink::StorageClassMissing: return "storage class missing in a mask";
    case MissingLink::PrivateAccess: return "private access";
    case MissingLink::NeverMadeAvailable: return "never made available";
    case MissingLink::NeverMadeVisible: return "never made visible";
    case MissingLink::AnotherReference: return "another reference";
  }
  return "?";
}

}  // namespace heddle::judge
