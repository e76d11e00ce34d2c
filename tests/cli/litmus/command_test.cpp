#include <signal.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/run_heddle.h"

using namespace heddle::cli;
using Json = nlohmann::json;

namespace {

const std::string kThreads = " P0@sg 0, wg 0, qf 0 | P1@sg 1, wg 0, qf 0 ;\n";
const std::string kAtomic =
    "Vulkan Atomic\n{ x=0; }\n" + kThreads + " st.atom.wg.sc0 x, 1 | ld.atom.wg.sc0 r0, x ;\nexists (P1:r0 == 1)\n";
const std::string kForbidden =
    "Vulkan Forbidden\n{ x=0; }\n" + kThreads + " st.atom.wg.sc0 x, 1 | ld.atom.wg.sc0 r0, x ;\nexists (P1:r0 == 2)\n";
const std::string kRacy = "Vulkan Racy\n{ x=0; }\n" + kThreads + " st.sc0 x, 1 | ld.sc0 r0, x ;\nexists (P1:r0 == 1)\n";
const std::string kClaims =
    "NEWWG\nNEWSG\nNEWTHREAD\nst.atom.scopewg.sc0 x = 1\nNEWSG\nNEWTHREAD\n"
    "ld.atom.scopewg.sc0 x = 1\nSATISFIABLE consistent[X]\nNOSOLUTION consistent[X] && #dr>0\n";

/// A test with more executions than anybody waits for: nothing orders what its threads see.
std::string lengthy() {
  std::string head;
  std::string stores;
  std::string loads;
  for (int i = 0; i < 8; ++i) {
    const std::string bar = i == 0 ? "" : "| ";
    head += bar + 'P' + std::to_string(i) + "@sg " + std::to_string(i) + ", wg 0, qf 0 ";
    stores += bar + "st.atom.wg.sc0 x" + std::to_string(i) + ", 1 ";
    loads += bar + "ld.atom.wg.sc0 r0, x" + std::to_string((i + 1) % 8) + ' ';
  }
  std::string more;
  for (int i = 0; i < 8; ++i) {
    more += (i == 0 ? "" : "| ") + std::string("ld.atom.wg.sc0 r1, x") + std::to_string((i + 2) % 8) + ' ';
  }
  std::string variables;
  for (int i = 0; i < 8; ++i) variables += 'x' + std::to_string(i) + "=0; ";
  return "Vulkan Lengthy\n{ " + variables + "}\n" + head + ";\n" + stores + ";\n" + loads + ";\n" + more + ";\n" +
         loads + ";\n" + "exists (x0 == 3)\n";
}

std::vector<Json> lines(const std::string& text) {
  std::vector<Json> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(Json::parse(line));
  return out;
}

}  // namespace

TEST_CASE("help names the commands that exist and exits with 0") {
  const Run program = run_heddle({"--help"});
  CHECK(program.exit_code == 0);
  CHECK(program.out.find("litmus") != std::string::npos);
  const Run command = run_heddle({"litmus", "--help"});
  CHECK(command.exit_code == 0);
  for (const char* const option : {"--bound", "--no-chains", "--limit", "--jobs", "--dot", "--json", "--quiet",
                                   "--thin-air", "--verdict", "--why", "--progress"}) {
    INFO(option);
    CHECK(command.out.find(option) != std::string::npos);
  }
  CHECK(run_heddle({"--version"}).exit_code == 0);
}

TEST_CASE("a wrong command line is bad input and says why on standard error") {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{},
                                             {"weave"},
                                             {"litmus"},
                                             {"litmus", "--bound", "0", "x"},
                                             {"litmus", "--bound", "many", "x"},
                                             {"litmus", "--limit", "-1", "x"},
                                             {"litmus", "--jobs", "0", "x"},
                                             {"litmus", "--verdict", "--why", "x"},
                                             {"litmus", "--verdict", "--machine", "random", "x"},
                                             {"litmus", "--unknown", "x"}}) {
    INFO(Catch::StringMaker<std::vector<std::string>>::convert(arguments));
    const Run run = run_heddle(arguments);
    CHECK(run.exit_code == 2);
    CHECK(run.out.empty());
    CHECK_FALSE(run.err.empty());
  }
}

TEST_CASE("the exit code is 1 for a race or a failed assertion, and 0 without") {
  const TemporaryDirectory directory;
  CHECK(run_heddle({"litmus", directory.write("a.litmus", kAtomic)}).exit_code == 0);
  CHECK(run_heddle({"litmus", directory.write("f.litmus", kForbidden)}).exit_code == 1);
  CHECK(run_heddle({"litmus", directory.write("r.litmus", kRacy)}).exit_code == 1);
  CHECK(run_heddle({"litmus", directory.write("c.test", kClaims)}).exit_code == 0);
  CHECK(run_heddle({"litmus", directory.write("d.test", kClaims + "NOSOLUTION consistent[X]\n")}).exit_code == 1);
}

TEST_CASE("the option --verdict says what holds and what races, and lists nothing") {
  const TemporaryDirectory directory;
  const std::string files[] = {directory.write("a.litmus", kAtomic), directory.write("r.litmus", kRacy),
                               directory.write("c.test", kClaims)};
  for (const std::string& file : files) {
    const Run all = run_heddle({"litmus", "--json", file});
    const Run verdict = run_heddle({"litmus", "--json", "--verdict", file});
    CHECK(verdict.exit_code == all.exit_code);
    Json expected = lines(all.out).at(0);
    Json found = lines(verdict.out).at(0);
    expected.erase("outcomes");
    expected.erase("executions");
    for (Json* json : {&expected, &found}) json->erase("seconds");
    CHECK(found == expected);
    const Run text = run_heddle({"litmus", "--verdict", file});
    CHECK(text.exit_code == all.exit_code);
    CHECK(text.out.find("executions") == std::string::npos);
  }
}

TEST_CASE("a line of JSON has what the documentation says, in its order") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("a.litmus", kAtomic);
  const Run run = run_heddle({"litmus", "--json", file});
  CHECK(run.err.empty());
  const auto parsed = nlohmann::ordered_json::parse(run.out);
  std::vector<std::string> keys;
  for (const auto& [key, value] : parsed.items()) keys.push_back(key);
  CHECK(keys == std::vector<std::string>{"file", "name", "format", "quantifier", "holds", "racy", "outcomes",
                                         "executions", "complete", "bound", "seconds"});
  const Json json = lines(run.out).at(0);
  CHECK(json["file"] == file);
  CHECK(json["name"] == "Atomic");
  CHECK(json["format"] == "vulkan-litmus");
  CHECK(json["quantifier"] == "exists");
  CHECK(json["holds"] == true);
  CHECK(json["racy"] == false);
  CHECK(json["outcomes"] == Json::parse(R"([{"P1:r0": 0}, {"P1:r0": 1}])"));
  CHECK(json["executions"] == 2);
  CHECK(json["complete"] == true);
  CHECK(json["bound"] == 2);
  CHECK(json["seconds"].is_number());
}

TEST_CASE("with --why a line of JSON has a row for each outcome that is allowed or comes near, the asked one first") {
  const TemporaryDirectory directory;
  const std::string file = directory.write(
      "MP.litmus",
      "Vulkan MP\n{ x = 0; y = 0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n"
      " st.nonpriv.sc0 x, 1 | ld.atom.acq.dv.sc0.semsc0.semvis r0, y ;\n"
      " st.atom.rel.dv.sc0.semsc0.semav y, 1 | ld.nonpriv.sc0 r1, x ;\nfilter (P1:r0 == 1)\nexists (P1:r1 == 0)\n");
  const Json why = lines(run_heddle({"litmus", "--json", "--why", file}).out).at(0).at("why");
  CHECK(why.at("rows_complete") == true);
  REQUIRE(why.at("rows").size() == 2);
  const Json& stale = why.at("rows").at(0);
  CHECK(stale.at("outcome") == Json::parse(R"({"P1:r0": 1, "P1:r1": 0})"));
  CHECK(stale.at("allowed") == false);
  CHECK(stale.at("asked") == true);
  const Json& forbidden = stale.at("forbidden");
  CHECK(forbidden.at("rule") == "acyclicity");
  CHECK(forbidden.at("clause") == "memory-model-acyclicity");
  CHECK(forbidden.at("violated") == 1);
  const Json& cycle = forbidden.at("cycle");
  REQUIRE(cycle.size() == 2);
  CHECK(cycle.at(0).at("relation") == "fr");
  CHECK(cycle.at(0).at("from") == 3);
  CHECK(cycle.at(0).at("to") == 0);
  CHECK(cycle.at(0).at("text").get<std::string>().find(
            "P1's `ld.nonpriv.sc0 r1, x` (line 5) reads the initial value") == 0);
  CHECK(cycle.at(1).at("relation") == "locord");
  CHECK(cycle.at(1).at("clause") == "memory-model-location-ordered");
  // Each edge of the cycle is in the graph, and the one that chains make says which.
  const Json& graph = forbidden.at("graph");
  for (const Json& edge : cycle) {
    bool drawn = false;
    for (const char* list : {"edges", "more"})
      for (const Json& one : graph.at(list)) {
        const bool same = one.at("from") == edge.at("from") && one.at("to") == edge.at("to") &&
                          one.at("relation") == edge.at("relation");
        drawn = drawn || same;
        if (same && one.at("relation") == "locord") {
          CHECK(one.at("chain").at("availability") == Json::parse("[1]"));
          CHECK(one.at("chain").at("visibility") == Json::parse("[2]"));
        }
      }
    CHECK(drawn);
  }
  bool by_class = false;
  for (const Json& one : graph.at("more"))
    by_class = by_class || (one.at("relation") == "hb" && one.at("from") == 0 && one.at("to") == 3 &&
                            one.at("classes") == Json::parse(R"(["UniformMemory"])"));
  CHECK(by_class);
  CHECK(why.at("rows").at(1).at("allowed") == true);
  CHECK(why.at("rows").at(1).at("weak") == false);
  CHECK(why.at("rows").at(1).at("graph") == 0);
}

TEST_CASE("the outcome of the first example of the course is weak, and random runs show it") {
  const std::string file = HEDDLE_SOURCE_DIR "/samples/course/1-message.litmus";
  const Json line =
      lines(run_heddle({"litmus", "--json", "--why", "--machine", "random", "--runs", "10000", file}).out).at(0);
  const Json& surprise = line.at("why").at("rows").at(0);
  CHECK(surprise.at("asked") == true);
  CHECK(surprise.at("weak") == true);
  std::uint64_t seen = 0;
  for (const Json& row : line.at("histogram"))
    if (row.at("outcome") == surprise.at("outcome")) seen = row.at("count");
  CHECK(seen > 100);
}

TEST_CASE("a value out of thin air, and one that no thread computes, are rows that say so") {
  const TemporaryDirectory directory;
  const auto rule = [&](const std::string& value, const std::string& condition) {
    const std::string file =
        directory.write("LB.litmus",
                        "Vulkan LB\n{ x = 0; y = 0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n"
                        " ld.atom.dv.sc0 r0, x | ld.atom.dv.sc0 r0, y ;\n st.atom.dv.sc0 y, " +
                            value + " | st.atom.dv.sc0 x, r0 ;\nexists (" + condition + ")\n");
    const Json row = lines(run_heddle({"litmus", "--json", "--why", file}).out).at(0).at("why").at("rows").at(0);
    CHECK(row.at("asked") == true);
    return row.at("allowed") == true ? Json("allowed") : row.at("forbidden").at("rule");
  };
  CHECK(rule("1", "P0:r0 == 1 /\\ P1:r0 == 1") == "allowed");
  CHECK(rule("1", "P0:r0 == 7 /\\ P1:r0 == 7") == "no_value");
}

TEST_CASE("with --why a line of JSON of a C test has graphs and rows as well") {
  const TemporaryDirectory directory;
  const std::string file = directory.write(
      "mp.litmus",
      "C mp\n{ }\nP0 (int* x, atomic_int* y) {\n  *x = 1;\n  atomic_store_explicit(y, 1, memory_order_release);\n}\n"
      "P1 (int* x, atomic_int* y) {\n  int r0 = atomic_load_explicit(y, memory_order_acquire);\n"
      "  int r1 = *x;\n}\nfilter (1:r0 = 1)\nexists (1:r0 = 1 /\\ 1:r1 = 0)\n");
  const Json why = lines(run_heddle({"litmus", "--json", "--why", file}).out).at(0).at("why");
  REQUIRE(why.at("rows").size() == 2);
  const Json& stale = why.at("rows").at(0);
  CHECK(stale.at("asked") == true);
  CHECK(stale.at("allowed") == false);
  CHECK(stale.at("forbidden").at("text").get<std::string>().find("The closest execution breaks the rule that ") == 0);
  CHECK(stale.at("forbidden").at("graph").at("operations").size() == 4);
  CHECK(why.at("graphs").size() == 1);
}

TEST_CASE("a test is printed in either spelling") {
  const TemporaryDirectory directory;
  const std::string tags =
      "Vulkan t\n{ x = 0; }\n P0@sg 0, wg 0, qf 0 ;\n st.atom.rel.dv.sc0.semsc0 x, 1 (* kept *) ;\nexists (x == 1)\n";
  const std::string file = directory.write("t.litmus", tags);
  CHECK(run_heddle({"litmus", "--spelling", "tags", file}).out == tags);
  const Run calls = run_heddle({"litmus", "--spelling", "calls", file});
  CHECK(calls.exit_code == 0);
  CHECK(calls.out ==
        "Vulkan t\n{\nx = 0;\n}\nP0@subgroup 0, workgroup 0, queueFamily 0 {\n"
        "  atomicStore(x, 1, Release, Device, UniformMemory); (* kept *)\n}\nexists (x == 1)\n");
  const Run other = run_heddle({"litmus", "--spelling", "calls", directory.write("c.litmus", "C t\n{ }\nP0 () { }\n")});
  CHECK(other.exit_code == 2);
  CHECK(other.err.find("this is a test of C11") != std::string::npos);
}

TEST_CASE("with --why a line of JSON has executions, the missing link and the edits that mend a race") {
  const TemporaryDirectory directory;
  const std::string racy = directory.write(
      "MP.litmus",
      "Vulkan MP\n{ x = 0; y = 0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n"
      " st.nonpriv.sc0 x, 1 | ld.atom.acq.dv.sc0.semsc0.semvis r0, y ;\n"
      " st.atom.rel.dv.sc0.semsc0 y, 1 | ld.nonpriv.sc0 r1, x ;\nfilter (P1:r0 == 1)\nexists (P1:r1 == 0)\n");
  const Json line = lines(run_heddle({"litmus", "--json", "--why", racy}).out).at(0);
  const Json& race = line.at("why").at("race");
  CHECK(race.at("missing_link") == "never made available");
  CHECK(race.at("changes").at(0).at("edits") == Json::parse(R"([{"line": 5, "column": 2,
        "old": "st.atom.rel.dv.sc0.semsc0", "new": "st.atom.rel.dv.sc0.semsc0.semav"}])"));
  CHECK(race.at("changes").at(0).at("program_edits") ==
        Json::parse(R"(["add MakeAvailable at atomic-write in MP.litmus:5:2"])"));
  CHECK(race.at("changes").at(0).at("mends") == Json::parse("[0]"));
  CHECK(race.at("races").size() == 1);
  REQUIRE(line.at("why").at("graphs").size() == line.at("outcomes").size());
  const Json& graph = line.at("why").at("graphs").at(0);
  CHECK(graph.at("operations").size() == 4);
  CHECK(graph.at("operations").at(0).at("text") == "st.nonpriv.sc0 x, 1");
  CHECK(graph.at("races") == Json::parse("[[0, 3]]"));
  CHECK_FALSE(lines(run_heddle({"litmus", "--json", racy}).out).at(0).contains("why"));
}

TEST_CASE("with --why the change comes first with which what is asked for, and comes with a race, does not come") {
  const TemporaryDirectory directory;
  const std::string relaxed =
      directory.write("MP.litmus",
                      "Vulkan MP\n{ x = 0; f = 0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n"
                      " st.av.dv.sc0 x, 1 | ld.atom.acq.dv.sc0.semsc0 r0, f ;\n"
                      " st.atom.dv.sc0 f, 1 | ld.vis.dv.sc0 r1, x ;\nexists (P1:r0 = 1 /\\ P1:r1 = 0)\n");
  const std::string said = run_heddle({"litmus", "--why", relaxed}).out;
  const std::size_t forbidding = said.find(
      "So that no execution ends with P1:r0 == 1 /\\ P1:r1 == 0: give the atomic write in P0's `st.atom.dv.sc0 f, 1` "
      "(line 5) the semantics Release");
  CHECK(forbidding != std::string::npos);
  CHECK(said.find("Without this race in any execution: make the write") > forbidding);
  const Json line = lines(run_heddle({"litmus", "--json", "--why", relaxed}).out).at(0);
  const Json& changes = line.at("why").at("race").at("forbidding");
  REQUIRE_FALSE(changes.empty());
  CHECK(changes.at(0).at("edits").at(0).at("line") == 5);
}

TEST_CASE("a .test file has claims instead of an assertion") {
  const TemporaryDirectory directory;
  const Json json = lines(run_heddle({"litmus", "--json", directory.write("c.test", kClaims)}).out).at(0);
  CHECK(json["format"] == "khronos-test");
  CHECK(json["name"] == "c");
  CHECK_FALSE(json.contains("quantifier"));
  CHECK_FALSE(json.contains("holds"));
  CHECK_FALSE(json.contains("outcomes"));
  CHECK(json["claims"] == Json::parse(R"([{"text": "SATISFIABLE consistent[X]", "holds": true},
      {"text": "NOSOLUTION consistent[X] && #dr>0", "holds": true}])"));
}

TEST_CASE("a test without an assertion has neither quantifier nor verdict") {
  const TemporaryDirectory directory;
  const std::string filter = kAtomic.substr(0, kAtomic.find("exists")) + "filter (P1:r0 == 1)\n";
  const Json json = lines(run_heddle({"litmus", "--json", directory.write("a.litmus", filter)}).out).at(0);
  CHECK(json["quantifier"].is_null());
  CHECK(json["holds"].is_null());
  CHECK(json["executions"] == 1);
}

TEST_CASE("lines come in the order of the files, whatever the number of jobs") {
  const TemporaryDirectory directory;
  std::vector<std::string> files;
  for (int i = 0; i < 60; ++i) {
    files.push_back(directory.write(std::to_string(i) + ".litmus", i % 7 == 0 ? kRacy : kAtomic));
  }
  for (const char* const jobs : {"1", "2", "16"}) {
    std::vector<std::string> arguments = {"litmus", "--json", "--jobs", jobs};
    arguments.insert(arguments.end(), files.begin(), files.end());
    const auto found = lines(run_heddle(arguments).out);
    REQUIRE(found.size() == files.size());
    for (std::size_t i = 0; i < files.size(); ++i) CHECK(found[i]["file"] == files[i]);
  }
}

TEST_CASE("a file that cannot be read is a line of its own, and the others still run") {
  const TemporaryDirectory directory;
  const std::string good = directory.write("good.litmus", kAtomic);
  const std::string broken = directory.write("broken.litmus", "Vulkan T\n{ x=0; }\nP0@sg 0 ;\n");
  const std::string empty = directory.write("empty.litmus", "");
  const std::string binary = directory.write("binary", std::string("\x7f\0\xff{;|", 6));
  const std::string missing = directory.path("missing.litmus");
  const Run run = run_heddle({"litmus", "--json", good, broken, empty, binary, missing, good});
  CHECK(run.exit_code == 2);
  const auto found = lines(run.out);
  REQUIRE(found.size() == 6);
  CHECK(found[0]["holds"] == true);
  CHECK(found[1]["error"] == broken + ":3:9: expected ',', found ';'");
  CHECK(found[1].size() == 2);
  CHECK(found[2]["error"].get<std::string>().rfind(empty + ":1:1: ", 0) == 0);
  CHECK(found[3]["error"].get<std::string>().rfind(binary + ":1:1: ", 0) == 0);
  CHECK(found[4]["error"] == missing + ": No such file or directory");
  CHECK(found[5]["holds"] == true);
}

TEST_CASE("without --json errors go to standard error and results to standard output") {
  const TemporaryDirectory directory;
  const std::string good = directory.write("good.litmus", kAtomic);
  const std::string broken = directory.write("broken.litmus", "Vulkan T\n{ x=0; }\nP0@sg 0 ;\n");
  const Run run = run_heddle({"litmus", broken, good});
  CHECK(run.exit_code == 2);
  CHECK(run.err == broken + ":3:9: expected ',', found ';'\n");
  CHECK(run.out.find("Allowed: some execution ends with P1:r0 == 1.") != std::string::npos);
  CHECK(run.out.find('\x1b') == std::string::npos);
}

TEST_CASE("a file name that is not UTF-8 does not break the JSON") {
  const TemporaryDirectory directory;
  const Run run = run_heddle({"litmus", "--json", directory.write("a\xff.litmus", kAtomic)});
  CHECK(lines(run.out).at(0)["holds"] == true);
}

TEST_CASE("a directory stands for the litmus files in it, sorted") {
  const TemporaryDirectory directory;
  directory.write("b.litmus", kAtomic);
  directory.write("a.test", kClaims);
  directory.write("notes.txt", "not a test");
  const auto found = lines(run_heddle({"litmus", "--json", directory.path()}).out);
  REQUIRE(found.size() == 2);
  CHECK(found[0]["format"] == "khronos-test");
  CHECK(found[1]["format"] == "vulkan-litmus");
  const TemporaryDirectory nothing;
  CHECK(run_heddle({"litmus", nothing.path()}).exit_code == 2);
}

TEST_CASE("a limit below the number of executions makes the answer incomplete, an equal one does not") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("a.litmus", kAtomic);
  const auto with = [&](const char* limit) {
    return lines(run_heddle({"litmus", "--json", "--limit", limit, file}).out).at(0);
  };
  CHECK(with("1")["complete"] == false);
  CHECK(with("1")["executions"] == 1);
  CHECK(with("2")["complete"] == true);
  CHECK(with("2")["executions"] == 2);
}

TEST_CASE("the bound decides how far a counting loop gets, and completeness tells") {
  const TemporaryDirectory directory;
  const std::string file =
      directory.write("count.litmus",
                      "Vulkan Count\n{ x=0; }\n P0@sg 0, wg 0, qf 0 ;\n LC00: ;\n add r0, r0, 1 ;\n"
                      " st.sc0 x, r0 ;\n blt r0, 3, LC00 ;\nexists (x == 3)\n");
  const auto with = [&](const char* bound) {
    return lines(run_heddle({"litmus", "--json", "--bound", bound, file}).out).at(0);
  };
  CHECK(with("2")["complete"] == false);
  CHECK(with("2")["executions"] == 0);
  CHECK(with("2")["bound"] == 2);
  CHECK(with("3")["complete"] == true);
  CHECK(with("3")["holds"] == true);
}

TEST_CASE("a division by zero cuts the execution and says in which line") {
  const TemporaryDirectory directory;
  const std::string file =
      directory.write("zero.litmus", "Vulkan Zero\n{ x=0; }\n" + kThreads +
                                         " st.atom.wg.sc0 x, 2 | ld.atom.wg.sc0 r0, x ;\n | div r1, 6, r0 ;\n"
                                         "forall (P1:r1 == 3)\n");
  const Json json = lines(run_heddle({"litmus", "--json", file}).out).at(0);
  CHECK(json["holds"] == true);
  CHECK(json["complete"] == false);
  CHECK(json["warnings"].at(0).get<std::string>().rfind(file + ":5:1: division by zero", 0) == 0);
}

TEST_CASE("values out of thin air come only when they are asked for") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("air.litmus", "Vulkan Air\n{ x=0; y=0; }\n" + kThreads +
                                                             " ld.atom.wg.sc0 r0, x | ld.atom.wg.sc0 r0, y ;\n"
                                                             " st.atom.wg.sc0 y, r0 | st.atom.wg.sc0 x, r0 ;\n"
                                                             "exists (P0:r0 == 9 /\\ P1:r0 == 9)\n");
  const Json plain = lines(run_heddle({"litmus", "--json", file}).out).at(0);
  CHECK(plain["holds"] == false);
  CHECK(plain["outcomes"] == Json::parse(R"([{"P0:r0": 0, "P1:r0": 0}])"));
  CHECK(lines(run_heddle({"litmus", "--json", "--thin-air", file}).out).at(0)["holds"] == true);
}

TEST_CASE("chains can be switched off") {
  const std::string file = std::string(HEDDLE_SOURCE_DIR) + "/tests/litmus/library/generated/Chain+av.litmus";
  CHECK(lines(run_heddle({"litmus", "--json", file}).out).at(0)["racy"] == false);
  CHECK(lines(run_heddle({"litmus", "--json", "--no-chains", file}).out).at(0)["racy"] == true);
}

TEST_CASE(
    "the option --why names both operations of a race with their lines, and the cycle of what is "
    "forbidden") {
  const TemporaryDirectory directory;
  const std::string racy = run_heddle({"litmus", "--why", directory.write("r.litmus", kRacy)}).out;
  CHECK(racy.find("P0's `st.sc0 x, 1` (line 4) races with P1's `ld.sc0 r0, x` (line 4)") != std::string::npos);
  CHECK(racy.find("The first missing link") != std::string::npos);
  const std::string library = std::string(HEDDLE_SOURCE_DIR) + "/tests/litmus/library/generated/";
  const std::string cycle = run_heddle({"litmus", "--why", library + "CoRR.litmus"}).out;
  CHECK(cycle.find("-rf->") != std::string::npos);
  CHECK(cycle.find("-fr->") != std::string::npos);
  const std::string never = run_heddle({"litmus", "--why", directory.write("f.litmus", kForbidden)}).out;
  CHECK(never.find("never compute them") != std::string::npos);
}

TEST_CASE("the option --quiet leaves the verdicts alone") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("a.litmus", kAtomic);
  const std::string quiet = run_heddle({"litmus", "--quiet", file}).out;
  const std::string full = run_heddle({"litmus", file}).out;
  CHECK(quiet.size() < full.size());
  CHECK(quiet.find("Allowed") != std::string::npos);
  CHECK(quiet.find("executions") == std::string::npos);
}

TEST_CASE("an interrupt ends the run cleanly and keeps the lines that are done") {
  const TemporaryDirectory directory;
  const std::string quick = directory.write("a.litmus", kAtomic);
  const std::string slow = directory.write("b.litmus", lengthy());
  const Run run = run_and_interrupt({"litmus", "--json", "--jobs", "1", quick, slow, quick}, SIGINT);
  CHECK(run.exit_code == 130);
  const auto found = lines(run.out);
  REQUIRE(found.size() == 2);
  CHECK(found[0]["complete"] == true);
  CHECK(found[1]["complete"] == false);
}
