#pragma once

/// \file
/// Host threads of the operating system: the native form of heddle/host_thread.h. Not for users.

#include <heddle/detail/host_emulated.h>
#include <heddle/detail/host_order.h>
#include <heddle/detail/switch.h>
#include <heddle/report.h>
#include <heddle/source_location.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace heddle::threads {

namespace detail {

constexpr std::memory_order std_order(MemoryOrder order) {
  switch (order) {
    case MemoryOrder::NotAtomic:
    case MemoryOrder::Relaxed:
      return std::memory_order_relaxed;
    case MemoryOrder::Consume:
      return std::memory_order_consume;
    case MemoryOrder::Acquire:
      return std::memory_order_acquire;
    case MemoryOrder::Release:
      return std::memory_order_release;
    case MemoryOrder::AcqRel:
      return std::memory_order_acq_rel;
    case MemoryOrder::SeqCst:
      return std::memory_order_seq_cst;
  }
  return std::memory_order_seq_cst;
}

/// A stack of native threads: it is there until it is killed, its function returns, or the run ends.
class NativeStack;
/// A thread of the operating system that runs on such stacks.
class NativeThread;
NativeStack* native_stack(std::function<void()> function);
NativeStack* native_current_stack();
/// A switch to another stack: prepared, done, and followed by what the other stack has to do.
struct NativeSwitch {
  void** save = nullptr;
  void* to = nullptr;
};
NativeSwitch native_prepare_switch(NativeStack* to, bool kills);
void native_arrive();
#if HEDDLE_INLINE_SWITCH
// Nothing is called and nothing returns between the stacks, so the processor predicts where the other one goes on.
[[gnu::always_inline]] inline void native_swap_stack(NativeStack* to, bool kills) {
  const NativeSwitch prepared = native_prepare_switch(to, kills);
  runtime::swap_context(prepared.save, prepared.to, nullptr);
  native_arrive();
}
#else
void native_swap_stack(NativeStack* to, bool kills);
#endif
NativeThread* native_thread(std::function<void()> body);
/// Joins and destroys it.
void native_join(NativeThread* thread);
/// Runs the body on the calling thread, on a stack of its own.
void run_native(const std::function<void()>& body);

int native_futex_wait(const void* memory, std::uint32_t expected, const std::chrono::nanoseconds* time);
int native_futex_wake(const void* memory, int count);
int native_futex_cmp_requeue(const void* memory, const void* target, std::uint32_t expected, int count);

/// Thrown by Native::require.
class RequirementFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A native host thread trapped.
class Trapped : public std::exception {
 public:
  explicit Trapped(Finding finding) : finding_(std::move(finding)) {}
  const Finding& finding() const noexcept { return finding_; }
  const char* what() const noexcept override { return finding_.message.c_str(); }

 private:
  Finding finding_;
};

}  // namespace detail

/// All that a body of host threads can say, at full speed: atomics are std::atomic's, stacks are switched without the
/// operating system. No access is checked.
class Native {
 public:
  static constexpr bool emulated = false;

  template <typename T>
  class Plain {
   public:
    explicit Plain(T initial = {}, const char* = nullptr) : value_(initial) {}
    T read() const { return value_; }
    void write(T value) { value_ = value; }

   private:
    T value_;
  };

  template <typename T>
  class Dependent {
   public:
    explicit Dependent(T value) : value_(value) {}
    operator T() const { return value_; }
    template <typename F>
    auto map(F&& f) const -> Dependent<std::invoke_result_t<F, T>> {
      return Dependent<std::invoke_result_t<F, T>>(std::forward<F>(f)(value_));
    }
    template <typename U, typename Class>
    U read(Plain<U> Class::*member) const {
      return (value_->*member).read();
    }

   private:
    T value_;
  };

  template <typename T>
  class Atomic {
   public:
    explicit Atomic(T initial = {}, const char* = nullptr) : value_(initial) {}

    template <MemoryOrder order>
    auto load(Order<order>) const {
      detail::check_load<order>();
      const T loaded = value_.load(detail::std_order(order));
      if constexpr (order == MemoryOrder::Consume)
        return Dependent<T>(loaded);
      else
        return loaded;
    }
    template <MemoryOrder order>
    void store(T desired, Order<order>) {
      detail::check_store<order>();
      value_.store(desired, detail::std_order(order));
    }
    template <MemoryOrder order>
    T exchange(T desired, Order<order>) {
      detail::check_read_modify_write<order>();
      return value_.exchange(desired, detail::std_order(order));
    }
    template <MemoryOrder order>
    T fetch_add(T operand, Order<order>) {
      detail::check_read_modify_write<order>();
      return value_.fetch_add(operand, detail::std_order(order));
    }
    template <MemoryOrder order>
    T fetch_sub(T operand, Order<order>) {
      detail::check_read_modify_write<order>();
      return value_.fetch_sub(operand, detail::std_order(order));
    }
    template <MemoryOrder order>
    T fetch_and(T operand, Order<order>) {
      detail::check_read_modify_write<order>();
      return value_.fetch_and(operand, detail::std_order(order));
    }
    template <MemoryOrder order>
    T fetch_or(T operand, Order<order>) {
      detail::check_read_modify_write<order>();
      return value_.fetch_or(operand, detail::std_order(order));
    }
    template <MemoryOrder success, MemoryOrder failure>
    bool compare_exchange(T& expected, T desired, Order<success>, Order<failure>) {
      detail::check_compare_exchange<success, failure>();
      return value_.compare_exchange_strong(expected, desired, detail::std_order(success), detail::std_order(failure));
    }
    template <MemoryOrder success, MemoryOrder failure>
    bool compare_exchange_weak(T& expected, T desired, Order<success>, Order<failure>) {
      detail::check_compare_exchange<success, failure>();
      return value_.compare_exchange_weak(expected, desired, detail::std_order(success), detail::std_order(failure));
    }

   private:
    friend class Native;
    std::atomic<T> value_;
  };

  template <MemoryOrder order>
  static void fence(Order<order>) {
    detail::check_fence<order>();
    std::atomic_thread_fence(detail::std_order(order));
  }

  class Thread {
   public:
    template <typename F>
    explicit Thread(F body) : thread_(detail::native_thread(std::move(body))) {}
    ~Thread() { join(); }
    Thread(Thread&& other) noexcept : thread_(std::exchange(other.thread_, nullptr)) {}
    Thread& operator=(Thread&&) = delete;
    void join() {
      if (thread_) detail::native_join(std::exchange(thread_, nullptr));
    }

   private:
    detail::NativeThread* thread_;
  };

  static Waited futex_wait(const Atomic<std::uint32_t>& memory, std::uint32_t expected) {
    return Waited{detail::native_futex_wait(&memory.value_, expected, nullptr)};
  }
  static Waited futex_wait_for(const Atomic<std::uint32_t>& memory, std::uint32_t expected,
                               std::chrono::nanoseconds time) {
    return Waited{detail::native_futex_wait(&memory.value_, expected, &time)};
  }
  static int futex_wake(const Atomic<std::uint32_t>& memory, int count) {
    return detail::native_futex_wake(&memory.value_, count);
  }
  static int futex_cmp_requeue(const Atomic<std::uint32_t>& memory, const Atomic<std::uint32_t>& target,
                               std::uint32_t expected, int count) {
    return detail::native_futex_cmp_requeue(&memory.value_, &target.value_, expected, count);
  }

  class Stack {
   public:
    template <typename F>
    requires std::is_invocable_v<F&>
    explicit Stack(F function) : stack_(detail::native_stack(std::move(function))) {}

   private:
    friend class Native;
    explicit Stack(detail::NativeStack* stack) : stack_(stack) {}
    detail::NativeStack* stack_;
  };
  static Stack current_stack() { return Stack(detail::native_current_stack()); }
  [[gnu::always_inline]] static void swap_stack(const Stack& to) { detail::native_swap_stack(to.stack_, false); }
  [[gnu::always_inline]] static void swap_stack_and_kill(const Stack& to) {
    detail::native_swap_stack(to.stack_, true);
  }

  template <typename Signature>
  class Function;
  template <typename R, typename... A>
  class Function<R(A...)> {
   public:
    using Version = R (*)(A...);
    explicit Function(Version version, const char* = nullptr) : version_(version) {}
    template <typename... B>
    R operator()(B&&... arguments) const {
      return version_.load(std::memory_order_relaxed)(std::forward<B>(arguments)...);
    }

   private:
    friend class Native;
    std::atomic<Version> version_;
  };
  template <typename F, typename V, typename... R>
  static void define(F& function, V version, R&&... rest) {
    const typename F::Version typed = version;
    function.version_.store(typed, std::memory_order_relaxed);
    if constexpr (sizeof...(R) > 0) define(rest...);
  }

  static void require(bool holds, const char* what, SourceLocation where = SourceLocation::current()) {
    if (!holds)
      throw detail::RequirementFailed(std::string(where.file) + ':' + std::to_string(where.line) + ": " + what);
  }
};

}  // namespace heddle::threads
