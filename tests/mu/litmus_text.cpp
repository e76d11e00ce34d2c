#include "tests/mu/litmus_text.h"

#include <stdexcept>

namespace heddle::litmus {

c::Answer answer_of(const std::string& source, const Question& question) {
  const c::Parse parse = c::parse(source);
  if (!parse.test) throw std::invalid_argument(describe("test", parse.errors.front()) + "\n" + source);
  return c::answer(*parse.test, question);
}

std::string error_of(const std::string& source) {
  const c::Parse parse = c::parse(source);
  if (parse.test) return "";
  const std::string text = describe("", parse.errors.front());
  return text.substr(1);
}

bool allows(const std::string& threads, const std::string& condition, const std::string& format) {
  return answer_of(format + " test\n{}\n" + threads + "\nexists (" + condition + ")").holds;
}

bool mu_allows(const std::string& threads, const std::string& condition) {
  return allows(threads, condition, "Mu");
}

std::string undefined(const std::string& threads, const std::string& format) {
  std::string out;
  for (const auto kind : answer_of(format + " test\n{}\n" + threads).undefined)
    out += (out.empty() ? "" : " ") + std::string(mu::name(kind));
  return out;
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::invalid_argument(from + " is not in\n" + text);
  return text.replace(at, from.size(), to);
}

}  // namespace heddle::litmus
