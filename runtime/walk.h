#pragma once

/// \file
/// The order in which an oracle lets the invocations of a workgroup go on.

#include <heddle/choice.h>
#include <heddle/detail/check.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::runtime {

/// The order in which invocations go on where an oracle decides: a random walk through all of them,
/// `i, i + stride, i + 2 stride ...`, which is known ahead. Each invocation has a place in it.
class Walk {
 public:
  /// All of `size` invocations, in an order that `choice` gives.
  void begin(std::uint32_t size, Choice& choice) {
    size_ = size;
    if (size != 1) return begin_in_order_of(choice);
    stride_ = first_ = inverse_ = 0;
    begin_at_first();
  }
  /// Goes on from an invocation that `choice` gives.
  void jump(Choice& choice) {
    const std::uint32_t index = choice.below(size_, ChoicePoint::Invocation);
    HEDDLE_CHECK(index < size_, "an oracle chose an invocation that is not in the workgroup");
    go_to(place_of(index), index);
  }
  /// Who comes next, and its place, and who comes then. Behind the last place it is the first one again.
  std::uint32_t index() const { return index_; }
  std::uint32_t place() const { return place_; }
  std::uint32_t index_after() const { return index_after_; }
  void step() { go_to(place_ + 1, index_after_); }
  void go_to(std::uint32_t place) { go_to(place, (first_ + place * stride_) % size_); }
  // No product is too large: a workgroup has at most 2^16 invocations.
  std::uint32_t place_of(std::uint32_t index) const {
    // To divide takes longer than all the rest.
    if (size_ == 1) return 0;
    return (index < first_ ? index + size_ - first_ : index - first_) * inverse_ % size_;
  }

  /// Invocations that need not be looked at before the others have come: those that wait at the
  /// workgroup's barrier, or have finished.
  void leave_out(std::uint32_t place) { left_[place / 64] &= ~(std::uint64_t{1} << place % 64); }
  /// The first place from `place` on of an invocation that is to be looked at; the size if there is none.
  std::uint32_t first_from(std::uint32_t place) const;
  void look_at_all() {
    const std::size_t whole = size_ / 64;
    if (left_.size() != whole + 1) [[unlikely]]
      return look_at_all_of_another_size();
    for (std::size_t word = 0; word < whole; ++word) left_[word] = ~std::uint64_t{0};
    left_[whole] = (std::uint64_t{1} << size_ % 64) - 1;
  }

 private:
  [[gnu::noinline]] void begin_in_order_of(Choice& choice);
  void begin_at_first() {
    go_to(0, first_);
    look_at_all();
  }
  void go_to(std::uint32_t place, std::uint32_t index) {
    place_ = place;
    index_ = index;
    index_after_ = index + stride_ < size_ ? index + stride_ : index + stride_ - size_;
  }
  [[gnu::noinline]] void look_at_all_of_another_size();

  std::uint32_t size_ = 1;
  std::uint32_t stride_ = 0;
  /// Who has place 0, and the inverse of the stride modulo the size.
  std::uint32_t first_ = 0;
  std::uint32_t inverse_ = 0;
  std::uint32_t index_ = 0;
  std::uint32_t place_ = 0;
  std::uint32_t index_after_ = 0;
  /// Who is to be looked at, by place.
  std::vector<std::uint64_t> left_;
};

}  // namespace heddle::runtime
