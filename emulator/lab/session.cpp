#include "emulator/lab/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/lab/finals.h"
#include "emulator/lab/limits.h"

namespace heddle::lab {
namespace {

std::string allowed_ids(const std::vector<Offer>& offers, const Played& played) {
  constexpr std::size_t kMost = 12;
  if (offers.empty()) return "the game has ended";
  std::string text = "the allowed moves are ";
  for (std::size_t i = 0; i < std::min(offers.size(), kMost); ++i)
    text += (i == 0 ? "" : ", ") + id_of(offers[i].move, played);
  return offers.size() > kMost ? text + ", ..." : text;
}

}  // namespace

Session::Session(std::shared_ptr<const Played> played, const Rules& rules)
    : played_(std::move(played)),
      rules_(rules),
      world_(std::make_unique<World>(*played_, rules)),
      trial_(std::make_unique<World>(*played_, rules)),
      finder_(*played_, rules) {}

const std::vector<Offer>& Session::offers() {
  if (!offers_) offers_ = finder_.all(*world_, done());
  return *offers_;
}

void Session::moved_to(std::size_t at) {
  at_ = at;
  offers_.reset();
  verdict_.reset();
}

void Session::make(std::string_view id) {
  for (const Offer& offer : offers())
    if (id_of(offer.move, *played_) == id) return make(Offer(offer));
  throw BadRequest(fmt::format("there is no move \"{}\" now; {}", id, allowed_ids(offers(), *played_)));
}

void Session::make(const Offer& offer) {
  if (at_ >= kMostMoves) throw BadRequest(fmt::format("a game has at most {} moves", kMostMoves));
  Entry entry;
  entry.move = offer.move;
  entry.text = offer.text;
  entry.line = offer.line;
  if (offer.move.kind == MoveKind::Go) entry.thread = words().column(static_cast<AgentId>(offer.move.thread));
  const std::size_t told = world_->chronicle().told().size();
  const std::size_t effects = world_->chronicle().effects().size();
  world_->make(offer.move);
  if (world_->chronicle().told().size() > told) entry.operation = static_cast<OperationIndex>(told);
  const Words words = this->words();
  for (std::size_t i = effects; i < world_->chronicle().effects().size(); ++i)
    entry.effects.push_back(words.effect(world_->chronicle().effects()[i]));
  moves_.resize(at_);
  history_.resize(at_);
  std::erase_if(bookmarks_, [&](const auto& bookmark) { return bookmark.second > at_; });
  moves_.push_back(offer.move);
  history_.push_back(std::move(entry));
  moved_to(at_ + 1);
}

void Session::jump(std::size_t to) {
  if (to > moves_.size())
    throw BadRequest(fmt::format("the game has {} moves: there is no way to move {}", moves_.size(), to));
  if (to == at_) return;
  if (to > at_) {
    for (std::size_t i = at_; i < to; ++i) world_->make(moves_[i]);
  } else {
    world_->replay(std::span(moves_).first(to));
  }
  moved_to(to);
}

const Offer& Session::choose(Policy policy, SeededChoice& choice) {
  const std::vector<Offer>& all = offers();
  const auto draw = [&](std::size_t bound) {
    return choice.below(static_cast<std::uint32_t>(bound), ChoicePoint::Invocation);
  };
  std::vector<const Offer*> some;
  for (const Offer& offer : all) {
    // What no machine does is left to players.
    if (offer.kind == OfferKind::Older || offer.move.which != 0) continue;
    if (policy == Policy::Random) {
      some.push_back(&offer);
      continue;
    }
    if (offer.kind == OfferKind::Deliver && policy == Policy::Eager) return offer;
    const bool threads = offer.move.kind == MoveKind::Go && offer.kind != OfferKind::Postpone;
    if (!threads && offer.move.kind != MoveKind::Finish) continue;
    // The last way of a thread reads the newest, and the first one the oldest.
    const bool same = !some.empty() && some.back()->move.kind == MoveKind::Go && threads &&
                      some.back()->move.thread == offer.move.thread;
    if (!same) {
      some.push_back(&offer);
    } else if (policy == Policy::Eager) {
      some.back() = &offer;
    }
  }
  if (some.empty())
    for (const Offer& offer : all) some.push_back(&offer);
  return *some[draw(some.size())];
}

std::vector<std::uint32_t> Session::next_lines() const {
  std::vector<std::uint32_t> lines;
  const run::Runner& runner = world_->runner();
  for (std::uint32_t thread = 0; thread < played_->threads().size(); ++thread) {
    const bool ready = runner.standing(thread) == run::Standing::Ready &&
                       runner.next_step(thread).kind == explore::StepKind::Operation;
    lines.push_back(ready ? runner.next_step(thread).operation.where.line : 0);
  }
  return lines;
}

std::optional<std::string> Session::broken(const std::vector<std::uint32_t>& lines_before, std::size_t races_before) {
  const Entry& last = history_[at_ - 1];
  const std::vector<std::uint32_t> lines = next_lines();
  for (const Breakpoint& breakpoint : breakpoints_) {
    switch (breakpoint.kind) {
      case Breakpoint::Kind::Line:
        for (std::uint32_t thread = 0; thread < lines.size(); ++thread)
          if (lines[thread] == breakpoint.line && lines_before[thread] != breakpoint.line)
            return fmt::format("{} has come to line {}", played_->threads()[thread].name, breakpoint.line);
        break;
      case Breakpoint::Kind::Variable: {
        const std::optional<OperationIndex> index =
            last.move.kind == MoveKind::Deliver ? std::optional(last.move.write) : last.operation;
        if (!index) break;
        const Operation& operation = world_->chronicle().told()[*index].operation;
        if (operation.is_access() &&
            played_->variable_of(operation.reference, operation.locations) == breakpoint.variable)
          return fmt::format("{} was accessed: {}", played_->variables()[breakpoint.variable].name, last.text);
        break;
      }
      case Breakpoint::Kind::Race:
        if (verdict().races.size() > races_before) return "there is a data race: " + verdict().race_texts.back();
        break;
      case Breakpoint::Kind::AsAsked:
        if (end() == run::RunEnd::Terminated && !played_->condition().empty() && satisfies_assertion())
          return "the game has ended as the assertion's condition says";
        break;
    }
  }
  return std::nullopt;
}

Stop Session::play(Policy policy, std::uint64_t seed, std::size_t most, std::string& why) {
  SeededChoice choice(seed);
  const bool looks_for_races = std::any_of(breakpoints_.begin(), breakpoints_.end(), [](const Breakpoint& breakpoint) {
    return breakpoint.kind == Breakpoint::Kind::Race;
  });
  for (std::size_t moves = 0; !end(); ++moves) {
    if (moves == most) return Stop::Most;
    if (offers().empty()) return Stop::Stuck;
    const std::vector<std::uint32_t> lines = next_lines();
    const std::size_t races = looks_for_races ? verdict().races.size() : 0;
    make(Offer(choose(policy, choice)));
    if (const std::optional<std::string> text = broken(lines, races)) {
      why = *text;
      return Stop::Break;
    }
  }
  return Stop::End;
}

model::Execution Session::execution(trace::Recorder& recorder) {
  trial_->replay(done());
  if (!trial_->end()) trial_->settle();
  recorder = trial_->recorder();
  return recorder.execution();
}

const Verdict& Session::verdict() {
  if (verdict_) return *verdict_;
  trace::Recorder recorder;
  const model::Execution execution = this->execution(recorder);
  judge::Options options;
  options.chains = rules_.chains;
  const judge::Judgement judgement(execution, options);
  const Words words = this->words();
  const judge::NameOfOperation name_of = [&](OperationIndex index) { return words.place(recorder.told_as(index)); };
  Verdict& verdict = verdict_.emplace();
  verdict.consistent = judgement.consistent();
  if (end() && !passes_filter()) return verdict;
  const std::string provided = !played_->filter().empty() && !end()
                                   ? fmt::format(" It counts if the game passes the filter {}.", played_->filter())
                                   : "";
  for (model::OperationPair race : played_->mistakes(judgement)) {
    std::string text = fmt::format("{} races with {}.", name_of(race.first), name_of(race.second));
    if (const std::string missing = played_->missing_link(judgement, race, name_of); !missing.empty())
      text += ' ' + missing;
    text += provided;
    race.first = recorder.told_as(race.first);
    race.second = recorder.told_as(race.second);
    verdict.races.push_back(race);
    verdict.race_texts.push_back(std::move(text));
  }
  return verdict;
}

Outcome Session::outcome() const {
  const std::uint32_t which = at_ == 0 ? 0 : moves_[at_ - 1].which;
  return which != 0 ? final_outcomes(*world_)[which] : world_->stage().settled();
}

bool Session::passes_filter() const {
  return played_->passes_filter(outcome());
}

bool Session::satisfies_assertion() const {
  return passes_filter() && played_->satisfies(outcome());
}

std::string Session::end_in_words() const {
  if (!passes_filter())
    return fmt::format(
        "The test does not ask about this game: its filter {} does not hold at the end. What it reads and whether it "
        "races means nothing for the test.",
        played_->filter());
  if (*end() != run::RunEnd::Terminated)
    return *end() == run::RunEnd::Blocked ? "A thread waits for ever." : "The bound on loops cuts this game off.";
  const std::string& condition = played_->condition();
  if (condition.empty()) return "The test asks for no outcome.";
  const bool holds = satisfies_assertion();
  if (played_->quantifier() == "forall")
    return holds ? fmt::format("As the test says of every game, {} holds.", condition)
                 : fmt::format("The test says of every game that {} holds, and here it does not.", condition);
  if (played_->quantifier() == "~exists")
    return holds ? fmt::format("The test says of no game that {} holds, and here it does.", condition)
                 : fmt::format("As the test says of every game, {} does not hold.", condition);
  return holds ? fmt::format("It is what the test asks for: {} holds.", condition)
               : fmt::format("It is not what the test asks for: {} does not hold.", condition);
}

}  // namespace heddle::lab
