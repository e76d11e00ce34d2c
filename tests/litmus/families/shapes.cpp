#include "tests/litmus/families/shapes.h"

#include <algorithm>

namespace heddle::litmus::library {

LibraryTest in_one_workgroup(const ShapeText& text) {
  LibraryTest out;
  out.name = text.name;
  out.declarations = text.declarations;
  int subgroup = 0;
  for (const auto& code : text.threads) out.threads.push_back({{subgroup++, 0, 0}, code});
  out.filter = text.filter;
  out.assertion = text.assertion;
  out.verdict = text.verdict;
  out.clause = "vk:memory-model-" + text.clause;
  out.reason = text.reason;
  out.twin = text.twin;
  return out;
}

std::string relaxed_store(const std::string& variable, int value) {
  return "st.atom.wg.sc0 " + variable + ", " + std::to_string(value);
}

std::string relaxed_load(const std::string& reg, const std::string& variable) {
  return "ld.atom.wg.sc0 " + reg + ", " + variable;
}

std::string Ordering::store(const std::string& variable, int value) const {
  if (!release) return relaxed_store(variable, value);
  return "st.atom.rel.wg.sc0.semsc0 " + variable + ", " + std::to_string(value);
}

std::string Ordering::load(const std::string& reg, const std::string& variable) const {
  if (!acquire) return relaxed_load(reg, variable);
  return "ld.atom.acq.wg.sc0.semsc0 " + reg + ", " + variable;
}

std::vector<std::string> all_outcomes(const std::vector<std::string>& keys) {
  std::vector<std::string> out = {""};
  for (const std::string& key : keys) {
    std::vector<std::string> more;
    for (const std::string& start : out) {
      for (const char* const value : {"0", "1"}) {
        more.push_back(start + (start.empty() ? "" : " ") + key + '=' + value);
      }
    }
    out = std::move(more);
  }
  return out;
}

std::vector<std::string> all_outcomes_but(const std::vector<std::string>& keys,
                                          const std::vector<std::string>& without) {
  std::vector<std::string> out = all_outcomes(keys);
  const auto unwanted = [&](const std::string& outcome) {
    return std::find(without.begin(), without.end(), outcome) != without.end();
  };
  out.erase(std::remove_if(out.begin(), out.end(), unwanted), out.end());
  return out;
}

}  // namespace heddle::litmus::library
