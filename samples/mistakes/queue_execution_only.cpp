// A pipeline barrier without access masks: the second dispatch begins behind the first, and need
// not see what it wrote.
#include "queue_mistake.h"

using namespace heddle;
using namespace mistake;

template <bool right>
void test(Trial& trial) {
  const LogicalDevice device = queue_device(trial);
  Numbers squares(device, "squares", 9999);
  Numbers copies(device, "copies", 0);
  CommandBuffer commands = device.command_buffer("squares and copies");
  commands.begin();
  commands.dispatch(kWriteSquares, {1}, {kCount}, squares.buffer);
  constexpr Access2 kWritten = right ? Access2::ShaderStorageWrite : Access2::None;
  constexpr Access2 kRead = right ? Access2::ShaderStorageRead : Access2::None;
  commands.pipeline_barrier2(
      {PipelineStage2::ComputeShader, kWritten, PipelineStage2::ComputeShader, kRead});
  commands.dispatch(kCopySquares, {1}, {kCount}, squares.buffer, copies.buffer);
  commands.pipeline_barrier2(kToHost);
  commands.end();
  device.queue().submit2(commands);
  device.wait_idle();
  require_squares(trial, copies);
}

int main(int argc, char** argv) {
  return compare(argc, argv, "A pipeline barrier without access masks", test<false>, test<true>);
}
