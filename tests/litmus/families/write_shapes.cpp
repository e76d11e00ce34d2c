// S, R, 2+2W: shapes with final values, all atomic, in one workgroup.
//
// Reasoning. Two writes to a location have two orders.
//  S     P0 writes x=2, then y=1; P1 reads y, then writes x=1. If P1 saw y and they synchronize,
//  the
//        write of 2 is location-ordered before that of 1 (an atomic write makes itself available),
//        so 2 is not final: 2 orders without having seen y, one with it, 3 executions. Else 4.
//  R     nothing synchronizes with a read-less writer of y: 2 orders times 2 reads.
//  2+2W  no reads, so no synchronization: 2 orders times 2 orders. Through a control barrier that
//  is a
//        fence, each first write is ordered before the other thread's second: one execution.

#include "tests/litmus/families/shapes.h"

namespace heddle::litmus::library {
namespace {

void add_s(Family& out) {
  for (const auto& [name, ordering] :
       {std::pair<std::string, Ordering>("rel-acq", {true, true}),
        std::pair<std::string, Ordering>("rel", {true, false}), std::pair<std::string, Ordering>("acq", {false, true}),
        std::pair<std::string, Ordering>("rlx", {false, false})}) {
    const bool strong = ordering.release && ordering.acquire;
    ShapeText s;
    s.name = "S+" + name;
    s.declarations = {"x=0", "y=0"};
    s.threads = {{relaxed_store("x", 2), ordering.store("y", 1)}, {ordering.load("r0", "y"), relaxed_store("x", 1)}};
    s.assertion = "exists (P1:r0 == 1 /\\ x == 2)";
    s.verdict.holds = !strong;
    s.verdict.executions = strong ? 3 : 4;
    s.verdict.outcomes = {"P1:r0=0 x=1", "P1:r0=0 x=2", "P1:r0=1 x=1"};
    if (!strong) s.verdict.outcomes.push_back("P1:r0=1 x=2");
    s.clause = strong ? "scoped-modification-order-coherence" : "synchronizes-with";
    s.reason = strong ? "modification order cannot go against location order"
                      : "nothing synchronizes, so the writes of x are in any order";
    s.twin = strong ? "S+rel" : "S+rel-acq";
    out.push_back(in_one_workgroup(s));
  }
}

void add_r(Family& out) {
  for (const bool strong : {true, false}) {
    const Ordering ordering{strong, strong};
    ShapeText r;
    r.name = strong ? "R+rel-acq" : "R+rlx";
    r.declarations = {"x=0", "y=0"};
    r.threads = {{relaxed_store("x", 1), ordering.store("y", 1)}, {relaxed_store("y", 2), ordering.load("r0", "x")}};
    r.assertion = "exists (y == 2 /\\ P1:r0 == 0)";
    r.verdict.holds = true;
    r.verdict.executions = 4;
    r.verdict.outcomes = {"P1:r0=0 y=1", "P1:r0=0 y=2", "P1:r0=1 y=1", "P1:r0=1 y=2"};
    r.clause = "synchronizes-with";
    r.reason = "modification order does not synchronize: that takes a read of the released value";
    r.twin = "S+rel-acq";
    out.push_back(in_one_workgroup(r));
  }
}

void add_two_plus_two(Family& out) {
  for (const std::string barrier : {"", "cbar.wg 1", "cbar.acq_rel.wg.semsc0 1"}) {
    const bool strong = barrier.size() > 10;
    ShapeText w;
    w.name = barrier.empty() ? "2+2W" : strong ? "2+2W+cbar" : "2+2W+cbar+plain";
    w.declarations = {"x=0", "y=0"};
    w.threads = {{relaxed_store("x", 1), relaxed_store("y", 2)}, {relaxed_store("y", 1), relaxed_store("x", 2)}};
    if (!barrier.empty()) {
      for (auto& code : w.threads) code.insert(code.begin() + 1, barrier);
    }
    w.assertion = "exists (x == 1 /\\ y == 1)";
    w.verdict.holds = !strong;
    w.verdict.executions = strong ? 1 : 4;
    if (strong) {
      w.verdict.outcomes = {"x=2 y=2"};
    } else {
      w.verdict.outcomes = {"x=1 y=1", "x=1 y=2", "x=2 y=1", "x=2 y=2"};
    }
    w.clause = "scoped-modification-order";
    w.reason = strong ? "the barrier orders each first write before the other thread's second"
                      : "writes to different locations are not ordered by program order";
    w.twin = strong ? "2+2W+cbar+plain" : "2+2W+cbar";
    out.push_back(in_one_workgroup(w));
  }
}

}  // namespace

Family write_shapes() {
  Family out;
  add_s(out);
  add_r(out);
  add_two_plus_two(out);
  return out;
}

}  // namespace heddle::litmus::library
