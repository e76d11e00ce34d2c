#pragma once

/// \file
/// Checks of Catch2 3 in trials.

#include <heddle/detail/catch_checks.h>

#include <mutex>
#include <string>

namespace heddle::detail {

/// Stands in for Catch2's own capture of results while trials run.
class CatchTrials final : public Catch::IResultCapture {
 public:
  void notifyAssertionStarted(const Catch::AssertionInfo&) override {}
  bool sectionStarted(Catch::StringRef name, const Catch::SourceLineInfo& line, Catch::Counts&) override {
    checks().refuse_section(name, line);
    return false;
  }
  void sectionEnded(Catch::SectionEndInfo&&) override {}
  void sectionEndedEarly(Catch::SectionEndInfo&&) override {}
  // A generator gives the same value to each trial of a run: that of the test around it, which Catch2 knows.
  Catch::IGeneratorTracker* acquireGeneratorTracker(Catch::StringRef name, const Catch::SourceLineInfo& line) override {
    return test_->acquireGeneratorTracker(name, line);
  }
  Catch::IGeneratorTracker* createGeneratorTracker(Catch::StringRef name, Catch::SourceLineInfo line,
                                                   Catch::Generators::GeneratorBasePtr&& generator) override {
    return test_->createGeneratorTracker(name, line, std::move(generator));
  }
  void benchmarkPreparing(Catch::StringRef name) override { test_->benchmarkPreparing(name); }
  void benchmarkStarting(const Catch::BenchmarkInfo& info) override { test_->benchmarkStarting(info); }
  void benchmarkEnded(const Catch::BenchmarkStats<>& stats) override { test_->benchmarkEnded(stats); }
  void benchmarkFailed(Catch::StringRef error) override { test_->benchmarkFailed(error); }
  void pushScopedMessage(const Catch::MessageInfo& message) override { checks().push(message); }
  void popScopedMessage(const Catch::MessageInfo& message) override { checks().pop(message); }
  void emplaceUnscopedMessage(Catch::MessageBuilder&& builder) override {
    checks().tell_once(builder.m_info, builder.m_stream.str());
  }
  void handleFatalErrorCondition(Catch::StringRef message) override { test_->handleFatalErrorCondition(message); }

  void handleExpr(const Catch::AssertionInfo& info, const Catch::ITransientExpression& expression,
                  Catch::AssertionReaction& reaction) override {
    // Catch2 makes texts for one thread.
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    checks().check(info, expression, reaction);
  }
  void handleMessage(const Catch::AssertionInfo& info, Catch::ResultWas::OfType type, std::string&& message,
                     Catch::AssertionReaction& reaction) override {
    if (Catch::isOk(type)) return checks().pass();
    checks().fail(info, message, reaction);
  }
  void handleUnexpectedExceptionNotThrown(const Catch::AssertionInfo& info,
                                          Catch::AssertionReaction& reaction) override {
    checks().fail(info, "no exception was thrown where one was expected", reaction);
  }
  void handleUnexpectedInflightException(const Catch::AssertionInfo& info, std::string&& message,
                                         Catch::AssertionReaction& reaction) override {
    checks().fail(info, "unexpected exception: " + message, reaction);
  }
  // What ended it is told by who caught it.
  void handleIncomplete(const Catch::AssertionInfo&) override {}
  void handleNonExpr(const Catch::AssertionInfo& info, Catch::ResultWas::OfType type,
                     Catch::AssertionReaction& reaction) override {
    if (Catch::isOk(type)) return checks().pass();
    checks().fail(info, "", reaction);
  }

  bool lastAssertionPassed() override { return checks().passed(); }
  void assertionPassed() override { checks().pass(); }
  std::string getCurrentTestName() const override { return test_->getCurrentTestName(); }
  const Catch::AssertionResult* getLastResult() const override { return test_->getLastResult(); }
  void exceptionEarlyReported() override {}

  /// Takes the place of Catch2's capture, and gives it back.
  void begin() {
    test_ = &Catch::getResultCapture();
    Catch::getCurrentMutableContext().setResultCapture(this);
  }
  void end() { Catch::getCurrentMutableContext().setResultCapture(test_); }

 private:
  static CatchChecks& checks() { return CatchChecks::trial(); }

  Catch::IResultCapture* test_ = nullptr;
};

}  // namespace heddle::detail
