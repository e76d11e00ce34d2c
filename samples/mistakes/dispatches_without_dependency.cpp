// Two dispatches of one submission, the second of which reads what the first wrote. That the one
// ends before the other begins is not enough: without a memory dependency nothing becomes
// available.
#include "mistake.h"

using namespace heddle;

constexpr auto write_squares = [](auto& inv, StorageBuffer<std::uint32_t> auto squares) {
  const std::uint32_t i = inv.global_invocation_id().x;
  squares[i] = i * i;
};

constexpr auto copy_squares = [](auto& inv, StorageBuffer<std::uint32_t> auto squares,
                                 StorageBuffer<std::uint32_t> auto copies) {
  const std::uint32_t i = inv.global_invocation_id().x;
  copies[i] = squares[i];
};

template <bool memory>
void test(Trial& trial) {
  const std::uint32_t groups = trial.workgroups(4);
  auto squares = trial.device().buffer(std::vector<std::uint32_t>(groups, 9999), "squares");
  auto copies = trial.device().buffer(std::vector<std::uint32_t>(groups, 0), "copies");
  trial.device().submit([&](Commands& commands) {
    commands.dispatch(write_squares, {groups}, {1}, squares);
    if constexpr (memory) {
      commands.memory_barrier();
    } else {
      commands.execution_barrier();
    }
    commands.dispatch(copy_squares, {groups}, {1}, squares, copies);
  });
  const std::vector<std::uint32_t> found = copies.read();
  for (std::uint32_t i = 0; i < groups; ++i)
    trial.require(found[i] == i * i, "the square of " + std::to_string(i) + " was read as " +
                                         std::to_string(found[i]));
}

int main(int argc, char** argv) {
  return mistake::compare(argc, argv, "Two dispatches without a memory dependency", test<false>,
                          test<true>);
}
