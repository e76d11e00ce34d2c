#include "emulator/trace/file_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "emulator/model/tags.h"
#include "emulator/trace/file_error.h"

namespace heddle::trace {
namespace {

// Large beside a system call, small beside everything else.
constexpr std::size_t kBufferBytes = std::size_t{1} << 16;

constexpr unsigned kPlaceFields = 8;
std::array<std::uint32_t, kPlaceFields> fields(const model::Place& place) {
  return {static_cast<std::uint32_t>(place.kind),
          static_cast<std::uint32_t>(place.stage),
          place.device,
          place.queue_family,
          place.workgroup,
          place.subgroup,
          place.shader_call_group,
          place.interlock_group};
}

constexpr unsigned kShapeFields = 12;
constexpr unsigned kTagsField = 10;
std::array<std::uint32_t, kShapeFields> fields(const Operation& operation) {
  return {static_cast<std::uint32_t>(operation.kind),          operation.atomic,
          static_cast<std::uint32_t>(operation.storage_class), static_cast<std::uint32_t>(operation.reference),
          static_cast<std::uint32_t>(operation.scope),         static_cast<std::uint32_t>(operation.semantics),
          static_cast<std::uint32_t>(operation.operands),      static_cast<std::uint32_t>(operation.available_scope),
          static_cast<std::uint32_t>(operation.visible_scope), static_cast<std::uint32_t>(operation.execution_scope),
          static_cast<std::uint32_t>(operation.tags),          operation.where.line};
}

}  // namespace

bool FileWriter::Shape::operator==(const Shape& other) const {
  return fields(operation) == fields(other.operation) && operation.where.file == other.operation.where.file &&
         operation.where.function == other.operation.where.function;
}

std::size_t FileWriter::HashOfShape::operator()(const Shape& shape) const {
  std::size_t hash = std::hash<const void*>()(shape.operation.where.function);
  for (const std::uint32_t field : fields(shape.operation)) hash = (hash ^ field) * 0x9e3779b97f4a7c15u + (hash >> 31);
  return hash;
}

FileWriter::FileWriter(const std::string& path) : path_(path), file_(path, std::ios::binary | std::ios::trunc) {
  if (!file_) throw TraceFileError(path + ": " + std::strerror(errno));
  buffer_.reserve(kBufferBytes + kLongestString);
  buffer_.insert(buffer_.end(), kTraceMagic.begin(), kTraceMagic.end());
  number(kTraceVersion);
}

FileWriter::~FileWriter() {
  if (closed_) return;
  // What is there may still be of use; it does not say that it is whole.
  file_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
}

void FileWriter::flush() {
  file_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  file_.flush();
  buffer_.clear();
  if (!file_) throw TraceFileError(path_ + ": cannot be written: " + std::strerror(errno));
}

// The stream has handed on all that it was given.
void FileWriter::save_at_end() noexcept {
  if (saved_.exchange(true)) return;
  const int file = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  const char* from = buffer_.data();
  for (std::size_t left = file < 0 ? 0 : buffer_.size(); left > 0;) {
    const ssize_t written = ::write(file, from, left);
    if (written <= 0) return;
    from += written;
    left -= static_cast<std::size_t>(written);
  }
}

void FileWriter::close() {
  if (closed_) return;
  begin(RecordTag::End);
  number(told_);
  flush();
  file_.close();
  if (!file_) throw TraceFileError(path_ + ": cannot be written: " + std::strerror(errno));
  closed_ = true;
}

void FileWriter::begin(RecordTag tag) {
  if (buffer_.size() >= kBufferBytes) flush();
  byte(static_cast<std::uint8_t>(tag));
}

void FileWriter::number(std::uint64_t value) {
  while (value >= 0x80) {
    byte(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  byte(static_cast<std::uint8_t>(value));
}

void FileWriter::agent(AgentId id) {
  const auto position = static_cast<std::uint32_t>(id);
  difference(std::int64_t{position} - last_agent_);
  last_agent_ = position;
}

void FileWriter::earlier(OperationIndex index) {
  number(index == model::kInitialValue ? 0 : told_ - index);
}

void FileWriter::locations(const Locations& bytes) {
  difference(std::int64_t{static_cast<std::uint32_t>(bytes.allocation)} -
             static_cast<std::uint32_t>(last_bytes_.allocation));
  difference(static_cast<std::int64_t>(bytes.offset_bytes - last_bytes_.offset_bytes));
  number(bytes.size_bytes);
  last_bytes_ = bytes;
}

std::uint32_t FileWriter::string_of(std::string_view text) {
  const std::string cut(text.substr(0, kLongestString));
  const auto [known, fresh] = strings_.emplace(cut, static_cast<std::uint32_t>(strings_.size()));
  if (!fresh) return known->second;
  begin(RecordTag::String);
  number(cut.size());
  buffer_.insert(buffer_.end(), cut.begin(), cut.end());
  return known->second;
}

void FileWriter::forget_if_full(std::uint32_t strings) {
  if (shapes_.size() < kMostShapes && strings_.size() + strings <= 2 * kMostShapes) return;
  begin(RecordTag::Forget);
  shapes_.clear();
  strings_.clear();
}

std::uint32_t FileWriter::shape_of(const Operation& operation) {
  const Shape shape{operation};
  if (const auto known = shapes_.find(shape); known != shapes_.end()) return known->second;
  forget_if_full();
  const std::uint32_t file = string_of(operation.where.file);
  const std::uint32_t function = string_of(operation.where.function);
  std::array<std::uint32_t, kShapeFields> shape_fields = fields(operation);
  // The number of a set is that of one process.
  if (operation.tags != TagSetId::Empty)
    shape_fields[kTagsField] = 1 + string_of(model::text(model::tags_of(operation.tags)));
  begin(RecordTag::Shape);
  for (const std::uint32_t field : shape_fields) number(field);
  number(file);
  number(function);
  return shapes_.emplace(shape, static_cast<std::uint32_t>(shapes_.size())).first->second;
}

void FileWriter::agent_begins(AgentId id, const model::Place& place) {
  begin(RecordTag::AgentBegins);
  agent(id);
  byte(place == last_place_ ? 0 : 1);
  if (place == last_place_) return;
  for (const std::uint32_t field : fields(place)) number(field);
  last_place_ = place;
}

void FileWriter::agent_ends(AgentId id) {
  begin(RecordTag::AgentEnds);
  agent(id);
}

void FileWriter::system_synchronizes(AgentId first, AgentId second) {
  begin(RecordTag::SystemSynchronizes);
  agent(first);
  agent(second);
}

void FileWriter::dependency(bool memory) {
  begin(RecordTag::Dependency);
  byte(memory ? 1 : 0);
}

void FileWriter::dispatched(const Dispatch& dispatch) {
  begin(RecordTag::Dispatch);
  number(dispatch.number);
  number(dispatch.first_agent);
  for (const uvec3& size : {dispatch.groups, dispatch.local, dispatch.base})
    for (const std::uint32_t extent : {size.x, size.y, size.z}) number(extent);
  number(dispatch.subgroup_size);
  byte(dispatch.positions.empty() ? 0 : 1);
  for (const std::uint32_t position : dispatch.positions) number(position);
}

namespace {

/// How many members there are in all; too many where a reader would refuse them.
std::uint32_t members_in(const Components& components, std::uint32_t depth = 0) {
  if (components.members.empty()) return 0;
  if (components.members.size() > kMostMembers || depth == kDeepestMember || components.element_bytes == 0)
    return kMostMembers + 1;
  std::uint32_t all = 0;
  std::uint64_t end = 0;
  for (const Member& member : components.members) {
    if (member.offset_bytes < end || member.size_bytes == 0) return kMostMembers + 1;
    if (member.is_array && member.components.element_bytes == 0) return kMostMembers + 1;
    end = std::uint64_t{member.offset_bytes} + member.size_bytes;
    all = std::min(all + 1 + members_in(member.components, depth + 1), kMostMembers + 1);
  }
  return end <= components.element_bytes ? all : kMostMembers + 1;
}

/// Calls `call` with each member, and with those of a member that is a struct right behind it.
template <typename Call>
void for_each_member(const Components& components, const Call& call) {
  for (const Member& member : components.members) {
    call(member);
    for_each_member(member.components, call);
  }
}

}  // namespace

void FileWriter::members_of(const Components& components) {
  number(components.members.size());
  for (const Member& member : components.members) {
    number(string_of(member.name));
    number(member.offset_bytes);
    number(member.size_bytes);
    byte(member.is_array ? 1 : 0);
    byte(static_cast<std::uint8_t>(member.components.kind));
    byte(member.components.size_bytes);
    number(member.components.element_bytes);
    members_of(member.components);
  }
}

void FileWriter::named(const NamedBytes& bytes, const Components& components) {
  const std::uint32_t members = members_in(components);
  const bool has_members = members <= kMostMembers;
  forget_if_full(has_members ? 1 + members : 1);
  // Strings are records of their own: none may come in the middle of this one.
  if (has_members) for_each_member(components, [this](const Member& member) { string_of(member.name); });
  const std::uint32_t name = string_of(bytes.name);
  begin(RecordTag::Named);
  number(static_cast<std::uint32_t>(bytes.allocation));
  number(bytes.offset_bytes);
  number(bytes.size_bytes);
  number(static_cast<std::uint32_t>(bytes.reference));
  number(static_cast<std::uint32_t>(bytes.storage_class));
  number(name);
  byte(static_cast<std::uint8_t>(components.kind));
  byte(components.size_bytes);
  number(components.element_bytes);
  members_of(has_members ? components : Components());
}

void FileWriter::called(std::string_view words) {
  forget_if_full();
  const std::uint32_t string = string_of(words);
  begin(RecordTag::Called);
  number(string);
}

void FileWriter::raced(const ToldRace& race) {
  begin(race.is_of_steps() ? RecordTag::RaceOfSteps : RecordTag::Race);
  earlier(race.first);
  earlier(race.second);
  if (race.is_of_steps())
    for (const std::optional<std::uint64_t>& step : {race.first_step, race.second_step})
      number(step ? steps_ - *step : 0);
  number(race.record.size());
  buffer_.insert(buffer_.end(), race.record.begin(), race.record.end());
}

void FileWriter::operation(OperationIndex index, const Operation& operation, Value read, Value written,
                           std::span<const Source> from) {
  if (index == model::kInitialValue)
    throw TraceFileError(path_ + ": a trace has " + std::to_string(model::kInitialValue) + " operations at most");
  const std::uint32_t shape = shape_of(operation);
  begin(RecordTag::Operation);
  number(shape);
  agent(operation.agent);
  told_ = index;
  if (operation.is_access()) locations(operation.locations);
  if (operation.kind == OperationKind::Free) number(static_cast<std::uint32_t>(operation.locations.allocation));
  if (operation.kind == OperationKind::ControlBarrier) {
    difference(static_cast<std::int64_t>(operation.barrier_instance - last_instance_));
    last_instance_ = operation.barrier_instance;
  }
  if (operation.reads()) {
    number(read);
    sources(operation, from);
  }
  if (operation.writes()) number(written);
  told_ = index + 1;
}

/// Nearly always all bytes come from one write: then the number of pieces is 0.
void FileWriter::sources(const Operation& operation, std::span<const Source> from) {
  const bool whole = from.size() == 1 && from[0].bytes == operation.locations;
  number(whole ? 0 : from.size() + 1);
  for (const Source& source : from) {
    if (!whole) {
      number(source.bytes.offset_bytes - operation.locations.offset_bytes);
      number(source.bytes.size_bytes);
    }
    earlier(source.write);
  }
}

void FileWriter::late(OperationIndex read, OperationIndex before) {
  begin(RecordTag::Late);
  earlier(read);
  earlier(before);
}

void FileWriter::passes(OperationIndex arrival, std::span<const OperationIndex> synchronizing) {
  begin(RecordTag::Passes);
  earlier(arrival);
  number(synchronizing.size());
  for (const OperationIndex one : synchronizing) earlier(one);
}

void FileWriter::placed(OperationIndex write) {
  begin(RecordTag::Placed);
  earlier(write);
}

void FileWriter::moved(OperationIndex write, const Locations& bytes, AgentId id, CacheLevel from, CacheLevel to,
                       MoveReason reason) {
  begin(RecordTag::Moved);
  earlier(write);
  locations(bytes);
  agent(id);
  byte(static_cast<std::uint8_t>(from));
  byte(static_cast<std::uint8_t>(to));
  byte(static_cast<std::uint8_t>(reason));
}

void FileWriter::stale(OperationIndex read, OperationIndex missed, CacheLevel kept_in) {
  begin(RecordTag::Stale);
  earlier(read);
  earlier(missed);
  byte(static_cast<std::uint8_t>(kept_in));
}

void FileWriter::step_begins(std::uint64_t step, const ApiStep& told) {
  forget_if_full();
  const std::uint32_t words = string_of(told.words);
  const std::uint32_t file = string_of(told.where.file);
  const std::uint32_t function = string_of(told.where.function);
  begin(RecordTag::StepBegins);
  byte(told.by_host ? 1 : 0);
  for (const std::uint32_t field : {told.queue, told.family, words, file, function, told.where.line}) number(field);
  steps_ = step + 1;
}

void FileWriter::step_follows(std::uint64_t step, std::uint64_t earlier) {
  begin(RecordTag::StepFollows);
  number(steps_ - step);
  number(steps_ - earlier);
}

void FileWriter::step_is_stale(std::uint64_t step, const OldValues& values) {
  forget_if_full();
  const std::uint32_t memory = string_of(values.memory);
  begin(RecordTag::StepIsStale);
  number(steps_ - step);
  number(memory);
  number(values.words);
}

void FileWriter::step_ends(std::uint64_t step) {
  begin(RecordTag::StepEnds);
  number(steps_ - step);
}

void FileWriter::held_back(const HeldBack& held) {
  forget_if_full();
  const std::uint32_t memory = string_of(held.memory);
  begin(RecordTag::HeldBack);
  number(memory);
  for (const std::uint64_t count :
       {held.atoms, held.unflushed, held.outdated, held.unavailable, held.device_only, held.host_only})
    number(count);
}

}  // namespace heddle::trace
