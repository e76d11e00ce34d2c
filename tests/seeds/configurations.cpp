// Kernels that are right on one kind of device and wrong on another: a search finds each, and says the smallest
// configuration that shows it.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include <heddle/explore.h>
#include <heddle/heddle.h>

#include "tests/seeds/quiet.h"

using namespace heddle;
using heddle::test::quiet;

namespace {

using U32 = std::uint32_t;
using Test = std::function<void(Trial&)>;
constexpr MemorySemantics kRelaxed = MemorySemantics::Relaxed;

/// Dispatches the kernel, which sets wrong[0] where it goes wrong. `state` is a word that it has besides.
template <typename Kernel>
Test sets_wrong(const Kernel& kernel, U32 groups, U32 local) {
  return [=](Trial& trial) {
    auto wrong = trial.device().buffer<U32>({0}, "wrong");
    auto state = trial.device().buffer<U32>({0}, "state");
    trial.device().dispatch(kernel, {groups}, {local}, wrong, state);
    trial.require(wrong.read()[0] == 0, "wrong");
  };
}

template <typename Invocation, typename Wrong>
void wrong_if(bool is, Invocation& inv, Wrong wrong) {
  if (is) inv.atomic_store(wrong[0], Scope::Device, kRelaxed, 1u);
}

/// The sum of a subgroup has room for 32 lanes.
constexpr auto room_for_32 = [](auto& inv, auto wrong, auto) { wrong_if(inv.subgroup_size() > 32, inv, wrong); };

/// A reduction in five steps leaves out nobody if there are 32 lanes.
constexpr auto five_steps = [](auto& inv, auto wrong, auto) {
  U32 sum = 1;
  for (U32 step = 16; step != 0; step /= 2)
    if (step < inv.subgroup_size()) sum += inv.group_non_uniform_shuffle_xor(sum, step);
  wrong_if(sum != 32, inv, wrong);
};

/// A ballot has 32 bits in its first word.
constexpr auto first_word = [](auto& inv, auto wrong, auto) {
  const uvec4 ballot = inv.group_non_uniform_ballot(true);
  wrong_if((ballot.y | ballot.z | ballot.w) != 0, inv, wrong);
};

/// As many subgroups as the tile has rows.
constexpr auto two_rows = [](auto& inv, auto wrong, auto) { wrong_if(inv.num_subgroups() > 2, inv, wrong); };

/// Who is lane 0 has an index that the size of a subgroup divides.
constexpr auto lane_by_index = [](auto& inv, auto wrong, auto) {
  wrong_if(inv.local_invocation_index() % inv.subgroup_size() != inv.subgroup_local_invocation_id(), inv, wrong);
};

/// Neighbours by their numbers are in one subgroup.
constexpr auto neighbours = [](auto& inv, auto wrong, auto) {
  const U32 first = inv.group_non_uniform_u_min(GroupOperation::Reduce, inv.local_invocation_index());
  wrong_if(inv.local_invocation_index() - first >= inv.subgroup_size(), inv, wrong);
};

/// The workgroups begin by their numbers, but for those that are under way together.
constexpr auto by_number = [](auto& inv, auto wrong, auto begun) {
  if (inv.local_invocation_index() != 0) return;
  wrong_if(inv.workgroup_id().x > inv.atomic_i_add(begun[0], Scope::Device, kRelaxed, 1u) + 8, inv, wrong);
};

/// There is room for what two workgroups at a time have.
constexpr auto two_at_a_time = [](auto& inv, auto wrong, auto under_way) {
  wrong_if(inv.atomic_i_add(under_way[0], Scope::Device, kRelaxed, 1u) >= 2, inv, wrong);
  for (U32 i = 0; i < 32; ++i) inv.atomic_load(wrong[0], Scope::Device, kRelaxed);
  inv.atomic_i_sub(under_way[0], Scope::Device, kRelaxed, 1u);
};

/// A workgroup of any size is there on any device.
constexpr auto nothing = [](auto&, auto, auto) {};

struct Known {
  std::string name;
  Test test;
  /// What the smallest configuration begins with, and of how many words it is.
  std::vector<std::string> words;
  std::string sweep = "usual";
};

std::vector<Known> known() {
  return {
      {"room for 32 lanes", sets_wrong(room_for_32, 1, 64), {"subgroup="}},
      {"five steps", sets_wrong(five_steps, 1, 128), {"subgroup="}},
      {"the first word of a ballot", sets_wrong(first_word, 1, 128), {"subgroup="}},
      {"two rows", sets_wrong(two_rows, 1, 64), {"subgroup="}},
      {"a lane by its index", sets_wrong(lane_by_index, 1, 64), {"lanes=shuffled"}},
      {"neighbours", sets_wrong(neighbours, 1, 64), {"lanes=shuffled"}},
      {"by number", sets_wrong(by_number, 32, 1), {"order=shuffled"}},
      {"two at a time", sets_wrong(two_at_a_time, 8, 1), {"residents="}},
      {"256 in a workgroup", sets_wrong(nothing, 1, 256), {"limits=vulkan-minimum"}, "usual limits"},
  };
}

std::vector<std::string> words_of(std::string text) {
  std::vector<std::string> words;
  for (text += ' '; !text.empty(); text.erase(0, text.find(' ') + 1)) words.push_back(text.substr(0, text.find(' ')));
  return words;
}

}  // namespace

TEST_CASE("a kernel that takes a device for granted fails, and the failure says the smallest configuration") {
  for (const Known& one : known()) {
    SeedOptions options = quiet();
    options.jobs = 1;
    options.sweep = one.sweep;
    const SeedReport report = explore_seeds(one.test, 150, options);
    INFO(one.name << ": " << report.what());
    REQUIRE(report.failed());
    REQUIRE(report.failures[0].shrunk);
    const ShrunkFailure& smallest = *report.failures[0].shrunk;
    const std::vector<std::string> words = words_of(smallest.unusual);
    REQUIRE(words.size() == one.words.size());
    for (std::size_t i = 0; i < words.size(); ++i) CHECK_THAT(words[i], Catch::StartsWith(one.words[i]));
    CHECK_THAT(report.what(), Catch::Contains("smallest configuration that shows it: " + smallest.unusual));
    CHECK(replay(one.test, smallest, options) == smallest.what);
    // And nothing is wrong with it on the plain device.
    options.sweep = "none";
    CHECK_FALSE(explore_seeds(one.test, 30, options).failed());
  }
}
