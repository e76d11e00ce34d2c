#pragma once

/// \file
/// A failure that was made smaller, in a file: HEDDLE_REPLAY=FILE repeats it.

#include <heddle/explore.h>

#include <cstdint>
#include <optional>
#include <string>

#include "emulator/seeds/search.h"

namespace heddle::seeds {

/// A failure, and which search it is of: Search::test and next_number_of.
struct Replay {
  std::string test;
  std::uint64_t search = 1;
  /// Its seed, workgroups, schedules and text.
  ShrunkFailure failure;
};

/// The file of a failing seed, in the system's directory for temporary files: the same for each run of the same
/// program.
std::string default_replay_file(const Search& search, std::uint64_t number, std::uint64_t seed);

/// Writes the file, or leaves it as it was. Returns why it could not.
std::optional<std::string> write_replay(const Replay& replay, const std::string& path);

/// Throws std::invalid_argument, with the file and the line, for one that cannot be read or says something else.
Replay read_replay(const std::string& path);

/// The command for the shell that repeats what is in the file.
std::string replay_command(const Search& search, const std::string& path);

/// Repeats what is in the file, on this thread, if it is of search `number` of its test; else nothing is tried, and the
/// report is not complete. Throws as read_replay.
SeedReport repeat(const Search& search, std::uint64_t number, const std::string& path);

}  // namespace heddle::seeds
