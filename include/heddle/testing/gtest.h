#pragma once

/// \file
/// Checks of GoogleTest in trials: included by one source file of a test program at least, EXPECT_ and ASSERT_ that
/// fail in a trial of explore_seeds fail its seed. They do not fail the test: that is up to what it expects of the
/// report.

#include <heddle/testing.h>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace heddle::detail {

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

}  // namespace heddle::detail
