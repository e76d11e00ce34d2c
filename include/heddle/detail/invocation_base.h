#pragma once

/// \file
/// What every invocation is made on, below what it offers to kernels: its place in the dispatch, how it waits, how
/// subgroup operations meet, how findings are raised. The modes differ in how memory is reached.

#include <heddle/detail/complaint.h>
#include <heddle/detail/plain.h>
#include <heddle/detail/print.h>
#include <heddle/detail/refusals.h>
#include <heddle/detail/runtime.h>
#include <heddle/detail/subgroup.h>
#include <heddle/detail/switch.h>
#include <heddle/detail/tagging.h>
#include <heddle/operation.h>
#include <heddle/reference.h>
#include <heddle/semantics.h>

#include <fmt/core.h>

#include <bit>
#include <concepts>
#include <cstring>
#include <string>

namespace heddle::emulated {
class Invocation;
}

namespace heddle::detail {

/// Where `inv.print` goes: the lines of a dispatch, in an order that does not depend on threads.
void print(runtime::Workgroup& group, std::string text);

/// A format string and where it stands.
template <typename... Args>
struct FormatAt {
  template <typename S>
  requires std::convertible_to<const S&, fmt::string_view>
  consteval FormatAt(const S& s, SourceLocation here = SourceLocation::current()) : text(s), where(here) {}
  fmt::format_string<Args...> text;
  SourceLocation where;
};

template <typename T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;
template <typename T>
concept SignedInteger = Integer<T> && std::signed_integral<T>;
template <typename T>
concept UnsignedInteger = Integer<T> && std::unsigned_integral<T>;
template <typename T>
concept FloatingPoint = std::floating_point<T> || std::same_as<T, float16>;
template <typename T>
concept Boolean = std::same_as<T, bool>;

/// What subgroup operations take: a value, or a reference to one.
template <typename V>
concept PlainValue = Plain<ValueOf<V>>;
/// The value, which a reference without a place of its own is read for at that place.
template <typename V>
constexpr ValueOf<V> value_at(const V& value, [[maybe_unused]] const SourceLocation& where) {
  if constexpr (ReadableReference<V>) {
    return load_at(value, where);
  } else {
    return value;
  }
}

/// Compares and computes as signed or unsigned, whatever the type of the memory.
template <template <typename> typename To, typename T, template <typename> typename Op>
struct As {
  static constexpr T apply(T a, T b) {
    using U = To<T>;
    return static_cast<T>(Op<U>::apply(static_cast<U>(a), static_cast<U>(b)));
  }
};
template <typename T>
struct IncrementWrapping {
  static constexpr T apply(T old, T last) { return old >= last ? T(0) : static_cast<T>(old + 1); }
};
template <typename T>
struct DecrementWrapping {
  static constexpr T apply(T old, T last) { return old == 0 || old > last ? last : static_cast<T>(old - 1); }
};
template <typename T>
using Signed = std::make_signed_t<T>;
template <typename T>
using Unsigned = std::make_unsigned_t<T>;

/// Whether what is wrong with constant operands is told of this invocation.
template <typename Derived>
inline constexpr bool kTellsOperands = true;
template <>
inline constexpr bool kTellsOperands<emulated::Invocation> = false;

// What a compiler says of a function that takes an invocation by value.
#define HEDDLE_IS_NOT_COPIED "an invocation is taken by reference: write `auto& inv` instead of `auto inv`"

/// `Derived` gives `load_from`, `store_to`, `atomic_update` and the other accesses, `fence`, `before_barrier`,
/// `before_control_barrier` (true: nothing is left to do) and `after_barrier`, `make_undefined`, `follow_condition`.
template <typename Derived>
class InvocationBase {
 public:
  InvocationBase(runtime::Workgroup& group, std::uint32_t index, const uvec3& local, const uvec3& global,
                 bool registered)
      : group_(&group),
        ring_(group.ring),
        index_(index),
        waited_(registered),
        is_alone_(group.grid->group_size == 1),
        local_(local),
        global_(global) {}
  InvocationBase(const InvocationBase&) = delete;
  InvocationBase& operator=(const InvocationBase&) = delete;

 protected:
  using MemoryScope = OperandIf<heddle::MemoryScope, kTellsOperands<Derived>>;
  using ExecutionScope = OperandIf<heddle::ExecutionScope, kTellsOperands<Derived>>;
  using LoadOperands = OperandIf<heddle::LoadOperands, kTellsOperands<Derived>>;
  using StoreOperands = OperandIf<heddle::StoreOperands, kTellsOperands<Derived>>;
  using AtomicLoadSemantics = OperandIf<heddle::AtomicLoadSemantics, kTellsOperands<Derived>>;
  using AtomicStoreSemantics = OperandIf<heddle::AtomicStoreSemantics, kTellsOperands<Derived>>;
  using AtomicSemantics = OperandIf<heddle::AtomicSemantics, kTellsOperands<Derived>>;
  using AtomicUnequalSemantics = OperandIf<heddle::AtomicUnequalSemantics, kTellsOperands<Derived>>;
  using MemoryBarrierSemantics = OperandIf<heddle::MemoryBarrierSemantics, kTellsOperands<Derived>>;
  using ControlBarrierSemantics = OperandIf<heddle::ControlBarrierSemantics, kTellsOperands<Derived>>;

  Derived& derived() { return static_cast<Derived&>(*this); }
  const Derived& derived() const { return static_cast<const Derived&>(*this); }
  const runtime::Grid& grid() const { return *group_->grid; }

  void wait_begins(bool in_step = false) {
    if (!waited_) {
      waited_ = true;
      runtime::begin_waiting(*group_, index_, in_step);
    }
  }

  /// Whether it is certain that there are others, whom it has met.
  [[gnu::always_inline]] bool workgroup_wait(const SourceLocation& where) {
    if (!waited_) {
      if (is_alone_) return false;
      wait_begins(true);
    }
#if HEDDLE_INLINE_SWITCH
    // A turn in a ring whose invocations keep step hands over to the next one. Whatever is not that
    // goes to the library.
    if (where.line == ring_->line && where.file == ring_->file && ring_->current != ring_->last &&
        ring_->exceptions->none()) [[likely]] {
      ring_ = runtime::hand_over(ring_);
      if (ring_->unwinding) [[unlikely]]
        runtime::unwind();
      return true;
    }
#endif
    if constexpr (Derived::kEmulated) {
      ring_ = runtime::go_on(runtime::walk_to_barrier(where.file, where.function, where.line), ring_);
    } else {
      runtime::workgroup_barrier(where.file, where.function, where.line);
    }
    return false;
  }

  /// `format` has a `{}` for each of the parts: numbers and texts.
  template <typename... Parts>
  [[noreturn, gnu::cold]] void raise_with(FindingKind kind, const SourceLocation& where, const char* format,
                                          Parts... parts) const {
    raise_for(*group_, index_, kind, where, format, parts...);
  }
  /// Where nothing else may have the address of the invocation.
  template <typename... Parts>
  [[noreturn, gnu::cold]] static void raise_for(const runtime::Workgroup& group, std::uint32_t index, FindingKind kind,
                                                const SourceLocation& where, const char* format, Parts... parts) {
    const MessagePart all[] = {parts..., 0};
    complain(group, index, kind, where, format, all, sizeof...(Parts));
  }

  template <typename Payload>
  void subgroup_wait(SourceLocation where, runtime::SubgroupFunction function, Payload* payload) {
    if (grid().lanes(derived().subgroup_id()) == 1) {
      LaneMask alone;
      alone.set(0);
      void* const payloads[] = {payload};
      function(payloads, alone, 1);
      return;
    }
    if constexpr (Derived::kEmulated) {
      if (derived().meets_others_elsewhere(where, function, payload, sizeof(Payload))) [[unlikely]]
        return;
    }
    // Only the linear mapping has the lanes of a subgroup side by side.
    wait_begins(grid().index_at == nullptr);
#if HEDDLE_INLINE_SWITCH
    // As in workgroup_wait; the last lane of a subgroup goes to the library, which computes.
    if ((where.line | runtime::kSubgroupTurn) == ring_->line && where.file == ring_->file &&
        function == ring_->operation && ring_->current != ring_->last_lane && ring_->exceptions->none()) [[likely]] {
      ring_->payloads[index_] = payload;
      ring_ = runtime::hand_over(ring_);
      if (ring_->unwinding) [[unlikely]]
        runtime::unwind();
      return;
    }
#endif
    runtime::subgroup_operation(where, function, payload);
  }

  runtime::Workgroup* group_;
  runtime::Ring* ring_;
  std::uint32_t index_;
  bool waited_;
  /// In its workgroup.
  bool is_alone_;
  std::uint32_t named_barriers_ = 0;
  uvec3 local_;
  uvec3 global_;

  template <AnyReference R>
  static constexpr void check_operands(MemoryOperands operands) {
    if (!is_shared(R::kStorageClass) && non_private(operands)) {
      refuse(Problem::this_storage_class_has_no_NonPrivatePointer);
    }
  }

  /// Which update it is, where a mode has a faster way for some.
  enum class UpdateKind : std::uint8_t {
    other,
    atomic_i_add_kind,
    atomic_i_sub_kind,
    atomic_s_min_kind,
    atomic_u_min_kind,
    atomic_s_max_kind,
    atomic_u_max_kind,
    atomic_and_kind,
    atomic_or_kind,
    atomic_xor_kind,
    atomic_u_inc_wrap_kind,
    atomic_u_dec_wrap_kind,
    atomic_f_add_ext_kind,
    atomic_f_min_ext_kind,
    atomic_f_max_ext_kind,
  };

  template <UpdateKind kind = UpdateKind::other, typename R, typename F>
  typename R::value_type update(const R& ref, Scope scope, MemorySemantics semantics, const char* name,
                                SourceLocation where, F f, typename R::value_type value = {}) {
    check_scope_with_semantics(scope, semantics);
    return derived().template atomic_update<kind>(ref, scope, semantics, name, where, f, value);
  }

  template <typename F>
  uvec4 lanes_where(F f) const {
    LaneMask mask;
    for (std::uint32_t lane = 0; lane < derived().subgroup_size(); ++lane) {
      if (f(lane, derived().subgroup_local_invocation_id())) mask.set(lane);
    }
    return to_ballot(mask);
  }
  uvec4 all_lanes() const {
    return lanes_where([](std::uint32_t, std::uint32_t) { return true; });
  }
  static std::uint32_t lowest(const LaneMask& mask) {
    const int word = mask.words[0] ? 0 : 1;
    return static_cast<std::uint32_t>(64 * word + std::countr_zero(mask.words[word]));
  }
  std::uint32_t quad(const LaneMask& mask) const {
    const std::uint32_t begin = derived().subgroup_local_invocation_id() / 4 * 4;
    return static_cast<std::uint32_t>(mask.words[begin / 64] >> (begin % 64) & 0xf);
  }

  Vote voted(bool predicate, SourceLocation where) {
    Vote payload{predicate, {}, {}};
    subgroup_wait(where, &vote, &payload);
    return payload;
  }

  void check_lane(std::uint32_t lane, const char* what, SourceLocation where) {
    if (lane >= derived().subgroup_size()) {
      raise_with(FindingKind::InvalidArgument, where, "{} of lane {} in a subgroup of {}", what, lane,
                 derived().subgroup_size());
    }
  }

  void check_cluster(std::uint32_t cluster_size, SourceLocation where) {
    if (!std::has_single_bit(cluster_size) || cluster_size > derived().subgroup_size()) {
      raise_with(FindingKind::InvalidArgument, where,
                 "cluster size {} is not a power of two that is at most the subgroup size, {}", cluster_size,
                 derived().subgroup_size());
    }
  }

  LaneMask nonempty(const uvec4& ballot, const char* what, SourceLocation where) {
    const LaneMask mask = to_mask(ballot & all_lanes());
    if (mask == LaneMask{}) {
      raise_with(FindingKind::InvalidArgument, where, "{} of an empty ballot", what);
    }
    return mask;
  }

  /// The value of lane `source`, which the operation names. Where that is not active the result is undefined, or, where
  /// nobody follows undefined values, a finding.
  template <typename T>
  T from_lane(const T& value, std::uint32_t source, const char* what, SourceLocation where,
              runtime::SubgroupFunction move = &exchange<T>) {
    Exchange<T> payload{value, source, false, value};
    subgroup_wait(where, move, &payload);
    if (payload.differs) [[unlikely]]
      raise_with(FindingKind::InvalidArgument, where,
                 "{} names lane {} here and another one elsewhere: it must be the same number in all active lanes",
                 what, source);
    if (!payload.found && !derived().make_undefined(payload.result, what, source, where)) {
      raise_with(FindingKind::InvalidArgument, where, "{} from lane {}, which is not active", what, source);
    }
    return payload.result;
  }

  /// The value of a neighbour, which the lanes at the end do not have: their result is undefined, or, where nobody
  /// follows undefined values, what they had.
  template <typename T>
  T from_neighbour(const T& value, std::uint32_t source, const char* what, SourceLocation where) {
    Exchange<T> payload{value, source, false, value};
    subgroup_wait(where, &exchange<T>, &payload);
    if (!payload.found) derived().make_undefined(payload.result, what, source, where);
    return payload.result;
  }

  template <typename Op, typename T>
  T combined(GroupOperation operation, T value, std::uint32_t cluster_size, const LaneMask& partition,
             SourceLocation where) {
    if (operation == GroupOperation::ClusteredReduce) check_cluster(cluster_size, where);
    if (operation > GroupOperation::ClusteredReduce && partition == LaneMask{}) {
      raise_with(FindingKind::InvalidArgument, where, "a partitioned operation needs the ballot of its partition");
    }
    Combination<T> payload{value, operation, cluster_size, partition, value};
    subgroup_wait(where, &combine<T, Op>, &payload);
    return payload.result;
  }
};

}  // namespace heddle::detail
