// SB, LB, WRC, RWC, ISA2, IRIW, Z6: two to four threads whose every access is a relaxed atomic of
// workgroup scope in one workgroup, so that nothing races; some of them release and acquire.
//
// Reasoning. A read of the initial value from-reads the write. Location order between two atomics
// of different threads needs happens-before, which needs release and acquire; the union of location
// order, reads-from, from-reads and modification order is the only thing that forbids. Each read
// takes the initial value or the one write, so without a cycle there are 2 to the power of the
// number of reads executions, and a cycle takes away exactly those in which all reads on it have
// the values it needs.
//  LB    both read 1: the read of x happens-before the write of x through y's release and acquire.
//  WRC   P0 writes x, P1 sees it and releases y, P2 acquires y and misses x: the two reads of x are
//        location-ordered, against reads-from and from-reads.
//  ISA2  the same over two steps.
//  SB, RWC, IRIW, Z6 would need an order of all fences, which the model does not have: nothing is
//  forbidden however strong the accesses are.

#include "tests/litmus/families/shapes.h"

namespace heddle::litmus::library {
namespace {

const char* const kForbidden = "the outcome needs a cycle through the synchronizes-with edge";

struct Variation {
  std::string name;
  Ordering ordering;
  bool strong;
};

const Variation kVariations[] = {{"+rel-acq", {true, true}, true},
                                 {"+rel", {true, false}, false},
                                 {"+acq", {false, true}, false},
                                 {"+rlx", {false, false}, false}};

std::string reason_of(const Variation& variation) {
  if (variation.strong) return kForbidden;
  if (!variation.ordering.release && !variation.ordering.acquire) {
    return "relaxed atomics order nothing but themselves";
  }
  return variation.ordering.release ? "no thread acquires, so nothing synchronizes"
                                    : "no thread releases, so nothing synchronizes";
}

/// `total` executions, of which `forbidden` (one outcome, one execution) is not one if strong.
Verdict verdict_of(bool strong, int total, const std::vector<std::string>& keys, const std::string& forbidden) {
  Verdict out;
  out.holds = !strong;
  out.executions = strong ? total - 1 : total;
  out.outcomes = strong ? all_outcomes_but(keys, {forbidden}) : all_outcomes(keys);
  return out;
}

void finish(ShapeText& text, const std::string& shape, const Variation& variation, Family& out) {
  text.name = shape + variation.name;
  text.clause = variation.strong ? "acyclicity" : "synchronizes-with";
  text.reason = reason_of(variation);
  text.twin = shape + (variation.strong ? "+rel" : "+rel-acq");
  out.push_back(in_one_workgroup(text));
}

void add_forbidding(Family& out) {
  for (const Variation& each : kVariations) {
    const Ordering& o = each.ordering;
    ShapeText lb;
    lb.declarations = {"x=0", "y=0"};
    lb.threads = {{relaxed_load("r0", "x"), o.store("y", 1)}, {o.load("r0", "y"), relaxed_store("x", 1)}};
    lb.assertion = "exists (P0:r0 == 1 /\\ P1:r0 == 1)";
    lb.verdict = verdict_of(each.strong, 4, {"P0:r0", "P1:r0"}, "P0:r0=1 P1:r0=1");
    finish(lb, "LB", each, out);

    ShapeText wrc;
    wrc.declarations = {"x=0", "y=0"};
    wrc.threads = {{relaxed_store("x", 1)},
                   {relaxed_load("r0", "x"), o.store("y", 1)},
                   {o.load("r0", "y"), relaxed_load("r1", "x")}};
    wrc.assertion = "exists (P1:r0 == 1 /\\ P2:r0 == 1 /\\ P2:r1 == 0)";
    wrc.verdict = verdict_of(each.strong, 8, {"P1:r0", "P2:r0", "P2:r1"}, "P1:r0=1 P2:r0=1 P2:r1=0");
    finish(wrc, "WRC", each, out);

    ShapeText mp;
    mp.declarations = {"x=0", "y=0"};
    mp.threads = {{relaxed_store("x", 1), o.store("y", 1)}, {o.load("r0", "y"), relaxed_load("r1", "x")}};
    mp.assertion = "exists (P1:r0 == 1 /\\ P1:r1 == 0)";
    mp.verdict = verdict_of(each.strong, 4, {"P1:r0", "P1:r1"}, "P1:r0=1 P1:r1=0");
    finish(mp, "MP+atomics", each, out);

    // Only the second of the two steps varies.
    const Ordering both;
    ShapeText isa2;
    isa2.declarations = {"x=0", "y=0", "z=0"};
    isa2.threads = {{relaxed_store("x", 1), both.store("y", 1)},
                    {both.load("r0", "y"), o.store("z", 1)},
                    {o.load("r0", "z"), relaxed_load("r1", "x")}};
    isa2.assertion = "exists (P1:r0 == 1 /\\ P2:r0 == 1 /\\ P2:r1 == 0)";
    isa2.verdict = verdict_of(each.strong, 8, {"P1:r0", "P2:r0", "P2:r1"}, "P1:r0=1 P2:r0=1 P2:r1=0");
    finish(isa2, "ISA2", each, out);
  }
}

/// Shapes that nothing but a barrier forbids, and then what the barrier makes of them.
void add_permissive(Family& out) {
  for (const Variation& each : kVariations) {
    const Ordering& o = each.ordering;
    const auto allowed = [&](ShapeText text, const std::string& shape, int executions,
                             const std::vector<std::string>& keys, const std::string& twin) {
      text.name = shape + each.name;
      text.clause = "acyclicity";
      text.reason = "only an order of all fences would forbid it, and the model has none";
      text.twin = twin;
      text.verdict.holds = true;
      text.verdict.executions = executions;
      if (!keys.empty()) text.verdict.outcomes = all_outcomes(keys);
      out.push_back(in_one_workgroup(text));
    };
    ShapeText sb;
    sb.declarations = {"x=0", "y=0"};
    sb.threads = {{o.store("x", 1), o.load("r0", "y")}, {o.store("y", 1), o.load("r0", "x")}};
    sb.assertion = "exists (P0:r0 == 0 /\\ P1:r0 == 0)";
    allowed(sb, "SB", 4, {"P0:r0", "P1:r0"}, "SB+cbar");

    ShapeText rwc;
    rwc.declarations = {"x=0", "y=0"};
    rwc.threads = {{o.store("x", 1)}, {o.load("r0", "x"), o.load("r1", "y")}, {o.store("y", 1), o.load("r0", "x")}};
    rwc.assertion = "exists (P1:r0 == 1 /\\ P1:r1 == 0 /\\ P2:r0 == 0)";
    allowed(rwc, "RWC", 8, {"P1:r0", "P1:r1", "P2:r0"}, "WRC+rel-acq");

    ShapeText iriw;
    iriw.declarations = {"x=0", "y=0"};
    iriw.threads = {{o.store("x", 1)},
                    {o.store("y", 1)},
                    {o.load("r0", "x"), o.load("r1", "y")},
                    {o.load("r0", "y"), o.load("r1", "x")}};
    iriw.assertion = "exists (P2:r0 == 1 /\\ P2:r1 == 0 /\\ P3:r0 == 1 /\\ P3:r1 == 0)";
    allowed(iriw, "IRIW", 16, {"P2:r0", "P2:r1", "P3:r0", "P3:r1"}, "WRC+rel-acq");

    // Two orders of the writes to y, times two reads.
    ShapeText z6;
    z6.declarations = {"x=0", "y=0", "z=0"};
    z6.threads = {
        {o.store("x", 1), o.store("y", 1)}, {o.store("y", 2), o.store("z", 1)}, {o.load("r0", "z"), o.load("r1", "x")}};
    z6.assertion = "exists (y == 2 /\\ P2:r0 == 1 /\\ P2:r1 == 0)";
    allowed(z6, "Z6", 8, {}, "ISA2+rel-acq");
  }
}

void add_barriers(Family& out) {
  const std::string fence = "cbar.acq_rel.wg.semsc0 1";
  const std::string plain = "cbar.wg 1";
  for (const bool strong : {true, false}) {
    ShapeText sb;
    sb.name = strong ? "SB+cbar" : "SB+cbar+plain";
    sb.declarations = {"x=0", "y=0"};
    const std::string& barrier = strong ? fence : plain;
    sb.threads = {{relaxed_store("x", 1), barrier, relaxed_load("r0", "y")},
                  {relaxed_store("y", 1), barrier, relaxed_load("r0", "x")}};
    sb.assertion = "exists (P0:r0 == 0 /\\ P1:r0 == 0)";
    sb.verdict.holds = !strong;
    sb.verdict.executions = strong ? 1 : 4;
    sb.verdict.outcomes = strong ? std::vector<std::string>{"P0:r0=1 P1:r0=1"} : all_outcomes({"P0:r0", "P1:r0"});
    sb.clause = "synchronizes-with";
    sb.reason = strong ? "the barrier synchronizes both ways: each write is ordered before each read"
                       : "a barrier without semantics is a rendezvous that orders no memory";
    sb.twin = strong ? "SB+cbar+plain" : "SB+cbar";
    out.push_back(in_one_workgroup(sb));
  }
}

}  // namespace

Family multi_copy_shapes() {
  Family out;
  add_forbidding(out);
  add_permissive(out);
  add_barriers(out);
  return out;
}

}  // namespace heddle::litmus::library
