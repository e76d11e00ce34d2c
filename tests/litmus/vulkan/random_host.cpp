#include "tests/litmus/vulkan/random_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <vector>

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
  template <std::size_t n>
  std::string one(const char* const (&words)[n]) {
    return words[below(n)];
  }
  std::string variable() { return aliased_ && chance(25) ? "w" : one({"x", "y"}); }
  std::string mask(bool source);
  void batch(std::size_t number);
  void command(std::vector<std::string>& cells, std::size_t batch);
  void shader(std::size_t batch);
  void host(std::size_t number);
  void host_access(std::vector<std::string>& cells);
  std::string declarations();

  std::mt19937_64 random_;
  bool aliased_ = false;
  std::size_t queues_ = 1;
  std::vector<std::size_t> queue_of_;
  std::vector<std::string> heads_;
  std::vector<std::vector<std::string>> columns_;
  std::vector<std::string> shader_heads_;
  std::vector<std::vector<std::string>> shaders_;
  std::vector<std::string> registers_;
  std::size_t reads_ = 0;
};

std::string Maker::mask(bool source) {
  if (chance(40))
    return source ? "compute.shader_write" : one({"compute.shader_read", "host.host_read", "all.memory_read"});
  const std::string stages =
      one({"compute", "copy", "clear", "transfer", "host", "all", "indirect", "compute+copy", "none"});
  if (chance(20) || stages == "none") return stages;
  return stages + one({".memory_read+memory_write", ".memory_write", ".memory_read"});
}

void Maker::shader(std::size_t batch) {
  const std::size_t number = shaders_.size();
  shader_heads_.push_back(fmt::format("P{}@sg 0, wg {}, qf {}", number, number, queue_of_[batch]));
  std::vector<std::string> cells;
  const std::size_t length = 1 + below(2);
  for (std::size_t i = 0; i < length; ++i) {
    const bool shared = chance(20);
    if (chance(20)) {
      cells.push_back(chance(50) ? "st.atom.rel.dv.sc0.semsc0 x, 1"
                                 : fmt::format("ld.atom.acq.dv.sc0.semsc0 r{}, x", i));
      if (cells.back()[0] == 'l') registers_.push_back(fmt::format("P{}:r{}", number, i));
    } else if (chance(50)) {
      cells.push_back(fmt::format("st{}.sc0 {}, {}", shared ? ".nonpriv" : "", variable(), 1 + below(3)));
    } else {
      cells.push_back(fmt::format("ld{}.sc0 r{}, {}", shared ? ".nonpriv" : "", i, variable()));
      registers_.push_back(fmt::format("P{}:r{}", number, i));
    }
  }
  shaders_.push_back(cells);
}

void Maker::command(std::vector<std::string>& cells, std::size_t batch) {
  switch (below(8)) {
    case 0:
    case 1:
    case 2: {
      const std::size_t number = shaders_.size();
      shader(batch);
      const bool indirect = chance(15);
      cells.push_back(fmt::format("dispatch P{}{}", number, indirect ? ", r0, " + variable() : ""));
      if (indirect) registers_.push_back(fmt::format("B{}:r0", batch));
      return;
    }
    case 3:
      cells.push_back(fmt::format("copy {}, {}", variable(), variable()));
      return;
    case 4:
      cells.push_back(fmt::format("{} {}, {}", one({"fill", "update"}), variable(), 1 + below(3)));
      return;
    case 5:
      if (queues_ == 2 && chance(60)) {
        const bool acquires = batch > 0 && queue_of_[batch] != queue_of_[0];
        cells.push_back(acquires ? fmt::format("acquire x, {} compute.shader_read", 1 - queue_of_[batch])
                                 : fmt::format("release x, {} compute.shader_write", 1 - queue_of_[batch]));
        return;
      }
      [[fallthrough]];
    default:
      cells.push_back(fmt::format("dep {} {}{}", mask(true), mask(false), chance(20) ? " " + variable() : ""));
  }
}

void Maker::batch(std::size_t number) {
  std::vector<std::string> cells;
  const bool waits = number > 0 && chance(60);
  const std::string stages = one({"", "", " compute", " copy", " all"});
  const bool timeline = chance(50);
  if (waits) cells.push_back(fmt::format("wait {}{}", timeline ? "t, 1" : fmt::format("s{}", number), stages));
  const std::size_t length = 1 + below(3);
  const bool has_event = chance(15);
  if (has_event) cells.push_back(fmt::format("set e{} {} {}", number, mask(true), mask(false)));
  for (std::size_t i = 0; i < length; ++i) command(cells, number);
  if (has_event) {
    cells.insert(cells.end() - static_cast<std::ptrdiff_t>(below(length)), fmt::format("await e{}", number));
  }
  if (number == 0) {
    const std::string signal = one({"", "", " compute", " copy", " all"});
    for (std::size_t later = 1; later < queue_of_.size(); ++later)
      if (chance(70)) cells.push_back(fmt::format("signal s{}{}", later, signal));
    if (chance(60)) cells.push_back("signal t, 1");
  }
  heads_.push_back(fmt::format("B{}@q {}, qf {}", number, queue_of_[number], queue_of_[number]));
  columns_.push_back(cells);
}

void Maker::host_access(std::vector<std::string>& cells) {
  const std::string name = variable();
  switch (below(6)) {
    case 0:
      cells.push_back(fmt::format("flush {}", name));
      return;
    case 1:
      cells.push_back(fmt::format("invalidate {}", name));
      return;
    case 2:
    case 3:
      cells.push_back(fmt::format("st {}, {}", name, 1 + below(3)));
      return;
    default:
      cells.push_back(fmt::format("ld r{}, {}", reads_, name));
      registers_.push_back(fmt::format("H0:r{}", reads_++));
  }
}

void Maker::host(std::size_t number) {
  std::vector<std::string> cells;
  if (number == 1) {
    cells = {fmt::format("st {}, 2", variable()), one({"st.atom.rel l, 1", "st.atom l, 1"})};
    if (chance(40)) cells.push_back("st.atom l, 2");
    heads_.push_back("H1@host");
    columns_.push_back(cells);
    return;
  }
  const bool two = heads_.empty() && chance(20);
  if (two) {
    cells.push_back("ld.atom.acq r9, l");
    registers_.push_back("H0:r9");
  }
  if (chance(60)) host_access(cells);
  for (std::size_t b = 0; b < queue_of_.size(); ++b) {
    cells.push_back(fmt::format("submit B{}{}", b, b == 0 && chance(70) ? ", f" : ""));
    if (chance(30)) host_access(cells);
    if (b == 0 && cells.size() > 1 && chance(50) &&
        std::any_of(cells.begin(), cells.end(), [](const std::string& cell) { return cell.ends_with(", f"); }))
      cells.push_back("wait f");
  }
  if (chance(15)) cells.push_back("signal t, 3");
  if (chance(30)) cells.push_back("idle");
  if (chance(70)) host_access(cells);
  if (chance(40)) host_access(cells);
  if (chance(10)) cells.push_back("free y");
  heads_.push_back("H0@host");
  columns_.push_back(cells);
  if (two) host(1);
}

std::string Maker::declarations() {
  std::string out = "{\nx=0; y=0; l=0;";
  if (aliased_) out += " w aliases x;";
  if (chance(50)) out += fmt::format(" noncoherent {};", one({"x", "y", "x y"}));
  if (chance(15)) out += " atom x y;";
  if (chance(20)) out += fmt::format(" uniform {};", one({"x", "y"}));
  if (chance(30)) out += " exclusive x;";
  return out + "\n}\n";
}

std::string Maker::text() {
  aliased_ = chance(15);
  const std::size_t batches = 1 + below(2) + (chance(15) ? 1 : 0);
  queues_ = batches > 1 && chance(50) ? 2 : 1;
  for (std::size_t b = 0; b < batches; ++b) queue_of_.push_back(b == 0 ? 0 : below(queues_));
  host(0);
  for (std::size_t b = 0; b < batches; ++b) batch(b);
  heads_.insert(heads_.end(), shader_heads_.begin(), shader_heads_.end());
  columns_.insert(columns_.end(), shaders_.begin(), shaders_.end());
  std::string out = "Vulkan random-host\n" + declarations();
  std::size_t rows = 0;
  for (const auto& column : columns_) rows = std::max(rows, column.size());
  for (std::size_t i = 0; i < heads_.size(); ++i) out += (i == 0 ? " " : " | ") + heads_[i];
  out += " ;\n";
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < columns_.size(); ++i)
      out += (i == 0 ? " " : " | ") + (row < columns_[i].size() ? columns_[i][row] : "");
    out += " ;\n";
  }
  out += "exists (x == 1";
  for (const std::string& one : registers_) out += " /\\ " + one + " == 1";
  return out + " /\\ y == 0)\n";
}

}  // namespace

std::string random_host_test(std::uint64_t seed) {
  return Maker(seed).text();
}

}  // namespace heddle::litmus
