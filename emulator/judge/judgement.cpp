#include "emulator/judge/judgement.h"

#include <algorithm>
#include <set>

#include "emulator/judge/facts.h"

namespace heddle::judge {
namespace {

// A relation between operations, ascending.
std::vector<model::OperationPair> pairs_of(const Facts& facts, const Relation& relation) {
  std::vector<model::OperationPair> result;
  relation.for_each([&](EventIndex a, EventIndex b) {
    const model::OperationPair pair{facts.events[a].operation, facts.events[b].operation};
    if (pair.first != pair.second) result.push_back(pair);
  });
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace

std::string_view name(RelationName relation) {
  switch (relation) {
    case RelationName::ProgramOrder:
      return "po";
    case RelationName::ReadsFrom:
      return "rf";
    case RelationName::FromReads:
      return "fr";
    case RelationName::ScopedModificationOrder:
      return "smo";
    case RelationName::MutuallyOrdered:
      return "mutord";
    case RelationName::ReleaseSequence:
      return "rs";
    case RelationName::HypotheticalReleaseSequence:
      return "hypors";
    case RelationName::SynchronizesWith:
      return "sw";
    case RelationName::SystemSynchronizesWith:
      return "ssw";
    case RelationName::InterThreadHappensBefore:
      return "ithb";
    case RelationName::HappensBefore:
      return "hb";
    case RelationName::LocationOrdered:
      return "locord";
    case RelationName::VisibleTo:
      return "vis";
    case RelationName::DataRace:
      return "race";
  }
  return "?";
}

Judgement::Judgement() : facts_(std::make_unique<Facts>()) {}

Judgement::Judgement(const model::Execution& execution, const Options& options) : Judgement() {
  facts_->derive(execution, options);
}

Judgement::~Judgement() = default;
Judgement::Judgement(Judgement&&) noexcept = default;
Judgement& Judgement::operator=(Judgement&&) noexcept = default;

const model::Execution& Judgement::execution() const {
  return *facts_->execution;
}
const Options& Judgement::options() const {
  return facts_->options;
}
const std::vector<Event>& Judgement::events() const {
  return facts_->names;
}

bool Judgement::consistent() const {
  return is_consistent(*facts_);
}
std::optional<Violation> Judgement::violation() const {
  const std::vector<Violation> all = violations();
  return all.empty() ? std::nullopt : std::optional(all.front());
}
std::vector<Violation> Judgement::violations() const {
  return find_violations(*facts_);
}
std::size_t Judgement::operations_on_cycles() const {
  std::set<model::OperationIndex> operations;
  events_on_cycles(*facts_).for_each([&](EventIndex e) { operations.insert(facts_->events[e].operation); });
  return operations.size();
}

bool Judgement::racy() const {
  return !facts_->data_race.empty();
}

std::vector<Race> Judgement::races() const {
  std::vector<Race> races;
  for (const auto& [x, y] : pairs(RelationName::DataRace)) {
    Race race{x, y, {}};
    for (const Location& location : facts_->locations) {
      bool here = false;
      for (EventIndex a : facts_->events_of[x])
        for (EventIndex b : facts_->events_of[y]) here = here || races_at(*facts_, location, a, b);
      if (!here) continue;
      race.bytes = location.bytes;
      break;
    }
    races.push_back(race);
  }
  return races;
}

std::vector<model::OperationPair> Judgement::pairs(RelationName name) const {
  return pairs_of(*facts_, relation(name));
}

std::vector<OrderedByClass> Judgement::ordered_by_class() const {
  facts_->complete();
  std::vector<OrderedByClass> result;
  for (const ClassOrder& set : facts_->class_orders)
    result.push_back({set.classes & kStorageClassBits, pairs_of(*facts_, set.order)});
  return result;
}

std::size_t Judgement::cardinality(RelationName name) const {
  std::size_t pairs = 0;
  relation(name).for_each(
      [&](EventIndex a, EventIndex b) { pairs += facts_->events[a].bulk || facts_->events[b].bulk ? 0 : 1; });
  return pairs;
}

const Relation& Judgement::relation(RelationName name) const {
  if (name == RelationName::InterThreadHappensBefore || name == RelationName::VisibleTo) facts_->complete();
  switch (name) {
    case RelationName::ProgramOrder:
      return facts_->program_order;
    case RelationName::ReadsFrom:
      return facts_->reads_from;
    case RelationName::FromReads:
      return facts_->from_reads;
    case RelationName::ScopedModificationOrder:
      return facts_->modification_order;
    case RelationName::MutuallyOrdered:
      return facts_->mutually_ordered;
    case RelationName::ReleaseSequence:
      return facts_->release_sequence;
    case RelationName::HypotheticalReleaseSequence:
      return facts_->hypothetical_release_sequence;
    case RelationName::SynchronizesWith:
      return facts_->synchronizes;
    case RelationName::SystemSynchronizesWith:
      return facts_->system_synchronizes;
    case RelationName::InterThreadHappensBefore:
      return facts_->inter_thread_happens_before;
    case RelationName::HappensBefore:
      return facts_->happens_before;
    case RelationName::LocationOrdered:
      return facts_->location_ordered;
    case RelationName::VisibleTo:
      return facts_->visible_to;
    case RelationName::DataRace:
      return facts_->data_race;
  }
  return facts_->program_order;
}

// The value that a read after everything else would see.
std::vector<model::OperationIndex> Judgement::final_writes(const Locations& bytes) const {
  std::vector<model::OperationIndex> result;
  for (const Location& location : facts_->locations) {
    if (!location.bytes.overlaps(bytes)) continue;
    const EventSet writes = location.accesses & facts_->writes;
    writes.for_each([&](EventIndex w) {
      if (location.location_ordered.row_meets(w, writes)) return;
      if (facts_->modification_order.row_meets(w, writes)) return;
      result.push_back(facts_->events[w].operation);
    });
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  if (result.empty()) result.push_back(model::kInitialValue);
  return result;
}

}  // namespace heddle::judge
