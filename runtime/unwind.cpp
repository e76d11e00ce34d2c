#include "runtime/unwind.h"

#include <cxxabi.h>

#include <cstdlib>
#include <exception>
#include <mutex>
#include <typeinfo>

#include "runtime/fault.h"

namespace heddle::runtime {

constinit thread_local GiveUp give_up_other_stack = nullptr;

namespace {

// Guards what follows.
constinit std::mutex g_mutex;
constinit unsigned g_living = 0;
constinit std::terminate_handler g_before = nullptr;

/// Whether an exception on its way, and no call of the program's own, led to std::terminate.
bool is_unwinding() {
  const std::type_info* const handled = abi::__cxa_current_exception_type();
  return std::uncaught_exceptions() > 0 || (handled && *handled == typeid(Unwind));
}

[[noreturn]] void on_terminate() {
  if (is_unwinding()) {
    give_up_invocation();
    if (give_up_other_stack) give_up_other_stack();
  }
  std::terminate_handler before = nullptr;
  {
    const std::lock_guard lock(g_mutex);
    before = g_before;
  }
  if (before) before();
  std::abort();
}

}  // namespace

GivesUpStacks::GivesUpStacks() {
  const std::lock_guard lock(g_mutex);
  if (g_living++ == 0) g_before = std::set_terminate(on_terminate);
}

// A handler that the program has set meanwhile stays, and may call this one.
GivesUpStacks::~GivesUpStacks() {
  const std::lock_guard lock(g_mutex);
  if (--g_living == 0 && std::get_terminate() == on_terminate) std::set_terminate(g_before);
}

}  // namespace heddle::runtime
