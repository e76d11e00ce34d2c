#pragma once

/// \file
/// Work on many things at a time whose results are wanted in order.

#include <cstddef>
#include <functional>

namespace heddle::cli {

/// Calls `work(i)` for every i below `count`, on `threads` threads at a time, and `done(i)` after
/// it: for one i at a time, in ascending order, as early as that allows. Stops giving out work when
/// `stop` says so; `done` is called for everything that was worked on. An exception ends it and
/// comes out.
void in_order(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work,
              const std::function<void(std::size_t)>& done, const std::function<bool()>& stop);

}  // namespace heddle::cli
