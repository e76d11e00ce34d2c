#pragma once

/// \file
/// The kernel of a command from its beginning to its end, with the interruptions in between.

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "emulator/queues/domains.h"
#include "emulator/queues/ear.h"

namespace heddle::detail {
class DeviceState;
class SetAside;
}  // namespace heddle::detail

namespace heddle::queues {

class KernelThread;

class RunningKernel {
 public:
  /// What a kernel has to do with.
  struct Parts {
    detail::DeviceState& device;
    KernelEar& ear;
    Domains& domains;
  };
  /// By allocation the accesses of the command that may read it.
  using Readers = std::map<AllocationId, std::vector<Access>>;

  /// `dispatch` runs all of the kernel. It can be interrupted if it has something of the device to itself; it is not
  /// run on the caller's stack then, nor where `on_thread`.
  RunningKernel(const Parts& parts, NodeId node, Readers readers, std::function<void()> dispatch,
                std::shared_ptr<detail::SetAside> own, bool on_thread);
  ~RunningKernel();

  /// Runs the kernel for so many accesses, or, for none, to its end. Returns whether it has ended. What it finds in
  /// memory is what the command may see, and what it has written is the command's.
  bool run(std::uint64_t accesses);
  /// The kernel, which was interrupted, does not go on: it ends there, and its stacks are unwound.
  void cut_off();
  bool can_pause() const { return own_ != nullptr; }
  /// What the kernel threw; null if nothing.
  const std::exception_ptr& failure() const;
  /// How many words it has read of which it was given an older value than memory had.
  const std::map<AllocationId, std::uint64_t>& old_words() const { return old_words_; }
  /// How often `run` was called.
  std::uint32_t turns() const { return turns_; }

 private:
  bool run_kernel();
  /// What has come to the storage of what the kernel wrote is the command's; `all`: nothing is held back.
  void take(const Domains::Presented& presented, bool all);

  const Parts parts_;
  const Readers readers_;
  KernelEar::Kernel kernel_;
  std::function<void()> dispatch_;
  std::exception_ptr failure_;
  std::uint32_t turns_ = 0;
  /// How often memory was written, and how many dispatches had begun, when its last turn ended.
  std::uint64_t writes_before_ = 0;
  std::uint64_t dispatches_before_ = 0;
  std::map<AllocationId, std::uint64_t> old_words_;
  std::shared_ptr<detail::SetAside> own_;
  std::unique_ptr<KernelThread> thread_;
};

}  // namespace heddle::queues
