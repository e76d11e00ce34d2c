#pragma once

/// \file
/// One run of a dispatch on the machine, as an exploration tells what it finds.

#include <heddle/operation.h>

#include <functional>
#include <map>

namespace heddle {

class Device;
struct KernelExecutions;

namespace emulation {
struct Agent;
}

namespace detail {

struct Allocation;

class KernelRun {
 public:
  explicit KernelRun(const Device& machine) : machine_(machine) {}

  /// By an invocation of the dispatch: what its buffers hold in the end is the outcome.
  void note_buffers(const emulation::Agent& agent);
  KernelExecutions run(const std::function<void()>& run);

 private:
  const Device& machine_;
  std::map<AllocationId, const Allocation*> buffers_;
};

}  // namespace detail
}  // namespace heddle
