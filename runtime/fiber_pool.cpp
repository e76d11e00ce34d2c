#include "runtime/fiber_pool.h"

namespace heddle::runtime {

void FiberPool::forget(std::size_t stack_bytes) {
  parked_.clear();
  fibers_.clear();
  stack_bytes_ = stack_bytes;
}

void FiberPool::make() {
  fibers_.push_back(std::make_unique<Fiber>(stack_bytes_, fibers_.size(), entry_, argument_));
  ++made_;
  parked_.push_back(fibers_.back().get());
}

}  // namespace heddle::runtime
