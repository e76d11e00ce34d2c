#pragma once

/// \file
/// Follows undefined values: a second process does what this one does, with other values for them.

#include <heddle/operation.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace heddle::detail {

/// The second process of a dispatch. It begins where the first undefined value is made, as a copy of this process that
/// sees no files, and ends where the dispatch ends; only then the first process goes on. Both take the same steps but
/// for what an undefined value decides, and each step of the first one is held against that of the second.
class Twin {
 public:
  enum class Event : std::uint8_t { Read, Write, Atomic, Condition, Fault };
  /// One thing that an invocation does, as far as values decide it.
  struct Step {
    AgentId agent{};
    std::uint32_t line = 0;
    AllocationId allocation{};
    Event event = Event::Read;
    std::uint64_t offset_bytes = 0;
    /// What it writes, finds as an atomic, asks for, or is told that is wrong.
    std::uint64_t value = 0;
  };
  enum class Difference : std::uint8_t { None, Value, Place, Course };

  Twin() = default;
  ~Twin();
  Twin(const Twin&) = delete;
  Twin& operator=(const Twin&) = delete;

  bool runs() const { return role_ != Role::None; }
  bool is_second() const { return role_ == Role::Second; }
  /// Splits the process in two: returns in both. False: there can be none, or it had to be given up.
  bool begin();
  /// An undefined value, the n-th of the dispatch with that seed: no bit of it is the same in both processes.
  void draw(std::uint64_t seed, std::uint64_t n, std::span<std::byte> value) const;
  /// One process does what the other one is to do as well. It does not run any longer where no more is known of that.
  Difference take(const Step& step);
  /// The second process is alive.
  void beat();
  /// The second process ends, as the dispatch does: with the same end the first one is to come to.
  enum class End : std::uint8_t { Unknown, Whole, Failed };
  [[noreturn]] void second_ends(End end);
  /// The dispatch has come to its end in the first process; false: it is known that it went on in the second one.
  bool ends();
  /// There is no second process any more.
  void give_up();

 private:
  enum class Role : std::uint8_t { None, First, Second };
  struct Log;
  void wait_for(int process, int end_of_pipe);

  Role role_ = Role::None;
  Log* log_ = nullptr;
  /// Steps that the first process has taken.
  std::uint64_t taken_ = 0;
};

}  // namespace heddle::detail
