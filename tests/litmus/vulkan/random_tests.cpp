#include "tests/litmus/vulkan/random_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <vector>

#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/spelling.h"

namespace heddle::litmus {
namespace {

/// A test under construction: columns of cells.
class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  std::string text();

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }
  std::string scope() { return chance(75) ? "dv" : chance(50) ? "wg" : "qf"; }
  /// The class of a variable: that of x may be another one than that of the others.
  std::string storage(const std::string& variable) const { return variable == "x" ? data_class_ : "sc0"; }
  std::string classes() { return chance(70) ? ".semsc0" : chance(50) ? ".semsc1" : ".semsc0.semsc1"; }
  std::string flag(const char* flag) { return chance(60) ? flag : ""; }
  std::string write(const std::string& variable);
  std::string read(std::size_t thread, const std::string& variable);
  std::string update(std::size_t thread, const std::string& variable);
  std::string fence(bool acquires);
  void soup(std::size_t thread);
  void sender(std::size_t thread, const std::string& flag);
  void receiver(std::size_t thread, const std::string& flag);
  std::string new_register(std::size_t thread);

  std::mt19937_64 random_;
  std::string data_class_ = "sc0";
  std::vector<std::vector<std::string>> columns_;
  std::vector<std::size_t> registers_;
  std::string filter_;
};

std::string Maker::new_register(std::size_t thread) {
  return fmt::format("r{}", registers_[thread]++);
}

std::string Maker::write(const std::string& variable) {
  const std::string where = storage(variable);
  const std::size_t value = 1 + below(2);
  if (chance(35)) return fmt::format("st.{}{} {}, {}", chance(70) ? "nonpriv." : "", where, variable, value);
  if (chance(15)) return fmt::format("st.av.{}.{} {}, {}", scope(), where, variable, value);
  if (chance(30)) return fmt::format("st.atom.{}.{} {}, {}", scope(), where, variable, value);
  return fmt::format("st.atom.rel.{}.{}{}{} {}, {}", scope(), where, classes(), flag(".semav"), variable, value);
}

std::string Maker::read(std::size_t thread, const std::string& variable) {
  const std::string where = storage(variable);
  const std::string target = new_register(thread);
  if (chance(35)) return fmt::format("ld.{}{} {}, {}", chance(70) ? "nonpriv." : "", where, target, variable);
  if (chance(15)) return fmt::format("ld.vis.{}.{} {}, {}", scope(), where, target, variable);
  if (chance(30)) return fmt::format("ld.atom.{}.{} {}, {}", scope(), where, target, variable);
  return fmt::format("ld.atom.acq.{}.{}{}{} {}, {}", scope(), where, classes(), flag(".semvis"), target, variable);
}

std::string Maker::update(std::size_t thread, const std::string& variable) {
  const std::string target = new_register(thread);
  if (chance(40)) return fmt::format("rmw.atom.{}.{}.add {}, {}, 1", scope(), storage(variable), target, variable);
  return fmt::format("rmw.atom.acq_rel.{}.{}{}{}{}.add {}, {}, 1", scope(), storage(variable), classes(),
                     flag(".semav"), flag(".semvis"), target, variable);
}

std::string Maker::fence(bool acquires) {
  if (chance(50)) return fmt::format("membar.acq_rel.{}{}{}{}", scope(), classes(), flag(".semav"), flag(".semvis"));
  return fmt::format("membar.{}.{}{}{}", acquires ? "acq" : "rel", scope(), classes(),
                     flag(acquires ? ".semvis" : ".semav"));
}

void Maker::sender(std::size_t thread, const std::string& flag) {
  std::vector<std::string>& cells = columns_[thread];
  cells.push_back(fmt::format("st.{}{} x, 1", chance(85) ? "nonpriv." : "", data_class_));
  if (chance(35)) cells.push_back(fence(false));
  if (chance(10)) cells.push_back(fmt::format("cbar.acq_rel.wg.semsc0{} 1", this->flag(".semav")));
  cells.push_back(chance(15) ? update(thread, flag) : write(flag));
}

void Maker::receiver(std::size_t thread, const std::string& flag) {
  std::vector<std::string>& cells = columns_[thread];
  cells.push_back(read(thread, flag));
  const std::string got = fmt::format("r{}", registers_[thread] - 1);
  const bool branches = chance(30);
  if (branches) {
    cells.push_back(fmt::format("beq {}, 0, LC0{}", got, thread));
  } else if (chance(50)) {
    filter_ += fmt::format("{}P{}:{} != 0", filter_.empty() ? "" : " /\\ ", thread, got);
  }
  if (chance(35)) cells.push_back(fence(true));
  cells.push_back(fmt::format("ld.{}{} {}, x", chance(85) ? "nonpriv." : "", data_class_, new_register(thread)));
  if (branches) cells.push_back(fmt::format("LC0{}:", thread));
}

void Maker::soup(std::size_t thread) {
  const std::size_t length = 1 + below(3);
  for (std::size_t i = 0; i < length; ++i) {
    const std::string variable = chance(50) ? "x" : "y";
    const std::size_t kind = below(10);
    columns_[thread].push_back(kind < 4   ? write(variable)
                               : kind < 8 ? read(thread, variable)
                               : kind < 9 ? update(thread, variable)
                                          : fence(chance(50)));
  }
}

std::string Maker::text() {
  const std::size_t threads = chance(70) ? 2 : 3;
  columns_.resize(threads);
  registers_.resize(threads);
  if (chance(25)) data_class_ = "sc1";
  if (chance(60)) {
    sender(0, "y");
    if (threads == 3 && chance(60)) {
      // Somebody between them, who hands it on.
      columns_[1].push_back(chance(50) ? read(1, "y") : update(1, "y"));
      if (chance(30)) columns_[1].push_back(fence(true));
      columns_[1].push_back(write("z"));
      receiver(2, "z");
    } else {
      for (std::size_t t = 1; t < threads; ++t) receiver(t, "y");
    }
  } else {
    for (std::size_t t = 0; t < threads; ++t) soup(t);
  }
  std::string out = "Vulkan random\n{ x = 0; y = 0; z = 0; }\n";
  std::size_t rows = 0;
  for (std::size_t t = 0; t < threads; ++t) {
    const std::size_t workgroup = chance(35) ? 0 : t;
    out += fmt::format("{}P{}@sg {}, wg {}, qf {} ", t == 0 ? " " : "| ", t, chance(50) ? 0 : t, workgroup,
                       chance(90) ? 0 : t);
    rows = std::max(rows, columns_[t].size());
  }
  out += ";\n";
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t t = 0; t < threads; ++t)
      out += fmt::format("{}{} ", t == 0 ? " " : "| ", row < columns_[t].size() ? columns_[t][row] : "");
    out += ";\n";
  }
  if (!filter_.empty()) out += "filter (" + filter_ + ")\n";
  return out + "exists (x = 1 /\\ y = 1)\n";
}

}  // namespace

std::string random_litmus_test(std::uint64_t seed) {
  std::string text = Maker(seed).text();
  if (seed % 2 == 0) return text;
  const VulkanParse parse = parse_vulkan(text);
  return parse.test ? spell(*parse.test, Spelling::Calls) : text;
}

}  // namespace heddle::litmus
