#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/lab/desk_face.h"
#include "tests/litmus/expectation.h"

using namespace heddle;

namespace {

constexpr const char* kMessage = R"(Vulkan message
{ x = 0; y = 0; }
P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;
st.nonpriv.sc0 x, 1 | ld.atom.dv.sc0 r0, y ;
st.atom.dv.sc0 y, 1 | ld.nonpriv.sc0 r1, x ;
exists (P1:r0 == 1 /\ P1:r1 == 0)
)";

constexpr const char* kReleased = R"(Vulkan released
{ x = 0; y = 0; }
P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;
st.nonpriv.sc0 x, 1 | ld.atom.acq.dv.sc0.semsc0.semvis r0, y ;
st.atom.rel.dv.sc0.semsc0.semav y, 1 | ld.nonpriv.sc0 r1, x ;
exists (P1:r0 == 1 /\ P1:r1 == 0)
)";

// The message, of which the test asks only if the flag was seen.
constexpr const char* kFiltered = R"(Vulkan filtered
{ x = 0; y = 0; }
P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;
st.nonpriv.sc0 x, 1 | ld.atom.dv.sc0 r0, y ;
st.atom.dv.sc0 y, 1 | ld.nonpriv.sc0 r1, x ;
filter (P1:r0 == 1)
exists (P1:r1 == 0)
)";

Json cache(const Json& state, const std::string& id) {
  for (const Json& one : state.at("caches"))
    if (one.at("id") == id) return one;
  return {};
}

}  // namespace

TEST_CASE("a flag that overtakes its data shows the stale value, move by move") {
  Face face;
  Json state = face.open(kMessage);
  CHECK(state.at("threads").size() == 2);
  CHECK(state.at("threads")[0].at("instruction") == "st.nonpriv.sc0 x, 1");
  CHECK(state.at("threads")[0].at("line") == 4);
  state = face.make("t0");
  CHECK(cache(state, "P0").at("lines")[0].at("text") == "x = 1, written by P0, waits here");
  CHECK(state.at("memory")[0].at("value") == 0);
  state = face.make("t0");
  CHECK(state.at("threads")[0].at("status") == "ended");
  // The flag goes to memory, the data stays.
  while (state.at("memory")[1].at("value") != 1) state = face.make("w1");
  state = face.make(move_with(state, "P1 reads y = 1 of step 2"));
  CHECK(state.at("threads")[1].at("registers").at("r0") == 1);
  state = face.make(move_with(state, "P1 reads x = 0, the initial value"));
  state = face.make("end");
  CHECK(state.at("ended") == true);
  CHECK(state.at("outcome") == Json{{"P1:r0", 1}, {"P1:r1", 0}});
  CHECK(state.at("satisfies") == true);
  CHECK(state.at("consistent") == true);
  CHECK(state.at("memory")[0].at("value") == 1);
  REQUIRE(state.at("races").size() == 1);
  CHECK(state.at("races")[0].at("lines") == Json{4, 5});
}

TEST_CASE("a game that the filter discards is not what the test asks for, and has no race") {
  Face face;
  face.open(kFiltered);
  const auto play = [&](int r0) {
    face.good({{"request", "jump"}, {"to", 0}});
    if (r0 == 0) face.make("t1");
    for (int i = 0; i < 2; ++i) face.make("t0");
    Json state = face.good({{"request", "state"}}).at("state");
    while (r0 == 1 && state.at("memory")[1].at("value") != 1) state = face.make("w1");
    if (r0 == 1) face.make(move_with(state, "P1 reads y = 1 of step 2"));
    state = face.make(move_with(face.good({{"request", "state"}}).at("state"), "P1 reads x = 0, the initial value"));
    REQUIRE(state.at("races").size() == 1);
    CHECK(state.at("races")[0].at("text").get<std::string>().find("It counts if the game passes the filter") !=
          std::string::npos);
    return face.make("end");
  };
  const Json discarded = play(0);
  CHECK(discarded.at("outcome") == Json{{"P1:r0", 0}, {"P1:r1", 0}});
  CHECK(discarded.at("passes_filter") == false);
  CHECK(discarded.at("satisfies") == false);
  CHECK(discarded.at("races").empty());
  CHECK(discarded.at("verdict").get<std::string>().find("The test does not ask about this game: its filter") == 0);
  const Json asked = play(1);
  CHECK(asked.at("outcome") == Json{{"P1:r0", 1}, {"P1:r1", 0}});
  CHECK(asked.at("satisfies") == true);
  CHECK(asked.at("races").size() == 1);
  CHECK(asked.at("verdict") == "It is what the test asks for: P1:r1 == 0 holds.");
}

TEST_CASE("what is executed has the number of its step, counted from 1 in every answer") {
  Face face;
  face.open(kMessage);
  face.make("t0");
  face.make("w0");
  Json state = face.make("t0");
  REQUIRE(state.at("history").size() == 3);
  CHECK(state.at("history")[0].at("step") == 1);
  CHECK(state.at("history")[1].at("step") == nullptr);
  CHECK(state.at("history")[2].at("step") == 3);
  const Json reason = face.good({{"request", "why_not"}, {"move", "x1.1"}});
  const std::string text = reason.at("text");
  REQUIRE(text.find("y = 1 of step 3 is in P0's own cache") == 0);
  // The number that it names is that of the button.
  const std::size_t at = text.find("(move ");
  REQUIRE(at != std::string::npos);
  const std::size_t number = std::stoul(text.substr(at + 6));
  CHECK(state.at("moves")[number - 1].at("kind") == "deliver");
  CHECK(state.at("moves")[number - 1].at("write") == 3);
  CHECK(state.at("moves")[number - 1].at("text").get<std::string>().find("y = 1 of step 3 goes on") == 0);
}

TEST_CASE("undo, redo and jumps lead where the moves lead, and a new move gives up what was undone") {
  Face face;
  face.open(kMessage);
  face.make("t0");
  Json there = face.make("t0");
  face.good({{"request", "bookmark"}, {"name", "both written"}});
  Json state = face.good({{"request", "undo"}, {"count", 2}}).at("state");
  CHECK(state.at("at") == 0);
  CHECK(state.at("length") == 2);
  state = face.good({{"request", "redo"}}).at("state");
  CHECK(state.at("at") == 1);
  state = face.good({{"request", "jump"}, {"bookmark", "both written"}}).at("state");
  CHECK(state.at("caches") == there.at("caches"));
  CHECK(state.at("moves") == there.at("moves"));
  face.good({{"request", "jump"}, {"to", 1}});
  state = face.make("w0");
  CHECK(state.at("length") == 2);
  CHECK(state.at("bookmarks").empty());
}

TEST_CASE("a read of what a release and an acquire have overtaken is forbidden by the cycle that it closes") {
  Face face;
  face.open(kReleased);
  face.make("t0");
  Json state = face.make("t0");
  while (state.at("memory")[1].at("value") != 1) state = face.make("w1");
  state = face.make(move_with(state, "P1 reads y = 1 of step 2"));
  REQUIRE(state.at("forbidden").size() == 1);
  const std::string id = state.at("forbidden")[0].at("id");
  CHECK(id == "x1.init");
  const Json reason = face.good({{"request", "why_not"}, {"move", id}});
  CHECK(reason.at("text").get<std::string>().find("The memory model forbids it") == 0);
  CHECK(!reason.at("clause").get<std::string>().empty());
  CHECK(reason.at("cycle").size() >= 2);
  const Json sources = face.good({{"request", "sources"}, {"thread", 1}}).at("sources");
  REQUIRE(sources.size() == 2);
  CHECK(sources[0].at("status") == "now");
  CHECK(sources[0].at("value") == 1);
  CHECK(sources[1].at("status") == "never");
  CHECK(sources[1].at("write") == nullptr);
}

TEST_CASE("a read may have its value later from a write that is on its way, or that is not executed yet") {
  Face face;
  face.open(kMessage);
  Json sources = face.good({{"request", "sources"}, {"thread", 1}}).at("sources");
  REQUIRE(sources.size() == 2);
  CHECK(sources[0].at("status") == "now");
  CHECK(sources[1].at("status") == "later");
  CHECK(sources[1].at("text") == "P0 has to execute `st.atom.dv.sc0 y, 1` first.");
  face.make("t0");
  Json state = face.make("t0");
  sources = face.good({{"request", "sources"}, {"thread", 1}}).at("sources");
  REQUIRE(sources.size() == 2);
  CHECK(sources[1].at("status") == "later");
  CHECK(sources[1].at("text").get<std::string>().find(
            "y = 1 of step 2 is in P0's own cache, where P1 does not see it: deliver it first (move ") !=
        std::string::npos);
  state = face.make(move_with(state, "P1 reads y = 0"));
  sources = face.good({{"request", "sources"}, {"step", 3}}).at("sources");
  CHECK(sources[0].at("status") == "read");
}

TEST_CASE("an outcome that is allowed is shown, one that is not has a cycle") {
  Face face;
  face.open(kMessage);
  const Json outcomes = face.good({{"request", "outcomes"}});
  CHECK(outcomes.at("complete") == true);
  CHECK(outcomes.at("holds") == true);
  CHECK(outcomes.at("outcomes").size() == 4);
  for (const Json& outcome : outcomes.at("outcomes")) {
    REQUIRE(outcome.at("playable") == true);
    const Json state = face.good({{"request", "show"}, {"outcome", outcome.at("values")}}).at("state");
    CHECK(state.at("outcome") == outcome.at("values"));
    CHECK(state.at("consistent") == true);
  }
  const Json stale{{"P1:r0", 1}, {"P1:r1", 0}};
  CHECK(face.bad({{"request", "why_never"}, {"outcome", stale}}).find("allows this outcome") != std::string::npos);
  face.open(kReleased);
  CHECK(face.bad({{"request", "show"}, {"outcome", stale}}).find("why_never") != std::string::npos);
  const Json reason = face.good({{"request", "why_never"}, {"outcome", stale}});
  CHECK(reason.at("cycle").size() >= 2);
  CHECK(reason.at("clause") == "memory-model-acyclicity");
}

TEST_CASE("games and the explorer say the same of filter, verdict and race of every test of the course") {
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(HEDDLE_SOURCE_DIR) / "samples/course")) {
    if (entry.path().extension() != ".litmus") continue;
    CAPTURE(entry.path().string());
    Face face;
    face.open(litmus::read_text(entry.path().string()));
    const Json explored = face.good({{"request", "outcomes"}});
    std::map<std::string, bool> satisfies;
    for (const Json& outcome : explored.at("outcomes")) {
      satisfies[outcome.at("values").dump()] = outcome.at("satisfies");
      const Json state = face.good({{"request", "show"}, {"outcome", outcome.at("values")}}).at("state");
      CHECK(state.at("passes_filter") == true);
      CHECK(state.at("satisfies") == outcome.at("satisfies"));
    }
    bool any_discarded = false;
    for (int seed = 1; seed <= 30; ++seed) {
      face.good({{"request", "jump"}, {"to", 0}});
      const Json state = face.good({{"request", "play"}, {"seed", seed}}).at("state");
      CAPTURE(state.at("outcome").dump(), seed);
      if (state.at("passes_filter") == false) {
        any_discarded = true;
        CHECK(state.at("satisfies") == false);
        CHECK(state.at("races").empty());
        continue;
      }
      REQUIRE(satisfies.count(state.at("outcome").dump()) == 1);
      CHECK(state.at("satisfies") == satisfies.at(state.at("outcome").dump()));
      if (explored.at("racy") == false) CHECK(state.at("races").empty());
    }
    CHECK(any_discarded == (litmus::read_text(entry.path().string()).find("\nfilter") != std::string::npos));
  }
}

TEST_CASE("a test is spelled either way, and every word is explained") {
  Face face;
  const Json calls = face.good({{"request", "spell"}, {"text", kReleased}, {"to", "calls"}});
  CHECK(calls.at("spelling") == "tags");
  const std::string text = calls.at("text");
  CHECK(text.find("  atomicStore(y, 1, Release, Device, UniformMemory | MakeAvailable);\n") != std::string::npos);
  CHECK(face.good({{"request", "spell"}, {"text", text}, {"to", "calls"}}).at("text") == text);
  const Json tags = face.good({{"request", "spell"}, {"text", text}, {"to", "tags"}});
  CHECK(tags.at("spelling") == "calls");
  CHECK(tags.at("text").get<std::string>().find(" st.atom.rel.dv.sc0.semsc0.semav y, 1 | ") != std::string::npos);
  // A game on it speaks of its calls.
  const Json state = face.open(text);
  CHECK(state.at("threads")[0].at("instruction") == "store(x, 1, NonPrivate)");
  CHECK(face.bad({{"request", "spell"}, {"text", text}, {"to", "french"}}).find("the spellings are tags and calls") !=
        std::string::npos);
  CHECK(face.ask({{"request", "spell"}, {"text", "Vulkan t {"}, {"to", "tags"}}).at("line") == 1);
  const Json words = face.good({{"request", "words"}});
  bool found = false;
  for (const Json& word : words.at("words"))
    found = found || (word.at("word") == "semav" && word.at("calls") == "MakeAvailable" && word.at("kind") == "tag");
  CHECK(found);
  CHECK(words.at("relations").size() == 14);
  CHECK(words.at("rules").size() == 4);
}

TEST_CASE("a test of another language gets an answer that says what it is") {
  Face face;
  const Json c =
      face.ask({{"request", "open"}, {"text", "C mp\n{ }\nP0 (int* x) { *x = 1; }\n"}, {"file", "mp.litmus"}});
  CHECK(c.at("error").get<std::string>().find("mp.litmus:1:1: this is a test of C11") == 0);
  const Json x86 = face.ask({{"request", "open"}, {"text", "X86 SB\n{ }\n P0 ;\n MOV [x],$1 ;\n"}});
  CHECK(x86.at("error").get<std::string>().find("this is a test of x86 processors: heddle has no model of it") !=
        std::string::npos);
}

TEST_CASE("automatic play is the same for a seed, and stops at breakpoints") {
  Face face;
  face.open(kMessage);
  const Json first = face.good({{"request", "play"}, {"seed", 3}});
  CHECK(first.at("stopped") == "end");
  face.good({{"request", "jump"}, {"to", 0}});
  const Json second = face.good({{"request", "play"}, {"seed", 3}});
  CHECK(first.at("state").at("history") == second.at("state").at("history"));
  face.good({{"request", "jump"}, {"to", 0}});
  face.good({{"request", "breakpoints"}, {"breaks", {{{"line", 5}}}}});
  Json stopped = face.good({{"request", "play"}, {"policy", "lazy"}});
  CHECK(stopped.at("stopped") == "break");
  CHECK(stopped.at("break").get<std::string>().find("has come to line 5") != std::string::npos);
  face.good({{"request", "breakpoints"}, {"breaks", {{{"race", true}}}}});
  stopped = face.good({{"request", "play"}, {"policy", "eager"}});
  CHECK(stopped.at("stopped") == "break");
  CHECK(stopped.at("state").at("races").size() == 1);
  face.good({{"request", "jump"}, {"to", 0}});
  face.good({{"request", "breakpoints"}, {"breaks", {{{"variable", "y"}}}}});
  stopped = face.good({{"request", "play"}});
  CHECK(stopped.at("break").get<std::string>().find("y was accessed") == 0);
  const Json most = face.good({{"request", "play"}, {"most", 0}});
  CHECK(most.at("stopped") == "most");
}

TEST_CASE("eager play reads the newest, lazy play the oldest") {
  Face face;
  face.open(kMessage);
  for (int seed = 1; seed <= 10; ++seed) {
    face.good({{"request", "jump"}, {"to", 0}});
    Json state = face.good({{"request", "play"}, {"policy", "eager"}, {"seed", seed}}).at("state");
    for (const Json& entry : state.at("history"))
      CHECK(entry.at("text").get<std::string>().find("stale") == std::string::npos);
    face.good({{"request", "jump"}, {"to", 0}});
    state = face.good({{"request", "play"}, {"policy", "lazy"}, {"seed", seed}}).at("state");
    CHECK(state.at("outcome") == Json{{"P1:r0", 0}, {"P1:r1", 0}});
  }
}

TEST_CASE("a game is its text and its moves") {
  Face face;
  face.open(kMessage);
  const Json played = face.good({{"request", "play"}, {"seed", 11}}).at("state");
  Json moves = Json::array();
  for (const Json& entry : played.at("history")) moves.push_back(entry.at("move"));
  Face other;
  const Json again = other.good({{"request", "open"}, {"text", kMessage}, {"moves", moves}}).at("state");
  CHECK(again.at("history") == played.at("history"));
  CHECK(again.at("outcome") == played.at("outcome"));
  const Json found = other.good({{"request", "find"}, {"word", "READS Y"}}).at("found");
  CHECK(found.size() == 1);
}

TEST_CASE("a barrier waits for all, and the threads say so") {
  Face face;
  face.open(R"(Vulkan barrier
{ x = 0; }
P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 0, qf 0 ;
cbar.wg 0 | ld.nonpriv.sc0 r0, x ;
          | cbar.wg 0 ;
exists (P1:r0 == 0)
)");
  const Json state = face.make("t0");
  CHECK(state.at("threads")[0].at("status") == "waiting");
  const Json reason = face.good({{"request", "why_not"}, {"move", "b0"}});
  CHECK(reason.at("text").get<std::string>().find("not there yet: P1") != std::string::npos);
}

TEST_CASE("load buffering is played by reads that are answered late") {
  Face face;
  face.open(R"(Vulkan LB
{ x = 0; y = 0; }
P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;
ld.atom.dv.sc0 r0, x | ld.atom.dv.sc0 r0, y ;
st.atom.dv.sc0 y, 1 | st.atom.dv.sc0 x, 1 ;
exists (P0:r0 == 1 /\ P1:r0 == 1)
)");
  Json state = face.make(move_with(face.good({{"request", "state"}}).at("state"), "P0 goes on without"));
  CHECK(state.at("threads")[0].at("late") == Json{"r0"});
  state = face.good({{"request", "show"}, {"outcome", {{"P0:r0", 1}, {"P1:r0", 1}}}}).at("state");
  CHECK(state.at("satisfies") == true);
}

TEST_CASE("a bad request gets a clear error, and leaves the session as it was") {
  Face face;
  CHECK(face.bad({{"request", "state"}}) == "there is no test yet: send \"open\" first");
  const Json wrong = face.ask({{"request", "open"}, {"text", "Vulkan t\n{ x = ; }"}, {"file", "t.litmus"}});
  CHECK(wrong.at("ok") == false);
  CHECK(wrong.at("line") == 2);
  CHECK(wrong.at("error").get<std::string>().find("t.litmus:2:") == 0);
  const Json before = face.open(kMessage);
  CHECK(face.bad({{"request", "do"}, {"move", "t7"}}) == "there is no move \"t7\" now; the allowed moves are t0, t1");
  CHECK(face.bad({{"request", "do"}}) == "the request needs the field \"move\"");
  CHECK(face.bad({{"request", "do"}, {"move", 7}}) == "the field \"move\" has to be a text");
  CHECK(face.bad({{"request", "undo"}}) == "only 0 moves are done");
  CHECK(face.bad({{"request", "undo"}, {"count", -1}}).find("has to be a whole number") != std::string::npos);
  CHECK(face.bad({{"request", "jump"}, {"to", 5}}).find("the game has 0 moves") == 0);
  CHECK(face.bad({{"request", "jump"}, {"bookmark", "b"}}) == "there is no bookmark \"b\"");
  CHECK(face.bad({{"request", "play"}, {"policy", "fair"}}).find("there is no policy") == 0);
  CHECK(face.bad({{"request", "breakpoints"}, {"breaks", {{{"variable", "q"}}}}}) == "the test has no variable \"q\"");
  CHECK(face.bad({{"request", "why_not"}, {"move", "t0"}}).find("is allowed") != std::string::npos);
  CHECK(face.bad({{"request", "sources"}, {"thread", 0}}) == "P0 does not read next");
  CHECK(face.bad({{"request", "sources"}, {"thread", 9}}).find("there is no thread 9") == 0);
  CHECK(face.bad({{"request", "show"}, {"outcome", {{"P1:r0", 1}}}}).find("\"P1:r1\"") != std::string::npos);
  CHECK(face.bad({{"request", "fly"}}) == "there is no request \"fly\"");
  CHECK(face.bad({{"request", "open"}, {"text", kMessage}, {"moves", {"t0", "t9"}}}).find("there is no move \"t9\"") ==
        0);
  for (const char* bytes :
       {"", "{", "[]", "3", "\xff\xfe", "{\"request\": 3}", "{\"request\": \"open\", \"text\": [1]}"}) {
    const Json answer = Json::parse(face.handle(bytes));
    CHECK(answer.at("ok") == false);
    CHECK(!answer.at("error").get<std::string>().empty());
  }
  CHECK(face.good({{"request", "state"}}).at("state") == before);
}

TEST_CASE("reads that only the judge allows are moves, and either of two last writes without an order ends a game") {
  Face face;
  face.open(R"(Vulkan last
{ x = 0; }
P0@sg 0, wg 0, qf 0 | P1@sg 1, wg 0, qf 0 ;
rmw.atom.sg.sc0.add r0, x, 1 | st.atom.wg.sc0 x, 5 ;
exists (P0:r0 == 5 /\ x == 5)
)");
  const Json shown = face.good({{"request", "show"}, {"outcome", {{"P0:r0", 5}, {"x", 5}}}}).at("state");
  CHECK(shown.at("history").back().at("move") == "end.1");
  CHECK(shown.at("satisfies") == true);
  CHECK(shown.at("consistent") == true);
  face.open(R"(Vulkan classes
{ x = 0; y = 0; }
P0@sg 0, wg 0, qf 0 | P1@sg 1, wg 0, qf 0 ;
st.nonpriv.sc0 x, 1 | ld.atom.dv.sc1 r0, y ;
membar.rel.dv.semsc0.semav | membar.acq.dv.semsc0.semsc1.semvis ;
st.atom.dv.sc0 y, 1 | ld.nonpriv.sc0 r1, x ;
exists (P1:r0 == 1 /\ P1:r1 == 0)
)");
  const Json older = face.good({{"request", "show"}, {"outcome", {{"P1:r0", 1}, {"P1:r1", 0}}}}).at("state");
  bool any = false;
  for (const Json& entry : older.at("history")) any = any || entry.at("move") == "t1.init";
  CHECK(any);
  CHECK(older.at("consistent") == true);
}
