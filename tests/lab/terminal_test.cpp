#include <catch2/catch.hpp>

#include <unistd.h>

#include <bit>
#include <filesystem>
#include <fstream>

#include "emulator/lab/played_litmus.h"
#include "emulator/lab/terminal/game_face.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/trace/file_writer.h"
#include "tests/lab/pty.h"

using namespace heddle;
using lab::terminal::Canvas;
using lab::terminal::GameFace;

namespace {

constexpr const char* kMessage = R"(Vulkan message
{ x = 0; y = 0; }
P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;
st.nonpriv.sc0 x, 1 | ld.atom.dv.sc0 r0, y ;
st.atom.dv.sc0 y, 1 | ld.nonpriv.sc0 r1, x ;
exists (P1:r0 == 1 /\ P1:r1 == 0)
)";

std::unique_ptr<lab::Session> session() {
  return std::make_unique<lab::Session>(lab::played(*litmus::parse_vulkan(kMessage).test), lab::Rules());
}

std::string drawn(GameFace& face, int rows = 24, int columns = 80) {
  Canvas canvas(rows, columns);
  face.draw(canvas);
  std::string all;
  for (int row = 0; row < rows; ++row) all += canvas.row(row) + '\n';
  return all;
}

void type(GameFace& face, const std::string& keys) {
  for (const char key : keys) face.press(key == '\n' ? static_cast<int>(lab::terminal::kKeyEnter) : key);
}

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  const bool found = text.find(part) != std::string::npos;
  CHECK(found);
  return found;
}

/// A test file that is gone when this is.
class TestFile {
 public:
  explicit TestFile(const std::string& name = "test.litmus")
      : path_(std::filesystem::temp_directory_path() / ("heddle_step_" + std::to_string(getpid()) + name)) {
    std::ofstream(path_) << kMessage;
  }
  ~TestFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// A run in which one invocation writes data[1] = 2.5, and another one, of another workgroup, reads 1.5 there although
/// the write had come within its reach.
void write_trace(const std::string& path, const std::string& source) {
  trace::FileWriter writer(path);
  writer.named({AllocationId{0}, 0, 8, ReferenceId{1}, StorageClass::StorageBuffer, "data"},
               {trace::ComponentKind::Float, 4, 4, {}});
  model::Place place;
  writer.agent_begins(AgentId{0}, place);
  place.workgroup = 1;
  writer.agent_begins(AgentId{1}, place);
  const Locations bytes{AllocationId{0}, 4, 4};
  const auto access = [&](OperationKind kind, std::uint32_t agent, std::uint32_t line) {
    Operation operation;
    operation.kind = kind;
    operation.agent = AgentId{agent};
    operation.reference = ReferenceId{1};
    operation.locations = bytes;
    operation.where = {source.c_str(), "kernel", line};
    return operation;
  };
  const auto of_float = [](float value) { return trace::Value{std::bit_cast<std::uint32_t>(value)}; };
  writer.operation(0, access(OperationKind::Write, 0, 2), 0, of_float(1.5f), {});
  writer.moved(0, bytes, AgentId{0}, trace::CacheLevel::Agent, trace::CacheLevel::Shader, trace::MoveReason::Eviction);
  writer.operation(1, access(OperationKind::Write, 0, 3), 0, of_float(2.5f), {});
  writer.moved(1, bytes, AgentId{0}, trace::CacheLevel::Agent, trace::CacheLevel::Workgroup,
               trace::MoveReason::Availability);
  writer.moved(1, bytes, AgentId{0}, trace::CacheLevel::Workgroup, trace::CacheLevel::Shader,
               trace::MoveReason::Eviction);
  const trace::Source from{bytes, 0};
  writer.operation(2, access(OperationKind::Read, 1, 5), of_float(1.5f), 0, {&from, 1});
  writer.stale(2, 1, trace::CacheLevel::Agent);
  writer.close();
}

}  // namespace

TEST_CASE("a trace is gone through event by event, with source, caches and typed values") {
  const TestFile source("kernel.cpp");
  const TestFile file("run.trace");
  write_trace(file.path(), source.path());
  lab::Pty terminal({HEDDLE_PROGRAM, "step", file.path()}, 24, 80);
  INFO(terminal.written());
  REQUIRE(terminal.shows("write data[1] = 1.5"));
  CHECK(terminal.shows(">   2 { x = 0; y = 0; }"));
  CHECK(terminal.shows("data[1] = 1.5 of event 0"));
  terminal.type("]");
  CHECK(terminal.shows("event 5 of 6"));
  CHECK(terminal.shows("Nothing is on its way."));
  terminal.type("s");
  CHECK(terminal.shows("what event 2 wrote comes to memory"));
  CHECK(terminal.shows("the copy kept by the agent is stale"));
  terminal.type(" ");
  terminal.type("ftime 2 3\r");
  CHECK(terminal.shows("events: time 2 3"));
  CHECK(terminal.shows("data[1] = 2.5 of event 2"));
  terminal.type("fbuffer other\r");
  CHECK(terminal.shows("No event passes the filter"));
  terminal.type("fnonsense\r");
  CHECK(terminal.shows("a filter is: buffer NAME"));
  terminal.type("q");
  CHECK(terminal.exit_code() == 0);
}

TEST_CASE("the page of a trace has all in it, and asks for nothing") {
  const TestFile source("kernel.cpp");
  const TestFile file("run.trace");
  const TestFile page("run.html");
  write_trace(file.path(), source.path());
  lab::Pty run({HEDDLE_PROGRAM, "trace", "--html", page.path(), file.path()}, 24, 200);
  CHECK(run.shows("open it in a browser"));
  CHECK(run.exit_code() == 0);
  std::ifstream in(page.path());
  const std::string text(std::istreambuf_iterator<char>(in), {});
  has(text, "\"data[1]\"");
  has(text, "\"2.5\"");
  has(text, "st.nonpriv.sc0 x, 1");
  has(text, "default-src 'none'");
  CHECK(text.find("://") == std::string::npos);
  CHECK(text.find("src=") == std::string::npos);
}

TEST_CASE("the screen shows threads, caches and moves, and keys make them") {
  GameFace face(session());
  std::string screen = drawn(face);
  has(screen, ">st.nonpriv.sc0 x, 1");
  has(screen, ">ld.atom.dv.sc0 r0, y");
  has(screen, "P0's cache");
  has(screen, "x=0 y=0");
  has(screen, "1 P0 writes x = 1");
  type(face, "\n");
  screen = drawn(face);
  has(screen, "x=1w");
  has(screen, ">st.atom.dv.sc0 y, 1");
  has(screen, "step 1 of 1");
  type(face, "u");
  has(drawn(face), "step 0 of 1");
  type(face, "r");
  has(drawn(face), "step 1 of 1");
  type(face, "u");
  type(face, "9");
  has(drawn(face), "there is no move 9 now");
}

TEST_CASE("a host test shows the host, the queue of each batch, the host's cache, and how far a write has come") {
  constexpr const char* kUpload = R"(Vulkan upload
{ x = 0; noncoherent x; }
H0@host   | B0@q 1, qf 0 | P0@sg 0, wg 0, qf 0 ;
st x, 1   | dispatch P0  | ld.sc0 r0, x        ;
flush x   |              |                     ;
submit B0 |              |                     ;
exists (P0:r0 == 0)
)";
  GameFace face(std::make_unique<lab::Session>(lab::played(*litmus::parse_vulkan(kUpload).test), lab::Rules()));
  std::string screen = drawn(face, 30, 120);
  for (const char* const part :
       {"H0 host", "B0 queue 1 qf0", "P0 wg0 sg0", "H0's cache", "host domain", "device domain"})
    CHECK(has(screen, part));
  // The first move each time: the host writes, and flushes.
  type(face, "\n");
  screen = drawn(face, 30, 120);
  CHECK(has(screen, "x=1w"));
  CHECK(screen.find("| x=1 ") == std::string::npos);
  type(face, "\n");
  CHECK(has(drawn(face, 30, 120), "| x=1 "));
}

TEST_CASE("a stale copy has a star, and why another value is forbidden is a key away") {
  GameFace face(session());
  face.session().make("t0");
  face.session().make("t0");
  for (const char* move : {"w0", "w0", "w0", "w0"}) face.session().make(move);
  std::string screen = drawn(face);
  has(screen, "x=0*");
  type(face, "w");
  screen = drawn(face);
  has(screen, "Where the values could come from");
  has(screen, "P1 reads y next");
  type(face, " ");
  type(face, "?");
  has(drawn(face), "undo, redo");
}

TEST_CASE("the search finds moves, bookmarks and breakpoints stop there") {
  GameFace face(session());
  type(face, "kline 5\np");
  has(drawn(face), "has come to line 5");
  type(face, "bhere\n");
  has(drawn(face), "bookmark \"here\"");
  const std::size_t at = face.session().at();
  type(face, "knone\nl");
  has(drawn(face), "It ends with");
  type(face, "ghere\n");
  CHECK(face.session().at() == at);
  type(face, "/writes x\n");
  has(drawn(face), "history: Enter goes there");
  type(face, "/nothing\n");
  has(drawn(face), "\"nothing\" is nowhere in the history");
}

TEST_CASE("an outcome is chosen from the list and played") {
  GameFace face(session());
  type(face, "o");
  has(drawn(face), "P1:r0=1 P1:r1=0  (as the condition says)");
  for (int i = 0; i < 2; ++i) face.press(lab::terminal::kKeyDown);
  type(face, "\n");
  has(drawn(face), "steps lead there");
  const std::size_t moves = face.session().history().size();
  for (std::size_t i = 0; i < moves; ++i) type(face, "r");
  has(drawn(face), "P1:r0=1 P1:r1=0: as the condition says");
}

TEST_CASE("a game that the filter discards is not what the test asks for, on the terminal either") {
  std::string filtered = kMessage;
  filtered.insert(filtered.find("exists"), "filter (P1:r0 == 1)\n");
  const auto ended = [&](const std::vector<std::string>& moves) {
    GameFace face(std::make_unique<lab::Session>(lab::played(*litmus::parse_vulkan(filtered).test), lab::Rules()));
    for (const std::string& move : moves) face.session().make(move);
    return drawn(face, 24, 120);
  };
  const std::string screen = ended({"t1", "t1", "t0", "t0", "end"});
  has(screen, "It ends with P1:r0=0 P1:r1=0: the filter discards it, the test does not ask about it");
  has(screen, "no race so far");
}

TEST_CASE("any size of the terminal shows something, a small one how large it has to be") {
  GameFace face(session());
  for (int rows = 0; rows < 40; rows += 3)
    for (int columns = 0; columns < 200; columns += 17) drawn(face, rows, columns);
  has(drawn(face, 8, 80), "40x12 are needed");
  has(drawn(face, 12, 40), "1 P0 writes x = 1");
}

TEST_CASE("heddle step takes the terminal, plays, resizes, and gives it back") {
  const TestFile file;
  lab::Pty terminal({HEDDLE_PROGRAM, "step", file.path()}, 24, 80, {"NO_COLOR=1"});
  INFO(terminal.written());
  REQUIRE(terminal.shows(">st.nonpriv.sc0 x, 1"));
  CHECK(terminal.shows("q quit"));
  terminal.type("1");
  CHECK(terminal.shows("x=1w"));
  terminal.resize(30, 100);
  CHECK(terminal.shows("step 1 of 1"));
  terminal.type("?");
  CHECK(terminal.shows("this page"));
  terminal.type("q");
  terminal.type("q");
  CHECK(terminal.exit_code() == 0);
  // No colour: vt100 has none, and it was not wanted.
  for (const char* colour : {"\x1b[31m", "\x1b[33m", "\x1b[36m"})
    CHECK(terminal.written().find(colour) == std::string::npos);
  CHECK(terminal.written().find("heddle step " + file.path() + " --moves t0") != std::string::npos);
}

TEST_CASE("heddle step goes on behind given moves, and says what is wrong with others") {
  const TestFile file;
  lab::Pty terminal({HEDDLE_PROGRAM, "step", file.path(), "--moves", "t0,t0"}, 24, 80);
  CHECK(terminal.shows("step 2 of 2"));
  terminal.type("\x03");
  CHECK(terminal.exit_code() == 0);
  lab::Pty wrong({HEDDLE_PROGRAM, "step", file.path(), "--moves", "t7"}, 24, 80);
  CHECK(wrong.shows("there is no move \"t7\" now"));
  CHECK(wrong.exit_code() == 2);
  // The terminal library does not free what it began for a terminal that it does not know.
  lab::Pty unknown({HEDDLE_PROGRAM, "step", file.path()}, 24, 80,
                   {"TERM=no-such-terminal", "ASAN_OPTIONS=detect_leaks=0"});
  CHECK(unknown.shows("TERM=no-such-terminal is not known"));
  CHECK(unknown.exit_code() == 2);
  lab::Pty missing({HEDDLE_PROGRAM, "step", file.path() + "x"}, 24, 80);
  CHECK(missing.shows("No such file"));
  CHECK(missing.exit_code() == 2);
}

TEST_CASE("heddle step runs a shader once, and shows the run with the lines of its text") {
  const std::string module = HEDDLE_SOURCE_DIR "/tests/spirv/cases/add.spvasm";
  lab::Pty terminal({HEDDLE_PROGRAM, "step", module, "--machine", "random", "--seed", "3"}, 30, 120, {"NO_COLOR=1"});
  REQUIRE(terminal.shows("add.spvasm  event 0"));
  terminal.type("/atomic\r");
  CHECK(terminal.shows("%old = OpAtomicIAdd %uint %cell_at"));
  terminal.type("q");
  CHECK(terminal.exit_code() == 0);
  CHECK(terminal.written().find("--machine random --seed 3 --replay 0") != std::string::npos);
  lab::Pty wrong({HEDDLE_PROGRAM, "step", module + "x.spvasm"}, 24, 80);
  CHECK(wrong.shows("No such file"));
  CHECK(wrong.exit_code() == 2);
}

TEST_CASE("heddle spirv tells on a terminal how far it is, and what it has found when Ctrl-C ends it") {
  lab::Pty terminal({HEDDLE_PROGRAM, "spirv", HEDDLE_SOURCE_DIR "/tests/spirv/programs/many.spvasm"}, 24, 100,
                    {"NO_COLOR=1"});
  REQUIRE(terminal.shows("executions so far"));
  terminal.type("\x03");
  CHECK(terminal.exit_code() == 130);
  CHECK(terminal.written().find("the condition holds; there is no data race (not all was looked at)") !=
        std::string::npos);
  CHECK(terminal.written().find("executions\r\n") != std::string::npos);
}
