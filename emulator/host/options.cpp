#include "emulator/host/options.h"

#include "emulator/host/device_limits.h"
#include "emulator/host/edited.h"
#include "emulator/host/enum_words.h"
#include "emulator/host/limits.h"
#include "emulator/memory/policy.h"
#include "emulator/progress/models.h"
#include "emulator/watch/kernel_trace.h"
#include "emulator/watch/race_settings.h"
#include "runtime/fiber.h"
#include "runtime/scheduler.h"
#include "runtime/seed.h"
#include "runtime/text/readable.h"
#include "runtime/text/refuse_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace heddle::detail {
namespace {

Mode mode_from(const std::optional<Mode>& asked) {
  if (asked) return *asked;
  const char* text = std::getenv("HEDDLE_MODE");
  if (!text || !*text) {
    // Only emulated memory can be weak.
    const char* memory = std::getenv("HEDDLE_MEMORY");
    return memory && *memory && std::string_view(memory) != "sequential" ? Mode::Emulated : Mode::Native;
  }
  const std::string_view value(text);
  if (value == "native") return Mode::Native;
  if (value == "emulated") return Mode::Emulated;
  throw std::invalid_argument(
      fmt::format("HEDDLE_MODE is '{}'; it may be 'native' or 'emulated'", text::readable(value)));
}

std::uint64_t seed_from(const std::optional<std::uint64_t>& asked) {
  if (asked) return *asked;
  const char* text = std::getenv("HEDDLE_SEED");
  if (!text || !*text) return 1;
  if (const std::optional<std::uint64_t> seed = runtime::seed_from_text(text)) return *seed;
  throw std::invalid_argument(
      fmt::format("HEDDLE_SEED is '{}', not a number from 0 to 2^64 - 1", text::readable(text)));
}

MemoryPolicy memory_from(const std::optional<MemoryPolicy>& asked) {
  if (asked) return *asked;
  const char* text = std::getenv("HEDDLE_MEMORY");
  const std::string_view name = text && *text ? text : "sequential";
  if (const MemoryPolicy* policy = memory::find_policy(name)) return *policy;
  text::refuse_name("HEDDLE_MEMORY", name, memory_policies());
}

/// The number that a variable holds; nothing if it is not set.
std::optional<std::uint32_t> number_from(const char* variable, std::uint32_t least, std::uint32_t most) {
  const char* text = std::getenv(variable);
  if (!text || !*text) return {};
  const std::optional<std::uint64_t> number = runtime::seed_from_text(text);
  if (!number || *number < least || *number > most)
    throw std::invalid_argument(
        fmt::format("{} is '{}'; it may be a number from {} to {}", variable, text::readable(text), least, most));
  return static_cast<std::uint32_t>(*number);
}

/// What a variable chooses of some words; nothing if it is not set.
template <typename Enum, std::size_t count>
std::optional<Enum> word_from(const char* variable, const EnumWords<count>& words) {
  const char* text = std::getenv(variable);
  if (!text || !*text) return {};
  return enum_of<Enum>(variable, text, words);
}

/// How workgroups are laid out and begin, where the program does not say it.
void add_layout(DeviceOptions& o, std::uint32_t usual_residents) {
  const DeviceLimits& limits = *o.limits;
  if (!o.subgroup_size) o.subgroup_size = number_from("HEDDLE_SUBGROUP_SIZE", 1, runtime::kMaxSubgroupSize);
  if (!o.subgroup_size) o.subgroup_size = std::clamp(32u, limits.min_subgroup_size, limits.max_subgroup_size);
  if (!o.lane_mapping)
    o.lane_mapping = word_from<LaneMapping>("HEDDLE_LANE_MAPPING", kLaneMappingWords).value_or(LaneMapping::Linear);
  if (!o.workgroup_order)
    o.workgroup_order =
        word_from<WorkgroupOrder>("HEDDLE_WORKGROUP_ORDER", kWorkgroupOrderWords).value_or(WorkgroupOrder::Ascending);
  if (!o.undefined)
    o.undefined =
        word_from<UndefinedValues>("HEDDLE_UNDEFINED", kUndefinedValuesWords).value_or(UndefinedValues::BySeed);
  if (o.resident_workgroups == 0)
    o.resident_workgroups =
        number_from("HEDDLE_RESIDENT_WORKGROUPS", 1, kMostResidentWorkgroups).value_or(usual_residents);
}

/// An enumerator that a cast made of a number which is none.
template <typename Enum>
void check_enumerator(std::string_view option, Enum value, Enum last, std::string_view names) {
  if (value > last)
    throw std::invalid_argument(
        fmt::format("DeviceOptions::{} is {}; it may be {}", option, static_cast<unsigned>(value), names));
}

void check_enumerators(const DeviceOptions& o) {
  if (o.mode) check_enumerator("mode", *o.mode, Mode::Emulated, "Mode::Native or Mode::Emulated");
  if (o.lane_mapping)
    check_enumerator("lane_mapping", *o.lane_mapping, LaneMapping::Shuffled,
                     "LaneMapping::Linear or LaneMapping::Shuffled");
  if (o.workgroup_order)
    check_enumerator("workgroup_order", *o.workgroup_order, WorkgroupOrder::Shuffled,
                     "WorkgroupOrder::Ascending or WorkgroupOrder::Shuffled");
  if (o.reconvergence)
    check_enumerator("reconvergence", *o.reconvergence, Reconvergence::BySeed,
                     "Reconvergence::Maximal, Reconvergence::Subgroup, Reconvergence::Minimum or "
                     "Reconvergence::BySeed");
  if (o.undefined)
    check_enumerator("undefined", *o.undefined, UndefinedValues::Zero,
                     "UndefinedValues::BySeed or UndefinedValues::Zero");
  if (o.same_value_writes)
    check_enumerator("same_value_writes", *o.same_value_writes, SameValueWrites::Notice,
                     "SameValueWrites::Race or SameValueWrites::Notice");
}

void check_policy(const MemoryPolicy& p) {
  // A chance out of 256.
  constexpr std::uint32_t kAlways = 256;
  check_limits("DeviceOptions::memory.delay", p.delay, 0u, kAlways);
  check_limits("DeviceOptions::memory.rest", p.rest, 0u, kAlways);
  check_limits("DeviceOptions::memory.stale", p.stale, 0u, kAlways);
  check_limits("DeviceOptions::memory.late_reads", p.late_reads, 0u, kAlways);
  // The memory draws from twice as many.
  check_limits("DeviceOptions::memory.eviction_interval", p.eviction_interval, 0u, (1u << 31) - 1);
  if (p.first_scope != Scope::Subgroup && p.first_scope != Scope::Workgroup && p.first_scope != Scope::QueueFamily &&
      p.first_scope != Scope::Device)
    throw std::invalid_argument(
        fmt::format("DeviceOptions::memory.first_scope is {}; it may be Scope::Subgroup, Scope::Workgroup, "
                    "Scope::QueueFamily or Scope::Device",
                    static_cast<unsigned>(p.first_scope)));
}

void check_numbers(const DeviceOptions& o) {
  if (o.subgroup_size) check_limits("DeviceOptions::subgroup_size", *o.subgroup_size, 1u, runtime::kMaxSubgroupSize);
  check_limits("DeviceOptions::workers", o.workers, 0u, kMostWorkers);
  check_limits("DeviceOptions::resident_workgroups", o.resident_workgroups, 0u, kMostResidentWorkgroups);
  check_limits("DeviceOptions::stack_bytes", o.stack_bytes, std::size_t{0}, kMostStackBytes);
  check_limits("DeviceOptions::workgroup_memory_bytes", o.workgroup_memory_bytes, std::size_t{0},
               kMostWorkgroupMemoryBytes);
  check_limits("DeviceOptions::operations_between_switches", o.operations_between_switches, 1u, ~std::uint32_t{0});
  check_time("DeviceOptions::no_progress_time", o.no_progress_time.count());
}

/// Frames of code that a sanitizer instruments are several times as large.
bool has_large_frames() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return true;
#endif
#endif
  return runtime::kSanitized;
}

/// What a model of forward progress asks of the other options.
void add_forward_progress(DeviceOptions& o) {
  const char* text = std::getenv("HEDDLE_PROGRESS");
  const bool by_variable = o.forward_progress.empty() && text && *text;
  if (by_variable) o.forward_progress = text;
  if (o.forward_progress.empty()) return;
  try {
    const std::optional<WorkgroupOrder> order = order_under(o.forward_progress);
    if (!order) return;
    o.workgroup_order = order;
    o.operations_between_switches = 1;
  } catch (const std::invalid_argument& wrong) {
    throw std::invalid_argument(fmt::format("{} is '{}': {}",
                                            by_variable ? "HEDDLE_PROGRESS" : "DeviceOptions::forward_progress",
                                            text::readable(o.forward_progress), wrong.what()));
  }
}

/// What the sweep of the environment has for the seed, where neither the program nor a variable says it.
void add_sweep(DeviceOptions& o) {
  const std::optional<Sweep> sweep = sweep_of_environment();
  if (!sweep) return;
  sweep->without_fixed(o).at(*o.seed).complete(o);
  add_forward_progress(o);
}

/// What less reconvergence asks of the other options.
void add_reconvergence(DeviceOptions& o, bool in_order) {
  const std::optional<Reconvergence> rule =
      o.reconvergence ? o.reconvergence : word_from<Reconvergence>("HEDDLE_RECONVERGENCE", kReconvergenceWords);
  o.reconvergence = in_order ? rule.value_or(Reconvergence::Maximal) : Reconvergence::Maximal;
  if (*o.reconvergence != Reconvergence::Maximal) o.operations_between_switches = 1;
}

}  // namespace

// Where more is guaranteed of workgroups with lower numbers, these begin first.
std::optional<WorkgroupOrder> order_under(const std::string& forward_progress) {
  using progress::ProgressModel;
  if (forward_progress.empty()) return {};
  const progress::ProgressModels models = progress::parse_progress_models(forward_progress);
  if (std::all_of(models.begin(), models.end(), [](auto model) { return model == ProgressModel::Fair; })) return {};
  constexpr std::size_t kQueueFamily = 1;
  const ProgressModel of_workgroups = models[kQueueFamily];
  const bool any_order = of_workgroups == ProgressModel::Obe || of_workgroups == ProgressModel::Unfair;
  return any_order ? WorkgroupOrder::Shuffled : WorkgroupOrder::Ascending;
}

std::optional<Sweep> sweep_of_environment() {
  const char* text = std::getenv("HEDDLE_SWEEP");
  if (!text || !*text) return {};
  try {
    return Sweep(text);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("HEDDLE_SWEEP is '{}': {}", text::readable(text), error.what()));
  }
}

void check_families(std::string_view option, const std::vector<QueueFamily>& families) {
  constexpr std::uint32_t kMostQueues = 1 << 16;
  for (std::size_t i = 0; i < families.size(); ++i)
    check_limits(fmt::format("{}[{}].queue_count", option, i), families[i].queue_count, 1u, kMostQueues);
}

DeviceOptions completed(DeviceOptions o) {
  check_enumerators(o);
  check_numbers(o);
  check_families("DeviceOptions::queue_families", o.queue_families);
  if (o.memory) check_policy(*o.memory);
  const bool asks_for_parallel = o.races_parallel.value_or(false);
  if (o.edits.empty()) o.edits = edits_of_environment();
  watch::add_race_settings(o);
  o.trace = watch::trace_path(o.trace);
  add_forward_progress(o);
  const bool asks_for_emulation = *o.races || !o.trace->empty() || !o.edits.empty() || !o.forward_progress.empty();
  const Mode mode = asks_for_emulation ? Mode::Emulated : mode_from(o.mode);
  o.mode = mode;
  o.seed = seed_from(o.seed);
  if (mode == Mode::Emulated && !*o.races_parallel) add_sweep(o);
  o.memory = memory_from(o.memory);
  watch::check_parallel(o, asks_for_parallel);
  if (o.workers == 0) o.workers = std::clamp(std::thread::hardware_concurrency(), 1u, kMostWorkers);
  if (*o.races_parallel && !o.forward_progress.empty())
    throw std::invalid_argument(
        fmt::format("DeviceOptions::forward_progress is '{}', and races_parallel is true; on all cores no seed decides "
                    "who goes on: leave out one of them",
                    text::readable(o.forward_progress)));
  const bool parallel = mode == Mode::Native || *o.races_parallel;
  o.limits = limits_from(o.limits);
  o.workgroup_memory_bytes = std::min<std::size_t>(o.workgroup_memory_bytes, o.limits->max_compute_shared_memory_size);
  add_layout(o, parallel ? 64 : 2);
  add_reconvergence(o, !parallel);
  check_subgroup_size(*o.limits, *o.subgroup_size);
  if (o.stack_bytes == 0) o.stack_bytes = std::size_t{has_large_frames() ? 256u : 64u} * 1024;
  if (!o.timed) o.timed = parallel;
  if (!o.print_to) o.print_to = stdout;
  return o;
}

}  // namespace heddle::detail
