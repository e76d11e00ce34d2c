// What kernels print, and in which order.

#include "tests/device_under_test.h"

#include <cstdio>
#include <memory>
#include <sstream>

using namespace heddle;
using heddle::test::options_for;

namespace {

struct Close {
  void operator()(std::FILE* f) const { std::fclose(f); }
};

/// The lines that `dispatch(device)` prints.
template <typename Dispatch>
std::vector<std::string> lines_of(DeviceOptions options, Dispatch dispatch) {
  const std::unique_ptr<std::FILE, Close> file(std::tmpfile());
  REQUIRE(file);
  options.print_to = file.get();
  Device device(options);
  dispatch(device);
  std::rewind(file.get());
  std::string text;
  for (int c = std::fgetc(file.get()); c != EOF; c = std::fgetc(file.get())) {
    text += static_cast<char>(c);
  }
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

const auto kTellTwice = [](auto& inv, auto memory) {
  for (std::uint32_t k = 0; k < 2; ++k) {
    inv.atomic_i_increment(memory[0], Scope::Device, MemorySemantics::Relaxed);
    inv.print("{} {}\n", inv.workgroup_id().x, inv.local_invocation_index());
  }
};

std::vector<std::string> told(const DeviceOptions& options) {
  return lines_of(options, [](Device& device) {
    auto memory = device.buffer({0u});
    device.dispatch(kTellTwice, {20}, {4}, memory);
  });
}

}  // namespace

TEST_CASE("native prints come out ordered by workgroup, whatever the threads do") {
  DeviceOptions options = options_for(Mode::Native);
  options.workers = 4;
  const auto lines = told(options);
  REQUIRE(lines.size() == 160);
  for (std::size_t n = 0; n < 160; ++n) {
    CHECK(lines[n] == fmt::format("{} {}", n / 8, n % 8 / 2));
  }
}

TEST_CASE("emulated prints come out in the order of execution, which the seed decides") {
  const auto lines = told(options_for(Mode::Emulated, 4));
  REQUIRE(lines.size() == 160);
  CHECK(lines == told(options_for(Mode::Emulated, 4)));
  CHECK(lines != told(options_for(Mode::Emulated, 5)));
}

TEST_CASE("what was printed before a finding comes out all the same") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const auto lines = lines_of(options_for(mode), [](Device& device) {
    const auto kernel = [](auto& inv) {
      inv.print("before\n");
      inv.require(false);
    };
    CHECK_THROWS_AS(device.dispatch(kernel, {1}, {1}), KernelError);
  });
  CHECK(lines == std::vector<std::string>{"before"});
}
