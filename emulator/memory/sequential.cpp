#include "emulator/memory/sequential.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace heddle::memory {

namespace {

trace::Value value_of(const void* bytes, std::uint32_t size_bytes) {
  trace::Value value = 0;
  std::memcpy(&value, bytes, size_bytes);
  return value;
}

}  // namespace

void SequentialMemory::begin(const Cohort& cohort) {
  if (!listener_) return;
  for (std::uint32_t i = 0; i < cohort.count; ++i)
    listener_->agent_begins(cohort.agent(i), cohort.place_of(i));
}

void SequentialMemory::end(const Cohort& cohort) {
  if (!listener_) return;
  for (std::uint32_t i = 0; i < cohort.count; ++i) listener_->agent_ends(cohort.agent(i));
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
  writers_[index].clear();
}

void SequentialMemory::remove(AllocationId allocation) {
  storage_[static_cast<std::size_t>(allocation)] = {};
  writers_[static_cast<std::size_t>(allocation)] = {};
}

void SequentialMemory::restart() {
  for (auto& storage : storage_) storage = {};
  for (auto& writers : writers_) writers.clear();
  told_ = 0;
  arrivals_.clear();
}

std::byte* SequentialMemory::at(const Locations& locations) const {
  return storage_[static_cast<std::size_t>(locations.allocation)].data() + locations.offset_bytes;
}

std::vector<trace::Source> SequentialMemory::sources_of(const Locations& locations) const {
  const auto& writers = writers_[static_cast<std::size_t>(locations.allocation)];
  std::vector<trace::Source> sources;
  for (std::uint32_t i = 0; i < locations.size_bytes; ++i) {
    const std::uint64_t byte = locations.offset_bytes + i;
    const auto writer = byte < writers.size() ? writers[byte] : model::kInitialValue;
    if (!sources.empty() && sources.back().write == writer) {
      ++sources.back().bytes.size_bytes;
    } else {
      sources.push_back({{locations.allocation, byte, 1}, writer});
    }
  }
  return sources;
}

void SequentialMemory::tell(const Operation& operation, trace::Value read, trace::Value written) {
  std::vector<trace::Source> sources;
  if (operation.reads()) sources = sources_of(operation.locations);
  const trace::OperationIndex index = told_++;
  listener_->operation(index, operation, read, written, sources);
  if (!operation.writes()) return;
  auto& writers = writers_[static_cast<std::size_t>(operation.locations.allocation)];
  const std::uint64_t end = operation.locations.offset_bytes + operation.locations.size_bytes;
  if (writers.size() < end) writers.resize(end, model::kInitialValue);
  const auto begin = writers.begin() + static_cast<std::ptrdiff_t>(operation.locations.offset_bytes);
  std::fill_n(begin, operation.locations.size_bytes, index);
  if (operation.atomic) listener_->placed(index);
}

bool SequentialMemory::read_in_place(AllocationId allocation, std::uint64_t offset_bytes,
                                     std::uint32_t size_bytes, void* value) {
  if (listener_) return false;
  copy_piece(value, storage_[static_cast<std::size_t>(allocation)].data() + offset_bytes, size_bytes);
  return true;
}

bool SequentialMemory::write_in_place(AllocationId allocation, std::uint64_t offset_bytes,
                                      std::uint32_t size_bytes, const void* value) {
  if (listener_) return false;
  copy_piece(storage_[static_cast<std::size_t>(allocation)].data() + offset_bytes, value, size_bytes);
  return true;
}

void SequentialMemory::read(const Operation& operation, void* value) {
  const std::uint32_t size = operation.locations.size_bytes;
  std::memcpy(value, at(operation.locations), size);
  if (listener_) tell(operation, value_of(value, size), 0);
}

void SequentialMemory::write(const Operation& operation, const void* value) {
  const std::uint32_t size = operation.locations.size_bytes;
  if (listener_) tell(operation, 0, value_of(value, size));
  std::memcpy(at(operation.locations), value, size);
}

void SequentialMemory::read_modify_write(const Operation& operation, MemorySemantics unequal,
                                         Modify modify, void* context) {
  const std::uint32_t size = operation.locations.size_bytes;
  std::array<std::byte, 8> old;
  std::array<std::byte, 8> fresh;
  std::byte* bytes = at(operation.locations);
  std::memcpy(old.data(), bytes, size);
  const bool modified = modify(context, old.data(), fresh.data());
  if (modified) std::memcpy(bytes, fresh.data(), size);
  if (!listener_) return;
  if (modified) {
    tell(operation, value_of(old.data(), size), value_of(fresh.data(), size));
  } else {
    Operation failed = operation;
    failed.kind = OperationKind::Read;
    failed.semantics = unequal;
    tell(failed, value_of(old.data(), size), 0);
  }
}

void SequentialMemory::barrier(const Operation& operation) {
  if (listener_) tell(operation, 0, 0);
}

void SequentialMemory::arrive(const Operation& operation) {
  if (!listener_) return;
  arrivals_[operation.barrier_instance].emplace_back(operation.agent, told_);
  tell(operation, 0, 0);
}

void SequentialMemory::leave(const Operation& operation, std::span<const AgentId> synchronizing) {
  if (!listener_) return;
  const Arrivals& arrivals = arrivals_[operation.barrier_instance];
  const auto arrival_of = [&](AgentId agent) {
    return std::find_if(arrivals.begin(), arrivals.end(),
                        [&](const auto& arrival) { return arrival.first == agent; })->second;
  };
  std::vector<trace::OperationIndex> quorum;
  for (AgentId agent : synchronizing) quorum.push_back(arrival_of(agent));
  listener_->passes(arrival_of(operation.agent), quorum);
}

void SequentialMemory::meet(const Cohort& cohort, const Operation& barrier) {
  if (!listener_) return;
  const trace::OperationIndex first = told_;
  Operation of_one = barrier;
  for (std::uint32_t i = 0; i < cohort.count; ++i) {
    of_one.agent = cohort.agent(i);
    tell(of_one, 0, 0);
  }
  for (std::uint32_t i = 0; i < cohort.count; ++i) listener_->passes(first + i, {});
}

}  // namespace heddle::memory
