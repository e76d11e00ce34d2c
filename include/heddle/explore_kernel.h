#pragma once

/// \file
/// All executions of a small dispatch that the memory model allows: which results are possible, and whether any
/// execution has a data race. Programs link heddle::explore_kernel. What that proves, and what not, is in
/// emulator/executions/README.md.

#include <heddle/device.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// What an exploration may take. One that needs more is incomplete, and says so.
struct KernelBounds {
  /// Memory operations and barriers of each invocation. An invocation that makes more is cut there; one that only
  /// waits, in a loop that reads the same again and changes nothing, is recognized before.
  std::uint32_t operations = 200;
  /// Executions, of all kinds; 0 is no limit.
  std::uint64_t executions = 0;
  Milliseconds time{60000};
  /// How many invocations a subgroup has: no bound, but what the device of the exploration is like.
  std::uint32_t subgroup_size = 1;
  /// Whether of executions that differ only in which of interchangeable invocations did what some are looked at for
  /// all. What is found is the same without.
  bool symmetry = true;
  /// Called now and then with the number of executions so far.
  std::function<void(std::uint64_t)> progress;
  /// Where, on a terminal, it is shown how far an exploration is; null for nowhere. With it the first SIGINT (Ctrl-C)
  /// or SIGTERM ends the exploration, prints what was found until then, and is raised again.
  std::FILE* print_to = stderr;
};

/// An operation of an execution.
struct KernelStep {
  /// By its number in the dispatch: those of the first workgroup first.
  std::uint32_t invocation = 0;
  SourceLocation where;
  /// "atomically reads 1 from x[1], as step 3 wrote it": steps are counted from 1.
  std::string what;
};

/// The steps, a line for each.
std::string to_string(const std::vector<KernelStep>& steps);

/// Two accesses that race in some execution.
struct KernelRace {
  SourceLocation first;
  SourceLocation second;
  /// The invocations by their numbers in the dispatch: those of the first workgroup first.
  std::uint32_t first_invocation = 0;
  std::uint32_t second_invocation = 0;
  /// The execution in which they were found.
  std::vector<KernelStep> example;
};

/// What a dispatch may do.
struct KernelExecutions {
  /// The elements that some execution writes, in the order of buffers and elements: "data[0]".
  std::vector<std::string> names;
  /// What they may hold after all invocations have ended, as bits, in the order of the names.
  std::set<std::vector<std::uint64_t>> outcomes;
  /// An execution for each of the outcomes.
  std::map<std::vector<std::uint64_t>, std::vector<KernelStep>> examples;
  /// A pair of places once, whoever comes to them first.
  std::vector<KernelRace> races;
  /// Executions in which all invocations end; in which one waits or spins for ever; in which one was cut.
  std::uint64_t executions = 0;
  std::uint64_t blocked = 0;
  std::uint64_t cut = 0;
  /// Whether these are all executions: no bound was in the way.
  bool complete = true;
  /// Which bound was, as a sentence; empty if none was.
  std::string bound;
  /// How many workgroups the dispatch has, and of how many invocations.
  std::uint32_t workgroups = 0;
  std::uint32_t workgroup_size = 0;

  /// Whether it is proven that no execution has a data race.
  bool is_race_free() const { return complete && races.empty(); }
  /// Whether it is proven that each execution ends, if it goes on fairly.
  bool always_ends() const { return complete && blocked == 0; }
  /// The position of a name; names.size() if nothing writes it.
  std::size_t index_of(const std::string& name) const;
  /// Whether some outcome has these values.
  bool is_possible(const std::map<std::string, std::uint64_t>& values) const;
  /// Why no outcome has these values, as a sentence, which says where that is not proven. Empty if one has.
  std::string why_impossible(const std::map<std::string, std::uint64_t>& values) const;
  /// What is proven of which dispatch, and what is not, in sentences.
  std::string proof() const;
};

namespace detail {
class KernelSearch;
class KernelRun;
}  // namespace detail

/// A device whose kernels are explored.
class KernelExploration {
 public:
  explicit KernelExploration(const KernelBounds& bounds = {});
  /// Dispatches run on this machine, once: what they give has that one execution, and is not complete.
  explicit KernelExploration(Device& machine);
  ~KernelExploration();
  KernelExploration(const KernelExploration&) = delete;
  KernelExploration& operator=(const KernelExploration&) = delete;

  /// For the buffers of the dispatch, which must have been written by the host.
  Device& device();

  /// All executions of a dispatch. Parameters are those of Device::dispatch. The kernel runs very often, each time a
  /// single invocation from its beginning, and must do the same again where it reads the same. Subgroups have
  /// KernelBounds::subgroup_size invocations, and Workgroup variables start at zero. What the buffers hold stays as it
  /// was. Throws KernelError for a kernel that is wrong in some execution, and std::invalid_argument for one that
  /// accesses parts of elements, or waits for other invocations by anything but control barriers and subgroup
  /// operations.
  template <typename Kernel, typename... Args>
  KernelExecutions dispatch(const Kernel& kernel, Extent groups, Extent local, Args&&... args) {
    if (machine_ != nullptr) {
      const auto noted = [this, &kernel](auto& invocation, auto... parameters) {
        if constexpr (std::remove_reference_t<decltype(invocation)>::kEmulated) note_buffers(invocation);
        kernel(invocation, parameters...);
      };
      return run([&] { device().dispatch(noted, groups, local, args...); });
    }
    const auto one_invocation = [this, &kernel](auto& invocation, auto... parameters) {
      if constexpr (std::remove_reference_t<decltype(invocation)>::kEmulated) {
        if (begins(invocation)) {
          kernel(invocation, parameters...);
          ends();
        } else {
          stand_in(invocation);
        }
      }
    };
    return explore(local, [&] { device().dispatch(one_invocation, groups, local, args...); });
  }

 private:
  /// Whether it is the invocation that is to run.
  bool begins(emulated::Invocation& invocation);
  void ends();
  /// Comes to each control barrier that the running one comes to.
  void stand_in(emulated::Invocation& invocation);
  KernelExecutions explore(Extent local, const std::function<void()>& run);
  void note_buffers(emulated::Invocation& invocation);
  KernelExecutions run(const std::function<void()>& run);

  /// Null where everything is explored.
  Device* machine_ = nullptr;
  std::unique_ptr<detail::KernelSearch> search_;
  std::unique_ptr<detail::KernelRun> run_;
};

/// `program(exploration)` makes buffers, and returns what a dispatch of the exploration gives.
template <typename Program>
KernelExecutions explore_kernel(const Program& program, const KernelBounds& bounds = {}) {
  KernelExploration exploration(bounds);
  return program(exploration);
}

/// A test for explore_seeds, which runs the program of an exploration on the machine, and fails where `is_seen` says
/// true of the run. So an outcome or a race that was explored is looked for there, made smaller, and gets a file that
/// replays it. The search is to have the DeviceOptions::subgroup_size of the exploration, `workgroup_memory_zeroed`,
/// and `races` where a race is looked for.
template <typename Program, typename IsSeen>
auto machine_test(const Program& program, const IsSeen& is_seen) {
  return [program, is_seen](auto& trial) {
    KernelExploration on_machine(trial.device());
    trial.require(!is_seen(program(on_machine)), "the execution that is looked for");
  };
}

}  // namespace heddle
