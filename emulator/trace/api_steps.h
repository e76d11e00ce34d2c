#pragma once

/// \file
/// What a program of queues tells of its host's side, beside the operations of its kernels: who did what in which
/// order, and what memory holds back from whom.

#include <heddle/source_location.h>

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::trace {

/// A step is a call of the host, or a command or an operation of a queue. Steps have numbers from 0, in the order in
/// which they begin.
struct ApiStep {
  bool by_host = true;
  /// A queue has a number among all queues, and a family.
  std::uint32_t queue = 0;
  std::uint32_t family = 0;
  /// "copy_buffer, 64 bytes from 'staging' to 'numbers'"
  std::string_view words;
  SourceLocation where;
};

/// A step read words of this memory, and was given values that are older than those that memory has.
struct OldValues {
  std::string_view memory;
  std::uint64_t words = 0;
};

/// Where the writes to a memory are.
struct HeldBack {
  std::string_view memory;
  /// Atoms in the host's cache; those of them with writes that are not flushed, and those that are older than memory.
  std::uint64_t atoms = 0;
  std::uint64_t unflushed = 0;
  std::uint64_t outdated = 0;
  /// Words whose last write is available to no domain, to the device domain alone, and to the host domain alone.
  std::uint64_t unavailable = 0;
  std::uint64_t device_only = 0;
  std::uint64_t host_only = 0;

  friend bool operator==(const HeldBack&, const HeldBack&) = default;
};

/// Is told of all steps, in the order in which they happen.
class ApiListener {
 public:
  virtual ~ApiListener() = default;

  virtual void step_begins(std::uint64_t step, const ApiStep& told) = 0;
  /// The step, which has not ended, comes behind another one that has begun: a command behind its submit2 and behind a
  /// barrier, a wait behind its signal, which may have begun later.
  virtual void step_follows(std::uint64_t step, std::uint64_t earlier) = 0;
  virtual void step_is_stale(std::uint64_t step, const OldValues& values) = 0;
  virtual void step_ends(std::uint64_t step) = 0;
  /// From now on; for each memory where it has changed.
  virtual void held_back(const HeldBack& held) = 0;
};

/// Passes everything on, to one listener after the other, which must outlive it.
class ApiFork final : public ApiListener {
 public:
  explicit ApiFork(std::vector<ApiListener*> listeners) : listeners_(std::move(listeners)) {}

  void step_begins(std::uint64_t step, const ApiStep& told) override {
    for (ApiListener* listener : listeners_) listener->step_begins(step, told);
  }
  void step_follows(std::uint64_t step, std::uint64_t earlier) override {
    for (ApiListener* listener : listeners_) listener->step_follows(step, earlier);
  }
  void step_is_stale(std::uint64_t step, const OldValues& values) override {
    for (ApiListener* listener : listeners_) listener->step_is_stale(step, values);
  }
  void step_ends(std::uint64_t step) override {
    for (ApiListener* listener : listeners_) listener->step_ends(step);
  }
  void held_back(const HeldBack& held) override {
    for (ApiListener* listener : listeners_) listener->held_back(held);
  }

 private:
  std::vector<ApiListener*> listeners_;
};

}  // namespace heddle::trace
