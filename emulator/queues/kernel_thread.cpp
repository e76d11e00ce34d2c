#include "emulator/queues/kernel_thread.h"

#include <optional>
#include <system_error>

#include "emulator/watch/own_command.h"
#include "runtime/launch.h"

namespace heddle::queues {

KernelThread::~KernelThread() {
  if (thread_.joinable()) thread_.join();
}

void KernelThread::begin() {
  // Findings of the kernel say how to run the caller's trial again.
  thread_ = std::thread([this, command = watch::InTrial::command()] {
    std::optional<watch::InTrial> trial;
    if (command) trial.emplace(*command);
    run();
  });
}

bool KernelThread::go_on() {
  std::unique_lock lock(mutex_);
  is_its_turn_ = true;
  if (thread_.joinable()) {
    changed_.notify_all();
  } else {
    try {
      begin();
    } catch (const std::system_error& error) {
      failure_ = std::make_exception_ptr(
          std::system_error(error.code(), "no thread is left for a kernel that takes turns with others"));
      return has_ended_ = true;
    }
  }
  changed_.wait(lock, [&] { return !is_its_turn_; });
  return has_ended_;
}

void KernelThread::run() {
  try {
    kernel_();
  } catch (...) {
    failure_ = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  is_its_turn_ = false;
  changed_.notify_all();
}

void KernelThread::pause() {
  {
    std::unique_lock lock(mutex_);
    is_its_turn_ = false;
    changed_.notify_all();
    changed_.wait(lock, [&] { return is_its_turn_; });
    if (!is_cut_off_) return;
  }
  runtime::cut_off("whose logical device ended while a kernel was under way for which nobody waited");
}

void KernelThread::cut_off() {
  {
    const std::lock_guard lock(mutex_);
    is_cut_off_ = true;
  }
  go_on();
}

}  // namespace heddle::queues
