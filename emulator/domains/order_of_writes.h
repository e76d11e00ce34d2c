#pragma once

/// \file
/// The one order of the writes to eight bytes, and how far each of them has come.

#include <heddle/operation.h>

#include <cstdint>
#include <vector>

#include "emulator/domains/knowledge.h"
#include "emulator/trace/listener.h"

namespace heddle::domains {

/// A write, which has its place in the order of its granule from the moment at which it is issued.
struct Write {
  Operation operation;
  trace::OperationIndex index = 0;
  trace::Value value = 0;
  std::uint32_t granule = 0;
  bool by_host = false;
  /// Nothing comes between it and the write before it, from which it read: a read-modify-write.
  bool follows = false;
  /// Whether the agents of the domain can be shown it. Host threads share a cache: a write of one is there for the
  /// others at once, be it in the host domain or not.
  bool reaches_device = false;
  bool reaches_host = false;
  /// When it was issued, in operations.
  std::uint64_t issued = 0;
  std::vector<Head> heads;

  bool is_everywhere() const { return reaches_device && reaches_host; }
};

/// A position: behind that many writes of the order.
using Position = std::uint32_t;

/// Eight bytes of an allocation, the writes to them in their order, and the first value.
struct Granule {
  AllocationId allocation{};
  std::uint64_t offset_bytes = 0;
  std::uint32_t size_bytes = 0;
  trace::Value first = 0;
  /// By position; numbers of writes.
  std::vector<std::uint32_t> order;
  /// What the host's cache has, where the memory is not coherent: the position, as the write in front of it, or nothing
  /// for the first value.
  std::vector<std::uint32_t> in_host_cache;

  Position newest() const { return static_cast<Position>(order.size()); }
  /// Behind the write.
  Position behind(std::uint32_t write) const;
};

/// Whether an operation of a range has these bytes in it. A range of no bytes is all memory.
inline bool is_in(const Locations& range, const Locations& bytes) {
  return range.size_bytes == 0 || range.overlaps(bytes);
}
/// The bytes of an access as a mask of its granule's value.
trace::Value mask_of(const Locations& bytes, const Granule& granule);
/// How many bits in front of the bytes of an access its granule has.
unsigned shift_of(const Locations& bytes, const Granule& granule);

}  // namespace heddle::domains
