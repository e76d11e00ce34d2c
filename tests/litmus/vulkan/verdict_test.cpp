#include "emulator/litmus/vulkan/verdict.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "emulator/litmus/vulkan/parser.h"
#include "tests/how_many.h"
#include "tests/litmus/expectation.h"

using namespace heddle;
using namespace heddle::litmus;

namespace {

Test parse(const std::string& source) {
  const VulkanParse result = parse_vulkan(source);
  for (const Diagnostic& error : result.errors) UNSCOPED_INFO(describe("T", error));
  REQUIRE(result.test);
  return *result.test;
}

/// Whether the verdict is that of the whole answer.
bool agrees(const Test& test, const Question& question = {}) {
  const Answer all = answer(test, question);
  const Verdict found = verdict(test, question);
  // What was cut off may be needed for the one and not for the other.
  if (all.complete && !found.complete) return false;
  return found.holds == all.holds && found.racy == all.racy && found.freed_early == all.freed_early;
}

/// One thread of a random test: accesses to x and y, of which some are atomics only, spin loops, and branches.
class RandomThread {
 public:
  RandomThread(std::mt19937_64& random, const std::vector<bool>& atomic_only)
      : random_(random), atomic_only_(atomic_only) {
    for (std::uint64_t i = 2 + below(3); i > 0; --i) add();
  }
  const std::vector<std::string>& rows() const { return rows_; }
  std::size_t registers() const { return registers_; }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  std::string one_of(std::vector<std::string> texts) { return texts[below(texts.size())]; }
  std::string fresh() { return 'r' + std::to_string(registers_++); }
  std::string value() {
    if (registers_ > 0 && below(3) == 0) return 'r' + std::to_string(below(registers_));
    return std::to_string(1 + below(2));
  }
  std::string load(const std::string& variable, bool plain) {
    const std::string scope = one_of({"dv", "wg"});
    const std::string what = plain
                                 ? one_of({"ld.sc0", "ld.nonpriv.sc0", "ld.vis.dv.sc0"})
                                 : one_of({"ld.atom." + scope + ".sc0", "ld.atom.acq." + scope + ".sc0.semsc0.semvis"});
    return what + ' ' + fresh() + ", " + variable;
  }
  void add() {
    const std::size_t which = below(atomic_only_.size());
    const std::string variable(1, static_cast<char>('x' + which));
    const bool plain = !atomic_only_[which] && below(4) != 0;
    const std::string scope = one_of({"dv", "wg"});
    switch (below(8)) {
      case 0:
      case 1: {
        const std::string what =
            plain ? one_of({"st.sc0", "st.nonpriv.sc0", "st.av.dv.sc0"})
                  : one_of({"st.atom." + scope + ".sc0", "st.atom.rel." + scope + ".sc0.semsc0.semav"});
        rows_.push_back(what + ' ' + variable + ", " + value());
        return;
      }
      case 2:
      case 3:
      case 4:
        rows_.push_back(load(variable, plain));
        return;
      case 5: {
        const std::string label = "LC0" + std::to_string(labels_++);
        rows_.push_back(label + ':');
        rows_.push_back(load(variable, plain && below(3) == 0));
        rows_.push_back(one_of({"beq r", "bne r"}) + std::to_string(registers_ - 1) + ", " + std::to_string(below(2)) +
                        ", " + label);
        return;
      }
      case 6: {
        const std::string what =
            one_of({"rmw.atom." + scope + ".sc0.add", "rmw.atom.acq_rel." + scope + ".sc0.semsc0.semav.semvis.add"});
        rows_.push_back(what + ' ' + fresh() + ", " + variable + ", 1");
        return;
      }
      default:
        rows_.push_back(one_of({"membar.acq_rel.dv.semsc0.semav.semvis", "membar.rel.dv.semsc0.semav"}));
    }
  }

  std::mt19937_64& random_;
  const std::vector<bool>& atomic_only_;
  std::vector<std::string> rows_;
  std::size_t registers_ = 0;
  int labels_ = 0;
};

std::string random_test(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::vector<bool> atomic_only = {random() % 2 == 0, random() % 2 == 0};
  std::vector<RandomThread> threads;
  for (std::uint64_t i = 2 + random() % 2; i > 0; --i) threads.emplace_back(random, atomic_only);
  std::string out = "Vulkan random\n{\nx=0; y=0;\n}\n";
  std::size_t rows = 0;
  for (std::size_t t = 0; t < threads.size(); ++t) {
    out += (t == 0 ? "P" : " | P") + std::to_string(t) + "@sg " + std::to_string(t) + ", wg " +
           std::to_string(random() % 2) + ", qf 0";
    rows = std::max(rows, threads[t].rows().size());
  }
  out += ";\n";
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t t = 0; t < threads.size(); ++t) {
      const auto& code = threads[t].rows();
      out += (t == 0 ? "" : " | ") + (row < code.size() ? code[row] : std::string());
    }
    out += ";\n";
  }
  const auto condition = [&] {
    std::string text;
    for (std::uint64_t i = 1 + random() % 2; i > 0; --i) {
      const std::size_t t = random() % threads.size();
      const bool names_register = threads[t].registers() > 0 && random() % 4 != 0;
      text += names_register ? 'P' + std::to_string(t) + ":r" + std::to_string(random() % threads[t].registers())
                             : std::string(random() % 2 == 0 ? "x" : "y");
      text += (random() % 2 == 0 ? " == " : " != ") + std::to_string(random() % 3) + (i > 1 ? " /\\ " : "");
    }
    return '(' + text + ')';
  };
  if (random() % 3 == 0) out += "filter " + condition() + '\n';
  const char* quantifiers[] = {"exists ", "~exists ", "forall "};
  return out + quantifiers[random() % 3] + condition() + '\n';
}

/// A barrier of `threads` threads, built of one counter: each writes its slot, counts itself, waits until `awaited`
/// have, and reads all slots. `load` and `update` begin the instructions at the counter.
std::string barrier(int threads, int awaited, const std::string& load, const std::string& update) {
  std::vector<std::string> rows(static_cast<std::size_t>(threads) + 6);
  std::string condition;
  for (int t = 0; t < threads; ++t) {
    const std::string between = t == 0 ? "" : " | ";
    const std::string number = std::to_string(t);
    rows[0] += between + 'P' + number + "@sg 0, wg " + number + ", qf 0";
    rows[1] += between + "st.nonpriv.sc0 s" + number + ", 1";
    rows[2] += between + update + " r100, count, 1";
    rows[3] += between + "LC00:";
    rows[4] += between + load + " r101, count";
    rows[5] += between + "bne r101, " + std::to_string(awaited) + ", LC00";
    for (int slot = 0; slot < threads; ++slot) {
      const std::string name = std::to_string(slot);
      rows[6 + static_cast<std::size_t>(slot)] += between + "ld.nonpriv.sc0 r" + name + ", s" + name;
      condition += (condition.empty() ? "P" : " /\\ P") + number + ":r" + name + " == 1";
    }
  }
  std::string out = "Vulkan barrier\n{\ncount=0;\n}\n";
  for (const std::string& row : rows) out += row + " ;\n";
  return out + "forall (" + condition + ")\n";
}

const std::string kAcquiringLoad = "ld.atom.acq.dv.sc0.semsc0.semvis";
const std::string kUpdate = "rmw.atom.acq_rel.dv.sc0.semsc0.semav.semvis.add";

}  // namespace

TEST_CASE("the verdict on each test of the library is that of all executions") {
  int tests = 0;
  for (const char* directory : {"random", "chains", "library"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(HEDDLE_SOURCE_DIR) + "/tests/litmus/" + directory)) {
      if (entry.path().extension() != ".litmus") continue;
      INFO(entry.path());
      CHECK(agrees(parse(read_text(entry.path().string()))));
      ++tests;
    }
  }
  CHECK(tests > 1000);
}

TEST_CASE("the verdict on a random test is that of all executions", "[nightly]") {
  const std::uint64_t first = first_seed();
  for (std::uint64_t seed = first; seed < first + how_many("HEDDLE_VERDICTS", 400, 1000000); ++seed) {
    const std::string source = random_test(seed);
    INFO("seed " << seed << '\n' << source);
    REQUIRE(agrees(parse(source)));
  }
}

TEST_CASE("the verdict on a barrier of three threads is that of all executions, sound or not") {
  for (const std::string& load : {kAcquiringLoad, std::string("ld.atom.dv.sc0")}) {
    for (const std::string& update : {kUpdate, std::string("rmw.atom.dv.sc0.add")}) {
      for (const int awaited : {2, 3}) {
        INFO(load << ' ' << update << ' ' << awaited);
        CHECK(agrees(parse(barrier(3, awaited, load, update))));
      }
    }
  }
}

TEST_CASE("a barrier of six threads is found out before its executions are listed") {
  const auto judged = [](const std::string& source, std::uint64_t graphs) {
    const Verdict found = verdict(parse(source), {});
    CHECK(found.graphs < graphs);
    CHECK(found.complete);
    return std::pair(found.holds, found.racy);
  };
  CHECK(judged(barrier(6, 6, "ld.atom.dv.sc0", kUpdate), 1000) == std::pair(false, true));
  CHECK(judged(barrier(6, 6, kAcquiringLoad, "rmw.atom.dv.sc0.add"), 1000) == std::pair(false, true));
  // The last thread waits for ever: nothing ends in any way.
  CHECK(judged(barrier(6, 5, kAcquiringLoad, kUpdate), 20000) == std::pair(true, true));
  CHECK(judged(barrier(5, 5, kAcquiringLoad, kUpdate), 20000) == std::pair(true, false));
}

TEST_CASE("a verdict that was seen is complete though a limit kept something back, one that was not seen is not") {
  const std::string head = "Vulkan t\n{\nx=0;\n}\nP0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n";
  const std::string racy = head + "st.nonpriv.sc0 x, 1 | ld.nonpriv.sc0 r0, x ;\n";
  const std::string fine = head + "st.atom.dv.sc0 x, 1 | ld.atom.dv.sc0 r0, x ;\n";
  Question question;
  question.limit = 1;
  CHECK(verdict(parse(racy + "forall (P1:r0 != 0 /\\ P1:r0 != 1)"), question).complete);
  CHECK_FALSE(verdict(parse(fine + "exists (P1:r0 == 2)"), question).complete);
  CHECK(verdict(parse(fine + "exists (P1:r0 == 2)"), {}).complete);
}
