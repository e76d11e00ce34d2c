#pragma once

#include <heddle/operation.h>

#include <array>
#include <cstdint>
#include <unordered_map>

namespace heddle::detail {

/// Whether invocations only read, again and again, what nobody changes: they poll with plain reads, or in
/// another way that says nothing, what nobody else will write. To be told of every access for a while,
/// from `begin` until it says how that ends.
class Standstill {
 public:
  enum class Verdict : std::uint8_t { Unknown, SomethingGoesOn, NothingGoesOn };

  /// Nothing goes on when all invocations stand still and have read the same places `reads` times together.
  explicit Standstill(std::uint64_t reads) : reads_(reads) {}

  void begin();
  /// `agent` is about to read the byte at `offset_bytes`, and those behind it.
  Verdict read(AgentId agent, AllocationId allocation, std::uint64_t offset_bytes);

 private:
  struct Place {
    AllocationId allocation{};
    std::uint64_t offset_bytes = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };
  /// A loop that waits looks at a few places; one that computes, mostly at more.
  static constexpr std::size_t kMostPlaces = 4;
  /// An invocation stands still when it has read the same places so often.
  static constexpr std::uint64_t kRepeats = 4096;
  /// By when every other does, unless it waits for something else, or has ended.
  static constexpr std::uint64_t kManyRepeats = 8 * kRepeats;
  struct Reader {
    std::array<Place, kMostPlaces> places;
    std::size_t known = 0;
    std::uint64_t repeats = 0;

    /// False: there are too many.
    bool knows(const Place& place);
  };

  const std::uint64_t reads_;
  std::uint64_t reads_left_ = 0;
  std::unordered_map<AgentId, Reader> readers_;
  /// Those of them that do not stand still.
  std::size_t moving_ = 0;
};

}  // namespace heddle::detail
