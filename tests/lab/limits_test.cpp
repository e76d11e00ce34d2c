// The limits that emulator/lab/PROTOCOL.md names are those of the desk: each is reached, and no step beyond it.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "emulator/lab/desk.h"

using namespace heddle;
using Json = nlohmann::json;

namespace {

constexpr const char* kTest = R"(Vulkan message
{ x = 0; y = 0; }
P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;
st.nonpriv.sc0 x, 1 | ld.atom.dv.sc0 r0, y ;
exists (P1:r0 == 1)
)";

/// The rows of the table below "## Limits": what, and how much.
std::map<std::string, std::uint64_t> limits_of_protocol() {
  std::ifstream in(HEDDLE_SOURCE_DIR "/emulator/lab/PROTOCOL.md");
  std::map<std::string, std::uint64_t> limits;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("## ", 0) == 0) inside = line == "## Limits";
    const std::size_t middle = line.find(" | ");
    if (!inside || line.rfind("| ", 0) != 0 || middle == std::string::npos) continue;
    const std::string most = line.substr(middle + 3);
    if (most.find_first_of("0123456789") == 0) limits[line.substr(2, middle - 2)] = std::stoull(most);
  }
  return limits;
}

std::string error_of(lab::Desk& desk, const std::string& request) {
  const Json answer = Json::parse(desk.handle(request));
  return answer.at("ok") == true ? "" : answer.at("error").get<std::string>();
}

std::string error_of(lab::Desk& desk, const Json& request) {
  return error_of(desk, request.dump());
}

/// A desk with a test on it.
struct Opened {
  lab::Desk desk;
  Opened() { REQUIRE(error_of(desk, Json{{"request", "open"}, {"text", kTest}}).empty()); }
};

/// The error of a request with so much of something. It may be another error than that of the limit.
std::string with_number(const std::string& request, const char* field, std::uint64_t number, Json more = {}) {
  Opened opened;
  Json json{{"request", request}, {field, number}};
  if (request == "open") json["text"] = kTest;
  if (!more.is_null()) json.update(more);
  return error_of(opened.desk, json);
}

std::string with_text(const std::string& request, const char* field, std::uint64_t bytes) {
  Opened opened;
  Json json{{"request", request}, {"text", kTest}};
  json[field] = std::string(bytes, ' ');
  return error_of(opened.desk, json);
}

std::string with_request_bytes(std::uint64_t bytes) {
  Opened opened;
  std::string request = R"({"request": "state"})";
  request.resize(bytes, ' ');
  return error_of(opened.desk, request);
}

std::string with_test_bytes(std::uint64_t bytes) {
  std::string text = kTest;
  text.resize(bytes, '\n');
  Opened opened;
  return error_of(opened.desk, Json{{"request", "open"}, {"text", text}});
}

std::string with_bookmarks(std::uint64_t count) {
  Opened opened;
  std::string error;
  for (std::uint64_t i = 0; i < count; ++i)
    error = error_of(opened.desk, Json{{"request", "bookmark"}, {"name", "b" + std::to_string(i)}});
  return error;
}

std::string with_entries(const char* request, const char* field, const Json& entry, std::uint64_t count) {
  Opened opened;
  Json json{{"request", request}, {"text", kTest}};
  json[field] = std::vector<Json>(count, entry);
  return error_of(opened.desk, json);
}

bool names_limit(const std::string& error, std::uint64_t most) {
  const std::string limit = std::to_string(most);
  return error.find("most " + limit) != std::string::npos || error.find("from 0 to " + limit) != std::string::npos;
}

using Ask = std::function<std::string(std::uint64_t)>;

Ask number(const char* request, const char* field, Json more = {}) {
  return [=](std::uint64_t most) { return with_number(request, field, most, more); };
}
Ask text(const char* request, const char* field) {
  return [=](std::uint64_t most) { return with_text(request, field, most); };
}

const std::map<std::string, std::vector<Ask>>& probes() {
  const Json outcome{{"outcome", {{"P1:r0", 1}}}};
  static const std::map<std::string, std::vector<Ask>> all{
      {"bytes of a request", {with_request_bytes}},
      {"bytes of `text`", {with_test_bytes}},
      {"bytes of `file`, `name`, `bookmark`, `move`, `word`",
       {text("open", "file"), text("bookmark", "name"), text("jump", "bookmark"), text("do", "move"),
        text("why_not", "move"), text("find", "word")}},
      {"`bound`", {number("open", "bound")}},
      {"ids in `moves`", {[](std::uint64_t most) { return with_entries("open", "moves", "t0", most); }}},
      {"`count`, `to`, `most`; moves of a game",
       {number("undo", "count"), number("redo", "count"), number("jump", "to"), number("play", "most")}},
      {"bookmarks of a game", {with_bookmarks}},
      {"entries of `breaks`", {[](std::uint64_t most) {
         return with_entries("breakpoints", "breaks", {{"race", true}}, most);
       }}},
      {"`limit`", {number("outcomes", "limit"), number("why_never", "limit", outcome)}},
      {"`tries`", {number("show", "tries", outcome)}},
      {"`performers`, `thread`, `step`, `line`",
       {number("open", "performers"), number("sources", "thread"), number("sources", "step"),
        [](std::uint64_t most) {
          return with_entries("breakpoints", "breaks", {{"line", most}}, 1);
        }}},
      {"`seed`", {number("play", "seed")}},
  };
  return all;
}

}  // namespace

TEST_CASE("the desk takes as much as its protocol says, and no more") {
  const std::map<std::string, std::uint64_t> limits = limits_of_protocol();
  std::set<std::string> named;
  for (const auto& [what, most] : limits) named.insert(what);
  for (const auto& [what, asks] : probes()) CHECK(named.count(what) == 1);
  CHECK(named.size() == probes().size());
  for (const auto& [what, most] : limits) {
    const auto found = probes().find(what);
    INFO(what);
    REQUIRE(found != probes().end());
    for (const Ask& ask : found->second) {
      CHECK_FALSE(names_limit(ask(most), most));
      // A number above the last one cannot be written.
      if (most == ~std::uint64_t{0}) continue;
      const std::string error = ask(most + 1);
      INFO(error);
      CHECK(names_limit(error, most));
    }
  }
}

TEST_CASE("a test of more threads than the protocol says is refused") {
  std::ifstream in(HEDDLE_SOURCE_DIR "/emulator/lab/PROTOCOL.md");
  const std::string protocol(std::istreambuf_iterator<char>(in), {});
  CHECK(protocol.find("at most 1024 threads") != std::string::npos);
  std::string text = "Vulkan many\n{ x = 0; }\n";
  for (std::size_t i = 0; i < 1025; ++i)
    text += (i == 0 ? "P" : " | P") + std::to_string(i) + "@sg 0, wg " + std::to_string(i) + ", qf 0";
  lab::Desk desk;
  const std::string error = error_of(desk, Json{{"request", "open"}, {"text", text + " ;\nexists (x == 0)\n"}});
  CHECK(error.find("more than 1024 threads") != std::string::npos);
}
