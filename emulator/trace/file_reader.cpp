#include "emulator/trace/file_reader.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <vector>

#include "emulator/model/tags.h"
#include "emulator/trace/file_format.h"
#include "emulator/trace/fork.h"

namespace heddle::trace {
namespace {

/// Names live as long as the program, each once.
const char* kept_name(std::string text) {
  static std::mutex mutex;
  static std::unordered_set<std::string> names;
  const std::lock_guard lock(mutex);
  return names.insert(std::move(text)).first->c_str();
}

bool is_scope(std::uint32_t scope) {
  return scope <= static_cast<std::uint32_t>(Scope::ShaderCallKHR) ||
         scope == static_cast<std::uint32_t>(Scope::FragmentInterlock);
}

bool is_storage_class(std::uint32_t value) {
  constexpr std::array kNamed = {StorageClass::CallableDataKHR,       StorageClass::IncomingCallableDataKHR,
                                 StorageClass::RayPayloadKHR,         StorageClass::HitAttributeKHR,
                                 StorageClass::IncomingRayPayloadKHR, StorageClass::ShaderRecordBufferKHR,
                                 StorageClass::PhysicalStorageBuffer};
  if (value <= static_cast<std::uint32_t>(StorageClass::StorageBuffer)) return true;
  for (const StorageClass one : kNamed)
    if (value == static_cast<std::uint32_t>(one)) return true;
  return false;
}

class Reader {
 public:
  Reader(std::istream& in, const std::string& name, Listener& listener, const OnComponents& on_components,
         const OnCalled& on_called, const OnRace& on_race, ApiListener* steps)
      : in_(*in.rdbuf()),
        name_(name),
        listener_(listener),
        on_components_(on_components),
        on_called_(on_called),
        on_race_(on_race),
        steps_(steps) {}

  TraceSummary read();
  void header();

 private:
  [[noreturn]] void damaged(const char* what) const;
  std::uint8_t byte();
  std::uint64_t number();
  std::uint32_t small();
  std::uint32_t below(std::uint32_t end, const char* what);
  AgentId agent();
  AgentId begun_agent();
  OperationIndex earlier(bool may_be_initial);
  Locations locations();
  TagSetId tags_spelled(std::uint32_t string);
  void record(RecordTag tag);
  void agent_begins();
  void dispatch_begins();
  void named();
  Components components();
  void members(Components& of, std::uint32_t depth);
  void string();
  void shape();
  void operation();
  void sources(const Operation& operation);
  void passes();
  void moved();
  void raced(bool of_steps);
  std::uint64_t step();
  /// Nothing where 0 stands for one.
  std::optional<std::uint64_t> step_or_none();
  const char* text();
  void step_record(RecordTag tag);
  void step_begins();
  void held_back();
  void end();

  std::streambuf& in_;
  const std::string& name_;
  Listener& listener_;
  const OnComponents& on_components_;
  const OnCalled& on_called_;
  const OnRace& on_race_;
  ApiListener* const steps_;
  TraceSummary summary_;
  std::uint8_t record_tags_ = kRecordTags;
  /// How many members the name that is read may still have.
  std::uint32_t members_left_ = 0;
  bool has_types_ = true;
  bool has_bases_ = true;
  /// In versions before 4 what stood for tags meant something to the program that wrote them alone.
  bool has_tags_ = true;
  bool has_members_ = true;
  /// Numbers have gaps where a dispatch failed before all its invocations had begun.
  std::uint32_t next_agent_ = 0;
  std::uint32_t last_agent_ = 0;
  model::Place last_place_;
  Locations last_bytes_;
  std::uint64_t last_instance_ = 0;
  std::vector<const char*> strings_;
  std::vector<Operation> shapes_;
  std::vector<Source> sources_;
  std::vector<OperationIndex> synchronizing_;
  std::vector<std::uint32_t> positions_;
};

void Reader::damaged(const char* what) const {
  throw TraceFileError(name_ + ": damaged after " + std::to_string(summary_.operations) + " operations: " + what);
}

std::uint8_t Reader::byte() {
  const int value = in_.sbumpc();
  if (value == std::char_traits<char>::eof()) {
    throw TraceFileError(name_ + ": cut off after " + std::to_string(summary_.operations) +
                         " operations: the end of the trace is missing");
  }
  return static_cast<std::uint8_t>(value);
}

std::uint64_t Reader::number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint8_t seven = byte();
    if (shift == 63 && seven > 1) break;
    value |= std::uint64_t{seven & 0x7fu} << shift;
    if (seven < 0x80) return value;
  }
  damaged("a number of more than 64 bits");
}

std::uint32_t Reader::small() {
  const std::uint64_t value = number();
  if (value > 0xffffffffu) damaged("a number of more than 32 bits");
  return static_cast<std::uint32_t>(value);
}

std::uint32_t Reader::below(std::uint32_t end, const char* what) {
  const std::uint32_t value = small();
  if (value >= end) damaged(what);
  return value;
}

AgentId Reader::agent() {
  const std::int64_t step = unzigzag(number());
  last_agent_ += static_cast<std::uint32_t>(step);
  return static_cast<AgentId>(last_agent_);
}

AgentId Reader::begun_agent() {
  const AgentId id = agent();
  if (static_cast<std::uint32_t>(id) >= next_agent_) damaged("an agent that has not begun");
  return id;
}

OperationIndex Reader::earlier(bool may_be_initial) {
  const std::uint64_t ago = number();
  if (ago > summary_.operations || (ago == 0 && !may_be_initial)) damaged("an operation that was not there before");
  return ago == 0 ? model::kInitialValue : static_cast<OperationIndex>(summary_.operations - ago);
}

Locations Reader::locations() {
  last_bytes_.allocation = static_cast<AllocationId>(static_cast<std::uint32_t>(last_bytes_.allocation) +
                                                     static_cast<std::uint32_t>(unzigzag(number())));
  last_bytes_.offset_bytes += static_cast<std::uint64_t>(unzigzag(number()));
  last_bytes_.size_bytes = below(9, "an access of more than 8 bytes");
  if (last_bytes_.size_bytes == 0) damaged("an access of no bytes");
  if (last_bytes_.offset_bytes > ~std::uint64_t{0} - 8) damaged("an access past the end of all memory");
  return last_bytes_;
}

TraceSummary Reader::read() {
  header();
  while (true) {
    const std::uint8_t tag = byte();
    if (tag >= record_tags_) damaged("a record of unknown kind");
    if (static_cast<RecordTag>(tag) == RecordTag::End) break;
    record(static_cast<RecordTag>(tag));
  }
  end();
  return summary_;
}

void Reader::header() {
  for (const char expected : kTraceMagic) {
    if (in_.sbumpc() != expected) throw TraceFileError(name_ + ": is no heddle trace: it does not begin with HEDDLETR");
  }
  const std::uint64_t version = number();
  if (version < kOldestTraceVersion || version > kTraceVersion) {
    throw TraceFileError(name_ + ": has version " + std::to_string(version) + ", this heddle reads versions " +
                         std::to_string(kOldestTraceVersion) + " to " + std::to_string(kTraceVersion));
  }
  has_types_ = version >= 3;
  has_bases_ = version >= 8;
  has_tags_ = version >= 4;
  has_members_ = version >= 6;
  if (version < 9) record_tags_ = static_cast<std::uint8_t>(RecordTag::HeldBack) + 1;
  if (version < 8) record_tags_ = static_cast<std::uint8_t>(RecordTag::Race) + 1;
  if (version < 7) record_tags_ = static_cast<std::uint8_t>(RecordTag::Called) + 1;
  if (version < 5) record_tags_ = static_cast<std::uint8_t>(RecordTag::Late) + 1;
  if (version == 1) record_tags_ = static_cast<std::uint8_t>(RecordTag::Stale) + 1;
}

void Reader::record(RecordTag tag) {
  switch (tag) {
    case RecordTag::AgentBegins:
      agent_begins();
      break;
    case RecordTag::AgentEnds:
      listener_.agent_ends(begun_agent());
      break;
    case RecordTag::SystemSynchronizes: {
      const AgentId first = begun_agent();
      listener_.system_synchronizes(first, begun_agent());
      break;
    }
    case RecordTag::Dependency:
      listener_.dependency(byte() != 0);
      break;
    case RecordTag::String:
      string();
      break;
    case RecordTag::Shape:
      shape();
      break;
    case RecordTag::Forget:
      strings_.clear();
      shapes_.clear();
      break;
    case RecordTag::Operation:
      operation();
      break;
    case RecordTag::Passes:
      passes();
      break;
    case RecordTag::Placed:
      listener_.placed(earlier(false));
      break;
    case RecordTag::Moved:
      moved();
      break;
    case RecordTag::Stale: {
      const OperationIndex read = earlier(false);
      const OperationIndex missed = earlier(true);
      ++summary_.stale_reads;
      listener_.stale(read, missed, static_cast<CacheLevel>(below(7, "no level of caches")));
      break;
    }
    case RecordTag::Dispatch:
      dispatch_begins();
      break;
    case RecordTag::Named:
      named();
      break;
    case RecordTag::Late: {
      const OperationIndex read = earlier(false);
      listener_.late(read, earlier(false));
      break;
    }
    case RecordTag::Called: {
      const char* const words =
          strings_[below(static_cast<std::uint32_t>(strings_.size()), "a string that was not there before")];
      if (on_called_) on_called_(words);
      break;
    }
    case RecordTag::Race:
    case RecordTag::RaceOfSteps:
      raced(tag == RecordTag::RaceOfSteps);
      break;
    default:
      step_record(tag);
  }
}

/// A step that has begun.
std::uint64_t Reader::step() {
  if (const std::optional<std::uint64_t> at = step_or_none()) return *at;
  damaged("a step of the host's side that was not there before");
}

std::optional<std::uint64_t> Reader::step_or_none() {
  const std::uint64_t ago = number();
  if (ago > summary_.steps) damaged("a step of the host's side that was not there before");
  return ago == 0 ? std::nullopt : std::optional(summary_.steps - ago);
}

const char* Reader::text() {
  return strings_[below(static_cast<std::uint32_t>(strings_.size()), "a string that was not there before")];
}

void Reader::step_record(RecordTag tag) {
  if (tag == RecordTag::StepBegins) return step_begins();
  if (tag == RecordTag::HeldBack) return held_back();
  const std::uint64_t at = step();
  if (tag == RecordTag::StepFollows) {
    const std::uint64_t earlier = step();
    if (earlier == at) damaged("a step of the host's side that follows itself");
    if (steps_) steps_->step_follows(at, earlier);
  } else if (tag == RecordTag::StepIsStale) {
    OldValues values;
    values.memory = text();
    values.words = number();
    if (steps_) steps_->step_is_stale(at, values);
  } else if (steps_) {
    steps_->step_ends(at);
  }
}

void Reader::step_begins() {
  ApiStep told;
  told.by_host = byte() != 0;
  told.queue = small();
  told.family = small();
  told.words = text();
  told.where.file = text();
  told.where.function = text();
  told.where.line = small();
  const std::uint64_t number = summary_.steps++;
  if (steps_) steps_->step_begins(number, told);
}

void Reader::held_back() {
  HeldBack held;
  held.memory = text();
  for (std::uint64_t* const count :
       {&held.atoms, &held.unflushed, &held.outdated, &held.unavailable, &held.device_only, &held.host_only})
    *count = number();
  if (steps_) steps_->held_back(held);
}

void Reader::agent_begins() {
  const AgentId id = agent();
  if (static_cast<std::uint32_t>(id) < next_agent_ || static_cast<std::uint32_t>(id) == ~0u)
    damaged("an agent out of turn");
  next_agent_ = static_cast<std::uint32_t>(id) + 1;
  if (byte() != 0) {
    last_place_.kind = static_cast<model::AgentKind>(below(3, "no kind of agent"));
    last_place_.stage = static_cast<model::Stage>(below(6, "no stage"));
    last_place_.device = small();
    last_place_.queue_family = small();
    last_place_.workgroup = small();
    last_place_.subgroup = small();
    last_place_.shader_call_group = small();
    last_place_.interlock_group = small();
  }
  ++summary_.agents;
  listener_.agent_begins(id, last_place_);
}

void Reader::dispatch_begins() {
  Dispatch dispatch;
  dispatch.number = number();
  dispatch.first_agent = small();
  const auto read = [&](uvec3& three) {
    for (std::uint32_t* const one : {&three.x, &three.y, &three.z}) *one = small();
  };
  read(dispatch.groups);
  read(dispatch.local);
  if (has_bases_) read(dispatch.base);
  constexpr std::uint32_t kMostInvocations = 1 << 16;
  for (const std::uint32_t extent : {dispatch.local.x, dispatch.local.y, dispatch.local.z})
    if (extent == 0 || extent > kMostInvocations) damaged("a workgroup of no such size");
  if (dispatch.group_size() > kMostInvocations) damaged("a workgroup of no such size");
  dispatch.subgroup_size = small();
  if (dispatch.subgroup_size == 0) damaged("a subgroup of no invocations");
  positions_.clear();
  if (byte() != 0) {
    const auto size = static_cast<std::uint32_t>(dispatch.group_size());
    for (std::uint32_t i = 0; i < size; ++i) positions_.push_back(below(size, "a position beyond its workgroup"));
  }
  dispatch.positions = positions_;
  ++summary_.dispatches;
  listener_.dispatched(dispatch);
}

void Reader::named() {
  NamedBytes bytes;
  bytes.allocation = static_cast<AllocationId>(small());
  bytes.offset_bytes = number();
  bytes.size_bytes = number();
  bytes.reference = static_cast<ReferenceId>(small());
  const std::uint32_t storage_class = small();
  if (!is_storage_class(storage_class)) damaged("no storage class");
  bytes.storage_class = static_cast<StorageClass>(storage_class);
  bytes.name = strings_[below(static_cast<std::uint32_t>(strings_.size()), "a string that was not there before")];
  if (bytes.size_bytes > ~bytes.offset_bytes) damaged("a name for bytes past the end of all memory");
  Components consists_of;
  if (has_types_) consists_of = components();
  members_left_ = kMostMembers;
  if (has_members_) members(consists_of, 0);
  listener_.named(bytes);
  if (on_components_) on_components_(bytes, consists_of);
}

Components Reader::components() {
  constexpr std::uint8_t kKinds = static_cast<std::uint8_t>(ComponentKind::Float) + 1;
  Components made;
  const std::uint8_t kind = byte();
  if (kind >= kKinds) damaged("a component of no known kind");
  made.kind = static_cast<ComponentKind>(kind);
  made.size_bytes = byte();
  if (made.size_bytes > 8) damaged("a component of more than 8 bytes");
  made.element_bytes = small();
  return made;
}

// Members are accepted only in order and within their struct: a face that shows a value looks for the one member that
// has a byte.
void Reader::members(Components& of, std::uint32_t depth) {
  const std::uint32_t count = below(members_left_ + 1, "more members than a name may have");
  if (count == 0) return;
  if (depth == kDeepestMember) damaged("structs in structs that are too deep");
  members_left_ -= count;
  std::uint64_t end = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    Member& member = of.members.emplace_back();
    member.name = strings_[below(static_cast<std::uint32_t>(strings_.size()), "a string that was not there before")];
    member.offset_bytes = small();
    member.size_bytes = small();
    member.is_array = below(2, "neither an array nor not") != 0;
    if (member.offset_bytes < end || member.size_bytes == 0) damaged("members that are out of order");
    end = std::uint64_t{member.offset_bytes} + member.size_bytes;
    if (end > of.element_bytes) damaged("a member beyond its struct");
    member.components = components();
    if (member.is_array && member.components.element_bytes == 0) damaged("an array of elements without a size");
    members(member.components, depth + 1);
  }
}

void Reader::string() {
  if (strings_.size() == 2 * kMostShapes) damaged("more strings than there may be");
  std::string text(below(kLongestString + 1, "a string of more than 4096 bytes"), '\0');
  for (char& one : text) one = static_cast<char>(byte());
  strings_.push_back(kept_name(std::move(text)));
}

void Reader::shape() {
  if (shapes_.size() == kMostShapes) damaged("more shapes than there may be");
  const auto scope = [this] {
    const std::uint32_t value = small();
    if (!is_scope(value)) damaged("no scope");
    return static_cast<Scope>(value);
  };
  Operation out;
  out.kind =
      static_cast<OperationKind>(below(static_cast<std::uint32_t>(OperationKind::Free) + 1, "no kind of operation"));
  out.atomic = below(2, "neither atomic nor not") != 0;
  const std::uint32_t storage_class = small();
  if (!is_storage_class(storage_class)) damaged("no storage class");
  out.storage_class = static_cast<StorageClass>(storage_class);
  out.reference = static_cast<ReferenceId>(small());
  out.scope = scope();
  out.semantics = static_cast<MemorySemantics>(small());
  out.operands = static_cast<MemoryOperands>(small());
  out.available_scope = scope();
  out.visible_scope = scope();
  out.execution_scope = scope();
  const std::uint32_t tags = small();
  if (tags != 0 && has_tags_) out.tags = tags_spelled(tags - 1);
  out.where.line = small();
  const auto strings = static_cast<std::uint32_t>(strings_.size());
  out.where.file = strings_[below(strings, "a string that was not there before")];
  out.where.function = strings_[below(strings, "a string that was not there before")];
  shapes_.push_back(out);
}

TagSetId Reader::tags_spelled(std::uint32_t string) {
  if (string >= strings_.size()) damaged("a string that was not there before");
  const std::optional<model::TagSet> tags = model::TagSet::parse(strings_[string]);
  if (!tags) damaged("a string that spells no tags");
  return model::intern(*tags);
}

void Reader::operation() {
  const auto shapes = static_cast<std::uint32_t>(shapes_.size());
  Operation out = shapes_[below(shapes, "a shape that was not there before")];
  if (summary_.operations == model::kInitialValue) damaged("more operations than there may be");
  out.agent = begun_agent();
  if (out.is_access()) out.locations = locations();
  if (out.kind == OperationKind::Free) out.locations.allocation = static_cast<AllocationId>(small());
  if (out.kind == OperationKind::ControlBarrier) {
    last_instance_ += static_cast<std::uint64_t>(unzigzag(number()));
    out.barrier_instance = last_instance_;
  }
  Value read = 0;
  sources_.clear();
  if (out.reads()) {
    read = number();
    sources(out);
  }
  const Value written = out.writes() ? number() : 0;
  const auto index = static_cast<OperationIndex>(summary_.operations++);
  listener_.operation(index, out, read, written, sources_);
}

void Reader::sources(const Operation& operation) {
  const std::uint32_t size = operation.locations.size_bytes;
  const std::uint32_t pieces = below(10, "more sources than bytes");
  if (pieces == 0) {
    sources_.push_back({operation.locations, earlier(true)});
    return;
  }
  std::uint32_t done = 0;
  for (std::uint32_t i = 1; i < pieces; ++i) {
    Source source;
    const std::uint32_t begin = below(size, "a source beyond the read");
    const std::uint32_t bytes = below(size + 1, "a source beyond the read");
    if (begin < done || bytes == 0 || begin + bytes > size) damaged("sources that are out of order");
    done = begin + bytes;
    source.bytes = {operation.locations.allocation, operation.locations.offset_bytes + begin, bytes};
    source.write = earlier(true);
    sources_.push_back(source);
  }
}

void Reader::passes() {
  const OperationIndex arrival = earlier(false);
  synchronizing_.clear();
  for (std::uint64_t left = number(); left > 0; --left) synchronizing_.push_back(earlier(false));
  listener_.passes(arrival, synchronizing_);
}

void Reader::moved() {
  const OperationIndex write = earlier(false);
  const Locations bytes = locations();
  const AgentId id = begun_agent();
  const auto from = static_cast<CacheLevel>(below(7, "no level of caches"));
  const auto to = static_cast<CacheLevel>(below(7, "no level of caches"));
  const auto reason = static_cast<MoveReason>(below(4, "no reason to move"));
  ++summary_.moves;
  listener_.moved(write, bytes, id, from, to, reason);
}

// The text grows as its bytes come: what a damaged file says of its length is no room yet.
void Reader::raced(bool of_steps) {
  ToldRace race;
  race.first = earlier(true);
  race.second = earlier(true);
  if (of_steps) {
    race.first_step = step_or_none();
    race.second_step = step_or_none();
  }
  std::string record;
  for (std::uint64_t left = number(); left > 0; --left) record += static_cast<char>(byte());
  race.record = record;
  if (race.is_new()) ++summary_.races;
  if (!on_race_) return;
  try {
    on_race_(race);
  } catch (const std::runtime_error& error) {
    damaged(error.what());
  }
}

void Reader::end() {
  if (number() != summary_.operations) damaged("it says that it had another number of them");
  if (in_.sbumpc() != std::char_traits<char>::eof()) damaged("something follows its end");
}

std::ifstream opened(const std::string& path) {
  if (std::filesystem::is_directory(path)) throw TraceFileError(path + ": is a directory");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw TraceFileError(path + ": " + std::strerror(errno));
  return in;
}

}  // namespace

TraceSummary read_trace(std::istream& in, const std::string& name, Listener& listener,
                        const OnComponents& on_components, const OnCalled& on_called, const OnRace& on_race,
                        ApiListener* steps) {
  return Reader(in, name, listener, on_components, on_called, on_race, steps).read();
}

void expect_trace_file(const std::string& path) {
  std::ifstream in = opened(path);
  Fork nobody({});
  Reader(in, path, nobody, {}, {}, {}, nullptr).header();
}

TraceSummary read_trace_file(const std::string& path, Listener& listener, const OnComponents& on_components,
                             const OnCalled& on_called, const OnRace& on_race, ApiListener* steps) {
  std::ifstream in = opened(path);
  return read_trace(in, path, listener, on_components, on_called, on_race, steps);
}

}  // namespace heddle::trace
