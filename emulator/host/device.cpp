#include "emulator/edits/program_edits.h"
#include "emulator/host/device_limits.h"
#include "emulator/host/device_state.h"
#include "emulator/host/emulator.h"
#include "emulator/host/following.h"
#include "emulator/host/model_fairness.h"
#include "emulator/host/no_memory.h"
#include "emulator/host/options.h"
#include "emulator/host/set_aside.h"
#include "emulator/memory/policy.h"
#include "emulator/report/source_text.h"
#include "emulator/watch/own_command.h"
#include "emulator/watch/parallel_memory.h"
#include "emulator/watch/parallel_races.h"
#include "emulator/watch/race_watch.h"
#include "runtime/text/readable.h"

#include <fmt/format.h>
#include <heddle/detail/check.h>
#include <heddle/host.h>

#include <algorithm>
#include <chrono>
#include <numeric>

namespace heddle {

namespace detail {

std::string wrong_base(const uvec3& base, const Extent& groups, const Extent& local) {
  const auto fits = [](std::uint32_t first, std::uint32_t count, std::uint32_t size) {
    constexpr std::uint64_t kLimit = std::uint64_t{1} << 32;
    return (std::uint64_t{first} + count) * std::max(size, 1u) < kLimit;
  };
  if (fits(base.x, groups.x, local.x) && fits(base.y, groups.y, local.y) && fits(base.z, groups.z, local.z)) return "";
  return fmt::format(
      "{} x {} x {} workgroups of {} x {} x {} from ({},{},{}) on: no global invocation id may reach 2^32; begin "
      "lower, or dispatch in parts",
      groups.x, groups.y, groups.z, local.x, local.y, local.z, base.x, base.y, base.z);
}

namespace {

/// A permutation of the workgroup, both ways.
struct Mapping {
  std::vector<std::uint32_t> position_of;
  std::vector<std::uint32_t> index_at;
};

Mapping shuffled(std::uint32_t size, Choice& choice) {
  Mapping mapping;
  mapping.index_at.resize(size);
  std::iota(mapping.index_at.begin(), mapping.index_at.end(), 0u);
  for (std::uint32_t i = size; i > 1; --i) {
    std::swap(mapping.index_at[i - 1], mapping.index_at[choice.below(i, ChoicePoint::LaneMapping)]);
  }
  mapping.position_of.resize(size);
  for (std::uint32_t p = 0; p < size; ++p) mapping.position_of[mapping.index_at[p]] = p;
  return mapping;
}

/// The workgroups that begin first, in an order of `choice`. (The answer 0 leaves each where it was.)
std::vector<std::uint32_t> shuffled_groups(std::uint64_t groups, Choice& choice) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 16;
  const auto size = static_cast<std::uint32_t>(std::min(groups, kMost));
  std::vector<std::uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0u);
  for (std::uint32_t i = 0; i + 1 < size; ++i)
    std::swap(order[i], order[i + choice.below(size - i, ChoicePoint::Workgroup)]);
  return order;
}

/// What the kernels of a dispatch print.
class Printed {
 public:
  Printed(std::FILE* to, bool at_once) : to_(to) {
    if (!at_once) later_.emplace();
  }
  ~Printed() {
    if (later_) print_later();
  }
  Printed(const Printed&) = delete;
  Printed& operator=(const Printed&) = delete;

  void add(std::uint64_t group, std::string text) {
    if (!later_) {
      std::fputs(text.c_str(), to_);
      return;
    }
    const std::lock_guard lock(later_->mutex);
    later_->lines.push_back({group, std::move(text)});
  }

 private:
  struct Line {
    std::uint64_t group;
    std::string text;
  };
  /// Where several threads print: all of it, until the end.
  struct Later {
    std::mutex mutex;
    std::vector<Line> lines;
  };

  void print_later() {
    std::vector<Line>& lines = later_->lines;
    std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.group < b.group; });
    for (const Line& line : lines) std::fputs(line.text.c_str(), to_);
  }

  std::FILE* to_;
  std::optional<Later> later_;
};

/// The time from the begin to the end of a dispatch on an emulator, if there is one.
class EmulatedDispatch {
 public:
  EmulatedDispatch(emulation::Emulator* emulator, const runtime::Grid& grid,
                   std::span<const emulation::Binding> bindings)
      : emulator_(emulator) {
    if (emulator_) emulator_->begin(grid, bindings);
  }
  ~EmulatedDispatch() {
    if (emulator_) emulator_->end();
  }
  EmulatedDispatch(const EmulatedDispatch&) = delete;
  EmulatedDispatch& operator=(const EmulatedDispatch&) = delete;

 private:
  emulation::Emulator* emulator_;
};

[[noreturn]] void refuse_group(const uvec3& local, std::uint64_t most) {
  throw std::invalid_argument(
      fmt::format("a workgroup of {} x {} x {} invocations; it may have 1 to {}", local.x, local.y, local.z, most));
}
[[noreturn]] void refuse_size(const uvec3& groups, const uvec3& local) {
  throw std::invalid_argument(
      fmt::format("a dispatch of {} x {} x {} workgroups of {} x {} x {}: no dimension may have 2^32 "
                  "invocations or more",
                  groups.x, groups.y, groups.z, local.x, local.y, local.z));
}

[[noreturn]] void refuse_other_size(const uvec3& local, const uvec3& required) {
  throw std::invalid_argument(
      fmt::format("workgroups of {} x {} x {} invocations, and the kernel requires {} x {} x {} "
                  "(required_workgroup_size): dispatch it with those, or leave the size out",
                  local.x, local.y, local.z, required.x, required.y, required.z));
}

/// How many invocations a workgroup has. Throws std::invalid_argument for sizes that cannot be.
std::uint32_t checked_size(const uvec3& groups, const uvec3& local) {
  const std::uint64_t size = std::uint64_t{local.x} * local.y * local.z;
  // Lane masks, slots and stacks of a workgroup are all in memory at once.
  constexpr std::uint64_t kMaxGroupSize = 1 << 16;
  if (size == 0 || size > kMaxGroupSize) refuse_group(local, kMaxGroupSize);
  // Coordinates and invocation numbers have 32 bits.
  const std::uint64_t limit = std::uint64_t{1} << 32;
  if (std::uint64_t{groups.x} * local.x >= limit || std::uint64_t{groups.y} * local.y >= limit ||
      std::uint64_t{groups.z} * local.z >= limit)
    refuse_size(groups, local);
  return static_cast<std::uint32_t>(size);
}

/// From the shape of one dispatch to that of the next, which is mostly the same. Throws as checked_size.
void reshape(runtime::Grid& grid, const uvec3& base, const uvec3& groups, const uvec3& local) {
  grid.base = base;
  if (grid.groups == groups && grid.local == local) return;
  const std::uint32_t size = checked_size(groups, local);
  grid.groups = groups;
  grid.local = local;
  grid.group_size = size;
  grid.linear = local.y == 1 && local.z == 1;
  grid.subgroups = (size + grid.subgroup_size - 1) / grid.subgroup_size;
}

/// A dispatch that runs, for checks that fail in it.
struct RunningDispatch {
  const DeviceState& state;
  std::uint64_t number;
};

std::string schedule_text(const void* context) {
  const auto& running = *static_cast<const RunningDispatch*>(context);
  const DeviceState& state = running.state;
  const std::string schedule =
      fmt::format("  schedule: dispatch {} of a device: {}\n", running.number, state.description());
  if (!state.in_order()) return schedule;
  return schedule + fmt::format("  again: HEDDLE_MODE=emulated {}{} {}\n",
                                watch::memory_assignment(*state.options.memory), watch::seed_assignment(state.seed()),
                                watch::own_command());
}

/// "dispatch 2 of a device (native): 16 x 1 x 1 workgroups of 64 x 1 x 1"
std::string name_of_dispatch(const DeviceState& state, std::uint64_t number, const uvec3& groups, const uvec3& local) {
  return fmt::format("dispatch {} of a device ({}): {} x {} x {} workgroups of {} x {} x {}", number,
                     state.description(), groups.x, groups.y, groups.z, local.x, local.y, local.z);
}

/// Throws what made dispatch `number` of the device fail.
[[noreturn]] void raise(runtime::Failure failure, const DeviceState& state, std::uint64_t number,
                        const runtime::Grid& grid) {
  if (failure.exception) {
    try {
      std::rethrow_exception(failure.exception);
    } catch (const std::bad_alloc&) {
      failure.finding.message +=
          fmt::format(" (memory ran out in {})", name_of_dispatch(state, number, grid.groups, grid.local));
      std::throw_with_nested(KernelError(std::move(failure.finding)));
    } catch (...) {
      std::throw_with_nested(KernelError(std::move(failure.finding)));
    }
  }
  throw KernelError(std::move(failure.finding));
}

/// Throws std::bad_alloc where there was no memory to run the latest dispatch of the device at all.
[[noreturn, gnu::cold]] void refuse_memory(const DeviceState& state, const uvec3& groups, const uvec3& local) {
  throw NoMemory("out of memory in " + name_of_dispatch(state, state.dispatches - 1, groups, local));
}

/// The failure of a dispatch whose end depends on an undefined value; null if it depends on none.
std::unique_ptr<runtime::Failure> end_following(emulation::Emulator& emulator) {
  std::optional<Finding> wrong = emulator.following().end();
  if (!wrong) return nullptr;
  emulator.dispatch_is_wrong(*wrong);
  return std::make_unique<runtime::Failure>(runtime::Failure{std::move(*wrong), nullptr});
}

/// Puts in the dependencies that edits want before dispatch `number` of the device.
[[gnu::cold]] void put_dependencies(DeviceState& state, std::uint64_t number) {
  for (const Edit* edit : state.emulator->edits->before_dispatch(number))
    state.depend(edit->orders_memory ? memory::Dependency::Memory : memory::Dependency::Execution);
}

/// A dispatch with the help of `launch`, which has what it has in common with others.
[[gnu::hot]] DispatchResult dispatch(DeviceState& state, runtime::Launch& launch, const TypedLaunch& typed,
                                     const uvec3& groups, const uvec3& local) {
  const DeviceOptions& options = state.options;
  const bool emulated = state.mode == Mode::Emulated;
  if (typed.required_local && *typed.required_local != local) [[unlikely]]
    refuse_other_size(local, *typed.required_local);
  if (state.narrow_limits) [[unlikely]]
    check_dispatch(*options.limits, typed.base, groups, local, typed.bindings);
  reshape(launch.grid, typed.base, groups, local);
  const std::uint32_t size = launch.grid.group_size;
  const std::uint64_t number = state.dispatches++;
  // Every dispatch of a device has a sequence of its own, so that one more choice in the first
  // does not change the second.
  const std::uint64_t seed = state.seed() * 0x9e3779b97f4a7c15u + number;
  if (emulated) state.choose_from(seed);
  if (emulated && state.emulator->edits) [[unlikely]]
    put_dependencies(state, number);

  std::unique_ptr<const Mapping> mapping;
  if (options.lane_mapping == LaneMapping::Shuffled) {
    SeededChoice seeded(seed);
    mapping = std::make_unique<const Mapping>(shuffled(size, emulated ? static_cast<Choice&>(state.choice) : seeded));
    launch.grid.position_of = mapping->position_of.data();
    launch.grid.index_at = mapping->index_at.data();
  }
  std::vector<std::uint32_t> first_groups;
  if (state.in_order() && options.workgroup_order == WorkgroupOrder::Shuffled)
    first_groups = shuffled_groups(std::uint64_t{groups.x} * groups.y * groups.z, state.choice);
  launch.first_groups = first_groups;
  launch.run = emulated ? typed.emulated : typed.native;
  // Where an oracle decides which invocation goes on, none takes turns.
  if (state.in_order()) launch.run.turns = nullptr;
  launch.kernel = typed.call;

  if (state.in_order()) launch.choice = &state.choice.direct();
  Printed printed{options.print_to, state.in_order()};
  launch.context = &printed;
  const RunningDispatch running{state, number};
  const Situation situation(&schedule_text, &running);
  if (emulated) state.emulator->following().begin(seed);
  EmulatedDispatch on_emulator(emulated ? state.emulator.get() : nullptr, launch.grid, typed.bindings);

  DispatchResult result;
  runtime::Statistics statistics;
  const bool holds_back = emulated && !options.memory->sequential;
  if (holds_back) state.memory->count_from_now();
  std::chrono::steady_clock::time_point begin;
  if (*options.timed) begin = std::chrono::steady_clock::now();
  std::unique_ptr<runtime::Failure> failure = runtime::launch(launch, statistics);
  if (*options.timed) {
    const auto time = std::chrono::steady_clock::now() - begin;
    result.seconds = std::chrono::duration<double>(time).count();
  }
  // Once more: the place of a trap was looked up only now.
  if (failure && emulated) state.emulator->dispatch_fails(*failure);
  if (!failure && emulated) failure = end_following(*state.emulator);
  // What was wrong before comes first, though the dispatch went on.
  if (std::optional<Finding> earlier = state.watchers.take_failure())
    failure = std::make_unique<runtime::Failure>(runtime::Failure{std::move(*earlier), nullptr});
  if (failure) raise(std::move(*failure), state, number, launch.grid);
  state.watchers.flush_trace(true);
  result.workgroups = statistics.workgroups;
  result.invocations = statistics.workgroups * size;
  result.fibers = statistics.fibers;
  result.resident_workgroups = statistics.resident_peak;
  if (holds_back) result.memory = state.memory->report();
  return result;
}

[[gnu::noinline]] DispatchResult dispatch_with_copy(DeviceState& state, const TypedLaunch& typed, const uvec3& groups,
                                                    const uvec3& local) {
  runtime::Launch own = state.launch;
  return dispatch(state, own, typed, groups, local);
}

}  // namespace

DeviceState::DeviceState(DeviceOptions o)
    : options(completed(std::move(o))),
      mode(*options.mode),
      narrow_limits(are_narrow(*options.limits)),
      watchers(options, emulation::recorded_accesses()),
      describe_([this](const void* address) { return emulator ? emulator->describe(address) : describe(address); }),
      contents_([this] { return contents(); }) {
  runtime::keep_reserve();
  launch.grid.subgroup_size = *options.subgroup_size;
  if (narrow_limits && options.workgroup_memory_bytes == options.limits->max_compute_shared_memory_size) {
    memory_limit_ = fmt::format("the limit max_compute_shared_memory_size of the device ('{}')",
                                text::readable(options.limits->name));
    launch.grid.memory_limit = memory_limit_.c_str();
  }
  launch.workers = options.workers;
  launch.resident_workgroups = options.resident_workgroups;
  launch.stack_bytes = options.stack_bytes;
  launch.workgroup_memory_bytes = options.workgroup_memory_bytes;
  launch.workgroup_memory_zeroed = options.workgroup_memory_zeroed;
  launch.no_progress_rounds = options.no_progress_rounds;
  launch.no_progress_time = std::chrono::milliseconds(options.no_progress_time.count());
  launch.reconvergence = *options.reconvergence;
  launch.describe = &describe_;
  launch.contents = &contents_;
  if (!options.forward_progress.empty()) {
    fairness_ = std::make_unique<ModelFairness>(options.forward_progress);
    launch.fairness = fairness_.get();
  }
  if (options.progress) launch.progress = &options.progress;
  if (mode == Mode::Emulated) {
    emulator = std::make_unique<emulation::Emulator>(*this);
    launch.observer = emulator.get();
    // Where something is put in invocations may wait anywhere.
    launch.waits_unannounced = emulator->edits != nullptr;
  } else {
    launch.waits_unannounced = runtime::program_has_volatile_memory();
  }
  if (auto made = watchers.make_parallel_memory()) {
    parallel = made.get();
    if (emulator->edits) parallel->record_all();
    memory = std::move(made);
    return;
  }
  if (mode == Mode::Emulated) {
    memory = memory::make_memory(*options.memory, choice);
    watchers.listen_to(*memory);
  }
}

RaceReport DeviceState::race_report() const {
  std::vector<const watch::Watchers*> others;
  for (const SetAside* const one : set_aside) others.push_back(&one->watchers());
  return watchers.race_report(others);
}

void DeviceState::restart(std::uint64_t seed, decltype(DeviceOptions::choices) choices) {
  watchers.hand_in_all();
  options.seed = seed;
  options.choices = std::move(choices);
  dispatches = 0;
  next_agent = next_workgroup = 0;
  while (!freed_.empty()) forget_oldest();
  memory->restart();
  spare_ids_.clear();
  ids_freed_in_submission_.clear();
  freed_in_submission_ = false;
  next_allocation_ = made_allocations_ = 0;
  next_reference_ = 0;
  emulator->restart();
  watchers.restart(*memory);
}

void DeviceState::lay_out(const Configuration& configuration) {
  if (configuration.lane_mapping) options.lane_mapping = configuration.lane_mapping;
  // Where a model of forward progress says in which order workgroups begin, it goes on saying it.
  if (configuration.workgroup_order && !order_under(options.forward_progress))
    options.workgroup_order = configuration.workgroup_order;
  if (configuration.resident_workgroups)
    options.resident_workgroups = launch.resident_workgroups = *configuration.resident_workgroups;
  if (configuration.subgroup_size) options.subgroup_size = configuration.subgroup_size;
  // The next dispatch finds its shape anew.
  launch.grid = {};
  launch.grid.subgroup_size = *options.subgroup_size;
  if (!memory_limit_.empty()) launch.grid.memory_limit = memory_limit_.c_str();
}

[[gnu::hot]] void DeviceState::choose_from(std::uint64_t of_dispatch) {
  choice.ask(std::unique_ptr<Choice>(options.choices ? options.choices(of_dispatch) : nullptr), of_dispatch);
  memory->draw_from(choice.drawn());
}

std::string DeviceState::description() const {
  if (mode == Mode::Native) return "native";
  return fmt::format("emulated, memory '{}', seed {}{}", options.memory->name, seed(),
                     !*options.races           ? ""
                     : *options.races_parallel ? ", looks for races on all cores"
                                               : ", looks for races");
}

DeviceState::~DeviceState() {
  watchers.hand_in_all();
  while (!freed_.empty()) forget_oldest();
}

void print(runtime::Workgroup& group, std::string text) {
  static_cast<Printed*>(group.context)->add(group.grid->number_of(group.id), std::move(text));
}

}  // namespace detail

Device::Device(DeviceOptions options)
    : Device(new detail::DeviceHandle{std::make_shared<detail::DeviceState>(std::move(options))}) {}

Device::Device(detail::DeviceHandle* handle) : state_(handle->state.get()), handle_(handle) {}

Device::~Device() {
  if (!runtime::process_ends_in_kernel()) delete handle_;
}

Mode Device::mode() const {
  return state_->mode;
}

const DeviceOptions& Device::options() const {
  return state_->options;
}

std::vector<DataRace> Device::races() const {
  return race_report().races;
}

RaceReport Device::race_report() const {
  return state_->race_report();
}

void Device::require_no_races() const {
  const std::vector<DataRace> found = races();
  if (!found.empty()) throw KernelError(to_finding(found.front()));
}

detail::Owner Device::allocate(std::uint64_t count, std::uint64_t element_bytes, detail::ComponentType component,
                               std::string name) {
  auto made = state_->allocate(count, element_bytes, std::move(name));
  made->component = component;
  return detail::first_owner(state_->shared_from_this(), std::move(made));
}

[[gnu::hot]] void Device::begin_submission() {
  runtime::refuse_inside_kernel();
  if (state_->mode != Mode::Emulated) return;
  static constinit thread_local char this_thread = 0;
  if (state_->submitter.load(std::memory_order_relaxed) == &this_thread) [[unlikely]]
    throw std::logic_error(
        "heddle: a submission began inside of another one of the same device; inside of submit(), what the function is "
        "given dispatches (Commands::dispatch)");
  state_->submitting.lock();
  state_->submitter.store(&this_thread, std::memory_order_relaxed);
}

[[gnu::hot]] void Device::end_submission() {
  if (state_->mode != Mode::Emulated) return;
  memory_barrier();
  state_->watchers.flush_trace(false);
  // No agent is remembered.
  if (!state_->watchers.any()) state_->next_agent = state_->next_workgroup = 0;
  state_->submission_ends();
  state_->submitter.store(nullptr, std::memory_order_relaxed);
  state_->submitting.unlock();
}

void Device::execution_barrier() {
  if (state_->mode == Mode::Emulated) state_->depend(memory::Dependency::Execution);
}

void Device::memory_barrier() {
  if (state_->mode == Mode::Emulated) state_->depend(memory::Dependency::Memory);
}

[[gnu::hot]] DispatchResult Device::launch(const detail::TypedLaunch& typed, const uvec3& groups, const uvec3& local) {
  detail::DeviceState& state = *state_;
  try {
    // What an emulated dispatch leaves there is as good for the next; native ones may be several at once.
    if (state.mode == Mode::Emulated) return detail::dispatch(state, state.launch, typed, groups, local);
    return detail::dispatch_with_copy(state, typed, groups, local);
  } catch (const std::bad_alloc&) {
    detail::refuse_memory(state, groups, local);
  }
}

std::string to_string(const MemoryReport& report) {
  std::string text;
  const auto line = [&](std::uint64_t count, std::string_view what) {
    text += fmt::format("{:>12}  {}\n", count, what);
  };
  line(report.reads, "reads");
  line(report.stale, "  of them served by a stale copy");
  line(report.writes, "writes");
  line(report.delayed, "  of them waited in the cache of their invocation");
  line(report.lost, "    of them overwritten there, before anybody met them");
  line(report.evicted, "    of them went on by themselves");
  line(report.overtaken, "  of them came after a younger write of their invocation");
  line(report.updates, "read-modify-writes");
  line(report.recorded, "writes and read-modify-writes of bytes that were remembered");
  line(report.records, "  granules of eight bytes that began to be");
  line(report.availability_operations, "availability operations");
  line(report.made_available, "  writes that they moved");
  line(report.visibility_operations, "visibility operations");
  line(report.given_up, "  copies that they gave up");
  return text;
}

std::size_t stack_high_water_bytes() {
  return runtime::stack_high_water_bytes();
}

}  // namespace heddle
