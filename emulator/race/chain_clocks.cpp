#include "emulator/race/chain_clocks.h"

#include <bit>

namespace heddle::race {
namespace {

/// What stands for all levels at which reads may have found something, where these are one.
constexpr Level kLowestStart = kOwn + 1;

bool has_set(ClassSets sets, std::size_t set) {
  return ((sets >> set) & 1) != 0;
}

template <typename F>
void for_each_class(Classes mask, F&& f) {
  for (std::uint8_t c = 0; c < kClasses; ++c)
    if (((mask >> c) & 1) != 0) f(c);
}

}  // namespace

/// One operation in bulk: what it is about, and what is made once for all its classes.
class ChainClocks::Step {
 public:
  Step(const ChainClocks& chains, const View& view, const Performer& by, BulkOperation operation)
      : chains_(chains),
        view_(view),
        by_(by),
        operation_(operation),
        sets_(sets_on(operation.mask, 0)),
        sums_(chains.sums()),
        done_(sums_) {
    know(view.own);
    for (std::size_t i = 0; i < kClassSets.size(); ++i)
      if (has_set(sets_, i)) know(view.facts[i]);
    for (Level level = 1; level <= operation.level; ++level)
      if (is_domain(level)) domains_[domain_count_++] = level;
  }

  void make_available(Stamp stamp);
  void make_visible(Stamp stamp);
  void finish(View& view) { chains_.add(view, sets_, done_.take(), sums_); }
  /// What was noted of starts that are one by now, as of the one that stands for them.
  static FactKey folded(const ChainClocks& chains, const FactKey& key);
  static FactsPointer folded(const ChainClocks& chains, const FactsPointer& facts, FactSums& sums);

 private:
  using ByLevel = std::array<Clock, kLevelCount>;
  struct Instance {
    Clock of;
    Level level = kOwn;
    Clock part;
  };

  bool is_domain(Level level) const {
    const bool between = level > kWorkgroup && level < kQueueFamily;
    return !between || chains_.places_.has_related_invocations();
  }
  void know(const FactsPointer& facts) {
    const auto end = known_.begin() + static_cast<std::ptrdiff_t>(known_count_);
    if (facts && std::find(known_.begin(), end, facts.get()) == end) known_[known_count_++] = facts.get();
  }
  std::span<const Level> domains() const { return {domains_.data(), domain_count_}; }
  const Clock& in_instance(const Clock& clock, Level level);
  const Clock& own_up_to(Stamp stamp);
  void add(Clock& to, const Clock& more) {
    if (!more.empty() && !to.is_same(more)) to = sums_.sum(to, more);
  }
  void lift(FactKey key, const ByLevel& known);
  void lower(FactKey key, const ByLevel& present, Level from);
  void show(std::uint8_t read, Stamp stamp);
  void lift_own(FactKey key, Levels starts, Stamp stamp);
  void lower_own(FactKey key, Levels starts, Stamp stamp);
  void show_writes(std::uint8_t written, std::uint8_t read, Stamp stamp);
  enum class Whose { Others, All, InInstances };
  void collect(FactKey first, Levels starts, ByLevel& levels, Whose whose);
  void collect(FactKey first, ByLevel& levels, Whose whose);
  template <typename F>
  void for_each_begun(FactKey key, Levels starts, F&& f);
  template <typename F>
  void for_each_start(FactKey::Kind kind, std::uint8_t written, std::uint8_t read, F&& f);

  const ChainClocks& chains_;
  const View& view_;
  const Performer& by_;
  BulkOperation operation_;
  /// The class sets that relate the operation to others.
  ClassSets sets_;
  FactSums sums_;
  /// All that is known as by one of these sets, or whatever the set.
  std::array<const Facts*, kClassSets.size() + 1> known_{};
  std::size_t known_count_ = 0;
  FactList done_;
  std::array<Level, kLevelCount> domains_{};
  std::size_t domain_count_ = 0;
  std::vector<std::unique_ptr<Instance>> instances_;
  /// The performer's own accesses up to the stamp that was asked for last.
  Clock own_;
  Stamp own_stamp_ = 0;
};

const Clock& ChainClocks::Step::in_instance(const Clock& clock, Level level) {
  if (chains_.places_.are_all_in_one_instance(level)) return clock;
  for (const auto& known : instances_)
    if (known->level == level && known->of.is_same(clock)) return known->part;
  return instances_
      .emplace_back(std::make_unique<Instance>(Instance{clock, level, chains_.in_instance(clock, level, by_)}))
      ->part;
}

const Clock& ChainClocks::Step::own_up_to(Stamp stamp) {
  if (own_stamp_ != stamp) {
    own_stamp_ = stamp;
    own_ = {};
    own_.add(by_.group, by_.agent, stamp);
  }
  return own_;
}

/// Calls f(start, clock) with what is before the operation, as an operation on the set of the key, or on each of those
/// that all accesses of its class are on: with accesses there that made themselves available or visible at the start
/// chains begin which go on here.
template <typename F>
void ChainClocks::Step::for_each_begun(FactKey key, Levels starts, F&& f) {
  const bool is_any = key.via() == kAnyVia;
  const ClassSets vias = is_any ? chains_.sets_of_all(key.accessed()) : ClassSets(1u << key.via());
  // What system-synchronizes is before it though no set relates the access to others.
  if (is_any && view_.system && !view_.system->agents.empty())
    for (Level start = 1; start < kLevelCount; ++start)
      if (has_level(starts, start)) f(start, view_.system->agents);
  for (std::size_t via = 0; via < kClassSets.size(); ++via) {
    if (!has_set(vias, via)) continue;
    for (Level start = 1; start < kLevelCount; ++start) {
      if (!has_level(starts, start)) continue;
      if (has_set(sets_, via) && !view_.before[via].empty()) f(start, view_.before[via]);
      if (view_.system && !view_.system->before[via].empty()) f(start, view_.system->before[via]);
    }
  }
}

// The facts of one key, whatever the level: they stand side by side.
void ChainClocks::Step::collect(FactKey first, ByLevel& levels, Whose whose) {
  for (std::size_t i = 0; i < known_count_; ++i) {
    const Facts& known = *known_[i];
    auto at = std::lower_bound(known.begin(), known.end(), first.at_level(0),
                               [](const Fact& fact, const FactKey& wanted) { return fact.key < wanted; });
    for (; at != known.end() && at->key.at_level(0) == first.at_level(0); ++at) {
      const Level level = at->key.level();
      if (level > operation_.level) break;
      add(levels[level], whose == Whose::InInstances && level != kOwn ? in_instance(at->clock, level) : at->clock);
      if (at->own == 0 || by_.everybody || whose == Whose::Others) continue;
      if (!levels[level].has(by_.group, by_.agent, at->own)) add(levels[level], own_up_to(at->own));
    }
  }
}

void ChainClocks::Step::collect(FactKey first, Levels starts, ByLevel& levels, Whose whose) {
  for (Level start = 0; start < kLevelCount; ++start)
    if (has_level(starts, start)) collect(first.at_start(start), levels, whose);
}

/// Calls f(key of level 0, its starts) for the starts of chains of the kind that are known, or that may begin here.
/// Where not everything is exact, one key is for all starts of which accesses that begin chains have all or none.
template <typename F>
void ChainClocks::Step::for_each_start(FactKey::Kind kind, std::uint8_t written, std::uint8_t read, F&& f) {
  const auto key = [&](Level start, Via via) {
    return kind == FactKey::Kind::Available ? FactKey::available(start, via, 0, written)
           : kind == FactKey::Kind::Visible ? FactKey::visible(start, via, 0, written, read)
                                            : FactKey::shown(start, via, 0, read);
  };
  const bool apart = chains_.exact_;
  const Levels own = chains_.use_.own(written);
  const auto each = [&](Level most, Via via) {
    Levels alike = 0;
    if (!apart && kind == FactKey::Kind::Shown) {
      for (Level start = 1; start < most; ++start)
        if (is_domain(start)) alike = static_cast<Levels>(alike | 1u << start);
      if (alike != 0) f(key(kLowestStart, via), alike);
      return;
    }
    Level last = kOwn;
    for (Level start = 1; start <= most; ++start) {
      if (!is_domain(start)) continue;
      alike = static_cast<Levels>(alike | 1u << start);
      last = start;
      if (!apart && !has_level(own, start)) continue;
      f(key(start, via), alike);
      alike = 0;
    }
    if (alike != 0) f(key(last, via), alike);
  };
  if (kind != FactKey::Kind::Shown) f(key(kOwn, kAnyVia), Levels{1});
  const ClassSets of_all = chains_.sets_of_all(key(kOwn, kAnyVia).accessed());
  for (std::size_t via = 0; via < kClassSets.size(); ++via) {
    const Level most =
        kind == FactKey::Kind::Shown ? chains_.use_.visible(read, via) : chains_.use_.available(written, via);
    if (!has_set(of_all, via) && chains_.use_.orders(via)) each(most, static_cast<Via>(via));
  }
  // The performer's own accesses are known whatever the classes, and whether or not any set relates them to others.
  each(highest(kind == FactKey::Kind::Shown ? chains_.use_.own_visible(read) : own), kAnyVia);
}

// What the performer's own accesses have at a level, the write of another one among it, comes to those below it.
void ChainClocks::Step::lower_own(FactKey key, Levels starts, Stamp stamp) {
  if (key.via() != kAnyVia || !chains_.chains_) return;
  Level from = operation_.level;
  while (from > kOwn && !has_level(starts, from)) --from;
  for (Level level = kOwn; level < from; ++level)
    if (level == kOwn || is_domain(level)) done_.add(key.at_level(level), {}, stamp);
}

// From each level to those above it, as far as the operation reaches. (Of clocks at several levels that are the same,
// those of the widest level have all that the others have.)
void ChainClocks::Step::lift(FactKey key, const ByLevel& known) {
  for (const Level level : domains()) {
    Clock made;
    const Clock* last = nullptr;
    for (Level narrow = level; narrow-- > 1;) {
      if (known[narrow].empty() || (last && last->is_same(known[narrow]))) continue;
      last = &known[narrow];
      add(made, in_instance(known[narrow], narrow));
    }
    done_.add(key.at_level(level), made);
  }
}

// What the performer's own accesses made available at a level, the write of another one among it, comes to those above
// it.
void ChainClocks::Step::lift_own(FactKey key, Levels starts, Stamp stamp) {
  if (key.via() != kAnyVia || key.start() == kOwn) return;
  const auto from = static_cast<Level>(std::countr_zero(starts));
  for (const Level level : domains())
    if (level > from) done_.add(key.at_level(level), {}, stamp);
}

//= vk:memory-model-availability-visibility
void ChainClocks::Step::make_available(Stamp stamp) {
  for_each_class(operation_.mask, [&](std::uint8_t c) {
    for (const Level level : domains()) done_.add(FactKey::available(kOwn, kAnyVia, level, c), {}, stamp);
    if (!chains_.chains_) return;
    for_each_start(FactKey::Kind::Available, c, 0, [&](FactKey key, Levels starts) {
      ByLevel known;
      collect(key, starts, known, Whose::Others);
      for_each_begun(key, starts, [&](Level start, const Clock& before) { add(known[start], before); });
      lift(key, known);
      lift_own(key, starts, stamp);
    });
  });
}

// What is present at a level of the performer's instances becomes visible at those below it.
void ChainClocks::Step::lower(FactKey key, const ByLevel& present, Level from) {
  Clock made;
  for (Level level = from; level-- > 0;) {
    add(made, present[level + 1]);
    const bool kept = level == kOwn || (chains_.chains_ && is_domain(level));
    if (kept) done_.add(key.at_level(level), made);
  }
}

//= vk:memory-model-availability-visibility
void ChainClocks::Step::show_writes(std::uint8_t written, std::uint8_t read, Stamp stamp) {
  for_each_start(FactKey::Kind::Visible, written, read, [&](FactKey key, Levels starts) {
    ByLevel present;
    collect(FactKey::available(kOwn, key.via(), 0, written), starts, present, Whose::InInstances);
    if (chains_.chains_) collect(key, starts, present, Whose::All);
    for_each_begun(key, starts, [&](Level start, const Clock& before) {
      if (start <= operation_.level) add(present[start], in_instance(before, start));
    });
    lower(key, present, operation_.level);
    lower_own(key, starts, stamp);
  });
}

// The reads of others, and the performer's own, that made their own bytes visible.
//= vk:memory-model-availability-visibility
void ChainClocks::Step::show(std::uint8_t read, Stamp stamp) {
  if (!chains_.chains_) return;
  const Level most = highest(chains_.use_.own_visible(read));
  if (most == kOwn) return;
  for_each_start(FactKey::Kind::Shown, 0, read, [&](FactKey key, Levels starts) {
    const auto last = highest(starts);
    if (last >= most) return;
    ByLevel present;
    collect(key, starts, present, Whose::All);
    for_each_begun(key, starts, [&](Level start, const Clock& before) {
      if (start <= operation_.level) add(present[start], in_instance(before, start));
    });
    lower(key, present, std::min(last, operation_.level));
    lower_own(key, starts, stamp);
  });
}

void ChainClocks::Step::make_visible(Stamp stamp) {
  for_each_class(operation_.mask, [&](std::uint8_t read) {
    for (std::uint8_t written = 0; written <= kClasses; ++written)
      if (written == read || !chains_.one_class_each_) show_writes(written, read, stamp);
    show(read, stamp);
  });
}

// `for_each_start` has these keys.
FactKey ChainClocks::Step::folded(const ChainClocks& chains, const FactKey& key) {
  if (key.start() == kOwn) return key;
  if (key.kind() == FactKey::Kind::Shown) return key.at_start(kLowestStart);
  const auto from = static_cast<Levels>(chains.use_.own(key.written()) & ~((1u << key.start()) - 1));
  return from == 0 ? key : key.at_start(static_cast<Level>(std::countr_zero(from)));
}

FactsPointer ChainClocks::Step::folded(const ChainClocks& chains, const FactsPointer& facts, FactSums& sums) {
  const auto stays = [&](const Fact& fact) { return folded(chains, fact.key) == fact.key; };
  if (chains.exact_ || !facts || std::all_of(facts->begin(), facts->end(), stays)) return facts;
  FactList made(sums);
  for (const Fact& fact : *facts) made.add(folded(chains, fact.key), fact.clock, fact.own);
  return made.take();
}

ClassSets ChainClocks::sets_of_all(std::uint8_t of_class) const {
  return one_class_each_ && of_class != kNoClass ? sets_on(static_cast<Classes>(1u << of_class), 0) : ClassSets{0};
}

// Agents of another group are in one instance with all of a workgroup, or with none of it.
Clock ChainClocks::in_instance(const Clock& clock, Level level, const Performer& by) const {
  if (places_.are_all_in_one_instance(level)) return clock;
  if (level == kWorkgroup && lanes_ == 1 && !places_.has_mixed_workgroups()) return clock.of_group(by.group);
  if (level >= kWorkgroup)
    return clock.of_groups([&](GroupId lane) {
      return lane / lanes_ == by.group || places_.groups_in_one_instance(lane / lanes_, by.group, level);
    });
  Clock kept = in_subgroup(clock, level, by, by.group);
  for (GroupId group = 0; places_.has_mixed_workgroups() && group < places_.groups(); ++group)
    if (group != by.group && places_.groups_in_one_instance(group, by.group, kWorkgroup))
      kept.join(in_subgroup(clock, level, by, group));
  return kept;
}

// What is of agents of a group that are in the performer's instance of a level below the workgroup's.
Clock ChainClocks::in_subgroup(const Clock& clock, Level level, const Performer& by, GroupId group) const {
  Clock kept;
  const bool is_any = by.everybody || group != by.group;
  const Places::Range range = is_any ? Places::Range() : places_.instance(by.agent, level);
  for (GroupId lane = group * lanes_; lane < (group + 1) * lanes_; ++lane)
    kept.join(clock.of_agents(lane, range.first, range.last, [&](std::uint32_t agent) {
      if (by.everybody) return true;
      return agent == kEveryAgent ? !exact_ : places_.same_instance(agent, by.agent, level);
    }));
  if (by.everybody || !exact_) return kept;
  for (GroupId lane = group * lanes_; lane < (group + 1) * lanes_; ++lane) {
    const std::uint32_t end = clock.everybody(lane) == 0 ? 0 : places_.end();
    for (std::uint32_t agent = std::max(range.first, places_.first()); agent < end && agent <= range.last; ++agent)
      if (places_.group(agent) == group && places_.same_instance(agent, by.agent, level))
        kept.add(lane, agent, clock.everybody(lane));
  }
  return kept;
}

FactsPointer ChainClocks::of_set(const View& view, std::size_t set, FactSums& sums) const {
  if (exact_ || !one_class_each_ || view.facts[set] || std::has_single_bit(kClassSets[set])) return view.facts[set];
  FactsPointer all;
  for (std::size_t i = 0; i < kClassSets.size(); ++i)
    if (std::has_single_bit(kClassSets[i]) && (kClassSets[i] & kClassSets[set]) != 0)
      all = sums.sum(all, view.facts[i]);
  return all;
}

// What is visible to the agent itself is learnt by no other one. Where nothing is cut the agent's own knowledge has
// all, for operations on other classes than those in the mask.
void ChainClocks::add(View& view, ClassSets sets, const FactsPointer& done, FactSums& sums) const {
  if (!done) return;
  Facts shared;
  Facts of_agent;
  for (const Fact& fact : *done) {
    const bool is_agents = fact.key.is_of_place() && fact.key.level() == kOwn;
    if (!is_agents) shared.push_back(fact);
    if (is_agents || !one_class_each_) of_agent.push_back(fact);
  }
  const auto pointer = [](Facts& facts) {
    return facts.empty() ? nullptr : std::make_shared<const Facts>(std::move(facts));
  };
  view.own = Step::folded(*this, sums.sum(view.own, pointer(of_agent)), sums);
  const FactsPointer more = pointer(shared);
  for (std::size_t i = 0; i < kClassSets.size(); ++i) {
    const bool used = exact_ || !one_class_each_ || std::has_single_bit(kClassSets[i]) || has_set(use_.sets(), i);
    if (has_set(sets, i) && used) view.facts[i] = sums.sum(of_set(view, i, sums), more);
  }
}

void ChainClocks::make_available(View& view, const View& known, const Performer& by, BulkOperation operation,
                                 Stamp stamp) const {
  if (operation.mask == 0 || operation.level == kOwn) return;
  Step step(*this, known, by, operation);
  step.make_available(stamp);
  step.finish(view);
}

void ChainClocks::make_visible(View& view, const View& known, const Performer& by, BulkOperation operation,
                               Stamp stamp) const {
  if (operation.mask == 0 || operation.level == kOwn) return;
  Step step(*this, known, by, operation);
  step.make_visible(stamp);
  step.finish(view);
}

FactsPointer ChainClocks::named(const FactsPointer& facts, const Performer& by, FactSums& sums) const {
  OwnAccesses own;
  return named(facts, by, sums, own);
}

FactsPointer ChainClocks::named(const FactsPointer& facts, const Performer& by, FactSums& sums,
                                OwnAccesses& own) const {
  if (!facts || std::all_of(facts->begin(), facts->end(), [](const Fact& fact) { return fact.own == 0; })) return facts;
  Facts made = *facts;
  for (Fact& fact : made) {
    if (fact.own == 0) continue;
    if (own.last != fact.own) {
      own = {fact.own, {}};
      for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        if (((by.lanes >> lane) & 1) == 0) continue;
        const GroupId group = by.group * lanes_ + lane;
        by.everybody ? own.clock.add_everybody(group, fact.own) : own.clock.add(group, by.agent, fact.own);
        for (const std::uint32_t agent : by.company) own.clock.add(group, agent, fact.own);
      }
    }
    fact.clock = sums.sum(fact.clock, own.clock);
    fact.own = 0;
  }
  return std::make_shared<const Facts>(std::move(made));
}

void ChainClocks::name_own(View& view, const Performer& by, ClassSets sets) const {
  FactSums sums = this->sums();
  OwnAccesses own;
  std::array<FactsPointer, 2> last;
  for (std::size_t i = 0; i < kClassSets.size(); ++i) {
    if (!has_set(sets, i)) continue;
    if (view.facts[i] != last[0])
      last = {view.facts[i], Step::folded(*this, named(view.facts[i], by, sums, own), sums)};
    view.facts[i] = last[1];
  }
}

void ChainClocks::part_own(View& view, View& own, const Performer& by) const {
  const auto pointer = [](Facts facts) {
    return facts.empty() ? nullptr : std::make_shared<const Facts>(std::move(facts));
  };
  std::array<FactsPointer, 2> last;
  for (std::size_t i = 0; i < kClassSets.size(); ++i) {
    const FactsPointer facts = view.facts[i];
    if (!facts) continue;
    if (facts != last[0]) {
      Facts of_others;
      for (const Fact& fact : *facts)
        if (!fact.clock.empty()) of_others.push_back({fact.key, fact.clock});
      last = {facts, pointer(std::move(of_others))};
    }
    view.facts[i] = last[1];
    Facts of_own;
    for (const Fact& fact : *facts)
      if (fact.own != 0) of_own.push_back({fact.key, {}, fact.own});
    own.facts[i] = pointer(std::move(of_own));
  }
  name_own(own, by, kAllClassSets);
}

void ChainClocks::publish(View& view, const Performer& by, ClassSets sets, Level level, Left& left) const {
  FactSums sums = this->sums();
  for (std::size_t i = 0; i < kClassSets.size(); ++i)
    view.facts[i] = has_set(sets, i) ? of_set(view, i, sums) : nullptr;
  view.own = nullptr;
  name_own(view, by, sets);
  if (exact_ || level <= kWorkgroup) return;
  const auto stays = [](const Fact& fact) { return fact.key.is_of_place() && fact.key.level() <= kWorkgroup; };
  std::array<FactsPointer, 2> last;
  for (FactsPointer& facts : view.facts) {
    if (!facts) continue;
    if (facts != last[0]) {
      Facts kept;
      for (const Fact& fact : *facts) {
        if (!stays(fact)) {
          kept.push_back(fact);
        } else {
          Clock& of = fact.key.kind() == FactKey::Kind::Visible ? left.visible : left.shown;
          of = sums.sum(of, fact.clock);
        }
      }
      last = {facts, kept.size() == facts->size() ? facts : std::make_shared<const Facts>(std::move(kept))};
    }
    facts = last[1];
  }
}

// Facts about instances that the two agents have in common stay what they are.
FactsPointer ChainClocks::translated(const FactsPointer& facts, std::uint32_t from, std::uint32_t to) const {
  if (!facts || from == to) return facts;
  const auto is_alike = [&](const Fact& fact) {
    if (!fact.key.is_of_place()) return true;
    return !fact.key.is_elsewhere() && places_.same_instance(from, to, fact.key.level());
  };
  if (std::all_of(facts->begin(), facts->end(), is_alike)) return facts;
  FactSums sums = this->sums();
  FactList made(sums);
  for (const Fact& fact : *facts) {
    FactKey key = fact.key;
    if (!is_alike(fact)) {
      const std::uint32_t of = key.is_elsewhere() ? key.elsewhere() : from;
      const bool here = places_.same_instance(of, to, key.level());
      // Workgroups do without it; instances wider than these are few.
      if (!here && !exact_ && key.level() <= kWorkgroup) continue;
      key = here ? key.here() : key.at_agent(places_.one_of_instance(of, key.level()));
    }
    made.add(key, fact.clock, fact.own);
  }
  return made.take();
}

void ChainClocks::join(View& to, const View& more, std::size_t set, FactSums& sums) const {
  if (to.facts[set] || more.facts[set]) to.facts[set] = sums.sum(of_set(to, set, sums), of_set(more, set, sums));
}

// Neighbouring sets often have the same facts, which are translated once.
template <typename F>
void ChainClocks::for_each_released(std::uint32_t agent, const View& published, std::uint32_t from, ClassSets sets,
                                    F f) const {
  FactsPointer last;
  FactsPointer here;
  for (std::size_t i = 0; i < kClassSets.size(); ++i) {
    if (!has_set(sets, i) || !published.facts[i]) continue;
    if (published.facts[i] != last) {
      last = published.facts[i];
      here = translated(last, from, agent);
    }
    f(i, here);
  }
}

void ChainClocks::collect(std::array<FactsJoin, kClassSets.size()>& joins, std::uint32_t agent, const View& published,
                          std::uint32_t from, ClassSets sets) const {
  for_each_released(agent, published, from, sets,
                    [&](std::size_t set, const FactsPointer& facts) { joins[set].add(facts); });
}

// Sets that know and learn what the set before them does share the sum.
bool ChainClocks::learn(View& to, const std::array<FactsJoin, kClassSets.size()>& collected) const {
  FactSums sums = this->sums();
  bool more = false;
  FactsPointer known_before;
  for (std::size_t i = 0; i < kClassSets.size(); ++i) {
    const FactsPointer known = collected[i].empty() ? to.facts[i] : of_set(to, i, sums);
    if (!collected[i].empty()) {
      const bool as_before = i > 0 && known == known_before && collected[i] == collected[i - 1];
      const FactsPointer sum = as_before ? to.facts[i - 1] : collected[i].finish(known, sums);
      more = more || sum != to.facts[i];
      to.facts[i] = sum;
    }
    known_before = known;
  }
  return more;
}

bool ChainClocks::learn(View& to, std::uint32_t agent, const View& published, std::uint32_t from, ClassSets sets,
                        FactSums& sums) const {
  bool more = false;
  for_each_released(agent, published, from, sets, [&](std::size_t set, const FactsPointer& facts) {
    const FactsPointer sum = sums.sum(of_set(to, set, sums), facts);
    more = more || sum != to.facts[set];
    to.facts[set] = sum;
  });
  return more;
}

void ChainClocks::learn_all(View& to, std::uint32_t agent, const View& from, std::uint32_t of) const {
  FactSums sums = this->sums();
  learn(to, agent, from, of, kAllClassSets, sums);
  View all;
  for (std::size_t i = 0; i < kClassSets.size(); ++i) all.facts[0] = sums.sum(all.facts[0], from.facts[i]);
  View learnt;
  learn(learnt, agent, all, of, 1, sums);
  to.own = sums.sum(to.own, learnt.facts[0]);
}

}  // namespace heddle::race
