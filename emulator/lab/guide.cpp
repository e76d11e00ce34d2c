#include "emulator/lab/guide.h"

#include <algorithm>

#include "emulator/lab/finals.h"

namespace heddle::lab {
namespace {

/// An execution to follow: of each agent its operations, in program order.
class Example {
 public:
  explicit Example(const model::Execution& execution) : execution_(execution), of_agent_(execution.agents.size()) {
    for (OperationIndex i = 0; i < execution.operations.size(); ++i) {
      const auto agent = static_cast<std::size_t>(execution.operations[i].agent);
      place_.push_back(of_agent_[agent].size());
      of_agent_[agent].push_back(i);
    }
    source_.assign(execution.operations.size(), model::kInitialValue);
    for (const model::ReadsFrom& edge : execution.reads_from) source_[edge.read] = edge.write;
  }

  /// Which operation it is that an agent executes as its `number`th.
  std::optional<OperationIndex> operation(AgentId agent, std::size_t number) const {
    const auto& all = of_agent_[static_cast<std::size_t>(agent)];
    return number < all.size() ? std::optional(all[number]) : std::nullopt;
  }
  OperationIndex source(OperationIndex read) const { return source_[read]; }
  /// Its agent, and its number there.
  std::pair<AgentId, std::size_t> place(OperationIndex operation) const {
    return {execution_.operations[operation].agent, place_[operation]};
  }

 private:
  const model::Execution& execution_;
  std::vector<std::vector<OperationIndex>> of_agent_;
  std::vector<std::size_t> place_;
  std::vector<OperationIndex> source_;
};

/// Games that follow an example, or nothing.
class Guide {
 public:
  Guide(const Played& played, const Rules& rules, const Example* example)
      : example_(example), world_(played, rules), trial_(played, rules) {}

  /// One game; true if it ends as `wanted`.
  bool play(std::uint64_t seed, const Outcome& wanted);
  const std::vector<Move>& moves() const { return moves_; }

 private:
  static constexpr std::size_t kMostMoves = 400;

  bool step(SeededChoice& choice, const Outcome& wanted);
  bool try_thread(std::uint32_t thread, SeededChoice& choice);
  bool follows(std::size_t operation) const;
  /// Makes the read that the example has there, if the judge alone allows it; false if it cannot.
  bool try_older(std::uint32_t thread);
  bool finish(const Outcome& wanted);
  bool deliver(SeededChoice& choice);
  /// Whether what the trial's last move led to is consistent, if that is not certain.
  bool holds();
  void make(const Move& move) {
    world_.make(move);
    moves_.push_back(move);
  }

  const Example* example_;
  World world_;
  World trial_;
  std::vector<Move> moves_;
};

/// Whether the trial's operation of that number does what the example does there.
bool Guide::follows(std::size_t number) const {
  const std::vector<Told>& told = trial_.chronicle().told();
  const Told& one = told[number];
  const trace::Recorder& recorder = trial_.recorder();
  // Reads that are answered late have their places in program order once they are.
  const auto number_in_agent = [&](std::size_t index) {
    std::size_t before = 0;
    const OperationIndex own = recorder.position(static_cast<OperationIndex>(index));
    for (std::size_t i = 0; i < told.size(); ++i)
      if (told[i].operation.agent == told[index].operation.agent &&
          recorder.position(static_cast<OperationIndex>(i)) < own)
        ++before;
    return before;
  };
  // Late reads that are still to come stand before it.
  const std::size_t late = trial_.runner().late_reads(static_cast<std::uint32_t>(one.operation.agent));
  if (late != 0 && one.operation.kind == OperationKind::Read) return true;
  const std::optional<OperationIndex> there = example_->operation(one.operation.agent, number_in_agent(number) + late);
  if (!there) return false;
  if (!one.operation.reads()) return true;
  const OperationIndex source = example_->source(*there);
  if (source == model::kInitialValue || one.source == model::kInitialValue) return source == one.source;
  const auto [agent, place] = example_->place(source);
  return told[one.source].operation.agent == agent &&
         number_in_agent(one.source) + trial_.runner().late_reads(static_cast<std::uint32_t>(agent)) >= place;
}

/// Makes a move of the thread that follows the example; false if it has none now.
bool Guide::try_thread(std::uint32_t thread, SeededChoice& choice) {
  std::vector<Move> ways;
  std::vector<std::uint32_t> answers;
  constexpr std::size_t kMostWays = 64;
  for (std::size_t tried = 0; tried < kMostWays; ++tried) {
    if (!trial_.replay(moves_)) return false;
    const std::size_t told = trial_.chronicle().told().size();
    if (!trial_.make(Move::go(thread, answers))) return false;
    const bool executed = trial_.chronicle().told().size() > told;
    const bool fits = !example_ || !executed || follows(told);
    Move way = Move::go(thread, trial_.script().given());
    const bool more = trial_.script().next(answers);
    if (fits && holds()) ways.push_back(std::move(way));
    if (!more) break;
  }
  if (ways.empty()) return try_older(thread);
  make(ways[choice.below(static_cast<std::uint32_t>(ways.size()), ChoicePoint::Invocation)]);
  return true;
}

bool Guide::holds() {
  if (!trial_.asks_judge()) return true;
  if (!trial_.end()) trial_.settle();
  return is_consistent(trial_);
}

bool Guide::try_older(std::uint32_t thread) {
  if (!example_) return false;
  const std::vector<Told>& told = world_.chronicle().told();
  const auto number_in_agent = [&](std::size_t index) {
    return std::count_if(told.begin(), told.begin() + static_cast<std::ptrdiff_t>(index),
                         [&](const Told& one) { return one.operation.agent == told[index].operation.agent; });
  };
  const auto agent = static_cast<AgentId>(thread);
  const auto own = static_cast<std::size_t>(
      std::count_if(told.begin(), told.end(), [&](const Told& one) { return one.operation.agent == agent; }));
  const std::optional<OperationIndex> there = example_->operation(agent, own);
  if (!there) return false;
  OperationIndex served = example_->source(*there);
  if (served != model::kInitialValue) {
    const auto [writer, place] = example_->place(served);
    served = model::kInitialValue;
    for (std::size_t i = 0; i < told.size(); ++i)
      if (told[i].operation.agent == writer && static_cast<std::size_t>(number_in_agent(i)) == place)
        served = static_cast<OperationIndex>(i);
    if (served == model::kInitialValue) return false;
  }
  const Move move = Move::go_older(thread, served);
  if (!trial_.replay(moves_) || !trial_.make(move) || !holds()) return false;
  make(move);
  return true;
}

bool Guide::finish(const Outcome& wanted) {
  if (!trial_.replay(moves_) || !trial_.make(Move::finish()) || !holds()) return false;
  const std::vector<Outcome> outcomes = final_outcomes(trial_);
  const auto found = std::find(outcomes.begin(), outcomes.end(), wanted);
  make(Move::finish(found == outcomes.end() ? 0 : static_cast<std::uint32_t>(found - outcomes.begin())));
  return true;
}

bool Guide::deliver(SeededChoice& choice) {
  std::vector<OperationIndex> waiting;
  for (const memory::HeldWrite& held : world_.machine().held_writes())
    if (held.level < CacheLevel::Shader) waiting.push_back(held.write);
  if (waiting.empty()) return false;
  make(Move::deliver(waiting[choice.below(static_cast<std::uint32_t>(waiting.size()), ChoicePoint::Memory)]));
  return true;
}

bool Guide::step(SeededChoice& choice, const Outcome& wanted) {
  std::vector<std::uint32_t> ready = world_.runner().ready();
  std::sort(ready.begin(), ready.end());
  if (ready.empty()) {
    if (choice.below(2, ChoicePoint::Memory) != 0 && deliver(choice)) return true;
    return finish(wanted);
  }
  if (choice.below(3, ChoicePoint::Memory) == 0 && deliver(choice)) return true;
  while (!ready.empty()) {
    const std::uint32_t at = choice.below(static_cast<std::uint32_t>(ready.size()), ChoicePoint::Invocation);
    if (try_thread(ready[at], choice)) return true;
    ready.erase(ready.begin() + at);
  }
  return deliver(choice);
}

bool Guide::play(std::uint64_t seed, const Outcome& wanted) {
  SeededChoice choice(seed);
  world_.restart();
  moves_.clear();
  while (!world_.end())
    if (moves_.size() == kMostMoves || !step(choice, wanted)) return false;
  return world_.end() == run::RunEnd::Terminated && final_outcomes(world_)[moves_.back().which] == wanted;
}

}  // namespace

std::optional<std::vector<Move>> find_game(const Played& played, const Rules& rules, const OutcomeRow& row,
                                           std::size_t tries) {
  const auto search = [&](const Example* example) -> std::optional<std::vector<Move>> {
    Guide guide(played, rules, example);
    for (std::uint64_t seed = 1; seed <= tries; ++seed)
      if (guide.play(seed, row.values)) return guide.moves();
    return std::nullopt;
  };
  if (row.example) {
    const Example example(*row.example);
    if (auto game = search(&example)) return game;
  }
  return search(nullptr);
}

}  // namespace heddle::lab
