#include "emulator/advice/weakening.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "emulator/advice/operation_text.h"
#include "emulator/model/tags.h"

namespace heddle::advice {
namespace {

using model::Execution;
using model::OperationIndex;

constexpr std::array kClasses = {
    std::pair(MemorySemantics::UniformMemory, "UniformMemory"),
    std::pair(MemorySemantics::WorkgroupMemory, "WorkgroupMemory"),
    std::pair(MemorySemantics::ImageMemory, "ImageMemory"),
};

bool same_instruction(const Operation& a, const Operation& b) {
  return a.kind == b.kind && a.atomic == b.atomic && in_one_line(a, b) && a.scope == b.scope &&
         a.semantics == b.semantics;
}

MemorySemantics without(MemorySemantics semantics, MemorySemantics bits) {
  return static_cast<MemorySemantics>(static_cast<std::uint32_t>(semantics) & ~static_cast<std::uint32_t>(bits));
}

/// All of one instruction.
class Weaker {
 public:
  Weaker(const Operation& op, std::vector<Weakening>& all) : op_(op), all_(all) {}

  void add() {
    const bool orders = acquires(op_.semantics) || releases(op_.semantics);
    if (op_.is_barrier()) remove();
    if (orders) relax();
    if (acquires(op_.semantics) && releases(op_.semantics)) halves();
    if (orders) masks();
    if (op_.atomic || orders) scopes();
  }

 private:
  void semantics(Weakness weakness, std::string enough, MemorySemantics to) {
    all_.push_back({op_, weakness, std::move(enough), [to](Operation& o) { o.semantics = to; }});
  }

  void remove() {
    all_.push_back(
        {op_, Weakness::Removed,
         op_.kind == OperationKind::ControlBarrier ? "no control barrier would do" : "no memory barrier would do",
         nullptr});
  }

  // A barrier of memory without an order is none.
  void relax() {
    if (op_.kind != OperationKind::MemoryBarrier)
      semantics(Weakness::Relaxed, "Relaxed would do", MemorySemantics::Relaxed);
  }

  void halves() {
    const MemorySemantics rest = without(op_.semantics, MemorySemantics::AcquireRelease);
    semantics(Weakness::Half, "Release instead of AcquireRelease would do",
              without(rest, MemorySemantics::MakeVisible) | MemorySemantics::Release);
    semantics(Weakness::Half, "Acquire instead of AcquireRelease would do",
              without(rest, MemorySemantics::MakeAvailable) | MemorySemantics::Acquire);
  }

  void masks() {
    const auto drop = [&](MemorySemantics bit, const std::string& bit_name) {
      semantics(Weakness::LessMask, "would do without " + bit_name, without(op_.semantics, bit));
    };
    if (has(op_.semantics, MemorySemantics::MakeAvailable)) drop(MemorySemantics::MakeAvailable, "MakeAvailable");
    if (has(op_.semantics, MemorySemantics::MakeVisible)) drop(MemorySemantics::MakeVisible, "MakeVisible");
    const auto count = std::count_if(kClasses.begin(), kClasses.end(),
                                     [&](const auto& known) { return has(op_.semantics, known.first); });
    if (count < 2) return;
    for (const auto& [bit, bit_name] : kClasses)
      if (has(op_.semantics, bit)) drop(bit, bit_name);
  }

  void scopes() {
    for (const Scope scope : {Scope::Workgroup, Scope::Subgroup}) {
      if (!includes(op_.scope, scope) || includes(scope, op_.scope)) continue;
      all_.push_back({op_, Weakness::NarrowerScope,
                      std::string(name_of(scope)) + " instead of " + std::string(name_of(op_.scope)) + " would do",
                      [scope](Operation& o) { o.scope = scope; }});
      return;
    }
  }

  const Operation& op_;
  std::vector<Weakening>& all_;
};

/// Numbers of operations after some have gone.
class Renumbering {
 public:
  Renumbering(const Execution& e, const std::vector<bool>& gone) : gone_(gone) {
    OperationIndex next = 0;
    for (OperationIndex i = 0; i < e.operations.size(); ++i) number_.push_back(gone[i] ? next : next++);
  }
  bool keeps(OperationIndex index) const { return index == model::kInitialValue || !gone_[index]; }
  OperationIndex operator()(OperationIndex index) const {
    return index == model::kInitialValue ? index : number_[index];
  }

 private:
  const std::vector<bool>& gone_;
  std::vector<OperationIndex> number_;
};

// Barriers only: no operation reads from them, and no order but program order names them.
Execution without_operations(const Execution& e, const std::vector<bool>& gone) {
  const Renumbering number(e, gone);
  Execution made = e;
  made.operations.clear();
  made.read_values.clear();
  made.written_values.clear();
  for (OperationIndex i = 0; i < e.operations.size(); ++i) {
    if (gone[i]) continue;
    made.operations.push_back(e.operations[i]);
    made.read_values.push_back(e.read_values[i]);
    made.written_values.push_back(e.written_values[i]);
  }
  for (model::ReadsFrom& from : made.reads_from) {
    from.read = number(from.read);
    from.write = number(from.write);
  }
  for (auto* pairs : {&made.modification_order, &made.system_synchronization, &made.host_order})
    for (auto& [a, b] : *pairs) {
      a = number(a);
      b = number(b);
    }
  return made;
}

}  // namespace

Execution Weakening::apply(const Execution& execution) const {
  if (weakness == Weakness::Removed) {
    std::vector<bool> gone;
    for (const Operation& op : execution.operations) gone.push_back(same_instruction(op, instruction));
    return without_operations(execution, gone);
  }
  Execution made = execution;
  for (Operation& op : made.operations) {
    if (same_instruction(op, instruction)) {
      weaken(op);
    } else if (change_others) {
      change_others(op);
    }
  }
  return made;
}

namespace {

/// Plain accesses to one buffer that barriers order, and in which lines they stand.
struct Buffer {
  AllocationId allocation{};
  MemorySemantics storage = MemorySemantics::None;
  std::vector<Operation> instructions;
};

std::vector<Buffer> buffers_of(const Execution& execution) {
  std::vector<Buffer> buffers;
  for (const Operation& op : execution.operations) {
    if (!op.is_access() || op.atomic || !op.is_non_private() || op.tags != TagSetId::Empty) continue;
    // Each workgroup has Workgroup memory of its own.
    if (op.storage_class == StorageClass::Workgroup) continue;
    const auto known = std::find_if(buffers.begin(), buffers.end(),
                                    [&](const Buffer& buffer) { return buffer.allocation == op.locations.allocation; });
    Buffer& buffer = known != buffers.end()
                         ? *known
                         : buffers.emplace_back(Buffer{op.locations.allocation, semantic_of(op.storage_class), {}});
    if (std::none_of(buffer.instructions.begin(), buffer.instructions.end(),
                     [&](const Operation& other) { return in_one_line(op, other); }))
      buffer.instructions.push_back(op);
  }
  return buffers;
}

TagSetId tags(std::string_view spelled) {
  return model::intern(*model::TagSet::parse(spelled));
}

std::string lines_of(const Buffer& buffer, const Operation& barrier) {
  std::vector<std::string> lines;
  for (const Operation& op : buffer.instructions) lines.push_back(line_of(op, barrier.where.file));
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i)
    text += (i == 0 ? "" : i + 1 == lines.size() ? " and " : ", ") + lines[i];
  return text;
}

// An execution takes a judgement for each: so many cost little beside the others.
constexpr std::size_t kMostTagged = 8;

void add_tags(const Operation& barrier, const std::vector<Buffer>& buffers, std::vector<Weakening>& all) {
  if (!barrier.is_barrier() || barrier.tags != TagSetId::Empty) return;
  std::size_t added = 0;
  for (const Buffer& buffer : buffers) {
    if (!has(barrier.semantics, buffer.storage) || added == kMostTagged) continue;
    const bool alone = std::none_of(buffers.begin(), buffers.end(), [&](const Buffer& other) {
      return other.allocation != buffer.allocation && other.storage == buffer.storage;
    });
    if (alone) continue;
    ++added;
    Weakening tagged;
    tagged.instruction = barrier;
    tagged.weakness = Weakness::Tags;
    tagged.enough = "tag(\"ordered:here\") would do, with tag(\"ordered:elsewhere\") on the accesses of " +
                    lines_of(buffer, barrier);
    tagged.weaken = [](Operation& op) { op.tags = tags("ordered:here"); };
    tagged.change_others = [allocation = buffer.allocation](Operation& op) {
      if (op.is_access() && !op.atomic && op.locations.allocation == allocation) op.tags = tags("ordered:elsewhere");
    };
    all.push_back(std::move(tagged));
  }
}

}  // namespace

std::vector<Weakening> weakenings(const Execution& execution) {
  std::vector<Operation> instructions;
  for (const Operation& op : execution.operations) {
    if (!op.is_barrier() && !(op.is_access() && op.atomic)) continue;
    if (std::none_of(instructions.begin(), instructions.end(),
                     [&](const Operation& known) { return same_instruction(known, op); }))
      instructions.push_back(op);
  }
  std::vector<Weakening> all;
  const std::vector<Buffer> buffers = buffers_of(execution);
  for (const Operation& op : instructions) {
    Weaker(op, all).add();
    add_tags(op, buffers, all);
  }
  return all;
}

}  // namespace heddle::advice
