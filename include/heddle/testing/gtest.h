#pragma once

/// \file
/// Checks of GoogleTest in trials: included by one source file of a test program at least, EXPECT_ and ASSERT_ that
/// fail in a trial of explore_seeds fail its seed. They do not fail the test: that is up to what it expects of the
/// report, or of the answer to a question: EXPECT_TRUE(holds(race_free(program))) prints what explain() says.

#include <heddle/testing.h>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// The answer as GoogleTest prints it.
inline testing::AssertionResult holds(const Answer& answer) {
  return (answer ? testing::AssertionSuccess() : testing::AssertionFailure()) << answer.explain();
}

}  // namespace heddle

namespace heddle::detail {

/// Which part of its seeds the running test tries: KERNEL_TEST says it.
inline SeedShard& part_of_test() {
  static SeedShard part;
  return part;
}

class GoogleTestFramework final : public TestFramework {
 public:
  bool has_threads() const override {
#if GTEST_IS_THREADSAFE
    return true;
#else
    return false;
#endif
  }

  std::string test() const override {
    const testing::TestInfo* const info = testing::UnitTest::GetInstance()->current_test_info();
    return info ? std::string(info->test_suite_name()) + '.' + info->name() : "";
  }

  // The last filter of a command line wins.
  std::vector<std::string> command(std::vector<std::string> words) const override {
    if (const std::string name = test(); !name.empty()) words.push_back("--gtest_filter=" + name);
    return words;
  }

  SeedShard part() const override {
    return part_of_test();
  }

  void trial_begins() override {
    t_checks = std::make_unique<Checks>();
  }

  std::string trial_ends() override {
    const std::unique_ptr<Checks> checks = std::move(t_checks);
    std::string text;
    for (int i = 0; i < checks->results.size(); ++i) {
      const testing::TestPartResult& result = checks->results.GetTestPartResult(i);
      if (!result.failed()) continue;
      if (!text.empty()) text += '\n';
      text += std::string(result.file_name() ? result.file_name() : "a check") + ':' +
              std::to_string(result.line_number()) + ": " + result.message();
    }
    return text;
  }

 private:
  /// Hears of the checks of this thread in place of the test that runs.
  struct Checks {
    testing::TestPartResultArray results;
    testing::ScopedFakeTestPartResultReporter reporter{
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results};
  };
  inline static thread_local std::unique_ptr<Checks> t_checks;
};

inline GoogleTestFramework google_test_framework;
inline const bool kUsesGoogleTest = use_test_framework(&google_test_framework);

/// A test that tries a part of the seeds of its searches.
template <typename Body>
class PartOfTest : public testing::Test {
 public:
  explicit PartOfTest(SeedShard part) : part_(part) {}
  void TestBody() override {
    part_of_test() = part_;
    struct Over {
      ~Over() { part_of_test() = {}; }
    } const over;
    Body::run();
  }

 private:
  SeedShard part_;
};

/// Registers a test for each part.
template <typename Body>
bool register_parts(const char* suite, const char* name, std::uint32_t count, const char* file, int line) {
  for (std::uint32_t index = 1; index <= count; ++index) {
    const std::string full = std::string(name) + "_part_" + std::to_string(index) + "_of_" + std::to_string(count);
    testing::RegisterTest(suite, full.c_str(), nullptr, nullptr, file, line, [index, count]() -> testing::Test* {
      return new PartOfTest<Body>({index, count});
    });
  }
  return true;
}

}  // namespace heddle::detail

/// `KERNEL_TEST(Suite, Name, 4) { ... }`: four tests with one body, each of which tries a part of the seeds of its
/// searches. So what shares out tests (GTEST_TOTAL_SHARDS, ctest -j) shares out seeds.
#define KERNEL_TEST(suite, name, parts)                                                                        \
  namespace {                                                                                                  \
  struct suite##_##name##_KernelTest {                                                                         \
    static void run();                                                                                         \
  };                                                                                                           \
  const bool suite##_##name##_registered =                                                                     \
      ::heddle::detail::register_parts<suite##_##name##_KernelTest>(#suite, #name, parts, __FILE__, __LINE__); \
  }                                                                                                            \
  void suite##_##name##_KernelTest::run()
