#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

#ifdef __SANITIZE_THREAD__
// What oneTBB's library does is not instrumented: where its headers make a task of memory that was one before, that
// looks like a race with it. (Only where these are the innermost frame: all that workers do is called by oneTBB.)
extern "C" const char* __tsan_default_suppressions() {  // NOLINT: the name is ThreadSanitizer's
  return "race_top:oneapi/tbb/\n"
         "race_top:std::__atomic_base<int>::__atomic_base\n";
}
#endif

// What a program asks for and there is no memory for is a bad_alloc, as it is without the sanitizer.
#ifdef __SANITIZE_ADDRESS__
extern "C" const char* __asan_default_options() {  // NOLINT: its own name
  return "allocator_may_return_null=1";
}
#endif
#ifdef __SANITIZE_THREAD__
extern "C" const char* __tsan_default_options() {  // NOLINT: its own name
  return "allocator_may_return_null=1";
}
#endif
