#pragma once

/// \file
/// How {fmt} writes the values of kernels: vectors as "(1, 2, 3)", each component by the format of the whole; halves as
/// the floats they are.

#include <heddle/float16.h>
#include <heddle/vector.h>

// Beyond fmt/core.h: a formatter that is made on another one calls what only this defines.
#include <fmt/format.h>

template <typename T, std::size_t N>
struct fmt::formatter<heddle::Vec<T, N>> : fmt::formatter<T> {
  template <typename Context>
  auto format(const heddle::Vec<T, N>& v, Context& context) const {
    auto out = context.out();
    *out++ = '(';
    for (std::size_t i = 0; i < N; ++i) {
      if (i > 0) {
        *out++ = ',';
        *out++ = ' ';
      }
      context.advance_to(out);
      out = fmt::formatter<T>::format(v[i], context);
    }
    *out++ = ')';
    return out;
  }
};

template <>
struct fmt::formatter<heddle::float16> : fmt::formatter<float> {
  template <typename Context>
  auto format(heddle::float16 v, Context& context) const {
    return fmt::formatter<float>::format(static_cast<float>(v), context);
  }
};
