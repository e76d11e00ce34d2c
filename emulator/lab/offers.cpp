#include "emulator/lab/offers.h"

#include <fmt/format.h>
#include <heddle/report.h>

#include <algorithm>
#include <map>

#include "emulator/lab/finals.h"

namespace heddle::lab {
namespace {

using run::Standing;

// More ways of one thread's step than anybody would look through come from barriers with quorums alone.
constexpr std::size_t kMostWays = 256;

void note_read(const Played& played, Offer& offer, const Told& told) {
  offer.line = told.operation.where.line;
  if (!told.operation.reads()) return;
  offer.reads = true;
  offer.variable = played.variable_of(told.operation.reference, told.operation.locations);
  offer.value = told.read;
  offer.write = told.source;
  offer.stale = told.stale;
}

// A module may branch on what nothing defines behind a step: each way of it has the text of the step.
void tell_apart(std::vector<Offer>& ways) {
  std::map<std::string, std::uint32_t> seen;
  for (const Offer& way : ways) ++seen[way.text];
  std::map<std::string, std::uint32_t> told;
  for (Offer& way : ways) {
    const std::string text = way.text;
    if (seen[text] > 1) way.text += fmt::format("; of a branch that nothing decides it takes way {}", ++told[text]);
  }
}

// Whether the thread is offered a read of what that write left.
bool is_offered(std::span<const Offer> offers, std::uint32_t thread, OperationIndex write) {
  return std::any_of(offers.begin(), offers.end(), [&](const Offer& offer) {
    return offer.move.kind == MoveKind::Go && offer.move.thread == thread && offer.reads &&
           offer.kind != OfferKind::Answer && offer.write == write;
  });
}

}  // namespace

Offer Offers::describe(const Move& move, std::size_t told, std::size_t late) const {
  Offer offer;
  offer.move = move;
  const Chronicle& chronicle = trial_.chronicle();
  const std::size_t late_now = trial_.runner().late_reads(move.thread);
  const std::string who = words_.thread(move.thread);
  if (chronicle.told().size() > told) {
    const Told& last = chronicle.told()[told];
    note_read(trial_.played(), offer, last);
    offer.text = words_.operation(last);
    const bool chosen = offer.reads && !move.answers.empty();
    offer.kind = late_now < late ? OfferKind::Answer : chosen ? OfferKind::Read : OfferKind::Step;
    return offer;
  }
  if (late_now > late) {
    const Operation& read = trial_.runner().late_read(move.thread, late);
    offer.kind = OfferKind::Postpone;
    offer.line = read.where.line;
    offer.text = fmt::format("{} goes on without the value of `{}`", who, read.where.function);
    return offer;
  }
  const std::vector<Finding>& findings = trial_.runner().findings();
  offer.kind = move.answers.empty() ? OfferKind::Step : OfferKind::Choose;
  offer.text = trial_.runner().ready().empty() && !findings.empty()
                   ? fmt::format("{} goes on, and ends the game: {}", who, findings.back().message)
                   : who + " leaves the barrier";
  return offer;
}

void Offers::go(std::uint32_t thread, std::span<const Move> done, std::vector<Offer>& offers) {
  std::vector<std::uint32_t> answers;
  std::vector<Offer> ways;
  while (ways.size() < kMostWays) {
    if (!trial_.replay(done)) return;
    const std::size_t told = trial_.chronicle().told().size();
    const std::size_t late = trial_.runner().late_reads(thread);
    if (!trial_.make(Move::go(thread, answers))) return;
    Offer way = describe(Move::go(thread, trial_.script().given()), told, late);
    const bool more = trial_.script().next(answers);
    if (holds()) ways.push_back(std::move(way));
    if (!more) break;
  }
  // Who synchronizes is part of what the thread does there.
  for (std::size_t way = 0; way < ways.size(); ++way)
    if (ways[way].kind == OfferKind::Choose) ways[way].text += fmt::format(", choice {} of who synchronizes", way);
  tell_apart(ways);
  offers.insert(offers.end(), std::make_move_iterator(ways.begin()), std::make_move_iterator(ways.end()));
}

bool Offers::holds() {
  if (!trial_.asks_judge()) return true;
  if (!trial_.end()) trial_.settle();
  return is_consistent(trial_);
}

void Offers::older(std::uint32_t thread, std::span<const Move> done, std::vector<Offer>& offers) {
  if (!trial_.replay(done)) return;
  const std::vector<Told> told = trial_.chronicle().told();
  const auto offer = [&](OperationIndex write) {
    const Move move = Move::go_older(thread, write);
    if (is_offered(offers, thread, write) || !trial_.replay(done) || !trial_.make(move)) return;
    Offer way = describe(move, told.size(), 0);
    way.kind = OfferKind::Older;
    way.text += "; the machine would keep nothing so old, and the memory model allows it";
    if (holds()) offers.push_back(std::move(way));
  };
  offer(model::kInitialValue);
  for (OperationIndex write = 0; write < told.size(); ++write)
    if (told[write].operation.writes()) offer(write);
}

void Offers::finish(std::span<const Move> done, std::vector<Offer>& offers) {
  if (!trial_.replay(done) || !trial_.make(Move::finish()) || !holds()) return;
  const Played& played = trial_.played();
  const std::vector<Outcome> outcomes =
      trial_.end() == run::RunEnd::Terminated ? final_outcomes(trial_) : std::vector<Outcome>(1);
  for (std::uint32_t which = 0; which < outcomes.size(); ++which) {
    Offer offer;
    offer.move = Move::finish(which);
    offer.kind = OfferKind::Finish;
    offer.text = "All threads have come to a halt: what waits is delivered, and the game ends";
    for (std::size_t i = 0; which != 0 && i < outcomes[which].size(); ++i)
      if (outcomes[which][i] != outcomes.front()[i])
        offer.text += fmt::format("; of the last writes of {}, which have no order, that of {} counts",
                                  played.observables()[i], spelled(played.observed(i, outcomes[which][i])));
    offers.push_back(std::move(offer));
  }
}

void Offers::deliver(World& world, std::span<const Move> done, std::vector<Offer>& offers) {
  for (const memory::HeldWrite& held : world.machine().held_writes()) {
    if (held.level >= CacheLevel::Shader) continue;
    if (!trial_.replay(done)) return;
    const std::size_t before = trial_.chronicle().effects().size();
    const Move move = Move::deliver(held.write);
    if (!trial_.make(move)) continue;
    Offer offer;
    offer.move = move;
    offer.kind = OfferKind::Deliver;
    offer.write = held.write;
    offer.variable = trial_.played().variable_of(held.reference, held.bytes);
    offer.value = held.value;
    const std::vector<Effect>& effects = trial_.chronicle().effects();
    for (std::size_t i = before; i < effects.size(); ++i) {
      const Effect& effect = effects[i];
      if (effect.kind != EffectKind::Moved || effect.operation != held.write) continue;
      offer.from = words_.cache_id(effect.agent, effect.from);
      offer.to = words_.cache_id(effect.agent, effect.to);
      offer.text = fmt::format("{} goes on from {} to {}", words_.write(held.write),
                               words_.cache(effect.agent, effect.from), words_.cache(effect.agent, effect.to));
    }
    if (holds()) offers.push_back(std::move(offer));
  }
}

void Offers::invalidate(World& world, std::vector<Offer>& offers) {
  const Played& played = world.played();
  for (std::uint32_t thread = 0; thread < played.threads().size(); ++thread) {
    if (world.runner().standing(thread) == Standing::Ended) continue;
    for (std::uint32_t variable = 0; variable < played.variables().size(); ++variable) {
      const std::optional<Operation> read = played.read_of(world, thread, variable);
      if (!read) continue;
      const memory::HeldCopy copy = world.machine().held_copy(*read);
      if (!copy.stale) continue;
      Offer offer;
      offer.move = Move::invalidate(thread, variable);
      offer.kind = OfferKind::Invalidate;
      offer.variable = variable;
      offer.value = copy.value;
      offer.write = copy.write;
      offer.text = fmt::format("{} gives up its copy of {}, which has {}", words_.thread(thread),
                               played.variables()[variable].name, played.spelled(variable, copy.value));
      offers.push_back(std::move(offer));
    }
  }
}

std::vector<Offer> Offers::all(World& world, std::span<const Move> done) {
  std::vector<Offer> offers;
  if (world.end()) return offers;
  std::vector<std::uint32_t> ready = world.runner().ready();
  std::sort(ready.begin(), ready.end());
  for (const std::uint32_t thread : ready) {
    go(thread, done, offers);
    older(thread, done, offers);
  }
  deliver(world, done, offers);
  invalidate(world, offers);
  if (ready.empty()) finish(done, offers);
  return offers;
}

std::vector<Forbidden> forbidden_moves(const World& world, std::span<const Offer> offers) {
  std::vector<Forbidden> all;
  if (world.end()) return all;
  const Played& played = world.played();
  const std::vector<Told>& told = world.chronicle().told();
  const Words words(played, world.chronicle());
  for (std::uint32_t thread = 0; thread < played.threads().size(); ++thread) {
    const Standing standing = world.runner().standing(thread);
    if (standing == Standing::Ended) continue;
    Forbidden move;
    move.thread = thread;
    if (standing == Standing::NotBegun || standing == Standing::Arrived || standing == Standing::Calling) {
      move.id = fmt::format("b{}", thread);
      move.text = words.thread(thread) + " goes on";
      all.push_back(std::move(move));
      continue;
    }
    const explore::Step& step = world.runner().next_step(thread);
    if (standing != Standing::Ready || step.kind != explore::StepKind::Operation || !step.operation.reads()) continue;
    move.reads = true;
    move.variable = played.variable_of(step.operation.reference, step.operation.locations);
    const std::string& name = played.variables()[move.variable].name;
    if (!is_offered(offers, thread, model::kInitialValue)) {
      move.id = fmt::format("x{}.init", thread);
      move.value = played.variables()[move.variable].initial;
      move.text = fmt::format("{} reads {} = {}, the initial value", words.thread(thread), name,
                              played.spelled(move.variable, move.value));
      all.push_back(move);
    }
    for (OperationIndex write = 0; write < told.size(); ++write) {
      const Operation& operation = told[write].operation;
      if (!operation.writes() || !(operation.locations == step.operation.locations) ||
          is_offered(offers, thread, write))
        continue;
      move.id = fmt::format("x{}.{}", thread, write);
      move.write = write;
      move.value = told[write].written;
      move.text = fmt::format("{} reads {} = {} of step {}", words.thread(thread), name,
                              played.spelled(move.variable, move.value), words.step(write));
      all.push_back(move);
    }
  }
  return all;
}

}  // namespace heddle::lab
