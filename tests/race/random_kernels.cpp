#include "tests/race/random_kernels.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/race/random_program.h"

namespace heddle::race {
namespace {

using model::OperationIndex;

/// Executes a program.
class Run {
 public:
  Run(const Program& program, const Planted& planted, std::uint64_t least_accesses, Random& random,
      trace::Listener& listener)
      : program_(program), planted_(planted), least_accesses_(least_accesses), random_(random), listener_(listener) {
    burst_ = 1u << (2 * random_.below(4));
    meets_ = random_.one_in(2);
    salt_ = random_.below(1000);
    bins_ = 1 + random_.below(program_.size);
  }

  std::uint64_t execute() {
    begin();
    std::vector<std::uint32_t> able;
    for (;;) {
      able.clear();
      for (std::uint32_t i = 0; i < invocations_.size(); ++i)
        if (may_go_on(invocations_[i])) able.push_back(i);
      if (able.empty()) break;
      Invocation& chosen = invocations_[able[random_.below(static_cast<std::uint32_t>(able.size()))]];
      for (std::uint32_t left = 1 + random_.below(burst_); left > 0 && may_go_on(chosen); --left)
        if (!step(chosen)) break;
    }
    return accesses_;
  }

 private:
  struct Invocation {
    std::uint32_t group = 0;
    std::uint32_t local = 0;
    std::uint32_t round = 0;
    std::size_t at = 0;
    std::uint32_t element = 0;
    bool waits = false;
    OperationIndex arrival = 0;
  };
  struct Word {
    std::uint64_t value = 0;
    OperationIndex write = model::kInitialValue;
  };

  bool may_go_on(const Invocation& i) const { return !i.waits && !(rounds_ && i.round >= *rounds_); }
  AgentId agent_of(const Invocation& i) const { return static_cast<AgentId>(i.group * program_.size + i.local); }

  void begin() {
    std::vector<std::uint32_t> subgroups;
    for (std::uint32_t local = 0; local < program_.size; ++local) subgroups.push_back(local / program_.subgroup);
    for (std::uint32_t group = 0; group < program_.groups; ++group) {
      model::Place place;
      place.workgroup = group;
      listener_.agents_begin(static_cast<AgentId>(group * program_.size), program_.size, place, subgroups);
      for (std::uint32_t local = 0; local < program_.size; ++local) {
        Invocation made;
        made.group = group;
        made.local = local;
        invocations_.push_back(made);
      }
    }
  }

  const Instruction& instruction(const Invocation& i) const {
    return planted_.is_at(i.at, i.round) ? planted_.instead : program_.body[i.at];
  }

  void goes_on(Invocation& i) {
    i.element = 0;
    if (++i.at < program_.body.size()) return;
    i.at = 0;
    ++i.round;
    if (!rounds_ && i.round >= 2 && accesses_ >= least_accesses_) rounds_ = rounds_begun();
  }
  std::uint32_t rounds_begun() const {
    std::uint32_t most = 0;
    for (const Invocation& i : invocations_) most = std::max(most, i.round + (i.at > 0 || i.element > 0 ? 1u : 0u));
    return most;
  }

  bool takes_part(const Invocation& i, const Instruction& what) const {
    if (what.does == Does::Nothing) return false;
    if (what.not_in_first_group && i.group == 0) return false;
    if (what.only_last && last_of_.count({i.group, i.round, *what.only_last}) == 0) return false;
    if (what.who == Who::First) return i.local == 0;
    if (what.who == Who::Turn) return i.local == (i.round * 5 + i.at) % program_.size;
    return true;
  }

  Locations word(const Invocation& i, const Instruction& what) const {
    const bool of_workgroup = what.buffer.storage == StorageClass::Workgroup;
    const std::uint32_t size = program_.size;
    std::uint32_t group = of_workgroup ? 0 : i.group;
    std::uint32_t local = i.local;
    std::uint64_t index = 0;
    switch (what.at) {
      case At::Neighbour:
        local = (local + what.shift) % size;
        break;
      case At::NearNeighbour: {
        const std::uint32_t first = local - local % program_.subgroup;
        local = first + (local - first + what.shift) % program_.subgroup;
        break;
      }
      case At::OtherGroup:
        group = (group + what.shift) % program_.groups;
        break;
      default:
        break;
    }
    switch (what.at) {
      case At::OfGroup:
        index = of_workgroup ? i.element : (group + what.shift) % program_.groups;
        break;
      case At::Bin:
        index = (local * 7 + i.round * 3 + i.element * 5 + salt_) % bins_;
        break;
      case At::Only:
        index = 0;
        break;
      default:
        index = (std::uint64_t{group} * size + local) * what.elements + i.element;
        break;
    }
    if (what.at == At::OfGroup) index %= program_.groups;
    if (what.buffer.fresh) index += std::uint64_t{i.round} * program_.groups * size * what.elements;
    const std::uint32_t allocation = what.buffer.allocation + (of_workgroup ? i.group : 0);
    return {static_cast<AllocationId>(allocation), 4 * index, 4};
  }

  Operation operation(const Invocation& i, const Instruction& what) const {
    Operation made = what.operation;
    made.agent = agent_of(i);
    if (!made.is_access()) return made;
    made.locations = word(i, what);
    made.storage_class = what.buffer.storage;
    made.reference = static_cast<ReferenceId>(made.locations.allocation);
    return made;
  }

  /// What was there before.
  std::uint64_t access(const Invocation& i, const Instruction& what) {
    const Operation made = operation(i, what);
    Word& here = memory_[{static_cast<std::uint32_t>(made.locations.allocation), made.locations.offset_bytes}];
    const std::uint64_t before = here.value;
    std::vector<trace::Source> sources;
    if (made.reads()) sources.push_back({made.locations, here.write});
    if (made.writes()) {
      here.value = what.writes ? *what.writes : made.kind == OperationKind::ReadModifyWrite ? before + 1 : i.round + 1;
      here.write = next_;
    }
    ++accesses_;
    listener_.operation(next_, made, before, here.value, sources);
    if (made.atomic && made.writes()) listener_.placed(next_);
    ++next_;
    return before;
  }

  /// Where the arrival of the last one of a workgroup, or of a subgroup, opens the barrier for all of it.
  void arrive(Invocation& i, const Instruction& what) {
    Operation made = operation(i, what);
    const bool of_subgroup = made.execution_scope == Scope::Subgroup;
    const std::uint32_t size = of_subgroup ? program_.subgroup : program_.size;
    const std::uint32_t begin = i.group * program_.size + (of_subgroup ? i.local - i.local % size : 0);
    made.barrier_instance = (std::uint64_t{i.round} * program_.body.size() + i.at) * invocations_.size() + begin;
    i.waits = true;
    if (!meets_) {
      listener_.operation(next_, made, 0, 0, {});
      i.arrival = next_++;
    }
    const auto first = invocations_.begin() + begin;
    const auto end = first + size;
    for (auto other = first; other != end; ++other)
      if (!other->waits) return;
    if (meets_) {
      made.agent = agent_of(*first);
      listener_.meets(next_, made, size);
      next_ += size;
    }
    for (auto other = first; other != end; ++other) {
      if (!meets_) listener_.passes(other->arrival, {});
      other->waits = false;
      goes_on(*other);
    }
  }

  // False if it waits for a value.
  bool step(Invocation& i) {
    const Instruction& what = instruction(i);
    if (!takes_part(i, what)) {
      goes_on(i);
      return true;
    }
    switch (what.does) {
      case Does::Nothing:
        break;
      case Does::Barrier:
        arrive(i, what);
        return true;
      case Does::Fence:
        listener_.operation(next_++, operation(i, what), 0, 0, {});
        break;
      case Does::Await:
      case Does::Lock: {
        const Locations here = word(i, what);
        const std::uint64_t value = memory_[{static_cast<std::uint32_t>(here.allocation), here.offset_bytes}].value;
        const bool is_over = what.does == Does::Lock ? value == 0 : value >= what.each_round * i.round + what.more;
        // Most of its many reads in vain are left out.
        if (!is_over && !random_.one_in(8)) return false;
        access(i, what);
        if (is_over) break;
        return false;
      }
      case Does::Access: {
        const std::uint64_t before = access(i, what);
        if (what.takes_ticket && before + 1 == program_.groups)
          last_of_.insert({i.group, i.round, what.buffer.allocation});
        if (++i.element < what.elements) return true;
        break;
      }
    }
    goes_on(i);
    return true;
  }

  const Program& program_;
  const Planted& planted_;
  std::uint64_t least_accesses_;
  Random& random_;
  trace::Listener& listener_;
  std::uint32_t burst_ = 1;
  bool meets_ = false;
  std::uint32_t salt_ = 0;
  std::uint32_t bins_ = 1;
  std::vector<Invocation> invocations_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Word> memory_;
  /// Workgroup, round and tickets.
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> last_of_;
  std::optional<std::uint32_t> rounds_;
  OperationIndex next_ = 0;
  std::uint64_t accesses_ = 0;
};

}  // namespace

RandomKernel tell_random_kernel(std::uint64_t seed, std::uint64_t least_accesses, trace::Listener& listener) {
  Random random(seed);
  const Program program = write_program(random);
  const Planted planted = plant(program, random);
  return {planted.mistake, Run(program, planted, least_accesses, random, listener).execute()};
}

}  // namespace heddle::race
