#pragma once

/// \file
/// What the kernels that must not compile have in common.

#include <heddle/heddle.h>

using namespace heddle;

/// Instantiates `kernel` in both modes for a buffer of integers.
template <typename Kernel>
void compile(const Kernel& kernel) {
  Device device;
  auto x = device.buffer({1u});
  device.dispatch(kernel, {1}, {1}, x);
}

#ifdef HEDDLE_WRONG
#define RIGHT_OR_WRONG(right, wrong) wrong
#else
#define RIGHT_OR_WRONG(right, wrong) right
#endif
