#include "emulator/memory/evictions.h"

#include <algorithm>

namespace heddle::memory {

// Where nothing goes on by itself, an atomic has waited long enough after half of the time: others may poll it, and
// what it publishes still waits when they see it, unless something makes that available.
std::uint32_t Evictions::longest_wait_of_atomic() const {
  const bool goes_first = policy_.eviction_interval == 0 && !policy_.in_order;
  return goes_first ? longest_wait() / 2 : longest_wait();
}

// Returns how long the oldest atomic waits that has not waited long enough.
std::uint32_t Evictions::flush_oldest_atomic() {
  for (std::size_t i = 0; i < outbox_.size(); ++i) {
    if (!outbox_[i].atomic) continue;
    const std::uint32_t age = order_.time() - outbox_[i].born;
    if (age <= longest_wait_of_atomic()) return age;
    outbox_.place(i, CacheLevel::Shader, trace::MoveReason::Flush);
    return longest_wait_of_atomic();
  }
  return 0;
}

// What comes later is younger than what is the oldest then.
void Evictions::flush_oldest() {
  const auto age_of_waiting = [&] { return outbox_.empty() ? 0 : order_.time() - outbox_[0].born; };
  const auto age_of_narrow = [&] { return order_.narrow_count() == 0 ? 0 : order_.time() - order_.narrow(0).born; };
  const std::uint32_t oldest_atomic = flush_oldest_atomic();
  if (age_of_waiting() > longest_wait()) outbox_.place(0, CacheLevel::Shader, trace::MoveReason::Flush);
  if (age_of_narrow() > longest_wait()) order_.widen(0, CacheLevel::Shader, trace::MoveReason::Flush);
  const std::uint32_t oldest = std::max(age_of_waiting(), age_of_narrow());
  next_flush_ =
      now_ + 1 + std::min(longest_wait() - std::min(oldest, longest_wait()), longest_wait_of_atomic() - oldest_atomic);
}

[[gnu::hot]] void Evictions::pass_time() {
  if (now_ >= next_flush_) flush_oldest();
  if (policy_.eviction_interval == 0) return;
  if (until_eviction_ == kNotDrawn) [[unlikely]]
    until_eviction_ = drawn_interval();
  if (until_eviction_-- != 0) return;
  until_eviction_ = drawn_interval();
  evict();
}

[[gnu::hot]] void Evictions::evict() {
  const std::uint32_t waiting = outbox_.size();
  const std::uint32_t all = waiting + order_.narrow_count();
  if (all == 0) return;
  std::size_t chosen = draws_.below(all);
  if (chosen >= waiting) {
    chosen -= waiting;
    const auto next = static_cast<CacheLevel>(static_cast<unsigned>(order_.narrow_version(chosen).level) + 1);
    order_.widen(chosen, std::max(next, outbox_.climb()), trace::MoveReason::Eviction);
    return;
  }
  if (policy_.in_order) {
    const AgentId agent = outbox_[chosen].agent;
    chosen = 0;
    while (outbox_[chosen].agent != agent) ++chosen;
  }
  outbox_.place(chosen, std::max(outbox_.climb(), outbox_[chosen].least_level()), trace::MoveReason::Eviction);
}

}  // namespace heddle::memory
