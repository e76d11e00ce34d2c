#include "emulator/queues/running_kernel.h"

#include <unordered_set>
#include <utility>

#include "emulator/host/device_state.h"
#include "emulator/host/set_aside.h"
#include "emulator/queues/kernel_thread.h"

namespace heddle::queues {
namespace {

/// A dispatch has the device as long as its turn is there.
class Turn {
 public:
  explicit Turn(detail::SetAside& own) : own_(own) { own_.take(); }
  ~Turn() { own_.give_back(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  detail::SetAside& own_;
};

}  // namespace

RunningKernel::RunningKernel(const Parts& parts, NodeId node, Readers readers, std::function<void()> dispatch,
                             std::shared_ptr<detail::SetAside> own, bool on_thread)
    : parts_(parts), readers_(std::move(readers)), dispatch_(std::move(dispatch)), own_(std::move(own)) {
  kernel_.node = node;
  if (own_ || on_thread) thread_ = std::make_unique<KernelThread>(dispatch_);
  if (!own_) return;
  own_->before_accesses([this] {
    if (parts_.ear.takes_pause()) thread_->pause();
  });
}

RunningKernel::~RunningKernel() = default;

const std::exception_ptr& RunningKernel::failure() const {
  return thread_ ? thread_->failure() : failure_;
}

bool RunningKernel::run_kernel() {
  if (own_) {
    const Turn turn(*own_);
    // Where others wrote, what was held back comes behind that, and nothing is known of how it was before.
    if (writes_before_ != parts_.domains.writes() || dispatches_before_ != parts_.device.dispatches) own_->settle();
    const bool ended = thread_->go_on();
    // Others may acquire what it released, and read what its atomics wrote.
    if (kernel_.meets_others)
      own_->settle();
    else
      own_->hand_over();
    return ended;
  }
  if (thread_) return thread_->go_on();
  try {
    dispatch_();
  } catch (...) {
    failure_ = std::current_exception();
  }
  return true;
}

void RunningKernel::cut_off() {
  const Turn turn(*own_);
  thread_->cut_off();
}

void RunningKernel::take(const Domains::Presented& presented, bool all) {
  Domains::Memory& memory = *presented.memory;
  KernelEar::Written& written = kernel_.memories[memory.owner->id].written;
  for (const std::uint64_t word : written.read) {
    parts_.domains.note_read(presented, word, kernel_.node);
    if (presented.older.count(word) != 0) ++old_words_[memory.owner->id];
  }
  std::unordered_set<std::uint64_t> taken;
  for (auto& [word, bytes] : written.words) {
    const auto come = static_cast<std::uint8_t>(all ? bytes : bytes & Domains::changed(presented, word));
    if (come == 0) continue;
    parts_.domains.take(presented, word, come, written.by.at(word));
    taken.insert(word);
    bytes = static_cast<std::uint8_t>(bytes & ~come);
  }
  for (const std::uint64_t word : written.read_of_own) parts_.domains.note_read_of_own(memory, word, kernel_.node);
  parts_.domains.restore(presented, taken);
  std::erase_if(written.words, [](const auto& one) { return one.second == 0; });
  written.read.clear();
  written.read_of_own.clear();
}

bool RunningKernel::run(std::uint64_t accesses) {
  std::vector<Domains::Presented> presented;
  for (const auto& [allocation, of] : readers_)
    presented.push_back(parts_.domains.present(*parts_.domains.find(allocation), of));
  if (turns_++ == 0) kernel_.first_agent = parts_.device.next_agent;
  for (const Domains::Presented& one : presented) kernel_.memories[one.memory->owner->id].of = one.memory;
  kernel_.meets_others = false;
  parts_.ear.begin(kernel_, accesses);
  const bool ended = run_kernel();
  parts_.ear.end();
  const bool holds_nothing = ended || kernel_.meets_others || parts_.device.memory->is_storage();
  for (const Domains::Presented& one : presented) take(one, holds_nothing);
  if (kernel_.publishes) parts_.domains.publishes(kernel_.node);
  writes_before_ = parts_.domains.writes();
  dispatches_before_ = parts_.device.dispatches;
  return ended;
}

}  // namespace heddle::queues
