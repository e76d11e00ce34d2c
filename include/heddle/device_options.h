#pragma once

/// \file
/// Settings of a device: how its kernels run, what its memory does, what is looked for.

#include <heddle/choice.h>
#include <heddle/detail/edit_record.h>
#include <heddle/device_limits.h>
#include <heddle/function.h>
#include <heddle/memory_policy.h>
#include <heddle/report.h>

#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// How kernels run. The kernel's source is the same.
enum class Mode : std::uint8_t {
  /// On all cores, at full speed; memory is the machine's. Nothing is checked.
  Native,
  /// On one thread, in an order that a seed decides (but see DeviceOptions::races_parallel); every access
  /// is checked.
  Emulated,
};

/// Which lane of which subgroup an invocation is.
enum class LaneMapping : std::uint8_t {
  /// Lane = local invocation index modulo subgroup size.
  Linear,
  /// A permutation of the workgroup drawn from the seed, the same for every workgroup of a
  /// dispatch: shakes out kernels that take the linear mapping for granted.
  Shuffled,
};

/// In which order the workgroups of a dispatch begin. (Once they have, the seed decides who goes on, whichever it is.)
enum class WorkgroupOrder : std::uint8_t {
  /// By their numbers, x first.
  Ascending,
  /// In an order drawn from the seed, another one for each dispatch: shakes out kernels that take it for granted that
  /// workgroups with lower numbers have begun, which no specification promises. (Of more than 65,536 workgroups
  /// the first ones; the others follow by their numbers.)
  Shuffled,
};

/// Which invocations of a subgroup are together again at a subgroup operation, after they went different ways.
enum class Reconvergence : std::uint8_t {
  /// All that wait at one place in the source: the rule of runtime/RECONVERGENCE.md.
  Maximal,
  /// Those that came one way; and all only where no invocation of the subgroup is known to go elsewhere. This is what
  /// VK_KHR_shader_subgroup_uniform_control_flow promises.
  Subgroup,
  /// As Subgroup, of the whole workgroup: the least that SPIR-V promises.
  Minimum,
  /// As Minimum, but the seed decides each time whether those of different ways are together.
  BySeed,
};

/// What undefined values are, in emulated mode: bytes that were never written, and results of subgroup operations whose
/// source lane is not active.
enum class UndefinedValues : std::uint8_t {
  /// Drawn from the seed, so that no test passes by luck (buffers of more than 64 MiB begin with zeros). What an
  /// undefined result decides is a finding.
  BySeed,
  /// Zero, and nobody looks at what they decide.
  Zero,
};

/// Makes the oracles of dispatches: from any callable that takes a seed and returns a std::unique_ptr to a Choice.
class ChoiceMaker {
 public:
  ChoiceMaker() = default;
  ChoiceMaker(decltype(nullptr)) {}
  template <typename F>
  requires requires(F& make) { static_cast<Choice*>(make(std::uint64_t{}).release()); }
  ChoiceMaker(F make) : make_([make](std::uint64_t seed) mutable -> Choice* { return make(seed).release(); }) {}

  explicit operator bool() const { return static_cast<bool>(make_); }
  /// The oracle of a dispatch, which becomes the caller's.
  Choice* operator()(std::uint64_t seed) const { return make_(seed); }

 private:
  Function<Choice*(std::uint64_t)> make_;
};

/// A time: from any std::chrono::duration, rounded towards zero, and to the longest that there is.
class Milliseconds {
 public:
  constexpr explicit Milliseconds(std::int64_t count) : count_(count) {}
  template <typename Duration>
  requires requires(const Duration& d) { static_cast<std::int64_t>(d.count() * Duration::period::num); }
  constexpr Milliseconds(const Duration& d)
      : count_(rounded(static_cast<long double>(d.count()) * 1000 * Duration::period::num / Duration::period::den)) {}
  constexpr std::int64_t count() const { return count_; }

 private:
  static constexpr std::int64_t rounded(long double count) {
    constexpr std::int64_t kLongest = std::numeric_limits<std::int64_t>::max();
    constexpr auto kLimit = static_cast<long double>(kLongest);
    return count >= kLimit ? kLongest : count <= -kLimit ? -kLongest : static_cast<std::int64_t>(count);
  }

  std::int64_t count_;
};

/// How many queues a family has (VkQueueFamilyProperties).
struct QueueFamily {
  std::uint32_t queue_count = 1;
};

/// Settings of a device. Zero means: the default that the comment names. A device refuses what is out of its limits, or
/// makes no sense, by name.
struct DeviceOptions {
  /// The environment variable HEDDLE_MODE (native, emulated), if set, wins over the default.
  std::optional<Mode> mode;
  /// The seed of everything that is left to chance. HEDDLE_SEED, or 1.
  std::optional<std::uint64_t> seed;
  /// 1 to 128. HEDDLE_SUBGROUP_SIZE, or 32.
  std::optional<std::uint32_t> subgroup_size;
  /// HEDDLE_LANE_MAPPING (linear, shuffled), or Linear.
  std::optional<LaneMapping> lane_mapping;
  /// Emulated mode without `races_parallel`; elsewhere it is Ascending. HEDDLE_WORKGROUP_ORDER (ascending, shuffled),
  /// or Ascending.
  std::optional<WorkgroupOrder> workgroup_order;
  /// Emulated mode without `races_parallel`; elsewhere it is Maximal. With another value invocations are interrupted
  /// after each operation, by which it is known which way each went. HEDDLE_RECONVERGENCE (maximal, subgroup, minimum,
  /// seed), or Maximal.
  std::optional<Reconvergence> reconvergence;
  /// What is refused because devices like this one cannot do it. The profile that HEDDLE_LIMITS names, or "heddle":
  /// what heddle itself can do.
  std::optional<DeviceLimits> limits;
  /// The queue families that the device has, for logical devices that are made of it (heddle/queue.h). Empty: those
  /// that they ask for. A family has 1 to 65,536 queues.
  std::vector<QueueFamily> queue_families;
  /// Threads in native mode, and with `races_parallel`: as many as the machine has. At most 65,536.
  std::uint32_t workers = 0;
  /// How many workgroups may have begun and not ended. HEDDLE_RESIDENT_WORKGROUPS, or 64 in native mode and with
  /// `races_parallel`, 2 in emulated mode. At most 65,536.
  std::uint32_t resident_workgroups = 0;
  /// The stack of each fiber, rounded up to pages: 64 KiB (256 KiB under a sanitizer). At most 1 GiB.
  std::size_t stack_bytes = 0;
  /// For all Workgroup variables of a workgroup together. At most 1 GiB; where `limits` have less, it is that.
  std::size_t workgroup_memory_bytes = std::size_t{64} * 1024;
  /// All Workgroup variables start at zero, as WGSL has it and VK_KHR_zero_initialize_workgroup_memory lets a shader
  /// ask for, as if the kernels said `kZeroed`. Otherwise those that do not hold nothing that may be read.
  bool workgroup_memory_zeroed = false;
  /// Emulated mode. HEDDLE_UNDEFINED (seed, zero), or BySeed.
  std::optional<UndefinedValues> undefined;
  /// The model of forward progress (`obe`, or one for each scope: `qf=obe,sg=unfair`; emulator/progress/PROGRESS.md)
  /// within which a scheduler is adversarial: whom the model does not guarantee may be put off for ever, drawn from the
  /// seed, and what then goes round without end is told. Implies emulated mode, and not `races_parallel`; with another
  /// model than `fair`, invocations are interrupted after each operation, and `workgroup_order` is the model's.
  /// HEDDLE_PROGRESS, or empty: workgroups that have begun, and their invocations, all go on.
  std::string forward_progress;
  /// Emulated mode: what the memory holds back. The policy that HEDDLE_MEMORY names, or "sequential".
  std::optional<MemoryPolicy> memory;
  /// Look for data races: implies emulated mode. HEDDLE_RACES, or false. With HEDDLE_RACES set to text,
  /// colour, json, sarif, junit or github the program writes what all its devices found in that format
  /// when it ends, to the file that HEDDLE_RACES_FILE names, at its end, or to standard error.
  std::optional<bool> races;
  /// Entries of the races that do not count (see emulator/report/README.md): a file. HEDDLE_RACES_SUPPRESS,
  /// or none.
  std::string race_suppressions;
  /// Whether two plain writes of the same value to the same bytes are a race, as the specification
  /// has it, or are told apart as notices. HEDDLE_RACES_SAME_VALUE (race, notice), or Race.
  std::optional<SameValueWrites> same_value_writes;
  /// Looks for orderings that are stronger than the runs needed. HEDDLE_RACES_ADVISE (0, 1), or false.
  std::optional<bool> race_advice;
  /// Where races are looked for: runs workgroups on all cores, for large inputs. Memory is sequential, the
  /// interleaving the machine's: no seed replays it. Finds what `races` alone finds in the order that comes
  /// about, with both accesses and their values, but without changes that were tried. Not together
  /// with another memory policy, a trace, `race_advice` or `choices`. By default HEDDLE_RACES_PARALLEL=1
  /// asks for it, for devices whose options have none of these; HEDDLE_RACES_PARALLEL=0 forbids it,
  /// whatever the options say.
  std::optional<bool> races_parallel;
  /// Writes every memory operation and every movement between caches to this file: implies emulated mode.
  /// `heddle trace` reads it. Empty: no trace. By default HEDDLE_TRACE names it, with ".2", ".3" ... behind
  /// it for the second and further devices of the process.
  std::optional<std::string> trace;
  /// Edits of the kernels that run, which need not be compiled again: implies emulated mode, and not `races_parallel`.
  /// The edits in the file that HEDDLE_EDITS names, if there are none here. Those that met no instruction are told when
  /// the last device with these edits is gone.
  std::vector<Edit> edits;
  /// Emulated mode: makes the oracle of a dispatch, given its seed. Null: a SeededChoice.
  ChoiceMaker choices;
  /// Emulated mode: mean number of memory operations after which another invocation gets to run. After 256 times in
  /// one dispatch it becomes twice that, after 512 four times, after 768 eight times, and from 1024 on 16 times.
  std::uint32_t operations_between_switches = 16;
  /// A dispatch in which all residents only polled by atomics for so long (native, and with races_parallel) makes no
  /// progress if all come back to states (the registers and the stack of the kernel's functions) in which they were,
  /// and all memory of the device stays as it is. If not, it has 32 times as long: a loop that computes, and looks each
  /// time whether it is to stop, is in another state each time. Polling by plain reads is not noticed there.
  Milliseconds no_progress_time{2000};
  /// How long emulated mode waits for progress, counted in rounds of polling by all residents, if all come back to
  /// states in which they were, each 8 times at least, and to the same memory. Where they poll with plain reads or
  /// through barriers, or several words in turn, which may be anything else, 64 accesses to the same count as a round;
  /// where they do not come back, 16384 of all residents together and 1024 of each. Where they write for ever what they
  /// have written before (at most 8 values of a word, and 4 words of each resident), as many accesses more must bring
  /// neither a new state nor a new value.
  std::uint64_t no_progress_rounds = 4096;
  /// Where `inv.print` goes; null: standard output.
  std::FILE* print_to = nullptr;
  /// Whether DispatchResult::seconds is measured. By default in native mode and with `races_parallel`: two looks
  /// at a clock take as long as a fifth of a small emulated dispatch.
  std::optional<bool> timed;
  /// Called as workgroups end, from any worker, with how many have and how many there are.
  Function<void(std::uint64_t done, std::uint64_t all)> progress;
};

}  // namespace heddle
