#pragma once

/// \file
/// The devices of a run of host threads, the kernels that were submitted to them, and who accesses their memory.

#include <heddle/detail/allocation.h>
#include <heddle/device_options.h>
#include <heddle/report.h>
#include <heddle/vector.h>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/mu/host/mapped_races.h"

namespace heddle {
class Device;
struct Extent;
}  // namespace heddle

namespace heddle::mu::host {

class KernelEar;

class Kernels {
 public:
  Kernels();
  ~Kernels();
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  /// A device all of whose accesses are heard; it lives as long as this does, and longer if others keep it.
  std::shared_ptr<Device> make_device(DeviceOptions options);
  /// Whether it is one of these devices.
  bool know(const Device& device) const;
  std::uint32_t add_memory(const Device& device, const detail::Owner& memory, std::uint64_t element_bytes);
  /// The number of a kernel that is to run; `thread` is the thread that stands for it.
  std::uint32_t submit(const Device& device, heddle::Extent groups, heddle::Extent local, ThreadIndex thread,
                       std::function<void()> dispatch, SourceLocation where);
  ThreadIndex thread_of(std::uint32_t dispatch) const { return dispatches_[dispatch].thread; }
  /// Runs it as operation `number` of its thread, behind what `clock` has. Returns what made it fail.
  std::optional<Finding> run(std::uint32_t dispatch, machine::ClockValue number,
                             std::span<const machine::ClockValue> clock);
  /// Whether a kernel runs.
  bool runs() const { return running_.has_value(); }

  /// What is wrong with an access by a host thread whatever else happens, but for its place.
  std::optional<Finding> check(std::uint32_t memory, std::uint64_t offset_bytes, std::uint32_t size_bytes,
                               bool writes) const;
  void access_by_host(std::uint32_t memory, std::uint64_t offset_bytes, std::uint32_t size_bytes, MappedAccess access,
                      SourceLocation where, const machine::ClockValue* clock);

  const std::vector<MappedRace>& races() const { return races_.found(); }
  const std::vector<MappedRace>& not_judged() const { return races_.not_judged(); }
  /// Where an access is in the source.
  SourceLocation place_of(const MappedAccess& access) const;
  /// "a write by thread 1", "an atomic read by invocation 3 of dispatch 0"
  std::string text_of(const MappedAccess& access) const;
  Coordinates coordinates_of(const MappedAccess& access) const;
  const std::string& name_of(std::uint32_t memory) const { return memories_[memory].allocation->name; }
  std::uint64_t element_bytes_of(std::uint32_t memory) const { return memories_[memory].element_bytes; }

 private:
  friend class KernelEar;
  struct Dispatch {
    ThreadIndex thread = 0;
    std::function<void()> run;
    const Device* device = nullptr;
    uvec3 groups;
    uvec3 local;
    SourceLocation where;
    std::uint32_t first_agent = 0;
    machine::ClockValue number = 0;
  };
  struct Memory {
    detail::Owner kept;
    const detail::Allocation* allocation = nullptr;
    std::uint64_t element_bytes = 0;
  };
  struct Listened;
  Listened& listened(const Device& device) const;
  void heard(const KernelEar& ear, const Operation& operation);
  void heard_barrier(const Operation& operation);
  std::uint32_t place(const SourceLocation& where);

  std::vector<std::shared_ptr<Listened>> devices_;
  std::deque<Dispatch> dispatches_;
  std::vector<Memory> memories_;
  std::vector<SourceLocation> places_;
  MappedRaces races_;
  /// The kernel that runs, and what happens before it.
  std::optional<std::uint32_t> running_;
  std::vector<machine::ClockValue> clock_;
};

}  // namespace heddle::mu::host
