#pragma once

/// \file
/// What the checks of Catch2, of either version, say of a trial.

#include <heddle/detail/catch_include.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace heddle::detail {

/// The checks of a trial, on its thread.
class CatchChecks {
 public:
  /// The checks of the trial that runs on this thread.
  static CatchChecks& trial() {
    static thread_local CatchChecks checks;
    return checks;
  }

  void begin() { *this = {}; }
  std::string end() { return std::exchange(*this, {}).failed_; }
  bool passed() const { return passed_; }

  void push(const Catch::MessageInfo& message) { messages_.push_back(message); }
  void pop(const Catch::MessageInfo& message) {
    messages_.erase(std::remove(messages_.begin(), messages_.end(), message), messages_.end());
  }
  /// For the next check alone.
  void tell_once(const Catch::MessageInfo& message, std::string text) {
    once_.push_back(message);
    once_.back().message = std::move(text);
  }

  void pass() {
    passed_ = true;
    once_.clear();
  }
  void fail(const std::string& text) {
    passed_ = false;
    if (!failed_.empty()) failed_ += '\n';
    failed_ += text;
    for (const auto* messages : {&messages_, &once_})
      for (const Catch::MessageInfo& message : *messages) failed_ += "\n  with message: " + message.message;
    once_.clear();
  }
  void fail(const Catch::AssertionInfo& info, const std::string& more, Catch::AssertionReaction& reaction) {
    if (Catch::shouldSuppressFailure(info.resultDisposition)) return pass();
    std::ostringstream out;
    out << info.lineInfo << ": " << info.macroName << "( " << info.capturedExpression << " )";
    if (!more.empty()) out << "\n  " << more;
    fail(out.str());
    reaction.shouldThrow = (info.resultDisposition & Catch::ResultDisposition::Normal) != 0;
  }
  void check(const Catch::AssertionInfo& info, const Catch::ITransientExpression& expression,
             Catch::AssertionReaction& reaction) {
    const bool negated = Catch::isFalseTest(info.resultDisposition);
    if (expression.getResult() != negated) return pass();
    std::ostringstream out;
    if (negated) out << '!';
    expression.streamReconstructedExpression(out);
    fail(info, "with expansion: " + out.str(), reaction);
  }
  template <typename Section>
  void refuse_section(const Section& name, const Catch::SourceLineInfo& line) {
    std::ostringstream out;
    out << line << ": SECTION( \"" << name << "\" ) is in a trial: put it around explore_seeds";
    fail(out.str());
  }

 private:
  std::string failed_;
  std::vector<Catch::MessageInfo> messages_;
  std::vector<Catch::MessageInfo> once_;
  bool passed_ = true;
};

}  // namespace heddle::detail
