#include "emulator/lab/state_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "emulator/model/place.h"

namespace heddle::lab {
namespace {

using run::Standing;

std::string_view name(OfferKind kind) {
  switch (kind) {
    case OfferKind::Step:
      return "step";
    case OfferKind::Read:
      return "read";
    case OfferKind::Older:
      return "older";
    case OfferKind::Postpone:
      return "postpone";
    case OfferKind::Answer:
      return "answer";
    case OfferKind::Choose:
      return "choose";
    case OfferKind::Deliver:
      return "deliver";
    case OfferKind::Invalidate:
      return "invalidate";
    case OfferKind::Finish:
      return "finish";
  }
  return "";
}

std::string_view name(Breakpoint::Kind kind) {
  return kind == Breakpoint::Kind::Race ? "race" : "outcome";
}

std::string_view status_of(const run::Runner& runner, std::uint32_t thread, bool over) {
  switch (runner.standing(thread)) {
    case Standing::NotBegun:
      return "not begun";
    case Standing::Ready:
    case Standing::Leaving:
    case Standing::Asleep:
      return over ? "waiting" : "ready";
    case Standing::Arrived:
    case Standing::Calling:
      return "waiting";
    case Standing::Ended:
      break;
  }
  switch (runner.ends()[thread].state) {
    case explore::EndState::Cut:
      return "cut";
    case explore::EndState::Spinning:
      return "spinning";
    default:
      return "ended";
  }
}

/// Shows one session.
class StateWriter {
 public:
  explicit StateWriter(Session& session)
      : session_(session), played_(session.played()), world_(session.world()), words_(session.words()) {}

  Json write();

 private:
  Json thread(std::uint32_t index) const;
  Json caches();
  Json domains(const std::vector<memory::HeldWrite>& held);
  Json waiting(const memory::HeldWrite& write) const;
  void add_copies(std::uint32_t thread, Json& lines);
  Json memory();
  Json memory_row(const std::vector<std::uint32_t>& variables, const std::vector<memory::HeldWrite>& held);
  Json move(const Offer& offer) const;
  Json entry(std::size_t index) const;
  Json step(OperationIndex operation) const { return step_json(world_.chronicle(), operation); }
  Json races();
  Json forbidden();
  Json breaks() const;

  Session& session_;
  const Played& played_;
  World& world_;
  Words words_;
};

Json StateWriter::thread(std::uint32_t index) const {
  const PlayedThread& at = played_.threads()[index];
  const run::Runner& runner = world_.runner();
  Json json;
  json["index"] = index;
  json["name"] = at.name;
  json["subgroup"] = at.subgroup;
  json["workgroup"] = at.workgroup;
  json["queue_family"] = at.queue_family;
  const std::string_view status = status_of(runner, index, world_.end().has_value());
  json["status"] = status;
  const explore::Step& step = runner.next_step(index);
  const bool shows_next = (status == "ready" || status == "waiting") && step.kind == explore::StepKind::Operation;
  const bool is_batch = at.kind == PlayedThread::Kind::Batch;
  json["line"] = is_batch ? next_line(runner, words_, index) : shows_next ? step.operation.where.line : 0;
  json["instruction"] = shows_next ? step.operation.where.function : "";
  json["why"] = step.kind == explore::StepKind::Unanswered && status == "ready" ? "it needs the values of late reads"
                : status != "ended" && played_.has_host() && runner.standing(index) != Standing::Arrived
                    ? played_.awaited(world_, index)
                : runner.standing(index) == Standing::Calling ? "others come first at its interlock"
                : status == "waiting"                         ? "it waits at a control barrier"
                : status == "not begun" ? "a thread that system-synchronizes with it, or feeds it, has to finish"
                                        : "";
  Json registers = Json::object();
  Json late = Json::array();
  for (const PlayedRegister& one : played_.registers(world_, index)) {
    registers[one.name] = one.value;
    if (one.late) late.push_back(one.name);
  }
  json["registers"] = std::move(registers);
  json["late"] = std::move(late);
  Json code = Json::array();
  for (const CodeLine& line : at.code) {
    code.push_back({{"line", line.line}, {"text", line.text}});
    if (!line.source.empty()) code.back()["source"] = line.source;
  }
  json["code"] = std::move(code);
  return json;
}

// What a thread may still be shown of the variables that its code reads.
void StateWriter::add_copies(std::uint32_t thread, Json& lines) {
  if (world_.runner().standing(thread) == Standing::Ended || world_.end()) return;
  for (std::uint32_t variable = 0; variable < played_.variables().size(); ++variable) {
    const std::optional<Operation> read = played_.read_of(world_, thread, variable);
    if (!read) continue;
    const memory::HeldCopy copy = world_.machine().held_copy(*read);
    const std::string& name = played_.variables()[variable].name;
    std::string text = fmt::format("{} = {}, {}", name, played_.spelled(variable, copy.value),
                                   copy.stale ? "a stale copy: something newer is in reach" : "a copy");
    lines.push_back({{"variable", name},
                     {"value", played_.value(variable, copy.value)},
                     {"write", step(copy.write)},
                     {"kind", "copy"},
                     {"stale", copy.stale},
                     {"text", std::move(text)}});
  }
}

Json StateWriter::waiting(const memory::HeldWrite& write) const {
  const std::uint32_t variable = played_.variable_of(write.reference, write.bytes);
  const std::string& name = played_.variables()[variable].name;
  return {{"variable", name},
          {"value", played_.value(variable, write.value)},
          {"write", step(write.write)},
          {"kind", "write"},
          {"stale", false},
          {"text", fmt::format("{} = {}, written by {}, waits here", name, played_.spelled(variable, write.value),
                               words_.thread(write.agent))}};
}

// What a host test has: the cache of each column, with what has not come to the device domain, and the two domains.
Json StateWriter::domains(const std::vector<memory::HeldWrite>& held) {
  Json all = Json::array();
  for (std::uint32_t thread = 0; thread < played_.threads().size(); ++thread) {
    Json lines = Json::array();
    for (const memory::HeldWrite& write : held)
      if (!write.in_device && words_.column(write.agent) == thread) lines.push_back(waiting(write));
    add_copies(thread, lines);
    const auto agent = static_cast<AgentId>(thread);
    all.push_back({{"id", words_.cache_id(agent, CacheLevel::Agent)},
                   {"level", trace::name(CacheLevel::Agent)},
                   {"name", words_.cache(agent, CacheLevel::Agent)},
                   {"threads", Json::array({thread})},
                   {"lines", std::move(lines)}});
  }
  for (const CacheLevel level : {CacheLevel::Device, CacheLevel::Host}) {
    Json members = Json::array();
    for (std::uint32_t thread = 0; thread < played_.threads().size(); ++thread)
      if ((played_.threads()[thread].kind == PlayedThread::Kind::Host) == (level == CacheLevel::Host))
        members.push_back(thread);
    std::map<AllocationId, const memory::HeldWrite*> newest;
    for (const memory::HeldWrite& write : held)
      if (level == CacheLevel::Device ? write.in_device : write.in_host) newest[write.bytes.allocation] = &write;
    Json lines = Json::array();
    for (const auto& [allocation, write] : newest) {
      lines.push_back(waiting(*write));
      lines.back()["text"] = fmt::format("{} has come here", words_.write(write->write));
    }
    all.push_back({{"id", words_.cache_id(AgentId{0}, level)},
                   {"level", trace::name(level)},
                   {"name", words_.cache(AgentId{0}, level)},
                   {"threads", std::move(members)},
                   {"lines", std::move(lines)}});
  }
  return all;
}

Json StateWriter::caches() {
  Json all = Json::array();
  const auto held = world_.end() ? std::vector<memory::HeldWrite>() : world_.machine().held_writes();
  if (played_.has_host()) return domains(held);
  for (const CacheLevel level :
       {CacheLevel::Agent, CacheLevel::Subgroup, CacheLevel::Workgroup, CacheLevel::QueueFamily}) {
    std::vector<std::string> shown;
    for (std::uint32_t thread = 0; thread < played_.threads().size(); ++thread) {
      const std::string id = words_.cache_id(static_cast<AgentId>(thread), level);
      if (std::find(shown.begin(), shown.end(), id) != shown.end()) continue;
      shown.push_back(id);
      Json members = Json::array();
      for (std::uint32_t other = 0; other < played_.threads().size(); ++other)
        if (words_.cache_id(static_cast<AgentId>(other), level) == id) members.push_back(other);
      Json lines = Json::array();
      for (const memory::HeldWrite& write : held) {
        if (write.level != level || words_.cache_id(write.agent, level) != id) continue;
        lines.push_back(waiting(write));
      }
      if (level == CacheLevel::Agent) add_copies(thread, lines);
      all.push_back({{"id", id},
                     {"level", trace::name(level)},
                     {"name", words_.cache(static_cast<AgentId>(thread), level)},
                     {"threads", std::move(members)},
                     {"lines", std::move(lines)}});
    }
  }
  return all;
}

Json StateWriter::memory() {
  const auto held = world_.end() ? std::vector<memory::HeldWrite>() : world_.machine().held_writes();
  std::map<std::pair<AllocationId, std::uint64_t>, std::vector<std::uint32_t>> rows;
  for (std::uint32_t variable = 0; variable < played_.variables().size(); ++variable) {
    const Locations& bytes = played_.variables()[variable].bytes;
    rows[{bytes.allocation, bytes.offset_bytes}].push_back(variable);
  }
  Json all = Json::array();
  for (const auto& [place, variables] : rows) all.push_back(memory_row(variables, held));
  return all;
}

// What everybody can reach of a scalar, with all names of it.
Json StateWriter::memory_row(const std::vector<std::uint32_t>& variables, const std::vector<memory::HeldWrite>& held) {
  const std::uint32_t first = variables.front();
  const Locations& bytes = played_.variables()[first].bytes;
  Json row;
  row["variable"] = played_.variables()[first].name;
  for (const std::uint32_t variable : variables) row["names"].push_back(played_.variables()[variable].name);
  const trace::Value final_value = world_.runner().final_value(bytes);
  row["value"] = played_.value(first, final_value);
  row["write"] = nullptr;
  const std::vector<Told>& told = world_.chronicle().told();
  // What lies in the storage was moved there, as everything is in the end.
  for (const Effect& effect : world_.chronicle().effects()) {
    if (effect.kind != EffectKind::Moved || effect.to < CacheLevel::Shader) continue;
    if (told[effect.operation].operation.locations == bytes && told[effect.operation].written == final_value)
      row["write"] = step(effect.operation);
  }
  for (const memory::HeldWrite& write : held) {
    if (write.bytes != bytes || write.level < CacheLevel::Shader) continue;
    row["value"] = played_.value(first, write.value);
    row["write"] = step(write.write);
  }
  return row;
}

Json StateWriter::move(const Offer& offer) const {
  Json json;
  json["id"] = id_of(offer.move, played_);
  json["kind"] = name(offer.kind);
  if (offer.move.kind == MoveKind::Go || offer.move.kind == MoveKind::Invalidate)
    json["thread"] = words_.column(static_cast<AgentId>(offer.move.thread));
  if (offer.line != 0) json["line"] = offer.line;
  const bool names_write = offer.move.kind == MoveKind::Deliver || offer.move.kind == MoveKind::Invalidate;
  if (offer.reads || names_write) {
    json["variable"] = played_.variables()[offer.variable].name;
    json["value"] = played_.value(offer.variable, offer.value);
    json["write"] = step(offer.write);
  }
  if (offer.reads) json["stale"] = offer.stale;
  if (offer.move.kind == MoveKind::Deliver) {
    json["from"] = offer.from;
    json["to"] = offer.to;
  }
  json["text"] = offer.text;
  return json;
}

Json StateWriter::entry(std::size_t index) const {
  const Entry& entry = session_.history()[index];
  Json json;
  json["move"] = id_of(entry.move, played_);
  json["text"] = entry.text;
  json["thread"] = entry.thread ? Json(*entry.thread) : Json();
  json["line"] = entry.line;
  json["step"] = entry.operation ? Json(index + 1) : Json();
  json["effects"] = entry.effects;
  return json;
}

Json StateWriter::races() {
  Json all = Json::array();
  const Verdict& verdict = session_.verdict();
  const std::vector<Told>& told = world_.chronicle().told();
  for (std::size_t i = 0; i < verdict.races.size(); ++i) {
    const model::OperationPair& race = verdict.races[i];
    all.push_back({{"first", step(race.first)},
                   {"second", step(race.second)},
                   {"lines", {told[race.first].operation.where.line, told[race.second].operation.where.line}},
                   {"text", verdict.race_texts[i]}});
  }
  return all;
}

Json StateWriter::forbidden() {
  Json all = Json::array();
  for (const Forbidden& move : forbidden_moves(world_, session_.offers())) {
    Json json{{"id", move.id}, {"kind", move.reads ? "read" : "blocked"}, {"thread", move.thread}};
    if (move.reads) {
      json["variable"] = played_.variables()[move.variable].name;
      json["value"] = played_.value(move.variable, move.value);
      json["write"] = step(move.write);
    }
    json["text"] = move.text;
    all.push_back(std::move(json));
  }
  return all;
}

Json StateWriter::breaks() const {
  Json all = Json::array();
  for (const Breakpoint& breakpoint : session_.breakpoints()) {
    switch (breakpoint.kind) {
      case Breakpoint::Kind::Line:
        all.push_back({{"line", breakpoint.line}});
        break;
      case Breakpoint::Kind::Variable:
        all.push_back({{"variable", played_.variables()[breakpoint.variable].name}});
        break;
      default:
        all.push_back({{std::string(name(breakpoint.kind)), true}});
    }
  }
  return all;
}

Json StateWriter::write() {
  Json json;
  json["name"] = played_.name();
  json["at"] = session_.at();
  json["length"] = session_.history().size();
  json["ended"] = session_.end().has_value();
  json["observables"] = played_.observables();
  json["condition"] = played_.condition();
  json["quantifier"] = played_.quantifier();
  Json threads = Json::array();
  for (std::uint32_t thread = 0; thread < played_.threads().size(); ++thread) threads.push_back(this->thread(thread));
  json["threads"] = std::move(threads);
  json["caches"] = caches();
  json["memory"] = memory();
  json["moves"] = Json::array();
  for (const Offer& offer : session_.offers()) json["moves"].push_back(move(offer));
  json["forbidden"] = forbidden();
  json["history"] = Json::array();
  for (std::size_t i = 0; i < session_.history().size(); ++i) json["history"].push_back(entry(i));
  json["races"] = races();
  json["findings"] = Json::array();
  for (const PlayedFinding& finding : world_.stage().findings())
    json["findings"].push_back({{"thread", finding.thread}, {"line", finding.line}, {"text", finding.text}});
  json["consistent"] = session_.verdict().consistent;
  json["bookmarks"] = Json::array();
  for (const auto& [bookmark, at] : session_.bookmarks()) json["bookmarks"].push_back({{"name", bookmark}, {"at", at}});
  json["breaks"] = breaks();
  if (!session_.end()) return json;
  const Outcome outcome = session_.outcome();
  json["end"] = *session_.end() == run::RunEnd::Terminated ? "terminated"
                : *session_.end() == run::RunEnd::Blocked  ? "blocked"
                                                           : "cut";
  json["outcome"] = outcome_json(played_, outcome);
  json["satisfies"] = session_.satisfies_assertion();
  json["passes_filter"] = session_.passes_filter();
  json["verdict"] = session_.end_in_words();
  return json;
}

std::string_view name(ValueSource::Status status) {
  switch (status) {
    case ValueSource::Status::Now:
      return "now";
    case ValueSource::Status::Later:
      return "later";
    case ValueSource::Status::Never:
      return "never";
    case ValueSource::Status::Read:
      return "read";
  }
  return "";
}

}  // namespace

Json step_json(const Chronicle& chronicle, OperationIndex operation) {
  return operation == model::kInitialValue ? Json() : Json(chronicle.told()[operation].step);
}

Json outcome_json(const Played& played, const Outcome& outcome) {
  Json json = Json::object();
  for (std::size_t i = 0; i < outcome.size(); ++i) json[played.observables()[i]] = played.observed(i, outcome[i]);
  return json;
}

Json cycle_json(const Chronicle& chronicle, const std::vector<CycleLink>& cycle) {
  Json json = Json::array();
  for (const CycleLink& link : cycle)
    json.push_back({{"step", link.operation ? step_json(chronicle, *link.operation) : Json()},
                    {"line", link.line},
                    {"thread", link.thread ? Json(*link.thread) : Json()},
                    {"text", link.instruction},
                    {"relation", link.relation}});
  return json;
}

Json source_json(const Session& session, const ValueSource& source) {
  const Chronicle& chronicle = session.world().chronicle();
  Json json;
  if (source.write) json["write"] = step_json(chronicle, *source.write);
  if (source.value) json["value"] = session.played().value(source.variable, *source.value);
  json["variable"] = session.played().variables()[source.variable].name;
  json["thread"] = source.thread ? Json(*source.thread) : Json();
  json["line"] = source.line;
  json["status"] = name(source.status);
  if (!source.move.empty()) json["move"] = source.move;
  json["text"] = source.reason.text;
  json["clause"] = source.reason.clause;
  json["cycle"] = cycle_json(chronicle, source.reason.cycle);
  return json;
}

Json state_json(Session& session) {
  return StateWriter(session).write();
}

}  // namespace heddle::lab
