#include "emulator/queues/running_kernel.h"

#include <utility>

#include "emulator/host/device_state.h"
#include "emulator/host/set_aside.h"
#include "emulator/queues/kernel_thread.h"

namespace heddle::queues {

RunningKernel::RunningKernel(const Parts& parts, NodeId node, Readers readers, std::function<void()> dispatch,
                             std::shared_ptr<detail::SetAside> own)
    : parts_(parts), readers_(std::move(readers)), dispatch_(std::move(dispatch)), own_(std::move(own)) {
  kernel_.node = node;
  if (own_) thread_ = std::make_unique<KernelThread>(dispatch_);
}

RunningKernel::~RunningKernel() = default;

const std::exception_ptr& RunningKernel::failure() const {
  return thread_ ? thread_->failure() : failure_;
}

bool RunningKernel::run_kernel() {
  if (thread_) {
    own_->take();
    const bool ended = thread_->go_on();
    own_->give_back();
    return ended;
  }
  try {
    dispatch_();
  } catch (...) {
    failure_ = std::current_exception();
  }
  return true;
}

void RunningKernel::cut_off() {
  own_->take();
  thread_->cut_off();
  own_->give_back();
}

bool RunningKernel::run(std::uint64_t accesses) {
  std::vector<Domains::Presented> presented;
  for (const auto& [allocation, of] : readers_)
    presented.push_back(parts_.domains.present(*parts_.domains.find(allocation), of));
  if (turns_++ == 0) kernel_.first_agent = parts_.device.next_agent;
  for (const Domains::Presented& one : presented) kernel_.memories[one.memory->owner->id] = {one.memory, {}};
  parts_.ear.begin(kernel_, thread_ ? accesses : 0, [this] { thread_->pause(); });
  const bool ended = run_kernel();
  parts_.ear.end();
  for (const Domains::Presented& one : presented) {
    const KernelEar::Written& written = kernel_.memories[one.memory->owner->id].written;
    for (const std::uint64_t word : written.read) parts_.domains.note_read(one, word, kernel_.node);
    for (const auto& [word, bytes] : written.words) parts_.domains.take(one, word, bytes, written.by.at(word));
    for (const std::uint64_t word : written.read_of_own)
      parts_.domains.note_read_of_own(*one.memory, word, kernel_.node);
    parts_.domains.restore(one, written.words);
  }
  return ended;
}

}  // namespace heddle::queues
