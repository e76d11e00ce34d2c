#pragma once

/// \file
/// Atomic operations on plain memory, of integers and floats of 1 to 8 bytes, by the built-in functions that GCC and
/// clang have in common. (They need no header; <atomic> is a tenth of the time that it takes to compile a program of
/// one kernel.) `order` is one of __ATOMIC_RELAXED, __ATOMIC_ACQUIRE, __ATOMIC_RELEASE, __ATOMIC_ACQ_REL: each
/// operation has at least that ordering.

#include <heddle/detail/language.h>

#include <type_traits>

namespace heddle::detail {

template <typename T>
[[gnu::always_inline]] inline T atomic_load(const T* from, int order) {
  T value;
  __atomic_load(from, &value, order);
  return value;
}
template <typename T>
[[gnu::always_inline]] inline void atomic_store(T* to, T value, int order) {
  __atomic_store(to, &value, order);
}
/// Stores `fresh` if `expected` is there, bitwise; else `expected` becomes what is. Returns whether it has stored.
template <typename T>
[[gnu::always_inline]] inline bool atomic_compare_exchange(T* at, T& expected, T fresh, int equal, int unequal) {
  return __atomic_compare_exchange(at, &expected, &fresh, false, equal, unequal);
}

}  // namespace heddle::detail
