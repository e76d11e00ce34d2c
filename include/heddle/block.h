#pragma once

/// \file
/// Blocks: a buffer with a header and an array behind it, whose length is that of the buffer, as GLSL has it:
/// `buffer Queue { uint count; Item items[]; }`.
///
///     struct Head { std::uint32_t count; };
///     HEDDLE_MEMBERS(Head, count)
///     ...
///     auto queue = block<Head, Item>(device, 1000, "queue");
///     queue.write_header({0});
///     device.dispatch([](auto& inv, StorageBlock<Head, Item> auto q) {
///       const auto i = inv.atomic_i_increment(q.header.count, Scope::Device, MemorySemantics::Relaxed);
///       if (i < q.size()) q[i] = Item{};
///     }, {4}, {64}, queue);

#include <heddle/device.h>
#include <heddle/members.h>
#include <heddle/views.h>

#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace heddle {

/// In the memory of a device: one `Header`, and `size()` elements from the first multiple of their alignment behind
/// it. Copies share the memory. Passed to a dispatch it is a StorageBlock; `read_only(block)` is one that is only
/// read.
template <typename Header, typename T>
class Block {
  static_assert(detail::Plain<Header> && detail::Plain<T>, "blocks hold trivially copyable types");

 public:
  /// The offset of the first element, in bytes.
  static constexpr std::uint64_t kOffset = (sizeof(Header) + alignof(T) - 1) / alignof(T) * alignof(T);

  Block() = default;
  Block(Buffer<std::byte> bytes, std::uint64_t size) : bytes_(std::move(bytes)), size_(size) {}

  std::uint64_t size() const { return size_; }
  const std::string& name() const { return bytes_.name(); }

  /// The contents, copied. Throw std::logic_error if freed.
  Header header() const {
    Header value;
    std::memcpy(static_cast<void*>(&value), bytes_.view().data(), sizeof value);
    return value;
  }
  std::vector<T> read() const {
    std::vector<T> values(size_);
    if (size_ != 0) std::memcpy(static_cast<void*>(values.data()), bytes_.view().data() + kOffset, size_ * sizeof(T));
    return values;
  }
  void write_header(const Header& value) {
    const auto* begin = reinterpret_cast<const std::byte*>(&value);
    bytes_.write({begin, sizeof value});
  }
  /// Replaces the first `values.size()` elements, and the header. Throws std::out_of_range if there are fewer.
  void write(const Header& head, std::span<const T> values) {
    if (values.size() > size_) throw std::out_of_range("heddle: writing past the end of a block");
    std::vector<std::byte> all(kOffset + values.size_bytes());
    std::memcpy(all.data(), &head, sizeof head);
    if (!values.empty()) std::memcpy(all.data() + kOffset, values.data(), values.size_bytes());
    bytes_.write(all);
  }
  /// Another reference (descriptor) to the same memory, as Buffer::alias.
  Block alias() const { return Block(bytes_.alias(), size_); }

  // For dispatches.
  const Buffer<std::byte>& bytes() const { return bytes_; }

 private:
  Buffer<std::byte> bytes_;
  std::uint64_t size_ = 0;
};

/// A block whose header and `size` elements have not been written. The name is for findings.
template <typename Header, typename T>
Block<Header, T> block(Device& device, std::uint64_t size, std::string name = "") {
  constexpr std::uint64_t kMost = (~std::uint64_t{0} / 2) / sizeof(T);
  const std::uint64_t bytes = Block<Header, T>::kOffset + (size < kMost ? size : kMost) * sizeof(T);
  return {device.buffer<std::byte>(bytes, std::move(name)), size};
}

template <typename Header, typename T>
struct ReadOnlyBlock {
  Block<Header, T> block;
};
/// Binds a block that the kernel can only read.
template <typename Header, typename T>
ReadOnlyBlock<Header, T> read_only(const Block<Header, T>& block) {
  return {block};
}

namespace detail {

/// A block as a kernel sees it, in either mode: `Head` is the plain reference of its mode, `Array` the array.
template <typename Head, typename Array>
class KernelBlock {
 public:
  using header_type = typename Head::value_type;
  using element_type = typename Array::element_type;
  static constexpr StorageClass kStorageClass = Head::kStorageClass;

  KernelBlock(const Head& head, const Array& array) : header(head), elements(array) {}
  std::uint64_t size() const { return elements.size(); }
  auto operator[](Index i) const { return elements[i]; }

  KernelBlock coherent(MemoryScope scope) const { return with(elements.coherent(scope)); }
  KernelBlock non_private() const { return with(elements.non_private()); }
  auto volatile_() const {
    if constexpr (EmulatedArray<Array>) {
      return with(elements.volatile_());
    } else {
      auto* const memory = whole_of<Head>(header).memory();
      using VolatileHead = native::Ref<std::remove_pointer_t<decltype(memory)>, kStorageClass, true>;
      return KernelBlock<VolatileHead, decltype(elements.volatile_())>(VolatileHead(memory), elements.volatile_());
    }
  }

  VariableFor<Head> header;
  Array elements;

 private:
  /// With the qualifiers of `qualified`, in the header as well.
  KernelBlock with(const Array& qualified) const {
    if constexpr (EmulatedArray<Array>) {
      emulated::Place place = header.place();
      place.qualifiers = qualified.place().qualifiers;
      return KernelBlock(Head(place), qualified);
    } else {
      return *this;
    }
  }
};

template <typename Header, typename T>
inline constexpr bool kIsArgument<Block<Header, T>> = true;
template <typename Header, typename T>
inline constexpr bool kIsArgument<ReadOnlyBlock<Header, T>> = true;

template <typename Header, typename T>
struct BlockArgument {
  using Of = Block<std::remove_const_t<Header>, std::remove_const_t<T>>;
  static constexpr StorageClass kClass = StorageClass::StorageBuffer;
  static emulation::Binding bind_block(const Of& b) {
    emulation::Binding binding(*b.bytes().owner(), b.bytes().reference(), kClass);
    static constexpr DescribedBlock kDescribed{kComponentType<std::remove_const_t<Header>>,
                                               kComponentType<std::remove_const_t<T>>, Of::kOffset};
    binding.component = {};
    binding.component.block = &kDescribed;
    return binding;
  }
  static auto native_block(const Of& b) {
    std::byte* const bytes = b.bytes().owner()->bytes;
    using Head = native::Ref<Header, kClass>;
    using Array = native::Array<T, kClass>;
    return KernelBlock<Head, Array>(Head(reinterpret_cast<Header*>(bytes)),
                                    Array(reinterpret_cast<T*>(bytes + Of::kOffset), b.size()));
  }
  static auto emulated_block(const Of& b, emulated::Place place) {
    using Head = emulated::Ref<Header, kClass>;
    using Array = emulated::Array<T, kClass>;
    const Head head(place);
    place.offset_bytes += Of::kOffset;
    return KernelBlock<Head, Array>(head, Array(place, b.size()));
  }
};

template <typename Header, typename T>
struct Argument<Block<Header, T>> : BlockArgument<Header, T> {
  using Base = BlockArgument<Header, T>;
  static const Owner* owner(const Block<Header, T>& b) { return &b.bytes().owner(); }
  static emulation::Binding bind(const Block<Header, T>& b) { return Base::bind_block(b); }
  static auto native(const Block<Header, T>& b) { return Base::native_block(b); }
  static auto emulated(const Block<Header, T>& b, const emulated::Place& p) { return Base::emulated_block(b, p); }
};
template <typename Header, typename T>
struct Argument<ReadOnlyBlock<Header, T>> : BlockArgument<const Header, const T> {
  using Base = BlockArgument<const Header, const T>;
  using Given = ReadOnlyBlock<Header, T>;
  static const Owner* owner(const Given& a) { return &a.block.bytes().owner(); }
  static emulation::Binding bind(const Given& a) { return Base::bind_block(a.block); }
  static auto native(const Given& a) { return Base::native_block(a.block); }
  static auto emulated(const Given& a, const emulated::Place& p) { return Base::emulated_block(a.block, p); }
};

}  // namespace detail

/// A header and an array in a storage buffer: `b.header` is a reference to the header (`b.header.at(&Header::count)`,
/// or `b.header.count` where HEDDLE_MEMBERS names it), `b[i]` an element, `b.size()` their number, `b.elements` the
/// array.
template <typename A, typename Header, typename T>
concept StorageBlock = requires {
  requires A::kStorageClass == StorageClass::StorageBuffer;
  requires std::same_as<typename A::header_type, std::remove_const_t<Header>>;
  requires std::same_as<std::remove_const_t<typename A::element_type>, std::remove_const_t<T>>;
  requires std::is_const_v<T>
  == std::is_const_v<typename A::element_type>;
};

}  // namespace heddle
