// CoRR, CoWW, CoWR, CoRW: one location, and what one thread may see of it; through one reference
// and through two, private and not, in scope and out of it.
//
// Reasoning. Accesses of one agent through one reference are location-ordered by program order,
// whatever they are; through two references writes need availability and visibility, reads before
// anything do not, unless they are private. What is not location-ordered races, within an agent as
// well.

#include "tests/litmus/families/shapes.h"

namespace heddle::litmus::library {
namespace {

ShapeText shape(const std::string& name, std::vector<std::vector<std::string>> threads, const std::string& assertion) {
  ShapeText out;
  out.name = name;
  out.declarations = {"x=0", "y aliases x"};
  out.threads = std::move(threads);
  out.assertion = assertion;
  return out;
}

void add_read_read(Family& out) {
  // The reads are ordered, the first one saw the write, the second one from-reads it.
  ShapeText rr = shape("CoRR", {{relaxed_store("x", 1)}, {relaxed_load("r0", "x"), relaxed_load("r1", "x")}},
                       "exists (P1:r0 == 1 /\\ P1:r1 == 0)");
  rr.verdict = {false, false, 3, all_outcomes_but({"P1:r0", "P1:r1"}, {"P1:r0=1 P1:r1=0"})};
  rr.clause = "scoped-modification-order-coherence";
  rr.reason = "two reads through one reference cannot see a location go back";
  rr.twin = "CoRR+alias+private";
  out.push_back(in_one_workgroup(rr));

  // Non-private reads are ordered by happens-before alone; the reference does not matter for a
  // read.
  rr.name = "CoRR+alias";
  rr.threads[1][1] = relaxed_load("r1", "y");
  rr.verdict.racy = true;
  rr.clause = "location-ordered";
  rr.reason =
      "a read comes before what follows it through any reference; but the second read is not "
      "mutually ordered with the write, through another reference, and races";
  rr.twin = "CoRR";
  out.push_back(in_one_workgroup(rr));

  rr.name = "CoRR+alias+private";
  rr.threads[1] = {"ld.sc0 r0, x", "ld.sc0 r1, y"};
  rr.verdict = {true, true, 4, all_outcomes({"P1:r0", "P1:r1"})};
  rr.reason = "private reads through two references are not ordered, even within an agent";
  rr.twin = "CoRR+nonatomic";
  out.push_back(in_one_workgroup(rr));

  rr.name = "CoRR+nonatomic";
  rr.threads[1] = {"ld.nonpriv.sc0 r0, x", "ld.nonpriv.sc0 r1, x"};
  rr.verdict = {false, true, 3, all_outcomes_but({"P1:r0", "P1:r1"}, {"P1:r0=1 P1:r1=0"})};
  rr.clause = "acyclicity";
  rr.reason = "coherence holds in races, too: reads-from, location order and from-reads have no cycle";
  rr.twin = "CoRR+alias+private";
  out.push_back(in_one_workgroup(rr));

  rr.name = "CoRR+subgroup";
  rr.threads[1] = {"ld.atom.sg.sc0 r0, x", "ld.atom.sg.sc0 r1, x"};
  rr.clause = "atomic-operation";
  rr.reason = "the reads are atomic for another subgroup than the write's: they race, coherently";
  rr.twin = "CoRR";
  out.push_back(in_one_workgroup(rr));
}

void add_write_write(Family& out) {
  ShapeText ww = shape("CoWW", {{relaxed_store("x", 1), relaxed_store("x", 2)}}, "exists (x == 1)");
  ww.verdict = {false, false, 1, {"x=2"}};
  ww.clause = "scoped-modification-order-coherence";
  ww.reason = "modification order follows location order";
  ww.twin = "CoWW+alias";
  out.push_back(in_one_workgroup(ww));

  ww.name = "CoWW+alias";
  ww.threads[0][1] = relaxed_store("y", 2);
  ww.verdict = {false, false, 1, {"x=2"}};
  // Both atomics make what they write available and are non-private, but W->W needs one reference.
  ww.verdict = {true, true, 1, {"x=1", "x=2"}};
  ww.clause = "location-ordered";
  ww.reason = "writes of one agent through two references are not ordered: it races with itself";
  ww.twin = "CoWW";
  out.push_back(in_one_workgroup(ww));

  for (const std::string kind : {"st.sc0", "st.nonpriv.sc0", "st.av.dv.sc0"}) {
    const std::string suffix = kind == "st.sc0" ? "private" : kind == "st.nonpriv.sc0" ? "nonprivate" : "available";
    ShapeText plain = shape("CoWW+" + suffix, {{kind + " x, 1", kind + " x, 2"}}, "exists (x == 1)");
    plain.verdict = {false, false, 1, {"x=2"}};
    plain.clause = "location-ordered";
    plain.reason = "program order is enough for one agent and one reference";
    plain.twin = "CoWW+" + suffix + "+alias";
    out.push_back(in_one_workgroup(plain));
    plain.name = plain.twin;
    plain.threads[0][1] = kind + " y, 2";
    plain.verdict = {true, true, 1, {"x=1", "x=2"}};
    plain.reason = "another reference needs availability and visibility through the device domain";
    plain.twin = "CoWW+" + suffix;
    out.push_back(in_one_workgroup(plain));
  }
}

void add_write_read(Family& out) {
  ShapeText own = shape("CoWR", {{relaxed_store("x", 1), relaxed_load("r0", "x")}}, "exists (P0:r0 == 0)");
  own.verdict = {false, false, 1, {"P0:r0=1"}};
  own.clause = "scoped-modification-order-coherence";
  own.reason = "a read cannot miss its own agent's write";
  own.twin = "CoWR+alias";
  out.push_back(in_one_workgroup(own));

  own.name = "CoWR+alias";
  own.threads[0][1] = relaxed_load("r0", "y");
  own.verdict = {true, true, 2, {"P0:r0=0", "P0:r0=1"}};
  own.clause = "references";
  own.reason = "through another reference an agent may miss its own write";
  own.twin = "CoWR";
  out.push_back(in_one_workgroup(own));

  // Writes 1 then 2: own value or the later one. Writes 2 then 1: only the own one, which hides 2.
  ShapeText other = shape("CoWR+other", {{relaxed_store("x", 1), relaxed_load("r0", "x")}, {relaxed_store("x", 2)}},
                          "exists (P0:r0 == 2 /\\ x == 1)");
  other.verdict = {false, false, 3, {"P0:r0=1 x=1", "P0:r0=1 x=2", "P0:r0=2 x=2"}};
  other.clause = "scoped-modification-order-coherence";
  other.reason = "after its own write an agent sees that one or a later one";
  other.twin = "CoWR+other+alias";
  out.push_back(in_one_workgroup(other));

  // The read from-reads the writes later than what it saw, but nothing ties it to the own write.
  other.name = "CoWR+other+alias";
  other.threads[0][1] = relaxed_load("r0", "y");
  other.verdict = {true, true, 6, {}};
  for (const char* const read : {"0", "1", "2"}) {
    for (const char* const last : {"1", "2"}) {
      other.verdict.outcomes.push_back(std::string("P0:r0=") + read + " x=" + last);
    }
  }
  other.clause = "references";
  other.reason = "a read through another reference is not ordered after its own agent's write";
  other.twin = "CoWR+other";
  out.push_back(in_one_workgroup(other));
}

void add_read_write(Family& out) {
  ShapeText own = shape("CoRW1", {{relaxed_load("r0", "x"), relaxed_store("x", 1)}}, "exists (P0:r0 == 1)");
  own.verdict = {false, false, 1, {"P0:r0=0"}};
  own.clause = "scoped-modification-order-coherence";
  own.reason = "a read cannot see a write that its own agent makes later";
  own.twin = "CoRW1+private+alias";
  out.push_back(in_one_workgroup(own));

  own.name = "CoRW1+nonprivate+alias";
  own.threads[0] = {"ld.nonpriv.sc0 r0, y", "st.nonpriv.sc0 x, 1"};
  own.clause = "location-ordered";
  own.reason = "a non-private read comes before a later write through any reference";
  out.push_back(in_one_workgroup(own));

  own.name = "CoRW1+private+alias";
  own.threads[0] = {"ld.sc0 r0, y", "st.sc0 x, 1"};
  own.verdict = {true, true, 2, {"P0:r0=0", "P0:r0=1"}};
  own.reason = "a private read is not ordered before a write through another reference";
  own.twin = "CoRW1+nonprivate+alias";
  out.push_back(in_one_workgroup(own));

  // Writes 1 then 2: seeing 2 would be seeing the future. Writes 2 then 1: 0 or 2.
  ShapeText other = shape("CoRW2", {{relaxed_load("r0", "x"), relaxed_store("x", 1)}, {relaxed_store("x", 2)}},
                          "exists (P0:r0 == 2 /\\ x == 2)");
  other.verdict = {false, false, 3, {"P0:r0=0 x=1", "P0:r0=0 x=2", "P0:r0=2 x=1"}};
  other.clause = "scoped-modification-order-coherence";
  other.reason = "what a read sees is earlier than its own agent's later write";
  other.twin = "CoRW2+subgroup";
  out.push_back(in_one_workgroup(other));

  // The writes are not ordered: either is final in the one execution for each value read.
  other.name = "CoRW2+subgroup";
  other.threads[0] = {"ld.atom.sg.sc0 r0, x", "st.atom.sg.sc0 x, 1"};
  other.verdict = {true, true, 2, {"P0:r0=0 x=1", "P0:r0=0 x=2", "P0:r0=2 x=1", "P0:r0=2 x=2"}};
  other.clause = "atomic-operation";
  other.reason = "out of scope the two writes have no modification order";
  other.twin = "CoRW2";
  out.push_back(in_one_workgroup(other));
}

void add_two_writers_two_readers(Family& out) {
  // Each order of the writes lets each reader see one of six non-decreasing pairs: 2 * 6 * 6.
  ShapeText co = shape("CoIRIW",
                       {{relaxed_store("x", 1)},
                        {relaxed_store("x", 2)},
                        {relaxed_load("r0", "x"), relaxed_load("r1", "x")},
                        {relaxed_load("r0", "x"), relaxed_load("r1", "x")}},
                       "exists (P2:r0 == 1 /\\ P2:r1 == 2 /\\ P3:r0 == 2 /\\ P3:r1 == 1)");
  co.verdict = {false, false, 72, {}};
  co.clause = "scoped-modification-order";
  co.reason = "readers inside the scope agree on one order of the writes";
  co.twin = "CoIRIW+subgroup";
  out.push_back(in_one_workgroup(co));
  // No order of the writes: from-reads goes from the initial value alone. A reader sees any of nine
  // pairs but those that go back to the initial value: 7 each.
  co.name = "CoIRIW+subgroup";
  co.threads[0] = {"st.atom.sg.sc0 x, 1"};
  co.threads[1] = {"st.atom.sg.sc0 x, 2"};
  co.verdict = {true, true, 49, {}};
  co.clause = "atomic-operation";
  co.reason = "writes of other subgroups than each other's have no order to agree on";
  co.twin = "CoIRIW";
  out.push_back(in_one_workgroup(co));
}

}  // namespace

Family coherence() {
  Family out;
  add_read_read(out);
  add_write_write(out);
  add_write_read(out);
  add_read_write(out);
  add_two_writers_two_readers(out);
  return out;
}

}  // namespace heddle::litmus::library
