#pragma once

/// \file
/// Answers to C and Mu litmus tests that a test writes down.

#include <string>

#include "emulator/litmus/c/answer.h"

namespace heddle::litmus {

/// The answer for a test that parses.
c::Answer answer_of(const std::string& source, const Question& question = {});
/// "line:column: message" of one that does not; "" if it does.
std::string error_of(const std::string& source);

/// Whether a C file (or a Mu file) of these threads and this `exists` holds.
bool allows(const std::string& threads, const std::string& condition, const std::string& format = "C");
bool mu_allows(const std::string& threads, const std::string& condition);
/// Its undefined behaviour: "race stack".
std::string undefined(const std::string& threads, const std::string& format = "Mu");

/// A file with `FIRST` replaced; for pairs that differ in one thing.
std::string with(std::string text, const std::string& from, const std::string& to);

}  // namespace heddle::litmus
