// A pipeline barrier whose source access mask names transfers, and the write is a shader's.
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
  constexpr Access2 kWritten = right ? Access2::ShaderStorageWrite : Access2::TransferWrite;
  commands.pipeline_barrier2({PipelineStage2::AllCommands, kWritten, PipelineStage2::ComputeShader,
                              Access2::ShaderStorageRead});
  commands.dispatch(kCopySquares, {1}, {kCount}, squares.buffer, copies.buffer);
  commands.pipeline_barrier2(kToHost);
  commands.end();
  device.queue().submit2(commands);
  device.wait_idle();
  require_squares(trial, copies);
}

int main(int argc, char** argv) {
  return compare(argc, argv, "A pipeline barrier with the wrong source access mask", test<false>,
                 test<true>);
}
