// Kernels that wait, under models of forward progress: those that a model does not promise to end are seen to hang.
#include <heddle/explore.h>
#include <heddle/forward_progress.h>
#include <heddle/heddle.h>
#include <heddle/testing.h>

#include <catch2/catch.hpp>

using namespace heddle;

namespace {

constexpr std::uint64_t kSeeds = 30;
constexpr MemorySemantics kRelaxed = MemorySemantics::Relaxed;

template <typename Kernel>
auto dispatched(const Kernel& kernel, std::uint32_t groups, std::uint32_t local) {
  return [=](Trial& trial) {
    auto x = trial.device().buffer(std::vector<std::uint32_t>(16), "x");
    trial.device().dispatch(kernel, {groups}, {local}, x);
  };
}

SeedOptions small_subgroups() {
  SeedOptions options;
  options.device.subgroup_size = 4;
  options.jobs = 1;
  options.replay_file = "";
  return options;
}

/// Waits for the workgroup before, by its number.
constexpr auto by_number = [](auto& inv, auto x) {
  const auto me = inv.workgroup_id().x;
  while (me != 0 && inv.atomic_load(x[me - 1], Scope::Device, kRelaxed) == 0) {
  }
  inv.atomic_store(x[me], Scope::Device, kRelaxed, 1u);
};

/// Waits for the workgroup that has begun before.
constexpr auto by_ticket = [](auto& inv, auto x) {
  const std::uint32_t me = inv.atomic_i_add(x[15], Scope::Device, kRelaxed, 1u);
  while (me != 0 && inv.atomic_load(x[me - 1], Scope::Device, kRelaxed) == 0) {
  }
  inv.atomic_store(x[me], Scope::Device, kRelaxed, 1u);
};

/// All wait for all: a barrier of the whole grid.
constexpr auto grid_barrier = [](auto& inv, auto x) {
  inv.atomic_i_add(x[0], Scope::Device, kRelaxed, 1u);
  while (inv.atomic_load(x[0], Scope::Device, kRelaxed) != inv.num_workgroups().x) {
  }
};

constexpr auto lock = [](auto& inv, auto x) {
  while (inv.atomic_compare_exchange(x[0], Scope::Device, kAcquireBuffers, kRelaxed, 1u, 0u) != 0) {
  }
  const std::uint32_t before = inv.atomic_load(x[1], Scope::Device, kRelaxed);
  inv.atomic_store(x[1], Scope::Device, kRelaxed, before + 1);
  inv.atomic_store(x[0], Scope::Device, kReleaseBuffers, 0u);
};

constexpr auto waits_for_nothing = [](auto& inv, auto x) {
  inv.atomic_i_add(x[0], Scope::Device, kRelaxed, 1u);
  inv.workgroup_barrier();
  inv.atomic_i_add(x[1], Scope::Device, kRelaxed, 1u);
};

struct Known {
  const char* name;
  std::function<EndsUnder(const std::string&)> under;
  /// Under fair, lobe, obe, hsa, unfair of workgroups, and under unfair of a subgroup's invocations.
  std::vector<bool> ends;
};

template <typename Kernel>
std::function<EndsUnder(const std::string&)> asked(const Kernel& kernel, std::uint32_t groups, std::uint32_t local) {
  return [=](const std::string& model) {
    return ends_under(dispatched(kernel, groups, local), model, kSeeds, small_subgroups());
  };
}

}  // namespace

TEST_CASE("kernels end under the models of forward progress that promise it, and hang under the others") {
  const std::vector<std::string> models = {"fair", "qf=lobe", "qf=obe", "qf=hsa", "qf=unfair", "sg=unfair"};
  const std::vector<Known> all = {
      {"by number", asked(by_number, 8, 1), {true, true, false, true, false, true}},
      {"by ticket", asked(by_ticket, 8, 1), {true, true, true, false, false, true}},
      {"grid barrier", asked(grid_barrier, 8, 1), {true, false, false, false, false, true}},
      {"lock of workgroups", asked(lock, 6, 1), {true, true, true, false, false, true}},
      {"lock of a subgroup", asked(lock, 1, 4), {true, true, true, true, true, false}},
      {"no waiting", asked(waits_for_nothing, 4, 8), {true, true, true, true, true, true}},
  };
  for (const Known& one : all)
    for (std::size_t m = 0; m < models.size(); ++m) {
      const EndsUnder found = one.under(models[m]);
      INFO(one.name << " under " << models[m] << ": " << found.hang);
      CHECK(found.ends == one.ends[m]);
    }
}

TEST_CASE("what a kernel needs is the weakest model under which it ends, and who waits is told") {
  const auto need_of = [](const auto& kernel, std::uint32_t groups, std::uint32_t local) {
    return progress_needed(dispatched(kernel, groups, local), kSeeds, small_subgroups());
  };
  CHECK(need_of(by_number, 8, 1).workgroups == "hsa");
  CHECK(need_of(by_ticket, 8, 1).workgroups == "obe");
  CHECK(need_of(grid_barrier, 8, 1).workgroups == "fair");
  CHECK(need_of(waits_for_nothing, 4, 8).workgroups == "unfair");
  const ProgressNeed of_lock = need_of(lock, 1, 4);
  CHECK(of_lock.workgroups == "unfair");
  CHECK(of_lock.lanes == "fair");
  CHECK(of_lock.explain.find("put off for ever") != std::string::npos);
  CHECK(need_of(by_number, 8, 1).explain.find("have not started") != std::string::npos);
}

TEST_CASE("a program that does not end says for whom it waits, and what would need less") {
  const auto hangs = [](const auto& kernel, const std::string& model, std::uint32_t groups, std::uint32_t local) {
    return ends_under(dispatched(kernel, groups, local), model, kSeeds, small_subgroups());
  };
  const EndsUnder of_number = hangs(by_number, "qf=obe", 8, 1);
  CHECK_THAT(of_number.waits_for,
             Catch::Contains("LOBE") && Catch::Contains("forward_progress.cpp:") && Catch::Contains("take a ticket"));
  CHECK_THAT(hangs(lock, "sg=unfair", 1, 4).waits_for, Catch::Contains("invocations of a subgroup"));
  CHECK(hangs(by_ticket, "qf=obe", 8, 1).waits_for.empty());
}

TEST_CASE("whether a program ends under a model, and what it needs, are questions with answers") {
  const auto number = dispatched(by_number, 8, 1);
  CHECK(ends(number, "fair", kSeeds, small_subgroups()));
  const Answer hangs = ends(number, "qf=obe", kSeeds, small_subgroups());
  CHECK_FALSE(hangs);
  CHECK_THAT(hangs.explain(), Catch::StartsWith("ends under qf=obe (under ") && Catch::Contains("it did not") &&
                                  Catch::Contains("take a ticket") && Catch::Contains("HEDDLE_EXPLORE_SEED="));
  CHECK(needs(number, "hsa", "unfair", kSeeds, small_subgroups()));
  const Answer other = needs(number, "obe", "unfair", kSeeds, small_subgroups());
  CHECK_FALSE(other);
  CHECK_THAT(other.explain(), Catch::Contains("it needs hsa progress of workgroups"));
}

TEST_CASE("a model of forward progress that is none is refused by name") {
  DeviceOptions options;
  options.forward_progress = "qf=lucky";
  CHECK_THROWS_WITH(Device(options), Catch::StartsWith("DeviceOptions::forward_progress is 'qf=lucky': 'lucky' is no "
                                                       "model of progress"));
}
