#pragma once

/// \file
/// What the tests of the runtime and of the kernel API have in common: devices whose every choice is
/// fixed, and findings taken out of dispatches that must fail.

#include <heddle/heddle.h>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HEDDLE_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HEDDLE_TEST_SANITIZED 1
#endif
#endif
#ifndef HEDDLE_TEST_SANITIZED
#define HEDDLE_TEST_SANITIZED 0
#endif

namespace heddle::test {

/// Options of a device in `mode` whose seed does not depend on the environment, and that gives up
/// on a dispatch without progress soon.
inline DeviceOptions options_for(Mode mode, std::uint64_t seed = 1) {
  DeviceOptions options;
  options.mode = mode;
  options.seed = seed;
  options.no_progress_time = std::chrono::milliseconds(HEDDLE_TEST_SANITIZED ? 400 : 100);
  return options;
}

/// What a dispatch that must fail found. Fails the test if it does not.
template <typename Dispatch>
Finding finding_of(Dispatch&& dispatch) {
  try {
    dispatch();
  } catch (const KernelError& error) {
    return error.finding();
  }
  FAIL("the dispatch found nothing wrong");
  return {};
}

/// Why a native device refuses its options as `change` has changed them; "accepted" if it does not.
template <typename Change>
std::string refused(Change&& change) {
  DeviceOptions options = options_for(Mode::Native);
  change(options);
  try {
    Device device(options);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "accepted";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// "file.cpp:12", as messages name a place of the file that this is called in.
inline std::string place(std::uint32_t line, const char* file = __builtin_FILE()) {
  const std::string path = file;
  return fmt::format("{}:{}", path.substr(path.rfind('/') + 1), line);
}

}  // namespace heddle::test

namespace Catch {
template <>
struct StringMaker<heddle::FindingKind> {
  static std::string convert(heddle::FindingKind kind) { return std::string(heddle::name_of(kind)); }
};
template <>
struct StringMaker<heddle::uvec3> {
  static std::string convert(const heddle::uvec3& v) { return fmt::format("({},{},{})", v.x, v.y, v.z); }
};
template <>
struct StringMaker<heddle::uvec4> {
  static std::string convert(const heddle::uvec4& v) {
    return fmt::format("({:#x},{:#x},{:#x},{:#x})", v.x, v.y, v.z, v.w);
  }
};
}  // namespace Catch
