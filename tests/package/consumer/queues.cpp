// Numbers that go up on one queue, through two kernels on another one, and back, in the order of a timeline semaphore.

#include <heddle/heddle.h>
#include <heddle/queue.h>

#include <cstdio>

using namespace heddle;

constexpr auto scale = [](auto& inv, StorageBuffer<const std::uint32_t> auto in,
                          StorageBuffer<std::uint32_t> auto out) {
  const std::uint32_t i = inv.global_invocation_id().x;
  out[i] = 2 * in[i];
};
constexpr auto offset = [](auto& inv, StorageBuffer<std::uint32_t> auto data) {
  data[inv.global_invocation_id().x] += 1;
};

namespace {

bool goes_round(Mode mode) {
  constexpr std::uint32_t kSize = 64;
  constexpr std::uint32_t kFrames = 4;
  LogicalDeviceOptions options;
  options.device.mode = mode;
  options.queue_families = {{1}, {1}};
  const LogicalDevice device(options);
  const Queue compute = device.queue(0, 0);
  const Queue transfer = device.queue(1, 0);
  const auto staging = device.allocate_memory<std::uint32_t>(kSize, MemoryProperty::HostVisible, "staging");
  const auto readback = device.allocate_memory<std::uint32_t>(kSize, MemoryProperty::HostVisible, "readback");
  const auto in_memory =
      device.allocate_memory<std::uint32_t>(kSize, MemoryProperty::DeviceLocal, "in", SharingMode::Concurrent);
  const auto work_memory =
      device.allocate_memory<std::uint32_t>(kSize, MemoryProperty::DeviceLocal, "work", SharingMode::Concurrent);
  auto staged = staging.buffer();
  auto back = readback.buffer();
  auto in = in_memory.buffer();
  auto work = work_memory.buffer();
  const auto up = staging.map();
  const auto down = readback.map();

  CommandBuffer upload = device.command_buffer("upload");
  upload.begin();
  upload.copy_buffer(staged, in);
  upload.end();
  CommandBuffer run = device.command_buffer("run");
  run.begin();
  run.dispatch(scale, {1}, {kSize}, in, work);
  run.pipeline_barrier2({PipelineStage2::ComputeShader, Access2::ShaderStorageWrite, PipelineStage2::ComputeShader,
                         Access2::ShaderStorageRead | Access2::ShaderStorageWrite});
  run.dispatch(offset, {1}, {kSize}, work);
  run.end();
  CommandBuffer download = device.command_buffer("download");
  download.begin();
  download.copy_buffer(work, back);
  download.pipeline_barrier2({PipelineStage2::Copy, Access2::TransferWrite, PipelineStage2::Host, Access2::HostRead});
  download.end();

  const Semaphore timeline = device.timeline_semaphore(0, "timeline");
  std::uint64_t value = 0;
  bool right = true;
  for (std::uint32_t frame = 0; frame < kFrames; ++frame) {
    for (std::uint32_t i = 0; i < kSize; ++i) up.write(i, frame + i);
    staging.flush();
    transfer.submit2(
        {{.command_buffers = {upload}, .signal_semaphores = {{timeline, value + 1, PipelineStage2::Copy}}}});
    compute.submit2({{.wait_semaphores = {{timeline, value + 1, PipelineStage2::ComputeShader}},
                      .command_buffers = {run},
                      .signal_semaphores = {{timeline, value + 2, PipelineStage2::ComputeShader}}}});
    transfer.submit2({{.wait_semaphores = {{timeline, value + 2, PipelineStage2::Copy}},
                       .command_buffers = {download},
                       .signal_semaphores = {{timeline, value + 3, PipelineStage2::AllCommands}}}});
    value += 3;
    timeline.wait(value);
    readback.invalidate();
    for (std::uint32_t i = 0; i < kSize; ++i) right = right && down.read(i) == 2 * (frame + i) + 1;
  }
  device.require_no_races();
  return right;
}

}  // namespace

int main() {
  const bool native = goes_round(Mode::Native);
  const bool emulated = goes_round(Mode::Emulated);
  std::printf("native %s, emulated %s\n", native ? "right" : "wrong", emulated ? "right" : "wrong");
  return native && emulated ? 0 : 1;
}
