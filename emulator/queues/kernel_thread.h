#pragma once

/// \file
/// A thread for a kernel that is interrupted: it and its caller take turns, and never run at once.

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace heddle::queues {

class KernelThread {
 public:
  explicit KernelThread(std::function<void()> kernel) : kernel_(std::move(kernel)) {}
  /// The kernel has ended, was cut off, or never began.
  ~KernelThread();
  KernelThread(const KernelThread&) = delete;
  KernelThread& operator=(const KernelThread&) = delete;

  /// The kernel begins or goes on, until it pauses or has ended. Whether it has.
  bool go_on();
  /// Called by the kernel: returns when its caller lets it go on, or ends the kernel where the caller wants that.
  void pause();
  /// The kernel, which pauses, is not to go on: it ends where it is, and its stacks are unwound.
  void cut_off();
  /// What it threw; null if nothing.
  const std::exception_ptr& failure() const { return failure_; }

 private:
  void begin();
  void run();

  const std::function<void()> kernel_;
  std::exception_ptr failure_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_:
  bool is_its_turn_ = false;
  bool is_cut_off_ = false;
  bool has_ended_ = false;
  std::thread thread_;
};

}  // namespace heddle::queues
