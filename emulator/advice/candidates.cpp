#include "emulator/advice/candidates.h"

#include <heddle/edit.h>
#include <heddle/semantics.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "emulator/advice/narrowest_scope.h"
#include "emulator/advice/operation_text.h"
#include "emulator/edits/words.h"

namespace heddle::advice {
namespace {

using model::OperationIndex;
using ProgramEdit = heddle::Edit;
using ProgramEditList = std::vector<ProgramEdit>;

constexpr MemorySemantics kAcquires = MemorySemantics::Acquire | MemorySemantics::MakeVisible;
constexpr MemorySemantics kReleases = MemorySemantics::Release | MemorySemantics::MakeAvailable;
constexpr MemorySemantics kBoth =
    MemorySemantics::AcquireRelease | MemorySemantics::MakeAvailable | MemorySemantics::MakeVisible;

/// So many of the lines between two accesses are tried as places of a barrier.
constexpr std::size_t kLinesOnTheWay = 4;

class Candidates {
 public:
  Candidates(const Neighbourhood& part, const std::vector<std::uint64_t>& dispatches, const ChangeOptions& options)
      : part_(part),
        execution_(part.execution),
        x_(std::min(part.first, part.second)),
        y_(std::max(part.first, part.second)),
        dispatches_(dispatches),
        options_(options) {}

  std::vector<CandidateChange> all(const Changes& found) {
    if (dispatch_of(x_) != dispatch_of(y_)) {
      add_dependency();
      return std::move(made_);
    }
    for (const Change& change : found.changes)
      if (!change.unordered && !change.barrier && !reaches_far(change)) add(change);
    add_classes();
    // Within a workgroup its memory is shared by barriers, and hardly ever by messages.
    const bool is_shared = same(Scope::Workgroup) && x().storage_class == StorageClass::Workgroup;
    if (!is_shared) add_message();
    add_handed_on();
    for (const Change& change : found.changes)
      if (reaches_far(change)) add(change);
    add_all_barriers(found);
    if (is_shared) add_message();
    add_joined();
    for (const Change& change : found.changes) {
      if (!change.unordered) continue;
      add(change);
      add_as_message(change);
    }
    return std::move(made_);
  }

 private:
  const Operation& x() const { return execution_.operations[x_]; }
  const Operation& y() const { return execution_.operations[y_]; }
  std::uint64_t dispatch_of(OperationIndex index) const {
    return dispatches_[static_cast<std::size_t>(execution_.operations[index].agent)];
  }
  bool same(Scope scope) const { return model::same_instance(execution_.place(x_), execution_.place(y_), scope); }
  bool in_group_of(const Operation& op, OperationIndex access) const {
    return model::same_instance(execution_.place(op.agent), execution_.place(access), Scope::Workgroup);
  }
  MemorySemantics storage() const { return semantic_of(x().storage_class); }
  std::string line_of(const Operation& op) const {
    return options_.place ? options_.place(op) : advice::line_of(op, y().where.file);
  }

  void add(std::string text, ProgramEditList edits) {
    for (const CandidateChange& known : made_)
      if (known.edits == edits && known.text == text) return;
    made_.push_back({std::move(text), std::move(edits)});
  }
  void add(const Change& change) {
    // Each way to make an edit of the program, with all others.
    std::vector<ProgramEditList> ways = {{}};
    for (const Edit& edit : change.edits) {
      if (edit.program.empty()) return add(change.text, {});
      std::vector<ProgramEditList> longer;
      for (const ProgramEditList& way : edit.program)
        for (ProgramEditList so_far : ways) {
          so_far.insert(so_far.end(), way.begin(), way.end());
          longer.push_back(std::move(so_far));
        }
      ways = std::move(longer);
    }
    for (ProgramEditList& way : ways) add(change.text, std::move(way));
  }
  // Whether a control barrier is to order more than those who wait for each other there, which few languages have.
  static bool reaches_far(const Change& change) {
    const auto widens = [](const ProgramEdit& edit) {
      return edit.kind == EditKind::SetScope && edit.of == EditedKind::ControlBarrier &&
             includes(edit.scope, Scope::QueueFamily);
    };
    return std::any_of(change.edits.begin(), change.edits.end(), [&](const Edit& edit) {
      return !edit.program.empty() && std::any_of(edit.program[0].begin(), edit.program[0].end(), widens);
    });
  }
  // All may come to what is between the two, where only some come to each, or where no instruction stands.
  void add_barrier(const Change& change) {
    add(change);
    if (!may_meet_in_rounds()) return;
    const BarrierPlace& place = *change.barrier;
    const Operation* const from = access_at(place.from);
    if (from && is_behind_condition(place)) add(change.text, {round_barrier(*from, place.to)});
    if (place.from.is_at(place.to) || !place.depends_on_conditions()) add(change.text, {});
  }
  bool may_meet_in_rounds() const { return !rounds_.are_left_early && !rounds_.are_behind_condition; }
  static bool is_behind_condition(const BarrierPlace& place) {
    return place.from.is_at(place.to) || std::string_view(place.from.file) == place.to.file;
  }
  const Operation* access_at(const Step& step) const {
    for (const Operation* op : {&x(), &y()})
      if (op->where.line == step.line && std::string_view(op->where.file) == step.file &&
          (op->writes() || !step.is_at(part_.history.first_step()) || !step.is_at(part_.history.second_step())))
        return op;
    return nullptr;
  }
  ProgramEdit round_barrier(const Operation& from, const Step& to) const {
    ProgramEdit edit = barrier(Scope::Workgroup, from, true);
    edit.kind = EditKind::PutRoundBarrier;
    edit.ordinal = 0;
    edit.until_line = to.line == from.where.line ? 0 : to.line;
    return edit;
  }
  void add_all_barriers(const Changes& found) {
    rounds_ = rounds_of(part_.history);
    for (const Change& change : found.changes)
      if (change.barrier) add_barrier(change);
    add_barriers(Scope::Workgroup);
    add_barriers_on_the_way();
    add_round_barriers();
    const bool may_be_of_subgroup = same(Scope::Subgroup) && !rounds_.are_left_early;
    if (may_be_of_subgroup) add_barriers(Scope::Subgroup);
    add_barriers_the_other_way(Scope::Workgroup);
    if (may_be_of_subgroup) add_barriers_the_other_way(Scope::Subgroup);
    add_end_of_round();
  }
  void add_end_of_round() {
    if (!options_.may_add_barriers || !same(Scope::Workgroup) || x().atomic || y().atomic || !may_meet_in_rounds())
      return;
    if (rounds_.end.empty()) return;
    add("put a control barrier, " + name_of_barrier(Scope::Workgroup) + ", " + rounds_.end, {});
  }
  void add_sentences(ProgramEditList edits) {
    std::string text;
    for (const ProgramEdit& edit : edits) text += (text.empty() ? "" : ", and ") + sentence_of(edit);
    add(std::move(text), std::move(edits));
  }

  // A read before a write needs no memory dependency.
  void add_dependency() {
    ProgramEdit edit;
    edit.kind = EditKind::PutDependency;
    edit.dispatch = std::max(dispatch_of(x_), dispatch_of(y_));
    if (!x().writes()) {
      edit.orders_memory = false;
      add_sentences({edit});
      edit.orders_memory = true;
    }
    add_sentences({edit});
  }

  // The classes of the atomics that the fences go by, and of the memory.
  //= vk:memory-model-synchronizes-with
  void add_classes() {
    MemorySemantics classes = storage();
    for (const Operation& op : execution_.operations)
      if (op.is_access() && op.atomic) classes = classes | semantic_of(op.storage_class);
    ProgramEditList edits;
    for (const Operation& op : execution_.operations) {
      if (op.kind != OperationKind::MemoryBarrier) continue;
      ProgramEdit edit = program_edit(EditKind::AddSemantics, op);
      edit.semantics = classes & ~op.semantics;
      const bool is_known = std::find(edits.begin(), edits.end(), edit) != edits.end();
      if (edit.semantics != MemorySemantics::None && !is_known) edits.push_back(edit);
    }
    if (!edits.empty()) add_sentences(std::move(edits));
  }

  // What an atomic needs to release what was done before it, or to acquire what others released.
  void add_order(const Operation& atomic, MemorySemantics order, ProgramEditList& edits) const {
    const bool has_order =
        (!acquires(order) || acquires(atomic.semantics)) && (!releases(order) || releases(atomic.semantics)) &&
        has(atomic.semantics, order & (MemorySemantics::MakeAvailable | MemorySemantics::MakeVisible)) &&
        has(atomic.semantics, storage());
    ProgramEdit edit = program_edit(EditKind::GiveSemantics, atomic);
    MemorySemantics wanted = order;
    if (acquires(atomic.semantics) && !acquires(wanted)) wanted = kBoth;
    if (releases(atomic.semantics) && !releases(wanted)) wanted = kBoth;
    edit.semantics = wanted | storage() | storage_classes(atomic.semantics);
    if (!has_order && std::find(edits.begin(), edits.end(), edit) == edits.end()) edits.push_back(edit);
    const Scope narrowest = narrowest_scope(execution_, x_, y_);
    if (includes(atomic.scope, narrowest)) return;
    ProgramEdit wider = program_edit(EditKind::SetScope, atomic);
    wider.scope = narrowest;
    if (std::find(edits.begin(), edits.end(), wider) == edits.end()) edits.push_back(wider);
  }

  // A write by the first access's workgroup behind it, and a read by the second one's before it, of one atomic: both
  // ends of the message, whatever they have of it already.
  void add_message() {
    const std::vector<Operation>& all = execution_.operations;
    std::vector<ProgramEditList> with_barrier;
    for (OperationIndex sent = x_ + 1; sent < y_; ++sent) {
      if (!all[sent].atomic || !all[sent].writes() || !in_group_of(all[sent], x_)) continue;
      for (OperationIndex got = sent + 1; got < y_; ++got) {
        if (!all[got].atomic || !all[got].reads() || !in_group_of(all[got], y_) || all[got].agent == all[sent].agent ||
            all[got].locations != all[sent].locations)
          continue;
        const ProgramEditList ends = add_ends(all[sent], all[got]);
        if (all[sent].agent == x().agent && all[got].agent == y().agent) continue;
        with_barrier.push_back(with_barriers(ends, all[sent], all[got]));
        with_barrier.push_back(with_round_barriers(ends, all[sent], all[got]));
      }
    }
    for (ProgramEditList& edits : with_barrier) add_sentences(std::move(edits));
    add_waits_for_listener();
  }
  // One of the second one's workgroup listens, and the second did not wait for it.
  void add_waits_for_listener() {
    if (same(Scope::Workgroup)) return;
    for (const Operation& got : execution_.operations)
      if (got.atomic && got.reads() && got.agent != y().agent && in_group_of(got, y_))
        add_sentences({round_barrier(got, step_of(y()))});
  }
  // Each invocation is to wait for those of its workgroup before one of it sends, or until one of it has heard.
  ProgramEditList with_barriers(ProgramEditList ends, const Operation& sent, const Operation& got) const {
    if (sent.agent != x().agent) ends.push_back(barrier(Scope::Workgroup, x(), true));
    if (got.agent != y().agent) ends.push_back(at_first(barrier(Scope::Workgroup, y(), false)));
    return ends;
  }
  ProgramEditList with_round_barriers(ProgramEditList ends, const Operation& sent, const Operation& got) const {
    if (sent.agent != x().agent) ends.push_back(round_barrier(x(), step_of(sent)));
    if (got.agent != y().agent) ends.push_back(round_barrier(got, step_of(y())));
    return ends;
  }
  static Step step_of(const Operation& op) {
    Step step;
    step.line = op.where.line;
    step.file = op.where.file;
    return step;
  }
  // What others lack who stand between the two: to acquire, and to release.
  void add_handed_on() {
    ProgramEditList edits;
    for (const Operation& op : execution_.operations)
      if (op.is_access() && op.atomic && op.agent != x().agent && op.agent != y().agent)
        add_order(op, order_of_end(op), edits);
    if (!edits.empty()) add_sentences(std::move(edits));
  }
  static MemorySemantics order_of_end(const Operation& atomic) {
    if (atomic.kind == OperationKind::Read) return kAcquires;
    return atomic.kind == OperationKind::Write ? kReleases : kBoth;
  }
  // Returns the orders and scopes of them.
  ProgramEditList add_ends(const Operation& sent, const Operation& got) {
    ProgramEditList edits;
    const bool is_one = same_instruction(sent, got);
    add_order(sent, is_one ? kBoth : kReleases, edits);
    if (!is_one) add_order(got, got.kind == OperationKind::ReadModifyWrite ? kBoth : kAcquires, edits);
    ProgramEditList orders = edits;
    if (edits.empty()) return orders;
    add_non_private(edits);
    add_sentences(std::move(edits));
    return orders;
  }
  void add_non_private(ProgramEditList& edits) const {
    for (const Operation* op : {&x(), &y()}) {
      if (op->is_non_private()) continue;
      ProgramEdit edit = program_edit(EditKind::AddOperands, *op);
      edit.operands = MemoryOperands::NonPrivatePointer;
      edits.push_back(edit);
    }
  }

  // The bytes may be a flag, whose reader goes on to what its writer wrote before, if only in other runs than this one:
  // both become atomic, and order what is around them.
  void add_as_message(const Change& unordered) {
    if (!x().writes() && !y().writes()) return;
    if (x().kind == OperationKind::Write && y().kind == OperationKind::Write) return;
    ProgramEditList edits;
    for (const Edit& edit : unordered.edits) {
      if (edit.program.empty()) return;
      for (ProgramEdit of_program : edit.program.front()) {
        if (of_program.kind == EditKind::MakeAtomic)
          of_program.semantics = (of_program.of == EditedKind::Read ? kAcquires : kReleases) | classes_around();
        edits.push_back(of_program);
      }
    }
    for (const Operation* op : {&x(), &y()})
      if (op->atomic) add_order(*op, order_of_end(*op), edits);
    add_sentences(std::move(edits));
  }
  // The storage classes of what is accessed plainly, as far as the two agents share it.
  MemorySemantics classes_around() const {
    MemorySemantics classes = storage();
    for (const Operation& op : execution_.operations)
      if (op.is_access() && !op.atomic && (op.storage_class != StorageClass::Workgroup || same(Scope::Workgroup)))
        classes = classes | semantic_of(op.storage_class);
    return classes;
  }

  // Who reads, and then writes there in another line, is to do both at once.
  void add_joined() {
    for (const Operation& read : execution_.operations) {
      if (!may_join(read) || read.kind != OperationKind::Read) continue;
      const Operation* const write = write_behind(read);
      // (An update in one line is a change that was found before.)
      if (!write || in_one_line(read, *write) || !is_of(x(), read, *write) || !is_of(y(), read, *write)) continue;
      add("make the read in " + line_of(read) + " and the write in " + line_of(*write) +
              " one atomic read-modify-write (" + std::string(name_of(reach_of_atomics())) +
              ", Relaxed), such as atomic_compare_exchange or atomic_u_max",
          {join_edit(read, reach_of_atomics()), join_edit(*write, reach_of_atomics())});
      return;
    }
  }
  static bool may_join(const Operation& op) {
    return op.is_access() && !op.atomic && (op.locations.size_bytes == 4 || op.locations.size_bytes == 8);
  }
  // What the invocation of this read writes there next.
  const Operation* write_behind(const Operation& read) const {
    const Operation* const end = execution_.operations.data() + execution_.operations.size();
    const Operation* const write = std::find_if(
        &read + 1, end, [&](const Operation& op) { return op.agent == read.agent && op.locations == read.locations; });
    return write != end && write->kind == OperationKind::Write && may_join(*write) ? write : nullptr;
  }
  static bool is_of(const Operation& access, const Operation& read, const Operation& write) {
    return same_instruction(access, read) || same_instruction(access, write);
  }
  Scope reach_of_atomics() const {
    return x().storage_class == StorageClass::Workgroup ? Scope::Workgroup : Scope::Device;
  }

  ProgramEdit barrier(Scope scope, const Operation& beside, bool behind) const {
    ProgramEdit edit = program_edit(EditKind::PutControlBarrier, beside);
    edit.execution_scope = edit.scope = scope;
    edit.semantics = kBoth | storage();
    edit.behind = behind;
    edit.ordinal = ordinal_of(beside);
    return edit;
  }
  // Where a line accesses several objects alike: which of them this is; else 0.
  std::uint32_t ordinal_of(const Operation& access) const {
    std::vector<ReferenceId> known;
    for (const Operation& op : execution_.operations)
      if (op.kind == access.kind && op.atomic == access.atomic && in_one_line(op, access) &&
          std::find(known.begin(), known.end(), op.reference) == known.end())
        known.push_back(op.reference);
    if (known.size() < 2) return 0;
    const auto at = std::find(known.begin(), known.end(), access.reference);
    return static_cast<std::uint32_t>(at - known.begin()) + 1;
  }
  static ProgramEdit at_first(ProgramEdit edit) {
    edit.of = EditedKind::First;
    edit.behind = false;
    edit.ordinal = 0;
    return edit;
  }

  void put(Scope scope, const std::string& place, ProgramEditList edits) {
    add_non_private(edits);
    add("put a control barrier, " + name_of_barrier(scope) + ", " + place, std::move(edits));
  }
  void add_barriers(Scope scope) {
    if (!options_.may_add_barriers) return;
    if (in_one_line(x(), y())) return add_barriers_in_line(scope);
    put(scope, "behind the " + kind_of(x()) + " in " + line_of(x()), {barrier(scope, x(), true)});
    put(scope, "before " + line_of(y()), {at_first(barrier(scope, y(), false))});
  }
  // Behind the conditions around the one line, before those around the other one: in a loop, in both orders.
  void add_round_barriers() {
    if (!options_.may_add_barriers || !same(Scope::Workgroup) || std::string_view(x().where.file) != y().where.file ||
        !may_meet_in_rounds())
      return;
    if (in_one_line(x(), y()))
      return add_sentences({round_barrier(x().writes() ? x() : y(), part_.history.first_step())});
    add_sentences({round_barrier(x(), part_.history.second_step())});
    add_sentences({round_barrier(y(), part_.history.first_step())});
  }
  void add_barriers_in_line(Scope scope) {
    const ProgramEdit first = at_first(barrier(scope, x(), false));
    const Operation& write = x().writes() ? x() : y();
    const Operation& read = x().writes() ? y() : x();
    const std::string place = "between one execution of " + line_of(x()) + " and the next";
    put(scope, place, {barrier(scope, write, true)});
    put(scope, place, {first});
    if (read.writes() || !write.writes()) return;
    add("part the read and the write in " + line_of(x()) + ": read into a variable, put a control barrier, " +
            name_of_barrier(scope) + ", write, and put another one behind it",
        {first, barrier(scope, write, false)});
  }
  // Lines that both come to between the two: all may come there, where not all come to the two.
  void add_barriers_on_the_way() {
    if (!options_.may_add_barriers || !same(Scope::Workgroup)) return;
    const std::vector<Step>& steps = part_.history.steps;
    std::vector<Step> known;
    for (std::size_t after = part_.history.first + 1; after < steps.size(); ++after) {
      const Step& step = steps[after];
      if (step.of_second || is_of_the_two(step) || is_in(known, step)) continue;
      const auto comes_there = [&](const Step& other) { return other.of_second && other.is_at(step); };
      if (std::none_of(steps.begin(), steps.end(), comes_there)) continue;
      known.push_back(step);
      Operation there = x();
      there.where.file = step.file;
      there.where.line = step.line;
      put(Scope::Workgroup, "before " + line_of(there), {at_first(barrier(Scope::Workgroup, there, false))});
      if (known.size() == kLinesOnTheWay) return;
    }
  }
  bool is_of_the_two(const Step& step) const {
    return step.is_at(part_.history.first_step()) || step.is_at(part_.history.second_step());
  }
  static bool is_in(const std::vector<Step>& steps, const Step& step) {
    return std::any_of(steps.begin(), steps.end(), [&](const Step& other) { return other.is_at(step); });
  }
  // The run met the two in one order only.
  void add_barriers_the_other_way(Scope scope) {
    if (!options_.may_add_barriers || in_one_line(x(), y())) return;
    put(scope, "behind the " + kind_of(y()) + " in " + line_of(y()), {barrier(scope, y(), true)});
    put(scope, "before " + line_of(x()), {at_first(barrier(scope, x(), false))});
    put(scope, "before " + line_of(x()) + ", and another one before " + line_of(y()),
        {at_first(barrier(scope, x(), false)), at_first(barrier(scope, y(), false))});
  }
  std::string name_of_barrier(Scope scope) const {
    const MemorySemantics semantics = kBoth | storage();
    const std::string_view known = edits::name_of_constant(semantics);
    const std::string name(name_of(scope));
    return "(Scope::" + name + ", Scope::" + name + ", " + (known.empty() ? text_of(semantics) : std::string(known)) +
           ")";
  }

  const Neighbourhood& part_;
  const model::Execution& execution_;
  OperationIndex x_;
  OperationIndex y_;
  const std::vector<std::uint64_t>& dispatches_;
  const ChangeOptions& options_;
  Rounds rounds_;
  std::vector<CandidateChange> made_;
};

}  // namespace

std::vector<CandidateChange> candidates(const Neighbourhood& part, const std::vector<std::uint64_t>& dispatches,
                                        const Changes& found, const ChangeOptions& options) {
  return Candidates(part, dispatches, options).all(found);
}

}  // namespace heddle::advice
