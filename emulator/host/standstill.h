#pragma once

/// \file
/// Notices that all invocations read the same again and again.

#include <heddle/operation.h>

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

namespace heddle::detail {

/// Whether invocations only read, again and again, what does not change: they poll with plain reads, or through
/// barriers, or in another way that says nothing, what no other will write. To be told of every access for a
/// while, from `begin` until it says how that ends.
class Standstill {
 public:
  enum class Verdict : std::uint8_t { Unknown, SomethingGoesOn, NothingGoesOn };

  /// The byte at `offset_bytes`, and those behind it that an access takes with it.
  struct Place {
    AllocationId allocation{};
    std::uint64_t offset_bytes = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };

  /// Nothing goes on when all invocations stand still and have accessed the same places `accesses` times together.
  explicit Standstill(std::uint64_t accesses) : accesses_(accesses) {}

  void begin();
  /// `agent` is about to read, or has left what was there as it was.
  Verdict read(AgentId agent, const Place& place, bool atomic);
  /// `agent` is about to write `value`. What is there already changes nothing.
  Verdict write(AgentId agent, const Place& place, std::span<const std::byte> value);
  /// Whether there was an atomic among the accesses.
  bool has_atomics() const { return has_atomics_; }

 private:
  /// A loop that waits looks at a few places; one that computes, mostly at more.
  static constexpr std::size_t kMostPlaces = 4;
  /// An invocation stands still when it has accessed the same places so often.
  static constexpr std::uint64_t kRepeats = 4096;
  /// By when every other does, unless it waits for something else, or has ended.
  static constexpr std::uint64_t kManyRepeats = 8 * kRepeats;
  struct Visitor {
    std::array<Place, kMostPlaces> places;
    std::size_t known = 0;
    std::uint64_t repeats = 0;

    /// False: there are too many.
    bool knows(const Place& place);
  };

  Verdict visit(AgentId agent, const Place& place);

  const std::uint64_t accesses_;
  std::uint64_t accesses_left_ = 0;
  std::unordered_map<AgentId, Visitor> visitors_;
  /// How many of them do not stand still.
  std::size_t moving_ = 0;
  /// What was last written there since `begin`.
  std::map<Place, std::vector<std::byte>> written_;
  bool has_atomics_ = false;
};

}  // namespace heddle::detail
