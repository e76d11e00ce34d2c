// RelSeq: P0 publishes data with a release of a flag; P1 does something to the flag; P2 acquires
// it.
//
// Reasoning. The release sequence is the release and the read-modify-writes that follow it
// immediately, of any agent and any order; a plain atomic store ends it, even one of the releaser
// itself. If P2 reads from the sequence, the data is handed over: one value, no race. Otherwise
// both values, and a race. A release fence before a relaxed store makes it the head of a
// hypothetical sequence. The number of executions is that of the ways in which P2's flag value can
// come about times the data's values.

#include "tests/litmus/families/shapes.h"

namespace heddle::litmus::library {
namespace {

const std::string kData = "st.av.wg.sc0 data, 1";
const std::string kLook = "ld.vis.wg.sc0 r1, data";
const std::string kRelease = "st.atom.rel.wg.sc0.semsc0 flag, 1";
const std::string kAcquire = "ld.atom.acq.wg.sc0.semsc0 r0, flag";

struct Spec {
  std::string name;
  std::vector<std::string> publisher;
  std::vector<std::string> meddler;  // no thread if empty
  std::vector<std::string> acquirer;
  int seen;
  bool broken;
  int executions;
  std::string reason;
  std::string twin;
};

LibraryTest make(const Spec& spec) {
  ShapeText text;
  text.name = "RelSeq+" + spec.name;
  text.declarations = {"data=0", "flag=0"};
  text.threads = {spec.publisher};
  if (!spec.meddler.empty()) text.threads.push_back(spec.meddler);
  text.threads.push_back(spec.acquirer);
  const std::string reader = spec.meddler.empty() ? "P1" : "P2";
  const std::string seen = std::to_string(spec.seen);
  text.filter = reader + ":r0 == " + seen;
  text.assertion = "exists (" + reader + ":r1 == 0)";
  text.verdict = {spec.broken, spec.broken, spec.executions, {}};
  const std::string start = reader + ":r0=" + seen + ' ' + reader + ":r1=";
  if (spec.broken) text.verdict.outcomes.push_back(start + "0");
  text.verdict.outcomes.push_back(start + "1");
  text.clause = "release-sequence";
  text.reason = spec.reason;
  text.twin = "RelSeq+" + spec.twin;
  return in_one_workgroup(text);
}

std::string increment(const std::string& order) {
  return "rmw.atom" + order + ".wg.sc0" + (order.empty() ? "" : ".semsc0") + ".add r0, flag, 1";
}

const std::vector<std::string> kPublish = {kData, kRelease};
const std::vector<std::string> kFenced = {kData, "membar.rel.wg.semsc0", "st.atom.wg.sc0 flag, 1"};
const std::vector<std::string> kLookUp = {kAcquire, kLook};
const std::vector<std::string> kLookUpFenced = {"ld.atom.wg.sc0 r0, flag", "membar.acq.wg.semsc0", kLook};
const std::string kExchange = "rmw.atom.wg.sc0 r0, flag, 2";
const std::string kFence = "membar.rel.wg.semsc0";

const Spec kSpecs[] = {
    {"head", kPublish, {}, kLookUp, 1, false, 1, "the release heads its own sequence", "head+rlx"},
    {"head+rlx",
     {kData, "st.atom.wg.sc0 flag, 1"},
     {},
     kLookUp,
     1,
     true,
     2,
     "a relaxed store heads no sequence of its own",
     "head"},
    {"rmw",
     kPublish,
     {increment("")},
     kLookUp,
     2,
     false,
     1,
     "a relaxed read-modify-write of another agent carries the sequence on",
     "store"},
    // P1's store and P0's have two orders, in each of which P2 sees it and either value of the data.
    {"store",
     kPublish,
     {"st.atom.wg.sc0 flag, 2"},
     kLookUp,
     2,
     true,
     4,
     "a plain store of another agent is not in the sequence",
     "rmw"},
    {"rmw-rel",
     kPublish,
     {increment(".rel")},
     kLookUp,
     2,
     false,
     1,
     "a releasing read-modify-write is in the sequence and heads one of its own",
     "store"},
    {"rmw-acq",
     kPublish,
     {increment(".acq")},
     kLookUp,
     2,
     false,
     1,
     "an acquiring read-modify-write carries the sequence on",
     "store"},
    {"two-rmws",
     kPublish,
     {increment(""), increment("")},
     kLookUp,
     3,
     false,
     1,
     "read-modify-writes carry the sequence on, one after the other",
     "rmw-then-store"},
    // The store comes after the increment of its own agent in modification order; P0's release may
    // come before the increment, between the two or after both.
    {"rmw-then-store",
     kPublish,
     {increment(""), "st.atom.wg.sc0 flag, 3"},
     kLookUp,
     3,
     true,
     6,
     "a store behind the read-modify-write ends the sequence",
     "two-rmws"},
    {"own-store",
     {kData, kRelease, "st.atom.wg.sc0 flag, 2"},
     {},
     kLookUp,
     2,
     true,
     2,
     "a relaxed store by the releaser ends its release sequence",
     "own-rmw"},
    {"own-rmw",
     {kData, kRelease, increment("")},
     {},
     kLookUp,
     2,
     false,
     1,
     "a read-modify-write by the releaser continues its release sequence",
     "own-store"},
    {"own-release",
     {kData, kRelease, "st.atom.rel.wg.sc0.semsc0 flag, 2"},
     {},
     kLookUp,
     2,
     false,
     1,
     "a second release heads a sequence of its own and covers what came before",
     "own-store"},
    {"hypothetical",
     kFenced,
     {},
     kLookUp,
     1,
     false,
     1,
     "a relaxed store behind a release fence heads a hypothetical sequence",
     "head+rlx"},
    {"hypothetical+rmw",
     kFenced,
     {increment("")},
     kLookUp,
     2,
     false,
     1,
     "a hypothetical sequence is carried on like any other",
     "hypothetical+store"},
    {"hypothetical+store",
     kFenced,
     {"st.atom.wg.sc0 flag, 2"},
     kLookUp,
     2,
     true,
     4,
     "a plain store is not in a hypothetical sequence either",
     "hypothetical+rmw"},
    {"fences+rmw",
     kFenced,
     {increment("")},
     kLookUpFenced,
     2,
     false,
     1,
     "two fences synchronize through a sequence between them",
     "fences+store"},
    {"fences+store",
     kFenced,
     {"st.atom.wg.sc0 flag, 2"},
     kLookUpFenced,
     2,
     true,
     4,
     "two fences do not synchronize through a store that is in no sequence",
     "fences+rmw"},
    {"acquire-fence+rmw",
     kPublish,
     {increment("")},
     kLookUpFenced,
     2,
     false,
     1,
     "a fence acquires from a sequence that a relaxed load of its agent read",
     "acquire-fence+store"},
    {"acquire-fence+store",
     kPublish,
     {"st.atom.wg.sc0 flag, 2"},
     kLookUpFenced,
     2,
     true,
     4,
     "what the relaxed load read is in no release sequence",
     "acquire-fence+rmw"},
    // Two releases head the sequence that the increment goes on with: a fence before the data, and the store behind it.
    {"fence-and-head+rmw",
     {kFence, kData, kRelease},
     {increment("")},
     kLookUp,
     2,
     false,
     1,
     "an update goes on with the sequence of the store, and not of the fence before the data alone",
     "fence-before+rmw"},
    {"fence-before+rmw",
     {kFence, kData, "st.atom.wg.sc0 flag, 1"},
     {increment("")},
     kLookUp,
     2,
     true,
     2,
     "a fence before the data releases nothing of it",
     "fence-and-head+rmw"},
    {"fence-and-head+own-rmw",
     {kFence, kData, kRelease, increment("")},
     {},
     kLookUp,
     2,
     false,
     1,
     "the update carries the fence before the data itself, and goes on with the sequence of the store as well",
     "fence-before+own-rmw"},
    {"fence-before+own-rmw",
     {kFence, kData, "st.atom.wg.sc0 flag, 1", increment("")},
     {},
     kLookUp,
     2,
     true,
     2,
     "a fence before the data releases nothing of it",
     "fence-and-head+own-rmw"},
    // The exchange may come before or after the release; seen is what it wrote. Only behind the
    // release is it in the sequence, so there is one ordered execution and two unordered ones.
    {"exchange",
     kPublish,
     {kExchange},
     kLookUp,
     2,
     true,
     3,
     "an exchange in front of the release is not in its sequence",
     "rmw"},
};

}  // namespace

Family release_sequences() {
  Family out;
  for (const Spec& spec : kSpecs) out.push_back(make(spec));
  return out;
}

}  // namespace heddle::litmus::library
