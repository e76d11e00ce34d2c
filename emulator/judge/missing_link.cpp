#include <heddle/edit.h>

#include <algorithm>

#include "emulator/edits/program_edits.h"
#include "emulator/judge/order_reason.h"
#include "emulator/judge/repair.h"

namespace heddle::judge {
namespace {

using Chain = std::array<EventSet, kScopes.size()>;

/// Two accesses of a common location, in the execution as it is or repaired.
struct Ends {
  const Facts& facts;
  const Location& location;
  EventIndex x = 0;
  EventIndex y = 0;

  bool happen_before() const { return facts.happens_before.has(x, y); }
  bool ordered() const { return location.location_ordered.has(x, y); }
  bool made_available() const;
};

// Whether the write is available in a domain of both agents before the read, or before what could make it visible to
// the read. If the second access is a write, that is all there is to its order.
//= vk:memory-model-availability-visibility
bool Ends::made_available() const {
  if (!facts.events[y].reads) return ordered();
  EventSet before_y(facts.size());
  for (EventIndex e = 0; e < facts.size(); ++e)
    if (e == y || facts.happens_before.has(e, y)) before_y.add(e);
  const Chain available = Chains(facts, location).availability(x);
  for (const Level level : facts.levels) {
    if (!facts.instance(facts.events[x].agent, level).has(y)) continue;
    bool before = false;
    available[level].for_each([&](EventIndex av) { before = before || facts.happens_before.row_meets(av, before_y); });
    if (before) return true;
  }
  return false;
}

/// What is missing on the way from one access to another, link by link.
class FirstMissing {
 public:
  explicit FirstMissing(const Ends& ends) : ends_(ends) {
    reason_.from = operation(ends.x);
    reason_.to = operation(ends.y);
  }

  //= vk:memory-model-location-ordered
  MissingReason find() {
    if (!ends_.happen_before()) return lacks(&Ends::happen_before, MissingLink::NoSynchronization);
    reason_.synchronized = true;
    if (!event(ends_.x).non_private) add_private(ends_.x);
    if (!event(ends_.y).non_private) add_private(ends_.y);
    if (!reason_.culprits.empty()) return reason(MissingLink::PrivateAccess);
    if (ends_.facts.operation(ends_.x).reference != ends_.facts.operation(ends_.y).reference) {
      reason_.culprits = {reason_.from, reason_.to};
      return reason(MissingLink::AnotherReference);
    }
    if (!ends_.made_available()) {
      if (not_handed_on(with_available_releases(event(ends_.x).agent), &Ends::made_available))
        return reason(MissingLink::NeverMadeAvailable);
      return lacks(&Ends::made_available, MissingLink::NeverMadeAvailable);
    }
    if (not_handed_on(with_visible_acquires(event(ends_.y).agent), &Ends::ordered))
      return reason(MissingLink::NeverMadeVisible);
    return lacks(&Ends::ordered, MissingLink::NeverMadeVisible);
  }

 private:
  const EventFacts& event(EventIndex e) const { return ends_.facts.events[e]; }
  model::OperationIndex operation(EventIndex e) const { return event(e).operation; }

  MissingReason reason(MissingLink link) {
    reason_.link = link;
    return reason_;
  }
  void add_culprit(EventIndex e) {
    if (std::find(reason_.culprits.begin(), reason_.culprits.end(), operation(e)) == reason_.culprits.end())
      reason_.culprits.push_back(operation(e));
  }

  void add_private(EventIndex e) {
    add_culprit(e);
    Edit edit;
    edit.kind = EditKind::AddOperands;
    edit.operands = MemoryOperands::NonPrivatePointer;
    reason_.mending.push_back({operation(e), edit});
  }

  // Tries the repairs of what there is: wider scopes, more storage classes, no tags, or wider scopes and more classes.
  //= vk:memory-model-synchronizes-with
  MissingReason lacks(bool (Ends::*link)() const, MissingLink otherwise) {
    const model::Execution& execution = *ends_.facts.execution;
    const Repair classes = with_all_storage_classes(execution);
    if (repaired_by(execution, with_wide_scopes(), link)) return reason(MissingLink::ScopesDoNotIncludeEachOther);
    if (repaired_by(execution, classes, link)) return reason(MissingLink::StorageClassMissing);
    if (repaired_by(execution, without_tags(), link)) return reason(MissingLink::IncompatibleTags);
    if (repaired_with_classes(classes, link)) return reason(MissingLink::ScopesDoNotIncludeEachOther);
    if (otherwise == MissingLink::NeverMadeAvailable) add_too_early();
    if (otherwise == MissingLink::NeverMadeVisible) add_too_late();
    return reason(otherwise);
  }

  // The ends are synchronized, so scopes include each other on the way. Where somebody between them takes the value and
  // does not hand it on, that is what is missing: a wider scope further back would only go past it.
  //= vk:memory-model-availability-visibility
  bool not_handed_on(const Repair& repair, bool (Ends::*link)() const) {
    const auto lacking = repaired(*ends_.facts.execution, repair, link);
    if (!lacking) return false;
    for (const OperationEdit& one : *lacking) reason_.lacking.push_back(one.operation);
    reason_.mending = *lacking;
    return true;
  }

  // Wider scopes, where more classes are missing as well.
  bool repaired_with_classes(const Repair& classes, bool (Ends::*link)() const) {
    model::Execution with_classes = *ends_.facts.execution;
    std::vector<OperationEdit> more;
    for (model::OperationIndex i = 0; i < with_classes.operations.size(); ++i) {
      const std::optional<Edit> edit = classes(with_classes.operations[i]);
      if (!edit) continue;
      edits::make(*edit, with_classes.operations[i]);
      more.push_back({i, *edit});
    }
    if (!repaired_by(with_classes, with_wide_scopes(), link)) return false;
    reason_.mending.insert(reason_.mending.end(), more.begin(), more.end());
    return true;
  }

  std::optional<std::vector<OperationEdit>> repaired(const model::Execution& execution, const Repair& repair,
                                                     bool (Ends::*link)() const) const {
    return least_repair(execution, ends_.facts.options, repair,
                        [&](const Facts& facts) { return holds_in(facts, link); });
  }

  bool repaired_by(const model::Execution& execution, const Repair& repair, bool (Ends::*link)() const) {
    const auto culprits = repaired(execution, repair, link);
    if (!culprits) return false;
    for (const OperationEdit& one : *culprits) reason_.culprits.push_back(one.operation);
    reason_.mending = *culprits;
    return true;
  }

  // Asked of the halves that have other numbers there.
  bool holds_in(const Facts& repaired, bool (Ends::*link)() const) const {
    const auto like = [&](EventIndex e) {
      return ends_.facts.write_event(operation(e)) == e ? repaired.write_event(operation(e))
                                                        : repaired.read_event(operation(e));
    };
    for (const Location& location : repaired.locations)
      if (location.bytes == ends_.location.bytes)
        return (Ends{repaired, location, like(ends_.x), like(ends_.y)}.*link)();
    return false;
  }

  // Operations that acquire the write, and whose MakeAvailable would hand it on if it stood behind them.
  //= vk:memory-model-availability-visibility-semantics
  void add_too_early() {
    ends_.facts.making_available.for_each([&](EventIndex av) {
      if (!event(av).bulk || event(av).agent == event(ends_.x).agent) return;
      if (!has(event(av).storage, event(ends_.x).storage) || ends_.facts.happens_before.has(ends_.x, av)) return;
      if (ends_.facts.happens_before.has(ends_.x, ends_.facts.write_event(operation(av)))) add_culprit(av);
    });
  }

  // Operations that release to the read, and whose MakeVisible would serve it if it stood before them.
  //= vk:memory-model-availability-visibility-semantics
  void add_too_late() {
    ends_.facts.making_visible.for_each([&](EventIndex vis) {
      if (!event(vis).bulk || event(vis).agent == event(ends_.y).agent) return;
      if (!has(event(vis).storage, event(ends_.y).storage) || ends_.facts.happens_before.has(vis, ends_.y)) return;
      if (ends_.facts.happens_before.has(ends_.facts.read_event(operation(vis)), ends_.y)) add_culprit(vis);
    });
  }

  Ends ends_;
  MissingReason reason_;
};

}  // namespace

MissingReason reason_of_missing(const Facts& facts, const Location& location, EventIndex x, EventIndex y) {
  return FirstMissing({facts, location, x, y}).find();
}

int progress(const MissingReason& reason) {
  const int synchronized = reason.synchronized ? 3 : 0;
  switch (reason.link) {
    case MissingLink::NoSynchronization:
      return 0;
    case MissingLink::ScopesDoNotIncludeEachOther:
      return synchronized + 1;
    case MissingLink::StorageClassMissing:
    case MissingLink::IncompatibleTags:
      return synchronized + 2;
    case MissingLink::PrivateAccess:
      return 3;
    case MissingLink::AnotherReference:
      return 4;
    case MissingLink::NeverMadeAvailable:
      return 5;
    case MissingLink::NeverMadeVisible:
      return 6;
  }
  return 0;
}

std::string_view name(MissingLink link) {
  switch (link) {
    case MissingLink::NoSynchronization:
      return "no synchronization";
    case MissingLink::ScopesDoNotIncludeEachOther:
      return "scopes do not include each other";
    case MissingLink::StorageClassMissing:
      return "storage class missing in a mask";
    case MissingLink::PrivateAccess:
      return "private access";
    case MissingLink::NeverMadeAvailable:
      return "never made available";
    case MissingLink::NeverMadeVisible:
      return "never made visible";
    case MissingLink::AnotherReference:
      return "another reference";
    case MissingLink::IncompatibleTags:
      return "incompatible tags";
  }
  return "?";
}

}  // namespace heddle::judge
