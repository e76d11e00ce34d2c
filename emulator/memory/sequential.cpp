#include "emulator/memory/sequential.h"

#include <algorithm>
#include <cstring>

namespace heddle::memory {

void SequentialMemory::listen(trace::Listener* listener) {
  listener_ = listener;
  atomic_sources_only_ = listener && !listener->needs_plain_sources();
}

void SequentialMemory::begin(const Cohort& cohort) {
  if (listener_) listener_->agents_begin(cohort.first, cohort.count, cohort.place, cohort.subgroups);
}

void SequentialMemory::end(const Cohort& cohort) {
  if (listener_) listener_->agents_end(cohort.first, cohort.count);
}

void SequentialMemory::depend(Dependency dependency) {
  if (listener_) listener_->dependency(dependency == Dependency::Memory);
}

void SequentialMemory::system_synchronizes(AgentId first, AgentId second) {
  if (listener_) listener_->system_synchronizes(first, second);
}

void SequentialMemory::add(AllocationId allocation, std::span<std::byte> storage) {
  const auto index = static_cast<std::size_t>(allocation);
  if (storage_.size() <= index) {
    storage_.resize(index + 1);
    writers_.resize(index + 1);
  }
  storage_[index] = storage;
  writers_[index].of_byte.clear();
  writers_[index].wanted = false;
}

void SequentialMemory::remove(AllocationId allocation) {
  storage_[static_cast<std::size_t>(allocation)] = {};
  writers_[static_cast<std::size_t>(allocation)] = {};
}

void SequentialMemory::restart() {
  for (auto& storage : storage_) storage = {};
  for (Writers& writers : writers_) {
    writers.of_byte.clear();
    writers.wanted = false;
  }
  told_ = 0;
  meetings_.clear();
}

void SequentialMemory::find_sources(const Locations& locations) {
  // Mostly all of a word was written at once.
  if (const trace::OperationIndex* const word = writers_of_word(locations);
      word && word[0] == word[1] && word[0] == word[2] && word[0] == word[3]) {
    sources_.assign(1, {locations, word[0]});
    return;
  }
  const auto& writers = writers_of(locations.allocation).of_byte;
  const auto writer_of = [&](std::uint64_t byte) {
    return byte < writers.size() ? writers[byte] : model::kInitialValue;
  };
  sources_.clear();
  const std::uint64_t end = locations.offset_bytes + locations.size_bytes;
  for (std::uint64_t byte = locations.offset_bytes; byte != end;) {
    const std::uint64_t first = byte;
    const model::OperationIndex writer = writer_of(first);
    while (++byte != end && writer_of(byte) == writer) {
    }
    sources_.push_back({{locations.allocation, first, static_cast<std::uint32_t>(byte - first)}, writer});
  }
}

void SequentialMemory::tell(const Operation& operation, trace::Value read, trace::Value written) {
  const trace::OperationIndex index = told_++;
  if (!operation.is_access()) {
    listener_->operation(index, operation, read, written, {});
    return;
  }
  const AllocationId allocation = operation.locations.allocation;
  if (!operation.atomic && atomic_sources_only_) [[likely]] {
    listener_->plain(index, operation, read, written);
  } else {
    writers_of(allocation).wanted = true;
    sources_.clear();
    if (operation.reads()) find_sources(operation.locations);
    listener_->operation(index, operation, read, written, sources_);
  }
  if (!operation.writes()) return;
  // While the listener was told, others may have added memory.
  if (writers_of(allocation).wanted) note_writer(operation.locations, index);
  if (operation.atomic) listener_->placed(index);
}

void SequentialMemory::note_writer_of_any(const Locations& bytes, trace::OperationIndex writer) {
  auto& of_byte = writers_of(bytes.allocation).of_byte;
  const std::uint64_t end = bytes.offset_bytes + bytes.size_bytes;
  if (of_byte.size() < end) of_byte.resize(end, model::kInitialValue);
  std::fill_n(of_byte.begin() + static_cast<std::ptrdiff_t>(bytes.offset_bytes), bytes.size_bytes, writer);
}

void SequentialMemory::read(const Operation& operation, void* value) {
  const std::uint32_t size = operation.locations.size_bytes;
  const trace::Value read = load_value(at(operation.locations), size);
  store_value(value, read, size);
  if (listener_) tell(operation, read, 0);
}

void SequentialMemory::write(const Operation& operation, const void* value) {
  const std::uint32_t size = operation.locations.size_bytes;
  const trace::Value written = load_value(value, size);
  if (listener_) tell(operation, 0, written);
  store_value(at(operation.locations), written, size);
}

void SequentialMemory::read_modify_write(const Operation& operation, MemorySemantics unequal, Modify modify,
                                         void* context) {
  const std::uint32_t size = operation.locations.size_bytes;
  const trace::Value old = load_value(at(operation.locations), size);
  trace::Value fresh = 0;
  const bool modified = modify(context, &old, &fresh);
  fresh = load_value(&fresh, size);
  if (modified) store_value(at(operation.locations), fresh, size);
  if (!listener_) return;
  if (modified) {
    tell(operation, old, fresh);
  } else {
    Operation failed = operation;
    failed.kind = OperationKind::Read;
    failed.semantics = unequal;
    tell(failed, old, 0);
  }
}

void SequentialMemory::barrier(const Operation& operation) {
  if (listener_) tell(operation, 0, 0);
}

SequentialMemory::Meeting& SequentialMemory::meeting(std::uint64_t instance) {
  for (auto known = meetings_.rbegin(); known != meetings_.rend(); ++known)
    if (known->instance == instance) return *known;
  meetings_.push_back({instance, {}, 0, false});
  return meetings_.back();
}

void SequentialMemory::arrive(const Operation& operation) {
  if (!listener_) return;
  meeting(operation.barrier_instance).arrivals.emplace_back(operation.agent, told_);
  tell(operation, 0, 0);
}

// Nearly always they leave in the order in which they arrived.
std::size_t SequentialMemory::arrival_of(const Meeting& meeting, AgentId agent, std::size_t likely) {
  if (likely < meeting.arrivals.size() && meeting.arrivals[likely].first == agent) return likely;
  const auto found = std::find_if(meeting.arrivals.begin(), meeting.arrivals.end(),
                                  [&](const auto& arrival) { return arrival.first == agent; });
  return static_cast<std::size_t>(found - meeting.arrivals.begin());
}

void SequentialMemory::leave(const Operation& operation, std::span<const AgentId> synchronizing) {
  if (!listener_) return;
  Meeting& here = meeting(operation.barrier_instance);
  const auto first = static_cast<std::uint32_t>(here.arrivals.front().first);
  const auto place = [&](AgentId agent) { return arrival_of(here, agent, static_cast<std::uint32_t>(agent) - first); };
  quorum_.clear();
  for (const AgentId agent : synchronizing) quorum_.push_back(here.arrivals[place(agent)].second);
  here.has_quorum = here.has_quorum || !quorum_.empty();
  listener_->passes(here.arrivals[place(operation.agent)].second, quorum_);
  if (++here.left != here.arrivals.size() || here.has_quorum) return;
  std::swap(here, meetings_.back());
  meetings_.pop_back();
}

void SequentialMemory::meet(const Cohort& cohort, const Operation& barrier) {
  if (!listener_) return;
  Operation of_first = barrier;
  of_first.agent = cohort.first;
  listener_->meets(told_, of_first, cohort.count);
  told_ += cohort.count;
}

}  // namespace heddle::memory
