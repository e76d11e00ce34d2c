#pragma once

#include <heddle/detail/emulation.h>

#include "emulator/host/device_state.h"

#include <deque>
#include <unordered_map>

namespace heddle::emulation {

/// The Workgroup memory of one resident workgroup, and its variables in the order in which the
/// invocations ask for them.
struct WorkgroupMemory {
  detail::Allocation allocation;
  std::deque<Binding> variables;
  std::uint64_t used_bytes = 0;
  /// For each invocation the control barrier that it is in; of another kind if it is in none.
  std::vector<Operation> barriers;
  /// The agents of the workgroup that is resident here; none if none is.
  memory::Cohort invocations{{}, 0, {}, {}};
};

/// In place of its number: who meets at this instance of a barrier is not known yet.
inline constexpr std::uint64_t kNotMet = 0;

class Emulator final : public runtime::Observer {
 public:
  Emulator(detail::DeviceState& device, const runtime::Grid& grid,
           const std::vector<std::optional<Binding>>& bindings);
  ~Emulator() override;

  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;

  void workgroup_begins(runtime::Workgroup& group) override;
  void workgroup_ends(runtime::Workgroup& group) override;
  void invocations_meet(runtime::Workgroup& group,
                        std::span<const std::uint32_t> indices) override;

  bool interrupt();
  /// What a person calls the byte at `address`.
  std::string describe(const void* address);
  /// The buffer, image or variable that has the bytes; null if none has.
  const Binding* object_at(const Locations& bytes);

  detail::DeviceState& device;
  std::vector<Binding> bindings;
  /// Bindings of buffers that were reached by address.
  std::unordered_map<const detail::Allocation*, Binding> by_address;

 private:
  void end(WorkgroupMemory& memory);

  std::vector<std::unique_ptr<WorkgroupMemory>> all_memory_;
  std::vector<WorkgroupMemory*> free_memory_;
  /// By local invocation index.
  std::vector<std::uint32_t> subgroups_;
  std::uint64_t until_switch_ = 1;
  std::uint64_t next_barrier_instance_ = kNotMet + 1;
  std::uint32_t first_agent_ = 0;
  std::uint32_t first_workgroup_ = 0;
};

}  // namespace heddle::emulation
