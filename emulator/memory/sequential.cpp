#include "emulator/memory/sequential.h"

#include <array>
#include <cstring>

namespace heddle::memory {

void SequentialMemory::add(AllocationId allocation, std::span<std::byte> storage) {
  const auto index = static_cast<std::size_t>(allocation);
  if (storage_.size() <= index) storage_.resize(index + 1);
  storage_[index] = storage;
}

void SequentialMemory::remove(AllocationId allocation) {
  storage_[static_cast<std::size_t>(allocation)] = {};
}

std::byte* SequentialMemory::at(const Locations& locations) const {
  return storage_[static_cast<std::size_t>(locations.allocation)].data() + locations.offset_bytes;
}

void SequentialMemory::read(const Operation& operation, void* value) {
  std::memcpy(value, at(operation.locations), operation.locations.size_bytes);
}

void SequentialMemory::write(const Operation& operation, const void* value) {
  std::memcpy(at(operation.locations), value, operation.locations.size_bytes);
}

void SequentialMemory::read_modify_write(const Operation& operation, MemorySemantics, Modify modify,
                                         void* context) {
  std::array<std::byte, 8> old;
  std::array<std::byte, 8> fresh;
  std::byte* bytes = at(operation.locations);
  std::memcpy(old.data(), bytes, operation.locations.size_bytes);
  if (modify(context, old.data(), fresh.data())) {
    std::memcpy(bytes, fresh.data(), operation.locations.size_bytes);
  }
}

}  // namespace heddle::memory
