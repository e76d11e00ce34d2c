#include "emulator/cli/mutate/explored.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace heddle::cli {
namespace {

struct Explored {
  std::string found;
  bool complete = false;
  std::set<std::string> places;
};

Explored explored_from(const std::string& text) {
  Explored explored;
  std::istringstream lines(text);
  constexpr std::string_view kPlace = "at ";
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kPlace)) {
      explored.places.insert(line.substr(kPlace.size()));
    } else {
      explored.found += line + '\n';
    }
  }
  explored.complete = !explored.found.empty() && explored.found.find("some executions\n") == std::string::npos;
  return explored;
}

}  // namespace

bool are_equivalent(const std::string& as_it_is, const std::string& weakened, const std::vector<Edit>& edits) {
  const Explored before = explored_from(as_it_is);
  return before.complete && before.found == explored_from(weakened).found &&
         std::all_of(edits.begin(), edits.end(), [&](const Edit& edit) {
           return before.places.contains(fmt::format("{}:{}", edit.file, edit.line));
         });
}

}  // namespace heddle::cli
