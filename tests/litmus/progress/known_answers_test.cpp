#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/termination.h"
#include "emulator/progress/models.h"

using namespace heddle::litmus;
using namespace heddle::progress;

namespace {

/// A thread: its place, and its code with `;` behind each instruction.
struct Part {
  std::string place;
  std::string code;
};

Test test_of(const std::vector<Part>& parts, const std::string& blocks = "{ }", const std::string& rest = "") {
  std::string text = "Vulkan progress\n" + blocks + "\n";
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += "P" + std::to_string(i) + "@" + parts[i].place + " {\n" + parts[i].code + "\n}\n";
  VulkanParse parse = parse_vulkan(text + rest);
  INFO(text << (parse.errors.empty() ? "" : describe("", parse.errors.front())));
  REQUIRE(parse.errors.empty());
  return *std::move(parse.test);
}

/// Threads of one invocation each, in workgroups of ascending numbers.
Test workgroups(const std::vector<std::string>& codes) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < codes.size(); ++i)
    parts.push_back({"subgroup 0, workgroup " + std::to_string(i) + ", queueFamily 0", codes[i]});
  return test_of(parts);
}

Termination ask(const Test& test, const std::string& models) {
  Question question;
  question.progress = parse_progress_models(models);
  return termination(test, question, 2000);
}

/// The models under which all threads end.
std::string enough(const Test& test) {
  std::string out;
  for (const char* model : {"unfair", "hsa", "obe", "hsa+obe", "lobe", "fair"}) {
    const Termination found = ask(test, model);
    REQUIRE(found.terminates);
    CHECK(*found.terminates != found.schedule.has_value());
    if (*found.terminates) out += (out.empty() ? "" : " ") + std::string(model);
  }
  return out;
}

std::string load(const std::string& reg, const std::string& variable) {
  return reg + " = atomicLoad(" + variable + ", Relaxed, Device); ";
}
std::string store(const std::string& variable, int value) {
  return "atomicStore(" + variable + ", " + std::to_string(value) + ", Relaxed, Device); ";
}
std::string exchange(const std::string& reg, const std::string& variable, int value) {
  return reg + " = atomicExchange(" + variable + ", " + std::to_string(value) + ", Relaxed, Device); ";
}
/// Goes round until the variable has the value.
std::string wait(const std::string& variable, int value, const std::string& label) {
  return label + ": " + load("r9", variable) + "if (r9 != " + std::to_string(value) + ") goto " + label + "; ";
}
std::string lock(const std::string& variable, const std::string& label) {
  return label + ": " + exchange("r8", variable, 1) + "if (r8 != 0) goto " + label + "; ";
}

const std::string kAll = "unfair hsa obe hsa+obe lobe fair";

}  // namespace

TEST_CASE("threads without loops end under each model") {
  CHECK(enough(workgroups({store("x", 1) + load("r0", "y"), store("y", 1) + load("r0", "x")})) == kAll);
}

TEST_CASE("a thread that waits for one of a higher number needs fairness") {
  CHECK(enough(workgroups({wait("x", 1, "LC00"), store("x", 1)})) == "fair");
}

TEST_CASE("a thread that waits for one of a lower number needs HSA or LOBE, and OBE does not do") {
  CHECK(enough(workgroups({store("x", 1), wait("x", 1, "LC00")})) == "hsa hsa+obe lobe fair");
}

TEST_CASE("a thread that waits by exchanges, which write, is like one that waits by loads") {
  const std::string spin = "LC00: " + exchange("r0", "x", 0) + "if (r0 == 0) goto LC00; ";
  CHECK(enough(workgroups({spin, "LC01: " + exchange("r0", "x", 1)})) == "fair");
  CHECK(enough(workgroups({exchange("r0", "x", 1), spin})) == "hsa hsa+obe lobe fair");
}

TEST_CASE("a spin lock needs OBE, and HSA does not do") {
  const std::string critical = lock("l", "LC00") + store("l", 0);
  CHECK(enough(workgroups({critical, critical})) == "obe hsa+obe lobe fair");
  CHECK(enough(workgroups({critical, critical, critical, critical})) == "obe hsa+obe lobe fair");
}

TEST_CASE("a ticket lock needs OBE") {
  const std::string ticket = "r0 = atomicAdd(t, 1, Relaxed, Device); LC00: " + load("r1", "n") +
                             "if (r1 != r0) goto LC00; r1 = atomicAdd(n, 1, Relaxed, Device); ";
  CHECK(enough(workgroups({ticket, ticket, ticket})) == "obe hsa+obe lobe fair");
}

TEST_CASE("waiting for a higher number that is known to have begun needs OBE") {
  const std::string waits = load("r0", "b") + "if (r0 == 0) goto LC01; " + wait("x", 1, "LC00") + "LC01: r0 = r0 + 0;";
  CHECK(enough(workgroups({waits, store("b", 1) + store("x", 1)})) == "obe hsa+obe lobe fair");
}

TEST_CASE("a lock and a wait for a lower number need HSA and OBE together") {
  const std::string critical = lock("l", "LC00") + store("l", 0);
  CHECK(enough(workgroups({critical + store("x", 1), wait("x", 1, "LC01") + critical})) == "hsa hsa+obe lobe fair");
  CHECK(enough(workgroups({critical + store("x", 1), critical + wait("x", 1, "LC01")})) == "hsa+obe lobe fair");
}

TEST_CASE("a thread that has begun and waits for one of a lower number, not the lowest, needs LOBE") {
  const std::string lowest = load("r0", "b") + "if (r0 == 0) goto LC01; " + wait("z", 1, "LC00") + "LC01: r0 = r0 + 0;";
  CHECK(enough(workgroups({lowest, store("y", 1), store("b", 1) + wait("y", 1, "LC02") + store("z", 1)})) ==
        "lobe fair");
}

TEST_CASE("a handshake needs fairness, whoever begins it") {
  const std::string asks = store("x", 1) + wait("y", 1, "LC00");
  const std::string answers = wait("x", 1, "LC01") + store("y", 1);
  CHECK(enough(workgroups({asks, answers})) == "fair");
  CHECK(enough(workgroups({answers, asks})) == "fair");
}

TEST_CASE("two locks taken crosswise, a wait that nobody ends and a loop without an access need more than fairness") {
  const std::string first = lock("a", "LC00") + lock("b", "LC01") + store("b", 0) + store("a", 0);
  const std::string second = lock("b", "LC00") + lock("a", "LC01") + store("a", 0) + store("b", 0);
  CHECK(enough(workgroups({first, second})).empty());
  CHECK(enough(workgroups({wait("x", 1, "LC00")})).empty());
  CHECK(enough(workgroups({"LC00: goto LC00;"})).empty());
}

TEST_CASE(
    "a barrier that all of a workgroup come to needs nothing, and one that some one does not come to is never enough") {
  const std::string arrives = "controlBarrier(1, Workgroup); ";
  const auto both = [&](const std::string& one, const std::string& other) {
    return test_of(
        {{"subgroup 0, workgroup 0, queueFamily 0", one}, {"subgroup 0, workgroup 0, queueFamily 0", other}});
  };
  CHECK(enough(both(arrives + arrives, arrives + arrives)) == kAll);
  const Test stands = both(arrives + arrives, arrives);
  CHECK(enough(stands).empty());
  const Termination found = ask(stands, "fair");
  REQUIRE(found.schedule);
  CHECK(found.schedule->again.empty());
  CHECK(found.schedule->parts == std::vector<EndlessPart>{EndlessPart::Waits, EndlessPart::Ended});
}

TEST_CASE("a thread that waits at a barrier cannot run, so that HSA guarantees the next one") {
  const std::string place = "subgroup 0, workgroup 0, queueFamily 0";
  const std::string arrives = "controlBarrier(1, Workgroup); ";
  const Test test = test_of({{place, arrives},
                             {place, arrives + store("x", 1)},
                             {"subgroup 0, workgroup 1, queueFamily 0", wait("x", 1, "LC00")}});
  CHECK(enough(test) == "hsa hsa+obe lobe fair");
}

TEST_CASE("a quorum of a barrier is enough to go on") {
  const std::string place = "subgroup 0, workgroup 0, queueFamily 0";
  const std::string quorum = "controlBarrier(1, resource 0, quorum 1, Workgroup); ";
  CHECK(enough(test_of({{place, quorum + quorum}, {place, quorum}})) == kAll);
}

TEST_CASE("each scope has its own model, and what is not named is fair") {
  const auto pair = [](const std::string& place, const std::string& other) {
    return test_of({{place, wait("x", 1, "LC00")}, {other, store("x", 1)}});
  };
  const Test one_subgroup = pair("subgroup 0, workgroup 0, queueFamily 0", "subgroup 0, workgroup 0, queueFamily 0");
  const Test one_workgroup = pair("subgroup 0, workgroup 0, queueFamily 0", "subgroup 1, workgroup 0, queueFamily 0");
  const Test one_family = pair("subgroup 0, workgroup 0, queueFamily 0", "subgroup 0, workgroup 1, queueFamily 0");
  const Test one_device = pair("subgroup 0, workgroup 0, queueFamily 0", "subgroup 0, workgroup 0, queueFamily 1");
  const std::map<std::string, std::vector<bool>> ends{{"sg=unfair", {false, true, true, true}},
                                                      {"wg=obe", {true, false, true, true}},
                                                      {"qf=lobe,sg=unfair", {false, true, false, true}},
                                                      {"dv=hsa", {true, true, true, false}},
                                                      {"dv=fair", {true, true, true, true}}};
  for (const auto& [models, expected] : ends) {
    INFO(models);
    CHECK(*ask(one_subgroup, models).terminates == expected[0]);
    CHECK(*ask(one_workgroup, models).terminates == expected[1]);
    CHECK(*ask(one_family, models).terminates == expected[2]);
    CHECK(*ask(one_device, models).terminates == expected[3]);
  }
}

TEST_CASE("a workgroup that has begun goes on with the invocations that have not") {
  const std::string place = "subgroup 0, workgroup 0, queueFamily 0";
  const Test test =
      test_of({{place, store("b", 1)},
               {place, store("x", 1)},
               {"subgroup 0, workgroup 1, queueFamily 0",
                load("r0", "b") + "if (r0 == 0) goto LC01; " + wait("x", 1, "LC00") + "LC01: r0 = r0 + 0;"}});
  CHECK(*ask(test, "qf=obe").terminates);
  CHECK(*ask(test, "obe").terminates);
  CHECK(*ask(test, "qf=hsa,sg=unfair").terminates);
  CHECK_FALSE(*ask(test, "unfair").terminates);
}

TEST_CASE("a thread that another one system-synchronizes with begins when that one has ended") {
  const std::vector<Part> parts{{"subgroup 0, workgroup 0, queueFamily 0", wait("x", 1, "LC00")},
                                {"subgroup 0, workgroup 1, queueFamily 0", store("x", 1)}};
  CHECK(enough(test_of(parts, "{ } { ssw 1 0 }")) == kAll);
  const Test backwards = test_of(parts, "{ } { ssw 0 1 }");
  CHECK(enough(backwards).empty());
  CHECK(ask(backwards, "fair").schedule->parts ==
        std::vector<EndlessPart>{EndlessPart::GoesOn, EndlessPart::WaitsForThread});
}

TEST_CASE("executions that the filter discards do not count") {
  const std::vector<Part> parts{
      {"subgroup 0, workgroup 0, queueFamily 0",
       load("r0", "b") + "if (r0 == 0) goto LC00; goto LC01; LC00: goto LC00; LC01: r1 = r1 + 1;"},
      {"subgroup 0, workgroup 1, queueFamily 0", store("b", 1)}};
  CHECK_FALSE(*ask(test_of(parts, "{ }", "exists (P0:r0 == 0)"), "fair").terminates);
  CHECK(*ask(test_of(parts, "{ }", "filter (P0:r0 == 1)"), "fair").terminates);
}

TEST_CASE("a division by zero leaves open whether a test ends") {
  const Test test = workgroups({load("r0", "x") + "r1 = 1 / r0;"});
  const Termination found = ask(test, "fair");
  CHECK_FALSE(found.terminates);
  CHECK(found.faults.size() == 1);
}

TEST_CASE("values without end are given up, and what was found by then counts") {
  const std::string counts = "LC00: r0 = atomicAdd(x, 1, Relaxed, Device); goto LC00;";
  CHECK_FALSE(ask(workgroups({counts}), "fair").terminates);
  CHECK_FALSE(*ask(workgroups({counts, wait("y", 1, "LC01")}), "unfair").terminates);
}

TEST_CASE("a schedule that does not end goes round with as few threads as the model needs, and leads back") {
  const Termination found = ask(workgroups({wait("x", 1, "LC00"), store("x", 1)}), "obe");
  REQUIRE(found.schedule);
  CHECK(found.schedule->parts == std::vector<EndlessPart>{EndlessPart::GoesOn, EndlessPart::NeverBegins});
  REQUIRE(found.schedule->again.size() == 1);
  CHECK(found.schedule->again.front().read == 0);
}

TEST_CASE("models of progress are read as they are spelled, and what is none is refused by its word") {
  for (const char* text : {"fair", "hsa", "obe", "hsa+obe", "lobe", "unfair", "dv=fair,qf=obe,wg=fair,sg=unfair"})
    CHECK(spell(parse_progress_models(text)) == text);
  CHECK(spell(parse_progress_models("sg=unfair,qf=obe")) == "dv=fair,qf=obe,wg=fair,sg=unfair");
  for (const char* text : {"", "OBE", "qf", "qf=", "qf=obe,", "qf=obe,qf=fair", "cu=obe", "=obe", "qf=obe;sg=fair"})
    CHECK_THROWS_AS(parse_progress_models(text), std::invalid_argument);
}
