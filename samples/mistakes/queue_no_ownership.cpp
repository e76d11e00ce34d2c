// A buffer of exclusive sharing is written on a queue of one family and read on one of another,
// without a transfer of ownership: its contents are undefined there, though a semaphore orders the
// two.
#include "queue_mistake.h"

using namespace heddle;
using namespace mistake;

/// Half of a transfer from family 0 to family 1.
BufferMemoryBarrier2 transfer(const AnyBuffer& buffer, PipelineStage2 from, Access2 written,
                              PipelineStage2 to, Access2 read) {
  return {.src_stage_mask = from,
          .src_access_mask = written,
          .dst_stage_mask = to,
          .dst_access_mask = read,
          .buffer = buffer,
          .src_queue_family_index = 0,
          .dst_queue_family_index = 1};
}

template <bool right>
void test(Trial& trial) {
  const LogicalDevice device = queue_device(trial, {{1}, {1}});
  Numbers squares(device, "squares", 9999);
  Numbers copies(device, "copies", 0);
  CommandBuffer writes = device.command_buffer("writes");
  writes.begin();
  writes.dispatch(kWriteSquares, {1}, {kCount}, squares.buffer);
  if constexpr (right)
    writes.pipeline_barrier2(transfer(squares.buffer, PipelineStage2::ComputeShader,
                                      Access2::ShaderStorageWrite, PipelineStage2::None,
                                      Access2::None));
  writes.end();
  CommandBuffer reads = device.command_buffer("reads");
  reads.begin();
  if constexpr (right)
    reads.pipeline_barrier2(transfer(squares.buffer, PipelineStage2::None, Access2::None,
                                     PipelineStage2::ComputeShader, Access2::ShaderStorageRead));
  reads.dispatch(kCopySquares, {1}, {kCount}, squares.buffer, copies.buffer);
  reads.pipeline_barrier2(kToHost);
  reads.end();
  const Semaphore written = device.semaphore("written");
  device.queue(0).submit2({{.command_buffers = {writes}, .signal_semaphores = {{written}}}});
  device.queue(1).submit2({{.wait_semaphores = {{written, 0, PipelineStage2::AllCommands}},
                            .command_buffers = {reads}}});
  device.wait_idle();
  require_squares(trial, copies);
}

int main(int argc, char** argv) {
  return compare(argc, argv, "A queue family that does not own what it reads", test<false>,
                 test<true>);
}
