#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path kSource = HEDDLE_SOURCE_DIR;

struct Anchor {
  std::string name;
  std::string exception;
};

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? ""
                                    : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::vector<Anchor> anchors() {
  std::ifstream file(kSource / "tests/model/anchors.txt");
  std::vector<Anchor> all;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto bar = line.find('|');
    all.push_back({trimmed(line.substr(0, bar)),
                   bar == std::string::npos ? "" : trimmed(line.substr(bar + 1))});
  }
  return all;
}

struct Citations {
  std::map<std::string, std::set<std::string>> code;
  std::map<std::string, std::set<std::string>> tests;
};

void cite(const fs::path& path, Citations& citations) {
  // In two parts, so that this line is no citation.
  static const std::string kMark = std::string("//= ") + "vk:";
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto mark = line.find(kMark);
    if (mark == std::string::npos) continue;
    std::istringstream words(line.substr(mark + kMark.size()));
    std::string anchor, type;
    words >> anchor >> type;
    auto& list = type == "type=test" ? citations.tests : citations.code;
    list[anchor].insert(fs::relative(path, kSource).generic_string());
  }
}

Citations citations(const std::vector<const char*>& directories) {
  Citations all;
  for (const char* directory : directories) {
    if (!fs::exists(kSource / directory)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(kSource / directory)) {
      const auto extension = entry.path().extension();
      if (extension == ".h" || extension == ".cpp") cite(entry.path(), all);
    }
  }
  return all;
}

// The vocabulary and the judge: what the other engines cite is their affair.
Citations citations_of_model() {
  return citations({"include", "emulator/model", "emulator/judge", "tests/model"});
}

// Definitions, and declarations where there is no definition.
std::set<std::string> definitions(const std::set<std::string>& files) {
  std::set<std::string> result;
  for (const std::string& file : files)
    if (fs::path(file).extension() == ".cpp") result.insert(file);
  return result.empty() ? files : result;
}

std::string cell(const std::set<std::string>& files) {
  std::string text;
  for (const std::string& file : files) text += (text.empty() ? "`" : ", `") + file + "`";
  return text;
}

std::string table() {
  const Citations cited = citations_of_model();
  const auto files = [](const auto& map, const std::string& anchor) {
    const auto found = map.find(anchor);
    return found == map.end() ? std::set<std::string>{} : found->second;
  };
  std::string text = "| anchor | code | tests |\n| --- | --- | --- |\n";
  for (const Anchor& anchor : anchors()) {
    const std::string code = cell(definitions(files(cited.code, anchor.name)));
    text += "| `" + anchor.name + "` | " + (code.empty() ? anchor.exception : code) + " | " +
            cell(files(cited.tests, anchor.name)) + " |\n";
  }
  return text;
}

}  // namespace

TEST_CASE("every anchor of the specification has code and a test, or a written exception") {
  const Citations cited = citations_of_model();
  for (const Anchor& anchor : anchors()) {
    INFO(anchor.name);
    const bool excepted = !anchor.exception.empty();
    CHECK((cited.code.count(anchor.name) == 1 || excepted));
    CHECK((cited.tests.count(anchor.name) == 1 || excepted));
  }
}

TEST_CASE("no citation is of an anchor that the specification does not have") {
  std::set<std::string> known;
  for (const Anchor& anchor : anchors()) known.insert(anchor.name);
  const Citations cited = citations({"include", "emulator", "runtime", "tests"});
  for (const auto* list : {&cited.code, &cited.tests})
    for (const auto& [anchor, files] : *list) {
      INFO(anchor << " in " << cell(files));
      CHECK(known.count(anchor) == 1);
    }
}

TEST_CASE("the table of anchors in emulator/judge/README.md is what the sources say") {
  std::ifstream file(kSource / "emulator/judge/README.md");
  std::stringstream readme;
  readme << file.rdbuf();
  INFO("the table should be:\n" << table());
  CHECK(readme.str().find(table()) != std::string::npos);
}
