#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/cli/run_heddle.h"

using namespace heddle::cli;
using Json = nlohmann::json;

namespace {

const std::string kCases = HEDDLE_SOURCE_DIR "/tests/spirv/cases/";
const std::string kPrograms = HEDDLE_SOURCE_DIR "/tests/spirv/programs/";

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out.push_back(Json::parse(line));
  return out;
}

}  // namespace

TEST_CASE("heddle spirv prints a line of JSON for each file, in order, and goes on after one that is no module") {
  const TemporaryDirectory directory;
  const std::string bad = directory.write("bad.spvasm", "OpNop\nOpNope\n");
  const Run run = run_heddle({"spirv", "--json", "--no-times", kCases + "add.spvasm", bad, kCases + "spin.spvasm"});
  CHECK(run.exit_code == 2);
  const std::vector<Json> lines = lines_of(run.out);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0]["format"] == "spirv");
  CHECK(lines[0]["executions"] == 2);
  CHECK_FALSE(lines[0].contains("seconds"));
  CHECK(lines[1]["error"] == bad + ":2: there is no instruction \"OpNope\"");
  CHECK(lines[2]["holds"] == true);
}

TEST_CASE("heddle spirv ends with 1 for a race, and says where it is") {
  const Run run = run_heddle({"spirv", kCases + "race-shared.spvasm"});
  CHECK(run.exit_code == 1);
  CHECK(run.out.find("there is a data race") != std::string::npos);
  CHECK(run.out.find("invocation 1: OpStore %slot") != std::string::npos);
}

TEST_CASE("heddle spirv --races runs a module, tells why it races and what helps, and lists no outcomes") {
  const std::string shaders = HEDDLE_SOURCE_DIR "/samples/shaders/";
  const Run racy = run_heddle({"spirv", "--races", shaders + "message.spvasm"});
  CHECK(racy.exit_code == 1);
  CHECK(racy.out.find("300 runs on the machine \"random\"") != std::string::npos);
  CHECK(racy.out.find("data race on %data[0]") != std::string::npos);
  CHECK(racy.out.find("change  declare %data coherent") != std::string::npos);
  CHECK(racy.out.find("executions") == std::string::npos);
  CHECK(run_heddle({"spirv", "--races", shaders + "message_coherent.spvasm"}).exit_code == 0);
  CHECK(run_heddle({"spirv", "--races", "--machine", "random", shaders + "message.spvasm"}).exit_code == 2);
}

TEST_CASE("heddle spirv --races counts and tells the same races, whether chains have more than one element or not") {
  const std::string program = HEDDLE_SOURCE_DIR "/tests/spirv/programs/chain-of-two.spvasm";
  const Json with_chains = lines_of(run_heddle({"spirv", "--json", "--races", program}).out).at(0);
  CHECK(with_chains["racy_runs"] == 0);
  CHECK(with_chains["races"] == Json::array());
  const Json without = lines_of(run_heddle({"spirv", "--json", "--races", "--no-chains", program}).out).at(0);
  CHECK(without["racy_runs"] > 0);
  CHECK(without["races"].size() == 1);
}

TEST_CASE("heddle spirv runs more invocations than can be explored, also where they exchange values") {
  const std::string program = HEDDLE_SOURCE_DIR "/tests/spirv/programs/lanes.spvasm";
  const Run run = run_heddle({"spirv", "--machine", "sequential", "--runs", "1", "--no-explore", "--groups", "130,1,1",
                              "--set", "0.0=zeros:8192", "--set", "0.1=zeros:8192", program});
  CHECK(run.err == "");
  CHECK(run.out.find("1040 invocations") != std::string::npos);
}

TEST_CASE("what heddle spirv tells of a run can be made again") {
  const TemporaryDirectory directory;
  const std::string program = directory.path("past_end.spvasm");
  std::stringstream text;
  text << std::ifstream(HEDDLE_SOURCE_DIR "/tests/spirv/programs/chain-of-two.spvasm").rdbuf();
  std::ofstream(program) << std::regex_replace(text.str(), std::regex("%three = OpConstant %uint 3"),
                                               "%three = OpConstant %uint 9");
  const Run found = run_heddle({"spirv", "--races", program});
  const std::string replay = "--machine random --no-explore --seed 1 --replay ";
  const std::size_t at = found.out.find(replay);
  REQUIRE(at != std::string::npos);
  const std::string number = std::to_string(std::stoul(found.out.substr(at + replay.size())));
  const Run again =
      run_heddle({"spirv", "--machine", "random", "--no-explore", "--seed", "1", "--replay", number, program});
  CHECK(again.exit_code == 1);
  CHECK(again.out.find("out of bounds") != std::string::npos);
}

TEST_CASE("heddle spirv says what to do about a buffer without a length, and about a loop that its bound cuts") {
  const std::string scan = HEDDLE_SOURCE_DIR "/samples/shaders/scan.spvasm";
  const Run run = run_heddle({"spirv", scan});
  CHECK(run.exit_code == 2);
  CHECK(run.err.find("add a comment like \"@Input: %") != std::string::npos);
  CHECK(run.err.find(", or use --set 0.") != std::string::npos);
  const Run cut = run_heddle({"spirv", scan, "--set", "0.0=iota:4", "--set", "0.1=zeros:4", "--bound", "1"});
  CHECK(cut.out.find("some loop goes round more often than --bound 1 lets it") != std::string::npos);
}

TEST_CASE("heddle spirv says that it found nothing out where each execution is cut, and ends with 2") {
  const std::string scan = HEDDLE_SOURCE_DIR "/samples/shaders/scan.spvasm";
  const std::vector<std::string> inputs{"spirv", scan, "--set", "0.0=iota:4", "0.1=zeros:4", "--push", "words:1"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), inputs.begin(), inputs.end());
    return run_heddle(more);
  };
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--bound", "1"}, {"--bound", "1", "--verdict"}}) {
    const Run run = with(more);
    CHECK(run.exit_code == 2);
    CHECK(run.out.find("scan.spvasm: nothing was found out") != std::string::npos);
    CHECK(run.out.find("no data race") == std::string::npos);
    CHECK(run.out.find("--races") != std::string::npos);
  }
  CHECK(lines_of(with({"--bound", "1", "--json"}).out).at(0)["undecided"] == true);
  CHECK(with({"--machine", "sequential", "--runs", "2"}).exit_code == 0);
  const Run run = run_heddle({"spirv", "--json", kCases + "add.spvasm"});
  CHECK(lines_of(run.out).at(0)["undecided"] == false);
}

TEST_CASE("heddle spirv refuses an input that the module does not have, and one that is given twice, by its option") {
  const std::string scan = HEDDLE_SOURCE_DIR "/samples/shaders/scan.spvasm";
  const auto message = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"spirv", "--races", scan, "--set", "0.0=iota:8", "0.1=zeros:8", "--spec", "1=8"});
    const Run run = run_heddle(more);
    CHECK(run.exit_code == 2);
    return run.err;
  };
  const std::string look_back = HEDDLE_SOURCE_DIR "/samples/shaders/look_back.spvasm";
  CHECK(message({"--set", "0.5=iota:4"})
            .find("--set 0.5: the module has no set 0, binding 5; it has set 0, binding 0 (%items)") !=
        std::string::npos);
  CHECK(message({"--spec", "0=8"}).find("--spec 0: the module has no specialization constant 0; it has 1 (%SIZE)") !=
        std::string::npos);
  CHECK(message({"--extent", "0.0=8"}).find("--extent 0.0: %items is no image") != std::string::npos);
  CHECK(message({"--set", "0.1=zeros:8"}).find("--set: 0.1 is given twice") != std::string::npos);
  CHECK(message({"--spec", "1=4"}).find("--spec: 1 is given twice") != std::string::npos);
  CHECK(run_heddle({"spirv", look_back, "--push", "words:3"}).err.find("--push: the module has no push constants") !=
        std::string::npos);
}

TEST_CASE("heddle spirv warns of an input that is not as long as what it is for") {
  const std::string scan = HEDDLE_SOURCE_DIR "/samples/shaders/scan.spvasm";
  const Run run = run_heddle({"spirv", "--json", "--machine", "sequential", "--runs", "1", "--no-explore", scan,
                              "--set", "0.0=iota:8", "0.1=zeros:8", "--spec", "1=8", "--push", "words:1,2"});
  CHECK(run.exit_code == 0);
  CHECK(lines_of(run.out).at(0)["warnings"] ==
        Json::array({"--push gives 8 bytes, and %push has 4: the others are not used"}));
}

TEST_CASE("heddle spirv --machine counts what runs come to, and all of it is allowed") {
  const Run run = run_heddle(
      {"spirv", "--json", "--machine", "random", "--runs", "200", "--judge", "20", kCases + "mp-right.spvasm"});
  CHECK(run.exit_code == 0);
  const std::vector<Json> lines = lines_of(run.out);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0]["runs"] == 200);
  CHECK(lines[0]["inconsistent"] == 0);
  for (const Json& row : lines[0]["histogram"]) CHECK(row["allowed"] == true);
}

TEST_CASE("a specialization constant and the size that it is, where both are given and differ, are a warning") {
  const std::string file = kCases + "specialized-size.spvasm";
  const auto says = [&](const std::string& value, const std::string& text) {
    return run_heddle({"spirv", file, "--local", "2,1,1", "--spec", "0=" + value}).out.find(text) != std::string::npos;
  };
  CHECK(says("3", "was given the value 3, and is 2: it is a size of the workgroup, which was given, too"));
  CHECK_FALSE(says("2", "was given the value"));
}

TEST_CASE("heddle spirv --list names entry points and buffers without running anything") {
  const Run run = run_heddle({"spirv", "--list", "--json", kCases + "structs.spvasm"});
  CHECK(run.exit_code == 0);
  const std::vector<Json> lines = lines_of(run.out);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0]["entry_points"] == Json{"main"});
  CHECK(lines[0]["buffers"][0]["type"] == "{{uint32, uint32 x 3, uint32}[]}");
}

TEST_CASE("heddle spirv runs a module on an image whose size --extent says, and lists it as one") {
  const TemporaryDirectory directory;
  std::ifstream in(HEDDLE_SOURCE_DIR "/tests/spirv/images/integers.spvasm");
  std::string text;
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with(";")) text += line + '\n';
  const std::string file = directory.write("image.spvasm", text);
  const Run listed = run_heddle({"spirv", "--list", "--json", file});
  const Json image = lines_of(listed.out).at(0)["buffers"][0];
  CHECK(image["type"] == "image of uint32");
  CHECK_FALSE(image.contains("bytes"));
  const Run run = run_heddle({"spirv", "--machine", "sequential", "--runs", "1", "--no-explore", "--extent", "0.0=3,2",
                              "--set", "0.0=iota:6", "0.1=zeros:6", "--expect", "0.0=words:10,11,12,13,14,15",
                              "0.1=words:10,11,12,13,14,15", "--", file});
  INFO(run.out << run.err);
  CHECK(run.exit_code == 0);
}

TEST_CASE("heddle spirv compiles GLSL, or names the package that does") {
  const TemporaryDirectory directory;
  const std::string shader =
      directory.write("one.comp",
                      "// @Input: %out_ = {0}\n// @Output: forall (%out_[0] == 7)\n#version 450\n"
                      "layout(set = 0, binding = 0) buffer Out { uint v; } out_;\nvoid main() { out_.v = 7; }\n");
  const Run run = run_heddle({"spirv", "--json", shader});
  const std::vector<Json> lines = lines_of(run.out);
  REQUIRE(lines.size() == 1);
  if (lines[0].contains("error")) {
    WARN("no compiler of GLSL is installed: only the message was looked at");
    CHECK(lines[0]["error"].get<std::string>().find("glslang-tools") != std::string::npos);
  } else {
    CHECK(lines[0]["holds"] == true);
  }
}

TEST_CASE("heddle spirv --progress tells a run that a model allows and that does not end") {
  const Run unfair = run_heddle({"spirv", "--json", "--progress", "hsa", kPrograms + "ticket.spvasm"});
  CHECK(unfair.exit_code == 1);
  const std::vector<Json> lines = lines_of(unfair.out);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0]["terminates"] == false);
  CHECK_FALSE(lines[0].contains("executions"));
  const Json& schedule = lines[0]["schedule"];
  CHECK(schedule["again"].at(0)["text"] == "OpAtomicLoad %29");
  CHECK(schedule["again"].at(0)["line"] == 95);
  CHECK(schedule["threads"]["invocation 0"] == "goes-on");
  const Run fair = run_heddle({"spirv", "--json", "--progress", "fair", "--verdict", kPrograms + "ticket.spvasm"});
  CHECK(fair.exit_code == 0);
  CHECK(lines_of(fair.out).at(0)["terminates"] == true);
  CHECK(lines_of(fair.out).at(0)["holds"] == true);
  const Run text = run_heddle({"spirv", "--progress", "hsa", kPrograms + "ticket.spvasm"});
  CHECK(text.out.find("it need not end") != std::string::npos);
  CHECK(text.out.find("invocation 0 goes on for ever.") != std::string::npos);
  const Run subgroups = run_heddle({"spirv", "--progress", "fair", kCases + "ballot.spvasm"});
  CHECK(subgroups.exit_code == 0);
}

TEST_CASE("heddle spirv --expect and --dump look at buffers that the first run leaves") {
  const TemporaryDirectory directory;
  const std::string dumped = directory.write("total.bin", "");
  const std::vector<std::string> machine{"spirv", "--json", "--machine", "random", "--runs", "3"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), machine.begin(), machine.end());
    return run_heddle(more);
  };
  const std::string file = kCases + "add.spvasm";
  const std::string total = "0.0";
  const Run right = with({file, "--expect", total + "=words:2", "--dump", total + "=" + dumped});
  CHECK(right.exit_code == 0);
  CHECK(lines_of(right.out).at(0)["differences"] == Json::array());
  CHECK(with({file, "--expect", total + "=" + dumped}).exit_code == 0);
  const Run wrong = with({file, "--expect", total + "=words:3"});
  CHECK(wrong.exit_code == 1);
  CHECK(lines_of(wrong.out).at(0)["differences"] ==
        Json::array({{{"buffer", total}, {"words", 1}, {"of", 1}, {"offset", 0}, {"found", 2}, {"expected", 3}}}));
  const Run longer = with({file, "--expect", total + "=words:2,2"});
  CHECK(longer.exit_code == 2);
  CHECK(longer.out.find("the buffer has 4 bytes, and what it is expected to hold has 8") != std::string::npos);
  CHECK(with({file, "--expect", "9.9=words:2"}).out.find("--expect 9.9: the module has no set 9, binding 9") !=
        std::string::npos);
  CHECK(run_heddle({"spirv", file, "--expect", total + "=words:2"}).err.find("--machine") != std::string::npos);
}

TEST_CASE("heddle spirv --trace records a run, and heddle trace reads it") {
  const TemporaryDirectory directory;
  const std::string trace = directory.write("run.trace", "");
  const std::string look_back = HEDDLE_SOURCE_DIR "/samples/shaders/look_back.spvasm";
  const std::vector<std::string> machine{"spirv", "--machine", "random", "--no-explore", "--json", "--no-times"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), machine.begin(), machine.end());
    return run_heddle(more);
  };
  const Json many = lines_of(with({"--runs", "50", look_back}).out).at(0);
  REQUIRE(many["first_racy_run"].is_number());
  CHECK(many["races"].at(0)["changes"].dump().find("coherent") != std::string::npos);
  const std::string number = std::to_string(many["first_racy_run"].get<int>());
  const Json one = lines_of(with({"--replay", number, "--trace", trace, look_back}).out).at(0);
  CHECK(one["racy_runs"] == 1);
  const Run told = run_heddle({"trace", "--list", trace});
  CHECK(told.exit_code == 0);
  CHECK(told.out.find("atomic read QueueFamily Acquire") != std::string::npos);
  CHECK(told.out.find("look_back.spvasm:") != std::string::npos);
}

TEST_CASE("a look-back that lacks coherent is found, and the mended one is right in all executions") {
  const std::string shaders = HEDDLE_SOURCE_DIR "/samples/shaders/";
  const Run wrong = run_heddle({"spirv", "--json", "--no-times", shaders + "look_back.spvasm"});
  CHECK(wrong.exit_code == 1);
  const Json found = lines_of(wrong.out).at(0);
  CHECK(found["racy"] == true);
  CHECK(found["holds"] == false);
  CHECK(found["outcomes"].size() == 4);
  const Run right = run_heddle({"spirv", "--json", "--no-times", shaders + "look_back_coherent.spvasm"});
  CHECK(right.exit_code == 0);
  const Json mended = lines_of(right.out).at(0);
  CHECK(mended["racy"] == false);
  CHECK(mended["holds"] == true);
  CHECK(mended["complete"] == true);
  for (const std::string name : {"look_back", "look_back_coherent"}) {
    CHECK(run_heddle({"spirv", "--progress", "hsa", shaders + name + ".spvasm"}).exit_code == 0);
    CHECK(run_heddle({"spirv", "--progress", "obe", shaders + name + ".spvasm"}).exit_code == 1);
    const Run compiled = run_heddle({"spirv", "--json", "--no-times", shaders + name + ".comp"});
    Json line = lines_of(compiled.out).at(0);
    if (line.contains("error")) {
      INFO(line["error"]);
      CHECK(line["error"].get<std::string>().find("glslang-tools") != std::string::npos);
      WARN("no GLSL compiler is installed: " << name << ".comp is not held against its text");
      continue;
    }
    CHECK(line["outcomes"] == (name == "look_back" ? found : mended)["outcomes"]);
    CHECK(line["executions"] == (name == "look_back" ? found : mended)["executions"]);
  }
}
