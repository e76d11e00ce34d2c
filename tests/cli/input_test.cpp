// Files that are no files: pipes whose writers do not write, and what ends the wait.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <string>
#include <thread>
#include <vector>

#include "tests/cli/run_heddle.h"

using namespace heddle::cli;
using Json = nlohmann::json;

namespace {

const std::string kTest =
    "Vulkan MP\n{ x=0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 1, wg 0, qf 0 ;\n st.atom.wg.sc0 x, 1 | ld.atom.wg.sc0 r0, x "
    ";\nexists (P1:r0 == 1)\n";

std::string make_pipe(const TemporaryDirectory& directory) {
  const std::string path = directory.path("pipe.litmus");
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  return path;
}

}  // namespace

TEST_CASE("the first signal ends the wait for a pipe that nobody writes to, and keeps the lines that are done") {
  const TemporaryDirectory directory;
  const std::string quick = directory.write("quick.litmus", kTest);
  const std::string pipe = make_pipe(directory);
  for (const int signal : {SIGINT, SIGTERM}) {
    const Run run = run_and_interrupt({"litmus", "--json", "--jobs", "2", quick, pipe}, signal);
    CHECK(run.exit_code == 130);
    CHECK(run.out.find("\"name\":\"MP\"") != std::string::npos);
  }
}

TEST_CASE("the first signal ends every command that reads a pipe whose writer is silent") {
  const TemporaryDirectory directory;
  const std::string pipe = make_pipe(directory);
  for (const int signal : {SIGINT, SIGTERM})
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"litmus", pipe},
                                                      {"trace", pipe},
                                                      {"step", pipe},
                                                      {"races", "--suppress", pipe, "true"}}) {
      CAPTURE(arguments.front(), signal);
      const Run run = run_with_silent_pipe(arguments, pipe, signal);
      CHECK((run.exit_code == 130 || run.exit_code == -1));
    }
}

TEST_CASE("a pipe is read to its end like any file") {
  const TemporaryDirectory directory;
  const std::string pipe = make_pipe(directory);
  std::thread writer([&] {
    const int descriptor = open(pipe.c_str(), O_WRONLY | O_CLOEXEC);
    // In two parts, with nothing between them for as long as that takes.
    for (const std::string& part : {kTest.substr(0, 20), kTest.substr(20)})
      CHECK(write(descriptor, part.data(), part.size()) == static_cast<ssize_t>(part.size()));
    close(descriptor);
  });
  const Run run = run_heddle({"litmus", "--json", pipe});
  writer.join();
  CHECK(run.exit_code == 0);
  CHECK(Json::parse(run.out).at("name") == "MP");
}

TEST_CASE("the lab refuses a pipe at once: the page asks for a trace again and again") {
  const TemporaryDirectory directory;
  directory.write("index.html", "<p></p>");
  const Run run = run_heddle({"lab", "--page", directory.path(), make_pipe(directory)});
  CHECK(run.exit_code == 2);
  CHECK(run.err.find("is no regular file") != std::string::npos);
}

TEST_CASE("without times equal runs print equal bytes, and with them they say how long they took") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("mp.litmus", kTest);
  const std::string mu = directory.write(
      "c.litmus",
      "C MP\n{ }\nP0(atomic_int* x) { atomic_store(x, 1); }\nP1(atomic_int* x) { int r0 = atomic_load(x); }\n"
      "exists (1:r0=1)\n");
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--why"}, {"--verdict"}, {"--machine", "random", "--runs", "200"}}) {
    std::vector<std::string> arguments = {"litmus", "--json", file, mu};
    arguments.insert(arguments.end(), more.begin(), more.end());
    CHECK(run_heddle(arguments).out.find("seconds\":") != std::string::npos);
    arguments.push_back("--no-times");
    const Run first = run_heddle(arguments);
    CHECK(first.exit_code == 0);
    CHECK(first.out.find("seconds\":") == std::string::npos);
    CHECK(first.out == run_heddle(arguments).out);
  }
  CHECK(run_heddle({"litmus", "--no-times", file}).exit_code == 2);
}

TEST_CASE("a byte order mark changes nothing of the answer, whatever the format") {
  const TemporaryDirectory directory;
  const std::string vulkan = kTest;
  const std::string c =
      "C MP\n{ }\nP0(atomic_int* x) { atomic_store(x, 1); }\nP1(atomic_int* x) { int r0 = atomic_load(x); }\n"
      "exists (1:r0=1)\n";
  const std::string khronos = "NEWWG\nNEWSG\nNEWTHREAD\nst.atom.scopewg.sc0 x = 1\nSATISFIABLE consistent[X]\n";
  const std::string wrong = "Vulkan MP { x=0 y }";
  for (const auto& [name, text] :
       {std::pair("a.litmus", vulkan), std::pair("a.litmus", c), std::pair("a.test", khronos), std::pair("a", vulkan),
        std::pair("a", c), std::pair("a", khronos), std::pair("a.litmus", wrong)}) {
    CAPTURE(name, text);
    const auto answer = [&, &file = name](const std::string& bytes) {
      return run_heddle({"litmus", "--json", "--no-times", "--why", directory.write(file, bytes)}).out;
    };
    const std::string plain = answer(text);
    CHECK(Json::parse(plain).contains("file"));
    CHECK(answer("\xef\xbb\xbf" + text) == plain);
  }
}
