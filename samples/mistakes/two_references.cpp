// One buffer, bound twice. An invocation that writes through one reference and reads through the
// other may read what was there before: program order counts for one reference only.
#include "mistake.h"

using namespace heddle;

constexpr auto write_and_read = [](auto&, StorageBuffer<std::uint32_t> auto a,
                                   StorageBuffer<std::uint32_t> auto b,
                                   StorageBuffer<std::uint32_t> auto seen) {
  a[0] = 42;
  seen[0] = b[0];
};

template <bool alias>
void test(Trial& trial) {
  auto buffer = trial.device().buffer({std::uint32_t{0}}, "buffer");
  auto seen = trial.device().buffer({std::uint32_t{0}}, "seen");
  trial.device().dispatch(write_and_read, {1}, {1}, buffer, alias ? buffer.alias() : buffer, seen);
  trial.require(seen.read()[0] == 42, "wrote 42 and read " + std::to_string(seen.read()[0]));
}

int main(int argc, char** argv) {
  return mistake::compare(argc, argv, "Writing through one reference, reading through another",
                          test<true>, test<false>);
}
