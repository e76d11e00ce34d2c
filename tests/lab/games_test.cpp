#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "emulator/lab/guide.h"
#include "emulator/lab/played_litmus.h"
#include "emulator/lab/session.h"
#include "emulator/litmus/run/run.h"
#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/parser.h"
#include "tests/how_many.h"
#include "tests/litmus/expectation.h"

using namespace heddle;

namespace {

/// Tests of the library that can be played.
std::vector<litmus::LibraryFile> playable() {
  std::vector<litmus::LibraryFile> files;
  for (litmus::LibraryFile& file : litmus::read_library()) {
    const litmus::VulkanParse parsed = litmus::parse_vulkan(file.source);
    if (parsed.test) files.push_back(std::move(file));
  }
  return files;
}

litmus::Test parse(const litmus::LibraryFile& file) {
  return *litmus::parse_vulkan(file.source).test;
}

/// What the explorer finds.
struct Allowed {
  std::set<litmus::Outcome> outcomes;
  bool racy = false;
  bool complete = false;
};

Allowed allowed(const litmus::Test& test) {
  const litmus::Answer answer = litmus::answer(test, {});
  Allowed all;
  for (const litmus::OutcomeRow& row : answer.outcomes) all.outcomes.insert(row.values);
  all.racy = answer.racy;
  all.complete = answer.complete;
  return all;
}

/// Plays by the toss of a coin among all moves, and those that only the judge allows among them; false if none is left.
bool play_all(lab::Session& session, std::uint64_t seed) {
  SeededChoice choice(seed);
  while (!session.end() && session.at() < 5000) {
    const std::vector<lab::Offer>& offers = session.offers();
    if (offers.empty()) return false;
    const auto which = choice.below(static_cast<std::uint32_t>(offers.size()), ChoicePoint::Invocation);
    session.make(id_of(offers[which].move, session.played()));
  }
  return session.end().has_value();
}

void check_game(lab::Session& session, const Allowed& expected, std::uint64_t seed) {
  std::string why;
  session.jump(0);
  if (seed % 2 == 0) {
    REQUIRE(session.play(lab::Policy::Random, seed, 5000, why) == lab::Stop::End);
  } else {
    REQUIRE(play_all(session, seed));
  }
  CHECK(session.verdict().consistent);
  if (!expected.complete) return;
  const litmus::Outcome outcome = session.outcome();
  if (!session.passes_filter()) return;
  if (!session.verdict().races.empty()) CHECK(expected.racy);
  if (session.end() != run::RunEnd::Terminated) return;
  CHECK(expected.outcomes.count(outcome) == 1);
}

}  // namespace

TEST_CASE("every game of a random player ends in an execution that judge and explorer allow", "[nightly]") {
  const std::vector<litmus::LibraryFile> files = playable();
  const std::uint64_t games = how_many("HEDDLE_GAMES", 2500, 100000);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::uint64_t of_this = (games + files.size() - 1 - i) / files.size();
    if (of_this == 0) continue;
    INFO(files[i].path);
    const litmus::Test test = parse(files[i]);
    const Allowed expected = allowed(test);
    lab::Session session(lab::played(test), {});
    for (std::uint64_t game = 0; game < of_this; ++game) {
      const std::uint64_t seed = first_seed() + i * games + game + 1;
      INFO("seed " << seed);
      check_game(session, expected, seed);
    }
  }
}

TEST_CASE("every outcome of the library that may be played is the end of some game", "[nightly]") {
  // A part of the files each day; all of them at night.
  const std::size_t step = nightly() ? 1 : 12;
  std::size_t at = 0;
  for (const litmus::LibraryFile& file : playable()) {
    if (file.path.find("/handwritten/") == std::string::npos && at++ % step != 0) continue;
    INFO(file.path);
    const std::unique_ptr<lab::Played> played = lab::played(parse(file));
    const lab::Outcomes found = played->explore({}, 20000);
    for (const lab::OutcomeRow& row : found.rows) {
      if (!row.kept_back.empty()) continue;
      std::string values;
      for (const litmus::Integer value : row.values) values += std::to_string(value) + ' ';
      INFO(values);
      bool comes = false;
      for (std::uint32_t who = 0; who < played->performers() && !comes; ++who) {
        lab::Rules rules;
        rules.performers = who;
        comes = lab::find_game(*played, rules, row, 2000).has_value();
      }
      CHECK(comes);
    }
  }
}

TEST_CASE("every game on a host test ends in an execution that judge and explorer allow", "[nightly]") {
  const std::uint64_t games = how_many("HEDDLE_HOST_GAMES", 2, 200);
  for (const char* name :
       {"flush", "atom", "two-dispatches", "ownership", "indirect", "readback", "timeline-host-signal", "event-host",
        "host-threads", "free", "invalidate-unflushed", "copy-after-dispatch"}) {
    for (const char* kind : {"-right", "-wrong"}) {
      const std::string path = std::string(HEDDLE_SOURCE_DIR) + "/tests/litmus/host/" + name + kind + ".litmus";
      INFO(path);
      const litmus::Test test = *litmus::parse_vulkan(litmus::read_text(path)).test;
      const Allowed expected = allowed(test);
      lab::Session session(lab::played(test), {});
      for (std::uint64_t game = 0; game < games; ++game) {
        const std::uint64_t seed = first_seed() + game + 1;
        INFO("seed " << seed);
        check_game(session, expected, seed);
      }
    }
  }
}

TEST_CASE("a game shows what the host wrote in its cache until it is flushed and submitted, and then in both domains") {
  const std::string text = litmus::read_text(std::string(HEDDLE_SOURCE_DIR) + "/tests/litmus/host/flush-right.litmus");
  lab::Session session(lab::played(*litmus::parse_vulkan(text).test), {});
  const auto write = [&] { return session.world().machine().held_writes().front(); };
  const auto go = [&](const std::string& instruction) {
    for (const lab::Offer& offer : session.offers()) {
      if (offer.move.kind != lab::MoveKind::Go) continue;
      const explore::Step& step = session.world().runner().next_step(offer.move.thread);
      if (std::string_view(step.operation.where.function) != instruction) continue;
      session.make(id_of(offer.move, session.played()));
      return;
    }
    FAIL("nothing executes " << instruction << " now");
  };
  go("st x, 1");
  CHECK_FALSE(write().in_device);
  go("flush x");
  CHECK_FALSE(write().in_device);
  const auto is_submission = [](const lab::Offer& offer) { return offer.text.find("submit B0") != std::string::npos; };
  while (!write().in_device) {
    const std::vector<lab::Offer>& offers = session.offers();
    const auto next = std::find_if(offers.begin(), offers.end(), is_submission);
    REQUIRE(next != offers.end());
    session.make(id_of(next->move, session.played()));
  }
  CHECK(session.history().back().text.find("to the device domain") != std::string::npos);
}

TEST_CASE("the same moves lead to the same game, forward and back") {
  std::size_t at = 0;
  for (const litmus::LibraryFile& file : playable()) {
    if (at++ % 40 != 0) continue;
    INFO(file.path);
    lab::Session session(lab::played(parse(file)), {});
    std::string why;
    session.play(lab::Policy::Random, 7, 5000, why);
    const std::vector<lab::Entry> first = session.history();
    const std::size_t moves = session.at();
    session.jump(moves / 2);
    const std::size_t offers = session.offers().size();
    session.jump(moves);
    session.jump(0);
    session.jump(moves / 2);
    CHECK(session.offers().size() == offers);
    lab::Session again(lab::played(parse(file)), {});
    for (const lab::Entry& entry : first) again.make(id_of(entry.move, again.played()));
    REQUIRE(again.history().size() == first.size());
    for (std::size_t i = 0; i < first.size(); ++i) CHECK(again.history()[i].text == first[i].text);
    CHECK(again.end() == run::RunEnd::Terminated);
  }
}
