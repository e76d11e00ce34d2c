#include "tests/queues/hazards.h"

using namespace queue_tests;

namespace {

constexpr MemoryBarrier2 kCopiedToHost{S::Copy, A::TransferWrite, S::Host, A::HostRead};

/// A copy into mapped memory that the host then reads.
HazardCase read_back(const char* name, bool has_hazard, const std::vector<MemoryBarrier2>& barriers,
                     DeviceMemory<std::uint32_t> Rig::*memory, bool waits, bool invalidates) {
  return {name, has_hazard, [=](Rig& rig) {
            const auto map = (rig.*memory).map();
            const Fence fence = rig.device.fence();
            const CommandBuffer commands = rig.record([&](CommandBuffer& cb) {
              cb.copy_buffer(rig.a, (rig.*memory).buffer());
              for (const MemoryBarrier2& one : barriers) cb.pipeline_barrier2(one);
            });
            rig.device.queue().submit2(commands, fence);
            if (waits) fence.wait();
            if (invalidates) (rig.*memory).invalidate();
            map.read(3);
          }};
}

/// Mapped memory that the host writes, and a copy then reads.
HazardCase upload(const char* name, bool has_hazard, DeviceMemory<std::uint32_t> Rig::*memory, bool flushes,
                  bool in_time) {
  return {name, has_hazard, [=](Rig& rig) {
            const auto map = (rig.*memory).map();
            const CommandBuffer commands =
                rig.record([&](CommandBuffer& cb) { cb.copy_buffer((rig.*memory).buffer(), rig.a); });
            if (!in_time) rig.device.queue().submit2(commands);
            map.write(3, 9);
            if (flushes) (rig.*memory).flush();
            if (in_time) rig.device.queue().submit2(commands);
          }};
}

}  // namespace

TEST_CASE("what a queue writes and the host reads has hazards") {
  const auto coherent = &Rig::coherent;
  const auto visible = &Rig::visible;
  check_hazards({
      read_back("a barrier and a fence", false, {kCopiedToHost}, coherent, true, false),
      read_back("no fence", true, {kCopiedToHost}, coherent, false, false),
      read_back("no barrier", true, {}, coherent, true, false),
      read_back("a barrier of all commands", true, {kAllToAll}, coherent, true, false),
      read_back("a barrier of host reads at the stage of copies", true,
                {{S::Copy, A::TransferWrite, S::Copy, A::MemoryRead}}, coherent, true, false),
      read_back("a barrier of memory reads at the stage of the host", false,
                {{S::Copy, A::TransferWrite, S::Host, A::MemoryRead}}, coherent, true, false),
      read_back("a barrier with the access of shaders", true,
                {{S::AllCommands, A::ShaderStorageWrite, S::Host, A::HostRead}}, coherent, true, false),
      read_back("not coherent, invalidated", false, {kCopiedToHost}, visible, true, true),
      read_back("not coherent, not invalidated", true, {kCopiedToHost}, visible, true, false),
      read_back("not coherent, no barrier", true, {}, visible, true, true),
  });
}

TEST_CASE("what the host writes and a queue reads has hazards") {
  check_hazards({
      upload("before the submission", false, &Rig::coherent, false, true),
      upload("behind the submission", true, &Rig::coherent, false, false),
      upload("not coherent, flushed", false, &Rig::visible, true, true),
      upload("not coherent, not flushed", true, &Rig::visible, false, true),
      upload("not coherent, flushed behind the submission", true, &Rig::visible, true, false),
      {"written while a copy reads, behind a fence", false,
       [](Rig& rig) {
         const auto map = rig.coherent.map();
         const Fence fence = rig.device.fence();
         rig.device.queue().submit2(
             rig.record([&](CommandBuffer& cb) { cb.copy_buffer(rig.coherent.buffer(), rig.a); }), fence);
         fence.wait();
         map.write(0, 1);
       }},
      {"elements that the copy does not read", false,
       [](Rig& rig) {
         const auto map = rig.coherent.map();
         rig.run([&](CommandBuffer& cb) { cb.copy_buffer(rig.coherent.buffer(), rig.a, {0, 0, 16}); });
         map.write(4, 1);
       }},
      {"an alias at an offset that the copy reads", true,
       [](Rig& rig) {
         const auto map = rig.coherent.map();
         const auto alias = rig.coherent.buffer_at<std::uint32_t>(16, 4);
         rig.run([&](CommandBuffer& cb) { cb.copy_buffer(alias, rig.a, {0, 0, 16}); });
         map.write(4, 1);
       }},
  });
}

TEST_CASE("events and timelines of the host order what it did before, with a barrier of the host") {
  const auto event = [](const char* name, bool has_hazard, const MemoryBarrier2& masks, bool in_time) {
    return HazardCase{name, has_hazard, [=](Rig& rig) {
                        const auto map = rig.coherent.map();
                        const Event set = rig.device.event("set");
                        if (in_time) map.write(0, 1);
                        set.set();
                        rig.run([&](CommandBuffer& cb) {
                          cb.wait_event2(set, masks);
                          cb.copy_buffer(rig.coherent.buffer(), rig.a);
                        });
                        if (!in_time) map.write(0, 1);
                      }};
  };
  const auto timeline = [](const char* name, bool has_hazard, bool barrier, std::uint64_t value) {
    return HazardCase{
        name, has_hazard, [=](Rig& rig) {
          const auto map = rig.coherent.map();
          const Semaphore go = rig.device.timeline_semaphore(0, "go");
          rig.submit(
              0,
              [&](CommandBuffer& cb) {
                if (barrier)
                  cb.pipeline_barrier2({S::Host | S::AllCommands, A::HostWrite, S::AllCommands, A::TransferRead});
                cb.copy_buffer(rig.coherent.buffer(), rig.a);
              },
              {{go, value}}, {});
          go.signal(1);
          map.write(0, 1);
          go.signal(2);
        }};
  };
  const MemoryBarrier2 host_to_copy{S::Host, A::HostWrite, S::Copy, A::TransferRead};
  check_hazards({
      event("an event that the host set", false, host_to_copy, true),
      event("a write behind the event and the submission", true, host_to_copy, false),
      timeline("a timeline that the host signals, barrier", false, true, 2),
      timeline("a timeline that the host signals, no barrier", true, false, 2),
      timeline("a value that the host signals too early", true, true, 1),
  });
}
