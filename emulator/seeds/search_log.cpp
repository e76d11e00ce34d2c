#include "emulator/seeds/search_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "emulator/report/json.h"
#include "emulator/seeds/search.h"
#include "runtime/text/json_text.h"

namespace heddle::seeds {
namespace {

using report::Json;

Json json_of(const SeedFailure& failure) {
  Json json = {{"seed", failure.seed},
               {"what", failure.what},
               {"configuration", to_string(failure.configuration)},
               {"replay", failure.replay}};
  if (failure.finding) {
    json["finding"] = name_of(failure.finding->kind);
    json["file"] = failure.finding->where.file;
    json["line"] = failure.finding->where.line;
  }
  if (failure.shrunk) {
    json["smallest_configuration"] = failure.shrunk->unusual;
    json["smaller"] = failure.shrunk->replay;
  }
  return json;
}

Json json_of(const Search& search, std::uint64_t number, std::uint64_t seeds, const SeedReport& report) {
  const SeedOptions& options = search.options();
  const SeedShard part = search.framework() ? search.framework()->part() : SeedShard();
  Json json = {{"record", "search"},
               {"test", search.test()},
               {"search", number},
               {"first_seed", options.first_seed},
               {"seeds", seeds},
               {"part", {part.index, part.count}},
               {"step", options.shard.count},
               {"trials", report.trials},
               {"complete", report.complete},
               {"sweep", search.sweep().text()},
               // Then the test itself has something to say of them.
               {"asks_for_races", options.device.races.has_value()},
               {"seconds", report.seconds}};
  Json& tried = json["tried"] = Json::array();
  for (const SeedRange& range : report.tried) tried.push_back({range.first, range.last});
  Json& failures = json["failures"] = Json::array();
  for (const SeedFailure& failure : report.failures) failures.push_back(json_of(failure));
  Json& races = json["races"] = Json::array();
  for (const DataRace& race : report.races.races) races.push_back(report::to_json(race));
  return json;
}

}  // namespace

// One write, so that lines of several processes do not mix.
void log_search(const Search& search, std::uint64_t number, std::uint64_t seeds, const SeedReport& report) {
  const char* const path = std::getenv("HEDDLE_TEST_LOG");
  if (!path || !*path) return;
  const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return;
  const std::string line = text::json_text(json_of(search, number, seeds, report)) + '\n';
  if (write(file, line.data(), line.size()) < 0) std::perror("HEDDLE_TEST_LOG");
  close(file);
}

}  // namespace heddle::seeds
