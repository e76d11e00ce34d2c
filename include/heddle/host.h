#pragma once

/// \file
/// The host's side: devices, buffers, images, dispatches.

#include <heddle/detail/allocation.h>
#include <heddle/detail/emulated.h>
#include <heddle/detail/native.h>
#include <heddle/choice.h>
#include <heddle/memory_policy.h>
#include <heddle/report.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <concepts>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle {

/// How kernels run. The kernel's source is the same.
enum class Mode : std::uint8_t {
  /// On all cores, at full speed; memory is the machine's. Nothing is checked.
  Native,
  /// On one thread, in an order that a seed decides (but see DeviceOptions::races_parallel); every access
  /// is checked.
  Emulated,
};

/// Which lane of which subgroup an invocation is.
enum class LaneMapping : std::uint8_t {
  /// Lane = local invocation index modulo subgroup size.
  Linear,
  /// A permutation of the workgroup drawn from the seed, the same for every workgroup of a
  /// dispatch: shakes out kernels that take the linear mapping for granted.
  Shuffled,
};

/// In which order the workgroups of a dispatch begin. (Once they have, the seed decides who goes on, whichever it is.)
enum class WorkgroupOrder : std::uint8_t {
  /// By their numbers, x first.
  Ascending,
  /// In an order drawn from the seed, another one for each dispatch: shakes out kernels that take it for granted that
  /// workgroups with lower numbers have begun, which no specification promises. (Of more than 65,536 workgroups
  /// the first ones; the others follow by their numbers.)
  Shuffled,
};

/// Settings of a device. Zero means: the default that the comment names.
struct DeviceOptions {
  /// The environment variable HEDDLE_MODE (native, emulated), if set, wins over the default.
  std::optional<Mode> mode;
  /// Of everything that is left to chance. HEDDLE_SEED, or 1.
  std::optional<std::uint64_t> seed;
  /// 1 to 128.
  std::uint32_t subgroup_size = 32;
  LaneMapping lane_mapping = LaneMapping::Linear;
  /// Emulated mode without `races_parallel`; elsewhere it is Ascending.
  WorkgroupOrder workgroup_order = WorkgroupOrder::Ascending;
  /// Threads in native mode, and with `races_parallel`: as many as the machine has.
  std::uint32_t workers = 0;
  /// How many workgroups may have begun and not ended: 64 in native mode and with `races_parallel`, 2 in
  /// emulated mode.
  std::uint32_t resident_workgroups = 0;
  /// Of each fiber, rounded up to pages: 64 KiB (256 KiB under a sanitizer).
  std::size_t stack_bytes = 0;
  /// For all Workgroup variables of a workgroup together.
  std::size_t workgroup_memory_bytes = std::size_t{64} * 1024;
  /// Emulated mode: what the memory holds back. The policy that HEDDLE_MEMORY names, or "sequential".
  std::optional<MemoryPolicy> memory;
  /// Look for data races: implies emulated mode. HEDDLE_RACES, or false. With HEDDLE_RACES set to text,
  /// colour, json, sarif, junit or github the program writes what all its devices found in that format
  /// when it ends, to the file that HEDDLE_RACES_FILE names, at its end, or to standard error.
  std::optional<bool> races;
  /// Entries of the races that do not count (see emulator/report/README.md): a file. HEDDLE_RACES_SUPPRESS,
  /// or none.
  std::string race_suppressions;
  /// Whether two plain writes of the same value to the same bytes are a race, as the specification
  /// has it, or are told apart as notices. HEDDLE_RACES_SAME_VALUE (race, notice), or Race.
  std::optional<SameValueWrites> same_value_writes;
  /// Looks for orderings that are stronger than the runs needed. HEDDLE_RACES_ADVISE (0, 1), or false.
  std::optional<bool> race_advice;
  /// Where races are looked for: runs workgroups on all cores, for large inputs. Memory is sequential, the
  /// interleaving the machine's: no seed replays it. Finds what `races` alone finds in the order that comes
  /// about, with both accesses and their values, but without changes that were tried. Not together
  /// with another memory policy, a trace, `race_advice` or `choices`. By default HEDDLE_RACES_PARALLEL=1
  /// asks for it, for devices whose options have none of these; HEDDLE_RACES_PARALLEL=0 forbids it,
  /// whatever the options say.
  std::optional<bool> races_parallel;
  /// Writes every memory operation and every movement between caches to this file: implies emulated mode.
  /// `heddle trace` reads it. Empty: no trace. By default HEDDLE_TRACE names it, with ".2", ".3" ... behind
  /// it for the second and further devices of the process.
  std::optional<std::string> trace;
  /// Emulated mode: makes the oracle of a dispatch, given its seed. Null: a SeededChoice.
  std::function<std::unique_ptr<Choice>(std::uint64_t seed)> choices;
  /// Emulated mode: mean number of memory operations after which another invocation gets to run. After 256 times in
  /// one dispatch it becomes twice that, after 512 four times, after 768 eight times, and from 1024 on 16 times.
  std::uint32_t operations_between_switches = 16;
  /// A dispatch in which all residents only polled by atomics for so long (native, and with races_parallel) makes no
  /// progress. There nobody notices who polls by plain reads.
  std::chrono::milliseconds no_progress_time{2000};
  /// The same in emulated mode, counted in rounds of polling by all residents. Where they poll with plain reads,
  /// which may be anything else, 16384 reads of the same count as one.
  std::uint64_t no_progress_rounds = 4096;
  /// Where `inv.print` goes; null: standard output.
  std::FILE* print_to = nullptr;
  /// Whether DispatchResult::seconds is measured. By default in native mode and with `races_parallel`: two looks
  /// at a clock take as long as a fifth of a small emulated dispatch.
  std::optional<bool> timed;
  /// Called as workgroups end, from any worker, with how many have and how many there are.
  std::function<void(std::uint64_t done, std::uint64_t all)> progress;
};

/// The size of a dispatch or of a workgroup, in up to three dimensions.
struct Extent {
  /// Throws std::out_of_range for a size that does not fit in 32 bits.
  template <std::integral X, std::integral Y = int, std::integral Z = int>
  constexpr Extent(X x_, Y y_ = 1, Z z_ = 1) : x(checked(x_)), y(checked(y_)), z(checked(z_)) {}
  std::uint32_t x, y, z;

 private:
  template <typename I>
  static constexpr std::uint32_t checked(I i) {
    if (!std::in_range<std::uint32_t>(i)) {
      throw std::out_of_range("heddle: a size of a dispatch must be 0 to 2^32 - 1");
    }
    return static_cast<std::uint32_t>(i);
  }
};

/// A value that a kernel gets as a compile-time constant (a specialization constant): pass
/// `constant<256>`, take `auto n`, use it where a constant is wanted.
template <auto value>
inline constexpr std::integral_constant<decltype(value), value> constant{};

/// An array of `T` in the memory of a device. Copies share the memory; the last one frees it.
/// Passed to a dispatch it is a StorageBuffer; a const Buffer is a read-only one.
template <typename T>
class Buffer {
  static_assert(detail::Plain<T>, "buffers hold trivially copyable types");

 public:
  Buffer() = default;
  Buffer(detail::Owner owner, std::uint64_t size)
      : owner_(std::move(owner)), reference_(owner_.new_reference()), size_(size) {}

  std::uint64_t size() const { return size_; }
  const std::string& name() const { return owner_.name(); }

  /// The contents, copied. Throws std::logic_error if freed.
  std::vector<T> read() const {
    owner_.check_alive("read");
    const std::span<const T> all = view();
    return {all.begin(), all.end()};
  }
  /// Replaces the first `values.size()` elements. Throws std::out_of_range if there are fewer.
  void write(std::span<const T> values) {
    if (values.size() > size_) throw std::out_of_range("heddle: writing past the end of a buffer");
    owner_.check_alive("write");
    if (!values.empty()) std::memcpy(owner_->bytes, values.data(), values.size_bytes());
    owner_->host_wrote(values.size_bytes());
  }
  void fill(const T& value) {
    for (T& element : map()) element = value;
  }
  /// The memory itself, for reading.
  std::span<const T> view() const {
    owner_.check_alive("view");
    return {reinterpret_cast<const T*>(owner_->bytes), size_};
  }
  /// The memory itself; all of it counts as written from now on.
  std::span<T> map() {
    owner_.check_alive("map");
    owner_->host_wrote(size_ * sizeof(T));
    return {reinterpret_cast<T*>(owner_->bytes), size_};
  }
  /// Another reference (descriptor) to the same memory. The memory model orders accesses through
  /// different references less than those through one.
  Buffer alias() const {
    Buffer other = *this;
    other.reference_ = owner_.new_reference();
    return other;
  }
  /// Frees the memory now, whoever still has copies.
  void free() { owner_.free(); }
  /// The address for PhysicalStorageBuffer access; valid until the buffer is freed.
  DeviceAddress<T> address() const {
    owner_.check_alive("address");
    return {static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(owner_->bytes))};
  }

  // For dispatches.
  const detail::Owner& owner() const { return owner_; }
  ReferenceId reference() const { return reference_; }

 private:
  detail::Owner owner_;
  ReferenceId reference_{};
  std::uint64_t size_ = 0;
};

/// A storage image of texels `T` in the memory of a device.
template <typename T, ImageDim dim>
class Image {
  static_assert(detail::Plain<T>, "images hold trivially copyable texels");

 public:
  Image() = default;
  Image(detail::Owner owner, const uvec3& extent)
      : owner_(std::move(owner)), reference_(owner_.new_reference()), extent_(extent) {}

  /// Width, height (or layers of a 1D array), depth (or layers of a 2D array).
  uvec3 extent() const { return extent_; }
  std::uint64_t size() const { return std::uint64_t{extent_.x} * extent_.y * extent_.z; }
  const std::string& name() const { return owner_.name(); }
  /// The texels, x fastest, then y, then z.
  std::vector<T> read() const {
    owner_.check_alive("read");
    const auto* texels = reinterpret_cast<const T*>(owner_->bytes);
    return {texels, texels + size()};
  }
  void write(std::span<const T> texels) {
    if (texels.size() != size()) {
      throw std::out_of_range("heddle: an image is written with as many texels as it has");
    }
    owner_.check_alive("write");
    if (!texels.empty()) std::memcpy(owner_->bytes, texels.data(), texels.size_bytes());
    owner_->host_wrote(texels.size_bytes());
  }
  Image alias() const {
    Image other = *this;
    other.reference_ = owner_.new_reference();
    return other;
  }
  void free() { owner_.free(); }

  const detail::Owner& owner() const { return owner_; }
  ReferenceId reference() const { return reference_; }

 private:
  detail::Owner owner_;
  ReferenceId reference_{};
  uvec3 extent_;
};

/// Arguments of a dispatch that say how a buffer or a value is bound.
template <typename T>
struct UniformArgument {
  Buffer<T> buffer;
};
template <typename T>
struct ReadOnlyArgument {
  Buffer<T> buffer;
};
template <typename T>
struct PushConstantArgument {
  T value;
};

/// Binds a buffer as Uniform memory.
template <typename T>
UniformArgument<T> uniform(const Buffer<T>& buffer) {
  return {buffer};
}
/// Binds a buffer as StorageBuffer memory that the kernel can only read.
template <typename T>
ReadOnlyArgument<T> read_only(const Buffer<T>& buffer) {
  return {buffer};
}
/// Binds a value as PushConstant memory. (A plain value arrives in the kernel as a plain value.)
template <detail::Plain T>
PushConstantArgument<T> push_constant(const T& value) {
  return {value};
}

/// What a dispatch did.
struct DispatchResult {
  std::uint64_t invocations = 0;
  std::uint64_t workgroups = 0;
  /// Fibers that existed at once at most, over all workers; 0 if no invocation had to wait.
  std::uint64_t fibers = 0;
  /// Workgroups that were resident at once at most.
  std::uint64_t resident_workgroups = 0;
  /// 0 without DeviceOptions::timed.
  double seconds = 0;
  /// Emulated mode.
  MemoryReport memory;
};

namespace detail {

/// How an argument of a dispatch becomes a parameter of the kernel, in either mode. The general
/// case: a plain value, given by value.
template <typename A>
struct Argument {
  static_assert(Plain<A>, "a kernel's arguments are buffers, images, and trivially copyable values");
  /// Of its memory; null if it has none.
  static const Owner* owner(const A&) { return nullptr; }
  static emulation::Binding bind(const A&) { return {}; }
  static A native(const A& a) { return a; }
  static A emulated(const A& a, const emulated::Place&) { return a; }
};

template <typename T, typename Access, StorageClass storage_class>
struct BufferArgument {
  static emulation::Binding bind_buffer(const Buffer<T>& b) {
    return {*b.owner(), b.reference(), storage_class};
  }
  static auto native_array(const Buffer<T>& b) {
    return native::Array<Access, storage_class>(reinterpret_cast<Access*>(b.owner()->bytes),
                                                b.size());
  }
  static auto emulated_array(const Buffer<T>& b, const emulated::Place& place) {
    return emulated::Array<Access, storage_class>(place, b.size());
  }
};

template <typename T>
struct Argument<Buffer<T>> : BufferArgument<T, T, StorageClass::StorageBuffer> {
  using Base = BufferArgument<T, T, StorageClass::StorageBuffer>;
  static const Owner* owner(const Buffer<T>& b) { return &b.owner(); }
  static emulation::Binding bind(const Buffer<T>& b) { return Base::bind_buffer(b); }
  static auto native(const Buffer<T>& b) { return Base::native_array(b); }
  static auto emulated(const Buffer<T>& b, const emulated::Place& p) {
    return Base::emulated_array(b, p);
  }
};

template <typename T>
struct Argument<ReadOnlyArgument<T>> : BufferArgument<T, const T, StorageClass::StorageBuffer> {
  using Base = BufferArgument<T, const T, StorageClass::StorageBuffer>;
  static const Owner* owner(const ReadOnlyArgument<T>& a) { return &a.buffer.owner(); }
  static emulation::Binding bind(const ReadOnlyArgument<T>& a) {
    return Base::bind_buffer(a.buffer);
  }
  static auto native(const ReadOnlyArgument<T>& a) { return Base::native_array(a.buffer); }
  static auto emulated(const ReadOnlyArgument<T>& a, const emulated::Place& p) {
    return Base::emulated_array(a.buffer, p);
  }
};

template <typename T>
struct Argument<UniformArgument<T>> : BufferArgument<T, const T, StorageClass::Uniform> {
  using Base = BufferArgument<T, const T, StorageClass::Uniform>;
  static const Owner* owner(const UniformArgument<T>& a) { return &a.buffer.owner(); }
  static emulation::Binding bind(const UniformArgument<T>& a) {
    return Base::bind_buffer(a.buffer);
  }
  static auto native(const UniformArgument<T>& a) { return Base::native_array(a.buffer); }
  static auto emulated(const UniformArgument<T>& a, const emulated::Place& p) {
    return Base::emulated_array(a.buffer, p);
  }
};

template <typename T, ImageDim dim>
struct Argument<Image<T, dim>> {
  static const Owner* owner(const Image<T, dim>& i) { return &i.owner(); }
  static emulation::Binding bind(const Image<T, dim>& i) {
    return {*i.owner(), i.reference(), StorageClass::Image};
  }
  static auto native(const Image<T, dim>& i) {
    return native::Image<T, dim>(reinterpret_cast<T*>(i.owner()->bytes), i.extent());
  }
  static auto emulated(const Image<T, dim>& i, const emulated::Place& p) {
    return emulated::Image<T, dim>(p, i.extent());
  }
};

/// A push constant is the same in both modes: nobody writes it.
template <typename T>
struct Argument<PushConstantArgument<T>> {
  static const Owner* owner(const PushConstantArgument<T>&) { return nullptr; }
  static emulation::Binding bind(const PushConstantArgument<T>&) { return {}; }
  static auto native(const PushConstantArgument<T>& a) {
    return native::Ref<const T, StorageClass::PushConstant>(&a.value);
  }
  static auto emulated(const PushConstantArgument<T>& a, const emulated::Place&) {
    return native(a);
  }
};

/// What `run` is given: the kernel, its arguments, and what they are in native mode.
template <typename Kernel, typename... Args>
struct Call {
  const Kernel& kernel;
  std::tuple<const Args&...> arguments;
  std::tuple<decltype(Argument<Args>::native(std::declval<const Args&>()))...> native;
};

template <typename Kernel, typename... Args>
[[gnu::noinline]] std::uint32_t run_native_range(const void* opaque, runtime::Workgroup& group,
                                                 std::uint32_t first, std::uint32_t last, bool registered,
                                                 std::uint64_t& more) {
  const auto& call = *static_cast<const Call<Kernel, Args...>*>(opaque);
  // Parameters by value, so that the loop has them in registers. The loop runs over global x, row by
  // row, because a compiler vectorizes `x[i]` only if it sees that `i` does not wrap.
  return std::apply(
      [&](auto... parameters) {
        const uvec3 size = group.grid->local;
        for (;; --more, runtime::next_id(group.id, group.grid->groups)) {
          const uvec3 base = group.id * size;
          uvec3 local = group.grid->local_id(first);
          std::uint32_t i = first;
          std::uint32_t x = 0;
          std::uint32_t row = 0;
          try {
            while (i < last) {
              row = base.x + local.x;
              const std::uint32_t row_end = row + std::min(last - i, size.x - local.x);
              for (x = row; x < row_end; ++x) {
                native::Invocation invocation(group, i + (x - row), {local.x + (x - row), local.y, local.z},
                                              {x, base.y + local.y, base.z + local.z}, registered);
                call.kernel(invocation, parameters...);
                if (invocation.waited()) return i + (x - row) + 1;
              }
              i += row_end - row;
              local.x = 0;
              if (++local.y == size.y) {
                local.y = 0;
                ++local.z;
              }
            }
          } catch (...) {
            runtime::kernel_threw(group, i + (x - row));
            return i + (x - row) + 1;
          }
          if (more == 0) return last;
        }
      },
      call.native);
}

template <typename Kernel, typename... Args>
std::uint32_t run_native(const void* opaque, runtime::Workgroup& group, std::uint64_t& more) {
  return run_native_range<Kernel, Args...>(opaque, group, 0, group.grid->group_size, false, more);
}

template <typename Kernel, typename... Args>
bool run_native_registered(const void* opaque, runtime::Workgroup& group, std::uint32_t index, bool) {
  std::uint64_t no_more = 0;
  run_native_range<Kernel, Args...>(opaque, group, index, index + 1, true, no_more);
  return true;
}

/// The same kernel for a stack of its own: no loop over invocations, so that the frame that waits
/// holds little more than what lives across a barrier. Flattened: whether the compiler inlines a
/// kernel must not depend on its size, for in a function of its own it reaches everything through
/// the address of the invocation, and returns where the processor does not expect it.
template <typename Kernel, typename... Args>
[[gnu::flatten]] bool run_native_turns(const void* opaque, runtime::Ring* ring) {
  const auto& call = *static_cast<const Call<Kernel, Args...>*>(opaque);
  do {
    runtime::Workgroup& group = *ring->next;
    const auto index = static_cast<std::uint32_t>(ring->current - ring->begin);
    try {
      const uvec3 local = group.grid->local_id(index);
      native::Invocation invocation(group, index, local, group.id * group.grid->local + local,
                                    true);
      std::apply([&](const auto&... parameters) { call.kernel(invocation, parameters...); },
                 call.native);
    } catch (...) {
      runtime::kernel_threw(group, index);
    }
#if HEDDLE_INLINE_SWITCH
    if (ring->line == runtime::kTheEnd && ring->current != ring->last) [[likely]] {
      ring = runtime::hand_over(ring);
      continue;
    }
#endif
    if (!runtime::invocation_ended()) return true;
  } while (ring->next);
  return false;
}

/// Runs an invocation, whose arguments are bound; returns whether it has waited or thrown. (Not a part of those who
/// call it, and flattened: so the kernel is a part of this, whatever its size, and finds the invocation in its own
/// frame, which is the last one of a stack of its own. Whoever goes on after a switch waits for one load less.)
template <typename Kernel, typename... Args>
[[gnu::hot, gnu::noinline, gnu::flatten]] bool run_emulated_invocation(const void* opaque,
                                                                       runtime::Workgroup& group,
                                                                       std::uint32_t index, bool registered) {
  try {
    const auto& call = *static_cast<const Call<Kernel, Args...>*>(opaque);
    emulation::Resident& resident = emulation::Resident::of(group);
    emulated::Invocation invocation(group, index, registered, resident);
    [[maybe_unused]] const auto place = [&](std::size_t k) {
      emulated::Place p;
      p.invocation = &invocation;
      p.binding = resident.arguments + k;
      // No argument is in Workgroup memory, whose qualifiers are others.
      p.qualifiers = default_qualifiers(StorageClass::StorageBuffer);
      return p;
    };
    [&]<std::size_t... n>(std::index_sequence<n...>) {
      call.kernel(invocation, Argument<Args>::emulated(std::get<n>(call.arguments), place(n))...);
    }(std::index_sequence_for<Args...>{});
    return invocation.waited();
  } catch (...) {
    runtime::kernel_threw(group, index);
    return true;
  }
}

template <typename Kernel, typename... Args>
[[gnu::hot]] std::uint32_t run_emulated(const void* opaque, runtime::Workgroup& group, std::uint64_t&) {
  const std::uint32_t size = group.grid->group_size;
  for (std::uint32_t i = 0; i < size; ++i) {
    group.running = i;
    if (run_emulated_invocation<Kernel, Args...>(opaque, group, i, false)) return i + 1;
  }
  return size;
}

/// As run_native_turns.
template <typename Kernel, typename... Args>
bool run_emulated_turns(const void* opaque, runtime::Ring* ring) {
  do {
    const auto index = static_cast<std::uint32_t>(ring->current - ring->begin);
    run_emulated_invocation<Kernel, Args...>(opaque, *ring->next, index, true);
#if HEDDLE_INLINE_SWITCH
    if (ring->line == runtime::kTheEnd && ring->current != ring->last) [[likely]] {
      ring = runtime::hand_over(ring);
      continue;
    }
#endif
    if (!runtime::invocation_ended()) return true;
  } while (ring->next);
  return false;
}

/// A dispatch without its types.
struct TypedLaunch {
  runtime::Entries native;
  runtime::Entries emulated;
  const void* call = nullptr;
  /// One for each argument; without an allocation for those that are no memory.
  std::span<const emulation::Binding> bindings;
};

}  // namespace detail

class Device;

/// What Device::submit hands out: commands that are executed together.
class Commands {
 public:
  /// As Device::dispatch, but for the ordering: nothing of what other dispatches of the submission wrote
  /// is available or visible to this one, unless a barrier in between makes it so.
  template <typename Kernel, typename... Args>
  DispatchResult dispatch(const Kernel& kernel, Extent groups, Extent local, const Args&... args);

  /// What was dispatched before ends before what is dispatched after begins (an execution dependency).
  /// Ordering: system-synchronizes; makes nothing available or visible.
  //= vk:memory-model-system-synchronizes-with
  void execution_barrier();
  /// The same, and all memory becomes available to and visible from the device domain in between (a
  /// memory dependency).
  //= vk:memory-model-vulkan-availability-visibility
  void memory_barrier();

 private:
  friend class Device;
  explicit Commands(Device& device) : device_(device) {}
  Device& device_;
};

/// Runs kernels. Cheap to make; buffers belong to the device that made them. Dispatches of one
/// device from several threads are safe in native mode if the kernels are.
class Device {
 public:
  Device() : Device(DeviceOptions{}) {}
  Device(Mode mode) : Device(with_mode(mode)) {}  // NOLINT: `Device device{Mode::Emulated}`
  /// Throws std::invalid_argument for options that make no sense, naming the option, and for a trace that
  /// cannot be written.
  explicit Device(DeviceOptions options);
  /// Not for users: a device whose inside was made before, with another memory, say.
  explicit Device(std::shared_ptr<detail::DeviceState> state) : state_(std::move(state)) {}
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  Mode mode() const;
  /// With all defaults filled in, mode and seed included.
  const DeviceOptions& options() const;

  /// A buffer of `size` elements that have not been written. The name is for findings. Throws std::bad_alloc, which
  /// names the buffer, if there is no memory for it.
  template <typename T>
  Buffer<T> buffer(std::uint64_t size, std::string name = "") {
    return Buffer<T>(allocate(size, sizeof(T), detail::kComponentType<T>, std::move(name)), size);
  }
  /// A buffer with a copy of `values`.
  template <typename T>
  Buffer<std::remove_const_t<T>> buffer(std::span<T> values, std::string name = "") {
    auto made = buffer<std::remove_const_t<T>>(values.size(), std::move(name));
    made.write(values);
    return made;
  }
  template <typename T>
  Buffer<T> buffer(const std::vector<T>& values, std::string name = "") {
    return buffer(std::span<const T>(values), std::move(name));
  }
  template <typename T>
  Buffer<T> buffer(std::initializer_list<T> values, std::string name = "") {
    return buffer(std::span<const T>(values.begin(), values.size()), std::move(name));
  }

  /// An image of width `extent.x`, height (or layers) `extent.y`, depth (or layers) `extent.z`,
  /// whose texels have not been written. Throws as `buffer`.
  template <typename T, ImageDim dim>
  Image<T, dim> image(Extent extent, std::string name = "") {
    const std::uint64_t texels = std::uint64_t{extent.x} * extent.y * extent.z;
    return Image<T, dim>(allocate(texels, sizeof(T), detail::kComponentType<T>, std::move(name)),
                         {extent.x, extent.y, extent.z});
  }

  /// Runs `kernel(invocation, parameters...)` for every invocation of `groups` workgroups of
  /// `local` invocations each, and returns when all have ended. Parameters: a Buffer arrives as a
  /// StorageBuffer, an Image as a StorageImage, `uniform(buffer)` as a Uniform, `constant<n>` as a
  /// compile-time constant, and any other value by value.
  ///
  /// Throws KernelError for a kernel that is wrong or that threw; the device stays usable, what was
  /// written stays written. Throws std::logic_error, and names the argument, for a buffer or an image that was
  /// freed, never made or moved from, and std::invalid_argument for one of another device. Throws
  /// std::runtime_error if the device's trace cannot be written any more
  /// (the disk is full): once, when the dispatch has ended as it would have. Throws std::invalid_argument for an empty or oversized workgroup.
  /// Ordering: everything before the call happens before the kernel, and the kernel before what
  /// follows the call.
  template <typename Kernel, typename... Args>
  DispatchResult dispatch(const Kernel& kernel, Extent groups, Extent local, const Args&... args) {
    const Submission submission(*this);
    return Commands(*this).dispatch(kernel, groups, local, args...);
  }

  /// The data races of all dispatches so far that count, gravest first; empty without
  /// DeviceOptions::races.
  std::vector<DataRace> races() const;
  /// The same with those that do not count, and advice.
  RaceReport race_report() const;
  /// Throws KernelError with the gravest race, if there is one.
  void require_no_races() const;

  /// Calls `record(commands)`, which executes what it is told: several dispatches between which there
  /// are only the dependencies that are asked for. Ordering: everything before the call happens before
  /// the commands and is visible to them, and they before what follows the call, as if a queue had
  /// been waited for. In native mode dispatches follow each other, and barriers mean nothing.
  template <std::invocable<Commands&> Record>
  void submit(const Record& record) {
    const Submission submission(*this);
    Commands commands(*this);
    record(commands);
  }

 private:
  friend class Commands;
  /// The time from the begin to the end of a submission.
  class Submission {
   public:
    explicit Submission(Device& device) : device_(device) { device_.begin_submission(); }
    ~Submission() { device_.end_submission(); }
    Submission(const Submission&) = delete;
    Submission& operator=(const Submission&) = delete;

   private:
    Device& device_;
  };

  static DeviceOptions with_mode(Mode mode) {
    DeviceOptions options;
    options.mode = mode;
    return options;
  }
  detail::Owner allocate(std::uint64_t count, std::uint64_t element_bytes,
                         detail::ComponentType component, std::string name);
  void check_argument(std::size_t number, const detail::Owner* owner) const {
    if (owner && !owner->is_alive_on(*state_)) [[unlikely]] owner->refuse_argument(number, *state_);
  }
  void begin_submission();
  void end_submission();
  void execution_barrier();
  void memory_barrier();
  DispatchResult launch(const detail::TypedLaunch& typed, const uvec3& groups, const uvec3& local);

  std::shared_ptr<detail::DeviceState> state_;
};

template <typename Kernel, typename... Args>
DispatchResult Commands::dispatch(const Kernel& kernel, Extent groups, Extent local,
                                  const Args&... args) {
  [[maybe_unused]] std::size_t number = 0;
  (device_.check_argument(++number, detail::Argument<Args>::owner(args)), ...);
  detail::Call<Kernel, Args...> call{kernel, {args...}, {detail::Argument<Args>::native(args)...}};
  detail::TypedLaunch typed;
  typed.native = {&detail::run_native<Kernel, Args...>, &detail::run_native_registered<Kernel, Args...>,
                  &detail::run_native_turns<Kernel, Args...>};
  typed.emulated = {&detail::run_emulated<Kernel, Args...>, &detail::run_emulated_invocation<Kernel, Args...>,
                    &detail::run_emulated_turns<Kernel, Args...>};
  typed.call = &call;
  const std::array<emulation::Binding, sizeof...(Args)> bindings{detail::Argument<Args>::bind(args)...};
  typed.bindings = bindings;
  return device_.launch(typed, {groups.x, groups.y, groups.z}, {local.x, local.y, local.z});
}

inline void Commands::execution_barrier() { device_.execution_barrier(); }
inline void Commands::memory_barrier() { device_.memory_barrier(); }

/// Bytes of the deepest use of any fiber stack in this process so far, in whole pages.
std::size_t stack_high_water_bytes();

}  // namespace heddle
