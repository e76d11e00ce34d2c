#include "emulator/advice/neighbourhood.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/advice/cut.h"
#include "emulator/advice/operation_text.h"
#include "emulator/advice/workgroup_memory.h"

namespace heddle::advice {

using model::OperationIndex;

void Recent::forget() {
  next_ = records_.get();
  in_full_.clear();
  unwritten_.clear();
  orders_.reads_from.clear();
  orders_.placed.clear();
  last_writers_.clear();
  found_ = 0;
  dependencies_.clear();
  last_ = {};
}

std::optional<Recent::Last> Recent::last() const {
  if (last_.instruction == kNone) return std::nullopt;
  return Last{last_.agent, last_.instruction == kInFull ? last_in_full_ : known_.operation(last_.instruction).where};
}

void Recent::operation(OperationIndex index, const Operation& operation, model::Value read, model::Value written,
                       std::span<const trace::Source> sources) {
  last_ = {operation.agent, kInFull};
  last_in_full_ = operation.where;
  if (is_full_at(index)) return;
  add(index, {operation.agent, {}, {}, kInFull, in_full_.size(), 0});
  in_full_.push_back({operation, {read, written}});
  if (operation.atomic) add_sources(index, sources);
}

void Recent::meets(OperationIndex first, const Operation& barrier, std::uint32_t count) {
  last_ = {barrier.agent, kInFull};
  last_in_full_ = barrier.where;
  if (is_full_at(first)) return;
  if (next_ == records_.get()) begin_ = first;
  Record* const end = next_ + std::min<std::ptrdiff_t>(count, end_ - next_);
  unwritten_.push_back({next_, end, in_full_.size()});
  next_ = end;
  in_full_.push_back({barrier, {}});
}

void Recent::write_meetings() const {
  for (const Unwritten& meeting : unwritten_) {
    auto agent = static_cast<std::uint32_t>(in_full_[meeting.number].operation.agent);
    for (Record* arrival = meeting.begin; arrival != meeting.end; ++arrival)
      *arrival = {static_cast<AgentId>(agent++), {}, {}, kInFull, meeting.number, 0};
  }
  unwritten_.clear();
}

bool Recent::has_repeated(std::uint32_t first, std::uint64_t count) const {
  if (count < 2 || count > most_) return false;
  write_meetings();
  std::vector<const Record*> last(count, nullptr);
  for (const Record* r = records_.get(); r != next_; ++r) {
    const std::uint32_t agent = static_cast<std::uint32_t>(r->agent) - first;
    if (agent >= count) continue;
    const Record* const before = std::exchange(last[agent], r);
    if (before && r->instruction != kInFull && before->instruction == r->instruction && before->value == r->value &&
        before->offset_bytes == r->offset_bytes && before->allocation == r->allocation)
      return true;
  }
  return false;
}

Operation Recent::at(OperationIndex index) const {
  const Record& r = record(index);
  Operation operation = r.instruction == kInFull ? in_full_[r.offset_bytes].operation : known_.operation(r.instruction);
  operation.agent = r.agent;
  operation.where = known_.source(operation.where);
  if (r.instruction == kInFull) return operation;
  operation.reference = r.reference;
  operation.locations.allocation = r.allocation;
  operation.locations.offset_bytes = r.offset_bytes;
  return operation;
}

AccessValues Recent::values(OperationIndex index) const {
  const Record& r = record(index);
  if (r.instruction == kInFull) return in_full_[r.offset_bytes].values;
  switch (known_.operation(r.instruction).kind) {
    case OperationKind::Read:
      return {r.value, 0};
    case OperationKind::Write:
      return {0, r.value};
    default:
      return {r.value & 0xffffffff, r.value >> 32};
  }
}

namespace {

bool same_instruction(const Operation& a, const Operation& b) {
  return a.kind == b.kind && a.atomic == b.atomic && in_one_line(a, b) && a.semantics == b.semantics;
}

bool mutually_ordered(const model::Execution& e, OperationIndex a, OperationIndex b) {
  const Operation& x = e.operations[a];
  const Operation& y = e.operations[b];
  const auto in = [&](Scope scope) {
    return x.agent == y.agent || model::same_instance(e.place(x.agent), e.place(y.agent), scope);
  };
  return x.locations == y.locations && x.reference == y.reference && in(x.scope) && in(y.scope);
}

}  // namespace

std::optional<OperationIndex> Recent::last_like(const Operation& first, AgentId agent, OperationIndex second) const {
  if (!has(second)) return {};
  write_meetings();
  const Locations bytes = at(second).locations;
  Operation wanted = first;
  wanted.where = known_.source(first.where);
  for (OperationIndex i = second; i-- > begin_;) {
    if (record(i).agent != agent) continue;
    const Operation earlier = at(i);
    if (same_instruction(earlier, wanted) && earlier.locations.overlaps(bytes)) return i;
  }
  return {};
}

std::uint32_t Recent::count_in_lines(AgentId first, std::uint32_t count, const char* file, std::uint32_t first_line,
                                     std::uint32_t last_line) const {
  write_meetings();
  const auto from = static_cast<std::uint32_t>(first);
  std::vector<bool> came(count);
  for (const Record* r = records_.get(); r != next_; ++r) {
    const std::uint32_t agent = static_cast<std::uint32_t>(r->agent) - from;
    if (agent >= count || came[agent]) continue;
    const SourceLocation where = known_.source(r->instruction == kInFull ? in_full_[r->offset_bytes].operation.where
                                                                         : known_.operation(r->instruction).where);
    came[agent] = where.line >= first_line && where.line <= last_line && std::string_view(where.file) == file;
  }
  return static_cast<std::uint32_t>(std::count(came.begin(), came.end(), true));
}

void Recent::find_last_writes(OperationIndex last) {
  for (; begin_ + found_ <= last; ++found_) {
    const OperationIndex i = begin_ + found_;
    const Operation operation = at(i);
    if (!operation.is_access()) continue;
    const Locations& bytes = operation.locations;
    const std::uint64_t end = bytes.offset_bytes + bytes.size_bytes;
    for (std::uint64_t byte = bytes.offset_bytes; byte != end;) {
      LastWriters& writers = last_writers_[{bytes.allocation, byte / kGranuleBytes}];
      do {
        OperationIndex& writer = writers.of_byte[byte % kGranuleBytes];
        if (operation.atomic && operation.reads()) add_byte_read(i, operation, byte, writer);
        if (operation.writes()) writer = i;
      } while (++byte != end && byte % kGranuleBytes != 0);
    }
    if (operation.atomic && operation.writes()) orders_.placed.push_back(i);
  }
}

void Recent::add_byte_read(OperationIndex read, const Operation& operation, std::uint64_t byte, OperationIndex writer) {
  if (writer == model::kInitialValue) return;
  // The number of Workgroup memory is used again, for another workgroup.
  const auto same_workgroup = [&] {
    return model::same_instance(known_.place(operation.agent), known_.place(record(writer).agent), Scope::Workgroup);
  };
  if (operation.storage_class == StorageClass::Workgroup && !same_workgroup()) return;
  if (!orders_.reads_from.empty()) {
    model::ReadsFrom& last = orders_.reads_from.back();
    if (last.read == read && last.write == writer && last.bytes.offset_bytes + last.bytes.size_bytes == byte) {
      ++last.bytes.size_bytes;
      return;
    }
  }
  orders_.reads_from.push_back({read, writer, {operation.locations.allocation, byte, 1}});
}

// In the order of the run: an agent that reads from an atomic of one that was reached, or meets it at a control
// barrier, is reached.
std::vector<AgentId> Recent::way(OperationIndex first, OperationIndex second) const {
  std::unordered_multimap<OperationIndex, OperationIndex> sources;
  for (const model::ReadsFrom& from : orders_.reads_from)
    if (from.read > first && from.read <= second && has(from.write)) sources.emplace(from.read, from.write);
  struct Reached {
    AgentId from;
    OperationIndex at;
  };
  std::unordered_map<AgentId, Reached> reached{{record(first).agent, {record(first).agent, first}}};
  struct Meeting {
    std::vector<AgentId> waiting;
    std::optional<AgentId> reached;
  };
  std::unordered_map<std::uint64_t, Meeting> meetings;
  const auto has_reached = [&](AgentId agent, OperationIndex at) {
    const auto found = reached.find(agent);
    return found != reached.end() && found->second.at <= at;
  };
  const AgentId last = record(second).agent;
  for (OperationIndex i = begin_; i <= second && reached.count(last) == 0; ++i) {
    const AgentId agent = record(i).agent;
    const auto [begin, end] = sources.equal_range(i);
    for (auto source = begin; source != end; ++source)
      if (const AgentId writer = record(source->second).agent; has_reached(writer, source->second))
        reached.try_emplace(agent, Reached{writer, i});
    if (!is_control_barrier(i)) continue;
    Meeting& meeting = meetings[in_full_[record(i).offset_bytes].operation.barrier_instance];
    if (meeting.reached) {
      reached.try_emplace(agent, Reached{*meeting.reached, i});
    } else if (!has_reached(agent, i)) {
      meeting.waiting.push_back(agent);
    } else {
      meeting.reached = agent;
      for (const AgentId other : meeting.waiting) reached.try_emplace(other, Reached{agent, i});
    }
  }
  std::vector<AgentId> agents;
  if (reached.count(last) == 0) return agents;
  for (AgentId at = last; at != record(first).agent; at = reached.at(at).from) agents.push_back(at);
  agents.push_back(record(first).agent);
  return agents;
}

// The two and who is on the way between them, and those from whose atomics they read.
std::vector<AgentId> Recent::agents_of(OperationIndex first, OperationIndex second) const {
  std::vector<AgentId> taken = {record(first).agent};
  const auto take = [&](AgentId agent) {
    const bool is_new = std::find(taken.begin(), taken.end(), agent) == taken.end();
    if (is_new) taken.push_back(agent);
    return is_new;
  };
  const auto is_taken = [&](AgentId a) { return std::find(taken.begin(), taken.end(), a) != taken.end(); };
  take(record(second).agent);
  for (const AgentId agent : way(first, second)) take(agent);
  for (bool more = true; more && taken.size() < 8;) {
    more = false;
    for (const model::ReadsFrom& from : orders_.reads_from) {
      if (from.read > second || !is_taken(record(from.read).agent) || !has(from.write)) continue;
      if (!take(record(from.write).agent)) continue;
      more = true;
      break;
    }
  }
  return taken;
}

void Recent::add_orders(Neighbourhood& part, const std::unordered_map<OperationIndex, OperationIndex>& number) const {
  model::Execution& e = part.execution;
  for (const model::ReadsFrom& from : orders_.reads_from)
    if (number.count(from.read) != 0 && number.count(from.write) != 0)
      e.reads_from.push_back({number.at(from.read), number.at(from.write), from.bytes});
  std::vector<OperationIndex> placed;
  for (const OperationIndex write : orders_.placed)
    if (const auto found = number.find(write); found != number.end()) placed.push_back(found->second);
  for (auto later = placed.begin(); later != placed.end(); ++later)
    for (auto earlier = placed.begin(); earlier != later; ++earlier)
      if (mutually_ordered(e, *earlier, *later)) e.modification_order.emplace_back(*earlier, *later);
  for (const std::uint32_t first_later : dependencies_)
    for (std::size_t a = 0; a < part.agents.size(); ++a)
      for (std::size_t b = 0; b < part.agents.size(); ++b)
        if (static_cast<std::uint32_t>(part.agents[a]) < first_later &&
            static_cast<std::uint32_t>(part.agents[b]) >= first_later)
          e.agent_system_synchronization.emplace_back(static_cast<AgentId>(a), static_cast<AgentId>(b));
}

std::vector<OperationIndex> Recent::operations_of(const std::vector<AgentId>& agents, OperationIndex second) const {
  std::vector<OperationIndex> all;
  for (OperationIndex i = begin_; i <= second; ++i)
    if (std::find(agents.begin(), agents.end(), record(i).agent) != agents.end()) all.push_back(i);
  return all;
}

std::optional<Neighbourhood> Recent::around(const Operation& first, AgentId agent, OperationIndex second,
                                            std::size_t most) {
  const std::optional<OperationIndex> found = last_like(first, agent, second);
  if (!found) return {};
  Neighbourhood part;
  if (hears_ == Hears::SequentialMemory) find_last_writes(second);
  part.agents = agents_of(*found, second);
  std::vector<OperationIndex> taken = operations_of(part.agents, second);
  const AgentId other = record(second).agent;
  for (const OperationIndex i : taken) {
    if (i == *found) part.history.first = part.history.steps.size();
    if (record(i).agent == agent || record(i).agent == other) part.history.add(at(i), record(i).agent == other);
  }
  part.history.second = part.history.steps.size() - 1;
  part.is_cut = taken.size() > most;
  if (part.is_cut)
    taken = cut(taken, *found, most, [this](OperationIndex i) { return CutOperation{at(i), values(i)}; });
  model::Execution& e = part.execution;
  for (const AgentId a : part.agents) e.agents.push_back(known_.place(a));
  std::unordered_map<OperationIndex, OperationIndex> number;
  for (const OperationIndex i : taken) {
    const auto who = std::find(part.agents.begin(), part.agents.end(), record(i).agent);
    number[i] = static_cast<OperationIndex>(e.operations.size());
    e.operations.push_back(at(i));
    e.operations.back().agent = static_cast<AgentId>(who - part.agents.begin());
    e.read_values.push_back(values(i).read);
    e.written_values.push_back(values(i).written);
  }
  add_orders(part, number);
  separate_workgroup_memory(e);
  part.first = number[*found];
  part.second = number[second];
  return part;
}

}  // namespace heddle::advice
