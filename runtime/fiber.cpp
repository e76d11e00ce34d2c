#include "runtime/fiber.h"

#include <pthread.h>

// Weak: present only where the program was linked with the sanitizer's runtime.
extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** fake_stack_save, const void* bottom, std::size_t size);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* fake_stack_save, const void** bottom_old,
                                                   std::size_t* size_old);
[[gnu::weak]] void __asan_unpoison_memory_region(void const volatile* bottom, std::size_t size);
[[gnu::weak]] void* __tsan_get_current_fiber();
[[gnu::weak]] void* __tsan_create_fiber(unsigned flags);
[[gnu::weak]] void __tsan_destroy_fiber(void* fiber);
[[gnu::weak]] void __tsan_switch_to_fiber(void* fiber, unsigned flags);
}

namespace heddle::runtime {

namespace {

// Stacks are whole pages, so their hot ends would fall into the same few L1 sets. The sets repeat
// every 4 KiB (64 sets of 64-byte lines): 64 colours of one line spread the ends over just that, at the
// price of at most one more touched page a fiber.
constexpr std::size_t kColours = 64;
constexpr std::size_t kColourBytes = 64;

bool has_asan() {
  return __sanitizer_start_switch_fiber != nullptr;
}
bool has_tsan() {
  return __tsan_create_fiber != nullptr;
}

}  // namespace

const bool kSanitized = has_asan() || has_tsan();

void announce_leaving(Announced& from, const Announced& to) {
  if (has_asan()) {
    __sanitizer_start_switch_fiber(&from.fake_stack, to.bottom, to.bytes);
  }
  if (has_tsan()) __tsan_switch_to_fiber(to.tsan_fiber, 0);
}

void announce_arrival(Announced& here) {
  if (has_asan()) __sanitizer_finish_switch_fiber(here.fake_stack, nullptr, nullptr);
  here.fake_stack = nullptr;
}

void announce_abandoned(const Announced& stack) {
  if (__asan_unpoison_memory_region && stack.bottom) {
    __asan_unpoison_memory_region(stack.bottom, stack.bytes);
  }
}

void announce_thread(Announced& thread) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void* bottom = nullptr;
    pthread_attr_getstack(&attributes, &bottom, &thread.bytes);
    thread.bottom = bottom;
    pthread_attr_destroy(&attributes);
  }
  if (has_tsan()) thread.tsan_fiber = __tsan_get_current_fiber();
}

void announce_made(Announced& fiber) {
  if (has_tsan()) fiber.tsan_fiber = __tsan_create_fiber(0);
}

void announce_gone(Announced& fiber) {
  if (has_tsan() && fiber.tsan_fiber) __tsan_destroy_fiber(fiber.tsan_fiber);
}

Fiber::Fiber(std::size_t stack_bytes, std::size_t colour, void (*entry)(void*), void* argument)
    : stack_(StackPool::instance().take(stack_bytes)) {
  // A stack too small for colours goes without.
  const std::size_t shift = stack_bytes >= 4 * kColours * kColourBytes ? colour % kColours * kColourBytes : 0;
  first_frame_ = stack_.top - shift;
  announced.bottom = stack_.bottom;
  announced.bytes = stack_.bytes();
  // The stack may be one whose last fiber ended in the middle of its frames.
  announce_abandoned(announced);
  announce_made(announced);
  make_context(&parked, first_frame_, static_cast<std::size_t>(first_frame_ - stack_.bottom), entry, argument);
}

Fiber::~Fiber() {
  announce_gone(announced);
  StackPool::instance().give(stack_);
}

}  // namespace heddle::runtime
