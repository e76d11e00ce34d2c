#include "emulator/advice/changes.h"

#include <heddle/semantics.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <optional>
#include <string_view>
#include <tuple>

#include "emulator/advice/narrow_barrier.h"
#include "emulator/advice/operation_text.h"

namespace heddle::advice {
namespace {

using model::Execution;
using model::OperationIndex;

/// One edit of one instruction.
struct Edit {
  std::string text;
  std::function<void(Execution&)> apply;
  /// How many operations it puts before the second of the two.
  OperationIndex inserts = 0;
  /// Less than it, of which one may be enough.
  std::vector<Edit> weaker = {};
};

// Puts an operation before the one at `at`.
void insert(Execution& execution, OperationIndex at, const Operation& op) {
  const auto move = [at](OperationIndex& i) {
    if (i != model::kInitialValue && i >= at) ++i;
  };
  const auto offset = static_cast<std::ptrdiff_t>(at);
  execution.operations.insert(execution.operations.begin() + offset, op);
  execution.read_values.insert(execution.read_values.begin() + offset, 0);
  execution.written_values.insert(execution.written_values.begin() + offset, 0);
  for (model::ReadsFrom& from : execution.reads_from) {
    move(from.read);
    move(from.write);
  }
  for (auto* pairs :
       {&execution.modification_order, &execution.system_synchronization, &execution.host_order})
    for (auto& [a, b] : *pairs) {
      move(a);
      move(b);
    }
  for (model::QuorumChoice& choice : execution.quorum_choices)
    for (OperationIndex& arrival : choice.synchronizing) move(arrival);
}

bool same_line(const Operation& a, const Operation& b) {
  return in_one_line(a, b) && a.reference == b.reference;
}

bool same_instruction(const Operation& a, const Operation& b) {
  return a.kind == b.kind && a.atomic == b.atomic && same_line(a, b);
}

bool orders(const Operation& op) {
  return op.is_memory_barrier() ||
         (op.atomic && (acquires(op.semantics) || releases(op.semantics)));
}

std::vector<Operation> ordering(std::vector<Operation> all) {
  std::erase_if(all, [](const Operation& op) { return !orders(op); });
  return all;
}

/// The changes that could order two operations.
class Changes {
 public:
  Changes(const Neighbourhood& part, const std::vector<std::uint64_t>& dispatches, bool have_atomics,
          const judge::Options& options)
      : execution_(part.execution),
        x_(std::min(part.first, part.second)),
        y_(std::max(part.first, part.second)),
        dispatches_(dispatches),
        have_atomics_(have_atomics),
        options_(options) {}

  std::vector<std::string> find() {
    if (dispatch_of(x_) != dispatch_of(y_)) {
      add(memory_dependency());
      return texts();
    }
    add(one_reference());
    if (need_scopes_only()) {
      add(wider_atomics());
      add(barrier());
      return texts();
    }
    add(repairs(false));
    if (have_atomics_) add(message(true));
    const std::size_t repaired = found_.size();
    add(repairs(true));
    add(repairs_by_others());
    const bool are_updates = is_update(x_) && is_update(y_);
    if (have_atomics_ && are_updates) add(one_update());
    add(barrier());
    if (have_atomics_) add(message(false));
    if (have_atomics_ && !are_updates) add(atomics(), true);
    // To mend what is there to order them comes first.
    const auto others = found_.begin() + static_cast<std::ptrdiff_t>(repaired);
    std::stable_sort(others, found_.end(), [](const Found& a, const Found& b) {
      return std::tie(a.unordered, a.edits) < std::tie(b.unordered, b.edits);
    });
    return texts();
  }

 private:
  struct Found {
    /// Race-free without an order comes last.
    bool unordered = false;
    std::size_t edits = 0;
    std::string text;
  };

  void add(const std::vector<Edit>& edits, bool may_leave_unordered = false) {
    const std::vector<Edit> needed = smallest(edits);
    if (needed.empty()) return;
    // By their words, so that the same edits make the same text whoever came first.
    std::vector<std::string> words;
    for (const Edit& edit : needed) words.push_back(edit.text);
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    Found found{may_leave_unordered && !orders_them(needed), needed.size(), ""};
    for (const std::string& word : words) found.text += (found.text.empty() ? "" : ", and ") + word;
    for (const Found& other : found_)
      if (other.text == found.text) return;
    if (found.unordered)
      found.text += " (then it is no race, but which of them comes first is still open)";
    found_.push_back(std::move(found));
  }

  std::vector<std::string> texts() {
    std::vector<std::string> texts;
    for (Found& found : found_) texts.push_back(std::move(found.text));
    return texts;
  }

  std::uint64_t dispatch_of(OperationIndex index) const {
    return dispatches_[static_cast<std::size_t>(execution_.operations[index].agent)];
  }
  // Most is told of the file of the second access.
  std::string line_of(const Operation& op) const {
    return advice::line_of(op, execution_.operations[y_].where.file);
  }

  Execution changed_by(const std::vector<Edit>& edits, OperationIndex& second) const {
    Execution changed = execution_;
    second = y_;
    for (const Edit& edit : edits) {
      edit.apply(changed);
      second += edit.inserts;
    }
    return changed;
  }

  bool races_with(const std::vector<Edit>& edits) const {
    OperationIndex second = 0;
    const Execution changed = changed_by(edits, second);
    for (const judge::Race& race : judge::Judgement(changed, options_).races())
      if (race.first == x_ && race.second == second) return true;
    return false;
  }

  bool orders_them(const std::vector<Edit>& edits) const {
    OperationIndex second = 0;
    const Execution changed = changed_by(edits, second);
    const judge::Judgement judgement(changed, options_);
    return judgement.location_ordered(x_, second) || judgement.location_ordered(second, x_);
  }

  // Takes one edit after the other away as long as the rest is enough: the dearest come last in the
  // list, and are tried first. Then takes less of those that are left.
  std::vector<Edit> smallest(std::vector<Edit> edits) const {
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

  template <typename Change>
  Edit edit(const Operation& instruction, std::string text, Change change) const {
    return {std::move(text),
            [instruction, change](Execution& execution) {
              for (Operation& op : execution.operations)
                if (same_instruction(op, instruction)) change(op);
            },
            0};
  }

  MemorySemantics storage() const { return semantic_of(execution_.operations[x_].storage_class); }
  bool same_workgroup() const {
    return model::same_instance(execution_.place(x_), execution_.place(y_), Scope::Workgroup);
  }
  Scope scope() const { return same_workgroup() ? Scope::Workgroup : Scope::Device; }

  // The instructions of the two agents, or of all others, each once.
  std::vector<Operation> instructions(bool of_others = false) const {
    std::vector<Operation> all;
    for (const Operation& op : execution_.operations) {
      const bool of_the_two =
          op.agent == execution_.operations[x_].agent || op.agent == execution_.operations[y_].agent;
      if (of_the_two == of_others) continue;
      if (std::none_of(all.begin(), all.end(),
                       [&](const Operation& known) { return same_instruction(known, op); }))
        all.push_back(op);
    }
    // In the order of the source, whoever came first.
    std::stable_sort(all.begin(), all.end(), [](const Operation& a, const Operation& b) {
      return std::pair(std::string_view(a.where.file), a.where.line) <
             std::pair(std::string_view(b.where.file), b.where.line);
    });
    return all;
  }

  void make_non_private(std::vector<Edit>& edits) const {
    for (const OperationIndex i : {x_, y_}) {
      const Operation& op = execution_.operations[i];
      if (op.is_non_private()) continue;
      edits.push_back(
          edit(op,
               "make the " + kind_of(op) + " in " + line_of(op) +
                   " non-private (.non_private(), NonPrivatePointer)",
               [](Operation& o) { o.operands = o.operands | MemoryOperands::NonPrivatePointer; }));
    }
  }

  // What these lack, flags before scopes: to widen a scope is dearer.
  void strengthen(const std::vector<Operation>& all, std::vector<Edit>& edits) const {
    for (const Operation& op : all) add_flags(op, edits);
    for (const Operation& op : all) widen_scopes(op, edits);
  }
  void add_flags(const Operation& op, std::vector<Edit>& edits) const {
    const MemorySemantics semantics = op.semantics;
    const std::string which = " to the " + kind_of(op) + " in " + line_of(op);
    const auto add_flag = [&](MemorySemantics flag, const char* name) {
      if (has(semantics, flag)) return;
      edits.push_back(edit(op, "add " + std::string(name) + which,
                           [flag](Operation& o) { o.semantics = o.semantics | flag; }));
    };
    if (storage() != MemorySemantics::None) add_flag(storage(), storage_name());
    if (releases(semantics)) add_flag(MemorySemantics::MakeAvailable, "MakeAvailable");
    if (acquires(semantics)) add_flag(MemorySemantics::MakeVisible, "MakeVisible");
  }
  void widen_scopes(const Operation& op, std::vector<Edit>& edits) const {
    if (is_too_narrow(op)) {
      edits.push_back(widen_to_workgroup(op));
    } else if (!includes(op.scope, scope())) {
      edits.push_back(widen(op, scope()));
    }
  }

  // A control barrier that invocations of both subgroups come to: its memory scope goes with it.
  bool is_too_narrow(const Operation& op) const {
    return advice::is_too_narrow(execution_, op, execution_.operations[x_].agent, execution_.operations[y_].agent);
  }
  Edit widen_to_workgroup(const Operation& op) const {
    const bool both = !includes(op.scope, Scope::Workgroup);
    return {"widen the execution scope" + std::string(both ? " and the memory scope" : "") + " of the " +
                kind_of(op) + " in " + line_of(op) + " from " + std::string(name(op.execution_scope)) +
                " to Workgroup",
            [op](Execution& execution) { advice::widen_to_workgroup(execution, op); }, 0};
  }

  const char* storage_name() const {
    return storage() == MemorySemantics::WorkgroupMemory ? "WorkgroupMemory"
           : storage() == MemorySemantics::ImageMemory   ? "ImageMemory"
                                                         : "UniformMemory";
  }

  static constexpr MemorySemantics kAcquires = MemorySemantics::Acquire | MemorySemantics::MakeVisible;
  static constexpr MemorySemantics kReleases = MemorySemantics::Release | MemorySemantics::MakeAvailable;

  // An update that only acquires or only releases.
  static bool orders_one_way(const Operation& op) {
    return op.kind == OperationKind::ReadModifyWrite && acquires(op.semantics) != releases(op.semantics);
  }

  // Relaxed atomics, updates that order one way, and control barriers that order nothing.
  Edit promote(const Operation& op) const {
    if (op.kind == OperationKind::Read) return promote(op, kAcquires);
    if (op.kind == OperationKind::Write) return promote(op, kReleases);
    Edit both = promote(op, MemorySemantics::AcquireRelease | MemorySemantics::MakeAvailable |
                                MemorySemantics::MakeVisible | (op.semantics & kStorageClassBits));
    if (op.is_access() && !orders(op)) both.weaker = {promote(op, kAcquires), promote(op, kReleases)};
    return both;
  }
  Edit promote(const Operation& op, MemorySemantics order) const {
    const MemorySemantics semantics = order | storage();
    const Scope wanted = includes(op.scope, scope()) ? op.scope : scope();
    std::string text =
        "give the " + kind_of(op) + " in " + line_of(op) + " the semantics " + text_of(semantics);
    if (wanted != op.scope) text += " and the memory scope " + std::string(name(wanted));
    const bool too_narrow = is_too_narrow(op);
    if (too_narrow) text += " and the execution scope Workgroup";
    Edit made = edit(op, std::move(text), [semantics, wanted](Operation& o) {
      o.semantics = semantics;
      o.scope = wanted;
    });
    if (too_narrow)
      made.apply = [op, promoted = std::move(made.apply)](Execution& execution) {
        promoted(execution);
        advice::widen_to_workgroup(execution, op);
      };
    return made;
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
    strengthen(ordering(instructions()), edits);
    return edits;
  }

  // Those that order nothing yet, or one way only. What the second access itself reads is after the first in this run, not
  // in all.
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
    strengthen(ordering(instructions(true)), edits);
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

  std::vector<Edit> barrier() const {
    std::vector<Edit> edits;
    if (!same_workgroup() || execution_.operations[x_].agent == execution_.operations[y_].agent)
      return edits;
    const std::string place = place_of_barrier();
    if (place.empty()) return edits;
    make_non_private(edits);
    edits.push_back({"put a control barrier, (Scope::Workgroup, Scope::Workgroup, " + barrier_name() + "), " + place,
                     [this](Execution& execution) { meet(execution); }, 2});
    return edits;
  }

  // Where in the source it separates the two, and all that come as these do; empty if that is nowhere, because both
  // come to their one line as often.
  std::string place_of_barrier() const {
    const Operation& first = execution_.operations[x_];
    const Operation& second = execution_.operations[y_];
    const std::size_t by_first = executions_of_first(x_);
    const std::size_t by_second = executions_of_first(y_);
    if (in_one_line(first, second)) {
      if (by_second == by_first) return "";
      return "between one execution of " + line_of(first) + " and the next";
    }
    const bool is_behind =
        std::string_view(first.where.file) == second.where.file && first.where.line < second.where.line;
    if (is_of_later_round() || (is_behind && by_second > by_first))
      return "between " + line_of(second) + " and the next execution of " + line_of(first);
    return "between " + line_of(first) + " and " + line_of(second);
  }

  // How often the invocation of this operation has come to the line of the first one so far: from another line, or
  // from what the line wrote to what it reads.
  std::size_t executions_of_first(OperationIndex until) const {
    const std::vector<Operation>& all = execution_.operations;
    std::size_t executions = 0;
    const Operation* before = nullptr;
    for (OperationIndex i = 0; i <= until; ++i) {
      if (all[i].agent != all[until].agent) continue;
      const bool goes_on = before && in_one_line(*before, all[i]) && !(before->writes() && !all[i].writes());
      if (in_one_line(all[i], all[x_]) && !goes_on) ++executions;
      before = &all[i];
    }
    return executions;
  }

  // Whether the first access is one of a later round of a loop than the second: its invocation came to the line of the
  // second as often before.
  bool is_of_later_round() const {
    const std::vector<Operation>& all = execution_.operations;
    const auto times_until = [&](OperationIndex last) {
      return std::count_if(all.begin(), all.begin() + last + 1, [&](const Operation& op) {
        return op.agent == all[last].agent && in_one_line(op, all[y_]);
      });
    };
    // (The second has come there itself.)
    return times_until(x_) >= times_until(y_);
  }

  std::string barrier_name() const {
    const MemorySemantics semantics = barrier_semantics();
    if (semantics == kWorkgroupBarrier) return "kWorkgroupBarrier";
    return semantics == kBufferBarrier ? "kBufferBarrier" : text_of(semantics);
  }
  MemorySemantics barrier_semantics() const {
    return MemorySemantics::AcquireRelease | storage() | MemorySemantics::MakeAvailable |
           MemorySemantics::MakeVisible;
  }

  void meet(Execution& execution) const {
    const auto barrier_of = [&](OperationIndex i) {
      Operation op;
      op.kind = OperationKind::ControlBarrier;
      op.agent = execution_.operations[i].agent;
      op.scope = op.execution_scope = Scope::Workgroup;
      op.semantics = barrier_semantics();
      op.barrier_instance = ~std::uint64_t{0};
      return op;
    };
    insert(execution, y_, barrier_of(y_));
    insert(execution, x_ + 1, barrier_of(x_));
  }

  Edit widen(const Operation& op, Scope wanted) const {
    const Operation& instruction = whole(op);
    return {"widen the memory scope of the " + kind_of(instruction) + " in " + line_of(op) + " from " +
                std::string(name(op.scope)) + " to " + std::string(name(wanted)),
            [op, instruction, wanted](Execution& execution) {
              for (Operation& o : execution.operations)
                if ((same_instruction(o, op) || same_instruction(o, instruction)) && !includes(o.scope, wanted))
                  o.scope = wanted;
            },
            0};
  }

  // An update that fails only reads: of a compare-exchange that both did and did not exchange, what exchanges.
  const Operation& whole(const Operation& op) const {
    if (op.kind != OperationKind::Read || !op.atomic) return op;
    for (const Operation& other : execution_.operations)
      if (other.kind == OperationKind::ReadModifyWrite && other.atomic && same_line(other, op) &&
          other.scope == op.scope)
        return other;
    return op;
  }

  std::vector<Edit> atomics() const {
    std::vector<Edit> edits;
    const Scope wanted = reach();
    for (const OperationIndex i : {x_, y_}) {
      const Operation& op = execution_.operations[i];
      if (op.atomic && includes(op.scope, scope())) continue;
      if (op.atomic) {
        edits.push_back(widen(op, scope()));
        continue;
      }
      edits.push_back(make_atomic(op, MemorySemantics::Relaxed, wanted));
    }
    return edits;
  }
  // Others than these two may come from anywhere that knows of the memory.
  Scope reach() const {
    return execution_.operations[x_].storage_class == StorageClass::Workgroup ? Scope::Workgroup : Scope::Device;
  }

  // Whether they are to order nothing, and only their scopes keep them from being atomic for each other.
  //= vk:memory-model-atomic-operation
  bool need_scopes_only() const {
    const Operation& x = execution_.operations[x_];
    const Operation& y = execution_.operations[y_];
    return x.atomic && y.atomic && !orders(x) && !orders(y) && x.locations == y.locations &&
           x.reference == y.reference;
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
  // Of plain reads nothing says what they read from.
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
      strengthen({end}, edits);
    } else {
      edits.push_back(promote(end));
    }
  }
  // Of an atomic at the other end that has both in its scope already: that.
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
  Edit make_atomic(const Operation& op, MemorySemantics order, Scope wanted) const {
    const MemorySemantics semantics = order == MemorySemantics::Relaxed ? order : order | storage();
    return edit(op,
                "make the " + kind_of(op) + " in " + line_of(op) + " atomic (" + std::string(name(wanted)) + ", " +
                    text_of(semantics) + ")",
                [wanted, semantics](Operation& o) {
                  o.atomic = true;
                  o.operands = MemoryOperands::None;
                  o.semantics = semantics;
                  if (!includes(o.scope, wanted)) o.scope = wanted;
                });
  }

  // The narrowest scope that has both invocations.
  std::vector<Edit> wider_atomics() const {
    const auto has_both = [&](Scope s) {
      return model::same_instance(execution_.place(x_), execution_.place(y_), s);
    };
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

  // Whether its line reads plainly, and then writes the same bytes, whoever executes it, and at least if they have some
  // value: `x += 1`, of which somebody's may be lost, or `if (x == 0) x = 1`.
  bool is_update(OperationIndex index) const {
    const std::vector<Operation>& all = execution_.operations;
    const Operation& op = all[index];
    if (op.atomic || (op.locations.size_bytes != 4 && op.locations.size_bytes != 8)) return false;
    bool updates = false;
    for (auto read = all.begin(); read != all.end(); ++read) {
      if (read->kind != OperationKind::Read || read->atomic || !same_line(*read, op)) continue;
      const auto next = next_in_line(read);
      // (Of the last one the write may not have come yet.)
      if (next == all.end() || next->kind == OperationKind::Read) continue;
      if (next->atomic || next->locations != read->locations) return false;
      updates = updates || read->locations == op.locations;
    }
    return updates;
  }
  std::vector<Operation>::const_iterator next_in_line(std::vector<Operation>::const_iterator of) const {
    return std::find_if(std::next(of), execution_.operations.end(), [&](const Operation& o) {
      return o.is_access() && o.agent == of->agent && same_line(o, *of);
    });
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
                           std::string(name(wanted)) + ", Relaxed), such as atomic_i_add or atomic_compare_exchange",
                       change, 0});
    }
    return edits;
  }

  // The memory bound twice: as if it were bound once.
  //= vk:memory-model-references
  std::vector<Edit> one_reference() const {
    const ReferenceId one = execution_.operations[x_].reference;
    const ReferenceId other = execution_.operations[y_].reference;
    if (one == other) return {};
    return {{"use one reference for " + line_of(execution_.operations[x_]) + " and " +
                 line_of(execution_.operations[y_]) + ": bind the memory once",
             [one, other](Execution& execution) {
               for (Operation& op : execution.operations)
                 if (op.reference == other) op.reference = one;
             },
             0}};
  }

  // A memory dependency is an agent between the dispatches.
  //= vk:memory-model-vulkan-availability-visibility
  std::vector<Edit> memory_dependency() const {
    return {{"put a memory dependency, commands.memory_barrier(), between dispatch " +
                 std::to_string(std::min(dispatch_of(x_), dispatch_of(y_))) + " and dispatch " +
                 std::to_string(std::max(dispatch_of(x_), dispatch_of(y_))),
             [this](Execution& execution) { depend(execution); }, 0}};
  }

  void depend(Execution& execution) const {
    const AgentId between = model::add_memory_dependency(execution);
    const std::uint64_t later = std::max(dispatch_of(x_), dispatch_of(y_));
    for (std::size_t agent = 0; agent < dispatches_.size(); ++agent) {
      const auto id = static_cast<AgentId>(agent);
      if (dispatches_[agent] < later) {
        execution.agent_system_synchronization.emplace_back(id, between);
      } else {
        execution.agent_system_synchronization.emplace_back(between, id);
      }
    }
  }

  const Execution& execution_;
  OperationIndex x_;
  OperationIndex y_;
  const std::vector<std::uint64_t>& dispatches_;
  bool have_atomics_;
  judge::Options options_;
  std::vector<Found> found_;
};

}  // namespace

std::vector<std::string> smallest_changes(const Neighbourhood& part,
                                          const std::vector<std::uint64_t>& dispatches, bool have_atomics,
                                          const judge::Options& options) {
  return Changes(part, dispatches, have_atomics, options).find();
}

}  // namespace heddle::advice
