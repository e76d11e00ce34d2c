// A requirement that fails in a helper of a kernel: says "fine" if the finding has the line that calls the helper.

#include <heddle/heddle.h>

#include <cstdint>
#include <cstdio>

using namespace heddle;

int main() {
  Device device(Mode::Native);
  std::uint32_t line = 0;
  const auto kernel = [&line](auto& inv) {
    const std::uint32_t me = inv.local_invocation_index();
    const auto check = [&] { inv.require(me < 3); };
    if (me == 0) line = __LINE__ + 1;
    check();
  };
  try {
    device.dispatch(kernel, {1}, {4});
  } catch (const KernelError& error) {
    const Finding& finding = error.finding();
    if (finding.calls.size() == 1 && finding.calls.front().line == line) {
      std::puts("fine");
      return 0;
    }
    std::printf("the call in line %u is not told:\n%s\n", line, error.what());
  }
  return 1;
}
