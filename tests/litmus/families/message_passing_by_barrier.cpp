// MP+cbar: P0 writes data before a control barrier that P1 passes before it reads the data.
//
// Reasoning. A control barrier with memory semantics is a fence, so P0's release synchronizes-with
// P1's acquire through it if both are in one workgroup, meet in one instance, and each is inside
// the other's memory scope. Then, as for MP, storage class, non-private, availability and
// visibility decide. In order: one value, one execution, no race. Broken: two values, two
// executions, a race.

#include "tests/litmus/families/library_test.h"

namespace heddle::litmus::library {
namespace {

struct Shape {
  std::string write = "st.nonpriv.sc0 data, 1";
  std::string before = "cbar.acq_rel.SCOPE.semsc0.semav.semvis 1";
  std::string after = "cbar.acq_rel.SCOPE.semsc0.semav.semvis 1";
  std::string read = "ld.nonpriv.sc0 r0, data";
  Where reader = {1, 0, 0};
};

struct Mutant {
  std::string name;
  Shape shape;
  bool broken;
  std::string clause;
  std::string reason;
};

std::string with_scope(std::string text, const std::string& scope) {
  const std::size_t at = text.find("SCOPE");
  return at == std::string::npos ? text : text.replace(at, 5, scope);
}

Mutant mutant(const std::string& name, bool broken, const std::string& clause, const std::string& reason) {
  return {name, {}, broken, "vk:memory-model-" + clause, reason};
}

std::vector<Mutant> mutants() {
  std::vector<Mutant> out;
  const auto add = [&](Mutant m, auto&& change) {
    change(m.shape);
    out.push_back(std::move(m));
  };
  add(mutant("", false, "synchronizes-with",
             "a control barrier that releases and acquires orders what is on its two sides"),
      [](Shape&) {});
  add(mutant("+plain", true, "synchronizes-with", "a control barrier without memory semantics orders no memory"),
      [](Shape& s) { s.before = s.after = "cbar.SCOPE 1"; });
  add(mutant("+norel", true, "synchronizes-with", "the writer's side of the barrier only acquires"),
      [](Shape& s) { s.before = "cbar.acq.SCOPE.semsc0.semvis 1"; });
  add(mutant("+noacq", true, "synchronizes-with", "the reader's side of the barrier only releases"),
      [](Shape& s) { s.after = "cbar.rel.SCOPE.semsc0.semav 1"; });
  add(mutant("+halves", false, "synchronizes-with",
             "a release on the writer's side and an acquire on the reader's are enough"),
      [](Shape& s) {
        s.before = "cbar.rel.SCOPE.semsc0.semav 1";
        s.after = "cbar.acq.SCOPE.semsc0.semvis 1";
      });
  add(mutant("+relmask", true, "inter-thread-happens-before",
             "the writer's side orders another storage class than the data's"),
      [](Shape& s) { s.before = "cbar.acq_rel.SCOPE.semsc1.semav.semvis 1"; });
  add(mutant("+acqmask", true, "inter-thread-happens-before",
             "the reader's side orders another storage class than the data's"),
      [](Shape& s) { s.after = "cbar.acq_rel.SCOPE.semsc1.semav.semvis 1"; });
  add(mutant("+bothclasses", false, "inter-thread-happens-before",
             "both sides order the data's storage class, whatever else one of them orders"),
      [](Shape& s) { s.after = "cbar.acq_rel.SCOPE.semsc0.semsc1.semav.semvis 1"; });
  add(mutant("+noav", true, "availability-visibility", "the write is never made available"),
      [](Shape& s) { s.before = "cbar.acq_rel.SCOPE.semsc0.semvis 1"; });
  add(mutant("+novis", true, "availability-visibility", "the write is never made visible"),
      [](Shape& s) { s.after = "cbar.acq_rel.SCOPE.semsc0.semav 1"; });
  add(mutant("+privw", true, "non-private", "a private write needs system synchronization"),
      [](Shape& s) { s.write = "st.sc0 data, 1"; });
  add(mutant("+privr", true, "non-private", "a private read needs system synchronization"),
      [](Shape& s) { s.read = "ld.sc0 r0, data"; });
  add(mutant("+ids", true, "synchronizes-with", "the two barriers are different instances"),
      [](Shape& s) { s.after = "cbar.acq_rel.SCOPE.semsc0.semav.semvis 2"; });
  add(mutant("+textids", true, "synchronizes-with", "instances have names, and 01 is not 1"),
      [](Shape& s) { s.after = "cbar.acq_rel.SCOPE.semsc0.semav.semvis 01"; });
  add(mutant("+otherwg", true, "scope",
             "the execution scope of a barrier is the workgroup, and the reader is in another one"),
      [](Shape& s) {
        s.reader = {0, 1, 0};
      });
  add(mutant("+fences", false, "synchronizes-with", "fences around a barrier without semantics synchronize through it"),
      [](Shape& s) {
        s.before = "membar.rel.SCOPE.semsc0.semav|cbar.SCOPE 1";
        s.after = "cbar.SCOPE 1|membar.acq.SCOPE.semsc0.semvis";
      });
  add(mutant("+latefence", true, "synchronizes-with", "a release fence behind the barrier does not reach through it"),
      [](Shape& s) {
        s.before = "cbar.SCOPE 1|membar.rel.SCOPE.semsc0.semav";
        s.after = "cbar.SCOPE 1|membar.acq.SCOPE.semsc0.semvis";
      });
  add(mutant("+earlyfence", true, "synchronizes-with",
             "an acquire fence in front of the barrier does not look through it"),
      [](Shape& s) {
        s.before = "membar.rel.SCOPE.semsc0.semav|cbar.SCOPE 1";
        s.after = "membar.acq.SCOPE.semsc0.semvis|cbar.SCOPE 1";
      });
  return out;
}

void append(const std::string& instructions, std::vector<std::string>& code) {
  const std::size_t bar = instructions.find('|');
  code.push_back(instructions.substr(0, bar));
  if (bar != std::string::npos) code.push_back(instructions.substr(bar + 1));
}

LibraryTest make(const Mutant& mutant, const std::string& base, const std::string& scope, const std::string& twin) {
  LibraryTest out;
  out.name = base + mutant.name;
  out.declarations = {"data=0"};
  ThreadText writer;
  writer.code.push_back(mutant.shape.write);
  append(with_scope(mutant.shape.before, scope), writer.code);
  for (std::string& line : writer.code) line = with_scope(line, scope);
  ThreadText reader;
  reader.where = mutant.shape.reader;
  append(with_scope(mutant.shape.after, scope), reader.code);
  for (std::string& line : reader.code) line = with_scope(line, scope);
  reader.code.push_back(mutant.shape.read);
  out.threads = {writer, reader};
  out.assertion = "exists (P1:r0 == 0)";
  out.verdict = {mutant.broken, mutant.broken, mutant.broken ? 2 : 1, {}};
  if (mutant.broken) out.verdict.outcomes.push_back("P1:r0=0");
  out.verdict.outcomes.push_back("P1:r0=1");
  out.reason = mutant.reason;
  out.clause = mutant.clause;
  out.twin = twin;
  return out;
}

}  // namespace

Family message_passing_by_barrier() {
  Family out;
  for (const std::string scope : {"wg", "dv"}) {
    const std::string base = "MP+cbar+" + scope;
    for (const Mutant& each : mutants()) {
      const std::string twin = each.name == "+fences"                                    ? base + "+latefence"
                               : each.name == "+latefence" || each.name == "+earlyfence" ? base + "+fences"
                               : each.broken                                             ? base
                                                                                         : base + "+plain";
      out.push_back(make(each, base, scope, twin));
    }
    Mutant narrow = mutant("+narrow", true, "scope",
                           "the barrier blocks the workgroup, but its memory scope is a subgroup "
                           "that the writer is not in");
    narrow.shape.after = "cbar.acq_rel.sg.semsc0.semav.semvis 1";
    out.push_back(make(narrow, base, scope, base));
  }
  return out;
}

}  // namespace heddle::litmus::library
