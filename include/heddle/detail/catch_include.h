#pragma once

/// \file
/// Catch2, with what its checks are made of: the version that the file has included before, else 3 where there is one,
/// else 2.

#if __has_include(<catch2/catch_all.hpp>) && !(defined(CATCH_VERSION_MAJOR) && CATCH_VERSION_MAJOR < 3)
#include <catch2/catch_all.hpp>
#include <catch2/interfaces/catch_interfaces_capture.hpp>
#include <catch2/internal/catch_context.hpp>
#else
#include <catch2/catch.hpp>
#endif

#if !defined(CATCH_VERSION_MAJOR) || CATCH_VERSION_MAJOR < 2 || CATCH_VERSION_MAJOR > 3
#error "heddle/testing/catch2.h is for Catch2 2.13 and 3: with another one check with trial.require(...)"
#endif
