#include "emulator/litmus/vulkan/cooperative.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

#include "emulator/litmus/vulkan/cursor.h"

namespace heddle::litmus {
namespace {

constexpr std::size_t kMostChoices = 1000;

struct CooperativeSite {
  std::size_t thread = 0;
  std::size_t instruction = 0;
};

/// The places of one dynamic instance in the code of its threads.
using Instances = std::vector<std::vector<CooperativeSite>>;

Instances instances_of(const Test& test) {
  using Key = std::tuple<bool, std::uint64_t, std::uint64_t, std::uint64_t, std::string>;
  std::map<Key, std::vector<CooperativeSite>> sites;
  for (std::size_t t = 0; t < test.threads.size(); ++t) {
    const Thread& thread = test.threads[t];
    for (std::size_t i = 0; i < thread.code.size(); ++i) {
      const auto& name = thread.code[i].cooperative;
      if (!name) continue;
      const bool of_subgroup = name->scope == Scope::Subgroup;
      sites[{of_subgroup, thread.queue_family, thread.workgroup, of_subgroup ? thread.subgroup : 0, name->id}]
          .push_back({t, i});
    }
  }
  Instances instances;
  for (auto& entry : sites) instances.push_back(std::move(entry.second));
  return instances;
}

bool in_loop(const Thread& thread, std::size_t at) {
  for (std::size_t i = at; i < thread.code.size(); ++i) {
    if (thread.code[i].traits().jumps && thread.code[i].target <= at) return true;
  }
  return false;
}

}  // namespace

std::vector<Performers> choices_of_performers(const Test& test) {
  Performers all;
  for (const Thread& thread : test.threads) all.emplace_back(thread.code.size(), true);
  std::vector<Performers> choices{all};
  for (const std::vector<CooperativeSite>& sites : instances_of(test)) {
    std::vector<Performers> more;
    for (const Performers& choice : choices) {
      for (const CooperativeSite& performer : sites) {
        Performers next = choice;
        for (const CooperativeSite& site : sites) next[site.thread][site.instruction] = site.thread == performer.thread;
        more.push_back(std::move(next));
      }
    }
    choices = std::move(more);
  }
  return choices;
}

void check_cooperative(const Test& test) {
  std::size_t choices = 1;
  for (const std::vector<CooperativeSite>& sites : instances_of(test)) {
    choices *= sites.size();
    std::set<std::size_t> threads;
    for (const CooperativeSite& site : sites) {
      const Thread& thread = test.threads[site.thread];
      const Instruction& access = thread.code[site.instruction];
      if (in_loop(thread, site.instruction))
        throw ParseError(access.place, "a cooperative matrix access cannot stand in a loop");
      if (!threads.insert(site.thread).second)
        throw ParseError(access.place, fmt::format("thread {} has two cooperative accesses '{}'", thread.name(),
                                                   access.cooperative->id));
      if (choices > kMostChoices)
        throw ParseError(access.place, fmt::format("more than {} choices of who performs the "
                                                   "cooperative accesses",
                                                   kMostChoices));
    }
  }
}

}  // namespace heddle::litmus
