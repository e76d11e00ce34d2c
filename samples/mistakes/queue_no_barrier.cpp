// Two dispatches of one command buffer, the second of which reads what the first wrote. Submission
// order alone does not even make the second one begin behind the first.
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
  if constexpr (right)
    commands.pipeline_barrier2({PipelineStage2::ComputeShader, Access2::ShaderStorageWrite,
                                PipelineStage2::ComputeShader, Access2::ShaderStorageRead});
  commands.dispatch(kCopySquares, {1}, {kCount}, squares.buffer, copies.buffer);
  commands.pipeline_barrier2(kToHost);
  commands.end();
  device.queue().submit2(commands);
  device.wait_idle();
  require_squares(trial, copies);
}

int main(int argc, char** argv) {
  return compare(argc, argv, "Two dispatches without a pipeline barrier", test<false>, test<true>);
}
