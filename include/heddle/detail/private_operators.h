#pragma once

/// \file
/// The operators that change a private variable, in either mode.

#include <utility>

/// The operators of a private variable that change it.
#define HEDDLE_PRIVATE_OPERATORS \
  HEDDLE_PRIVATE_ASSIGNMENT(+)   \
  HEDDLE_PRIVATE_ASSIGNMENT(-)   \
  HEDDLE_PRIVATE_ASSIGNMENT(*)   \
  HEDDLE_PRIVATE_ASSIGNMENT(/)   \
  HEDDLE_PRIVATE_ASSIGNMENT(%)   \
  HEDDLE_PRIVATE_ASSIGNMENT(&)   \
  HEDDLE_PRIVATE_ASSIGNMENT(|)   \
  HEDDLE_PRIVATE_ASSIGNMENT(^)   \
  HEDDLE_PRIVATE_ASSIGNMENT(<<)  \
  HEDDLE_PRIVATE_ASSIGNMENT(>>)  \
  HEDDLE_PRIVATE_STEP(+)         \
  HEDDLE_PRIVATE_STEP(-)
#define HEDDLE_PRIVATE_ASSIGNMENT(op)                                     \
  template <typename U>                                                   \
  value_type operator op##=(U&& v) {                                      \
    return *this = static_cast<value_type>(load() op std::forward<U>(v)); \
  }
#define HEDDLE_PRIVATE_STEP(op)                          \
  value_type operator op##op() {                         \
    return *this = static_cast<value_type>(load() op 1); \
  }                                                      \
  value_type operator op##op(int) {                      \
    const value_type old = load();                       \
    *this = static_cast<value_type>(old op 1);           \
    return old;                                          \
  }
