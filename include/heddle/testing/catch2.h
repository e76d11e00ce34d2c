#pragma once

/// \file
/// Checks of Catch2 2 in trials: included by one source file of a test program at least, CHECK and REQUIRE that fail in
/// a trial of explore_seeds fail its seed. They do not fail the test: that is up to what it checks of the report.
///
/// Checks of Catch2 are for one thread. Trials therefore have one, unless SeedOptions::jobs says another number: then
/// no INFO, CAPTURE or other message of Catch2 may be in a trial. A SECTION in a trial is a failure: sections go around
/// explore_seeds.

#include <heddle/testing.h>

#include <catch2/catch.hpp>

#include <mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#if !defined(CATCH_VERSION_MAJOR) || CATCH_VERSION_MAJOR != 2
#error "heddle/testing/catch2.h is for Catch2 2.13: with another one leave it out, and check with trial.require(...)"
#endif

namespace heddle::detail {

/// Stands in for Catch2's own capture of results while trials run.
class CatchTrials final : public Catch::IResultCapture {
 public:
  void trial_begins() { trial() = {}; }
  std::string trial_ends() { return std::exchange(trial(), {}).failed; }

  bool sectionStarted(const Catch::SectionInfo& section, Catch::Counts&) override {
    std::ostringstream out;
    out << section.lineInfo << ": SECTION( \"" << section.name << "\" ) is in a trial: put it around explore_seeds";
    fail(out.str());
    return false;
  }
  void sectionEnded(const Catch::SectionEndInfo&) override {}
  void sectionEndedEarly(const Catch::SectionEndInfo&) override {}
  // A generator gives the same value to each trial of a run: that of the test around it, which Catch2 knows.
  auto acquireGeneratorTracker(Catch::StringRef name, const Catch::SourceLineInfo& line)
      -> Catch::IGeneratorTracker& override {
    return test_->acquireGeneratorTracker(name, line);
  }
#if defined(CATCH_CONFIG_ENABLE_BENCHMARKING)
  void benchmarkPreparing(const std::string& name) override {
    test_->benchmarkPreparing(name);
  }
  void benchmarkStarting(const Catch::BenchmarkInfo& info) override {
    test_->benchmarkStarting(info);
  }
  void benchmarkEnded(const Catch::BenchmarkStats<>& stats) override {
    test_->benchmarkEnded(stats);
  }
  void benchmarkFailed(const std::string& error) override {
    test_->benchmarkFailed(error);
  }
#endif
  void pushScopedMessage(const Catch::MessageInfo& message) override {
    trial().messages.push_back(message);
  }
  void popScopedMessage(const Catch::MessageInfo& message) override {
    std::erase(trial().messages, message);
  }
  void emplaceUnscopedMessage(const Catch::MessageBuilder& builder) override {
    trial().once.push_back(builder.m_info);
    trial().once.back().message = builder.m_stream.str();
  }
  void handleFatalErrorCondition(Catch::StringRef message) override {
    test_->handleFatalErrorCondition(message);
  }

  void handleExpr(const Catch::AssertionInfo& info, const Catch::ITransientExpression& expression,
                  Catch::AssertionReaction& reaction) override {
    const bool negated = Catch::isFalseTest(info.resultDisposition);
    if (expression.getResult() != negated) return pass();
    // Catch2 makes texts for one thread.
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    std::ostringstream out;
    if (negated) out << '!';
    expression.streamReconstructedExpression(out);
    failed(info, "with expansion: " + out.str(), reaction);
  }
  void handleMessage(const Catch::AssertionInfo& info, Catch::ResultWas::OfType type, const Catch::StringRef& message,
                     Catch::AssertionReaction& reaction) override {
    if (Catch::isOk(type)) return pass();
    failed(info, std::string(message), reaction);
  }
  void handleUnexpectedExceptionNotThrown(const Catch::AssertionInfo& info,
                                          Catch::AssertionReaction& reaction) override {
    failed(info, "no exception was thrown where one was expected", reaction);
  }
  void handleUnexpectedInflightException(const Catch::AssertionInfo& info, const std::string& message,
                                         Catch::AssertionReaction& reaction) override {
    failed(info, "unexpected exception: " + message, reaction);
  }
  // What ended it is told by who caught it.
  void handleIncomplete(const Catch::AssertionInfo&) override {}
  void handleNonExpr(const Catch::AssertionInfo& info, Catch::ResultWas::OfType type,
                     Catch::AssertionReaction& reaction) override {
    if (Catch::isOk(type)) return pass();
    failed(info, "", reaction);
  }

  bool lastAssertionPassed() override {
    return trial().passed;
  }
  void assertionPassed() override {
    pass();
  }
  std::string getCurrentTestName() const override {
    return test_->getCurrentTestName();
  }
  const Catch::AssertionResult* getLastResult() const override {
    return test_->getLastResult();
  }
  void exceptionEarlyReported() override {}

  /// Takes the place of Catch2's capture, and gives it back.
  void begin() {
    test_ = &Catch::getResultCapture();
    Catch::getCurrentMutableContext().setResultCapture(this);
  }
  void end() {
    Catch::getCurrentMutableContext().setResultCapture(test_);
  }

 private:
  /// The trial of a thread.
  struct Checks {
    std::string failed;
    std::vector<Catch::MessageInfo> messages;
    /// Messages for the next check alone.
    std::vector<Catch::MessageInfo> once;
    bool passed = true;
  };
  static Checks& trial() {
    static thread_local Checks checks;
    return checks;
  }

  static void pass() {
    trial().passed = true;
    trial().once.clear();
  }
  static void fail(const std::string& text) {
    Checks& checks = trial();
    checks.passed = false;
    if (!checks.failed.empty()) checks.failed += '\n';
    checks.failed += text;
    for (const auto* messages : {&checks.messages, &checks.once})
      for (const Catch::MessageInfo& message : *messages) checks.failed += "\n  with message: " + message.message;
    checks.once.clear();
  }
  static void failed(const Catch::AssertionInfo& info, const std::string& more, Catch::AssertionReaction& reaction) {
    if (Catch::shouldSuppressFailure(info.resultDisposition)) return pass();
    std::ostringstream out;
    out << info.lineInfo << ": " << info.macroName << "( " << info.capturedExpression << " )";
    if (!more.empty()) out << "\n  " << more;
    fail(out.str());
    reaction.shouldThrow = (info.resultDisposition & Catch::ResultDisposition::Normal) != 0;
  }

  Catch::IResultCapture* test_ = nullptr;
};

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
  void search_begins() override {
    if (Catch::getCurrentContext().getResultCapture()) trials_.begin();
  }
  void search_ends() override {
    if (Catch::getCurrentContext().getResultCapture() == &trials_) trials_.end();
  }
  void trial_begins() override { trials_.trial_begins(); }
  std::string trial_ends() override { return trials_.trial_ends(); }

 private:
  CatchTrials trials_;
};

inline CatchFramework catch_framework;
inline const bool kUsesCatch = use_test_framework(&catch_framework);

}  // namespace heddle::detail
