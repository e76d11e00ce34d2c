#include "emulator/memory/stored_writers.h"

#include <algorithm>

namespace heddle::memory {

void add_byte(std::vector<trace::Source>& sources, AllocationId allocation, std::uint64_t offset_bytes,
              trace::OperationIndex writer) {
  if (!sources.empty() && sources.back().write == writer) {
    ++sources.back().bytes.size_bytes;
  } else {
    sources.push_back({{allocation, offset_bytes, 1}, writer});
  }
}

void StoredWriters::note(const Locations& bytes, trace::OperationIndex writer) {
  const auto index = static_cast<std::size_t>(bytes.allocation);
  if (writers_.size() <= index) writers_.resize(index + 1);
  auto& writers = writers_[index];
  if (writers.empty() && atomics_alone_) with_writers_.push_back(bytes.allocation);
  const std::uint64_t end = bytes.offset_bytes + bytes.size_bytes;
  if (writers.size() < end) writers.resize(end, model::kInitialValue);
  std::fill_n(writers.begin() + static_cast<std::ptrdiff_t>(bytes.offset_bytes), bytes.size_bytes, writer);
}

const std::vector<trace::OperationIndex>* StoredWriters::writers_of(AllocationId allocation) const {
  const auto index = static_cast<std::size_t>(allocation);
  return index < writers_.size() ? &writers_[index] : nullptr;
}

trace::OperationIndex StoredWriters::writer_of(AllocationId allocation, std::uint64_t offset_bytes) const {
  const auto* const writers = writers_of(allocation);
  return writers && offset_bytes < writers->size() ? (*writers)[offset_bytes] : model::kInitialValue;
}

void StoredWriters::sources_of(const Locations& bytes, std::vector<trace::Source>& sources) const {
  sources.clear();
  const auto* const writers = writers_of(bytes.allocation);
  if (!writers || writers->size() <= bytes.offset_bytes) {
    sources.push_back({bytes, model::kInitialValue});
    return;
  }
  // Mostly one write wrote all of them.
  const auto first = writers->begin() + static_cast<std::ptrdiff_t>(bytes.offset_bytes);
  if (writers->size() - bytes.offset_bytes >= bytes.size_bytes &&
      std::all_of(first, first + bytes.size_bytes, [&](trace::OperationIndex writer) { return writer == *first; })) {
    sources.push_back({bytes, *first});
    return;
  }
  for (std::uint32_t i = 0; i < bytes.size_bytes; ++i)
    add_byte(sources, bytes.allocation, bytes.offset_bytes + i, writer_of(bytes.allocation, bytes.offset_bytes + i));
}

void StoredWriters::forget(AllocationId allocation) {
  const auto index = static_cast<std::size_t>(allocation);
  if (index >= writers_.size() || writers_[index].empty()) return;
  std::erase(with_writers_, allocation);
  writers_[index] = {};
}

void StoredWriters::forget_old() {
  for (const AllocationId allocation : with_writers_) writers_[static_cast<std::size_t>(allocation)].clear();
  with_writers_.clear();
}

void StoredWriters::forget_all() {
  for (auto& writers : writers_) writers.clear();
  with_writers_.clear();
}

}  // namespace heddle::memory
