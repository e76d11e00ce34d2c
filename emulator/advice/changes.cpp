#include "emulator/advice/changes.h"

#include <heddle/edit.h>
#include <heddle/semantics.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <optional>
#include <string_view>
#include <tuple>

#include "emulator/advice/edits.h"
#include "emulator/advice/operation_text.h"
#include "emulator/edits/words.h"

namespace heddle::advice {
namespace {

using model::Execution;
using model::OperationIndex;

std::vector<Operation> ordering(std::vector<Operation> all) {
  std::erase_if(all, [](const Operation& op) { return !orders(op); });
  return all;
}

// An update that only acquires or only releases.
bool orders_one_way(const Operation& op) {
  return op.kind == OperationKind::ReadModifyWrite && acquires(op.semantics) != releases(op.semantics);
}

/// The changes that could order two operations.
class Search : private Edits {
 public:
  using Edits::Edits;

  Changes find() {
    if (dispatch_of(x_) != dispatch_of(y_)) {
      add(memory_dependency());
      return std::move(found_);
    }
    add(one_reference());
    if (need_scopes_only()) {
      add(wider_atomics());
      add_barrier();
      return std::move(found_);
    }
    add(repairs(false));
    if (options_.have_atomics) add(message(true));
    const std::size_t repaired = found_.changes.size();
    add(repairs(true));
    add(repairs_by_others());
    add(second_fences());
    // Where both the two and somebody on the way lack something.
    if (found_.changes.empty()) add(all_repairs());
    const bool are_updates = is_update(x_) && is_update(y_);
    if (options_.have_atomics && are_updates) add(one_update());
    add_barrier();
    if (options_.have_atomics) add(message(false));
    if (options_.have_atomics && !are_updates) add(atomics(), true);
    // To mend what is there to order them comes first.
    const auto others = found_.changes.begin() + static_cast<std::ptrdiff_t>(repaired);
    std::stable_sort(others, found_.changes.end(), [](const Change& a, const Change& b) {
      return std::pair(a.unordered, a.edits.size()) < std::pair(b.unordered, b.edits.size());
    });
    return std::move(found_);
  }

 private:
  void add(const std::vector<Edit>& edits, bool may_leave_unordered = false) {
    Change change;
    change.edits = smallest(edits);
    if (change.edits.empty()) return;
    change.unordered = may_leave_unordered && !orders_them(change.edits);
    change.text = text_of_all(change.edits);
    for (const Change& other : found_.changes)
      if (other.text == change.text) return;
    if (change.unordered) change.text += " (then it is no race, but which of them comes first is still open)";
    found_.changes.push_back(std::move(change));
  }
  // In the order of the source, and alike whichever came first.
  static std::string text_of_all(std::vector<Edit> edits) {
    std::stable_sort(edits.begin(), edits.end(),
                     [](const Edit& a, const Edit& b) { return std::tie(a.line, a.text) < std::tie(b.line, b.text); });
    std::string text;
    const std::string* last = nullptr;
    for (const Edit& edit : edits) {
      if (last && *last == edit.text) continue;
      text += (text.empty() ? "" : ", and ") + edit.text;
      last = &edit.text;
    }
    return text;
  }

  Execution changed_by(const std::vector<Edit>& edits, model::OperationPair& two) const {
    Change change;
    change.edits = edits;
    return change.made_in(part_, two);
  }

  bool races_with(const std::vector<Edit>& edits) {
    ++found_.tried;
    model::OperationPair two;
    const Execution changed = changed_by(edits, two);
    found_.work += std::uint64_t{changed.operations.size()} * changed.operations.size();
    for (const judge::Race& race : judge::Judgement(changed, options_.model).races())
      if (race.first == two.first && race.second == two.second) return true;
    return false;
  }

  bool orders_them(const std::vector<Edit>& edits) const {
    model::OperationPair two;
    const Execution changed = changed_by(edits, two);
    const judge::Judgement judgement(changed, options_.model);
    return judgement.location_ordered(two.first, two.second) || judgement.location_ordered(two.second, two.first);
  }

  // Takes one edit after the other away as long as the rest is enough: the dearest come last in the
  // list, and are tried first. Then takes less of those that are left.
  std::vector<Edit> smallest(std::vector<Edit> edits) {
    if (edits.empty() || races_with(edits)) return {};
    for (std::size_t i = edits.size(); i-- > 0;) {
      std::vector<Edit> fewer = edits;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (!races_with(fewer)) edits = std::move(fewer);
    }
    for (std::size_t i = 0; i < edits.size(); ++i) {
      std::vector<Edit> less = edits;
      for (const Edit& weaker : edits[i].weaker) {
        less[i] = weaker;
        if (races_with(less)) continue;
        edits = std::move(less);
        break;
      }
    }
    return edits;
  }

  // The instructions of the two agents, or of all others, each once.
  std::vector<Operation> instructions(bool of_others = false) const {
    std::vector<Operation> all;
    for (const Operation& op : execution_.operations) {
      const bool of_the_two =
          op.agent == execution_.operations[x_].agent || op.agent == execution_.operations[y_].agent;
      if (of_the_two == of_others) continue;
      if (std::none_of(all.begin(), all.end(), [&](const Operation& known) { return same_instruction(known, op); }))
        all.push_back(op);
    }
    // In the order of the source, whichever came first.
    std::stable_sort(all.begin(), all.end(), [](const Operation& a, const Operation& b) {
      return std::pair(std::string_view(a.where.file), a.where.line) <
             std::pair(std::string_view(b.where.file), b.where.line);
    });
    return all;
  }

  std::vector<Edit> repairs(bool promoting) const {
    std::vector<Edit> edits;
    make_non_private(edits);
    if (promoting) {
      // Where one of several is enough it is the one beside the access: others may be on the way in this run only.
      std::vector<Operation> could = could_order();
      std::stable_sort(could.begin(), could.end(),
                       [&](const Operation& a, const Operation& b) { return distance(a) < distance(b); });
      for (const Operation& op : could) edits.push_back(promote(op));
    }
    // What is there already was tried alone.
    const std::vector<Operation> orders = ordering(instructions());
    fit_tags(orders, edits);
    strengthen(orders, promoting, edits);
    return edits;
  }

  // The atomics and control barriers that order nothing yet, or one way only. What the second access itself reads is
  // left out: it is after the first access in this run, but not in all runs.
  std::vector<Operation> could_order() const {
    std::vector<Operation> could = instructions();
    std::erase_if(could, [&](const Operation& op) {
      const bool may = (op.is_access() && op.atomic) || op.kind == OperationKind::ControlBarrier;
      return !may || (orders(op) && !orders_one_way(op)) || same_instruction(op, execution_.operations[y_]);
    });
    return could;
  }

  // What others do between the two.
  std::vector<Edit> repairs_by_others() const {
    std::vector<Edit> edits;
    strengthen(ordering(instructions(true)), true, edits);
    return edits;
  }

  // What a fence makes visible it does not make available as well: that takes another one behind it.
  //= vk:memory-model-availability-visibility
  std::vector<Edit> second_fences() const {
    std::vector<Edit> edits;
    for (const Operation& fence : instructions(true)) {
      if (fence.kind != OperationKind::MemoryBarrier || !acquires(fence.semantics) || !releases(fence.semantics))
        continue;
      Edit edit{"put a second memory barrier like it behind the memory barrier in " + line_of(fence) +
                    ", which hands on only what was visible before it",
                [fence](Execution& execution) {
                  for (auto i = static_cast<OperationIndex>(execution.operations.size()); i-- > 0;)
                    if (same_instruction(execution.operations[i], fence))
                      insert(execution, i + 1, Operation(execution.operations[i]));
                },
                0,
                fence.where.line,
                0,
                {},
                {{second_fence(fence)}}};
      for (OperationIndex i = 0; i < y_; ++i) {
        if (!same_instruction(execution_.operations[i], fence)) continue;
        ++edit.inserts;
        if (i < x_) ++edit.inserts_before_first;
      }
      edits.push_back(std::move(edit));
    }
    return edits;
  }
  static heddle::Edit second_fence(const Operation& fence) {
    heddle::Edit edit = program_edit(EditKind::PutMemoryBarrier, fence);
    edit.scope = fence.scope;
    edit.semantics = fence.semantics;
    edit.behind = true;
    return edit;
  }
  std::vector<Edit> all_repairs() const {
    std::vector<Edit> edits = repairs(true);
    for (Edit& edit : repairs_by_others()) edits.push_back(std::move(edit));
    return edits;
  }

  // How many operations of its invocation are between the instruction, if that could release, and the first access
  // before it; or, if it could acquire, the second one behind it.
  std::ptrdiff_t distance(const Operation& instruction) const {
    const std::vector<Operation>& all = execution_.operations;
    const auto from = [&](OperationIndex access, OperationIndex op) {
      const auto [begin, end] = std::minmax(access, op);
      return std::count_if(all.begin() + begin, all.begin() + end,
                           [&](const Operation& o) { return o.agent == all[access].agent; });
    };
    const bool could_release = instruction.kind != OperationKind::Read && !releases(instruction.semantics);
    const bool could_acquire = instruction.kind != OperationKind::Write && !acquires(instruction.semantics);
    auto least = static_cast<std::ptrdiff_t>(all.size());
    for (OperationIndex op = 0; op < all.size(); ++op) {
      if (!same_instruction(all[op], instruction)) continue;
      if (could_release && all[op].agent == all[x_].agent && op > x_) least = std::min(least, from(x_, op));
      if (could_acquire && all[op].agent == all[y_].agent && op < y_) least = std::min(least, from(y_, op));
    }
    return least;
  }

  void add_barrier() {
    if (!options_.may_add_barriers || !same_workgroup() ||
        execution_.operations[x_].agent == execution_.operations[y_].agent)
      return;
    if (meet_between()) {
      found_.why_no_barrier = "one stands between them already, and it does not order them as it is";
      return;
    }
    const BarrierAnswer answer = barrier_place(part_.history);
    if (!answer.place) {
      found_.why_no_barrier = answer.why_not;
      return;
    }
    std::vector<Edit> edits;
    make_non_private(edits);
    edits.push_back(
        {"put a control barrier, (Scope::Workgroup, Scope::Workgroup, " + barrier_name() + "), " + answer.place->text,
         meet(),
         2,
         std::max(execution_.operations[x_].where.line, execution_.operations[y_].where.line),
         0,
         {},
         ways_to_put(*answer.place)});
    const std::size_t before = found_.changes.size();
    add(edits);
    if (found_.changes.size() > before) found_.changes.back().barrier = answer.place;
  }

  // Before what comes after it, or behind what comes before it.
  std::vector<std::vector<heddle::Edit>> ways_to_put(const BarrierPlace& place) const {
    heddle::Edit before;
    before.kind = EditKind::PutControlBarrier;
    before.of = EditedKind::First;
    before.file = place.to.file;
    before.line = place.to.line;
    before.execution_scope = before.scope = Scope::Workgroup;
    before.semantics = barrier_semantics();
    heddle::Edit behind = before;
    // Behind a read of the line it would stand within one execution of it.
    const bool is_write = place.from.writes || place.from.is_at(place.to);
    behind.of = is_write ? EditedKind::Write : EditedKind::Read;
    for (const OperationIndex i : {x_, y_}) {
      const Operation& op = execution_.operations[i];
      if (op.where.line == place.from.line && op.writes() == is_write) behind.of = edits::kind_of(op);
    }
    behind.file = place.from.file;
    behind.line = place.from.line;
    behind.behind = true;
    return {{before}, {behind}};
  }

  // Whether the first one's agent came to a control barrier behind its access that the second one's passed before its
  // own: another one there would do no more.
  bool meet_between() const {
    const std::vector<Operation>& all = execution_.operations;
    const auto is_barrier_of = [&](OperationIndex i, OperationIndex access) {
      return all[i].kind == OperationKind::ControlBarrier && all[i].agent == all[access].agent;
    };
    for (OperationIndex i = x_ + 1; i < all.size(); ++i)
      for (OperationIndex k = 0; is_barrier_of(i, x_) && k < y_; ++k)
        if (is_barrier_of(k, y_) && all[k].barrier_instance == all[i].barrier_instance) return true;
    return false;
  }

  std::vector<Edit> atomics() const {
    std::vector<Edit> edits;
    const Scope wanted = reach();
    for (const OperationIndex i : {x_, y_}) {
      const Operation& op = execution_.operations[i];
      if (op.atomic) {
        if (!includes(op.scope, narrowest())) edits.push_back(widen(op, narrowest()));
        continue;
      }
      edits.push_back(make_atomic(op, MemorySemantics::Relaxed, wanted));
    }
    return edits;
  }
  // Whether they are to order nothing, and only their scopes keep them from being atomic for each other.
  //= vk:memory-model-atomic-operation
  bool need_scopes_only() const {
    const Operation& x = execution_.operations[x_];
    const Operation& y = execution_.operations[y_];
    return x.atomic && y.atomic && !orders(x) && !orders(y) && x.locations == y.locations && x.reference == y.reference;
  }

  // A write after the first access, from which the second's invocation read before the second, one of them plain, or
  // both: as a release and an acquire.
  //= vk:memory-model-synchronizes-with
  std::vector<Edit> message(bool one_is_atomic) const {
    const std::vector<Operation>& all = execution_.operations;
    const auto could_be_atomic = [](const Operation& op) {
      return std::has_single_bit(op.locations.size_bytes) && op.locations.size_bytes <= 8;
    };
    for (OperationIndex write = x_ + 1; write < y_; ++write) {
      const Operation& sent = all[write];
      if (sent.agent != all[x_].agent || !sent.writes() || !could_be_atomic(sent)) continue;
      for (OperationIndex read = write + 1; read < y_; ++read) {
        const Operation& got = all[read];
        if (got.locations.overlaps(sent.locations) && got.writes() && got.agent != all[y_].agent) break;
        if (got.agent != all[y_].agent || !got.reads() || (got.atomic && sent.atomic) ||
            (got.atomic || sent.atomic) != one_is_atomic || got.locations != sent.locations ||
            got.reference != sent.reference)
          continue;
        if (got.atomic ? reads_from(read, write) : may_be_message(read, write)) return as_message(write, read);
      }
    }
    return {};
  }
  bool reads_from(OperationIndex read, OperationIndex write) const {
    return std::any_of(execution_.reads_from.begin(), execution_.reads_from.end(),
                       [&](const model::ReadsFrom& from) { return from.read == read && from.write == write; });
  }
  // Nothing says what plain reads read from.
  bool may_be_message(OperationIndex read, OperationIndex write) const {
    return execution_.operations[read].kind == OperationKind::Read &&
           execution_.read_values[read] == execution_.written_values[write] &&
           (!same_workgroup() || execution_.operations[write].atomic || has_polled(read));
  }
  std::vector<Edit> as_message(OperationIndex write, OperationIndex read) const {
    const Operation& sent = execution_.operations[write];
    const Operation& got = execution_.operations[read];
    std::vector<Edit> edits;
    make_non_private(edits);
    add_end(sent, got, kReleases, edits);
    add_end(got, sent, kAcquires, edits);
    if (!got.atomic) {
      const model::ReadsFrom from{read, write, got.locations};
      edits.back().apply = [from, made = edits.back().apply](Execution& execution) {
        made(execution);
        execution.reads_from.push_back(from);
      };
    }
    return edits;
  }
  // What an end lacks that is to order like this.
  void add_end(const Operation& end, const Operation& other, MemorySemantics order, std::vector<Edit>& edits) const {
    if (!end.atomic) {
      edits.push_back(make_atomic(end, order, scope_to_meet(other)));
    } else if (acquires(order) ? acquires(end.semantics) : releases(end.semantics)) {
      strengthen({end}, true, edits);
    } else {
      edits.push_back(promote(end));
    }
  }
  // The scope of an atomic at the other end, where that has both agents in it already.
  Scope scope_to_meet(const Operation& other) const {
    return other.atomic && includes(other.scope, scope()) ? other.scope : scope();
  }
  // Whether its invocation read something else there by the same instruction before: within a workgroup, what is read
  // but once is no message.
  bool has_polled(OperationIndex read) const {
    const std::vector<Operation>& all = execution_.operations;
    for (OperationIndex i = 0; i < read; ++i)
      if (all[i].agent == all[read].agent && same_instruction(all[i], all[read]) &&
          all[i].locations == all[read].locations && execution_.read_values[i] != execution_.read_values[read])
        return true;
    return false;
  }
  // The narrowest scope that has both invocations.
  std::vector<Edit> wider_atomics() const {
    const auto has_both = [&](Scope s) { return model::same_instance(execution_.place(x_), execution_.place(y_), s); };
    constexpr std::array kByWidth{Scope::Subgroup, Scope::Workgroup, Scope::QueueFamily};
    const auto* narrowest = std::find_if(kByWidth.begin(), kByWidth.end(), has_both);
    const Scope wanted = narrowest == kByWidth.end() ? Scope::Device : *narrowest;
    std::vector<Edit> edits;
    for (const OperationIndex i : {x_, y_}) {
      const Operation& op = execution_.operations[i];
      if (!includes(op.scope, wanted)) edits.push_back(widen(op, wanted));
    }
    return edits;
  }

  // Whether its line reads plainly, and then writes the same bytes, whichever invocation executes it, and at least if
  // they have some value: `x += 1`, of which somebody's may be lost, or `if (x == 0) x = 1`.
  bool is_update(OperationIndex index) const {
    const std::vector<Operation>& all = execution_.operations;
    const Operation& op = all[index];
    if (op.atomic || (op.locations.size_bytes != 4 && op.locations.size_bytes != 8)) return false;
    bool updates = false;
    for (auto read = all.begin(); read != all.end(); ++read) {
      if (read->kind != OperationKind::Read || read->atomic || !same_line(*read, op)) continue;
      const auto next = next_in_line(read);
      // (Of the last one the write may not have come yet.)
      if (next == all.end()) continue;
      if (next->kind == OperationKind::Read) {
        // What is written comes from another element, too: no update has that.
        if (!next->atomic && next->locations != read->locations) return false;
        continue;
      }
      if (next->atomic || next->locations != read->locations) return false;
      updates = updates || read->locations == op.locations;
    }
    return updates;
  }
  std::vector<Operation>::const_iterator next_in_line(std::vector<Operation>::const_iterator of) const {
    return std::find_if(std::next(of), execution_.operations.end(),
                        [&](const Operation& o) { return o.is_access() && o.agent == of->agent && same_line(o, *of); });
  }
  // Atomic reads and writes are ordered as an atomic update is, but only that loses nothing.
  std::vector<Edit> one_update() const {
    const Scope wanted = reach();
    std::vector<Edit> edits;
    for (const OperationIndex i : {x_, y_}) {
      const Operation& op = execution_.operations[i];
      const auto change = [op, wanted](Execution& execution) {
        for (Operation& o : execution.operations) {
          if (!o.is_access() || !same_line(o, op)) continue;
          o.atomic = true;
          o.operands = MemoryOperands::None;
          o.scope = wanted;
        }
      };
      edits.push_back({"make the read and the write in " + line_of(op) + " one atomic read-modify-write (" +
                           std::string(name_of(wanted)) + ", Relaxed), such as atomic_i_add or atomic_compare_exchange",
                       change,
                       0,
                       op.where.line,
                       0,
                       {},
                       {update_edits(op, wanted)}});
    }
    return edits;
  }

  static std::vector<heddle::Edit> update_edits(const Operation& op, Scope wanted) {
    heddle::Edit read = join_edit(op, wanted);
    heddle::Edit write = read;
    read.of = EditedKind::Read;
    write.of = EditedKind::Write;
    return {read, write};
  }

  Changes found_;
};

}  // namespace

Execution Change::made_in(const Neighbourhood& part, model::OperationPair& two) const {
  Execution changed = part.execution;
  two = std::minmax(part.first, part.second);
  for (const Edit& edit : edits) {
    edit.apply(changed);
    two.first += edit.inserts_before_first;
    two.second += edit.inserts;
  }
  return changed;
}

Changes smallest_changes(const Neighbourhood& part, const std::vector<std::uint64_t>& dispatches,
                         const ChangeOptions& options) {
  return Search(part, dispatches, options).find();
}

}  // namespace heddle::advice
