#include "emulator/watch/race_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <new>

#include "emulator/advice/changes.h"
#include "emulator/advice/operation_text.h"
#include "emulator/memory/policy.h"
#include "emulator/race/kernel_detector_quick.h"
#include "emulator/race/tagged_detector.h"
#include "emulator/report/member_text.h"
#include "emulator/trace/instructions.h"
#include "emulator/watch/object_names.h"
#include "emulator/watch/own_command.h"
#include "emulator/watch/race_settings.h"
#include "emulator/watch/reliance.h"
#include "emulator/watch/tagged_code.h"

namespace heddle::watch {
namespace {

// So many operations of a run are kept for advice: 32 bytes each, and some 150 for a barrier that does not meet
// as a workgroup.
constexpr std::size_t kRecentOperations = 200000;
/// How many operations behind a race are remembered where a run is repeated for what comes before it.
constexpr std::size_t kBehindTheRace = 1000;

// So many plain writes are remembered: some 100 bytes each.
constexpr std::size_t kWrittenValues = 1 << 20;

// A buffer, an image, or a variable is accessed through one storage class.
race::KernelOptions detector_options() {
  return {.one_class_each = true};
}

// Whether a kernel may access a part of an object of this type atomically: an integer or a float, not a vector or a
// struct of them.
bool have_atomics(const Operation& access, std::uint64_t offset_bytes, const std::optional<NamedObject>& object) {
  const std::uint32_t bytes = access.locations.size_bytes;
  const report::PlaceOfElement place =
      object ? report::element_at(object->component, offset_bytes - object->bytes.offset_bytes)
             : report::PlaceOfElement{};
  detail::ComponentType type = place.type;
  if (type.members && type.element_bytes != 0) type = report::member_at(type, place.offset_bytes, bytes).type;
  switch (type.kind) {
    case detail::ComponentKind::Unknown:
      return bytes <= 8 && std::has_single_bit(bytes) && bytes != type.element_bytes;
    case detail::ComponentKind::Float:
      return bytes == type.size_bytes && bytes >= 4;
    default:
      return bytes == type.size_bytes;
  }
}

}  // namespace

WrittenValues::Key WrittenValues::key(AgentId agent, const Operation& site, const Locations& bytes) {
  return {agent, site.where.line, site.where.file, bytes.allocation, bytes.offset_bytes, bytes.size_bytes};
}

void WrittenValues::note(const Operation& write, model::Value written) {
  if (values_.size() >= kWrittenValues) values_.clear();
  values_[key(write.agent, write, write.locations)] = written;
}

bool WrittenValues::wrote(AgentId agent, const Operation& site, const Operation& second, model::Value value) const {
  const auto found = values_.find(key(agent, site, second.locations));
  return found != values_.end() && found->second == value;
}

RaceWatch::RaceWatch(const DeviceOptions& options, trace::Instructions& instructions)
    : RaceFinder({.detector = detector_options(),
                  .recent_operations = kRecentOperations,
                  .hears = options.memory->sequential ? advice::Recent::Hears::SequentialMemory
                                                      : advice::Recent::Hears::AnyMemory,
                  .remembered_from = remembered_from()},
                 instructions),
      options_(options),
      instructions_(instructions),
      tells_equal_writes_(options.same_value_writes == SameValueWrites::Notice),
      wants_all_(wants_all_races()),
      explains_(explains_races()),
      races_(options, [this](std::size_t race) { return detector_.races()[detected_[race]].count; }),
      callers_(instructions) {
  RaceLog* const log = races_.log();
  if (*options.race_advice) {
    if (!log) own_orderings_ = std::make_unique<KnownOrderings>();
    orderings_ = std::make_unique<OrderingWatch>(log ? log->orderings() : *own_orderings_);
    with_orderings_ = std::make_unique<RacesAndOrderings>(*this, orderings_->listener());
  }
  if (has_tagged_code()) {
    tagged_ = std::make_unique<race::TaggedDetector>(listener(), detector_, detector_options());
    tagged_->on_too_many_sets([this] { races_.remark({race::TaggedDetector::text_of_too_many_sets()}); });
  }
  detector_.on_overlooked([this](const std::string& what) { races_.remark({what}); });
}

RaceWatch::~RaceWatch() = default;

trace::Listener& RaceWatch::listener() {
  if (tagged_) return *tagged_;
  return with_orderings_ ? static_cast<trace::Listener&>(*with_orderings_) : *this;
}

void RaceWatch::renew(AllocationId allocation) {
  detector_.forget(allocation);
  if (tagged_) tagged_->forget(allocation);
}

void RaceWatch::replace(AllocationId allocation) {
  detector_.replace(allocation);
  if (tagged_) tagged_->forget(allocation);
}

void RaceWatch::dispatch_begins(const DispatchStart& dispatch) {
  races_.begin_dispatch(dispatch.dispatch, &recent_);
  dispatched(dispatch.dispatch);
  objects_ = &dispatch.objects;
  races_before_ = races_.size();
}

bool RaceWatch::restart() {
  if (orderings_ || !races_.restart()) return false;
  detector_.restart();
  second_calls_.clear();
  told_as_.clear();
  detected_.clear();
  told_sites_.clear();
  if (tagged_) tagged_->restart();
  forget();
  return true;
}

void RaceWatch::forget() {
  RaceFinder::forget();
  written_.forget();
  offered_barriers_.clear();
}

void RaceWatch::operation(model::OperationIndex index, const Operation& operation, model::Value read,
                          model::Value written, std::span<const trace::Source> sources) {
  if (!operation.is_access()) return RaceFinder::operation(index, operation, read, written, sources);
  if (!operation.atomic) return look_at(index, operation, read, written);
  const race::SiteId site = detector_.site_of(operation);
  if (site == race::kNoSite) [[unlikely]]
    return RaceFinder::operation(index, operation, read, written, sources);
  if (callers_.wants(site)) [[unlikely]]
    callers_.add(site);
  recent_.access(index, operation, site, read, written, sources);
  now_ = {&operation, {read, written}};
  detector_.atomic(index, operation, site, sources);
}
void RaceWatch::plain(model::OperationIndex index, const Operation& operation, model::Value read,
                      model::Value written) {
  look_at(index, operation, read, written);
}
inline void RaceWatch::look_at(model::OperationIndex index, const Operation& operation, model::Value read,
                               model::Value written) {
  now_ = {&operation, {read, written}};
  if (const race::SiteId site = detector_.site_of(operation); site != race::kNoSite) [[likely]] {
    if (callers_.wants(site)) [[unlikely]]
      callers_.add(site);
    recent_.access(index, operation, site, read, written);
    detector_.access(index, operation, site);
  } else {
    recent_.operation(index, operation, read, written, {});
  }
  if (tells_equal_writes_ && is_plain_write(operation)) written_.note(operation, written);
}
std::string RaceWatch::replay() const {
  const MemoryPolicy& policy = *options_.memory;
  const std::string memory = memory::find_policy(policy.name) ? memory_assignment(policy) : "";
  return fmt::format("HEDDLE_RACES=text {}{} {}", memory, seed_assignment(*options_.seed), own_command());
}

bool RaceWatch::may_tell(const race::KernelRace& race) {
  const bool has_new_line = !told_sites_.contains(race.first) || !told_sites_.contains(race.second);
  if (!wants_all_ && races_.size() >= kMostTold && !has_new_line) {
    if (leaves_pairs_out_) return false;
    races_.remark(
        {"so many pairs of lines race in one run that this report leaves some out: each line that races is in "
         "it, but not each pair. Every pair is told, which may take long, with heddle races --all, or with "
         "HEDDLE_RACES_ALL=1 in the environment"});
    leaves_pairs_out_ = true;
    return false;
  }
  return true;
}

void RaceWatch::note(const race::KernelRace& race) {
  const auto found_as = static_cast<std::size_t>(&race - detector_.races().data());
  races_.in_any_case([&] {
    told_as_.resize(std::max(told_as_.size(), found_as + 1), kUntold);
    if (may_tell(race)) tell(race, found_as);
  });
}

void RaceWatch::tell(const race::KernelRace& race, std::size_t found_as) {
  const std::size_t number = races_.size();
  const ObjectNames names(objects_, race.bytes);
  auto [made, earlier] = told(race, names);
  const Operation& first = detector_.site(race.first).operation;
  const Operation& second = detector_.site(race.second).operation;
  made.replay = replay();
  made.same_value = tells_equal_writes_ && equal_writes(first, race.first_agent);
  const std::uint64_t offset_bytes = now_.operation->locations.offset_bytes;
  const auto& object = names.object();
  explain(race, have_atomics(first, offset_bytes, object) && have_atomics(second, offset_bytes, object), made);
  callers_.ask_more(race.first);
  second_calls_.resize(number + 1);
  second_calls_.back() = instructions_.calls_now();
  detected_.resize(number + 1);
  detected_.back() = found_as;
  // A program that hands its findings in may never come to the end of the dispatch.
  if (explains_ && races_.hands_in()) add_calls(number, made);
  told_sites_.insert({race.first, race.second});
  races_.add(std::move(made), {earlier.value_or(model::kInitialValue), race.operation});
  told_as_[found_as] = number;
}

bool RaceWatch::add_calls(std::size_t race, DataRace& noted) const {
  RacingAccess& earlier = noted.second_came_first ? noted.second : noted.first;
  RacingAccess& later = noted.second_came_first ? noted.first : noted.second;
  auto to_earlier = callers_.ways_to(earlier.where, detector_.races()[detected_[race]].first);
  auto to_later = calls_by(instructions_, later.where, {second_calls_[race]});
  const bool is_new = to_earlier.size() != earlier.calls.size() || to_later.size() != later.calls.size();
  earlier.calls = std::move(to_earlier);
  later.calls = std::move(to_later);
  return is_new;
}

void RaceWatch::tell_calls(std::size_t first) {
  if (!explains_) return;
  for (std::size_t race = first; race < races_.size(); ++race)
    if (add_calls(race, races_[race])) races_.revise(race);
}

void RaceWatch::note_again(std::size_t race, AgentId first) {
  if (race >= told_as_.size() || told_as_[race] == kUntold) return;
  DataRace& known = races_[told_as_[race]];
  known.same_value = known.same_value && equal_writes(detector_.site(detector_.races()[race].first).operation, first);
}

// The second one is now_.
bool RaceWatch::equal_writes(const Operation& first, AgentId agent) const {
  return is_plain_write(first) && is_plain_write(*now_.operation) &&
         written_.wrote(agent, first, *now_.operation, now_.values.written);
}

void RaceWatch::explain(const race::KernelRace& race, bool have_atomics, DataRace& noted) try {
  if (!may_try_changes()) {
    noted.no_change = report::kNotTried;
    return;
  }
  advice::ChangeOptions options;
  options.have_atomics = have_atomics;
  const std::optional<advice::Changes> found = RaceFinder::explain(race, options, noted);
  if (!found) {
    noted.no_change = why_not_tried(race);
    return;
  }
  work_ += found->work;
  for (const advice::Change& change : found->changes)
    if (change.barrier && change.barrier->depends_on_conditions())
      offered_barriers_.push_back({races_.size(), change.text, *change.barrier, race.second_agent});
} catch (const std::bad_alloc&) {
  noted.no_change = "memory ran out while changes were tried";
}

std::string RaceWatch::why_not_tried(const race::KernelRace& race) const {
  if (!recent_.is_full() || race.operation < remembered_from() + kRecentOperations)
    return fmt::format(
        "the first access is so far back that what lies between is not remembered (at most {} operations are); with "
        "fewer workgroups, or fewer rounds of a loop, one can be tried",
        kRecentOperations);
  // As much as can be of what comes before the second access.
  const std::uint64_t from = race.operation + kBehindTheRace - kRecentOperations;
  return fmt::format(
      "the run was too long to try one: of its operations {} are remembered, and the second access is operation {}. "
      "With "
      "fewer workgroups one is tried, or in this run, with what comes before the race: HEDDLE_RACES_FROM={} {}",
      kRecentOperations, race.operation, from, replay());
}

void RaceWatch::dispatch_ends(bool failed) {
  races_.end_dispatch();
  tell_calls(races_before_);
  if (!failed) take_back_divergent_barriers();
  offered_barriers_.clear();
  tell_reliance();
  objects_ = nullptr;
}

// Where a run is remembered in parts, or there is no room to look, it is not known what its workgroups knew of each
// other.
void RaceWatch::tell_reliance() try {
  if (dispatched_.count() == 0 || recent_.is_full() || remembered_from() != 0) return;
  const trace::Dispatch& dispatch = dispatched_.last();
  if (!recent_.has_repeated(dispatch.first_agent, dispatch.invocations())) return;
  Reliance reliance(dispatch);
  recent_.for_each(
      [&](const Operation& operation, const advice::AccessValues& values) { reliance.add(operation, values); });
  for (const report::Relied& relied : reliance.found()) races_.relies(relied);
} catch (const std::bad_alloc&) {
  return;
}

std::pair<std::uint32_t, std::uint32_t> RaceWatch::group_of(AgentId of) const {
  const race::Places& places = detector_.places();
  const auto agent = static_cast<std::uint32_t>(of);
  const auto is_in_group = [&](std::uint32_t other) { return places.group(other) == places.group(agent); };
  std::uint32_t first = agent;
  std::uint32_t end = agent + 1;
  while (first > places.first() && is_in_group(first - 1)) --first;
  while (end < places.end() && is_in_group(end)) ++end;
  return {first, end};
}

void RaceWatch::take_back_divergent_barriers() {
  for (const OfferedBarrier& offered : offered_barriers_) {
    // Who is not remembered may have come there.
    if (recent_.is_full() || remembered_from() != 0) break;
    const auto [first, end] = group_of(offered.agent);
    const std::uint32_t came = recent_.count_in_lines(static_cast<AgentId>(first), end - first, offered.place.file,
                                                      offered.place.first_line, offered.place.last_line);
    if (came == end - first) continue;
    DataRace& race = races_[offered.race];
    std::erase(race.changes, offered.change);
    std::erase_if(race.candidates, [&](const CandidateChange& one) { return one.text == offered.change; });
    race.no_change = fmt::format(
        "a control barrier is no change here: of the {} invocations of the workgroup {} come to "
        "lines {} to {}, and it needs all of them",
        end - first, came, offered.place.first_line, offered.place.last_line);
    races_.revise(offered.race);
  }
}

RaceReport RaceWatch::report(std::span<const RaceWatch* const> others) const {
  report::Collector collector;
  collect(collector, races_.run());
  for (const RaceWatch* const other : others) other->collect(collector, races_.run());
  return races_.report(collector);
}

void RaceWatch::collect(report::Collector& collector, report::RunId run) const {
  races_.collect(collector, run);
  if (!orderings_) return;
  for (const report::OrderingUse& use : orderings_->uses()) collector.add(run, use);
  collector.add(run, orderings_->recorded());
}

void RaceWatch::hand_in_all() {
  races_.hand_in_all();
  RaceLog* const log = races_.log();
  if (!log || !orderings_) return;
  for (const report::OrderingUse& use : orderings_->uses()) log->add(races_.run(), use);
  log->add(races_.run(), orderings_->recorded());
}

}  // namespace heddle::watch
