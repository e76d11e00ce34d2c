#pragma once

/// \file
/// Random streams of operations: what a memory that guarantees nothing could tell.

#include <cstdint>

#include "emulator/trace/listener.h"

namespace heddle::race {

/// What a random stream may have in it.
struct StreamFeatures {
  std::uint32_t most_operations = 10;
  /// Masks of one and the same storage class, accesses of the same class and through one reference.
  bool plain = false;
  /// Read-modify-writes read the write that is last in modification order before them, as they do in
  /// consistent executions.
  bool atomic_updates = false;
  /// Invocations of one dispatch on one queue, without agents that system-synchronize; a control barrier
  /// is passed in the end.
  bool one_dispatch = false;
  /// Agents that come to a control barrier are of one workgroup, and all of them synchronize.
  bool workgroup_barriers = false;
  /// More agents; half of the control barriers are one instruction that all of a workgroup come to.
  bool one_instruction_each = false;
  /// What a kernel does in one dispatch: workgroups whose invocations do this and that between control barriers that
  /// all of a workgroup come to, messages by atomics that read what was written last, and plain accesses of the rest.
  bool kernel = false;
  /// Each allocation is accessed through one storage class.
  bool one_class_each = false;
  /// Half of the operations have tags of two prefixes.
  bool tags = false;
  /// What invocations of a tessellation control shader do, and some others, to its outputs. (Of streams that are
  /// neither `plain` nor have `atomic_updates` one in 20 is so anyway.)
  bool tessellation = false;
};

/// Tells `listener` a stream, the same for the same seed: agents in all sorts of instances, phases of
/// agents that system-synchronize, accesses of all kinds, classes, references and sizes, reads that
/// read from whatever was written before, fences, control barriers with and without quorum, and
/// operations of the domains.
void tell_random_stream(std::uint64_t seed, const StreamFeatures& features, trace::Listener& listener);

/// A number that changes with what a stream tells: a test of the stream that a seed once gave compares it, as the seed
/// shows nothing any more once streams are drawn otherwise.
std::uint64_t fingerprint(std::uint64_t seed, const StreamFeatures& features);

}  // namespace heddle::race
