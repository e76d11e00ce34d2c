#pragma once

/// \file
/// Who wrote the bytes that storages hold, for a listener that is told where reads come from.

#include <heddle/operation.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/trace/listener.h"

namespace heddle::memory {

/// The writer of each byte of each allocation, as far as it was noted.
///
/// A byte of which no writer was noted has model::kInitialValue. What is forgotten has it, too. Takes memory for as
/// many bytes of an allocation as lie before the last one that was noted.
class StoredWriters {
 public:
  /// Whether only those of atomics matter, which are forgotten at each memory dependency (forget_old).
  void of_atomics_alone(bool alone) { atomics_alone_ = alone; }

  void note(const Locations& bytes, trace::OperationIndex writer);
  trace::OperationIndex writer_of(AllocationId allocation, std::uint64_t offset_bytes) const;
  /// Replaces `sources` by the writers of these bytes, in ascending order.
  void sources_of(const Locations& bytes, std::vector<trace::Source>& sources) const;

  /// The allocation is new, or gone.
  void forget(AllocationId allocation);
  /// Forgets what a listener does not ask for that wants the sources of atomics alone: all that came before.
  void forget_old();
  void forget_all();
  /// How many allocations `forget_old` would come upon.
  std::size_t remembered() const { return with_writers_.size(); }

 private:
  const std::vector<trace::OperationIndex>* writers_of(AllocationId allocation) const;

  bool atomics_alone_ = false;
  /// The writers by allocation, then by byte.
  std::vector<std::vector<trace::OperationIndex>> writers_;
  /// The allocations of whose bytes some writer is known, where these are forgotten at the next memory dependency.
  std::vector<AllocationId> with_writers_;
};

/// Adds a byte to sources that end before it.
void add_byte(std::vector<trace::Source>& sources, AllocationId allocation, std::uint64_t offset_bytes,
              trace::OperationIndex writer);

}  // namespace heddle::memory
