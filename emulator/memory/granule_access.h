#pragma once

/// \file
/// An access as the parts of the machine see it: cut out of its granule, and what it found there.

#include "emulator/memory/granule.h"

namespace heddle::memory {

/// An access to bytes of a granule that is remembered, and the agent that makes it.
struct GranuleAccess {
  const Operation& operation;
  Agent& agent;
  ByteMask bytes = 0;
  unsigned shift = 0;  // bits

  GranuleAccess(const Operation& made, Agent& by)
      : operation(made), agent(by), shift(made.locations.offset_bytes % kGranuleBytes * 8) {
    bytes = (~ByteMask{0} >> (64 - made.locations.size_bytes * 8)) << shift;
  }

  unsigned class_index() const { return class_index_of(operation.storage_class); }
  /// Control barriers order what a tessellation control shader does to its outputs, private accesses as well.
  //= vk:memory-model-tessellation-output-ordering
  bool non_private() const { return operation.is_non_private() || is_ordered_output(); }
  bool is_ordered_output() const {
    return operation.storage_class == StorageClass::Output && agent.place.stage == model::Stage::TessellationControl;
  }
  /// The class by which it happens before others, or others before it: an atomic that acquires or releases is ordered
  /// by the classes that it names as well.
  //= vk:memory-model-inter-thread-happens-before
  unsigned ordered_by() const {
    if (!operation.atomic) return class_index();
    const MemorySemantics named = storage_classes(operation.semantics);
    if (named == MemorySemantics::None) return class_index();
    return has(semantic_of(operation.storage_class), named) ? class_index() : kAnyClass;
  }
};

/// The class by which two accesses are ordered; see kAnyClass.
inline unsigned class_of_pair(unsigned a, unsigned b) {
  return a == b ? a : kAnyClass;
}

/// Whether an access meets a version if it looks at it: its agent shares the cache that the version is in.
inline bool reaches(const Version& version, const GranuleAccess& access) {
  return version.level >= CacheLevel::Shader ||
         (version.reference == access.operation.reference &&
          (version.agent == access.agent.id || share(version.place, access.agent.place, version.level)));
}

/// What a read finds where it looks.
struct Found {
  /// The value of the whole granule.
  trace::Value value = 0;
  /// The position at which the read looked, and the latest one at which it could have.
  Stamp position = 0;
  Stamp newest = 0;
  /// The position of the latest version that the read has bytes of; that of the granule's base if there is none.
  Stamp stamp = 0;
  /// The version; null if the bytes are the base's, or what the agent itself has waiting.
  const Version* version = nullptr;
  /// Whether all bytes are that version's.
  bool whole = false;
  bool from_storage = false;
  /// Which bytes of the granule it found as they were before anybody wrote them.
  ByteMask never_written = 0;
};

}  // namespace heddle::memory
