#pragma once

/// \file
/// A map from 32-bit numbers that is never changed, only made anew: a copy is a pointer, and two maps of which one was
/// made from the other share all but what differs. What is done with two maps costs what they do not share.
///
/// The tree is a radix tree: a node has up to 16 children, one for each value of four bits of the number, and a node
/// with one child is left out. (After Okasaki and Gill, Fast Mergeable Integer Maps, ML 1998, and Bagwell, Ideal Hash
/// Trees, 2001.) Values are times: of two of one number the later one has all of the earlier one. Each node knows its
/// earliest and its latest, so one that is later all over takes the place of another one unseen.
///
/// Where one map after the other is made of the one before, as along a chain of releases each of which has acquired the
/// one before, that of two which is further down the chain has all of the other one. So each node has a lineage, and
/// its place in that: of two nodes of one lineage the later one is what both have together, found out in one step.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace heddle::race {

/// What a thread did with maps: for tests of what that costs.
struct RadixTreeWork {
  /// Nodes that were looked into.
  std::uint64_t steps = 0;
  /// The bytes of nodes that it made, without those that it destroyed.
  std::int64_t bytes = 0;
  std::int64_t most_bytes = 0;
};
inline constinit thread_local RadixTreeWork radix_tree_work;

/// A number that no lineage of nodes has had, on any thread.
inline std::uint64_t new_lineage() {
  constexpr std::uint64_t kOfThread = std::uint64_t{1} << 20;
  static constinit std::atomic<std::uint64_t> taken{0};
  static constinit thread_local std::uint64_t next = 0;
  if (next % kOfThread == 0) next = taken.fetch_add(kOfThread, std::memory_order_relaxed);
  return ++next;
}

/// `Value` has: `empty()`, which stands for no value; `join(other)`, which gives what both have together, and
/// `join_since(other, known)`, the same where it has all of `known`; `is_same(other)`, whether they are the same, found
/// out without a look into what they share; `least()` and `most()`: a value has all of those whose most is not above
/// its least; `includes(other, floor)`, whether it or what `floor` stands for has all of the other. A `Floor` has all
/// values whose most is not above its `stamp()`. Several threads may have copies of one map, and use them at once.
template <typename Value>
class RadixTree {
 public:
  using Floor = typename Value::Floor;

  RadixTree() = default;
  RadixTree(const RadixTree& other) : root_(kept(other.root_)) {}
  RadixTree(RadixTree&& other) noexcept : root_(std::exchange(other.root_, nullptr)) {}
  RadixTree& operator=(RadixTree other) noexcept {
    std::swap(root_, other.root_);
    return *this;
  }
  ~RadixTree() { drop(root_); }

  bool empty() const { return root_ == nullptr; }
  bool is_same(const RadixTree& other) const { return root_ == other.root_; }
  /// Tells apart maps that are not the same; null of an empty one.
  const void* identity() const { return root_; }
  /// The largest `most` of all values; 0 of an empty map.
  std::uint32_t most() const { return root_ ? root_->most : 0; }

  /// Null if there is none.
  const Value* find(std::uint32_t number) const {
    const Node* node = root_;
    while (node) {
      if (!node->covers(number)) return nullptr;
      const std::uint32_t digit = node->digit(number);
      if (!node->has(digit)) return nullptr;
      if (node->shift == 0) return &node->values()[node->place(digit)];
      node = node->children()[node->place(digit)];
    }
    return nullptr;
  }
  /// The value of the number becomes one that is not empty, and has all of the one before.
  void put(std::uint32_t number, Value value) {
    LeafBuilder one(number & ~(kDigits - 1));
    one.add(number & (kDigits - 1), std::move(value));
    const RadixTree fresh(one.take());
    drop(std::exchange(root_, merged(root_, fresh.root_, Replace())));
  }
  /// Each number gets what it has here and there together.
  void join(const RadixTree& other) { drop(std::exchange(root_, merged(root_, other.root_, Join()))); }
  /// As join, where this map has all of `known`: of the other map only that is looked at which it does not share with
  /// `known`.
  void join_since(const RadixTree& other, const RadixTree& known) {
    drop(std::exchange(root_, merged(root_, other.root_, JoinSince{known.root_})));
  }
  /// Maps of one lineage: a later one has all of an earlier one. 0 of an empty map, and of no other.
  std::uint64_t lineage() const { return root_ ? root_->lineage : 0; }
  std::uint32_t place_in_lineage() const { return root_ ? root_->place_in_lineage : 0; }
  /// Whether for each number the value here, or else `floor`, includes that of the other map.
  bool includes(const RadixTree& other, Floor floor) const { return includes(root_, other.root_, floor); }
  /// Each value of the numbers from `first` to `last` becomes f(number, value), which may be empty; others are gone.
  template <typename F>
  RadixTree mapped(std::uint32_t first, std::uint32_t last, const F& f) const {
    return RadixTree(made_of(
        root_, [&](const Node& node) { return node.is_beside(first, last) ? Part::None : Part::Some; },
        [&](std::uint32_t number, const Value& value) {
          return first <= number && number <= last ? f(number, value) : Value();
        }));
  }
  /// Without the values whose most is not above the stamp.
  RadixTree above(std::uint32_t stamp) const {
    return RadixTree(made_of(
        root_,
        [&](const Node& node) { return node.most <= stamp   ? Part::None
                                       : node.least > stamp ? Part::All
                                                            : Part::Some; },
        [&](std::uint32_t, const Value& value) { return value.most() > stamp ? value : Value(); }));
  }

 private:
  struct Node;
  static constexpr std::uint32_t kDigitBits = 4;
  static constexpr std::uint32_t kDigits = 1u << kDigitBits;
  static constexpr std::uint16_t kAllDigits = 0xffff;

  // What is done where two maps have a number: of the second map's node, and of a digit of that.
  struct Join {
    static constexpr bool kLaterWins = true;
    static bool has(const Node*) { return false; }
    Join below(const Node&, std::uint32_t) const { return {}; }
    Value operator()(const Value& here, const Value& there, const Node&, std::uint32_t) const {
      return here.join(there);
    }
  };
  struct Replace {
    static constexpr bool kLaterWins = false;
    static bool has(const Node*) { return false; }
    Replace below(const Node&, std::uint32_t) const { return {}; }
    Value operator()(const Value&, const Value& fresh, const Node&, std::uint32_t) const { return fresh; }
  };
  /// The first map has all of the node that is known.
  struct JoinSince {
    static constexpr bool kLaterWins = true;
    const Node* known;
    bool has(const Node* there) const { return there == known; }
    bool is_beside(const Node& there) const {
      return known && known->shift == there.shift && known->base == there.base;
    }
    JoinSince below(const Node& there, std::uint32_t digit) const {
      return {is_beside(there) ? known->child(digit) : nullptr};
    }
    Value operator()(const Value& here, const Value& value, const Node& there, std::uint32_t digit) const {
      if (!is_beside(there) || !known->has(digit)) return here.join(value);
      return here.join_since(value, known->values()[known->place(digit)]);
    }
  };
  enum class Part : std::uint8_t { None, Some, All };

  /// How many of 16 bits are set. (std::popcount is a call where the processor is not known to have an instruction.)
  static std::size_t bits_of(std::uint32_t bits) {
    bits -= (bits >> 1) & 0x5555;
    bits = (bits & 0x3333) + ((bits >> 2) & 0x3333);
    bits = (bits + (bits >> 4)) & 0x0f0f;
    return (bits + (bits >> 8)) & 0x1f;
  }

  /// Behind it are as many values (`shift` is 0) or pointers to nodes as `present` has bits.
  struct alignas(Value) alignas(void*) alignas(std::uint64_t) Node {
    std::atomic<std::uint32_t> uses{1};
    /// The first number that it has room for.
    std::uint32_t base = 0;
    /// The earliest and the latest of its values.
    std::uint32_t least = 0;
    std::uint32_t most = 0;
    /// Which digits there are, a bit each.
    std::uint16_t present = 0;
    /// The bits of a number below its digit.
    std::uint8_t shift : 5 = 0;
    /// Whether there is a value for each number that it has room for.
    bool complete : 1 = false;
    /// Whether another node follows it in its lineage.
    std::atomic<bool> followed{false};
    std::uint32_t place_in_lineage = 0;
    std::uint64_t lineage = 0;

    /// Whether the two are of one lineage: then the one that is later there has all of the other one.
    bool is_akin(const Node& other) const { return lineage == other.lineage; }
    bool is_later(const Node& other) const { return place_in_lineage >= other.place_in_lineage; }
    /// Puts this node, which has all of `other`, next to it in its lineage. False if another node stands there.
    bool follows(Node& other) {
      if (other.place_in_lineage == ~std::uint32_t{0} || other.followed.load(std::memory_order_relaxed) ||
          other.followed.exchange(true, std::memory_order_relaxed))
        return false;
      lineage = other.lineage;
      place_in_lineage = other.place_in_lineage + 1;
      return true;
    }

    std::uint32_t last() const {
      return base | static_cast<std::uint32_t>((std::uint64_t{1} << (shift + kDigitBits)) - 1);
    }
    bool covers(std::uint32_t number) const { return base <= number && number <= last(); }
    bool is_beside(std::uint32_t first, std::uint32_t end) const { return last() < first || end < base; }
    /// Whether that is seen at once.
    bool has_all_of(const Node& other) const {
      if (is_akin(other)) return is_later(other);
      return complete && least >= other.most && shift >= other.shift && covers(other.base);
    }
    std::uint32_t digit(std::uint32_t number) const { return (number >> shift) & (kDigits - 1); }
    bool has(std::uint32_t digit) const { return ((present >> digit) & 1) != 0; }
    std::size_t place(std::uint32_t digit) const { return bits_of(present & ((1u << digit) - 1)); }
    std::size_t size() const { return bits_of(present); }
    std::int64_t bytes() const {
      return static_cast<std::int64_t>(sizeof(Node) + size() * (shift == 0 ? sizeof(Value) : sizeof(Node*)));
    }
    Value* values() { return reinterpret_cast<Value*>(this + 1); }
    const Value* values() const { return reinterpret_cast<const Value*>(this + 1); }
    Node** children() { return reinterpret_cast<Node**>(this + 1); }
    Node* const* children() const { return reinterpret_cast<Node* const*>(this + 1); }
    /// Null if there is none.
    const Value* value(std::uint32_t digit) const { return has(digit) ? &values()[place(digit)] : nullptr; }
    Node* child(std::uint32_t digit) const { return has(digit) ? children()[place(digit)] : nullptr; }
  };

  /// Takes the node over.
  explicit RadixTree(Node* root) : root_(root) {}

  static Node* kept(Node* node) {
    if (node) node->uses.fetch_add(1, std::memory_order_relaxed);
    return node;
  }
  // Who destroys a node comes after all who used it, on whatever thread.
  static void drop(Node* node) {
    if (node && node->uses.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy(node);
  }
  // GCC 12 takes inlined copies of it for a use of what is gone.
  [[gnu::noinline]] static void destroy(Node* node) {
    radix_tree_work.bytes -= node->bytes();
    if (node->shift == 0) {
      std::destroy_n(node->values(), node->size());
    } else {
      std::for_each_n(node->children(), node->size(), drop);
    }
    ::operator delete(node);
  }
  static Node* make(std::uint32_t base, std::uint32_t shift, std::uint32_t present) {
    const std::size_t count = bits_of(present);
    Node* const node = new (::operator new(sizeof(Node) + count * (shift == 0 ? sizeof(Value) : sizeof(Node*)))) Node;
    node->base = base;
    node->shift = static_cast<std::uint8_t>(shift);
    node->present = static_cast<std::uint16_t>(present);
    RadixTreeWork& work = radix_tree_work;
    work.bytes += node->bytes();
    work.most_bytes = std::max(work.most_bytes, work.bytes);
    return node;
  }

  static void give_lineage(Node& node, Node* like, Node* other) {
    if ((like && node.follows(*like)) || (other && node.follows(*other))) return;
    node.lineage = new_lineage();
  }

  /// Collects the values of a node in the order of their digits.
  class LeafBuilder {
   public:
    explicit LeafBuilder(std::uint32_t base) : base_(base) {}
    void add(std::uint32_t digit, Value value) {
      if (value.empty()) return;
      least_ = std::min(least_, value.least());
      most_ = std::max(most_, value.most());
      values_[count_++] = std::move(value);
      present_ |= 1u << digit;
    }
    /// Null of no values. The node has all of these two, which may be null, the first having the more in common with
    /// it.
    Node* take(Node* like = nullptr, Node* other = nullptr) {
      if (count_ == 0) return nullptr;
      Node* const node = make(base_, 0, present_);
      give_lineage(*node, like, other);
      node->least = least_;
      node->most = most_;
      node->complete = present_ == kAllDigits;
      std::uninitialized_move_n(values_.begin(), count_, node->values());
      return node;
    }

   private:
    std::uint32_t base_;
    std::uint32_t present_ = 0;
    std::uint32_t least_ = ~std::uint32_t{0};
    std::uint32_t most_ = 0;
    std::size_t count_ = 0;
    std::array<Value, kDigits> values_;
  };
  /// Collects the children of a node in the order of their digits, and takes them over.
  class Builder {
   public:
    Builder(std::uint32_t base, std::uint32_t shift) : base_(base), shift_(shift) {}
    void add(std::uint32_t digit, Node* child) {
      if (!child) return;
      children_[count_++] = child;
      present_ |= 1u << digit;
    }
    /// Null of no children; the child of a single one. The node has all of these two, as that of a LeafBuilder.
    Node* take(Node* like = nullptr, Node* other = nullptr) {
      if (count_ == 0) return nullptr;
      if (count_ == 1) return children_[0];
      Node* const node = make(base_, shift_, present_);
      give_lineage(*node, like, other);
      node->least = ~std::uint32_t{0};
      node->complete = present_ == kAllDigits;
      for (std::size_t i = 0; i < count_; ++i) {
        const Node& child = *children_[i];
        node->least = std::min(node->least, child.least);
        node->most = std::max(node->most, child.most);
        node->complete = node->complete && child.complete && child.shift + kDigitBits == shift_;
        node->children()[i] = children_[i];
      }
      return node;
    }

   private:
    std::uint32_t base_;
    std::uint32_t shift_;
    std::uint32_t present_ = 0;
    std::size_t count_ = 0;
    // Only what is counted is ever read.
    std::array<Node*, kDigits> children_;
  };

  /// A node above two neither of which has room for the other.
  static Node* beside(Node* a, Node* b) {
    const auto bits = static_cast<std::uint32_t>(std::bit_width(a->base ^ b->base));
    const std::uint32_t shift = (bits - 1) / kDigitBits * kDigitBits;
    const std::uint32_t above = shift + kDigitBits;
    Node* const first = a->base < b->base ? a : b;
    Node* const second = first == a ? b : a;
    Builder made(above >= 32 ? 0 : a->base >> above << above, shift);
    made.add((first->base >> shift) & (kDigits - 1), kept(first));
    made.add((second->base >> shift) & (kDigits - 1), kept(second));
    return made.take(a, b);
  }

  /// What both have; where both have a number, what `of` makes of a's value and b's value. One of the two themselves
  /// where it has all.
  template <typename Of>
  static Node* merged(Node* a, Node* b, const Of& of) {
    if (!b || a == b || of.has(b)) return kept(a);
    if (!a) return kept(b);
    ++radix_tree_work.steps;
    if (Of::kLaterWins && a->has_all_of(*b)) return kept(a);
    if (Of::kLaterWins && b->has_all_of(*a)) return kept(b);
    if (a->shift == b->shift && a->base == b->base)
      return a->shift == 0 ? merged_values(*a, *b, of) : merged_children(*a, *b, of);
    if (a->shift > b->shift && a->covers(b->base)) {
      const std::uint32_t digit = a->digit(b->base);
      return with_child(*a, digit, merged(a->child(digit), b, of));
    }
    if (b->shift > a->shift && b->covers(a->base)) {
      const std::uint32_t digit = b->digit(a->base);
      return with_child(*b, digit, merged(a, b->child(digit), of.below(*b, digit)));
    }
    return beside(a, b);
  }
  /// `node` with this child, which it takes over, at the digit.
  static Node* with_child(Node& node, std::uint32_t digit, Node* child) {
    if (child == node.child(digit)) {
      drop(child);
      return kept(&node);
    }
    Builder made(node.base, node.shift);
    for (std::uint32_t each = 0; each < kDigits; ++each) made.add(each, each == digit ? child : kept(node.child(each)));
    return made.take(&node);
  }
  template <typename Of>
  static Node* merged_values(Node& a, Node& b, const Of& of) {
    std::array<Value, kDigits> fresh;
    bool only_a = true;
    bool only_b = true;
    int more_of_a = 0;
    for (std::uint32_t digit = 0; digit < kDigits; ++digit) {
      const Value* const mine = a.value(digit);
      const Value* const others = b.value(digit);
      // Mostly the two share the value: then it is not even copied.
      if (mine == others || (mine && others && mine->is_same(*others))) continue;
      if (mine && others) fresh[digit] = of(*mine, *others, b, digit);
      const bool is_mine = mine && (!others || fresh[digit].is_same(*mine));
      const bool is_others = others && (!mine || fresh[digit].is_same(*others));
      only_a = only_a && is_mine;
      only_b = only_b && is_others;
      more_of_a += int{is_mine} - int{is_others};
    }
    if (only_a || only_b) return kept(only_a ? &a : &b);
    LeafBuilder made(a.base);
    for (std::uint32_t digit = 0; digit < kDigits; ++digit) {
      if (const Value* const one = a.has(digit) ? a.value(digit) : b.value(digit))
        made.add(digit, fresh[digit].empty() ? *one : std::move(fresh[digit]));
    }
    return more_of_a >= 0 ? made.take(&a, &b) : made.take(&b, &a);
  }
  template <typename Of>
  static Node* merged_children(Node& a, Node& b, const Of& of) {
    std::array<Node*, kDigits> both;
    bool only_a = true;
    bool only_b = true;
    int more_of_a = 0;
    for (std::uint32_t digit = 0; digit < kDigits; ++digit) {
      Node* const mine = a.child(digit);
      Node* const others = b.child(digit);
      both[digit] = merged(mine, others, of.below(b, digit));
      only_a = only_a && both[digit] == mine;
      only_b = only_b && both[digit] == others;
      more_of_a += int{both[digit] == mine} - int{both[digit] == others};
    }
    if (only_a || only_b) {
      std::for_each(both.begin(), both.end(), drop);
      return kept(only_a ? &a : &b);
    }
    Builder made(a.base, a.shift);
    for (std::uint32_t digit = 0; digit < kDigits; ++digit) made.add(digit, both[digit]);
    return more_of_a >= 0 ? made.take(&a, &b) : made.take(&b, &a);
  }

  static bool includes(const Node* a, const Node* b, Floor floor) {
    if (!b || a == b || floor.stamp() >= b->most) return true;
    if (!a) return false;
    ++radix_tree_work.steps;
    if (a->has_all_of(*b)) return true;
    if (b->shift > a->shift) {
      for (std::uint32_t digit = 0; digit < kDigits; ++digit)
        if (!includes(b->covers(a->base) && b->digit(a->base) == digit ? a : nullptr, b->child(digit), floor))
          return false;
      return true;
    }
    if (!a->covers(b->base)) return false;
    if (a->shift > b->shift) return includes(a->child(a->digit(b->base)), b, floor);
    for (std::uint32_t digit = 0; digit < kDigits; ++digit) {
      if (!b->has(digit)) continue;
      if (b->shift != 0) {
        if (!includes(a->child(digit), b->child(digit), floor)) return false;
        continue;
      }
      const Value& wanted = b->values()[b->place(digit)];
      const bool known =
          a->has(digit) ? a->values()[a->place(digit)].includes(wanted, floor) : floor.stamp() >= wanted.most();
      if (!known) return false;
    }
    return true;
  }

  /// part(node) tells which part of it has to be looked at: none is kept, or all as it is, or what f makes of it.
  template <typename PartOf, typename F>
  static Node* made_of(Node* node, const PartOf& part, const F& f) {
    if (!node) return nullptr;
    ++radix_tree_work.steps;
    const Part looked_at = part(*node);
    if (looked_at != Part::Some) return looked_at == Part::All ? kept(node) : nullptr;
    return node->shift == 0 ? made_of_values(*node, f) : made_of_children(*node, part, f);
  }
  template <typename F>
  static Node* made_of_values(Node& node, const F& f) {
    bool same = true;
    LeafBuilder made(node.base);
    for (std::uint32_t digit = 0; digit < kDigits; ++digit) {
      if (!node.has(digit)) continue;
      const Value& before = node.values()[node.place(digit)];
      Value value = f(node.base + digit, before);
      same = same && value.is_same(before);
      made.add(digit, std::move(value));
    }
    return same ? kept(&node) : made.take();
  }
  template <typename PartOf, typename F>
  static Node* made_of_children(Node& node, const PartOf& part, const F& f) {
    bool same = true;
    Builder made(node.base, node.shift);
    for (std::uint32_t digit = 0; digit < kDigits; ++digit) {
      Node* const before = node.child(digit);
      Node* const child = made_of(before, part, f);
      same = same && child == before;
      made.add(digit, child);
    }
    Node* const result = made.take();
    if (!same) return result;
    drop(result);
    return kept(&node);
  }

  Node* root_ = nullptr;
};

}  // namespace heddle::race
