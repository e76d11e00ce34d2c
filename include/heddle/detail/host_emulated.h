#pragma once

/// \file
/// Host threads on the weak machine: the emulated form of heddle/host_thread.h. Not for users.

#include <heddle/detail/host_machine.h>
#include <heddle/detail/host_order.h>

#include <chrono>
#include <cstring>
#include <type_traits>
#include <utility>

namespace heddle::threads {

/// How a wait on a futex ended.
enum class Waited : int { Woken = 0, OtherValue = -1, TimeIsUp = -3 };

/// All that a body of host threads can say, on the weak machine. Everything is made, used and destroyed by threads of
/// the machine.
class Emulated {
 public:
  static constexpr bool emulated = true;

  template <typename T>
  class Plain;

  /// A value that a CONSUME load saw, or one that depends on it: what the load is ordered behind happens before
  /// accesses through it. Converted to T it carries no dependency (kill_dependency).
  template <typename T>
  class Dependent {
   public:
    Dependent(T value, detail::DependencyNumber dependency) : value_(value), dependency_(dependency) {}
    operator T() const { return value_; }
    /// The value that `f` makes of it, which depends on it.
    template <typename F>
    auto map(F&& f) const -> Dependent<std::invoke_result_t<F, T>> {
      return {std::forward<F>(f)(value_), dependency_};
    }
    /// The member of what it points to, read through it.
    template <typename U, typename Class>
    U read(Plain<U> Class::*member, SourceLocation where = SourceLocation::current()) const {
      return (value_->*member).read_behind(dependency_, where);
    }

   private:
    T value_;
    detail::DependencyNumber dependency_;
  };

  /// Memory for atomic accesses.
  template <typename T>
  class Atomic {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8,
                  "an atomic holds at most 8 bytes, which are copied");

   public:
    explicit Atomic(T initial = {}, const char* name = nullptr, SourceLocation where = SourceLocation::current())
        : location_(detail::add_location(bits(initial), sizeof(T), name, where)) {}
    ~Atomic() { detail::remove_location(location_); }
    Atomic(const Atomic&) = delete;
    Atomic& operator=(const Atomic&) = delete;

    template <MemoryOrder order>
    auto load(Order<order>, SourceLocation where = SourceLocation::current()) const {
      detail::check_load<order>();
      const detail::LoadedBits loaded = detail::load(location_, order, 0, where);
      if constexpr (order == MemoryOrder::Consume)
        return Dependent<T>(value(loaded.bits), loaded.dependency);
      else
        return value(loaded.bits);
    }
    template <MemoryOrder order>
    void store(T desired, Order<order>, SourceLocation where = SourceLocation::current()) {
      detail::check_store<order>();
      detail::store(location_, bits(desired), order, where);
    }
    template <MemoryOrder order>
    T exchange(T desired, Order<order> o, SourceLocation where = SourceLocation::current()) {
      return modify([desired](T) { return desired; }, o, where);
    }
    template <MemoryOrder order>
    T fetch_add(T operand, Order<order> o, SourceLocation where = SourceLocation::current()) {
      return modify([operand](T old) { return static_cast<T>(old + operand); }, o, where);
    }
    template <MemoryOrder order>
    T fetch_sub(T operand, Order<order> o, SourceLocation where = SourceLocation::current()) {
      return modify([operand](T old) { return static_cast<T>(old - operand); }, o, where);
    }
    template <MemoryOrder order>
    T fetch_and(T operand, Order<order> o, SourceLocation where = SourceLocation::current()) {
      return modify([operand](T old) { return static_cast<T>(old & operand); }, o, where);
    }
    template <MemoryOrder order>
    T fetch_or(T operand, Order<order> o, SourceLocation where = SourceLocation::current()) {
      return modify([operand](T old) { return static_cast<T>(old | operand); }, o, where);
    }
    /// On failure `expected` is what was found. It may see an older value than the last one, and then fails.
    template <MemoryOrder success, MemoryOrder failure>
    bool compare_exchange(T& expected, T desired, Order<success>, Order<failure>,
                          SourceLocation where = SourceLocation::current()) {
      return compare<success, failure>(expected, desired, false, where);
    }
    /// May fail without reason.
    template <MemoryOrder success, MemoryOrder failure>
    bool compare_exchange_weak(T& expected, T desired, Order<success>, Order<failure>,
                               SourceLocation where = SourceLocation::current()) {
      return compare<success, failure>(expected, desired, true, where);
    }

   private:
    friend class Emulated;
    static std::uint64_t bits(T value) {
      std::uint64_t out = 0;
      std::memcpy(&out, &value, sizeof(T));
      return out;
    }
    static T value(std::uint64_t bits) {
      T out;
      std::memcpy(&out, &bits, sizeof(T));
      return out;
    }
    template <typename F, MemoryOrder order>
    T modify(const F& f, Order<order>, SourceLocation where) {
      detail::check_read_modify_write<order>();
      const auto combine = [](const void* context, std::uint64_t old) {
        return bits((*static_cast<const F*>(context))(value(old)));
      };
      return value(detail::modify(location_, combine, &f, order, where));
    }
    template <MemoryOrder success, MemoryOrder failure>
    bool compare(T& expected, T desired, bool weak, SourceLocation where) {
      detail::check_compare_exchange<success, failure>();
      const detail::ComparedBits out =
          detail::compare_exchange(location_, bits(expected), bits(desired), success, failure, weak, where);
      if (!out.stored) expected = value(out.old);
      return out.stored;
    }

    detail::LocationNumber location_;
  };

  /// Memory for accesses that are not atomic.
  template <typename T>
  class Plain {
   public:
    explicit Plain(T initial = {}, const char* name = nullptr, SourceLocation where = SourceLocation::current())
        : memory_(initial, name, where) {}
    T read(SourceLocation where = SourceLocation::current()) const { return memory_.load(not_atomic, where); }
    void write(T value, SourceLocation where = SourceLocation::current()) { memory_.store(value, not_atomic, where); }

   private:
    template <typename>
    friend class Dependent;
    friend class Emulated;
    T read_behind(detail::DependencyNumber dependency, SourceLocation where) const {
      return Atomic<T>::value(detail::load(memory_.location_, MemoryOrder::NotAtomic, dependency, where).bits);
    }
    Atomic<T> memory_;
  };

  template <MemoryOrder order>
  static void fence(Order<order>, SourceLocation where = SourceLocation::current()) {
    detail::check_fence<order>();
    detail::fence(order, where);
  }

  /// A thread, which begins at once, on a stack of its own. Its creation synchronizes with its beginning, its end with
  /// what follows `join`. The destructor joins.
  class Thread {
   public:
    template <typename F>
    explicit Thread(F body, SourceLocation where = SourceLocation::current())
        : thread_(detail::new_thread(std::move(body), where)) {}
    ~Thread() {
      if (!joined_) detail::join(thread_, true, {});
    }
    Thread(Thread&& other) noexcept : thread_(other.thread_), joined_(std::exchange(other.joined_, true)) {}
    Thread& operator=(Thread&&) = delete;
    void join(SourceLocation where = SourceLocation::current()) {
      if (!std::exchange(joined_, true)) detail::join(thread_, false, where);
    }

   private:
    detail::ThreadNumber thread_;
    bool joined_ = false;
  };

  /// Waits on an atomic while it holds `expected`. No wake is lost, none is spurious.
  static Waited futex_wait(const Atomic<std::uint32_t>& memory, std::uint32_t expected,
                           SourceLocation where = SourceLocation::current()) {
    return Waited{detail::futex_wait(memory.location_, expected, false, where)};
  }
  /// On the machine the time may be up at any moment.
  static Waited futex_wait_for(const Atomic<std::uint32_t>& memory, std::uint32_t expected, std::chrono::nanoseconds,
                               SourceLocation where = SourceLocation::current()) {
    return Waited{detail::futex_wait(memory.location_, expected, true, where)};
  }
  /// A futex on memory that is not atomic: a finding if that has been accessed so.
  static Waited futex_wait(const Plain<std::uint32_t>& memory, std::uint32_t expected,
                           SourceLocation where = SourceLocation::current()) {
    return Waited{detail::futex_wait(memory.memory_.location_, expected, false, where)};
  }
  /// Wakes at most so many; returns how many.
  static int futex_wake(const Atomic<std::uint32_t>& memory, int count,
                        SourceLocation where = SourceLocation::current()) {
    return detail::futex_wake(memory.location_, count, where);
  }
  /// If `memory` holds `expected`: wakes at most so many, and lets the others wait on `target`. Returns how many it
  /// woke, or -1.
  static int futex_cmp_requeue(const Atomic<std::uint32_t>& memory, const Atomic<std::uint32_t>& target,
                               std::uint32_t expected, int count, SourceLocation where = SourceLocation::current()) {
    return detail::futex_cmp_requeue(memory.location_, target.location_, expected, count, where);
  }

  /// A stack; a copy names the same one.
  class Stack {
   public:
    /// A new one, which calls `function` when a thread is first bound to it. When that returns the thread ends.
    template <typename F>
    requires std::is_invocable_v<F&>
    explicit Stack(F function, SourceLocation where = SourceLocation::current())
        : number_(detail::new_stack(std::move(function), where)) {}

   private:
    friend class Emulated;
    explicit Stack(detail::StackNumber number) : number_(number) {}
    detail::StackNumber number_;
  };
  /// The stack that the calling thread is bound to.
  static Stack current_stack() { return Stack(detail::current_stack()); }
  /// Unbinds the calling thread from its stack and binds it to `to`. Returns when a thread is bound to this stack
  /// again, which may be another one.
  static void swap_stack(const Stack& to, SourceLocation where = SourceLocation::current()) {
    detail::swap_stack(to.number_, false, where);
  }
  /// Swaps, and the stack that is left is gone.
  static void swap_stack_and_kill(const Stack& to, SourceLocation where = SourceLocation::current()) {
    detail::swap_stack(to.number_, true, where);
  }

  template <typename Signature>
  class Function;
  /// A function that can be defined anew while others call it: a location that holds versions.
  template <typename R, typename... A>
  class Function<R(A...)> {
   public:
    using Version = R (*)(A...);
    explicit Function(Version version, const char* name = nullptr, SourceLocation where = SourceLocation::current())
        : memory_(version, name, where) {}
    /// Calls the version that a RELAXED load sees.
    template <typename... B>
    R operator()(B&&... arguments) const {
      return memory_.load(relaxed)(std::forward<B>(arguments)...);
    }

   private:
    friend class Emulated;
    Atomic<Version> memory_;
  };
  /// Loads one bundle: new versions of all these functions (`f, f2, g, g2`), RELAXED stores in one order of bundles.
  template <typename... R>
  static void define(R&&... functions_and_versions) {
    detail::Definition definitions[sizeof...(R) / 2];
    collect(definitions, functions_and_versions...);
    detail::define(definitions, sizeof...(R) / 2, SourceLocation::current());
  }

  /// A condition of the body. Where it does not hold the run ends with a finding.
  static void require(bool holds, const char* what, SourceLocation where = SourceLocation::current()) {
    detail::require(holds, what, where);
  }

 private:
  static void collect(detail::Definition*) {}
  template <typename F, typename V, typename... R>
  static void collect(detail::Definition* out, F& function, V version, R&... rest) {
    const typename F::Version typed = version;
    *out = {function.memory_.location_, Atomic<typename F::Version>::bits(typed)};
    collect(out + 1, rest...);
  }
};

}  // namespace heddle::threads
