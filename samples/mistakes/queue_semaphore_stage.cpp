// A semaphore between two queues that waits at the stage of copies, and what follows is a dispatch.
#include "queue_mistake.h"

using namespace heddle;
using namespace mistake;

template <bool right>
void test(Trial& trial) {
  const LogicalDevice device = queue_device(trial);
  Numbers squares(device, "squares", 9999);
  Numbers copies(device, "copies", 0);
  CommandBuffer writes = device.command_buffer("writes");
  writes.begin();
  writes.dispatch(kWriteSquares, {1}, {kCount}, squares.buffer);
  writes.end();
  constexpr PipelineStage2 kStage = right ? PipelineStage2::ComputeShader : PipelineStage2::Copy;
  const Semaphore written = device.semaphore("written");
  device.queue(0, 0).submit2({{.command_buffers = {writes}, .signal_semaphores = {{written}}}});
  device.queue(0, 1).submit2({{.wait_semaphores = {{written, 0, kStage}},
                               .command_buffers = {copy_commands(device, squares, copies)}}});
  device.wait_idle();
  require_squares(trial, copies);
}

int main(int argc, char** argv) {
  return compare(argc, argv, "A semaphore that waits at the wrong stage", test<false>, test<true>);
}
