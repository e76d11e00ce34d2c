#pragma once

/// \file
/// Modules of the tests: their texts, and what heddle says of them.

#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "emulator/spirv/answer.h"

namespace heddle::spirv {

inline std::string text_of(const std::string& path) {
  std::ifstream in(std::string(HEDDLE_SOURCE_DIR "/tests/spirv/") + path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

/// A module and all that is made of it.
struct Ran {
  explicit Ran(const std::string& text, const DispatchOptions& options = {})
      : module(assemble(text)),
        dispatch(module, read_header(text, ";"), options),
        question(question_of(dispatch)),
        analysis(dispatch, question) {}

  Answer ask(bool verdict_only, std::uint64_t bound = 2) const {
    Inquiry inquiry;
    inquiry.bound = bound;
    inquiry.verdict_only = verdict_only;
    return answer(analysis, question, inquiry);
  }

  Module module;
  Dispatch dispatch;
  Question question;
  Analysis analysis;
};

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace heddle::spirv
