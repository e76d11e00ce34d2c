#include "tests/queues/hazards.h"

using namespace queue_tests;

namespace {

const MemoryBarrier2 kSetCopy{S::Copy, A::TransferWrite, S::Copy, A::TransferRead};

/// A copy from a to b, and one from b to c, with the events in `between`.
HazardCase events(const char* name, bool has_hazard,
                  const std::function<void(Rig&, CommandBuffer&, const Event&)>& between) {
  return {name, has_hazard, [=](Rig& rig) {
            const Event event = rig.device.event("copied");
            rig.run([&](CommandBuffer& cb) {
              cb.copy_buffer(rig.a, rig.b);
              between(rig, cb, event);
              cb.copy_buffer(rig.b, rig.c);
            });
          }};
}

Record copy(const Words& from, const Words& to) {
  return [&from, &to](CommandBuffer& cb) { cb.copy_buffer(from, to); };
}

}  // namespace

TEST_CASE("events have the hazards of what is not between their set and their wait") {
  const auto both = [](CommandBuffer& cb, const Event& event, const DependencyInfo& how) {
    cb.set_event2(event, how);
    cb.wait_event2(event, how);
  };
  check_hazards({
      events("set alone", true, [](Rig&, CommandBuffer& cb, const Event& e) { cb.set_event2(e, kSetCopy); }),
      events("set and wait", false,
             [&](Rig&, CommandBuffer& cb, const Event& e) { both(cb, e, {.memory_barriers = {kSetCopy}}); }),
      events("set and wait, no accesses", true,
             [&](Rig&, CommandBuffer& cb, const Event& e) { both(cb, e, {.memory_barriers = {kCopyThenCopy}}); }),
      events("set and wait at other stages", true,
             [&](Rig&, CommandBuffer& cb, const Event& e) {
               both(cb, e, {.memory_barriers = {{S::ComputeShader, A::MemoryWrite, S::Copy, A::TransferRead}}});
             }),
      events("set and wait, of the buffer", false,
             [&](Rig& rig, CommandBuffer& cb, const Event& e) {
               both(cb, e, {.buffer_memory_barriers = {{S::Copy, A::TransferWrite, S::Copy, A::TransferRead, rig.b}}});
             }),
      events("set and wait, of another buffer", true,
             [&](Rig& rig, CommandBuffer& cb, const Event& e) {
               both(cb, e, {.buffer_memory_barriers = {{S::Copy, A::TransferWrite, S::Copy, A::TransferRead, rig.a}}});
             }),
      events("a copy behind the set", true,
             [](Rig& rig, CommandBuffer& cb, const Event& e) {
               cb.set_event2(e, kSetCopy);
               cb.fill_buffer(rig.b, 0, 4, 1);
               cb.wait_event2(e, kSetCopy);
             }),
      events("a copy of another buffer behind the set", false,
             [](Rig& rig, CommandBuffer& cb, const Event& e) {
               cb.set_event2(e, kSetCopy);
               cb.fill_buffer(rig.exclusive, 0, 4, 1);
               cb.wait_event2(e, kSetCopy);
             }),
      events("set, wait, reset and set again", false,
             [&](Rig&, CommandBuffer& cb, const Event& e) {
               both(cb, e, {.memory_barriers = {kSetCopy}});
               cb.reset_event2(e, S::Copy);
               cb.pipeline_barrier2(kAllToAll);
               cb.set_event2(e, kSetCopy);
             }),
  });
}

TEST_CASE("events that nothing orders are refused where they are set or reset again") {
  const auto refused = [](const Record& commands, const std::string& words) {
    Rig rig(1);
    INFO(words);
    CHECK_THROWS_WITH(rig.run(commands), Catch::Contains(words));
  };
  Rig rig(1);
  const Event event = rig.device.event("copied");
  refused([&](CommandBuffer& cb) { cb.wait_event2(event, kSetCopy); }, "deadlock");
  refused(
      [&](CommandBuffer& cb) {
        cb.set_event2(event, kSetCopy);
        cb.reset_event2(event, S::Copy);
      },
      "reset_event2 of 'copied': no execution dependency between set_event2");
  refused(
      [&](CommandBuffer& cb) {
        cb.set_event2(event, kSetCopy);
        cb.wait_event2(event, kSetCopy);
        cb.reset_event2(event, S::ComputeShader);
      },
      "record pipeline_barrier2 between them, from ALL_COMMANDS to COMPUTE_SHADER");
  refused(
      [&](CommandBuffer& cb) {
        cb.reset_event2(event, S::Copy);
        cb.set_event2(event, kSetCopy);
      },
      "set_event2 of 'copied'");
  const auto of_other_queue = [&] {
    rig.submit(0, [&](CommandBuffer& cb) { cb.set_event2(event, kSetCopy); });
    rig.submit(1, [&](CommandBuffer& cb) { cb.wait_event2(event, kSetCopy); });
  };
  CHECK_THROWS_WITH(of_other_queue(), Catch::Contains("another queue has set it"));
  const auto with_other_barriers = [&] {
    Rig other(1);
    const Event one = other.device.event("two barriers");
    other.run([&](CommandBuffer& cb) {
      cb.set_event2(one, DependencyInfo{.memory_barriers = {kSetCopy, kSetCopy}});
      cb.wait_event2(one, kSetCopy);
    });
  };
  CHECK_THROWS_WITH(with_other_barriers(), Catch::Contains("'two barriers'"));
}

TEST_CASE("command buffers, batches and submissions of a queue order nothing by themselves") {
  check_hazards({
      {"two command buffers of a batch", true,
       [](Rig& rig) {
         rig.device.queue().submit2(
             {{.command_buffers = {rig.record(copy(rig.a, rig.b)), rig.record(copy(rig.b, rig.c))}}});
       }},
      {"two command buffers of a batch, barrier in the first", false,
       [](Rig& rig) {
         const Record first = [&](CommandBuffer& cb) {
           cb.copy_buffer(rig.a, rig.b);
           cb.pipeline_barrier2(kCopyToCopy);
         };
         rig.device.queue().submit2({{.command_buffers = {rig.record(first), rig.record(copy(rig.b, rig.c))}}});
       }},
      {"two batches", true,
       [](Rig& rig) {
         rig.device.queue().submit2({{.command_buffers = {rig.record(copy(rig.a, rig.b))}},
                                     {.command_buffers = {rig.record(copy(rig.b, rig.c))}}});
       }},
      {"two submissions", true, [](Rig& rig) { rig.run(copy(rig.a, rig.b), copy(rig.b, rig.c)); }},
      {"two submissions, barrier in the second", false,
       [](Rig& rig) {
         rig.run(copy(rig.a, rig.b), [&](CommandBuffer& cb) {
           cb.pipeline_barrier2(kCopyToCopy);
           cb.copy_buffer(rig.b, rig.c);
         });
       }},
  });
}

TEST_CASE("waits of the host order two submissions of a queue") {
  check_hazards({
      {"two submissions with wait_idle of the queue", false,
       [](Rig& rig) {
         rig.run(copy(rig.a, rig.b));
         rig.device.queue().wait_idle();
         rig.run(copy(rig.b, rig.c));
       }},
      {"two submissions with wait_idle of the device", false,
       [](Rig& rig) {
         rig.run(copy(rig.a, rig.b));
         rig.device.wait_idle();
         rig.run(copy(rig.b, rig.c));
       }},
      {"two submissions with wait_idle of another queue", true,
       [](Rig& rig) {
         rig.run(copy(rig.a, rig.b));
         rig.device.queue(0, 1).wait_idle();
         rig.run(copy(rig.b, rig.c));
       }},
      {"two submissions with a fence", false,
       [](Rig& rig) {
         const Fence fence = rig.device.fence();
         rig.device.queue().submit2(rig.record(copy(rig.a, rig.b)), fence);
         fence.wait();
         rig.run(copy(rig.b, rig.c));
       }},
      {"two submissions with the fence of an earlier one", true,
       [](Rig& rig) {
         const Fence fence = rig.device.fence();
         rig.device.queue().submit2(std::vector<SubmitInfo2>{}, fence);
         rig.run(copy(rig.a, rig.b));
         fence.wait();
         rig.run(copy(rig.b, rig.c));
       }},
      {"one command buffer twice", true,
       [](Rig& rig) {
         const CommandBuffer commands = rig.record(copy(rig.a, rig.b));
         rig.device.queue().submit2(commands);
         rig.device.queue().submit2(commands);
       }},
      {"one command buffer that ends with a barrier, twice", false,
       [](Rig& rig) {
         const CommandBuffer commands = rig.record([&](CommandBuffer& cb) {
           cb.copy_buffer(rig.a, rig.b);
           cb.pipeline_barrier2(kCopyToCopy);
         });
         rig.device.queue().submit2(commands);
         rig.device.queue().submit2(commands);
       }},
  });
}

TEST_CASE("secondary command buffers have the hazards of their commands, where they stand") {
  const auto with_secondary = [](const char* name, bool has_hazard, bool inside, bool outside) {
    return HazardCase{name, has_hazard, [=](Rig& rig) {
                        CommandBuffer inner = rig.device.command_buffer("inner", {.is_secondary = true});
                        inner.begin();
                        inner.copy_buffer(rig.a, rig.b);
                        if (inside) inner.pipeline_barrier2(kCopyToCopy);
                        inner.end();
                        rig.run([&](CommandBuffer& cb) {
                          cb.execute_commands(inner);
                          if (outside) cb.pipeline_barrier2(kCopyToCopy);
                          cb.copy_buffer(rig.b, rig.c);
                        });
                      }};
  };
  check_hazards({
      with_secondary("no barrier", true, false, false),
      with_secondary("a barrier in it", false, true, false),
      with_secondary("a barrier behind it", false, false, true),
  });
}

TEST_CASE("semaphores order two queues at their stages") {
  const auto binary = [](const char* name, bool has_hazard, S signaled, S waited) {
    return HazardCase{name, has_hazard, [=](Rig& rig) {
                        const Semaphore ready = rig.device.semaphore("ready");
                        rig.submit(0, copy(rig.a, rig.b), {}, {{ready, 0, signaled}});
                        rig.submit(1, copy(rig.b, rig.c), {{ready, 0, waited}}, {});
                      }};
  };
  const auto timeline = [](const char* name, bool has_hazard, std::uint64_t signaled, std::uint64_t waited,
                           bool wait_first) {
    return HazardCase{name, has_hazard, [=](Rig& rig) {
                        const Semaphore progress = rig.device.timeline_semaphore(0, "progress");
                        rig.submit(0, [](CommandBuffer&) {}, {}, {{progress, 1}});
                        if (wait_first) rig.submit(1, copy(rig.b, rig.c), {{progress, waited}}, {});
                        rig.submit(0, copy(rig.a, rig.b), {}, {{progress, signaled}});
                        if (!wait_first) rig.submit(1, copy(rig.b, rig.c), {{progress, waited}}, {});
                      }};
  };
  const auto two = [](const char* name, bool has_hazard, Words Rig::*from, Words Rig::*to, Words Rig::*second_from,
                      Words Rig::*second_to) {
    return HazardCase{name, has_hazard, [=](Rig& rig) {
                        rig.submit(0, copy(rig.*from, rig.*to));
                        rig.submit(1, copy(rig.*second_from, rig.*second_to));
                      }};
  };
  check_hazards({
      two("read after write", true, &Rig::a, &Rig::b, &Rig::b, &Rig::c),
      two("write after write", true, &Rig::a, &Rig::b, &Rig::c, &Rig::b),
      two("write after read", true, &Rig::a, &Rig::b, &Rig::c, &Rig::a),
      two("read after read", false, &Rig::a, &Rig::b, &Rig::a, &Rig::c),
      binary("all commands", false, S::AllCommands, S::AllCommands),
      binary("copies", false, S::Copy, S::Copy),
      binary("a signal of shaders", true, S::ComputeShader, S::AllCommands),
      binary("a wait of shaders", true, S::AllCommands, S::ComputeShader),
      timeline("the value", false, 2, 2, false),
      timeline("the value, waited for before", false, 2, 2, true),
      timeline("a smaller value", true, 2, 1, false),
      timeline("a smaller value, waited for before", true, 2, 1, true),
  });
}

TEST_CASE("semaphores make chains with what is on their queues") {
  check_hazards({
      {"a semaphore, and a barrier of the waiting queue", false,
       [](Rig& rig) {
         const Semaphore ready = rig.device.semaphore("ready");
         rig.submit(0, [&](CommandBuffer& cb) { Rig::write(cb, rig.b); }, {}, {{ready}});
         rig.submit(1,
                    [&](CommandBuffer& cb) {
                      cb.pipeline_barrier2({S::ComputeShader, A::None, S::Copy, A::TransferRead});
                      cb.copy_buffer(rig.b, rig.c);
                    },
                    {{ready, 0, S::ComputeShader}}, {});
       }},
      {"a barrier of another queue alone", true,
       [](Rig& rig) {
         rig.submit(0, copy(rig.a, rig.b));
         rig.submit(1, [&](CommandBuffer& cb) {
           cb.pipeline_barrier2(kAllToAll);
           cb.copy_buffer(rig.b, rig.c);
         });
       }},
      {"three queues in a ring", false,
       [](Rig& rig) {
         const Semaphore first = rig.device.semaphore("first");
         const Semaphore second = rig.device.semaphore("second");
         rig.submit(0, copy(rig.a, rig.b), {}, {{first}});
         rig.device.queue(1).submit2({{.wait_semaphores = {{first}},
                                       .command_buffers = {rig.record(copy(rig.b, rig.c))},
                                       .signal_semaphores = {{second}}}});
         rig.submit(1, copy(rig.c, rig.a), {{second}}, {});
       }},
      {"what is before a batch of the signal, in its queue", false,
       [](Rig& rig) {
         const Semaphore ready = rig.device.semaphore("ready");
         rig.submit(0, copy(rig.a, rig.b));
         rig.submit(0, [](CommandBuffer&) {}, {}, {{ready}});
         rig.submit(1, copy(rig.b, rig.c), {{ready}}, {});
       }},
      {"what is behind a batch of the wait, in its queue", false,
       [](Rig& rig) {
         const Semaphore ready = rig.device.semaphore("ready");
         rig.submit(0, copy(rig.a, rig.b), {}, {{ready}});
         rig.submit(1, [](CommandBuffer&) {}, {{ready}}, {});
         rig.submit(1, copy(rig.b, rig.c));
       }},
      {"a copy behind the signal", true,
       [](Rig& rig) {
         const Semaphore ready = rig.device.semaphore("ready");
         rig.submit(0, [](CommandBuffer&) {}, {}, {{ready}});
         rig.submit(0, copy(rig.a, rig.b));
         rig.submit(1, copy(rig.b, rig.c), {{ready}}, {});
       }},
  });
}

TEST_CASE("contents pass between families by a release and its acquire") {
  const auto passes = [](const char* name, bool has_hazard, bool releases, bool acquires, bool waits) {
    return HazardCase{name, has_hazard, [=](Rig& rig) {
                        const Semaphore ready = rig.device.semaphore("ready");
                        const auto half = [&](bool source) {
                          return BufferMemoryBarrier2{source ? S::Copy : S::None,
                                                      source ? A::TransferWrite : A::None,
                                                      source ? S::None : S::Copy,
                                                      source ? A::None : A::TransferRead,
                                                      rig.exclusive,
                                                      0,
                                                      1};
                        };
                        rig.submit(0,
                                   [&](CommandBuffer& cb) {
                                     cb.copy_buffer(rig.a, rig.exclusive);
                                     if (releases) cb.pipeline_barrier2(half(true));
                                   },
                                   {}, {{ready}});
                        SubmitInfo2 batch{.command_buffers = {rig.record([&](CommandBuffer& cb) {
                                            if (acquires) cb.pipeline_barrier2(half(false));
                                            cb.copy_buffer(rig.exclusive, rig.b);
                                          })}};
                        if (waits) batch.wait_semaphores = {{ready}};
                        rig.device.queue(1).submit2({batch});
                      }};
  };
  check_hazards({
      passes("released and acquired", false, true, true, true),
      passes("acquired alone", true, false, true, true),
      passes("released alone", true, true, false, true),
      passes("neither", true, false, false, true),
      passes("released and acquired, no semaphore", true, true, true, false),
  });
}
