#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/cli/run_heddle.h"

using namespace heddle::cli;
using Json = nlohmann::json;

namespace {

const std::string kWaits =
    "Vulkan Waits\n{ x=0; }\nP0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n"
    "LC00: ld.atom.dv.sc0 r0, x | st.atom.dv.sc0 x, 1 ;\nbne r0, 1, LC00 | ;\nexists (P0:r0 == 1)\n";

}  // namespace

TEST_CASE("a test that does not end under a model is a finding, with a schedule in JSON") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("waits.litmus", kWaits);
  const Run obe = run_heddle({"litmus", "--progress", "obe", "--json", file});
  CHECK(obe.exit_code == 1);
  const Json line = Json::parse(obe.out);
  CHECK(line.at("terminates") == false);
  CHECK(line.at("executions").is_null());
  const Json& schedule = line.at("schedule");
  CHECK(schedule.at("again").at(0) ==
        Json{{"thread", "P0"}, {"line", 4}, {"column", 7}, {"text", "ld.atom.dv.sc0 r0, x"}, {"read", 0}});
  CHECK(schedule.at("threads") == Json{{"P0", "goes-on"}, {"P1", "never-begins"}});
  const Run fair = run_heddle({"litmus", "--progress", "fair", "--json", file});
  CHECK(fair.exit_code == 0);
  CHECK(Json::parse(fair.out).at("terminates") == true);
  CHECK_FALSE(Json::parse(fair.out).contains("schedule"));
}

TEST_CASE("with --verdict the assertion and races are decided beside forward progress") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("waits.litmus", kWaits);
  const Json line = Json::parse(run_heddle({"litmus", "--progress", "fair", "--verdict", "--json", file}).out);
  CHECK(line.at("terminates") == true);
  CHECK(line.at("holds") == true);
  CHECK(line.at("racy") == false);
}

TEST_CASE("the text names the model, shows what goes on for ever, and says who is left aside") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("waits.litmus", kWaits);
  const Run run = run_heddle({"litmus", "--progress", "qf=lobe", file});
  for (const char* const words : {"dv=fair,qf=lobe,wg=fair,sg=fair", "again and again", "P0 goes on for ever",
                                  "P1 could begin; the model lets it be left aside for ever"}) {
    INFO(words);
    CHECK(run.out.find(words) != std::string::npos);
  }
}

TEST_CASE("an unknown model of progress, and other questions beside it, are bad input") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("waits.litmus", kWaits);
  const Run unknown = run_heddle({"litmus", "--progress", "qf=hsa+lobe", file});
  CHECK(unknown.exit_code == 2);
  CHECK(unknown.err.find("'hsa+lobe' is no model of progress") != std::string::npos);
  CHECK(run_heddle({"litmus", "--progress", "cu=obe", file}).err.find("'cu' is no scope") != std::string::npos);
  CHECK(run_heddle({"litmus", "--progress", "obe", "--machine", "random", file}).exit_code == 2);
}

TEST_CASE("tests of other formats are refused by name where forward progress is asked") {
  const TemporaryDirectory directory;
  const std::string claims = directory.write("claims.test", "NEWWG\nNEWSG\nNEWTHREAD\nld.atom.scopewg.sc0 x = 1\n");
  const std::string c = directory.write("c.litmus", "C c\n{ }\nP0(atomic_int* x) { }\nexists (x = 0)\n");
  for (const std::string& file : {claims, c}) {
    const Run run = run_heddle({"litmus", "--progress", "fair", "--json", file});
    CHECK(run.exit_code == 2);
    CHECK(Json::parse(run.out).at("error").get<std::string>().find("--progress is about tests of the Vulkan dialect") !=
          std::string::npos);
  }
}
