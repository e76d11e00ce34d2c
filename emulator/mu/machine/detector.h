#pragma once

/// \file
/// Finds the undefined behaviour of one execution as it happens: data races, mixed accesses, unordered operations on a
/// stack. What it is told has the clock of what happens before it.

#include <cstdint>
#include <vector>

#include "emulator/mu/execution.h"
#include "emulator/mu/judgement.h"
#include "emulator/mu/machine/clock.h"

namespace heddle::mu::machine {

/// An operation that the detector is told of.
struct Watched {
  ThreadIndex thread = 0;
  ClockValue number = 0;
  /// What names its place: an instruction, or a number that the caller keeps.
  std::uint64_t place = 0;
  bool writes = false;
  bool atomic = false;
  /// The load of a futex operation, which is atomic.
  bool futex = false;
};

struct Discovery {
  Undefined kind = Undefined::Race;
  /// A location, or of Undefined::Stack a stack.
  std::uint32_t object = 0;
  Watched first;
  Watched second;
};

class Detector {
 public:
  explicit Detector(std::uint32_t most_threads) : threads_(most_threads) {}
  void restart();

  /// An access of the location; `clock` is what happens before it.
  void access(const Watched& access, LocationIndex location, const ClockValue* clock);
  /// A binding or an unbinding.
  void stack_operation(const Watched& operation, std::uint32_t stack, const ClockValue* clock);
  void wrong_address(const Watched& operation);

  bool has(Undefined kind) const { return (kinds_ >> static_cast<unsigned>(kind) & 1) != 0; }
  bool any() const { return kinds_ != 0; }
  /// The first of each kind and object.
  const std::vector<Discovery>& found() const { return found_; }

 private:
  struct Object {
    /// Each thread's last write and last read that are not atomic, or its last operation on a stack. As long
    /// as there is none the arrays are those of an earlier run.
    std::vector<Watched> writes;
    std::vector<Watched> reads;
    bool any = false;
    bool any_atomic = false;
    /// The first of each kind.
    Watched atomic;
    Watched plain;
    unsigned reported = 0;
  };
  void begin(Object& object, const Watched& first) const;
  Object& object(std::vector<Object>& of, std::size_t& used, std::uint32_t number);
  void find(Object& object, std::uint32_t number, Undefined kind, const Watched& first, const Watched& second);
  void compare(Object& object, std::uint32_t number, Undefined kind, const std::vector<Watched>& others,
               const Watched& one, const ClockValue* clock);

  const std::uint32_t threads_;
  std::vector<Object> locations_;
  std::vector<Object> stacks_;
  std::size_t used_locations_ = 0;
  std::size_t used_stacks_ = 0;
  unsigned kinds_ = 0;
  std::vector<Discovery> found_;
};

}  // namespace heddle::mu::machine
