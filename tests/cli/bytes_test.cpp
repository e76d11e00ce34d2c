// What comes from outside, through the whole program: valid in every format, and nothing that a terminal would obey.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "emulator/trace/file_writer.h"
#include "tests/cli/run_heddle.h"
#include "tests/outside_text.h"

using namespace heddle;
using namespace heddle::cli;
using Json = nlohmann::json;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string file_name(std::mt19937& random, int number) {
  static constexpr const char* kEndings[] = {".litmus", ".test", "", ".txt"};
  std::string name = std::to_string(number) + text_from_outside(random) + kEndings[random() % 4];
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

/// A test of one of the formats, with texts from outside where each format has room for them, and often with one more
/// where it has none.
std::string test_from_outside(std::mt19937& random) {
  const auto text = [&] { return text_from_outside(random); };
  const auto word = [&] {
    std::string made = 'w' + text();
    std::erase_if(made,
                  [](char c) { return std::string_view(" \t\n\v\f\r=!<>#[]()&").find(c) != std::string_view::npos; });
    return made;
  };
  std::string test;
  switch (random() % 3) {
    case 0:
      test = "Vulkan " + word() + " \"" + text() + "\"\n{ x=0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 1, wg 0, qf 0 ;\n" +
             " st.sc0 (* " + text() + " *) x, 1 | ld.sc0 (* " + text() + " *) r0, x ;\nexists (P1:r0 == 1)\n";
      break;
    case 1:
      test = "C " + word() + "\n{ }\nP0(atomic_int* x) { atomic_store(x, /* " + text() +
             " */ 1); }\nP1(atomic_int* x) { int r0 = atomic_load(x) + /* " + text() + " */ 0; }\nexists (1:r0=1)\n";
      break;
    default: {
      const std::string variable = word();
      test = "NEWWG\nNEWSG\nNEWTHREAD\n// " + word() + "\nst.av.scopedev.sc0 " + variable +
             " = 1\nNEWWG\nNEWSG\nNEWTHREAD\nld.vis.scopedev.sc0 " + variable +
             " = 1\nSATISFIABLE consistent[X] && #dr>0\n";
    }
  }
  if (random() % 3 == 0) test.insert(random() % test.size(), text());
  return test;
}

/// A trace with texts from outside in all places that have one.
void write_trace(const std::string& path, std::mt19937& random) {
  std::deque<std::string> kept;
  const auto text = [&] { return kept.emplace_back(text_from_outside(random)).c_str(); };
  trace::FileWriter writer(path);
  const Locations bytes{AllocationId{0}, 0, 4};
  writer.named(
      {AllocationId{0}, 0, 64, ReferenceId{1}, StorageClass::StorageBuffer, text()},
      {trace::ComponentKind::Unknown, 0, 4, {{text(), 0, 4, false, {trace::ComponentKind::Unsigned, 4, 4, {}}}}});
  for (std::uint32_t agent = 0; agent < 4; ++agent) {
    if (agent % 2 == 0) writer.called(text());
    writer.agent_begins(AgentId{agent}, {});
    Operation operation;
    operation.kind = OperationKind::Write;
    operation.agent = AgentId{agent};
    operation.locations = bytes;
    operation.storage_class = StorageClass::StorageBuffer;
    operation.where = {text(), text(), agent % 3};
    if (agent > 1) writer.called(text());
    writer.operation(agent, operation, 0, 7, {});
    writer.moved(agent, bytes, AgentId{agent}, trace::CacheLevel::Agent, trace::CacheLevel::Workgroup,
                 trace::MoveReason::Eviction);
  }
  writer.close();
}

/// Runs the program that `heddle races` is tested with, without heddle, in this environment.
int run_kernels(const std::string& environment, const std::string& what) {
  return std::system((environment + " " + HEDDLE_KERNELS + " " + what).c_str());
}

}  // namespace

TEST_CASE("whatever the names and contents of litmus files are, JSON is an object a file, and text is text") {
  std::mt19937 random(7);
  const TemporaryDirectory directory;
  std::vector<std::string> files;
  for (int i = 0; i < 40; ++i) files.push_back(directory.write(file_name(random, i), test_from_outside(random)));
  std::vector<std::string> arguments = {"litmus", "--json", "--why"};
  arguments.insert(arguments.end(), files.begin(), files.end());
  const Run json = run_heddle(arguments);
  CHECK(is_plain(json.out + json.err));
  const std::vector<std::string> lines = lines_of(json.out);
  REQUIRE(lines.size() == files.size());
  std::size_t answered = 0;
  for (const std::string& line : lines) answered += Json::parse(line).contains("error") ? 0 : 1;
  // Errors alone would teach nothing of answers.
  CHECK(answered > files.size() / 4);
  CHECK(answered < files.size());
  arguments[1] = "--dot=" + directory.path("pictures");
  const Run text = run_heddle(arguments);
  CHECK(is_plain(text.out + text.err));
  std::size_t pictures = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path("pictures"))) {
    if (entry.path().extension() != ".dot") continue;
    ++pictures;
    CHECK(is_plain(read_all(entry.path().string())));
  }
  CHECK(pictures > 0);
  arguments[1] = "--machine=random";
  CHECK(is_plain(run_heddle(arguments).out));
}

TEST_CASE("whatever names and words a trace has, each of its formats is valid, and text is text") {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    const TemporaryDirectory directory;
    const std::string trace = directory.path(file_name(random, 0));
    write_trace(trace, random);
    const Run run = run_heddle({"trace", "--list", "--perfetto", directory.path("p.json"), "--html",
                                directory.path("page.html"), "--film", directory.path("film.json"), trace});
    INFO(run.err);
    REQUIRE(run.exit_code == 0);
    CHECK(is_plain(run.out));
    CHECK(Json::parse(read_all(directory.path("p.json"))).at("traceEvents").is_array());
    const Json film = Json::parse(read_all(directory.path("film.json")));
    CHECK(film.at("operations").at("count") == 4);
    const std::string page = read_all(directory.path("page.html"));
    CHECK(is_plain(page));
    // The data ends no script.
    const std::size_t data = page.find("const data = ");
    CHECK(page.substr(data, page.find('\n', data) - data).find('<') == std::string::npos);
    CHECK(is_plain(run_heddle({"trace", "--json", trace}).out));
  }
}

TEST_CASE("an argument that is wrong comes to the terminal as text") {
  std::mt19937 random(3);
  for (int i = 0; i < 10; ++i) {
    const std::string text = text_from_outside(random);
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--" + text},
                                                      {"litmus", "no" + text},
                                                      {"litmus", "--machine", text, "a.litmus"},
                                                      {"trace", "no" + text},
                                                      {"step", "no" + text},
                                                      {"lab", "--page", "no" + text},
                                                      {"races", "--suppress", "no" + text, "program"},
                                                      {"races", "no/such" + text}}) {
      const Run run = run_heddle(arguments);
      CAPTURE(run.out, run.err);
      CHECK(is_plain(run.out + run.err));
    }
  }
}

TEST_CASE("a race of a buffer whose name is no text is found and told, by heddle races and by the program itself") {
  const TemporaryDirectory directory;
  for (const std::string format : {"text", "json", "sarif", "junit", "github"}) {
    CAPTURE(format);
    CHECK(is_plain(run_heddle({"races", "--format", format, HEDDLE_KERNELS, "outside"}).out));
    // As the program itself, which is not run again for changes.
    const Run run = run_heddle({"races", "--change-seconds", "0", "--format", format, HEDDLE_KERNELS, "outside"});
    CHECK(run.exit_code == 1);
    CHECK(run.err.empty());
    CHECK(is_plain(run.out));
    CHECK(run.out.find(format == "json" || format == "sarif" ? "gr\\\\xf6\\\\xdfe" : "gr\\xf6\\xdfe") !=
          std::string::npos);
    const std::string file = directory.path(format);
    CHECK(run_kernels("HEDDLE_RACES=" + format + " HEDDLE_RACES_FILE=" + file, "outside") == 0);
    // What heddle says beside that is how to run it again.
    CHECK(is_plain(read_all(file)));
    CHECK(lines_of(read_all(file)).size() == lines_of(run.out).size());
  }
}

TEST_CASE("a suppression names a buffer by the bytes of its name") {
  const TemporaryDirectory directory;
  for (const auto& [object, code] : {std::pair("gr\xf6\xdf"
                                               "e*",
                                               0),
                                     std::pair("gr\xdf\xf6"
                                               "e*",
                                               1)}) {
    const std::string known = directory.write("known.txt", std::string("object:") + object + " -- a preview\n");
    CHECK(run_heddle({"races", "--suppress", known, HEDDLE_KERNELS, "outside"}).exit_code == code);
  }
}
