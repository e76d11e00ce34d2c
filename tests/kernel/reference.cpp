// Everything that a kernel can say, once each. What follows a line `//@ NAME` up to the next one, or to a line of
// `//@`, is the example of NAME in include/heddle/REFERENCE.md, which .ci/reference.sh makes of this and of the
// headers.

#include "tests/device_under_test.h"

#include <heddle/phases.h>

#include <algorithm>

namespace {

struct Particle {
  heddle::vec3 position;
  float mass;
};
struct Head {
  std::uint32_t count;
};

}  // namespace
//@ HEDDLE_MEMBERS
HEDDLE_MEMBERS(Particle, position, mass)  // now a kernel can say particles[i].position.x += 1.0f
//@
HEDDLE_MEMBERS(Head, count)

using namespace heddle;
using heddle::test::options_for;

namespace {

// Runs a kernel with 64 numbers, of which element i is i, in both modes.
template <typename Kernel>
void run(const Kernel& kernel) {
  for (const Mode mode : {Mode::Native, Mode::Emulated}) {
    Device device(options_for(mode));
    std::vector<std::uint32_t> numbers(64);
    for (std::uint32_t i = 0; i < 64; ++i) numbers[i] = i;
    auto x = device.buffer(numbers, "x");
    auto f = device.buffer(std::vector<float>(64, 1.0f), "f");
    CHECK_NOTHROW(device.dispatch(kernel, {2}, {32}, x, f));
  }
}

}  // namespace

TEST_CASE("the reference's examples of built-ins run") {
  run([](auto& inv, StorageBuffer<std::uint32_t> auto x, StorageBuffer<float> auto) {
    std::uint64_t sum = 0;
    //@ num_workgroups
    const std::uint32_t invocations = inv.num_workgroups().x * inv.workgroup_size().x;
    //@ workgroup_size
    for (std::uint64_t i = inv.global_invocation_id().x; i < x.size(); i += invocations) sum += x[i];
    //@ workgroup_id
    const bool first_workgroup = inv.workgroup_id() == uvec3{0, 0, 0};
    //@ local_invocation_id
    const auto [column, row] = std::pair(inv.local_invocation_id().x, inv.local_invocation_id().y);
    //@ global_invocation_id
    const std::uint32_t i = inv.global_invocation_id().x;
    if (i < x.size()) sum += x[i];
    //@ local_invocation_index
    if (inv.local_invocation_index() == 0) sum = 0;  // one invocation of each workgroup
    //@ subgroup_size
    const std::uint32_t lanes = inv.subgroup_size();
    //@ num_subgroups
    const bool alone = inv.num_subgroups() == 1;
    //@ subgroup_id
    const std::uint32_t warp = inv.subgroup_id();
    //@ subgroup_local_invocation_id
    const std::uint32_t lane = inv.subgroup_local_invocation_id();
    //@ subgroup_eq_mask
    const uvec4 me = inv.subgroup_eq_mask();
    //@ subgroup_ge_mask
    const uvec4 me_and_above = inv.subgroup_ge_mask();
    //@ subgroup_gt_mask
    const uvec4 above = inv.subgroup_gt_mask();
    //@ subgroup_le_mask
    const uvec4 me_and_below = inv.subgroup_le_mask();
    //@ subgroup_lt_mask
    const uvec4 below = inv.subgroup_lt_mask();
    //@ device_index
    const std::uint32_t device = inv.device_index();
    //@ coordinates
    const std::string who = to_string(inv.coordinates());  // as reports name an invocation
    //@
    inv.require((me | below) == me_and_below && (me | above) == me_and_above && lane < lanes && warp == 0 && alone);
    inv.require(device == 0 && !who.empty() && (first_workgroup || sum > 0 || column == 0) && row == 0);
  });
}

TEST_CASE("the reference's examples of memory run") {
  run([](auto& inv, StorageBuffer<std::uint32_t> auto x, StorageBuffer<float> auto f) {
    const std::uint32_t i = inv.local_invocation_index();
    const std::uint32_t mine = inv.global_invocation_id().x;
    //@ workgroup
    auto tile = workgroup<float[32]>(inv, "tile");                      // nothing may be read before it is written
    auto bins = workgroup<std::uint32_t[8]>(inv, "bins", kZeroed);      // starts at zero
    auto row = workgroup<float[]>(inv, inv.workgroup_size().x, "row");  // as large as the dispatch says
    //@ private_variable
    auto stack = private_variable<std::uint32_t[4]>(inv, "stack");
    stack[0] = 7u;
    //@ load
    const std::uint32_t old = inv.load(x[mine]);  // as `x[mine]`
    const std::uint32_t fresh =
        inv.load(x[mine], MemoryOperands::NonPrivatePointer | MemoryOperands::MakePointerVisible, Scope::Device);
    //@ store
    inv.store(x[mine], old);  // as `x[mine] = old`
    inv.store(x[mine], fresh, MemoryOperands::NonPrivatePointer | MemoryOperands::MakePointerAvailable, Scope::Device);
    //@ view_as
    auto quads = view_as<vec4>(f);  // elements 4 q to 4 q + 3 as one vector
    if (i == 0) quads[inv.workgroup_id().x].w = 2.0f;
    //@ part
    auto half = part(tile, i / 16 * 16, 16);  // an array of its own: half[0] is tile[0] or tile[16]
    half[i % 16] = 1.0f;
    //@ reference_to
    auto bin = reference_to(bins[i % 8]);  // to keep, and to pass to functions
    inv.atomic_i_add(bin, Scope::Workgroup, MemorySemantics::Relaxed, 1u);
    //@ read_only
    auto source = read_only(x);  // for a function that takes a StorageBuffer<const std::uint32_t>
    //@
    row[i] = tile[i];
    const std::uint32_t value = source[mine];
    const std::uint32_t top = stack[0];
    inv.require(value == mine && top == 7 && tile[i] == 1.0f);
  });
}

TEST_CASE("the reference's examples of pointers and blocks run") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto x = device.buffer(std::vector<std::uint32_t>(4, 3), "x");
  //@ block
  auto queue = block<Head, float>(device, 100, "queue");  // struct Head { std::uint32_t count; }
  queue.write_header({0});
  device.dispatch(
      [](auto& inv, StorageBlock<Head, float> auto q) {
        const auto slot = inv.atomic_i_increment(q.header.count, Scope::Device, MemorySemantics::Relaxed);
        if (slot < q.size()) q[slot] = 1.0f;
      },
      {2}, {32}, queue);
  //@
  CHECK(queue.header().count == 64);
  device.dispatch(
      [](auto& inv, DeviceAddress<std::uint32_t> address) {
        //@ pointer
        auto p = inv.pointer(address);  // DeviceAddress<T>: from Buffer::address(), or out of a buffer
        const std::uint32_t first = *p, third = p[2];
        //@
        inv.require(first == third);
      },
      {1}, {1}, x.address());
}

TEST_CASE("the reference's examples of atomics run") {
  run([](auto& inv, StorageBuffer<std::uint32_t> auto x, StorageBuffer<float> auto f) {
    const std::uint32_t i = inv.global_invocation_id().x;
    auto s = view_as<std::int32_t>(x);
    //@ atomic_load
    const auto seen = inv.atomic_load(x[0], Scope::Device, kAcquireBuffers);
    //@ atomic_store
    inv.atomic_store(x[i], Scope::Device, kReleaseBuffers, 5u);
    //@ atomic_exchange
    const auto before = inv.atomic_exchange(x[0], Scope::Device, MemorySemantics::Relaxed, 9u);
    //@ atomic_compare_exchange
    const auto found = inv.atomic_compare_exchange(x[0], Scope::Device, kAcquireBuffers, MemorySemantics::Relaxed,
                                                   /*value=*/1u, /*comparator=*/0u);
    const bool locked = found == 0;
    //@ atomic_i_increment
    inv.atomic_i_increment(x[i], Scope::Device, MemorySemantics::Relaxed);
    //@ atomic_i_decrement
    inv.atomic_i_decrement(x[i], Scope::Device, MemorySemantics::Relaxed);
    //@ atomic_i_add
    inv.atomic_i_add(x[i], Scope::Device, MemorySemantics::Relaxed, 2u);
    //@ atomic_i_sub
    inv.atomic_i_sub(x[i], Scope::Device, MemorySemantics::Relaxed, 2u);
    //@ atomic_s_min
    inv.atomic_s_min(s[i], Scope::Device, MemorySemantics::Relaxed, -1);
    //@ atomic_u_min
    inv.atomic_u_min(x[i], Scope::Device, MemorySemantics::Relaxed, 7u);
    //@ atomic_s_max
    inv.atomic_s_max(s[i], Scope::Device, MemorySemantics::Relaxed, -1);
    //@ atomic_u_max
    inv.atomic_u_max(x[i], Scope::Device, MemorySemantics::Relaxed, 7u);
    //@ atomic_and
    inv.atomic_and(x[i], Scope::Device, MemorySemantics::Relaxed, 0xffu);
    //@ atomic_or
    inv.atomic_or(x[i], Scope::Device, MemorySemantics::Relaxed, 1u << i % 32);
    //@ atomic_xor
    inv.atomic_xor(x[i], Scope::Device, MemorySemantics::Relaxed, 1u);
    //@ atomic_u_inc_wrap
    inv.atomic_u_inc_wrap(x[1], Scope::Device, MemorySemantics::Relaxed, 15u);  // 0, 1 ... 15, 0 ...
    //@ atomic_u_dec_wrap
    inv.atomic_u_dec_wrap(x[1], Scope::Device, MemorySemantics::Relaxed, 15u);  // 15, 14 ... 0, 15 ...
    //@ atomic_f_add_ext
    inv.atomic_f_add_ext(f[0], Scope::Device, MemorySemantics::Relaxed, 0.5f);
    //@ atomic_f_min_ext
    inv.atomic_f_min_ext(f[1], Scope::Device, MemorySemantics::Relaxed, 0.5f);
    //@ atomic_f_max_ext
    inv.atomic_f_max_ext(f[2], Scope::Device, MemorySemantics::Relaxed, 0.5f);
    //@ atomic_flag_test_and_set
    const bool was_set = inv.atomic_flag_test_and_set(x[2], Scope::Device, kAcquireBuffers);
    //@ atomic_flag_clear
    inv.atomic_flag_clear(x[2], Scope::Device, kReleaseBuffers);
    //@
    inv.require(seen < 1000 && before < 1000 && (locked || !locked) && (was_set || !was_set));
  });
}

TEST_CASE("the reference's examples of barriers run") {
  run([](auto& inv, StorageBuffer<std::uint32_t> auto x, StorageBuffer<float> auto) {
    const std::uint32_t i = inv.local_invocation_index();
    auto shared = x.non_private();
    auto tile = workgroup<std::uint32_t[32]>(inv, "tile", kZeroed);
    auto count = workgroup<std::uint32_t>(inv, "count", kZeroed);
    //@ workgroup_barrier
    tile[i] = i;
    inv.workgroup_barrier();
    const std::uint32_t neighbour = tile[(i + 1) % 32];
    //@ control_barrier
    inv.control_barrier(Scope::Subgroup, Scope::Subgroup, kWorkgroupBarrier);  // waits for the lanes of the subgroup
    //@ workgroup_uniform_load
    if (i == 3) count = 3u;
    const std::uint32_t same_for_all = inv.workgroup_uniform_load(count);
    //@ memory_barrier
    shared[inv.global_invocation_id().x] = 1u;           // shared = x.non_private()
    inv.memory_barrier(Scope::Device, kReleaseBuffers);  // and then a relaxed atomic store of a flag
    //@ named_barrier_initialize
    const NamedBarrier all_subgroups = inv.named_barrier_initialize(inv.num_subgroups());
    //@ memory_named_barrier
    inv.memory_named_barrier(all_subgroups, Scope::Workgroup, kWorkgroupBarrier);
    //@
    inv.require(neighbour == (i + 1) % 32 && same_for_all == 3);
  });
}

TEST_CASE("the reference's examples of subgroups run") {
  run([](auto& inv, StorageBuffer<std::uint32_t> auto, StorageBuffer<float> auto) {
    const std::uint32_t lane = inv.subgroup_local_invocation_id();
    //@ group_non_uniform_elect
    const bool leader = inv.group_non_uniform_elect();
    //@ group_non_uniform_all
    const bool small = inv.group_non_uniform_all(lane < 32);
    //@ group_non_uniform_any
    const bool some = inv.group_non_uniform_any(lane == 5);
    //@ group_non_uniform_all_equal
    const bool same = inv.group_non_uniform_all_equal(lane / 32);
    //@ group_non_uniform_partition_nv
    const uvec4 like_me = inv.group_non_uniform_partition_nv(lane % 4);
    //@ group_non_uniform_broadcast
    const std::uint32_t of_lane_3 = inv.group_non_uniform_broadcast(lane * 10, 3);
    //@ group_non_uniform_broadcast_first
    const std::uint32_t of_first = inv.group_non_uniform_broadcast_first(lane);
    //@ group_non_uniform_ballot
    const uvec4 odd = inv.group_non_uniform_ballot(lane % 2 == 1);
    //@ group_non_uniform_inverse_ballot
    const bool am_odd = inv.group_non_uniform_inverse_ballot(odd);
    //@ group_non_uniform_ballot_bit_extract
    const bool third_is = inv.group_non_uniform_ballot_bit_extract(odd, 3);
    //@ group_non_uniform_ballot_bit_count
    const std::uint32_t place = inv.group_non_uniform_ballot_bit_count(GroupOperation::ExclusiveScan, odd);
    //@ group_non_uniform_ballot_find_lsb
    const std::uint32_t lowest_odd = inv.group_non_uniform_ballot_find_lsb(odd);
    //@ group_non_uniform_ballot_find_msb
    const std::uint32_t highest_odd = inv.group_non_uniform_ballot_find_msb(odd);
    //@ group_non_uniform_shuffle
    const std::uint32_t reversed = inv.group_non_uniform_shuffle(lane, 31 - lane);
    //@ group_non_uniform_shuffle_xor
    const std::uint32_t partner = inv.group_non_uniform_shuffle_xor(lane, 1);
    //@ group_non_uniform_shuffle_up
    const std::uint32_t below = inv.group_non_uniform_shuffle_up(lane, 1);  // undefined in lane 0
    //@ group_non_uniform_shuffle_down
    const std::uint32_t above = inv.group_non_uniform_shuffle_down(lane, 1);  // undefined in the last lane
    //@ group_non_uniform_rotate_khr
    const std::uint32_t next = inv.group_non_uniform_rotate_khr(lane, 1);
    //@
    inv.require(leader == (lane == 0) && small && some && same && like_me.x == 0x11111111u << lane % 4);
    inv.require(of_lane_3 == 30 && of_first == 0 && am_odd == (lane % 2 == 1) && third_is && place == lane / 2);
    inv.require(lowest_odd == 1 && highest_odd == 31 && reversed == 31 - lane && partner == (lane ^ 1));
    inv.require((lane == 0 || below == lane - 1) && (lane == 31 || above == lane + 1) && next == (lane + 1) % 32);
  });
}

TEST_CASE("the reference's examples of arithmetic in subgroups run") {
  run([](auto& inv, StorageBuffer<std::uint32_t> auto, StorageBuffer<float> auto) {
    const std::uint32_t lane = inv.subgroup_local_invocation_id();
    const auto signed_lane = static_cast<std::int32_t>(lane);
    const auto weight = static_cast<float>(lane);
    //@ group_non_uniform_i_add
    const std::uint32_t before_me = inv.group_non_uniform_i_add(GroupOperation::ExclusiveScan, 1u);
    //@ group_non_uniform_f_add
    const vec2 sums = inv.group_non_uniform_f_add(GroupOperation::Reduce, vec2{weight, 1.0f});  // vectors as well
    //@ group_non_uniform_i_mul
    const std::uint32_t power = inv.group_non_uniform_i_mul(GroupOperation::InclusiveScan, 2u);
    //@ group_non_uniform_f_mul
    const float product = inv.group_non_uniform_f_mul(GroupOperation::ClusteredReduce, 1.5f, 4);
    //@ group_non_uniform_s_min
    const std::int32_t least = inv.group_non_uniform_s_min(GroupOperation::Reduce, -signed_lane);
    //@ group_non_uniform_u_min
    const std::uint32_t first = inv.group_non_uniform_u_min(GroupOperation::Reduce, lane);
    //@ group_non_uniform_f_min
    const float lightest = inv.group_non_uniform_f_min(GroupOperation::Reduce, weight);
    //@ group_non_uniform_s_max
    const std::int32_t most = inv.group_non_uniform_s_max(GroupOperation::Reduce, -signed_lane);
    //@ group_non_uniform_u_max
    const std::uint32_t last = inv.group_non_uniform_u_max(GroupOperation::Reduce, lane);
    //@ group_non_uniform_f_max
    const float heaviest = inv.group_non_uniform_f_max(GroupOperation::Reduce, weight);
    //@ group_non_uniform_bitwise_and
    const std::uint32_t common = inv.group_non_uniform_bitwise_and(GroupOperation::Reduce, lane | 32u);
    //@ group_non_uniform_bitwise_or
    const std::uint32_t any_bits = inv.group_non_uniform_bitwise_or(GroupOperation::Reduce, lane);
    //@ group_non_uniform_bitwise_xor
    const std::uint32_t parity = inv.group_non_uniform_bitwise_xor(GroupOperation::Reduce, lane);
    //@ group_non_uniform_logical_and
    const bool all_so_far = inv.group_non_uniform_logical_and(GroupOperation::InclusiveScan, lane < 9);
    //@ group_non_uniform_logical_or
    const bool any_so_far = inv.group_non_uniform_logical_or(GroupOperation::InclusiveScan, lane == 9);
    //@ group_non_uniform_logical_xor
    const bool odd_so_far = inv.group_non_uniform_logical_xor(GroupOperation::InclusiveScan, true);
    //@ group_non_uniform_quad_broadcast
    const std::uint32_t of_quad = inv.group_non_uniform_quad_broadcast(lane, 2);
    //@ group_non_uniform_quad_swap
    const std::uint32_t beside = inv.group_non_uniform_quad_swap(lane, QuadSwap::Horizontal);
    //@ group_non_uniform_quad_all_khr
    const bool whole_quad = inv.group_non_uniform_quad_all_khr(lane < 4);
    //@ group_non_uniform_quad_any_khr
    const bool in_quad = inv.group_non_uniform_quad_any_khr(lane == 6);
    //@
    inv.require(before_me == lane && sums == vec2{496, 32} && (lane > 30 || power == 2u << lane));
    inv.require(product == 5.0625f && least == -31 && first == 0 && lightest == 0 && most == 0 && last == 31);
    inv.require(heaviest == 31 && common == 32 && any_bits == 31 && parity == 0 && all_so_far == (lane < 9));
    inv.require(any_so_far == (lane >= 9) && odd_so_far == (lane % 2 == 0) && of_quad == lane / 4 * 4 + 2);
    inv.require(beside == (lane ^ 1) && whole_quad == (lane < 4) && in_quad == (lane / 4 == 1));
  });
}

TEST_CASE("the reference's examples of values run") {
  run([](auto& inv, StorageBuffer<std::uint32_t> auto x, StorageBuffer<float> auto f) {
    //@ Vec
    vec3 v{1, 2, 3};
    v.xy(v.yx());  // swizzles: to read v.yx(), to write v.xy(value)
    v = v * 2.0f + 1.0f;
    const bvec3 ahead = v < vec3{4, 4, 9};  // component by component; == compares the whole
    const float near = dot(min(v, 3.0f), normalize(vec3{0, 0, 2}));
    const uvec2 wrapped = uvec2{9, 10} % 8u << 1u;
    //@ Mat
    const mat3 turn{vec3{0, 1, 0}, vec3{-1, 0, 0}, vec3{0, 0, 1}};  // columns
    const vec3 turned = turn * v, back = transpose(turn) * turned;
    //@ float16
    const float16 half = float16(1.5f) * float16(2.0f);  // rounded to a half
    const float single = half * 2.0f;                    // with a float it is a float's
    //@ min
    const float least = std::min(f[0], f[1]) + min(f[2], 1.0f);  // elements, as values
    //@ print
    if (inv.global_invocation_id().x == 70) inv.print("{} of {}: {}\n", inv.coordinates().global, x[0], v);
    //@ require
    inv.require(x[0] < 64, "element 0 is {}", x[0]);  // ends the dispatch with a finding if it does not hold
    //@
    inv.require(v == vec3{5, 3, 7} && !ahead.x && all(ahead.yz()) && near == 3 && wrapped == uvec2{2, 4});
    inv.require(back == v && single == 6.0f && least == 2.0f);
  });
}

//@@ Parameters of a kernel
TEST_CASE("the reference's examples of parameters run") {
  for (const Mode mode : {Mode::Native, Mode::Emulated}) {
    Device device(options_for(mode));
    auto x = device.buffer(std::vector<float>(64, 1.0f), "x");
    auto table = device.buffer(std::vector<float>(16, 0.5f), "table");

    //@ StorageBuffer
    //: An array in a storage buffer: `x[i]` reads and writes an element, `x.size()` is their number. Of a
    //: `StorageBuffer<const T>` elements can only be read; a buffer that is given for it needs no `read_only(...)`.
    //: `x[i]` is used where it is written: `const float v = x[i]` keeps the value, `auto v = reference_to(x[i])` the
    //: reference.
    const auto scale = [](auto& inv, StorageBuffer<const float> auto in, StorageBuffer<float> auto out) {
      const auto i = inv.global_invocation_id().x;
      if (i < out.size()) out[i] = in[i] * 2.0f;
    };
    device.dispatch(scale, {2}, {32}, x, x);
    //@ Uniform
    //: An array in a uniform buffer, which is only read. The dispatch is given `uniform(buffer)`.
    const auto look_up = [](auto& inv, Uniform<float> auto values, StorageBuffer<float> auto out) {
      out[inv.global_invocation_id().x] = values[inv.local_invocation_index() % 16];
    };
    device.dispatch(look_up, {2}, {32}, uniform(table), x);
    //@ PushConstant
    //: One value, which is read as it is and whose members have names as those of elements. The dispatch is given
    //: `push_constant(value)`. (A plain value, which the dispatch is given as it is, a kernel takes as `float factor`.)
    const auto multiply = [](auto& inv, PushConstant<float> auto factor, StorageBuffer<float> auto out) {
      out[inv.global_invocation_id().x] *= factor + 1.0f;
    };
    device.dispatch(multiply, {2}, {32}, push_constant(2.0f), x);
    //@ constant
    //: A value that is a constant in the kernel (a specialization constant). The dispatch is given `constant<n>`.
    const auto tiled = [](auto& inv, auto n, StorageBuffer<float> auto out) {
      auto tile = workgroup<float[n]>(inv, "tile");
      tile[inv.local_invocation_index()] = 1.0f;
      out[inv.global_invocation_id().x] = tile[inv.local_invocation_index()];
    };
    device.dispatch(tiled, {2}, {32}, constant<32>, x);
    //@
    CHECK(x.read()[1] == 1.0f);
  }
}

TEST_CASE("the reference's examples of images run") {
  for (const Mode mode : {Mode::Native, Mode::Emulated}) {
    Device device(options_for(mode));
    auto picture = device.image<float, ImageDim::Dim2D>({4, 4}, "picture");
    picture.write(std::vector<float>(16, 2.0f));
    auto counts = device.image<std::uint32_t, ImageDim::Dim1D>({4}, "counts");
    counts.write(std::vector<std::uint32_t>(4, 0));
    //@ StorageImage
    //: A storage image: `read(c)` and `write(c, texel)` at a coordinate (an int, an `ivec2` or an `ivec3`; the last one
    //: of an array is its layer), with image operands and the scope of MakeTexelVisible or MakeTexelAvailable behind;
    //: `size()`. `Dim1D`, `Dim2D`, `Dim3D`, `Dim1DArray` and `Dim2DArray` are its shapes.
    const auto invert = [](auto& inv, StorageImage<float, ImageDim::Dim2D> auto image) {
      const ivec2 c{static_cast<int>(inv.local_invocation_id().x), static_cast<int>(inv.local_invocation_id().y)};
      if (c.x < image.size().x) image.write(c, 1.0f - image.read(c));
    };
    device.dispatch(invert, {1}, {4, 4}, picture);
    //@ texel
    //: A reference to one texel, for atomics (OpImageTexelPointer).
    const auto count = [](auto& inv, StorageImage<std::uint32_t, ImageDim::Dim1D> auto image) {
      inv.atomic_i_increment(image.texel(0), Scope::Device, MemorySemantics::Relaxed);
    };
    device.dispatch(count, {2}, {32}, counts);
    //@
    CHECK(counts.read()[0] == 64);
    CHECK(picture.read()[0] == -1.0f);
  }
}

TEST_CASE("the reference's examples of qualifiers run") {
  for (const Mode mode : {Mode::Native, Mode::Emulated}) {
    Device device(options_for(mode));
    auto flags = device.buffer(std::vector<std::uint32_t>(64, 0), "flags");
    //@ coherent
    //: An array, a pointer, a block or an image whose plain accesses are non-private, make visible what they read from,
    //: and available what they write to, a scope (GLSL's `coherent`, `devicecoherent`, `workgroupcoherent`). Ordering:
    //: they do not synchronize.
    const auto shared = [](auto& inv, StorageBuffer<std::uint32_t> auto flag) {
      auto seen = flag.coherent(Scope::Device);
      if (inv.global_invocation_id().x == 0) seen[0] = 1u;
    };
    device.dispatch(shared, {1}, {32}, flags);
    //@ non_private
    //: An array, a pointer, a block or an image whose plain accesses barriers and atomics may order between
    //: invocations. Those of Workgroup memory are non-private and coherent in the workgroup without it.
    const auto passed = [](auto& inv, StorageBuffer<std::uint32_t> auto flag) {
      auto data = flag.non_private();
      if (inv.local_invocation_index() == 0) data[1] = 7u;
      inv.workgroup_barrier(kWorkgroupBarrier | kBufferBarrier);
      if (inv.local_invocation_index() == 1) data[2] = data[1];
    };
    device.dispatch(passed, {1}, {32}, flags);
    //@ volatile_
    //: An array, a pointer or a block whose plain accesses are volatile: no access is left out or put together with
    //: another one. In emulated mode they are coherent in the queue family as well. A loop may wait for another
    //: invocation by such loads: where they find the same again and again they let others run, in either mode. They
    //: order nothing, and are no atomics: data that another invocation wrote before needs an acquire. A program with
    //: volatile memory in any of its kernels runs native workgroups more slowly, since each invocation begins with a
    //: stack of its own.
    const auto unsteady = [](auto& inv, StorageBuffer<std::uint32_t> auto flag) {
      auto now = flag.volatile_();
      if (inv.local_invocation_index() == 0) now[3] = now[3] + 1;
    };
    device.dispatch(unsteady, {1}, {32}, flags);
    //@ dynamic
    //: A scope, semantics or operands that are no constants: they are checked when the kernel runs, which throws
    //: InvalidArgumentError for those that the instruction may not have. Of constants the compiler is told that.
    const auto at_scope = [](auto& inv, StorageBuffer<std::uint32_t> auto flag, Scope scope) {
      inv.atomic_i_increment(flag[4], dynamic(scope), MemorySemantics::Relaxed);
    };
    device.dispatch(at_scope, {1}, {32}, flags, Scope::Device);
    //@
    CHECK(flags.read()[2] == 7);
    CHECK(flags.read()[3] == 1);
    CHECK(flags.read()[4] == 32);
  }
}

TEST_CASE("the reference's examples of rows and phases run") {
  for (const Mode mode : {Mode::Native, Mode::Emulated}) {
    Device device(options_for(mode));
    auto x = device.buffer(std::vector<float>(64, 1.0f), "x");
    //@ sub-arrays
    //: What is an array of arrays has rows, which are arrays themselves, with bounds of their own and `size()`.
    const auto transposed = [](auto& inv, StorageBuffer<float> auto out) {
      auto tile = workgroup<float[8][4]>(inv, "tile");
      const auto i = inv.local_invocation_index();
      tile[i / 4][i % 4] = static_cast<float>(i);
      inv.workgroup_barrier();
      auto row = tile[i % 8];
      out[i] = row[i / 8] + static_cast<float>(row.size());
    };
    device.dispatch(transposed, {1}, {32}, x);
    //@ in_phases
    //: The second form of kernel: code that runs once for a workgroup, with regions that run for each of its
    //: invocations and a barrier of the workgroup at the end of each: `each(f)`, `first(n, f)`, `once(f)`. Behind `f`
    //: the semantics of that barrier may stand, or `kNoBarrier`. phases.h has all that a group offers.
    const auto in_two_phases = in_phases([](auto& group, StorageBuffer<float> auto out) {
      auto tile = workgroup<float[32]>(group, "tile");
      auto own = per_invocation<float>(group, "own");
      group.each([&](auto& inv) {
        own[inv] = out[inv.global_invocation_id().x];
        tile[inv.local_invocation_index()] = own[inv];
      });
      group.first(16, [&](auto& inv) { out[inv.local_invocation_index()] = tile[31 - inv.local_invocation_index()]; });
    });
    device.dispatch(in_two_phases, {1}, {32}, x);
    //@
    CHECK(x.read()[1] == 31.0f);
  }
}
