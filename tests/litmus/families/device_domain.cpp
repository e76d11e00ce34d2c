// SSW: private accesses of two agents, ordered by system synchronization and the device domain.
//
// Reasoning. System synchronization has every storage class and no scope, is followed transitively
// here through a third agent, and orders a read before anything. For a write to be ordered before a
// read or a write it must also be made available to the device domain, and for a read made visible
// from it, by operations in between; which agent performs them does not matter, nor do references.
// Ordered: one value. Not ordered: both, and a race.

#include "tests/litmus/families/library_test.h"

namespace heddle::litmus::library {
namespace {

using Edges = std::vector<std::pair<int, int>>;

struct Spec {
  std::string name;
  std::string first;
  std::vector<std::string> middle;
  std::string last;
  Edges edges;
  bool ordered;
  std::string reason;
  std::string twin;
};

LibraryTest make(const Spec& spec) {
  LibraryTest out;
  out.name = "SSW+" + spec.name;
  out.declarations = {"x=0", "y aliases x"};
  out.system_synchronization = spec.edges;
  out.threads = {{{0, 0, 0}, {spec.first}}, {{1, 0, 0}, spec.middle}, {{0, 1, 1}, {spec.last}}};
  const bool reads_first = spec.first.substr(0, 2) == "ld";
  const bool reads_last = spec.last.substr(0, 2) == "ld";
  out.verdict.racy = !spec.ordered;
  out.verdict.holds = !spec.ordered;
  if (reads_first || reads_last) {
    const std::string key = reads_first ? "P0:r0" : "P2:r0";
    const std::string right = reads_first ? "0" : "1";
    const std::string wrong = reads_first ? "1" : "0";
    out.assertion = "exists (" + key + " == " + wrong + ")";
    out.verdict.executions = spec.ordered ? 1 : 2;
    out.verdict.outcomes = {key + '=' + right};
    if (!spec.ordered) out.verdict.outcomes.push_back(key + '=' + wrong);
  } else {
    // Neither write is atomic: there is one execution, and either may be final if none is before.
    out.assertion = "exists (x == 1)";
    out.verdict.executions = 1;
    out.verdict.outcomes = {"x=2"};
    if (!spec.ordered) out.verdict.outcomes.push_back("x=1");
  }
  out.reason = spec.reason;
  out.clause = "vk:memory-model-system-synchronizes-with";
  out.twin = "SSW+" + spec.twin;
  return out;
}

const Edges kThrough = {{0, 1}, {1, 2}};
const std::vector<std::string> kBoth = {"avdevice", "visdevice"};
const std::string kWrite = "st.sc0 x, 1";
const std::string kRead = "ld.sc0 r0, x";

const Spec kSpecs[] = {
    {"WR", kWrite, kBoth, kRead, kThrough, true,
     "available to the device domain, then visible from it, in an order of the system", "WR+noav"},
    {"WR+noav",
     kWrite,
     {"visdevice"},
     kRead,
     kThrough,
     false,
     "the write is never made available to the device domain",
     "WR"},
    {"WR+novis", kWrite, {"avdevice"}, kRead, kThrough, false, "the write is never made visible to the reader", "WR"},
    {"WR+none", kWrite, {}, kRead, kThrough, false, "happens-before alone makes nothing available or visible", "WR"},
    {"WR+reversed",
     kWrite,
     {"visdevice", "avdevice"},
     kRead,
     kThrough,
     false,
     "visibility before availability shows nothing",
     "WR"},
    {"WR+nofirst",
     kWrite,
     kBoth,
     kRead,
     {{1, 2}},
     false,
     "the write does not happen before the availability operation",
     "WR"},
    {"WR+nosecond",
     kWrite,
     kBoth,
     kRead,
     {{0, 1}},
     false,
     "the visibility operation does not happen before the read",
     "WR"},
    {"WR+alias", kWrite, kBoth, "ld.sc0 r0, y", kThrough, true, "the device domain does not ask for the reference",
     "WR+alias+noav"},
    {"WR+alias+noav",
     kWrite,
     {"visdevice"},
     "ld.sc0 r0, y",
     kThrough,
     false,
     "another reference needs availability as well",
     "WR+alias"},
    {"WR+class", "st.sc1 x, 1", kBoth, "ld.sc2 r0, x", kThrough, true, "system synchronization has every storage class",
     "WR+class+novis"},
    {"WR+class+novis",
     "st.sc1 x, 1",
     {"avdevice"},
     "ld.sc2 r0, x",
     kThrough,
     false,
     "whatever the storage class, the write must be made visible",
     "WR+class"},
    {"RW",
     kRead,
     {},
     "st.sc0 x, 1",
     {{0, 2}},
     true,
     "a read is before what it system-synchronizes with, without availability",
     "RW+nossw"},
    {"RW+nossw", kRead, {}, "st.sc0 x, 1", {}, false, "nothing orders the two", "RW"},
    {"RW+transitive",
     kRead,
     {"avdevice"},
     "st.sc0 x, 1",
     kThrough,
     true,
     "system synchronization is followed transitively",
     "RW+nossw"},
    {"RW+alias",
     kRead,
     {},
     "st.sc0 y, 1",
     {{0, 2}},
     true,
     "a read is before what it system-synchronizes with, through any reference",
     "RW+alias+nossw"},
    {"RW+alias+nossw", kRead, {}, "st.sc0 y, 1", {}, false, "nothing orders the two", "RW+alias"},
    {"WW",
     kWrite,
     {"avdevice"},
     "st.sc0 x, 2",
     kThrough,
     true,
     "a write before a write needs availability, not visibility",
     "WW+noav"},
    {"WW+noav", kWrite, {"visdevice"}, "st.sc0 x, 2", kThrough, false, "the first write is never made available", "WW"},
    {"WW+alias",
     kWrite,
     {"avdevice"},
     "st.sc0 y, 2",
     kThrough,
     true,
     "through the device domain references may differ",
     "WW+alias+noav"},
    {"WW+alias+noav",
     kWrite,
     {"visdevice"},
     "st.sc0 y, 2",
     kThrough,
     false,
     "the first write is never made available",
     "WW+alias"},
};

}  // namespace

Family device_domain() {
  Family out;
  for (const Spec& spec : kSpecs) out.push_back(make(spec));
  return out;
}

}  // namespace heddle::litmus::library
