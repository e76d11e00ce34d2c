#include "emulator/litmus/khronos/answer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "emulator/litmus/candidates.h"
#include "emulator/litmus/khronos/program.h"

namespace heddle::litmus::khronos {

const std::vector<std::string_view> kRelations = {"asmo",       "dr", "fr", "hb", "hypors", "ithb", "locord",
                                                  "mutordatom", "po", "rf", "rs", "ssw",    "sw",   "vislocord"};

namespace {

judge::RelationName relation(std::string_view name) {
  using judge::RelationName;
  constexpr std::array<RelationName, 14> kMeaning = {
      RelationName::ScopedModificationOrder,
      RelationName::DataRace,
      RelationName::FromReads,
      RelationName::HappensBefore,
      RelationName::HypotheticalReleaseSequence,
      RelationName::InterThreadHappensBefore,
      RelationName::LocationOrdered,
      RelationName::MutuallyOrdered,
      RelationName::ProgramOrder,
      RelationName::ReadsFrom,
      RelationName::ReleaseSequence,
      RelationName::SystemSynchronizesWith,
      RelationName::SynchronizesWith,
      RelationName::VisibleTo,
  };
  const auto found = std::find(kRelations.begin(), kRelations.end(), name);
  return kMeaning[static_cast<std::size_t>(found - kRelations.begin())];
}

bool holds_without_sign(const judge::Judgement& judgement, const Condition& condition) {
  switch (condition.kind) {
    case Condition::Kind::Consistent:
      return judgement.consistent();
    // Location order is complete where it orders every two accesses that must be ordered, which is
    // to say that there is no race.
    case Condition::Kind::LocordComplete:
    case Condition::Kind::RaceFree:
      return !judgement.racy();
    case Condition::Kind::Cardinality:
      break;
  }
  const auto count = static_cast<Integer>(judgement.cardinality(relation(condition.relation)));
  return compare(condition.comparison, count, condition.count);
}

/// Whether only consistent executions can satisfy a claim's condition.
bool wants_consistent(const Claim& claim) {
  return std::any_of(claim.conditions.begin(), claim.conditions.end(), [](const Condition& condition) {
    return condition.kind == Condition::Kind::Consistent && !condition.negated;
  });
}

/// Decides the claims of one test.
class Court {
 public:
  Court(const Test& test, const Question& question) : test_(test), question_(question), program_(test) {
    answer_.claims.resize(test.claims.size());
    satisfied_.resize(test.claims.size());
  }

  Answer decide();

 private:
  bool chains(const Claim& claim) const { return claim.chains && question_.chains; }
  bool cancelled();
  bool knows_enough(bool chains, bool consistent) const;
  void explore_consistent(bool chains);
  void enumerate_all(bool chains);
  bool any_claim(bool chains, bool consistent) const;
  void look(const judge::Judgement& judgement, bool chains, bool consistent);
  void count(const explore::Found& found);
  judge::Options options(bool chains) const {
    judge::Options out;
    out.flavour = judge::Flavour::KhronosSuite;
    out.chains = chains;
    return out;
  }

  const Test& test_;
  const Question& question_;
  Program program_;
  Answer answer_;
  std::vector<char> satisfied_;
  std::uint64_t seen_ = 0;
};

bool Court::cancelled() {
  if (question_.cancelled == nullptr || !question_.cancelled->load(std::memory_order_relaxed)) {
    return false;
  }
  answer_.cancelled = true;
  answer_.complete = false;
  return true;
}

// Whether no execution of those that a search goes through would change an answer.
bool Court::knows_enough(bool with_chains, bool consistent) const {
  if (!question_.verdict_only) return false;
  if (consistent && with_chains == question_.chains && !answer_.racy) return false;
  for (std::size_t i = 0; i < test_.claims.size(); ++i)
    if (!satisfied_[i] && chains(test_.claims[i]) == with_chains && wants_consistent(test_.claims[i]) == consistent)
      return false;
  return true;
}

bool Court::any_claim(bool with_chains, bool consistent) const {
  return std::any_of(test_.claims.begin(), test_.claims.end(), [&](const Claim& claim) {
    return chains(claim) == with_chains && wants_consistent(claim) == consistent;
  });
}

void Court::look(const judge::Judgement& judgement, bool with_chains, bool consistent) {
  for (std::size_t i = 0; i < test_.claims.size(); ++i) {
    const Claim& claim = test_.claims[i];
    if (satisfied_[i] || chains(claim) != with_chains || wants_consistent(claim) != consistent ||
        !satisfies(judgement, claim)) {
      continue;
    }
    satisfied_[i] = true;
    if (question_.keep_examples) answer_.claims[i].witness = judgement.execution();
  }
}

void Court::count(const explore::Found& found) {
  ++answer_.executions;
  if (!found.judgement.racy()) return;
  ++answer_.racy_executions;
  if (!answer_.racy && question_.keep_examples) {
    const judge::Race race = found.judgement.races().front();
    answer_.race = RaceExample{found.execution, race.first, race.second};
  }
  answer_.racy = true;
}

void Court::explore_consistent(bool with_chains) {
  explore::Options explorer;
  explorer.model = options(with_chains);
  explorer.cancelled = question_.cancelled;
  const bool counts = with_chains == question_.chains;
  bool limited = false;
  const explore::Statistics statistics = explored(program_.program(), explorer, [&](const explore::Found& found) {
    if (cancelled()) return false;
    if (question_.on_execution) question_.on_execution();
    const auto matches = [](const explore::AgentEnd& end) { return end.results.front() == 0; };
    if (!std::all_of(found.ends.begin(), found.ends.end(), matches)) return true;
    if (question_.limit != 0 && seen_ == question_.limit) {
      limited = true;
      return false;
    }
    if (counts) {
      ++seen_;
      count(found);
    }
    look(found.judgement, with_chains, true);
    return !knows_enough(with_chains, true);
  });
  if (limited || !statistics.complete) answer_.complete = false;
}

void Court::enumerate_all(bool with_chains) {
  const CandidateLimits limits{~std::uint64_t{0}, ~std::uint64_t{0}};
  const bool all = enumerate_candidates(program_.program(), limits, {}, [&](const Candidate& candidate) {
    if (cancelled()) return false;
    look(judge::Judgement(candidate.execution, options(with_chains)), with_chains, false);
    return !knows_enough(with_chains, false);
  });
  if (!all && !knows_enough(with_chains, false)) answer_.complete = false;
}

Answer Court::decide() {
  explore_consistent(question_.chains);
  if (question_.chains && any_claim(false, true)) explore_consistent(false);
  for (const bool with_chains : {true, false}) {
    if (any_claim(with_chains, false)) enumerate_all(with_chains);
  }
  for (std::size_t i = 0; i < test_.claims.size(); ++i) {
    // What was not met in an unfinished search may still exist.
    answer_.claims[i].decided = satisfied_[i] || answer_.complete;
    answer_.claims[i].holds = (satisfied_[i] != 0) == test_.claims[i].satisfiable;
  }
  return std::move(answer_);
}

}  // namespace

bool satisfies(const judge::Judgement& judgement, const Claim& claim) {
  return std::all_of(claim.conditions.begin(), claim.conditions.end(), [&](const Condition& condition) {
    return holds_without_sign(judgement, condition) != condition.negated;
  });
}

Answer answer(const Test& test, const Question& question) {
  return Court(test, question).decide();
}

}  // namespace heddle::litmus::khronos
