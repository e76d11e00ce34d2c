#pragma once

/// \file
/// Accesses, fences and barriers of a module as steps of an invocation, which does what a kernel in C++ would ask of
/// it.

#include <heddle/detail/emulated.h>
#include <heddle/detail/native.h>
#include <heddle/invocation.h>

#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include "emulator/spirv/host/step.h"
#include "emulator/spirv/tokens.h"

namespace heddle::spirv {

/// How an invocation of a mode reaches bytes. Accesses are inside of the place that a pointer names.
template <typename Invocation>
struct Reaching;

template <>
struct Reaching<emulated::Invocation> {
  template <typename T>
  using Ref = emulated::Ref<T, StorageClass::StorageBuffer>;

  template <typename T>
  [[gnu::always_inline]] static Ref<T> ref(emulated::Invocation& invocation, const Place& place, std::uint64_t offset,
                                           const StepDetail& detail) {
    emulated::Place at;
    at.invocation = &invocation;
    at.binding = place.binding;
    at.offset_bytes = offset;
    at.qualifiers = detail.qualifiers[static_cast<std::size_t>(place.sharing)];
    at.where = detail.where;
    return Ref<T>(at);
  }
  template <typename T>
  [[gnu::always_inline]] static T load(emulated::Invocation& invocation, const Place& place, std::uint64_t offset,
                                       const StepDetail& detail) {
    return ref<T>(invocation, place, offset, detail).load();
  }
  template <typename T>
  [[gnu::always_inline]] static void store(emulated::Invocation& invocation, const Place& place, std::uint64_t offset,
                                           const StepDetail& detail, T value) {
    ref<T>(invocation, place, offset, detail).store(value);
  }
  /// Scopes and semantics as the invocation takes them.
  static Scope operand(Scope scope) { return scope; }
  static MemorySemantics operand(MemorySemantics semantics) { return semantics; }
  /// The place of a device's address, which becomes an offset in it.
  static Place at_address(emulated::Invocation& invocation, std::uint64_t& address, const StepDetail& detail) {
    Place out;
    out.binding = emulation::buffer_at(invocation.emulator(), invocation.agent(), address, detail.where);
    out.size = out.binding->size_bytes;
    address -= reinterpret_cast<std::uintptr_t>(out.binding->allocation->bytes);
    return out;
  }
};

template <>
struct Reaching<native::Invocation> {
  template <typename T>
  using Ref = native::Ref<T, StorageClass::StorageBuffer>;

  template <typename T>
  static Ref<T> ref(native::Invocation&, const Place& place, std::uint64_t offset, const StepDetail&) {
    return Ref<T>(reinterpret_cast<T*>(place.bytes + offset));
  }
  /// Semantics become their order, which is all that matters natively.
  static auto operand(Scope scope) { return dynamic(scope); }
  static auto operand(MemorySemantics semantics) {
    const MemorySemantics order = semantics & kOrderBits;
    return dynamic(order == MemorySemantics::None ? order : order | MemorySemantics::UniformMemory);
  }
  /// Whether an access is atomic, as coherent and volatile ones are: other threads may look at the bytes, and an
  /// invocation that finds the same again and again lets others run.
  static bool is_coherent(const Place& place, const StepDetail& detail) {
    const Qualifiers& q = detail.qualifiers[static_cast<std::size_t>(place.sharing)];
    return (q.coherent && place.sharing != Sharing::OfWorkgroup) || q.is_volatile;
  }
  template <typename T>
  static T load(native::Invocation& invocation, const Place& place, std::uint64_t offset, const StepDetail& detail) {
    const Ref<T> from = ref<T>(invocation, place, offset, detail);
    if (is_coherent(place, detail))
      return invocation.atomic_load(from, Scope::Device, MemorySemantics::None, detail.where);
    return from.load();
  }
  template <typename T>
  static void store(native::Invocation& invocation, const Place& place, std::uint64_t offset, const StepDetail& detail,
                    T value) {
    const Ref<T> to = ref<T>(invocation, place, offset, detail);
    if (is_coherent(place, detail))
      return invocation.atomic_store(to, Scope::Device, MemorySemantics::None, value, detail.where);
    to.store(value);
  }
  static Place at_address(native::Invocation&, std::uint64_t& address, const StepDetail&) {
    Place out;
    out.bytes = reinterpret_cast<std::byte*>(std::exchange(address, 0));
    out.size = kObjectStride;
    return out;
  }
};

/// The steps of invocations of one mode.
template <typename Invocation>
class MemorySteps {
  using By = Reaching<Invocation>;

 public:
  static Handler load(std::uint32_t bytes, bool physical) {
    return physical ? of_width<PhysicalLoad>(bytes) : of_width<Load>(bytes);
  }
  static Handler store(std::uint32_t bytes, bool physical) {
    return physical ? of_width<PhysicalStore>(bytes) : of_width<Store>(bytes);
  }
  /// The handler of an atomic on an integer or a float of 4 or 8 bytes.
  static Handler atomic(const ScalarType& type, bool physical) {
    const bool is_float = type.kind == ScalarType::Kind::Float;
    if (type.bytes() == 8)
      return is_float ? of_pointer<Atomic<double>>(physical) : of_pointer<Atomic<std::uint64_t>>(physical);
    return is_float ? of_pointer<Atomic<float>>(physical) : of_pointer<Atomic<std::uint32_t>>(physical);
  }
  static const Step* fence(const Step* step, State& state) {
    const StepDetail& detail = *step->detail;
    of(state).memory_barrier(By::operand(detail.scope), By::operand(detail.semantics), detail.where);
    return step + 1;
  }
  static const Step* barrier(const Step* step, State& state) {
    const StepDetail& detail = *step->detail;
    of(state).control_barrier(By::operand(detail.execution), By::operand(detail.scope), By::operand(detail.semantics),
                              detail.where);
    return step + 1;
  }

 private:
  static Invocation& of(State& state) { return *static_cast<Invocation*>(state.invocation); }

  template <template <typename> typename Access>
  static Handler of_width(std::uint32_t bytes) {
    switch (bytes) {
      case 1:
        return &Access<std::uint8_t>::run;
      case 2:
        return &Access<std::uint16_t>::run;
      case 4:
        return &Access<std::uint32_t>::run;
      default:
        return &Access<std::uint64_t>::run;
    }
  }
  template <typename Access>
  static Handler of_pointer(bool physical) {
    return physical ? &Access::template run<true> : &Access::template run<false>;
  }

  /// The place of a pointer, of which `offset` becomes the bytes in it; null if it is no place in memory.
  [[gnu::always_inline]] static const Place* find(const State& state, std::uint64_t pointer, std::uint64_t& offset) {
    const std::uint64_t number = object_of(pointer);
    offset = offset_of(pointer);
    return number < state.place_count ? &state.places[number] : nullptr;
  }

  /// Reads slots and constants, which are no shared memory; raises where the pointer is to neither.
  [[gnu::noinline]] static std::uint64_t load_other(const Step* step, State& state, std::uint64_t pointer,
                                                    std::uint32_t bytes) {
    std::uint64_t offset = 0;
    if (!is_token(pointer) && object_of(pointer) == kLocalObject && offset_of(pointer) < state.slot_count)
      return state.slots[offset_of(pointer)];
    const Place* place = find(state, pointer, offset);
    if (is_token(pointer) || place == nullptr || !place->constant || offset + bytes > place->size)
      raise_bad_pointer(state, *step, pointer, bytes);
    std::uint64_t value = 0;
    std::memcpy(&value, place->bytes + offset, bytes);
    return value;
  }
  [[gnu::noinline]] static void store_other(const Step* step, State& state, std::uint64_t pointer, std::uint64_t value,
                                            std::uint32_t bytes) {
    if (is_token(pointer) || object_of(pointer) != kLocalObject || offset_of(pointer) >= state.slot_count)
      raise_bad_pointer(state, *step, pointer, bytes);
    state.slots[offset_of(pointer)] = value;
  }
  /// Whether so many bytes are in memory that invocations share. (The emulation checks the bounds of a binding itself.)
  [[gnu::always_inline]] static bool is_shared(const Place* place, std::uint64_t offset, std::uint32_t bytes) {
    if (place == nullptr || place->constant) return false;
    if constexpr (Invocation::kEmulated) {
      return place->binding != nullptr;
    } else {
      return place->bytes != nullptr && offset + bytes <= place->size;
    }
  }

  template <typename T>
  struct Load {
    static const Step* run(const Step* step, State& state) {
      const std::uint64_t pointer = state.slots[step->a] + step->number;
      std::uint64_t offset = 0;
      const Place* const place = find(state, pointer, offset);
      state.slots[step->to] = is_shared(place, offset, sizeof(T))
                                  ? By::template load<T>(of(state), *place, offset, *step->detail)
                                  : load_other(step, state, pointer, sizeof(T));
      return step + 1;
    }
  };
  template <typename T>
  struct Store {
    static const Step* run(const Step* step, State& state) {
      const std::uint64_t pointer = state.slots[step->a] + step->number;
      const std::uint64_t value = state.slots[step->b];
      std::uint64_t offset = 0;
      const Place* const place = find(state, pointer, offset);
      if (is_shared(place, offset, sizeof(T))) [[likely]] {
        By::template store<T>(of(state), *place, offset, *step->detail, static_cast<T>(value));
      } else {
        store_other(step, state, pointer, value, sizeof(T));
      }
      return step + 1;
    }
  };
  template <typename T>
  struct PhysicalLoad {
    static const Step* run(const Step* step, State& state) {
      std::uint64_t address = physical_address(step, state);
      const Place place = By::at_address(of(state), address, *step->detail);
      state.slots[step->to] = By::template load<T>(of(state), place, address, *step->detail);
      return step + 1;
    }
  };
  template <typename T>
  struct PhysicalStore {
    static const Step* run(const Step* step, State& state) {
      std::uint64_t address = physical_address(step, state);
      const Place place = By::at_address(of(state), address, *step->detail);
      By::template store<T>(of(state), place, address, *step->detail, static_cast<T>(state.slots[step->b]));
      return step + 1;
    }
  };
  static std::uint64_t physical_address(const Step* step, State& state) {
    const std::uint64_t base = state.slots[step->a];
    if (is_token(base)) raise_bad_pointer(state, *step, base, 0);
    return base + step->number;
  }

  /// Calls `act` with the reference of an atomic.
  template <typename T, bool physical, typename Act>
  [[gnu::always_inline]] static auto with_ref(const Step* step, State& state, Act act) {
    std::uint64_t offset = 0;
    if constexpr (physical) {
      offset = physical_address(step, state);
      const Place place = By::at_address(of(state), offset, *step->detail);
      return act(of(state), By::template ref<T>(of(state), place, offset, *step->detail));
    } else {
      const std::uint64_t pointer = state.slots[step->a] + step->number;
      const Place* const place = find(state, pointer, offset);
      if (!is_shared(place, offset, sizeof(T))) raise_bad_pointer(state, *step, pointer, sizeof(T));
      return act(of(state), By::template ref<T>(of(state), *place, offset, *step->detail));
    }
  }
  static void finish(const Step* step, State& state, std::uint64_t old) {
    if (step->to != kNoSlot) state.slots[step->to] = old;
  }
  static std::uint64_t slot_or(const State& state, Slot slot, std::uint64_t otherwise) {
    return slot != kNoSlot ? state.slots[slot] : otherwise;
  }

  /// An atomic on an integer without a sign, or on a float.
  template <typename T>
  struct Atomic {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

    template <bool physical>
    static const Step* run(const Step* step, State& state) {
      // (An increment or a decrement has no value: it is by one.)
      const T value = std::bit_cast<T>(static_cast<Bits>(slot_or(state, step->b, 1)));
      const T comparator = std::bit_cast<T>(static_cast<Bits>(slot_or(state, step->detail->comparator, 0)));
      finish(step, state, with_ref<T, physical>(step, state, [&](Invocation& invocation, const auto& ref) {
               return std::bit_cast<Bits>(act(invocation, ref, *step->detail, value, comparator));
             }));
      return step + 1;
    }

    template <typename R>
    static T act(Invocation& invocation, const R& ref, const StepDetail& d, T value, T comparator) {
      switch (d.atomic) {
        case Op::OpAtomicLoad:
          return invocation.atomic_load(ref, By::operand(d.scope), By::operand(d.semantics), d.where);
        case Op::OpAtomicStore:
          invocation.atomic_store(ref, By::operand(d.scope), By::operand(d.semantics), value, d.where);
          return value;
        case Op::OpAtomicExchange:
          return invocation.atomic_exchange(ref, By::operand(d.scope), By::operand(d.semantics), value, d.where);
        default:
          if constexpr (std::is_floating_point_v<T>) {
            return act_on_float(invocation, ref, d, value);
          } else {
            return act_on_integer(invocation, ref, d, value, comparator);
          }
      }
    }

    template <typename R>
    static T act_on_integer(Invocation& invocation, const R& ref, const StepDetail& d, T value, T comparator) {
      switch (d.atomic) {
        case Op::OpAtomicCompareExchange:
        case Op::OpAtomicCompareExchangeWeak:
          return invocation.atomic_compare_exchange(ref, By::operand(d.scope), By::operand(d.semantics),
                                                    By::operand(d.unequal), value, comparator, d.where);
        case Op::OpAtomicIIncrement:
        case Op::OpAtomicIAdd:
          return invocation.atomic_i_add(ref, By::operand(d.scope), By::operand(d.semantics), value, d.where);
        case Op::OpAtomicIDecrement:
        case Op::OpAtomicISub:
          return invocation.atomic_i_sub(ref, By::operand(d.scope), By::operand(d.semantics), value, d.where);
        case Op::OpAtomicSMin:
          return invocation.atomic_s_min(ref, By::operand(d.scope), By::operand(d.semantics), value, d.where);
        case Op::OpAtomicUMin:
          return invocation.atomic_u_min(ref, By::operand(d.scope), By::operand(d.semantics), value, d.where);
        case Op::OpAtomicSMax:
          return invocation.atomic_s_max(ref, By::operand(d.scope), By::operand(d.semantics), value, d.where);
        case Op::OpAtomicUMax:
          return invocation.atomic_u_max(ref, By::operand(d.scope), By::operand(d.semantics), value, d.where);
        case Op::OpAtomicAnd:
          return invocation.atomic_and(ref, By::operand(d.scope), By::operand(d.semantics), value, d.where);
        case Op::OpAtomicOr:
          return invocation.atomic_or(ref, By::operand(d.scope), By::operand(d.semantics), value, d.where);
        default:
          return invocation.atomic_xor(ref, By::operand(d.scope), By::operand(d.semantics), value, d.where);
      }
    }

    template <typename R>
    static T act_on_float(Invocation& invocation, const R& ref, const StepDetail& d, T value) {
      switch (d.atomic) {
        case Op::OpAtomicFAddEXT:
          return invocation.atomic_f_add_ext(ref, By::operand(d.scope), By::operand(d.semantics), value, d.where);
        case Op::OpAtomicFMinEXT:
          return invocation.atomic_f_min_ext(ref, By::operand(d.scope), By::operand(d.semantics), value, d.where);
        default:
          return invocation.atomic_f_max_ext(ref, By::operand(d.scope), By::operand(d.semantics), value, d.where);
      }
    }
  };
};

}  // namespace heddle::spirv
