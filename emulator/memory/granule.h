#pragma once

/// \file
/// What the machine remembers of eight bytes that are not the same for everybody.

#include <heddle/operation.h>

#include <array>
#include <cstdint>
#include <boost/container/small_vector.hpp>
#include <vector>

#include "emulator/memory/synchronization.h"

namespace heddle::memory {

/// The order in which writes became something that agents may meet: each byte's writes in ascending
/// order are a modification order that everybody's reads go along.
using Stamp = std::uint32_t;

inline constexpr std::uint32_t kGranuleBytes = 8;

/// Which bytes of a granule, one bit each.
using ByteMask = std::uint8_t;

/// The bits of a granule that these bytes have.
constexpr trace::Value mask_of(ByteMask bytes) {
  trace::Value spread = (bytes * trace::Value{0x0101010101010101}) & 0x8040201008040201;
  // Each byte has at most one bit now: make all of its bits what that bit is.
  spread = ((spread + 0x7f7f7f7f7f7f7f7f) | spread) & 0x8080808080808080;
  return (spread >> 7) * 0xff;
}

/// A write to bytes of one granule, wherever it is.
struct Written {
  model::OperationIndex operation = 0;
  Locations locations;
  trace::Value value = 0;  // where the bytes stand in the granule
  ByteMask bytes = 0;
  bool atomic = false;
  bool non_private = false;
  unsigned class_index = 0;
  ReferenceId reference{};
  AgentId agent{};
  model::Place place;
  Scope scope = Scope::Invocation;
  Event event;
  std::uint32_t born = 0;
  /// It is an availability operation for other classes as well, which chains may go on by.
  bool links_all = false;
  std::vector<Head> heads;
  /// It carries more than anybody remembers.
  bool forgotten = false;
};

/// That a write was made available to the instance of a level that `place` is in.
struct Availability {
  Event event;
  model::Place place;
  CacheLevel level = CacheLevel::Agent;
  /// By a barrier or an atomic for all that came before it, not by the access itself.
  bool bulk = false;
};

/// A write that left its agent's cache.
struct Version : Written {
  Stamp stamp = 0;
  /// How far it came: the instance, of its own agent, whose agents may meet it.
  CacheLevel level = CacheLevel::Shader;
  boost::container::small_vector<Availability, 1> available;
  /// The device-domain availability operation that came upon it, if `on_device`.
  Event device;
  bool on_device = false;
};

/// A write in its agent's cache.
struct Waiting : Written {
  std::uint32_t granule = 0;
  /// Its agent read it back.
  bool observed = false;
  bool observed_non_private = false;
  Event observation;
  /// Of the reads that did.
  unsigned observation_class = kAnyClass;
};

/// That somebody met the version `stamp` (of the highest stamp, where there were several).
struct Observation {
  Event event;
  Stamp stamp = 0;
  unsigned class_index = 0;
  bool non_private = false;
};

/// What an agent did through one reference: it may not go back behind it.
struct Floor {
  AgentId agent{};
  ReferenceId reference{};
  Stamp stamp = 0;
};

/// A copy in the cache of a workgroup.
struct Copy {
  std::uint32_t queue_family = 0;
  std::uint32_t workgroup = 0;
  std::uint32_t generation = 0;
  Stamp stamp = 0;
};

struct Granule {
  AllocationId allocation{};
  std::uint64_t offset_bytes = 0;
  std::byte* storage = nullptr;
  std::uint32_t size_bytes = kGranuleBytes;  // fewer at the end of an allocation
  bool used = false;

  /// The storage holds everything up to here.
  Stamp base = 0;
  /// Whether the storage may hold a write that released something nobody remembers.
  bool base_released = false;
  /// Nobody goes back behind this.
  Stamp floor = 0;
  std::uint32_t waiting = 0;
  /// So many accesses, and it is forgotten; 0 for one that stays.
  std::uint32_t accesses_left = 0;
  std::vector<Version> versions;
  std::vector<Observation> observations;
  std::vector<Floor> floors;
  std::vector<Copy> copies;
};

}  // namespace heddle::memory
