#include "tests/queues/hazards.h"

using namespace queue_tests;

namespace {

/// Two copies with something between them.
HazardCase copies(const char* name, bool has_hazard, Words Rig::*from, Words Rig::*to, Words Rig::*second_from,
                  Words Rig::*second_to, const Record& between = {}) {
  return {name, has_hazard, [=](Rig& rig) {
            rig.run([&](CommandBuffer& cb) {
              cb.copy_buffer(rig.*from, rig.*to);
              if (between) between(cb);
              cb.copy_buffer(rig.*second_from, rig.*second_to);
            });
          }};
}

Record barrier(const MemoryBarrier2& masks) {
  return [masks](CommandBuffer& cb) { cb.pipeline_barrier2(masks); };
}

/// Bytes of the first or the second half.
constexpr BufferCopy kFirstHalf{0, 0, kWords * 2};
constexpr BufferCopy kSecondHalf{kWords * 2, kWords * 2, kWords * 2};

}  // namespace

TEST_CASE("copies of buffers have the hazards that their order leaves, and no others") {
  const auto a = &Rig::a;
  const auto b = &Rig::b;
  const auto c = &Rig::c;
  check_hazards({
      copies("write after read", true, a, b, c, a),
      copies("read after write", true, a, b, b, c),
      copies("write after write", true, a, b, c, b),
      copies("read after read", false, a, b, a, c),
      copies("write after read, execution dependency", false, a, b, c, a, barrier(kCopyThenCopy)),
      copies("read after write, execution dependency", true, a, b, b, c, barrier(kCopyThenCopy)),
      copies("write after write, execution dependency", true, a, b, c, b, barrier(kCopyThenCopy)),
      copies("read after write, barrier", false, a, b, b, c, barrier(kCopyToCopy)),
      copies("write after write, barrier", false, a, b, c, b, barrier(kCopyToCopy)),
      copies("source access of a read", true, a, b, b, c,
             barrier({S::Copy, A::TransferRead, S::Copy, A::TransferRead | A::TransferWrite})),
      copies("source access of a shader", true, a, b, b, c,
             barrier({S::AllCommands, A::ShaderStorageWrite, S::Copy, A::TransferRead})),
      copies("destination access of a write alone", true, a, b, b, c,
             barrier({S::Copy, A::TransferWrite, S::Copy, A::TransferWrite})),
      copies("source stage of shaders", true, a, b, b, c,
             barrier({S::ComputeShader, A::MemoryWrite, S::Copy, A::TransferRead})),
      copies("destination stage of shaders", true, a, b, b, c,
             barrier({S::Copy, A::TransferWrite, S::ComputeShader, A::MemoryRead})),
      copies("source stage of clears", true, a, b, b, c,
             barrier({S::Clear, A::TransferWrite, S::Copy, A::TransferRead})),
      copies("all transfers", false, a, b, b, c,
             barrier({S::AllTransfer, A::TransferWrite, S::AllTransfer, A::TransferRead})),
      copies("all commands, all memory", false, a, b, b, c, barrier(kAllToAll)),
      copies("all commands, no memory", true, a, b, b, c, barrier({S::AllCommands, A::None, S::AllCommands, A::None})),
      copies("nothing in front", true, a, b, b, c, barrier({S::None, A::None, S::Copy, A::TransferRead})),
      copies("nothing behind", true, a, b, b, c, barrier({S::Copy, A::TransferWrite, S::None, A::None})),
      copies("a chain of two barriers", false, a, b, b, c,
             [](CommandBuffer& cb) {
               cb.pipeline_barrier2({S::Copy, A::TransferWrite, S::ComputeShader, A::ShaderStorageRead});
               cb.pipeline_barrier2({S::ComputeShader, A::None, S::Copy, A::TransferRead});
             }),
      copies("two barriers without a common stage", true, a, b, b, c,
             [](CommandBuffer& cb) {
               cb.pipeline_barrier2({S::Copy, A::TransferWrite, S::ComputeShader, A::ShaderStorageRead});
               cb.pipeline_barrier2({S::Clear, A::None, S::Copy, A::TransferRead});
             }),
      copies("a chain whose end makes nothing visible", true, a, b, b, c,
             [](CommandBuffer& cb) {
               cb.pipeline_barrier2({S::Copy, A::TransferWrite, S::ComputeShader, A::ShaderStorageRead});
               cb.pipeline_barrier2({S::ComputeShader, A::None, S::Copy, A::None});
             }),
      copies("write after read, chain of executions", false, a, b, c, a,
             [](CommandBuffer& cb) {
               cb.pipeline_barrier2({S::Copy, A::None, S::ComputeShader, A::None});
               cb.pipeline_barrier2({S::ComputeShader, A::None, S::Copy, A::None});
             }),
  });
}

TEST_CASE("copies of parts of buffers have hazards where the parts meet") {
  const auto parts = [](const char* name, bool has_hazard, const std::vector<BufferCopy>& first,
                        const std::vector<BufferCopy>& second) {
    return HazardCase{name, has_hazard, [=](Rig& rig) {
                        rig.run([&](CommandBuffer& cb) {
                          cb.copy_buffer(rig.a, rig.b, first);
                          cb.copy_buffer(rig.b, rig.c, second);
                        });
                      }};
  };
  const auto of_buffer = [](const char* name, bool has_hazard, std::uint64_t offset, std::uint64_t size, bool other) {
    return HazardCase{name, has_hazard, [=](Rig& rig) {
                        rig.run([&](CommandBuffer& cb) {
                          cb.copy_buffer(rig.a, rig.b, kFirstHalf);
                          cb.pipeline_barrier2(BufferMemoryBarrier2{.src_stage_mask = S::Copy,
                                                                    .src_access_mask = A::TransferWrite,
                                                                    .dst_stage_mask = S::Copy,
                                                                    .dst_access_mask = A::TransferRead,
                                                                    .buffer = other ? rig.a : rig.b,
                                                                    .offset = offset,
                                                                    .size = size});
                          cb.copy_buffer(rig.b, rig.c, kFirstHalf);
                        });
                      }};
  };
  check_hazards({
      parts("the same half", true, {kFirstHalf}, {kFirstHalf}),
      parts("other halves", false, {kFirstHalf}, {kSecondHalf}),
      parts("one of two regions", true, {kFirstHalf, kSecondHalf}, {kSecondHalf}),
      parts("regions in gaps", false, {{0, 0, 16}, {32, 32, 16}}, {{16, 16, 16}, {48, 48, 16}}),
      parts("one word of the last region", true, {{0, 0, 16}, {32, 32, 16}}, {{16, 16, 16}, {44, 48, 16}}),
      parts("no regions", false, {}, {kFirstHalf}),
      parts("one byte", true, {{0, 0, 4}}, {{3, 3, 1}}),
      parts("another byte of the word", false, {{0, 0, 2}}, {{2, 2, 2}}),
      of_buffer("a barrier of all of the buffer", false, 0, kWholeSize, false),
      of_buffer("a barrier of the half", false, 0, kWords * 2, false),
      of_buffer("a barrier of too little", true, 0, kWords, false),
      of_buffer("a barrier of the other half", true, kWords * 2, kWholeSize, false),
      of_buffer("a barrier of another buffer", true, 0, kWholeSize, true),
      {"a copy inside of one buffer, and back", true,
       [](Rig& rig) {
         rig.run([&](CommandBuffer& cb) {
           cb.copy_buffer(rig.a, rig.a, {0, kWords * 2, kWords * 2});
           cb.copy_buffer(rig.a, rig.a, {kWords * 2, 0, kWords * 2});
         });
       }},
      {"a copy inside of one buffer", false,
       [](Rig& rig) {
         rig.run([&](CommandBuffer& cb) { cb.copy_buffer(rig.a, rig.a, {0, kWords * 2, kWords * 2}); });
       }},
  });
}

TEST_CASE("fills, updates and clears have the hazards of writes at the stage of clears") {
  const auto fill = [](CommandBuffer& cb, Words& to) { cb.fill_buffer(to, 0, kWholeSize, 3); };
  const auto update = [](CommandBuffer& cb, Words& to) {
    cb.update_buffer(to, 0, std::span<const std::uint32_t>(std::array<std::uint32_t, 2>{8, 9}));
  };
  const auto then_copied = [](const char* name, bool has_hazard, const auto& writes,
                              const std::vector<MemoryBarrier2>& barriers) {
    return HazardCase{name, has_hazard, [=](Rig& rig) {
                        rig.run([&](CommandBuffer& cb) {
                          writes(cb, rig.a);
                          for (const MemoryBarrier2& one : barriers) cb.pipeline_barrier2(one);
                          cb.copy_buffer(rig.a, rig.b);
                        });
                      }};
  };
  const MemoryBarrier2 clear_to_copy{S::Clear, A::TransferWrite, S::Copy, A::TransferRead};
  const MemoryBarrier2 clear_to_clear{S::Clear, A::TransferWrite, S::Clear, A::TransferWrite};
  check_hazards({
      then_copied("a fill, then a copy", true, fill, {}),
      then_copied("a fill, a barrier, then a copy", false, fill, {clear_to_copy}),
      then_copied("a fill, a barrier of copies, then a copy", true, fill, {kCopyToCopy}),
      then_copied("an update, then a copy", true, update, {}),
      then_copied("an update, a barrier, then a copy", false, update, {clear_to_copy}),
      then_copied("an update, a barrier of all transfers, then a copy", false, update,
                  {{S::AllTransfer, A::TransferWrite, S::AllTransfer, A::TransferRead}}),
      {"two fills", true,
       [&](Rig& rig) {
         rig.run([&](CommandBuffer& cb) {
           fill(cb, rig.a);
           fill(cb, rig.a);
         });
       }},
      {"two fills with a barrier", false,
       [&](Rig& rig) {
         rig.run([&](CommandBuffer& cb) {
           fill(cb, rig.a);
           cb.pipeline_barrier2(clear_to_clear);
           update(cb, rig.a);
         });
       }},
      {"two fills of parts", false,
       [&](Rig& rig) {
         rig.run([&](CommandBuffer& cb) {
           cb.fill_buffer(rig.a, 0, 16, 1);
           cb.fill_buffer(rig.a, 16, 16, 1);
         });
       }},
  });
}

TEST_CASE("clears of images have the hazards of writes at the stage of clears") {
  check_hazards({
      {"two clears of an image", true,
       [&](Rig& rig) {
         rig.run([&](CommandBuffer& cb) {
           cb.clear_color_image(rig.i, 1u);
           cb.clear_color_image(rig.i, 2u);
         });
       }},
      {"a clear of an image that is copied", true,
       [&](Rig& rig) {
         rig.run([&](CommandBuffer& cb) {
           cb.copy_image(rig.i, rig.j, {{.extent = {8, 8, 1}}});
           cb.clear_color_image(rig.i, 2u);
         });
       }},
      {"a clear of an image behind its copy", false,
       [&](Rig& rig) {
         rig.run([&](CommandBuffer& cb) {
           cb.copy_image(rig.i, rig.j, {{.extent = {8, 8, 1}}});
           cb.pipeline_barrier2({S::Copy, A::None, S::Clear, A::None});
           cb.clear_color_image(rig.i, 2u);
         });
       }},
  });
}

TEST_CASE("copies of images have hazards where their boxes meet") {
  const auto boxes = [](const char* name, bool has_hazard, const ImageCopy& first, const ImageCopy& second,
                        const Record& between = {}) {
    return HazardCase{name, has_hazard, [=](Rig& rig) {
                        rig.run([&](CommandBuffer& cb) {
                          cb.copy_image(rig.i, rig.j, {first});
                          if (between) between(cb);
                          cb.copy_image(rig.j, rig.k, {second});
                        });
                      }};
  };
  const ImageCopy all{.extent = {8, 8, 1}};
  const ImageCopy left{.extent = {4, 8, 1}};
  const ImageCopy right{.src_offset = {4, 0, 0}, .dst_offset = {4, 0, 0}, .extent = {4, 8, 1}};
  const ImageCopy corner{.src_offset = {3, 7, 0}, .dst_offset = {0, 0, 0}, .extent = {2, 1, 1}};
  const auto of_image = [](Texels Rig::*image) {
    return [image](Rig& rig, CommandBuffer& cb) {
      cb.pipeline_barrier2(DependencyInfo{.image_memory_barriers = {{S::Copy, A::TransferWrite, S::Copy,
                                                                     A::TransferRead | A::TransferWrite, rig.*image}}});
    };
  };
  const auto with_image = [&](const char* name, bool has_hazard, Texels Rig::*image) {
    return HazardCase{name, has_hazard, [=](Rig& rig) {
                        rig.run([&](CommandBuffer& cb) {
                          cb.copy_image(rig.i, rig.j, {all});
                          of_image(image)(rig, cb);
                          cb.copy_image(rig.j, rig.k, {all});
                        });
                      }};
  };
  const auto buffers = [](const char* name, bool has_hazard, const Record& between, std::uint64_t offset) {
    return HazardCase{name, has_hazard, [=](Rig& rig) {
                        rig.run([&](CommandBuffer& cb) {
                          cb.copy_image_to_buffer(rig.i, rig.a, {{.buffer_offset = 0, .image_extent = {8, 4, 1}}});
                          if (between) between(cb);
                          cb.copy_buffer_to_image(rig.a, rig.j, {{.buffer_offset = offset, .image_extent = {8, 4, 1}}});
                        });
                      }};
  };
  check_hazards({
      boxes("all of it", true, all, all),
      boxes("all of it, barrier", false, all, all, barrier(kCopyToCopy)),
      boxes("all of it, execution dependency", true, all, all, barrier(kCopyThenCopy)),
      boxes("left and right", false, left, right),
      boxes("left and a corner of it", true, left, corner),
      boxes("right and the corner beside it", true, right, corner),
      with_image("a barrier of the image", false, &Rig::j),
      with_image("a barrier of another image", true, &Rig::i),
      buffers("through a buffer", true, {}, 0),
      buffers("through a buffer, barrier", false, barrier(kCopyToCopy), 0),
      buffers("through parts of a buffer", false, {}, 128),
      buffers("through parts of a buffer that meet", true, {}, 124),
  });
}
