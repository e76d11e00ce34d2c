#pragma once

/// \file
/// What can be wrong with an access, whoever makes it: the one list of checks of kernels and of agents that are
/// stepped.

#include <heddle/report.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::run {

/// An access, as far as the checks look at it.
struct CheckedAccess {
  /// The memory of the object was freed.
  bool freed = false;
  /// Whether the access begins where accesses of its kind may.
  bool aligned = true;
  /// From the begin of the object.
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t object_bytes = 0;
};

/// What is wrong with the access, so that it has no bytes: the first of these checks that fails; nothing if all hold.
[[gnu::always_inline]] inline std::optional<FindingKind> fault_of(const CheckedAccess& access) {
  if (access.freed) return FindingKind::UseAfterFree;
  if (access.offset_bytes > access.object_bytes || access.size_bytes > access.object_bytes - access.offset_bytes)
    return FindingKind::OutOfBounds;
  if (!access.aligned) return FindingKind::Misaligned;
  return std::nullopt;
}

/// What people call an access: "element 3" of "StorageBuffer 'x'".
struct AccessWords {
  std::string element;
  std::string object;
  std::uint64_t alignment_bytes = 1;
};

/// The message of what `fault_of` found.
std::string fault_text(FindingKind fault, const CheckedAccess& access, const AccessWords& words);

/// Who may be about to write a byte that a read finds unwritten: nobody; any other agent; one that meets the reader at
/// control barriers.
enum class Writers : std::uint8_t { Nobody, Others, OfWorkgroup };

/// The message of a read of an access of which byte `missing` was never written.
std::string never_written_text(std::uint64_t missing, const std::string& element_of_object, Writers writers);

/// The begin of the message that no agent comes any further.
inline constexpr std::string_view kNobodyGoesOn =
    "every invocation that can go on reads the same again and again, and no invocation writes anything else: ";

}  // namespace heddle::run
