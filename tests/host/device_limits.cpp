// What a device refuses because devices of today cannot do it.

#include <heddle/heddle.h>

#include <string>
#include <vector>

#include "tests/device_under_test.h"
#include "tests/host/ends.h"
#include "tests/variable.h"

using namespace heddle;
using heddle::test::contains;
using heddle::test::options_for;
using heddle::test::Variable;

namespace {

DeviceOptions with_limits(Mode mode, const char* profile) {
  DeviceOptions options = options_for(mode);
  options.limits = device_limits(profile);
  return options;
}

// Why a device that is made with these options refuses what `use` does with it; "accepted" if it does not.
template <typename Use>
std::string refusal(const DeviceOptions& options, const Use& use) {
  try {
    Device device(options);
    use(device);
    return "accepted";
  } catch (const std::invalid_argument& error) {
    return error.what();
  } catch (const KernelError& error) {
    return error.finding().message;
  }
}

std::string refusal_of_size(const DeviceOptions& options, Extent groups, Extent local) {
  return refusal(options, [&](Device& device) { device.dispatch([](auto&) {}, groups, local); });
}

const std::string kInstead = ", or give the device others (DeviceOptions::limits, HEDDLE_LIMITS)";

}  // namespace

TEST_CASE("a workgroup with more invocations than the limit is refused with limit, value, size and a way out") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  CHECK(refusal_of_size(options_for(mode), {1}, {64, 64}) == "accepted");
  const DeviceOptions desktop = with_limits(mode, "typical-desktop");
  CHECK(refusal_of_size(desktop, {1}, {32, 32}) == "accepted");
  CHECK(refusal_of_size(desktop, {1}, {64, 64}) ==
        "a workgroup of 64 x 64 x 1 invocations: the limit max_compute_work_group_invocations of the device "
        "('typical-desktop') is 1024; dispatch smaller workgroups" +
            kInstead);
  const DeviceOptions minimum = with_limits(mode, "vulkan-minimum");
  CHECK(refusal_of_size(minimum, {1}, {128}) == "accepted");
  CHECK(contains(refusal_of_size(minimum, {1}, {43, 3}), "max_compute_work_group_invocations"));
}

TEST_CASE("each dimension of a workgroup and of a dispatch has a limit of its own") {
  const DeviceOptions minimum = with_limits(Mode::Native, "vulkan-minimum");
  CHECK(refusal_of_size(minimum, {1}, {1, 1, 64}) == "accepted");
  CHECK(contains(refusal_of_size(minimum, {1}, {1, 1, 65}),
                 "max_compute_work_group_size.z of the device "
                 "('vulkan-minimum') is 64"));
  CHECK(refusal_of_size(minimum, {65535}, {1}) == "accepted");
  CHECK(contains(refusal_of_size(minimum, {65536}, {1}),
                 "max_compute_work_group_count.x of the device "
                 "('vulkan-minimum') is 65535"));
  CHECK(refusal_of_size(with_limits(Mode::Native, "typical-desktop"), {65536}, {1}) == "accepted");
  // The product of three numbers that have 32 bits.
  CHECK(contains(refusal_of_size(with_limits(Mode::Native, "heddle"), {1}, {65536, 65536, 65536}), "a workgroup of"));
}

TEST_CASE("Workgroup variables that do not fit into the limit are found with its name, and no larger option helps") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const auto with_bytes = [&](auto bytes, std::size_t asked) {
    DeviceOptions options = with_limits(mode, "vulkan-minimum");
    options.workgroup_memory_bytes = asked;
    return refusal(options, [&](Device& device) {
      device.dispatch([](auto& inv) { (void)workgroup<std::uint8_t[decltype(bytes)::value]>(inv, "tile"); }, {1}, {1});
    });
  };
  CHECK(with_bytes(constant<16384>, 65536) == "accepted");
  CHECK(with_bytes(constant<16385>, 65536) ==
        "Workgroup variables need 16385 bytes; the limit max_compute_shared_memory_size of the device "
        "('vulkan-minimum') is 16384");
  CHECK(contains(with_bytes(constant<1025>, 1024), "workgroup_memory_bytes is 1024"));
}

TEST_CASE("push constants, buffers and the number of buffers have limits") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  DeviceOptions options = options_for(mode);
  options.limits.emplace();
  options.limits->max_push_constants_size = 8;
  options.limits->max_storage_buffer_range = 64;
  options.limits->max_uniform_buffer_range = 32;
  options.limits->max_per_stage_descriptor_storage_buffers = 2;
  const auto dispatched = [&](const auto& kernel, const auto&... make) {
    return refusal(options, [&](Device& device) { device.dispatch(kernel, {1}, {1}, make(device)...); });
  };
  const auto any = [](auto&, const auto&...) {};
  const auto storage = [](std::uint64_t floats) {
    return [floats](Device& device) { return device.buffer<float>(floats, "data"); };
  };
  const auto uniforms = [](std::uint64_t floats) {
    return [floats](Device& device) { return uniform(device.buffer<float>(floats, "data")); };
  };
  const auto pushed = [](Device&) { return push_constant(std::uint32_t{1}); };
  const auto value = [](Device&) { return std::uint32_t{1}; };

  CHECK(dispatched(any, pushed, pushed, value, value) == "accepted");
  CHECK(contains(dispatched(any, pushed, pushed, pushed),
                 "push constants of 12 bytes: the limit "
                 "max_push_constants_size of the device ('custom') is 8"));
  CHECK(dispatched(any, storage(16), storage(16)) == "accepted");
  CHECK(contains(dispatched(any, storage(17)),
                 "'data' as a StorageBuffer of 68 bytes: the limit "
                 "max_storage_buffer_range of the device ('custom') is 64"));
  CHECK(dispatched(any, uniforms(8)) == "accepted");
  CHECK(contains(dispatched(any, uniforms(9)), "max_uniform_buffer_range"));
  CHECK(contains(dispatched(any, storage(1), storage(1), storage(1)), "max_per_stage_descriptor_storage_buffers"));
}

TEST_CASE("a subgroup has a size that the limits allow: by default the one closest to 32, else it is refused") {
  DeviceOptions options = options_for(Mode::Native);
  options.limits.emplace();
  options.limits->min_subgroup_size = 4;
  options.limits->max_subgroup_size = 16;
  CHECK(Device(options).options().subgroup_size == 16u);
  options.subgroup_size = 8;
  CHECK(refusal(options, [](Device&) {}) == "accepted");
  options.subgroup_size = 17;
  CHECK(contains(refusal(options, [](Device&) {}),
                 "DeviceOptions::subgroup_size (or HEDDLE_SUBGROUP_SIZE) of 17: the "
                 "limit max_subgroup_size of the device ('custom') is 16"));
  options.limits->max_subgroup_size = 3;
  CHECK(refusal(options, [](Device&) {}) == "DeviceOptions::limits.max_subgroup_size is 3; it may be 4 to 128");
}

TEST_CASE("the limits are those of the environment where the program gives none") {
  CHECK(Device(options_for(Mode::Native)).options().limits->name == "heddle");
  const Variable set("HEDDLE_LIMITS", "vulkan-minimum");
  CHECK(contains(refusal_of_size(options_for(Mode::Native), {1}, {129}), "'vulkan-minimum'"));
  CHECK(refusal_of_size(with_limits(Mode::Native, "typical-desktop"), {1}, {129}) == "accepted");
  const Variable wrong("HEDDLE_LIMITS", "vulkan");
  CHECK(refusal_of_size(options_for(Mode::Native), {1}, {1}) ==
        "HEDDLE_LIMITS is 'vulkan'; it may be 'heddle', 'vulkan-minimum', 'typical-desktop', 'amd', 'intel', "
        "'adreno', 'mali'");
}

TEST_CASE("a profile is found by its name, and has what it is modelled after") {
  for (const DeviceLimits& profile : device_limit_profiles()) {
    CHECK(device_limits(profile.name) == profile);
    CHECK_FALSE(profile.description.empty());
  }
  CHECK_THROWS_WITH(
      device_limits("vulkan"),
      "the name of the limits is 'vulkan'; it may be 'heddle', 'vulkan-minimum', 'typical-desktop', 'amd', 'intel', "
      "'adreno', 'mali'");
}
