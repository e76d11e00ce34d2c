#pragma once

/// \file
/// How a program tells `heddle races` what its devices found, while it runs: one line a record, which has texts byte by
/// byte.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/report/collector.h"

namespace heddle::report {

std::string record(RunId run);
std::string record(RunId run, const DataRace& race);
std::string record(RunId run, const Revised& revised);
std::string record(RunId run, const OrderingUse& use);
std::string record(RunId run, const RecordedRuns& recorded);
std::string record(RunId run, const Remark& remark);
std::string record(RunId run, const Relied& relied);
std::string record(RunId run, const FailedDispatch& failed);
std::string record(RunId run, const Looked& looked);

/// A dispatch that runs while the process ends.
struct Unfinished {
  RunId run = 0;
  std::uint64_t dispatch = 0;
  /// Its last operation, and who made it; line 0 where that is not known.
  SourceLocation where;
  Coordinates invocation;
};

/// A record that is made without memory that somebody else would have to give.
class RecordInPlace {
 public:
  std::string_view text() const { return {text_.data(), size_}; }
  void add(std::string_view text);
  void add(std::uint64_t number);
  /// Bytes, as a text of JSON that read_records takes for these bytes; of very many the first ones.
  void add_bytes(std::string_view bytes);

 private:
  std::array<char, 4096> text_;
  std::size_t size_ = 0;
};

/// As the other ones, in a handler of a signal.
RecordInPlace record_in_place(const Unfinished& unfinished);

/// The race that a record has; nothing for a record of another kind. Throws std::runtime_error for what is no record.
std::optional<DataRace> race_of(const std::string& record);

/// Adds the records of a text. A last line without an end, of a program that was killed, is left
/// out. Throws std::runtime_error for anything else that is no record.
void read_records(const std::string& text, Collector& collector);

}  // namespace heddle::report
