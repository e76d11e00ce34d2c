#pragma once

/// \file
/// Emulated mode: every access goes through the emulation as an operation record.

#include <heddle/detail/code_place.h>
#include <heddle/detail/emulation.h>
#include <heddle/detail/tagged_reference.h>
#include <heddle/tagged_invocation.h>

#include <array>
#include <bit>
#include <cstring>

namespace heddle::emulated {

using detail::Element;
using detail::Index;
using detail::Variable;

class Invocation;

/// Whether every byte of a `T` carries value, as far as the language tells.
template <typename T>
inline constexpr bool kNoPadding = !std::is_class_v<T> || std::has_unique_object_representations_v<T>;
template <typename T, std::size_t N>
inline constexpr bool kNoPadding<Vec<T, N>> = true;

/// One byte for each byte of a `T`, 0 where it is padding; null if every byte carries value. Where the
/// compiler cannot tell, all bytes of a struct that may have padding count as such: then it is
/// checked member by member only.
template <typename T>
const unsigned char* value_bytes() {
  if constexpr (!kNoPadding<T>) {
    static const auto bytes = [] {
      std::array<unsigned char, sizeof(T)> out{};
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
      alignas(T) unsigned char object[sizeof(T)];
      std::memset(object, 0xff, sizeof(T));
      __builtin_clear_padding(reinterpret_cast<T*>(object));
      std::memcpy(out.data(), object, sizeof(T));
#endif
#endif
      return out;
    }();
    return bytes.data();
  }
  return nullptr;
}

/// Where a reference points, and how plain accesses through it behave.
struct Place {
  Invocation* invocation = nullptr;
  const emulation::Binding* binding = nullptr;
  std::uint64_t offset_bytes = 0;
  std::uint64_t index = 0;
  Qualifiers qualifiers;
  SourceLocation where;

  /// The place of an element. It is made where it stays: copies of places are what accesses would wait for.
  [[gnu::always_inline]] Place element(const Index& i, std::uint64_t element_bytes) const {
    return {invocation, binding, offset_bytes + i.value * element_bytes, i.value, qualifiers, i.where};
  }
  /// This place, accessed at that line.
  [[gnu::always_inline]] Place at(const SourceLocation& line) const {
    return {invocation, binding, offset_bytes, index, qualifiers, line};
  }
};

template <typename T, StorageClass storage_class>
class Array;

template <typename T, StorageClass storage_class>
class Ref {
 public:
  using value_type = std::remove_const_t<T>;
  static constexpr StorageClass kStorageClass = storage_class;
  static constexpr bool kWritable = !std::is_const_v<T> && !std::is_array_v<T>;
  static_assert(detail::Plain<value_type>, "kernels read and write trivially copyable types");

  explicit Ref(const Place& place) : place_(place) {}
  /// An element of an array of `T` at `array`.
  [[gnu::always_inline]] Ref(const Place& array, const Index& i) : place_(array.element(i, sizeof(T))) {}
  [[gnu::always_inline]] inline value_type load() const;
  [[gnu::always_inline]] inline void store(const value_type& v) const;

  template <typename S, typename M>
  requires std::same_as<S, value_type>
  auto at(M S::*member) const {
    using Member = std::conditional_t<std::is_const_v<T>, const M, M>;
    Place place = place_;
    place.offset_bytes += offset_of(member);
    if constexpr (std::is_array_v<M>) {
      using E = std::remove_extent_t<Member>;
      return Array<E, storage_class>(place, std::extent_v<M>);
    } else {
      return Element(Ref<Member, storage_class>(place));
    }
  }

  const Place& place() const { return place_; }
  /// The reference, as accessed at that line of the source.
  [[gnu::always_inline]] Ref located(const SourceLocation& where) const { return Ref(place_.at(where)); }
  /// This reference, as accessed by the code that the call is inlined into.
  [[gnu::always_inline]] Ref here() const { return located(detail::CodePlace::here(place_.where)); }
  const SourceLocation& where() const { return place_.where; }
  /// Each access has these tags.
  auto with(const Tags& tags, const SourceLocation& where = SourceLocation::current()) const {
    return Element<detail::TaggedRef<Ref>>(detail::TaggedRef<Ref>(located(where), tags));
  }

 private:
  template <typename S, typename M>
  static std::uint64_t offset_of(M S::*member) {
    alignas(S) static std::byte object[sizeof(S)];
    return static_cast<std::uint64_t>(reinterpret_cast<std::byte*>(&(reinterpret_cast<S*>(object)->*member)) - object);
  }
  Place place_;
};

template <typename T, StorageClass storage_class>
class Array {
 public:
  using element_type = T;
  static constexpr StorageClass kStorageClass = storage_class;

  Array(const Place& place, std::uint64_t size) : place_(place), size_(size) {}
  /// An element of an array of such arrays at `arrays`.
  [[gnu::always_inline]] Array(const Place& arrays, const Index& i, std::uint64_t size)
      : place_(arrays.element(i, size * sizeof(T))), size_(size) {}
  std::uint64_t size() const { return size_; }
  const Place& place() const { return place_; }

  [[gnu::always_inline]] auto operator[](Index i) const {
    if (i.value >= size_) [[unlikely]]
      out_of_bounds(place_.invocation, place_.binding, i, size_, place_.offset_bytes);
    if constexpr (std::is_array_v<T>) {
      return Array<std::remove_extent_t<T>, storage_class>(place_, i, std::extent_v<T>);
    } else {
      return Element<Ref<T, storage_class>>(place_, i);
    }
  }

  /// Plain accesses make available to, and visible from, the domain of `scope` (GLSL's
  /// devicecoherent, workgroupcoherent ...). Ordering: they do not synchronize.
  Array coherent(MemoryScope scope) const {
    Array out = *this;
    out.place_.qualifiers = {
        .non_private = true, .coherent = true, .is_volatile = place_.qualifiers.is_volatile, .scope = scope};
    return out;
  }
  /// Plain accesses are non-private: a barrier or an atomic may order them between invocations.
  Array non_private() const {
    Array out = *this;
    out.place_.qualifiers.non_private = true;
    return out;
  }
  Array volatile_() const {
    Array out = *this;
    out.place_.qualifiers.is_volatile = true;
    return out;
  }
  /// Each plain access to an element has these tags (heddle/tags.h).
  auto with(const Tags& tags) const { return detail::TaggedArray<Array>(*this, tags); }

 private:
  /// By value: what a call has the address of must be in memory all the time, and switches from one invocation
  /// to the next cost what is on their stacks.
  [[noreturn, gnu::noinline]] static void out_of_bounds(Invocation* invocation, const emulation::Binding* binding,
                                                        Index i, std::uint64_t size, std::uint64_t offset_bytes);
  Place place_;
  std::uint64_t size_;
};

template <typename T>
class Pointer {
  /// A pointer, and where it is dereferenced.
  struct Dereferenced {
    Dereferenced(const Pointer& p, SourceLocation here = SourceLocation::current()) : pointer(p), where(here) {}
    const Pointer& pointer;
    SourceLocation where;
  };

 public:
  using element_type = T;
  static constexpr StorageClass kStorageClass = StorageClass::PhysicalStorageBuffer;

  Pointer(Invocation& invocation, DeviceAddress<T> address) : invocation_(&invocation), address_(address.value) {}
  DeviceAddress<T> address() const { return {address_}; }

  auto operator[](Index i) const { return element(address_ + i.value * sizeof(T), i.value, i.where); }
  friend auto operator*(const Dereferenced& d) { return d.pointer[detail::Index(0, d.where)]; }
  template <std::integral I>
  Pointer operator+(I n) const {
    Pointer out = *this;
    out.address_ += static_cast<std::uint64_t>(n) * sizeof(T);
    return out;
  }
  template <std::integral I>
  Pointer operator-(I n) const {
    Pointer out = *this;
    out.address_ -= static_cast<std::uint64_t>(n) * sizeof(T);
    return out;
  }
  std::ptrdiff_t operator-(const Pointer& o) const {
    return static_cast<std::ptrdiff_t>(address_ - o.address_) / static_cast<std::ptrdiff_t>(sizeof(T));
  }
  Pointer& operator++() {
    address_ += sizeof(T);
    return *this;
  }
  explicit operator bool() const { return address_ != 0; }
  friend bool operator==(const Pointer& a, const Pointer& b) { return a.address_ == b.address_; }

  Pointer coherent(MemoryScope scope) const {
    Pointer out = *this;
    out.qualifiers_ = {.non_private = true, .coherent = true, .is_volatile = qualifiers_.is_volatile, .scope = scope};
    return out;
  }
  Pointer non_private() const {
    Pointer out = *this;
    out.qualifiers_.non_private = true;
    return out;
  }
  Pointer volatile_() const {
    Pointer out = *this;
    out.qualifiers_.is_volatile = true;
    return out;
  }

 private:
  Element<Ref<T, kStorageClass>> element(std::uint64_t address, std::uint64_t index, SourceLocation where) const;
  Invocation* invocation_;
  std::uint64_t address_;
  Qualifiers qualifiers_;
};

template <typename T, ImageDim dim>
class Image {
 public:
  using texel_type = T;
  static constexpr StorageClass kStorageClass = StorageClass::Image;
  static constexpr ImageDim kDim = dim;
  using Coordinate = detail::ImageCoordinate<dim>;

  Image(const Place& place, const uvec3& extent) : place_(place), extent_(extent) {}
  Coordinate size() const { return detail::to_coordinate<dim>(extent_); }
  const Place& place() const { return place_; }

  /// OpImageRead. Ordering: as OpLoad with the pointer forms of the operands.
  T read(Coordinate c, TexelReadOperands operands = ImageOperands::None, MemoryScope visible = Scope::Invocation,
         SourceLocation where = SourceLocation::current()) const;
  /// OpImageWrite.
  void write(Coordinate c, const T& value, TexelWriteOperands operands = ImageOperands::None,
             MemoryScope available = Scope::Invocation, SourceLocation where = SourceLocation::current()) const;
  /// OpImageTexelPointer: a reference to one texel, for atomics.
  auto texel(Coordinate c, SourceLocation where = SourceLocation::current()) const {
    return Element(Ref<T, kStorageClass>(place_of(c, where)));
  }
  Image coherent(MemoryScope scope) const {
    Image out = *this;
    out.place_.qualifiers = {.non_private = true, .coherent = true, .scope = scope};
    return out;
  }
  Image non_private() const {
    Image out = *this;
    out.place_.qualifiers.non_private = true;
    return out;
  }
  /// Each `read` and `write` has these tags (heddle/tags.h). Atomics on texels have those behind their semantics.
  auto with(const Tags& tags) const { return detail::TaggedImage<Image>(*this, tags); }

 private:
  /// With `operands`, of which `make` makes available or visible, at `scope`.
  static void qualify(Qualifiers& qualifiers, ImageOperands operands, ImageOperands make, Scope scope) {
    if (has(operands, ImageOperands::VolatileTexel)) qualifiers.is_volatile = true;
    if (has(operands, ImageOperands::NonPrivateTexel)) qualifiers.non_private = true;
    if (has(operands, make)) {
      qualifiers.coherent = true;
      qualifiers.scope = scope;
    }
  }
  Place place_of(const Coordinate& c, SourceLocation where) const;
  Place place_;
  uvec3 extent_;
};

/// Memory of one invocation: nobody else sees it, but its initialization is checked.
template <typename T>
class PrivateVariable;

class Invocation : public detail::TaggedInvocation<Invocation> {
 public:
  static constexpr bool kEmulated = true;

  Invocation(runtime::Workgroup& group, std::uint32_t index, bool registered, emulation::Resident& resident)
      : TaggedInvocation(group, index, group.grid->local_id(index),
                         group.id * group.grid->local + group.grid->local_id(index), registered),
        id_(resident.agent(index)),
        pulse_(resident.pulse),
        resident_(&resident),
        agent_{&group, index, id_, TagSetId::Empty} {}

  template <typename T>
  auto workgroup(std::string_view name = "", InitialValue initial = InitialValue::Undefined,
                 SourceLocation where = SourceLocation::current()) {
    using E = std::remove_extent_t<T>;
    static_assert(detail::Plain<std::remove_all_extents_t<T>>);
    const Place place = workgroup_place<T>(sizeof(T), name, initial, where);
    if constexpr (std::is_array_v<T>) {
      return Array<E, StorageClass::Workgroup>(place, std::extent_v<T>);
    } else {
      return Variable(Ref<T, StorageClass::Workgroup>(place));
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

  emulation::Emulator& emulator() const { return *resident_->emulator; }
  const emulation::Agent& agent() const { return agent_; }

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
    place.binding = resident_->known_variable(ordinal, size_bytes);
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
    a.index = place.index;
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
    return memory.site(where.line, binding.allocation->id, resident_->first);
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

  /// What whoever listens may be told of in its own way.
  template <typename T>
  static constexpr bool kQuick = kOnePiece<T> && sizeof(T) <= emulation::QuickAccesses::kMostBytes;

  template <typename T, OperationKind kind>
  [[gnu::always_inline]] static constexpr emulation::InstructionCode code(const Place& place) {
    return emulation::InstructionCode::plain(kind, kOnePiece<T> ? sizeof(T) : 0, place.where.line, place.qualifiers);
  }

  /// Plain accesses.
  template <typename T>
  [[gnu::always_inline]] T read(const Place& place) {
    interrupt(place.where);
    if constexpr (kOnePiece<T>) {
      if (emulation::QuickAccesses* const told = pulse_->told) {
        if constexpr (kQuick<T>) {
          constexpr auto of_size = sizeof(T) == emulation::QuickAccesses::kMostBytes
                                       ? &emulation::QuickAccesses::read
                                       : &emulation::QuickAccesses::read_any;
          const auto answer =
              (told->*of_size)(id_, *place.binding, place.offset_bytes, code<T, OperationKind::Read>(place),
                               place.where.file, place.where.function);
          if (answer.is_done()) [[likely]]
            return from_bits<T>(answer.bits());
        }
        return read_told<T>(code<T, OperationKind::Read>(place), place.binding, place.offset_bytes, place.index,
                            place.where.file, place.where.function);
      }
      if (const std::byte* bytes = read_in_place<T>(place)) [[likely]] {
        T value;
        std::memcpy(&value, bytes, sizeof(T));
        return value;
      }
    }
    return read_with_record<T>(code<T, OperationKind::Read>(place), place.binding, place.offset_bytes, place.index,
                               place.where.file, place.where.function);
  }
  template <typename T>
  [[gnu::always_inline]] void write(const Place& place, const T& value) {
    interrupt(place.where);
    if constexpr (kOnePiece<T>) {
      if (emulation::QuickAccesses* const told = pulse_->told) {
        if constexpr (kQuick<T>) {
          constexpr auto of_size = sizeof(T) == emulation::QuickAccesses::kMostBytes
                                       ? &emulation::QuickAccesses::write
                                       : &emulation::QuickAccesses::write_any;
          if ((told->*of_size)(id_, *place.binding, place.offset_bytes, code<T, OperationKind::Write>(place),
                               place.where.file, place.where.function, to_bits(value))) [[likely]]
            return;
        }
        return write_told<T>(code<T, OperationKind::Write>(place), place.binding, place.offset_bytes, value,
                             place.where.file, place.index, place.where.function);
      }
      if (std::byte* bytes = write_in_place<T>(place)) [[likely]] {
        std::memcpy(bytes, &value, sizeof(T));
        return;
      }
    }
    write_with_record<T>(code<T, OperationKind::Write>(place), place.binding, place.offset_bytes, value,
                         place.where.file, place.index, place.where.function);
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
  [[gnu::noinline]] T read_told(emulation::InstructionCode code, const emulation::Binding* binding,
                                std::uint64_t offset_bytes, std::uint64_t index, const char* file,
                                const char* function) {
    T value;
    if (emulation::read_told(emulator(), agent_, told_access<T>(binding, offset_bytes, code, file, function),
                             value_bytes<T>(), &value))
      return value;
    return read_with_record<T>(code, binding, offset_bytes, index, file, function);
  }
  template <typename T>
  [[gnu::noinline]] void write_told(emulation::InstructionCode code, const emulation::Binding* binding,
                                    std::uint64_t offset_bytes, T value, const char* file, std::uint64_t index,
                                    const char* function) {
    if (emulation::write_told(emulator(), agent_, told_access<T>(binding, offset_bytes, code, file, function), &value))
      return;
    write_with_record<T>(code, binding, offset_bytes, value, file, index, function);
  }
  template <typename T>
  static emulation::PlainAccess told_access(const emulation::Binding* binding, std::uint64_t offset_bytes,
                                            emulation::InstructionCode code, const char* file, const char* function) {
    return {binding, offset_bytes, sizeof(T), code, {file, function, code.line(), 0}};
  }
  template <typename T>
  [[gnu::noinline]] T read_with_record(emulation::InstructionCode code, const emulation::Binding* binding,
                                       std::uint64_t offset_bytes, std::uint64_t index, const char* file,
                                       const char* function) {
    const SourceLocation where{file, function, code.line(), 0};
    const Place place{this, binding, offset_bytes, index, {}, where};
    T value;
    emulation::read(emulator(), agent_, plain_access<T>(OperationKind::Read, place, code.qualifiers()), &value);
    return value;
  }
  template <typename T>
  [[gnu::noinline]] void write_with_record(emulation::InstructionCode code, const emulation::Binding* binding,
                                           std::uint64_t offset_bytes, T value, const char* file, std::uint64_t index,
                                           const char* function) {
    const SourceLocation where{file, function, code.line(), 0};
    const Place place{this, binding, offset_bytes, index, {}, where};
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
        sizeof(T) == emulation::QuickAccesses::kMostBytes ? arithmetic(kind) : emulation::Arithmetic::Other;
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
            : memory->in_place({id_, scope, binding.storage_class, kind}, site(*memory, binding, where),
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
      if (f(old, fresh)) std::memcpy(bytes, &fresh, sizeof fresh);
      polled(name, bytes, old, where);
      return old;
    }
    const Place& place = ref.place();
    T old{};
    // What is constant mostly is made into one here, where that is known.
    const bool may_be_quick = sizeof(T) == emulation::QuickAccesses::kMostBytes && !acquires(semantics) &&
                              !releases(semantics) && !acquires(unequal);
    const auto code =
        emulation::InstructionCode::atomic(OperationKind::ReadModifyWrite, sizeof(T), where.line, scope, semantics);
    const auto is_told = [&] {
      if constexpr (what != emulation::Arithmetic::Other) {
        const auto answer = pulse_->told->calculate(id_, *place.binding, place.offset_bytes, code, where.file,
                                                    where.function, {what, to_bits(operand)});
        old = from_bits<T>(answer.bits());
        return answer.is_done();
      } else {
        return update_told(place.binding, place.offset_bytes, code, where.file, where.function, f, old);
      }
    };
    if (!may_be_quick || !pulse_->told || !is_told()) [[unlikely]]
      old = update_with_record<T>(place.binding, place.offset_bytes, place.index, scope, semantics, unequal, where.file,
                                  where.function, where.line, f);
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

  /// Where somebody listens. False, and nothing happened, if there is more to it.
  template <typename T, typename F>
  [[gnu::noinline]] bool update_told(const emulation::Binding* binding, std::uint64_t offset_bytes,
                                     emulation::InstructionCode code, const char* file, const char* function, F f,
                                     T& old) {
    Modification<T, F> modification{f};
    if (!pulse_->told->update(id_, *binding, offset_bytes, code, file, function, modification.modify, &modification))
        [[unlikely]]
      return false;
    old = modification.old;
    return true;
  }

  template <typename T, typename F>
  [[gnu::noinline]] T update_with_record(const emulation::Binding* binding, std::uint64_t offset_bytes,
                                         std::uint64_t index, Scope scope, MemorySemantics semantics,
                                         MemorySemantics unequal, const char* file, const char* function,
                                         std::uint32_t line, F f) {
    const SourceLocation where{file, function, line, 0};
    const Place place{this, binding, offset_bytes, index, {}, where};
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
    emulation::arrive(*resident_, index_, agent_, execution, memory, semantics, where);
  }
  // Whoever waited at a barrier of the workgroup has met the others.
  [[gnu::always_inline]] void after_barrier(Scope execution, Scope, MemorySemantics, bool met) {
    if (!met && (execution != Scope::Workgroup || is_alone_)) emulation::leave(emulator(), agent_);
  }

  /// What an undefined value looks like: all bytes 0xcd, so that its use is noticed.
  template <typename T>
  static T undefined_value(const T&) {
    T value;
    std::memset(static_cast<void*>(&value), 0xcd, sizeof value);
    return value;
  }

  // As in native mode, but sooner: here every operation costs more than a switch.
  static constexpr std::uint32_t kSameBeforeYield = 4;

  static const std::byte* address_of(const Place& place) {
    const emulation::Binding& binding = *place.binding;
    return binding.allocation->bytes + binding.offset_bytes + place.offset_bytes;
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
    } else if (++same_ >= kSameBeforeYield) {
      poll_later(operation, where);
    }
  }
  [[gnu::noinline]] void poll_later(const char* operation, SourceLocation where) {
    same_ = 0;
    wait_begins();
    runtime::yield(where, {operation, polled_address_, polled_value_});
  }

  // These follow what barriers ask for, and are what accesses ask for.
  AgentId id_;
  emulation::Pulse* pulse_;
  emulation::Resident* resident_;
  emulation::Agent agent_;
  std::uint32_t workgroup_variables_ = 0;
  std::uint32_t same_ = 0;
  const void* polled_address_ = nullptr;
  std::uint64_t polled_value_ = 0;
};

template <typename T, StorageClass storage_class>
auto Ref<T, storage_class>::load() const -> value_type {
  return place_.invocation->template read<value_type>(place_);
}

template <typename T, StorageClass storage_class>
void Ref<T, storage_class>::store(const value_type& v) const {
  place_.invocation->write(place_, v);
}

template <typename T, StorageClass storage_class>
void Array<T, storage_class>::out_of_bounds(Invocation* invocation, const emulation::Binding* binding, Index i,
                                            std::uint64_t size, std::uint64_t offset_bytes) {
  // The type of a view may leave some bytes over.
  const bool is_part = offset_bytes != 0 || binding->size_bytes / sizeof(T) != size;
  if (is_part) emulation::raise_outside_part(invocation->agent(), *binding, i.value, size, offset_bytes, i.where);
  emulation::raise_out_of_bounds(invocation->agent(), *binding, i.value, size, i.where);
}

template <typename T>
auto Pointer<T>::element(std::uint64_t address, std::uint64_t index, SourceLocation where) const
    -> Element<Ref<T, kStorageClass>> {
  Place place;
  place.invocation = invocation_;
  place.binding = emulation::buffer_at(invocation_->emulator(), invocation_->agent(), address, where);
  place.offset_bytes = address - reinterpret_cast<std::uintptr_t>(place.binding->allocation->bytes);
  place.index = index;
  place.qualifiers = qualifiers_;
  place.where = where;
  return Element(Ref<T, kStorageClass>(place));
}

template <typename T, ImageDim dim>
Place Image<T, dim>::place_of(const Coordinate& c, SourceLocation where) const {
  const ivec3 v = detail::from_coordinate<dim>(c);
  Place place = place_;
  place.where = where;
  const bool inside = v.x >= 0 && v.y >= 0 && v.z >= 0 && static_cast<std::uint32_t>(v.x) < extent_.x &&
                      static_cast<std::uint32_t>(v.y) < extent_.y && static_cast<std::uint32_t>(v.z) < extent_.z;
  if (!inside) emulation::raise_no_texel(place.invocation->agent(), *place.binding, v, extent_, where);
  place.index = detail::linear_texel(v, extent_);
  place.offset_bytes = place.index * sizeof(T);
  return place;
}

template <typename T, ImageDim dim>
T Image<T, dim>::read(Coordinate c, TexelReadOperands operands, MemoryScope visible, SourceLocation where) const {
  Place place = place_of(c, where);
  qualify(place.qualifiers, operands, ImageOperands::MakeTexelVisible, visible);
  return place.invocation->template read<T>(place);
}

template <typename T, ImageDim dim>
void Image<T, dim>::write(Coordinate c, const T& value, TexelWriteOperands operands, MemoryScope available,
                          SourceLocation where) const {
  Place place = place_of(c, where);
  qualify(place.qualifiers, operands, ImageOperands::MakeTexelAvailable, available);
  place.invocation->write(place, value);
}

}  // namespace heddle::emulated

#include <heddle/detail/emulated_private.h>
