#pragma once

/// \file
/// The host threads of an emulated run, as devices with queues see them.

#include "runtime/host_threads.h"

namespace heddle::mu::host {

class Machine;

/// Makes the calls of a device operations of the machine's threads.
class DeviceCalls final : public runtime::HostThreads {
 public:
  /// The machine outlives it.
  explicit DeviceCalls(Machine& machine) : machine_(machine) {}

  std::uint32_t run() const override;
  std::uint64_t seed() const override;
  const MemoryPolicy& policy() const override;
  std::string new_trace() override;
  std::optional<Call> make_call(const SourceLocation& where) override;
  void refuse(const char* what, const SourceLocation& where) override;
  bool let_others_go_on(const SourceLocation& where) override;
  void tell(const DataRace& race) override;

 private:
  Machine& machine_;
  /// How many devices have been given a trace.
  std::uint32_t traced_ = 0;
};

}  // namespace heddle::mu::host
