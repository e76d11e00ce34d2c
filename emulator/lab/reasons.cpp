#include "emulator/lab/reasons.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::lab {
namespace {

using run::Standing;

/// Why a read of `write` would not be consistent with what was done; nothing if the judge would accept it.
class Supposition {
 public:
  Supposition(Session& session, const Forbidden& move) : session_(session), execution_(session.execution(recorder_)) {
    const explore::Step& step = session.world().runner().next_step(move.thread);
    read_ = static_cast<OperationIndex>(execution_.operations.size());
    Operation operation = step.operation;
    operation.agent = static_cast<AgentId>(move.thread);
    execution_.operations.push_back(operation);
    execution_.read_values.push_back(move.value);
    const bool writes = operation.kind == OperationKind::ReadModifyWrite;
    execution_.written_values.push_back(writes ? step.modify(move.value).value_or(0) : 0);
    execution_.reads_from.push_back({read_, recorder_.position(move.write), operation.locations});
    options_.chains = session.rules().chains;
    if (writes) come_last();
  }

  std::optional<Reason> violation() const {
    const judge::Judgement judgement(execution_, options_);
    const std::optional<judge::Violation> violation = judgement.violation();
    if (!violation) return std::nullopt;
    return reason_of(session_.played(), execution_, *violation,
                     [this](OperationIndex index) -> std::optional<OperationIndex> {
                       if (index == read_) return std::nullopt;
                       return recorder_.told_as(index);
                     });
  }

 private:
  /// An update takes its place behind all writes that are mutually ordered with it.
  void come_last() {
    std::vector<model::OperationPair> pairs =
        judge::Judgement(execution_, options_).pairs(judge::RelationName::MutuallyOrdered);
    for (const auto& [a, b] : pairs) {
      if (b != read_ || a == read_ || !execution_.operations[a].writes()) continue;
      execution_.modification_order.emplace_back(a, read_);
    }
  }

  Session& session_;
  trace::Recorder recorder_;
  model::Execution execution_;
  judge::Options options_;
  OperationIndex read_ = 0;
};

/// Which of the moves delivers a write, as faces number them: " (move 3)"; empty if none does now.
std::string number_of_delivery(Session& session, OperationIndex write) {
  const std::vector<Offer>& offers = session.offers();
  for (std::size_t i = 0; i < offers.size(); ++i)
    if (offers[i].move == Move::deliver(write)) return fmt::format(" (move {})", i + 1);
  return "";
}

/// Where the write is, if the thread cannot meet it there.
std::optional<std::string> on_its_way(Session& session, const Forbidden& move) {
  const Words words = session.words();
  for (const memory::HeldWrite& held : session.world().machine().held_writes()) {
    if (held.write != move.write || held.level >= CacheLevel::Shader) continue;
    return fmt::format("{} is in {}, where {} does not see it: deliver it first{}", words.write(held.write),
                       words.cache(held.agent, held.level), words.thread(move.thread),
                       number_of_delivery(session, held.write));
  }
  return std::nullopt;
}

Reason why_no_read(Session& session, const Forbidden& move) {
  if (auto violation = Supposition(session, move).violation()) return *violation;
  Reason reason;
  if (const auto way = on_its_way(session, move)) {
    reason.text = *way + '.';
    return reason;
  }
  const Operation& operation = session.world().runner().next_step(move.thread).operation;
  reason.text =
      operation.kind == OperationKind::ReadModifyWrite
          ? "The memory model has executions in which it does, but on this machine an update reads the newest "
            "value when it is executed."
          : "The memory model has executions in which it does, but this machine has let the thread, or "
            "somebody whom it has heard of, meet something newer, or give up its copy.";
  return reason;
}

Reason why_blocked(Session& session, const Forbidden& move) {
  const Played& played = session.played();
  const run::Runner& runner = session.world().runner();
  if (std::optional<Reason> other = played.why_waits(session.world(), move.thread)) return *std::move(other);
  std::string others;
  const explore::Step& step = runner.next_step(move.thread);
  for (const AgentId agent : step.participants) {
    const auto thread = static_cast<std::uint32_t>(agent);
    const bool here = runner.standing(thread) == Standing::Arrived &&
                      runner.next_step(thread).operation.barrier_instance == step.operation.barrier_instance;
    if (!here) others += (others.empty() ? "" : ", ") + played.threads()[thread].name;
  }
  Reason reason;
  reason.clause = "memory-model-synchronizes-with";
  reason.text =
      fmt::format("{} waits at the control barrier `{}` until {} others arrive; not there yet: {}.",
                  played.threads()[move.thread].name, step.operation.where.function,
                  step.quorum != 0 ? fmt::format("enough (a quorum of {}) of the", step.quorum) : "all", others);
  return reason;
}

Forbidden find_forbidden_move(Session& session, std::string_view id) {
  const std::vector<Forbidden> all = forbidden_moves(session.world(), session.offers());
  for (const Forbidden& move : all)
    if (move.id == id) return move;
  for (const Offer& offer : session.offers())
    if (id_of(offer.move, session.played()) == id)
      throw BadRequest(fmt::format("the move \"{}\" is allowed: {}", id, offer.text));
  std::string ids;
  for (const Forbidden& move : all) ids += (ids.empty() ? "" : ", ") + move.id;
  throw BadRequest(
      fmt::format("there is no forbidden move \"{}\" now{}{}", id, ids.empty() ? "" : "; there are ", ids));
}

ValueSource source_of(const Played& played, const Chronicle& chronicle, std::uint32_t variable, OperationIndex write) {
  ValueSource source;
  source.write = write;
  source.variable = variable;
  if (write >= chronicle.told().size()) {
    source.value = played.variables()[variable].initial;
    return source;
  }
  const Told& told = chronicle.told()[write];
  source.value = told.written;
  source.thread = played.column(told.operation.agent);
  source.line = told.operation.where.line;
  return source;
}

/// Instructions that may write the variable, and that no thread has executed.
void add_unexecuted(const Session& session, std::uint32_t reader, std::uint32_t variable,
                    std::vector<ValueSource>& sources) {
  const Played& played = session.played();
  const std::vector<Told>& told = session.world().chronicle().told();
  for (std::uint32_t thread = 0; thread < played.threads().size(); ++thread) {
    for (const CodeLine& writer : played.writers_of(thread, variable)) {
      const bool executed = std::any_of(told.begin(), told.end(), [&](const Told& one) {
        return static_cast<std::uint32_t>(one.operation.agent) == thread && one.operation.where.line == writer.line;
      });
      if (executed) continue;
      ValueSource source;
      source.variable = variable;
      source.thread = thread;
      source.line = writer.line;
      const std::string& who = played.threads()[thread].name;
      if (thread == reader) {
        source.status = ValueSource::Status::Never;
        source.reason.clause = "memory-model-acyclicity";
        source.reason.text = fmt::format("{}'s `{}` comes behind this read in program order.", who, writer.text);
      } else {
        source.status = ValueSource::Status::Later;
        source.reason.text = fmt::format("{} has to execute `{}` first.", who, writer.text);
      }
      sources.push_back(std::move(source));
    }
  }
}

}  // namespace

Reason why_not(Session& session, std::string_view id) {
  const Forbidden move = find_forbidden_move(session, id);
  return move.reads ? why_no_read(session, move) : why_blocked(session, move);
}

std::vector<ValueSource> sources_of_next(Session& session, std::uint32_t thread) {
  const Played& played = session.played();
  if (thread >= played.threads().size())
    throw BadRequest(fmt::format("there is no thread {}: the test has {}", thread, played.threads().size()));
  const run::Runner& runner = session.world().runner();
  const explore::Step& step = runner.next_step(thread);
  const bool reads = !session.end() && runner.standing(thread) == Standing::Ready &&
                     step.kind == explore::StepKind::Operation && step.operation.reads();
  if (!reads) throw BadRequest(played.threads()[thread].name + " does not read next");
  const std::uint32_t variable = played.variable_of(step.operation.reference, step.operation.locations);
  std::vector<ValueSource> sources;
  for (const Offer& offer : session.offers()) {
    if (offer.move.kind != MoveKind::Go || offer.move.thread != thread || !offer.reads ||
        offer.kind == OfferKind::Answer)
      continue;
    ValueSource& source = sources.emplace_back(source_of(played, session.world().chronicle(), variable, offer.write));
    source.move = id_of(offer.move, played);
    source.reason.text = offer.text + '.';
  }
  for (const Forbidden& move : forbidden_moves(session.world(), session.offers())) {
    if (!move.reads || move.thread != thread) continue;
    ValueSource& source = sources.emplace_back(source_of(played, session.world().chronicle(), variable, move.write));
    source.reason = why_no_read(session, move);
    const bool later = source.reason.clause.empty() && on_its_way(session, move).has_value();
    source.status = later ? ValueSource::Status::Later : ValueSource::Status::Never;
  }
  add_unexecuted(session, thread, variable, sources);
  return sources;
}

std::vector<ValueSource> sources_of_step(Session& session, std::size_t step) {
  const std::size_t at = session.at();
  if (step == 0 || step > at)
    throw BadRequest(fmt::format("there is no step {}: {} were made, and the first has the number 1", step, at));
  const std::optional<OperationIndex> operation = session.history()[step - 1].operation;
  if (!operation || !session.world().chronicle().told()[*operation].operation.reads())
    throw BadRequest(fmt::format("step {} does not read", step));
  const Told read = session.world().chronicle().told()[*operation];
  session.jump(step - 1);
  std::vector<ValueSource> sources;
  try {
    sources = sources_of_next(session, static_cast<std::uint32_t>(read.operation.agent));
  } catch (const BadRequest&) {
    // The read was answered late: its thread is behind it already.
    sources.push_back(source_of(session.played(), session.world().chronicle(),
                                session.played().variable_of(read.operation.reference, read.operation.locations),
                                read.source));
  }
  session.jump(at);
  for (ValueSource& source : sources) {
    if (source.write != read.source) continue;
    source.status = ValueSource::Status::Read;
    source.reason.text = session.words().operation(read) + '.';
  }
  return sources;
}

}  // namespace heddle::lab
