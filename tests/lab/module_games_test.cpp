// Games on SPIR-V modules: what the desk shows of them, and what explorer and judge say of where they end.
#include <catch2/catch.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "emulator/lab/guide.h"
#include "emulator/lab/played_module.h"
#include "emulator/lab/session.h"
#include "emulator/spirv/module.h"
#include "tests/lab/desk_face.h"
#include "tests/litmus/expectation.h"

using namespace heddle;

namespace {

std::string shader(const std::string& name) {
  return litmus::read_text(std::string(HEDDLE_SOURCE_DIR) + "/samples/shaders/" + name + ".spvasm");
}

Json open_module(Face& face, const std::string& text) {
  return face.good({{"request", "open"}, {"text", text}, {"file", "message.spvasm"}}).at("state");
}

/// The message without `coherent`, up to where its reader has seen the flag; the data has not gone on.
Json reader_saw_flag(Face& face, const std::string& text) {
  open_module(face, text);
  face.make("t0");
  Json state = face.make("t0");
  const std::string flag = "%flag[0] = 1 of step 2 goes on";
  while (has_move(state, flag)) state = face.make(move_with(state, flag));
  return face.make(move_with(state, "reads %flag[0] = 1 of step 2"));
}

std::string with(std::string text, const std::string& old, const std::string& fresh) {
  const std::size_t at = text.find(old);
  REQUIRE(at != std::string::npos);
  return text.replace(at, old.size(), fresh);
}

}  // namespace

TEST_CASE("a module whose data is not coherent shows the stale value, move by move, and the race") {
  Face face;
  Json state = open_module(face, shader("message"));
  CHECK(state.at("name") == "message");
  CHECK(state.at("quantifier") == "forall");
  CHECK(state.at("condition") == "%result[0][0] == 0 or %result[0][1] == 5");
  REQUIRE(state.at("threads").size() == 2);
  const Json& writer = state.at("threads")[0];
  CHECK(writer.at("name") == "invocation 0");
  CHECK(writer.at("instruction") == "OpStore %26");
  const auto next = std::find_if(writer.at("code").begin(), writer.at("code").end(),
                                 [&](const Json& line) { return line.at("line") == writer.at("line"); });
  REQUIRE(next != writer.at("code").end());
  CHECK(next->at("text") == "OpStore %26 %uint_5");
  CHECK(next->at("source") == "message.comp:16");
  CHECK(state.at("threads")[1].at("workgroup") == 1);
  state = reader_saw_flag(face, shader("message"));
  CHECK(state.at("threads")[1].at("registers") == Json{{"%42", 1}});
  face.make("t1");
  state = face.good({{"request", "state"}}).at("state");
  face.make(move_with(state, "invocation 1 reads %data[0] = 0, the initial value"));
  face.make("t1");
  state = face.make("end");
  CHECK(state.at("outcome") == Json{{"%result[0][0]", 1}, {"%result[0][1]", 0}});
  CHECK(state.at("satisfies") == false);
  CHECK(state.at("consistent") == true);
  REQUIRE(state.at("races").size() == 1);
  const std::string race = state.at("races")[0].at("text");
  CHECK(race.find("invocation 0's `OpStore %26` (line 86) races with invocation 1's `OpLoad %54`") == 0);
  CHECK(race.find("private") != std::string::npos);
}

TEST_CASE("what `coherent` orders is no move any more, and the reason is a cycle") {
  Face face;
  reader_saw_flag(face, shader("message_coherent"));
  Json state = face.make("t1");
  const std::string stale = "invocation 1 reads %data[0] = 0, the initial value";
  CHECK_FALSE(has_move(state, stale));
  REQUIRE(state.at("forbidden").size() == 1);
  CHECK(state.at("forbidden")[0].at("text") == stale);
  const Json reason = face.good({{"request", "why_not"}, {"move", state.at("forbidden")[0].at("id")}});
  CHECK(reason.at("text").get<std::string>().find("The memory model forbids it") == 0);
  CHECK(reason.at("cycle").size() >= 2);
  const Json sources = face.good({{"request", "sources"}, {"thread", 1}}).at("sources");
  CHECK(sources[0].at("value") == 5);
  face.make("t1");
  face.make("t1");
  state = face.make("end");
  CHECK(state.at("satisfies") == true);
  CHECK(state.at("races").empty());
}

TEST_CASE("every outcome of a message and of a look-back is shown as a game, and others never come") {
  for (const char* name : {"message", "message_coherent", "look_back", "look_back_coherent"}) {
    CAPTURE(name);
    Face face;
    open_module(face, shader(name));
    const Json found = face.good({{"request", "outcomes"}});
    CHECK(found.at("complete") == true);
    CHECK(found.at("holds") == (std::string(name).find("coherent") != std::string::npos));
    CHECK(found.at("racy") == !found.at("holds").get<bool>());
    for (const Json& row : found.at("outcomes")) {
      const Json state = face.good({{"request", "show"}, {"outcome", row.at("values")}}).at("state");
      CHECK(state.at("outcome") == row.at("values"));
      CHECK(state.at("consistent") == true);
      CHECK(state.at("satisfies") == row.at("satisfies"));
    }
    Json never = found.at("outcomes")[0].at("values");
    never.front() = 12345;
    CHECK(face.bad({{"request", "show"}, {"outcome", never}}).find("does not allow") != std::string::npos);
    CHECK(face.good({{"request", "why_never"}, {"outcome", never}}).at("text").get<std::string>().find("None of the") ==
          0);
  }
}

TEST_CASE("random games on modules end in executions that the explorer knows") {
  for (const char* path : {"samples/shaders/message", "samples/shaders/look_back", "tests/spirv/cases/mp-right",
                           "tests/spirv/cases/barrier-shared", "tests/spirv/cases/ballot",
                           "tests/spirv/cases/compare-exchange", "tests/spirv/cases/push-constant"}) {
    CAPTURE(path);
    const std::string file = std::string(HEDDLE_SOURCE_DIR) + '/' + path + ".spvasm";
    const std::shared_ptr<const lab::Played> played = lab::played_module(litmus::read_text(file), file);
    const lab::Outcomes allowed = played->explore({}, 100000);
    REQUIRE(allowed.complete);
    lab::Session session(played, {});
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      CAPTURE(seed);
      session.jump(0);
      std::string why;
      REQUIRE(session.play(lab::Policy::Random, seed, 5000, why) == lab::Stop::End);
      CHECK(session.verdict().consistent);
      CHECK((session.verdict().races.empty() || allowed.racy));
      const lab::Outcome outcome = session.outcome();
      CHECK(std::any_of(allowed.rows.begin(), allowed.rows.end(),
                        [&](const lab::OutcomeRow& row) { return row.values == outcome; }));
    }
  }
}

TEST_CASE("what nothing defines is told with its line, and a branch that it decides goes either way") {
  Face face;
  Json state = open_module(face, with(shader("message"), "%flag = {0}, ", ""));
  CHECK(state.at("memory")[1].at("variable") == "%flag[0]");
  CHECK(state.at("memory")[1].at("value") == "undefined");
  CHECK(state.at("findings").empty());
  state = face.make(move_with(state, "invocation 1 reads %flag[0] = undefined, the initial value"));
  REQUIRE(state.at("findings").size() == 1);
  CHECK(state.at("findings")[0].at("thread") == 1);
  CHECK(state.at("findings")[0].at("line") == 94);
  CHECK(state.at("findings")[0].at("text").get<std::string>().find("was never written") != std::string::npos);
  move_with(state, "invocation 1 writes %result[0][0] = undefined; of a branch that nothing decides it takes way 1");
  state = face.make(move_with(state, "it takes way 2"));
  CHECK(state.at("findings").size() == 2);
  CHECK(state.at("findings")[0].at("text") == "A value that nothing defines decides which way is taken.");
}

TEST_CASE("a module that cannot be played says why, and where") {
  Face face;
  const std::string text = shader("message");
  const Json wrong = face.ask({{"request", "open"},
                               {"text", with(text, "OpStore %26 %uint_5", "OpStoore %26 %uint_5")},
                               {"file", "message.spvasm"}});
  CHECK(wrong.at("error") == "message.spvasm:86:1: there is no instruction \"OpStoore\"");
  CHECK(wrong.at("line") == 86);
  CHECK(face.bad({{"request", "open"}, {"text", with(text, "1, 1, 2", "1, 1, 65")}}).find("a game has at most 64") !=
        std::string::npos);
  CHECK(face.bad({{"request", "open"}, {"text", with(text, "%data = {0}, ", "%date = {0}, ")}}).find("%date") !=
        std::string::npos);
  CHECK(face.bad({{"request", "open"}, {"text", "#version 450\nvoid main() {}\n"}}).find("glslangValidator") !=
        std::string::npos);
}

TEST_CASE("the text of a module is known by its first instruction") {
  CHECK(spirv::is_assembly("; a comment\n\n  OpCapability Shader\n"));
  CHECK(spirv::is_assembly("%1 = OpExtInstImport \"GLSL.std.450\""));
  CHECK_FALSE(spirv::is_assembly("Vulkan Operation\n{ x = 0; }\n"));
  CHECK_FALSE(spirv::is_assembly("Optional\n"));
  CHECK_FALSE(spirv::is_assembly("; nothing but a comment"));
  CHECK_FALSE(spirv::is_assembly(""));
}

TEST_CASE("a value of a module that numbers of JavaScript do not hold exactly is a text") {
  using Kind = spirv::ScalarType::Kind;
  const spirv::ScalarType wide{Kind::Int, 64, false};
  const spirv::ScalarType wide_signed{Kind::Int, 64, true};
  const std::uint64_t limit = std::uint64_t{1} << 53;
  CHECK(lab::module_value(wide, limit - 1) == lab::Json(limit - 1));
  CHECK(lab::module_value(wide, limit) == lab::Json("9007199254740992"));
  CHECK(lab::module_value(wide_signed, 1 - limit) == lab::Json(-9007199254740991));
  CHECK(lab::module_value(wide_signed, 0 - limit) == lab::Json("-9007199254740992"));
  CHECK(lab::module_value(wide_signed, std::uint64_t{1} << 63) == lab::Json("-9223372036854775808"));
  CHECK(lab::module_value({Kind::Float, 32, false}, 0x3fc00000) == lab::Json(1.5));
  CHECK(lab::module_value({Kind::Float, 32, false}, 0x7f800000) == lab::Json("inf"));
}
