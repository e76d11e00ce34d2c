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

}  // namespace

Family device_domain() {
  const Edges through = {{0, 1}, {1, 2}};
  const std::vector<std::string> both = {"avdevice", "visdevice"};
  const std::string write = "st.sc0 x, 1";
  const std::string read = "ld.sc0 r0, x";
  Family out;
  const auto add = [&](const Spec& spec) { out.push_back(make(spec)); };
  add({"WR", write, both, read, through, true,
       "available to the device domain, then visible from it, in an order of the system", "WR+noav"});
  add({"WR+noav",
       write,
       {"visdevice"},
       read,
       through,
       false,
       "the write is never made available to the device domain",
       "WR"});
  add({"WR+novis", write, {"avdevice"}, read, through, false, "the write is never made visible to the reader", "WR"});
  add({"WR+none", write, {}, read, through, false, "happens-before alone makes nothing available or visible", "WR"});
  add({"WR+reversed",
       write,
       {"visdevice", "avdevice"},
       read,
       through,
       false,
       "visibility before availability shows nothing",
       "WR"});
  add({"WR+nofirst",
       write,
       both,
       read,
       {{1, 2}},
       false,
       "the write does not happen before the availability operation",
       "WR"});
  add({"WR+nosecond",
       write,
       both,
       read,
       {{0, 1}},
       false,
       "the visibility operation does not happen before the read",
       "WR"});
  add({"WR+alias", write, both, "ld.sc0 r0, y", through, true, "the device domain does not ask for the reference",
       "WR+alias+noav"});
  add({"WR+alias+noav",
       write,
       {"visdevice"},
       "ld.sc0 r0, y",
       through,
       false,
       "another reference needs availability as well",
       "WR+alias"});
  add({"WR+class", "st.sc1 x, 1", both, "ld.sc2 r0, x", through, true, "system synchronization has every storage class",
       "WR+class+novis"});
  add({"WR+class+novis",
       "st.sc1 x, 1",
       {"avdevice"},
       "ld.sc2 r0, x",
       through,
       false,
       "whatever the storage class, the write must be made visible",
       "WR+class"});
  add({"RW",
       read,
       {},
       "st.sc0 x, 1",
       {{0, 2}},
       true,
       "a read is before what it system-synchronizes with, without availability",
       "RW+nossw"});
  add({"RW+nossw", read, {}, "st.sc0 x, 1", {}, false, "nothing orders the two", "RW"});
  add({"RW+transitive",
       read,
       {"avdevice"},
       "st.sc0 x, 1",
       through,
       true,
       "system synchronization is followed transitively",
       "RW+nossw"});
  add({"RW+alias",
       read,
       {},
       "st.sc0 y, 1",
       {{0, 2}},
       true,
       "a read is before what it system-synchronizes with, through any reference",
       "RW+alias+nossw"});
  add({"RW+alias+nossw", read, {}, "st.sc0 y, 1", {}, false, "nothing orders the two", "RW+alias"});
  add({"WW",
       write,
       {"avdevice"},
       "st.sc0 x, 2",
       through,
       true,
       "a write before a write needs availability, not visibility",
       "WW+noav"});
  add({"WW+noav",
       write,
       {"visdevice"},
       "st.sc0 x, 2",
       through,
       false,
       "the first write is never made available",
       "WW"});
  add({"WW+alias",
       write,
       {"avdevice"},
       "st.sc0 y, 2",
       through,
       true,
       "through the device domain references may differ",
       "WW+alias+noav"});
  add({"WW+alias+noav",
       write,
       {"visdevice"},
       "st.sc0 y, 2",
       through,
       false,
       "the first write is never made available",
       "WW+alias"});
  return out;
}

}  // namespace heddle::litmus::library
