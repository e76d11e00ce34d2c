#include "tests/queues/hazards.h"

using namespace queue_tests;

namespace {

constexpr auto kStoresTexels = [](auto& inv, StorageImage<std::uint32_t, ImageDim::Dim2D> auto image) {
  image.write({static_cast<std::int32_t>(inv.global_invocation_id().x), 0}, 7u);
};
constexpr auto kReadsUniform = [](auto& inv, Uniform<std::uint32_t> auto x, StorageBuffer<std::uint32_t> auto to) {
  to[inv.global_invocation_id().x] = x[inv.global_invocation_id().x];
};
constexpr auto kReadsNothing = [](auto& inv, StorageBuffer<const std::uint32_t> auto,
                                  StorageBuffer<std::uint32_t> auto to) { to[inv.global_invocation_id().x] = 2; };
constexpr auto kParameters = [](auto&, StorageBuffer<std::uint32_t> auto x) {
  for (std::uint32_t n = 0; n < 3; ++n) x[n] = 1;
};
constexpr auto kAddsOne = [](auto& inv, StorageBuffer<std::uint32_t> auto x) {
  inv.atomic_i_add(x[0], Scope::Device, MemorySemantics::Relaxed, 1u);
};

/// Two steps with a barrier between them, if there is one.
using Step = std::function<void(Rig&, CommandBuffer&)>;
HazardCase steps(const char* name, bool has_hazard, const Step& first, const std::vector<MemoryBarrier2>& barriers,
                 const Step& second) {
  return {name, has_hazard, [=](Rig& rig) {
            rig.run([&](CommandBuffer& cb) {
              first(rig, cb);
              for (const MemoryBarrier2& one : barriers) cb.pipeline_barrier2(one);
              second(rig, cb);
            });
          }};
}

const Step kWritesA = [](Rig& rig, CommandBuffer& cb) { Rig::write(cb, rig.a); };
const Step kReadsA = [](Rig& rig, CommandBuffer& cb) { Rig::read(cb, rig.a, rig.b); };
const Step kReadsAInto = [](Rig& rig, CommandBuffer& cb) { Rig::read(cb, rig.a, rig.c); };
const Step kCopiesA = [](Rig& rig, CommandBuffer& cb) { cb.copy_buffer(rig.a, rig.b); };
const Step kCopiesToA = [](Rig& rig, CommandBuffer& cb) { cb.copy_buffer(rig.b, rig.a); };
const Step kFillsA = [](Rig& rig, CommandBuffer& cb) { cb.fill_buffer(rig.a, 0, kWholeSize, 1); };
const Step kIndirectA = [](Rig& rig, CommandBuffer& cb) { cb.dispatch_indirect(kWrites, rig.a, {8}, rig.b); };
const Step kWritesParameters = [](Rig& rig, CommandBuffer& cb) { cb.dispatch(kParameters, {1}, {1}, rig.a); };
const Step kUniformA = [](Rig& rig, CommandBuffer& cb) { cb.dispatch(kReadsUniform, {1}, {8}, uniform(rig.a), rig.b); };

}  // namespace

TEST_CASE("dispatches have the hazards of what their shaders access") {
  const MemoryBarrier2 read_alone{S::ComputeShader, A::ShaderStorageWrite, S::ComputeShader, A::ShaderStorageRead};
  const MemoryBarrier2 execution{S::ComputeShader, A::None, S::ComputeShader, A::None};
  check_hazards({
      steps("read after write", true, kWritesA, {}, kReadsA),
      steps("write after write", true, kWritesA, {}, kWritesA),
      steps("write after read", true, kReadsA, {}, kWritesA),
      steps("read after read", false, kReadsA, {}, kReadsAInto),
      steps("read after write, barrier", false, kWritesA, {read_alone}, kReadsA),
      steps("read after write, shader read and write", false, kWritesA,
            {{S::ComputeShader, A::ShaderWrite, S::ComputeShader, A::ShaderRead}}, kReadsA),
      steps("read after write, execution dependency", true, kWritesA, {execution}, kReadsA),
      steps("write after write, execution dependency", true, kWritesA, {execution}, kWritesA),
      steps("write after read, execution dependency", false, kReadsA, {execution}, kWritesA),
      steps("read after write, barrier of uniforms", true, kWritesA,
            {{S::ComputeShader, A::ShaderStorageWrite, S::ComputeShader, A::UniformRead}}, kReadsA),
      steps("uniform read after write", true, kWritesA, {read_alone}, kUniformA),
      steps("uniform read after write, barrier", false, kWritesA,
            {{S::ComputeShader, A::ShaderStorageWrite, S::ComputeShader, A::UniformRead}}, kUniformA),
      steps("a buffer that is bound and not read", false, kWritesA, {},
            [](Rig& rig, CommandBuffer& cb) { cb.dispatch(kReadsNothing, {1}, {8}, read_only(rig.a), rig.b); }),
      steps("other elements of the buffer", false, kWritesA, {},
            [](Rig& rig, CommandBuffer& cb) { cb.dispatch(kWrites, {1}, {8}, part(rig.a, 8, 8)); }),
      steps("elements that meet", true, kWritesA, {},
            [](Rig& rig, CommandBuffer& cb) { cb.dispatch(kWrites, {1}, {8}, part(rig.a, 7, 8)); }),
      steps("read after copy", true, kCopiesToA, {}, kReadsA),
      steps("read after copy, barrier", true, kCopiesToA, {kCopyToCompute},
            [](Rig& rig, CommandBuffer& cb) {
              Rig::read(cb, rig.a, rig.c);
              Rig::write(cb, rig.a);
            }),
      steps("read after copy, barrier, one read", false, kCopiesToA, {kCopyToCompute}, kReadsAInto),
      steps("copy after write", true, kWritesA, {}, kCopiesA),
      steps("copy after write, barrier", false, kWritesA, {kComputeToCopy}, kCopiesA),
      steps("copy after write, barrier the wrong way round", true, kWritesA, {kCopyToCompute}, kCopiesA),
      steps("fill after read", true, kReadsA, {}, kFillsA),
      steps("fill after read, execution dependency", false, kReadsA, {{S::ComputeShader, A::None, S::Clear, A::None}},
            kFillsA),
      steps("fill after read, stage of copies", true, kReadsA, {{S::ComputeShader, A::None, S::Copy, A::None}},
            kFillsA),
      steps(
          "atomics of two dispatches", false,
          [](Rig& rig, CommandBuffer& cb) { cb.dispatch(kAddsOne, {1}, {8}, rig.a); }, {},
          [](Rig& rig, CommandBuffer& cb) { cb.dispatch(kAddsOne, {1}, {8}, rig.a); }),
      steps(
          "an atomic and a copy", true, [](Rig& rig, CommandBuffer& cb) { cb.dispatch(kAddsOne, {1}, {8}, rig.a); }, {},
          kCopiesA),
      steps("two commands between", true, kWritesA, {kAllToAll},
            [](Rig& rig, CommandBuffer& cb) {
              Rig::read(cb, rig.a, rig.b);
              cb.copy_buffer(rig.b, rig.c);
            }),
  });
}

TEST_CASE("texels that shaders store have hazards as buffers have") {
  const Step stores = [](Rig& rig, CommandBuffer& cb) { cb.dispatch(kStoresTexels, {1}, {8}, rig.i); };
  const Step copies = [](Rig& rig, CommandBuffer& cb) { cb.copy_image(rig.i, rig.j, {{.extent = {8, 1, 1}}}); };
  const Step copies_below = [](Rig& rig, CommandBuffer& cb) {
    cb.copy_image(rig.i, rig.j, {{.src_offset = {0, 1, 0}, .extent = {8, 1, 1}}});
  };
  const Step clears = [](Rig& rig, CommandBuffer& cb) { cb.clear_color_image(rig.i, 0u); };
  check_hazards({
      steps("copy after store", true, stores, {}, copies),
      steps("copy after store, barrier", false, stores, {kComputeToCopy}, copies),
      steps("copy of other rows after store", false, stores, {}, copies_below),
      steps("store after clear", true, clears, {}, stores),
      steps("store after clear, barrier", false, clears,
            {{S::Clear, A::TransferWrite, S::ComputeShader, A::ShaderStorageWrite}}, stores),
      steps("store after clear, barrier of copies", true, clears, {kCopyToCompute}, stores),
      steps("store after store", true, stores, {}, stores),
      steps("store after store, barrier", false, stores, {kComputeToCompute}, stores),
  });
}

TEST_CASE("parameters of indirect dispatches have hazards at their own stage") {
  const MemoryBarrier2 right{S::ComputeShader, A::ShaderStorageWrite, S::DrawIndirect, A::IndirectCommandRead};
  check_hazards({
      steps("parameters that a shader writes", true, kWritesParameters, {}, kIndirectA),
      steps("parameters that a shader writes, barrier", false, kWritesParameters, {right}, kIndirectA),
      steps("parameters, barrier of shader reads", true, kWritesParameters, {kComputeToCompute}, kIndirectA),
      steps("parameters, access of shader reads", true, kWritesParameters,
            {{S::ComputeShader, A::ShaderStorageWrite, S::DrawIndirect, A::ShaderStorageRead}}, kIndirectA),
      steps("parameters, all memory", false, kWritesParameters, {kAllToAll}, kIndirectA),
      steps("parameters that are overwritten", true, kIndirectA, {}, kFillsA),
      steps("parameters that are overwritten behind", false, kIndirectA,
            {{S::DrawIndirect, A::None, S::Clear, A::None}}, kFillsA),
      steps("parameters that are overwritten behind the shader", false, kIndirectA,
            {{S::ComputeShader, A::None, S::Clear, A::None}}, kFillsA),
      steps("what an indirect dispatch writes", true, kIndirectA,
            {{S::DrawIndirect, A::MemoryWrite, S::Copy, A::MemoryRead}},
            [](Rig& rig, CommandBuffer& cb) { cb.copy_buffer(rig.b, rig.c); }),
      steps("what an indirect dispatch writes, barrier", false, kIndirectA, {kComputeToCopy},
            [](Rig& rig, CommandBuffer& cb) { cb.copy_buffer(rig.b, rig.c); }),
  });
}

TEST_CASE("aliases have the hazards of their bytes, and barriers of one are not of the other") {
  const auto aliased = [](const char* name, bool has_hazard, std::uint64_t offset, std::uint64_t count, int barriers) {
    return HazardCase{
        name, has_hazard, [=](Rig& rig) {
          const auto other = rig.memory_a.buffer_at<std::uint16_t>(offset, count);
          rig.run([&](CommandBuffer& cb) {
            Rig::write(cb, rig.a);
            BufferMemoryBarrier2 one{S::ComputeShader, A::ShaderStorageWrite, S::Copy, A::TransferRead, rig.a};
            DependencyInfo both{.buffer_memory_barriers = {one, one}};
            both.buffer_memory_barriers.back().buffer = other;
            if (barriers == 1) cb.pipeline_barrier2(one);
            if (barriers == 2) cb.pipeline_barrier2(both);
            if (barriers == 3) cb.pipeline_barrier2(kComputeToCopy);
            cb.copy_buffer(other, rig.b);
          });
        }};
  };
  check_hazards({
      aliased("the same bytes", true, 0, 4, 0),
      aliased("bytes behind them", false, 32, 8, 0),
      aliased("the last two bytes", true, 30, 8, 0),
      aliased("a barrier of the one", true, 0, 4, 1),
      aliased("a barrier of each", false, 0, 4, 2),
      aliased("a memory barrier", false, 0, 4, 3),
      aliased("a barrier of each, at an offset", false, 16, 4, 2),
  });
}
