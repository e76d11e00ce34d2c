#pragma once

/// \file
/// For functions that divide by zero on purpose.

/// The processor is to trap, not UndefinedBehaviorSanitizer before it.
#if defined(__clang__)
#define DIVIDES_ITSELF clang::no_sanitize("integer-divide-by-zero")
#else
#define DIVIDES_ITSELF gnu::no_sanitize_undefined
#endif

/// Defined where the processor has no such trap: AArch64 gives 0.
#if defined(__aarch64__) && !defined(HEDDLE_TEST_NO_DIVISION_TRAPS)
#define HEDDLE_TEST_NO_DIVISION_TRAPS
#endif
