#pragma once

/// \file
/// Random kernels of thousands of operations, made of what kernels do: locks, messages, barriers, private data.

#include <cstdint>

#include "emulator/trace/listener.h"

namespace heddle::race {

/// What a kernel of idioms is like.
struct IdiomFeatures {
  /// About so many operations are told: each idiom is told to its end.
  std::uint32_t operations = 2000;
  /// One idiom of so many has a mistake: a scope too narrow, a class, an order or an availability operation missing.
  std::uint32_t one_mistake_in = 20;
  /// Everything is in buffers; otherwise data are also in images and in Workgroup memory.
  bool one_class = false;
};

/// Tells `listener` a kernel of workgroups that lock, publish, hand on, poll and come to barriers, the same for the
/// same seed. Each agent goes on in a random order; atomics and plain reads read what was written last.
void tell_idioms(std::uint64_t seed, const IdiomFeatures& features, trace::Listener& listener);

}  // namespace heddle::race
