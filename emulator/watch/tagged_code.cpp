#include "emulator/watch/tagged_code.h"

#include <heddle/tagged_invocation.h>

#include <atomic>

namespace heddle {
namespace {

// Constant-initialized: it is there before the first of those who note something.
std::atomic<bool> g_tagged_code{false};

}  // namespace

bool detail::note_tagged_code() {
  g_tagged_code.store(true, std::memory_order_relaxed);
  return true;
}

bool watch::has_tagged_code() {
  return g_tagged_code.load(std::memory_order_relaxed);
}

}  // namespace heddle
