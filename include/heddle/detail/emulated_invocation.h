#pragma once

/// \file
/// The invocation of emulated mode: all that a kernel can ask of it, as operations of an agent.

#include <heddle/detail/emulated_references.h>

namespace heddle::emulated {

/// Memory of one invocation: no other one sees it, but its initialization is checked.
template <typename T>
class PrivateVariable;

class Invocation : public detail::TaggedInvocation<Invocation> {
 public:
  static constexpr bool kEmulated = true;

  Invocation(runtime::Workgroup& group, std::uint32_t index, bool registered, emulation::Resident& resident)
      : TaggedInvocation(group, index, group.grid->local_id(index),
                         group.id * group.grid->local + group.grid->local_id(index), registered),
        agent_{resident.agent(index), TagSetId::Empty, index, &resident},
        pulse_(resident.pulse) {}

  template <typename T>
  auto workgroup(std::string_view name = "", InitialValue initial = InitialValue::Undefined,
                 SourceLocation where = SourceLocation::current()) {
    using E = std::remove_extent_t<T>;
    static_assert(detail::Plain<std::remove_all_extents_t<T>>);
    const Place place = workgroup_place<T>(sizeof(T), name, initial, where);
    if constexpr (std::is_array_v<T>) {
      return Array<E, StorageClass::Workgroup>(place, std::extent_v<T>);
    } else {
      return detail::VariableFor<Ref<T, StorageClass::Workgroup>>(Ref<T, StorageClass::Workgroup>(place));
    }
  }
  template <typename E>
  auto workgroup_array(std::uint64_t size, std::string_view name, InitialValue initial, SourceLocation where) {
    static_assert(detail::Plain<std::remove_all_extents_t<E>>);
    return Array<E, StorageClass::Workgroup>(workgroup_place<E>(size * sizeof(E), name, initial, where), size);
  }

  template <typename T>
  PrivateVariable<T> private_variable(std::string_view name = "", SourceLocation where = SourceLocation::current()) {
    return PrivateVariable<T>(*this, name, where);
  }

  template <typename T>
  Pointer<T> pointer_to(DeviceAddress<T> address, SourceLocation) {
    return Pointer<T>(*this, address);
  }

  emulation::Emulator& emulator() const { return *agent_.resident->emulator; }
  const emulation::Agent& agent() const { return agent_; }
  /// As if it had not polled: nothing of that is part of what the kernel has at hand.
  void forget_polls() {
    same_ = 0;
    polled_address_ = nullptr;
    polled_value_ = 0;
  }

  /// That an invocation is not copied is told of the native one.
  Invocation(const Invocation&);

  /// Lets others run, if it is time for that.
  [[gnu::always_inline]] void interrupt(const SourceLocation& where) {
    if (--pulse_->operations_left == 0) [[unlikely]]
      ring_ = runtime::go_on<true>(let_others_run(where.file, where.function, where.line), ring_);
  }

 private:
  friend class detail::InvocationApi<Invocation>;
  friend class detail::InvocationBase<Invocation>;
  template <typename T, StorageClass storage_class>
  friend class Ref;
  template <typename T, ImageDim dim>
  friend class Image;

  /// The binding of a variable of so many bytes, made of `T`s.
  template <typename T>
  [[gnu::always_inline]] Place workgroup_place(std::uint64_t size_bytes, std::string_view name, InitialValue initial,
                                               const SourceLocation& where) {
    Place place;
    place.invocation = this;
    const std::uint32_t ordinal = workgroup_variables_++;
    place.binding = agent_.resident->known_variable(ordinal, size_bytes);
    if (!place.binding) [[unlikely]] {
      place.binding =
          emulation::workgroup_variable(emulator(), agent_, ordinal, size_bytes, static_cast<std::uint32_t>(alignof(T)),
                                        detail::kComponentType<T>, name, initial == InitialValue::Zero, where);
    }
    place.qualifiers = default_qualifiers(StorageClass::Workgroup);
    place.where = where;
    return place;
  }

  template <typename T>
  emulation::Access access(OperationKind kind, const Place& place, SourceLocation where) const {
    const emulation::Binding& binding = *place.binding;
    emulation::Access a;
    a.binding = &binding;
    a.alignment_bytes = static_cast<std::uint32_t>(alignof(T));
    a.value_bytes = value_bytes<T>();
    a.operation.kind = kind;
    agent_.sign(a.operation);
    a.operation.storage_class = binding.storage_class;
    a.operation.reference = binding.reference;
    a.operation.locations = {binding.allocation->id, binding.offset_bytes + place.offset_bytes,
                             static_cast<std::uint32_t>(sizeof(T))};
    a.operation.where = where;
    return a;
  }
  template <typename T>
  emulation::Access plain_access(OperationKind kind, const Place& place, const Qualifiers& q) const {
    emulation::Access a = access<T>(kind, place, place.where);
    const emulation::Qualified qualified = emulation::qualified(q, kind == OperationKind::Write);
    a.operation.operands = qualified.operands;
    a.operation.available_scope = qualified.available_scope;
    a.operation.visible_scope = qualified.visible_scope;
    return a;
  }
  template <typename T>
  emulation::Access atomic_access(OperationKind kind, const Place& place, Scope scope, MemorySemantics semantics,
                                  SourceLocation where) const {
    emulation::Access a = access<T>(kind, place, where);
    a.operation.atomic = true;
    a.operation.scope = scope;
    a.operation.semantics = semantics;
    return a;
  }

  template <typename R>
  typename R::value_type load_as_qualified(const R& ref, SourceLocation where) {
    return read<typename R::value_type>(ref.place().at(where));
  }
  template <typename R>
  void store_as_qualified(const R& ref, const typename R::value_type& value, SourceLocation where) {
    write(ref.place().at(where), value);
  }
  template <typename R>
  typename R::value_type load_from(const R& ref, MemoryOperands operands, Scope visible, std::uint32_t alignment_bytes,
                                   SourceLocation where) {
    using T = typename R::value_type;
    emulation::Access a = access<T>(OperationKind::Read, ref.place(), where);
    a.operation.operands = operands;
    a.operation.visible_scope = visible;
    if (alignment_bytes != 0) a.alignment_bytes = alignment_bytes;
    interrupt(where);
    T value;
    emulation::read(emulator(), agent_, a, &value);
    return value;
  }
  template <typename R>
  void store_to(const R& ref, const typename R::value_type& value, MemoryOperands operands, Scope available,
                std::uint32_t alignment_bytes, SourceLocation where) {
    emulation::Access a = access<typename R::value_type>(OperationKind::Write, ref.place(), where);
    a.operation.operands = operands;
    a.operation.available_scope = available;
    if (alignment_bytes != 0) a.alignment_bytes = alignment_bytes;
    interrupt(where);
    emulation::write(emulator(), agent_, a, &value);
  }

  // Arguments one by one here and below: a place that had to be in memory for these would be stored there for
  // every access.
  [[gnu::hot, gnu::noinline]] runtime::Handover let_others_run(const char* file, const char* function,
                                                               std::uint32_t line) {
    emulation::wind_up(emulator());
    wait_begins();
    return runtime::preempt(file, function, line);
  }

  /// What is no larger than what memories take at once, and aligned, is in one piece.
  template <typename T>
  static constexpr bool kOnePiece = sizeof(T) <= 8 && std::has_single_bit(sizeof(T)) && alignof(T) == sizeof(T);

  /// The bytes of an access, for it to be done before anything else happens, with nothing to be checked any
  /// more. Null where there is more to do, or something is wrong with it, which accesses with records say.
  template <typename T>
  [[gnu::always_inline]] const std::byte* read_in_place(const Place& place) const {
    const emulation::Binding& binding = *place.binding;
    const std::uint64_t offset = binding.offset_bytes + place.offset_bytes;
    if (!emulation::is_sound(binding, place.offset_bytes, sizeof(T)) ||
        !binding.allocation->initialized.has(offset, sizeof(T))) [[unlikely]]
      return nullptr;
    emulation::InPlace* const memory = pulse_->in_place;
    return !memory || memory->reads_at_once(binding.allocation->id, offset)
               ? binding.allocation->bytes + offset
               : memory->read_in_place(binding.allocation->id, offset);
  }
  [[gnu::always_inline]] emulation::Site site(const emulation::InPlace& memory, const emulation::Binding& binding,
                                              const SourceLocation& where) const {
    return memory.site(where.line, binding.allocation->id, agent_.resident->first);
  }
  template <typename T>
  [[gnu::always_inline]] std::byte* write_in_place(const Place& place) const {
    const emulation::Binding& binding = *place.binding;
    if (!pulse_->writes_in_place || !emulation::is_sound(binding, place.offset_bytes, sizeof(T))) [[unlikely]]
      return nullptr;
    const std::uint64_t offset = binding.offset_bytes + place.offset_bytes;
    emulation::InPlace* const memory = pulse_->in_place;
    const AllocationId id = binding.allocation->id;
    std::byte* const bytes = !memory || memory->writes_at_once(site(*memory, binding, place.where), id, offset)
                                 ? binding.allocation->bytes + offset
                                 : memory->write_in_place(site(*memory, binding, place.where), id, offset);
    if (bytes) [[likely]]
      binding.allocation->initialized.mark(offset, sizeof(T));
    return bytes;
  }

  /// What an AccessDoor takes.
  template <typename T>
  static constexpr bool kByDoor = kOnePiece<T> && sizeof(T) <= emulation::AccessDoor::kMostBytes&& kNoPadding<T>;

  template <typename T, OperationKind kind>
  [[gnu::always_inline]] static constexpr emulation::InstructionCode code(const Place& place) {
    return emulation::InstructionCode::plain(kind, kOnePiece<T> ? sizeof(T) : 0, place.where.line, place.qualifiers);
  }

  /// Plain accesses.
  template <typename T>
  [[gnu::always_inline]] T read(const Place& place) {
    interrupt(place.where);
    if (emulation::AccessDoor* const told = pulse_->told) {
      if constexpr (kByDoor<T>)
        return from_bits<T>(told->read(agent_, *place.binding, place.offset_bytes, code<T, OperationKind::Read>(place),
                                       place.where.file, place.where.function));
    } else if constexpr (kOnePiece<T>) {
      if (const std::byte* bytes = read_in_place<T>(place)) [[likely]] {
        T value;
        std::memcpy(&value, bytes, sizeof(T));
        return value;
      }
    }
    return read_with_record<T>(code<T, OperationKind::Read>(place), place.binding, place.offset_bytes, place.where.file,
                               place.where.function);
  }
  template <typename T>
  [[gnu::always_inline]] void write(const Place& place, const T& value) {
    interrupt(place.where);
    if (emulation::AccessDoor* const told = pulse_->told) {
      if constexpr (kByDoor<T>)
        return told->write(agent_, *place.binding, place.offset_bytes, code<T, OperationKind::Write>(place),
                           place.where.file, place.where.function, to_bits(value));
    } else if constexpr (kOnePiece<T>) {
      if (std::byte* bytes = write_in_place<T>(place)) [[likely]] {
        std::memcpy(bytes, &value, sizeof(T));
        return;
      }
    }
    write_with_record<T>(code<T, OperationKind::Write>(place), place.binding, place.offset_bytes, value,
                         place.where.file, place.where.function);
  }
  /// Values of at most 4 bytes.
  template <typename T>
  static std::uint32_t to_bits(const T& value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
  }
  template <typename T>
  static T from_bits(std::uint32_t bits) {
    T value;
    std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
    return value;
  }
  template <typename T>
  [[gnu::noinline]] T read_with_record(emulation::InstructionCode code, const emulation::Binding* binding,
                                       std::uint64_t offset_bytes, const char* file, const char* function) {
    const SourceLocation where{file, function, code.line(), 0};
    const Place place{this, binding, offset_bytes, {}, where};
    T value;
    emulation::read(emulator(), agent_, plain_access<T>(OperationKind::Read, place, code.qualifiers()), &value);
    return value;
  }
  template <typename T>
  [[gnu::noinline]] void write_with_record(emulation::InstructionCode code, const emulation::Binding* binding,
                                           std::uint64_t offset_bytes, T value, const char* file,
                                           const char* function) {
    const SourceLocation where{file, function, code.line(), 0};
    const Place place{this, binding, offset_bytes, {}, where};
    emulation::write(emulator(), agent_, plain_access<T>(OperationKind::Write, place, code.qualifiers()), &value);
  }

  template <typename R>
  typename R::value_type atomic_read(const R& ref, Scope scope, MemorySemantics semantics, SourceLocation where) {
    interrupt(where);
    using T = typename R::value_type;
    T value;
    if (const std::byte* bytes = atomic_in_place(ref, OperationKind::Read, scope, semantics, semantics, where)) {
      std::memcpy(&value, bytes, sizeof value);
    } else {
      emulation::read(emulator(), agent_, atomic_access<T>(OperationKind::Read, ref.place(), scope, semantics, where),
                      &value);
    }
    polled("atomic_load", address_of(ref.place()), value, where);
    return value;
  }

  template <typename R>
  void atomic_write(const R& ref, Scope scope, MemorySemantics semantics, typename R::value_type value,
                    SourceLocation where) {
    interrupt(where);
    if (std::byte* bytes = atomic_in_place(ref, OperationKind::Write, scope, semantics, semantics, where)) {
      std::memcpy(bytes, &value, sizeof value);
      return;
    }
    using T = typename R::value_type;
    emulation::write(emulator(), agent_, atomic_access<T>(OperationKind::Write, ref.place(), scope, semantics, where),
                     &value);
  }

  template <UpdateKind kind, typename R, typename F>
  typename R::value_type atomic_update(const R& ref, Scope scope, MemorySemantics semantics, const char* name,
                                       SourceLocation where, F f, typename R::value_type value) {
    using T = typename R::value_type;
    constexpr auto what =
        sizeof(T) == emulation::AccessDoor::kMostBytes ? arithmetic(kind) : emulation::Arithmetic::Other;
    const auto modify = [f](T old, T& fresh) {
      fresh = f(old);
      return true;
    };
    return update<T, what>(ref, scope, semantics, semantics, name, where, modify, value);
  }
  static constexpr emulation::Arithmetic arithmetic(UpdateKind kind) {
    using emulation::Arithmetic;
    switch (kind) {
      case UpdateKind::atomic_i_add_kind:
        return Arithmetic::Add;
      case UpdateKind::atomic_i_sub_kind:
        return Arithmetic::Subtract;
      case UpdateKind::atomic_s_min_kind:
        return Arithmetic::SignedMin;
      case UpdateKind::atomic_u_min_kind:
        return Arithmetic::UnsignedMin;
      case UpdateKind::atomic_s_max_kind:
        return Arithmetic::SignedMax;
      case UpdateKind::atomic_u_max_kind:
        return Arithmetic::UnsignedMax;
      case UpdateKind::atomic_and_kind:
        return Arithmetic::And;
      case UpdateKind::atomic_or_kind:
        return Arithmetic::Or;
      case UpdateKind::atomic_xor_kind:
        return Arithmetic::Xor;
      default:
        return Arithmetic::Other;
    }
  }

  template <typename R>
  typename R::value_type atomic_compare(const R& ref, Scope scope, MemorySemantics equal, MemorySemantics unequal,
                                        typename R::value_type value, typename R::value_type comparator,
                                        SourceLocation where) {
    using T = typename R::value_type;
    return update<T>(ref, scope, equal, unequal, "atomic_compare_exchange", where,
                     [value, comparator](T old, T& fresh) {
                       fresh = value;
                       return old == comparator;
                     });
  }

  /// As read_in_place and write_in_place. Where writes make the memory remember, atomic reads mostly meet what it
  /// remembers, and are not asked for in vain either.
  template <typename R>
  [[gnu::always_inline]] std::byte* atomic_in_place(const R& ref, OperationKind kind, Scope scope,
                                                    MemorySemantics semantics, MemorySemantics unequal,
                                                    const SourceLocation& where) const {
    constexpr std::uint32_t size = sizeof(typename R::value_type);
    if (pulse_->told || !pulse_->writes_in_place) return nullptr;
    if (acquires(semantics) || releases(semantics) || acquires(unequal)) return nullptr;
    const Place& place = ref.place();
    const emulation::Binding& binding = *place.binding;
    const std::uint64_t offset = binding.offset_bytes + place.offset_bytes;
    if (!emulation::is_sound(binding, place.offset_bytes, size) ||
        (kind != OperationKind::Write && !binding.allocation->initialized.has(offset, size))) [[unlikely]]
      return nullptr;
    emulation::InPlace* const memory = pulse_->in_place;
    std::byte* const bytes =
        !memory || memory->is_at_once(kind, site(*memory, binding, where), binding.allocation->id, offset)
            ? binding.allocation->bytes + offset
            : memory->in_place({agent_.id, scope, binding.storage_class, kind}, site(*memory, binding, where),
                               binding.allocation->id, offset);
    if (bytes && kind == OperationKind::Write) binding.allocation->initialized.mark(offset, size);
    return bytes;
  }

  /// `f` by value here and below: what it has is in registers then, unless a record is made. It does `what` with the
  /// operand.
  template <typename T, emulation::Arithmetic what = emulation::Arithmetic::Other, typename R, typename F>
  T update(const R& ref, Scope scope, MemorySemantics semantics, MemorySemantics unequal, const char* name,
           const SourceLocation& where, F f, T operand = {}) {
    interrupt(where);
    if (std::byte* bytes = atomic_in_place(ref, OperationKind::ReadModifyWrite, scope, semantics, unequal, where)) {
      T old;
      T fresh{};
      std::memcpy(&old, bytes, sizeof old);
      const bool writes = f(old, fresh);
      if (writes) std::memcpy(bytes, &fresh, sizeof fresh);
      note_change(writes && !runtime::has_same_bits(old, fresh));
      polled(name, bytes, old, where);
      return old;
    }
    const Place& place = ref.place();
    const auto code =
        emulation::InstructionCode::atomic(OperationKind::ReadModifyWrite, sizeof(T), where.line, scope, semantics);
    // What is constant mostly is made into one here, where that is known.
    const bool is_by_door = sizeof(T) == emulation::AccessDoor::kMostBytes && !acquires(semantics) &&
                            !releases(semantics) && !acquires(unequal) && code != emulation::InstructionCode{};
    const auto made = [&]() -> T {
      if (!is_by_door || !pulse_->told) [[unlikely]]
        return update_with_record<T>(place.binding, place.offset_bytes, scope, semantics, unequal, where.file,
                                     where.function, where.line, f);
      if constexpr (what != emulation::Arithmetic::Other) {
        return from_bits<T>(pulse_->told->calculate(agent_, *place.binding, place.offset_bytes, code, where.file,
                                                    where.function, {what, to_bits(operand)}));
      } else {
        return update_told<T>(place.binding, place.offset_bytes, code, where.file, where.function, unequal, f);
      }
    };
    const T old = made();
    T fresh{};
    note_change(f(old, fresh) && !runtime::has_same_bits(old, fresh));
    polled(name, address_of(place), old, where);
    return old;
  }

  /// Makes a new value out of the old one, as `Modify`.
  template <typename T, typename F>
  struct Modification {
    F f;
    T old{};

    static bool modify(void* self, const void* old, void* fresh) {
      auto& own = *static_cast<Modification*>(self);
      std::memcpy(&own.old, old, sizeof(T));
      T made{};
      const bool writes = own.f(own.old, made);
      std::memcpy(fresh, &made, sizeof(T));
      return writes;
    }
  };

  /// Where somebody listens.
  template <typename T, typename F>
  [[gnu::noinline]] T update_told(const emulation::Binding* binding, std::uint64_t offset_bytes,
                                  emulation::InstructionCode code, const char* file, const char* function,
                                  MemorySemantics unequal, F f) {
    Modification<T, F> modification{f};
    pulse_->told->update(agent_, *binding, offset_bytes, code, file, function, unequal, modification.modify,
                         &modification);
    return modification.old;
  }

  template <typename T, typename F>
  [[gnu::noinline]] T update_with_record(const emulation::Binding* binding, std::uint64_t offset_bytes, Scope scope,
                                         MemorySemantics semantics, MemorySemantics unequal, const char* file,
                                         const char* function, std::uint32_t line, F f) {
    const SourceLocation where{file, function, line, 0};
    const Place place{this, binding, offset_bytes, {}, where};
    Modification<T, F> modification{f};
    emulation::atomic_update(emulator(), agent_,
                             atomic_access<T>(OperationKind::ReadModifyWrite, place, scope, semantics, where), unequal,
                             modification.modify, &modification);
    return modification.old;
  }

  void fence(Scope scope, MemorySemantics semantics, SourceLocation where) {
    interrupt(where);
    emulation::memory_barrier(emulator(), agent_, scope, semantics, where);
  }
  [[gnu::always_inline]] void before_barrier(Scope execution, Scope memory, MemorySemantics semantics,
                                             const SourceLocation& where) {
    emulation::arrive(*agent_.resident, index_, agent_, execution, memory, semantics, where);
  }
  [[gnu::always_inline]] bool before_control_barrier(Scope execution, Scope memory, MemorySemantics semantics,
                                                     const SourceLocation& where) {
    return emulation::arrive_unless_edited(*agent_.resident, index_, agent_, execution, memory, semantics, where);
  }
  // An invocation that waited at a barrier of the workgroup has met the others.
  [[gnu::always_inline]] void after_barrier(Scope execution, Scope, MemorySemantics, bool met) {
    if (!met && (execution != Scope::Workgroup || is_alone_)) emulation::leave(emulator(), agent_);
  }

  [[gnu::always_inline]] bool meets_others_elsewhere(const SourceLocation& where, runtime::SubgroupFunction function,
                                                     void* payload, std::size_t size_bytes) const {
    if (!pulse_->by_itself) [[likely]]
      return false;
    pulse_->by_itself->meet(agent_, where, function, payload, size_bytes);
    return true;
  }

  template <typename T>
  [[gnu::noinline]] bool make_undefined(T& value, const char* operation, std::uint32_t source, SourceLocation where) {
    const emulation::UndefinedResult result{operation, source, where};
    if constexpr (std::is_same_v<T, bool>) {
      unsigned char bits = 0;
      const bool is_followed = emulation::make_undefined(emulator(), agent_, result, &bits, sizeof bits);
      value = bits % 2 != 0;
      return is_followed;
    } else {
      return emulation::make_undefined(emulator(), agent_, result, &value, sizeof value);
    }
  }
  void follow_condition(bool holds, const SourceLocation& where) const {
    if (pulse_->follows_undefined) [[unlikely]]
      emulation::follow_condition(emulator(), agent_, holds, where);
  }

  // As in native mode, but sooner: here every operation costs more than a switch.
  static constexpr std::uint32_t kSameBeforeYield = 4;

  static const std::byte* address_of(const Place& place) {
    const emulation::Binding& binding = *place.binding;
    return binding.allocation->bytes + binding.offset_bytes + place.offset_bytes;
  }

  /// An update that changes what is there is no poll in vain.
  [[gnu::always_inline]] void note_change(bool changes) {
    if (changes) same_ %= kSameBeforeYield;
  }
  /// An atomic read this there.
  template <typename T>
  [[gnu::always_inline]] void polled(const char* operation, const std::byte* address, T value,
                                     const SourceLocation& where) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    if (address != polled_address_ || bits != polled_value_) [[likely]] {
      polled_address_ = address;
      polled_value_ = bits;
      same_ = 0;
    } else if (++same_ % kSameBeforeYield == 0) {
      poll_later(operation, where);
    }
  }
  [[gnu::noinline]] void poll_later(const char* operation, SourceLocation where) {
    const bool again = same_ > kSameBeforeYield;
    // Always the same number once it has waited: what an invocation has at hand comes again where it polls again.
    same_ = kSameBeforeYield;
    wait_begins();
    runtime::yield(where, {operation, polled_address_, polled_value_, !again, nullptr, &pulse_->operations_left});
  }

  // These follow what barriers ask for, and are what accesses ask for.
  emulation::Agent agent_;
  emulation::Pulse* pulse_;
  std::uint32_t workgroup_variables_ = 0;
  /// How many polls found what the one before them found; from kSameBeforeYield on others have run meanwhile.
  std::uint32_t same_ = 0;
  const void* polled_address_ = nullptr;
  std::uint64_t polled_value_ = 0;
};

}  // namespace heddle::emulated
