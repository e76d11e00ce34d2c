// Frames that are uploaded, computed and read back, with two buffers of each kind: a transfer queue
// copies the next frame up and the last one down while a compute queue works on this one. One
// timeline semaphore orders all of it.
#include "sample.h"

#include <heddle/queue.h>

#include <array>
#include <deque>
#include <vector>

using namespace heddle;

constexpr std::uint32_t kGroup = 64;

constexpr auto brighten = [](auto& inv, StorageBuffer<const std::uint32_t> auto in,
                             StorageBuffer<std::uint32_t> auto out) {
  const std::uint32_t i = inv.global_invocation_id().x;
  if (i < in.size()) out[i] = 2 * in[i] + 1;
};

namespace {

/// What one of two frames under way needs.
struct Slot {
  Slot(const LogicalDevice& device, std::uint64_t size)
      : staging(device.allocate_memory<std::uint32_t>(size, MemoryProperty::HostVisible, "staging",
                                                      SharingMode::Concurrent)),
        read_back(device.allocate_memory<std::uint32_t>(size, MemoryProperty::HostVisible,
                                                        "read back", SharingMode::Concurrent)),
        in(device
               .allocate_memory<std::uint32_t>(size, MemoryProperty::DeviceLocal, "in",
                                               SharingMode::Concurrent)
               .buffer()),
        out(device
                .allocate_memory<std::uint32_t>(size, MemoryProperty::DeviceLocal, "out",
                                                SharingMode::Concurrent)
                .buffer()),
        upload(device.command_buffer("upload")),
        compute(device.command_buffer("compute")),
        download(device.command_buffer("download")),
        written(staging.map()),
        read(read_back.map()) {
    upload.begin();
    upload.copy_buffer(staging.buffer(), in);
    upload.end();
    compute.begin();
    compute.dispatch(brighten, {sample::groups_for(static_cast<std::uint32_t>(size), kGroup)},
                     {kGroup}, std::as_const(in), out);
    compute.end();
    download.begin();
    download.copy_buffer(out, read_back.buffer());
    // A semaphore makes nothing available to the host.
    download.pipeline_barrier2(
        {PipelineStage2::Copy, Access2::TransferWrite, PipelineStage2::Host, Access2::HostRead});
    download.end();
  }

  DeviceMemory<std::uint32_t> staging, read_back;
  Buffer<std::uint32_t> in, out;
  CommandBuffer upload, compute, download;
  MappedMemory<std::uint32_t> written, read;
};

}  // namespace

int main(int argc, char** argv) {
  sample::Sample sample(
      "upload loop",
      "Uploads, computes and reads back frames on two queues with a timeline semaphore.");
  std::uint32_t frames = 0;
  std::uint32_t size = 0;
  sample.size_option("--frames", frames, {100, 6}, "how many frames");
  sample.size_option("--size", size, {1 << 14, 100}, "how many numbers a frame has");

  return sample.run(argc, argv, [&](Device& settings) {
    LogicalDeviceOptions options;
    options.device.mode = settings.mode();
    options.device.seed = settings.options().seed;
    options.device.memory = settings.options().memory;
    options.queue_families = {{1}, {1}};
    const LogicalDevice device(options);
    const Queue compute = device.queue(0);
    const Queue transfer = device.queue(1);
    std::deque<Slot> slots;
    for (int i = 0; i < 2; ++i) slots.emplace_back(device, size);
    sample.input(sample::counted(frames, "frame", "frames") + " of " +
                 sample::counted(size, "number", "numbers"));

    // A frame makes three steps: uploaded, computed, read back.
    const Semaphore timeline = device.timeline_semaphore(0, "steps");
    const auto step = [](std::uint32_t frame, std::uint32_t of_frame) {
      return std::uint64_t{3} * frame + of_frame;
    };
    bool right = true;
    const auto finish = [&](std::uint32_t frame) {
      const Slot& slot = slots[frame % 2];
      timeline.wait(step(frame, 3));
      slot.read_back.invalidate();
      for (std::uint32_t i = 0; i < size; ++i)
        right = right && slot.read.read(i) == 2 * (frame + i) + 1;
    };
    for (std::uint32_t frame = 0; frame < frames; ++frame) {
      Slot& slot = slots[frame % 2];
      if (frame >= 2) finish(frame - 2);
      for (std::uint32_t i = 0; i < size; ++i) slot.written.write(i, frame + i);
      slot.staging.flush();
      transfer.submit2({{.wait_semaphores = {{timeline, step(frame, 0)}},
                         .command_buffers = {slot.upload},
                         .signal_semaphores = {{timeline, step(frame, 1)}}}});
      compute.submit2({{.wait_semaphores = {{timeline, step(frame, 1)}},
                        .command_buffers = {slot.compute},
                        .signal_semaphores = {{timeline, step(frame, 2)}}}});
      transfer.submit2({{.wait_semaphores = {{timeline, step(frame, 2)}},
                         .command_buffers = {slot.download},
                         .signal_semaphores = {{timeline, step(frame, 3)}}}});
    }
    for (std::uint32_t frame = frames < 2 ? 0 : frames - 2; frame < frames; ++frame) finish(frame);
    sample.check(right, "every frame came back as it should");
    sample.check(device.races().empty(), "nothing races");
  });
}
