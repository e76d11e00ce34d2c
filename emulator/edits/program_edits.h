#pragma once

/// \file
/// Edits of a running program: which of them an operation meets, and what they make of it.

#include <heddle/detail/edit_record.h>
#include <heddle/operation.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heddle::edits {

/// Edits, and which of them met an instruction. Several devices may share it, on several threads.
class EditList {
 public:
  explicit EditList(std::vector<Edit> edits) : edits_(std::move(edits)), met_(edits_.size()) {}

  const std::vector<Edit>& edits() const { return edits_; }
  void meet(std::size_t edit) { met_[edit].store(true, std::memory_order_relaxed); }
  /// The edits that met no instruction so far.
  std::vector<Edit> unmet() const;
  /// Edits that meet no instruction are not to be told: they are only tried.
  void keep_silent() { is_silent_.store(true, std::memory_order_relaxed); }
  bool is_silent() const { return is_silent_.load(std::memory_order_relaxed); }

 private:
  std::vector<Edit> edits_;
  std::vector<std::atomic<bool>> met_;
  std::atomic<bool> is_silent_{false};
};

/// What the edits of one operation are, in the order of the list.
struct EditsOfOperation {
  std::vector<const Edit*> before;
  std::vector<const Edit*> at;
  std::vector<const Edit*> behind;

  bool none() const { return before.empty() && at.empty() && behind.empty(); }
  bool take_out() const;
  /// Makes the edits that are made at an operation. `unequal` are the semantics of an update that writes nothing.
  void change(Operation& operation, MemorySemantics& unequal) const;
};

/// Makes of an operation what an edit at its instruction says; what puts something in or takes it out makes nothing.
void make(const Edit& edit, Operation& operation);

/// The edits of one device.
class ProgramEdits {
 public:
  /// The list must outlive it.
  explicit ProgramEdits(EditList& list);

  /// Which edits this operation on `object` meets, which its agent comes to now.
  EditsOfOperation of(const Operation& operation, std::string_view object);
  /// A dispatch of the device begins: the dependencies that stand before it.
  std::vector<const Edit*> before_dispatch(std::uint64_t dispatch);

 private:
  /// What an agent did last in a line that has an edit of its first instruction.
  struct Visit {
    std::uint32_t line = 0;
    const char* file = "";
    std::string first;
    Locations locations = {};
    /// Whether it did anything of another kind, or with another object, in the line.
    bool did_other = false;
  };
  /// Where an agent is between the two lines of a round barrier.
  struct Round {
    /// The agent is in the line of the instruction, and waits when it leaves that line.
    bool is_open = false;
    /// The agent has waited since it was on the way to the instruction last.
    bool has_waited = false;
  };
  struct Rounds {
    std::size_t number = 0;
    std::unordered_map<std::uint32_t, Round> of_agents;
  };
  void go_round(Rounds& rounds, const Operation& operation, EditsOfOperation& found);
  static bool is_on_the_way(const Edit& edit, std::uint32_t line);
  bool is_file_of(const Edit& edit, const char* file);
  bool meets(std::size_t number, const Operation& operation, const std::string& name, bool comes_to_line);
  bool comes_to_line(const Operation& operation, const std::string& name);

  EditList& list_;
  /// The numbers of the edits, by line.
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> by_line_;
  /// By edit with an ordinal: what the instructions of that kind in its line access, in the order in which they came.
  std::unordered_map<std::size_t, std::vector<std::string>> instructions_;
  bool has_first_ = false;
  std::unordered_map<std::uint32_t, Visit> visits_;
  /// The round barriers of the list.
  std::vector<Rounds> rounds_;
};

}  // namespace heddle::edits
