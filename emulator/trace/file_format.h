#pragma once

/// \file
/// What a trace file consists of. It is a stream of records, each a tag and its fields:
///
///   header      the bytes "HEDDLETR", then the version
///   number      little-endian base 128, seven bits a byte, the highest bit says that more follow
///   difference  a number, signed: 0, -1, 1, -2, 2 ... are 0, 1, 2, 3, 4 ...
///   operation   how many operations ago it was told: 1 is the last one; 0 stands for the initial value
///
/// FORMAT.md has the fields of every record. The last record is End; a file without it was cut off.

#include <array>
#include <cstdint>

namespace heddle::trace {

inline constexpr std::array<char, 8> kTraceMagic = {'H', 'E', 'D', 'D', 'L', 'E', 'T', 'R'};
inline constexpr std::uint32_t kTraceVersion = 9;
/// Older ones that are read as well: version 1 has no records behind Stale, version 2 no types of named bytes, version
/// 3 no tags, version 4 no words for operations, version 5 no members of structs, version 6 no races, version 7 no
/// steps of the host's side, and version 8 no races of these.
inline constexpr std::uint32_t kOldestTraceVersion = 1;

enum class RecordTag : std::uint8_t {
  End,
  AgentBegins,
  AgentEnds,
  SystemSynchronizes,
  Dependency,
  /// Strings and shapes get numbers from 0, in the order in which they come.
  String,
  Shape,
  /// All strings and shapes so far are forgotten: a reader has to keep no more than kMostShapes.
  Forget,
  Operation,
  Passes,
  Placed,
  Moved,
  Stale,
  /// Before version 8 it had no base.
  Dispatch,
  Named,
  Late,
  Called,
  Race,
  StepBegins,
  StepFollows,
  StepIsStale,
  StepEnds,
  HeldBack,
  RaceOfSteps,
};
inline constexpr std::uint8_t kRecordTags = 24;

/// What an operation has beside its agent, locations and values is its shape: a program has as many as
/// it has instructions and references, whatever the number of its operations.
inline constexpr std::uint32_t kMostShapes = 65536;
/// So many members of structs a name may come with, those of structs in structs included, and so deep.
inline constexpr std::uint32_t kMostMembers = 256;
inline constexpr std::uint32_t kDeepestMember = 16;
/// Longer names of files and functions are cut.
inline constexpr std::uint32_t kLongestString = 4096;

constexpr std::uint64_t zigzag(std::int64_t difference) {
  return (static_cast<std::uint64_t>(difference) << 1) ^ static_cast<std::uint64_t>(difference >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t number) {
  return static_cast<std::int64_t>(number >> 1) ^ -static_cast<std::int64_t>(number & 1);
}

}  // namespace heddle::trace
