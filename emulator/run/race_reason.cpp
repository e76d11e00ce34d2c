#include "emulator/run/race_reason.h"

#include <optional>
#include <utility>

#include "emulator/advice/missing_link.h"

namespace heddle::run {
namespace {

using judge::MissingLink;
using race::MissingStep;

const char* name(MissingStep step) {
  switch (step) {
    case MissingStep::OwnReferences:
      return "own references";
    case MissingStep::NotMutual:
      return "mutual order";
    case MissingStep::Private:
      return "non-private access";
    case MissingStep::References:
      return "reference";
    case MissingStep::Synchronization:
      return "synchronization";
    case MissingStep::Scope:
      return "scope";
    case MissingStep::StorageClass:
      return "storage class";
    case MissingStep::Availability:
      return "availability";
    case MissingStep::WiderAvailability:
      return "wider availability";
    case MissingStep::Visibility:
      return "visibility";
  }
  return "";
}

MissingStep step_of(const advice::MissingLinkText& found) {
  switch (*found.link) {
    case MissingLink::ScopesDoNotIncludeEachOther:
      return found.synchronized ? MissingStep::WiderAvailability : MissingStep::Scope;
    case MissingLink::StorageClassMissing:
      return MissingStep::StorageClass;
    case MissingLink::PrivateAccess:
      return MissingStep::Private;
    case MissingLink::NeverMadeAvailable:
      return MissingStep::Availability;
    case MissingLink::NeverMadeVisible:
      return MissingStep::Visibility;
    case MissingLink::AnotherReference:
      return MissingStep::References;
    case MissingLink::NoSynchronization:
    case MissingLink::IncompatibleTags:
      return MissingStep::Synchronization;
  }
  return MissingStep::Synchronization;
}

// How many links are there before this one, as the rules ask for them. What is missing of the accesses themselves is
// missing whatever is between them.
//= vk:memory-model-location-ordered
std::optional<int> links_before(MissingStep step) {
  switch (step) {
    case MissingStep::Synchronization:
      return 0;
    case MissingStep::Scope:
      return 1;
    case MissingStep::StorageClass:
      return 2;
    case MissingStep::Availability:
      return 3;
    case MissingStep::WiderAvailability:
      return 4;
    case MissingStep::Visibility:
      return 5;
    default:
      return std::nullopt;
  }
}

}  // namespace

RaceReason reason_of(const race::KernelRace& race, bool two_dispatches) {
  if (!two_dispatches) return {name(race.missing), race.reason};
  return {"dependency",
          "the accesses are in two dispatches of one submission, and no memory dependency between these makes what the "
          "first wrote available and visible to the second"};
}

RaceReason reason_of(const race::KernelRace& race, const advice::Neighbourhood& part,
                     const std::vector<std::uint64_t>& dispatches) {
  const auto dispatch_of = [&](model::OperationIndex index) {
    return dispatches[static_cast<std::size_t>(part.execution.operations[index].agent)];
  };
  RaceReason known = reason_of(race, dispatch_of(part.first) != dispatch_of(part.second));
  const std::optional<advice::MissingLinkText> judged = advice::missing_link(part, dispatches);
  if (!judged) return known;
  if (judged->link) {
    const MissingStep step = step_of(*judged);
    const std::optional<int> there = links_before(race.missing);
    const std::optional<int> there_in_part = links_before(step);
    if (part.is_cut && there && there_in_part && *there > *there_in_part) return known;
    known.missing = name(step);
  }
  if (!judged->text.empty()) known.text = judged->text;
  return known;
}

}  // namespace heddle::run
