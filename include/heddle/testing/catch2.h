#pragma once

/// \file
/// Checks of Catch2 (2.13, and 3) in trials: included by one source file of a test program at least, CHECK and REQUIRE
/// that fail in a trial of explore_seeds fail its seed. They do not fail the test: that is up to what it checks of the
/// report, or of the answer to a question: CHECK(race_free(program)) prints what explain() says.
///
/// Checks of Catch2 are for one thread. Trials therefore have one, unless SeedOptions::jobs says another number: then
/// no INFO, CAPTURE or other message of Catch2 may be in a trial. A SECTION in a trial is a failure: sections go around
/// explore_seeds.

#include <heddle/detail/catch_include.h>
#include <heddle/testing.h>

#if CATCH_VERSION_MAJOR == 3
#include <heddle/detail/catch3_trials.h>
#else
#include <heddle/detail/catch2_trials.h>
#endif

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace heddle::detail {

/// Which part of its seeds the running test tries: KERNEL_TEST_CASE says it.
inline SeedShard& part_of_test() {
  static SeedShard part;
  return part;
}

class CatchFramework final : public TestFramework {
 public:
  bool has_threads() const override { return false; }
  std::string test() const override {
    Catch::IResultCapture* const capture = Catch::getCurrentContext().getResultCapture();
    return capture ? capture->getCurrentTestName() : "";
  }
  // Without what else the program was told to run, and where to report it.
  std::vector<std::string> command(std::vector<std::string> words) const override {
    const std::string name = test();
    if (name.empty() || words.empty()) return words;
    std::string escaped;
    for (const char c : name)
      escaped += std::string("\\,[]*\"").find(c) == std::string::npos ? std::string(1, c) : std::string("\\") + c;
    return {words[0], escaped};
  }
  SeedShard part() const override { return part_of_test(); }
  void search_begins() override {
    if (Catch::getCurrentContext().getResultCapture()) trials_.begin();
  }
  void search_ends() override {
    if (Catch::getCurrentContext().getResultCapture() == &trials_) trials_.end();
  }
  void trial_begins() override { CatchChecks::trial().begin(); }
  std::string trial_ends() override { return CatchChecks::trial().end(); }

 private:
  CatchTrials trials_;
};

inline CatchFramework catch_framework;
inline const bool kUsesCatch = use_test_framework(&catch_framework);

/// Registers a test case for each part of the seeds of one body.
template <typename Body, std::uint32_t count>
class CatchParts {
 public:
  CatchParts(const char* name, const char* tags, const Catch::SourceLineInfo& line) {
    [&]<std::uint32_t... index>(std::integer_sequence<std::uint32_t, index...>) {
      (add<index>(name, tags, line), ...);
    }
    (std::make_integer_sequence<std::uint32_t, count>());
  }

 private:
  template <std::uint32_t index>
  static void run() {
    part_of_test() = {index + 1, count};
    struct Over {
      ~Over() { part_of_test() = {}; }
    } const over;
    Body::run();
  }
  template <std::uint32_t index>
  static void add(const char* name, const char* tags, const Catch::SourceLineInfo& line) {
    // Catch2 3 keeps the characters of a name where they are.
    static const std::string full =
        std::string(name) + " (part " + std::to_string(index + 1) + " of " + std::to_string(count) + ")";
    Catch::AutoReg(Catch::makeTestInvoker(&CatchParts::run<index>), line, Catch::StringRef(),
                   Catch::NameAndTags{full, tags});
  }
};

}  // namespace heddle::detail

/// What Catch2 prints of an answer it breaks into lines of 80 characters, commands too. So the command goes to standard
/// error as well, where it can be copied.
template <>
struct Catch::StringMaker<heddle::Answer> {
  static std::string convert(const heddle::Answer& answer) {
    if (const std::string command = answer.command(); !command.empty() && !answer.ok())
      std::fprintf(stderr, "again: %s\n", command.c_str());
    return answer.explain();
  }
};

#define HEDDLE_JOIN_WORDS(a, b) a##b
#define HEDDLE_JOINED(a, b) HEDDLE_JOIN_WORDS(a, b)
#define HEDDLE_KERNEL_TEST_CASE(type, parts, name, tags)                                                    \
  namespace {                                                                                               \
  struct type {                                                                                             \
    static void run();                                                                                      \
  };                                                                                                        \
  const ::heddle::detail::CatchParts<type, parts> HEDDLE_JOINED(type, Registered)(name, tags,               \
                                                                                  CATCH_INTERNAL_LINEINFO); \
  }                                                                                                         \
  void type::run()
/// `KERNEL_TEST_CASE(4, "title", "[tags]") { ... }`: four test cases with one body, each of which tries a part of the
/// seeds of its searches. So what shares out test cases (--shard-count, ctest -j) shares out seeds.
#define KERNEL_TEST_CASE(parts, name, tags) \
  HEDDLE_KERNEL_TEST_CASE(HEDDLE_JOINED(HeddleKernelTest, __LINE__), parts, name, tags)
