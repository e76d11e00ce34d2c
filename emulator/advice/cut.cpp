#include "emulator/advice/cut.h"

#include <algorithm>
#include <map>
#include <utility>

#include "emulator/advice/edit.h"
#include "emulator/advice/operation_text.h"

namespace heddle::advice {
namespace {

using model::OperationIndex;

/// So many operations of its line and invocation right before the first access show what the line does.
constexpr std::size_t kOfLine = 4;

class Cut {
 public:
  Cut(const std::vector<OperationIndex>& all, OperationIndex first, const OperationAt& at) {
    const auto from = std::lower_bound(all.begin(), all.end(), first);
    for (auto i = from; i != all.end(); ++i) taken_.push_back({*i, at(*i)});
    for (auto i = from; i != all.begin() && before_.size() < kOfLine; --i) {
      const Operation op = at(*std::prev(i)).operation;
      if (op.agent != this->first().agent) continue;
      if (!same_line(op, this->first())) break;
      before_.insert(before_.begin(), *std::prev(i));
    }
  }

  std::vector<OperationIndex> find(std::size_t most) {
    leave_out_plain();
    leave_out_polls();
    leave_out_far(most - before_.size());
    std::vector<OperationIndex> all = before_;
    for (const Taken& one : taken_) all.push_back(one.index);
    return all;
  }

 private:
  struct Taken {
    OperationIndex index;
    CutOperation of;
  };
  const Operation& first() const { return taken_.front().of.operation; }
  const Operation& second() const { return taken_.back().of.operation; }

  // Plain accesses make nothing happen before anything. A write of the one agent that the other one reads later could.
  void leave_out_plain() {
    std::vector<bool> kept(taken_.size());
    std::map<std::pair<AllocationId, std::uint64_t>, std::size_t> sent;
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      const Operation& op = taken_[i].of.operation;
      // (An access to the same bytes may make them available or visible.)
      kept[i] = !op.is_access() || op.atomic || op.locations.overlaps(first().locations) || in_one_line(op, second());
      if (!op.is_access()) continue;
      const std::pair place(op.locations.allocation, op.locations.offset_bytes);
      if (op.agent == second().agent && op.reads() && sent.count(place) != 0) kept[i] = kept[sent[place]] = true;
      if (op.agent == first().agent && op.writes()) sent[place] = i;
    }
    kept.front() = kept.back() = true;
    keep(kept);
  }

  // An instruction that reads one value again and again is kept with its last read alone.
  void leave_out_polls() {
    std::vector<bool> kept(taken_.size(), true);
    std::map<AgentId, std::size_t> last;
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      const auto [known, fresh] = last.emplace(taken_[i].of.operation.agent, i);
      if (fresh) continue;
      const std::size_t before = std::exchange(known->second, i);
      if (before != 0 && reads_again(taken_[before].of, taken_[i].of)) kept[before] = false;
    }
    keep(kept);
  }
  static bool reads_again(const CutOperation& before, const CutOperation& of) {
    return of.operation.kind == OperationKind::Read && same_instruction(before.operation, of.operation) &&
           before.operation.locations == of.operation.locations && before.values.read == of.values.read;
  }

  // Half of them right behind the first access, half of them right before the second one.
  void leave_out_far(std::size_t most) {
    if (taken_.size() <= most) return;
    const auto half = static_cast<std::ptrdiff_t>(most / 2);
    taken_.erase(taken_.begin() + half, taken_.end() - half);
  }

  void keep(const std::vector<bool>& kept) {
    std::vector<Taken> left;
    for (std::size_t i = 0; i < taken_.size(); ++i)
      if (kept[i]) left.push_back(taken_[i]);
    taken_ = std::move(left);
  }

  std::vector<Taken> taken_;
  std::vector<OperationIndex> before_;
};

}  // namespace

std::vector<OperationIndex> cut(const std::vector<OperationIndex>& all, OperationIndex first, std::size_t most,
                                const OperationAt& at) {
  return Cut(all, first, at).find(most);
}

}  // namespace heddle::advice
