#include "emulator/explore/likeness.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace heddle::explore {
namespace {

bool is_same_place(const SourceLocation& a, const SourceLocation& b) {
  return a.line == b.line && a.column == b.column && std::string_view(a.file) == b.file;
}

/// Compares two agents, step by step.
class Comparison {
 public:
  Comparison(TraceTree& a, TraceTree& b) : a_(a), b_(b) {}

  bool are_same(TraceTree::Node at_a, TraceTree::Node at_b) {
    const Step& of_a = a_.step(at_a);
    const Step& of_b = b_.step(at_b);
    if (!are_same(of_a, of_b)) return false;
    std::vector<Value> values;
    for (const auto& child : a_.children(at_a)) values.push_back(child.first);
    for (const auto& child : b_.children(at_b)) values.push_back(child.first);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return std::all_of(values.begin(), values.end(), [&](Value value) {
      if (of_a.modify && of_a.modify(value) != of_b.modify(value)) return false;
      return are_same(a_.after(at_a, value), b_.after(at_b, value));
    });
  }

 private:
  bool are_same(const Step& a, const Step& b) {
    return a.kind == b.kind && a.goes_on == b.goes_on && a.results == b.results && a.use == b.use &&
           a.spins_alike == b.spins_alike && a.unread == b.unread && a.call == b.call && a.quorum == b.quorum &&
           a.postponable == b.postponable && a.written == b.written && bool{a.modify} == bool{b.modify} &&
           (a.kind != StepKind::Operation || (are_same(a.operation, b.operation) && meet_the_same(a, b)));
  }

  static bool are_same(const Operation& a, const Operation& b) {
    return a.kind == b.kind && a.atomic == b.atomic && a.storage_class == b.storage_class &&
           a.reference == b.reference && a.locations == b.locations && a.scope == b.scope &&
           a.semantics == b.semantics && a.operands == b.operands && a.available_scope == b.available_scope &&
           a.visible_scope == b.visible_scope && a.execution_scope == b.execution_scope && a.tags == b.tags &&
           is_same_place(a.where, b.where);
  }

  // With the same others, or alone; instances of those who are alone have names of their own, one for one.
  bool meet_the_same(const Step& a, const Step& b) {
    if (a.operation.kind != OperationKind::ControlBarrier) return true;
    if (a.participants.size() != b.participants.size()) return false;
    if (a.participants.size() > 1)
      return a.participants == b.participants && a.operation.barrier_instance == b.operation.barrier_instance;
    const std::uint64_t of_a = a.operation.barrier_instance;
    const std::uint64_t of_b = b.operation.barrier_instance;
    return b_name_.emplace(of_a, of_b).first->second == of_b && a_name_.emplace(of_b, of_a).first->second == of_a;
  }

  TraceTree& a_;
  TraceTree& b_;
  std::map<std::uint64_t, std::uint64_t> a_name_;
  std::map<std::uint64_t, std::uint64_t> b_name_;
};

}  // namespace

bool do_the_same(TraceTree& a, TraceTree& b) {
  return Comparison(a, b).are_same(TraceTree::kRoot, TraceTree::kRoot);
}

}  // namespace heddle::explore
