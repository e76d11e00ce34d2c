#pragma once

/// \file
/// Callables of any type, kept by options. A type of our own because std::function would be a fifth of the time that it
/// takes to compile a program of one kernel.

#include <heddle/detail/language.h>

#include <concepts>
#include <type_traits>
#include <utility>

namespace heddle {

template <typename Signature>
class Function;

/// A callable that takes `Args` and returns an `R`, or none. Copies share what they call.
template <typename R, typename... Args>
class Function<R(Args...)> {
 public:
  Function() = default;
  Function(decltype(nullptr)) {}
  template <typename F>
  requires(!std::same_as<std::remove_cvref_t<F>, Function> && std::is_invocable_r_v<R, std::decay_t<F>&, Args...>)
      Function(F&& f)
      : kept_(new Kept<std::decay_t<F>>(std::forward<F>(f))) {}
  Function(const Function& o) : kept_(o.kept_) {
    if (kept_) __atomic_fetch_add(&kept_->owners, 1u, __ATOMIC_RELAXED);
  }
  Function(Function&& o) noexcept : kept_(std::exchange(o.kept_, nullptr)) {}
  Function& operator=(Function o) noexcept {
    std::swap(kept_, o.kept_);
    return *this;
  }
  ~Function() {
    if (kept_ && __atomic_sub_fetch(&kept_->owners, 1u, __ATOMIC_ACQ_REL) == 0) delete kept_;
  }

  explicit operator bool() const { return kept_ != nullptr; }
  /// There is one.
  R operator()(Args... args) const { return kept_->call(std::forward<Args>(args)...); }

 private:
  struct Callable {
    virtual ~Callable() = default;
    virtual R call(Args... args) = 0;
    unsigned owners = 1;
  };
  template <typename F>
  struct Kept final : Callable {
    template <typename From>
    explicit Kept(From&& from) : f(std::forward<From>(from)) {}
    R call(Args... args) override { return static_cast<R>(f(std::forward<Args>(args)...)); }
    F f;
  };
  Callable* kept_ = nullptr;
};

}  // namespace heddle
