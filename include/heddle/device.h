#pragma once

/// \file
/// Devices, which have memory and run kernels.

#include <heddle/buffer.h>
#include <heddle/detail/launch.h>
#include <heddle/detail/wrong_arguments.h>
#include <heddle/device_options.h>
#include <heddle/dispatch.h>
#include <heddle/image.h>
#include <heddle/report.h>
#include <heddle/workgroup_size.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

namespace detail {
struct DeviceHandle;
template <typename Kernel, typename... Bound>
class DispatchRecord;
/// What is wrong with a dispatch whose workgroup ids begin at `base`: a global invocation id that does not fit in 32
/// bits. Empty if nothing is.
std::string wrong_base(const uvec3& base, const Extent& groups, const Extent& local);
}  // namespace detail

class Device;
class Module;

/// What Device::submit hands out: commands that are executed together.
class Commands {
 public:
  /// As Device::dispatch, but for the ordering: nothing of what other dispatches of the submission wrote
  /// is available or visible to this one, unless a barrier in between makes it so.
  template <typename Kernel, typename... Args>
  requires detail::Takes<Kernel, detail::BoundArgument<Args>...> DispatchResult dispatch(const Kernel& kernel,
                                                                                         Extent groups, Extent local,
                                                                                         Args&&... args);
  /// With the workgroups that the kernel requires (heddle/workgroup_size.h).
  template <detail::RequiresSize Kernel, typename... Args>
  requires detail::Takes<Kernel, detail::BoundArgument<Args>...> DispatchResult dispatch(const Kernel& kernel,
                                                                                         Extent groups,
                                                                                         Args&&... args) {
    constexpr uvec3 kLocal = Kernel::kWorkgroupSize;
    return dispatch(kernel, groups, Extent(kLocal.x, kLocal.y, kLocal.z), args...);
  }
  HEDDLE_REFUSED_DISPATCHES
  /// Dispatches workgroups whose ids begin at `base`, and with them global invocation ids; num_workgroups is `groups`.
  /// Throws std::invalid_argument where a global invocation id would not fit in 32 bits.
  template <typename Kernel, typename... Args>
  requires detail::Takes<Kernel, detail::BoundArgument<Args>...> DispatchResult
  dispatch_base(const Kernel& kernel, const uvec3& base, Extent groups, Extent local, Args&&... args) {
    if (const std::string wrong = detail::wrong_base(base, groups, local); !wrong.empty()) [[unlikely]]
      throw std::invalid_argument("heddle: dispatch_base: " + wrong);
    Commands based(device_);
    based.base_ = base;
    return based.dispatch(kernel, groups, local, args...);
  }

  /// What was dispatched before ends before what is dispatched after begins (an execution dependency).
  /// Ordering: system-synchronizes; makes nothing available or visible.
  //= vk:memory-model-system-synchronizes-with
  void execution_barrier();
  /// What follows waits for what was before, and all memory becomes available to and visible from the device domain in
  /// between (a memory dependency).
  //= vk:memory-model-vulkan-availability-visibility
  void memory_barrier();

 private:
  friend class Device;
  template <typename Kernel, typename... Bound>
  friend class detail::DispatchRecord;
  explicit Commands(Device& device) : device_(device) {}
  /// `Args` as detail::BoundArgument has them.
  template <typename Kernel, typename... Args>
  DispatchResult dispatch_bound(const Kernel& kernel, const Extent& groups, const Extent& local, const Args&... args);
  Device& device_;
  /// The id of the first workgroup of what is dispatched.
  uvec3 base_{0, 0, 0};
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
  /// Not for users: a device whose inside was made before, with another memory, say. Takes the handle over.
  explicit Device(detail::DeviceHandle* handle);
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
    const uvec3 size{extent.x, extent.y, extent.z};
    const std::uint64_t texels = detail::texels_of(size, sizeof(T), name);
    detail::ComponentType component = detail::kComponentType<T>;
    component.dimensions = static_cast<std::uint8_t>(coordinates_of(dim));
    component.extent = size;
    return Image<T, dim>(allocate(texels, sizeof(T), component, std::move(name)), size);
  }

  /// Runs `kernel(invocation, parameters...)` for every invocation of `groups` workgroups of
  /// `local` invocations each, and returns when all have ended. Parameters: a Buffer arrives as a
  /// StorageBuffer (a const one as a StorageBuffer<const T>), an Image as a StorageImage, `uniform(buffer)` as a
  /// Uniform, `constant<n>` as a compile-time constant, and any other value by value.
  ///
  /// Throws KernelError for a kernel that is wrong or that threw; the device stays usable, what was
  /// written stays written. Throws std::logic_error, and names the argument, for a buffer or an image that was
  /// freed, never made or moved from, and std::invalid_argument for one of another device. Throws
  /// std::runtime_error if the device's trace cannot be written any more
  /// (the disk is full): once, when the dispatch has ended as it would have. Throws std::invalid_argument for an empty
  /// or oversized workgroup, for what DeviceOptions::limits refuses, and for workgroups of another size than the kernel
  /// requires. Ordering: everything before the call happens before the kernel, and the kernel before what follows the
  /// call.
  template <typename Kernel, typename... Args>
  requires detail::Takes<Kernel, detail::BoundArgument<Args>...> DispatchResult dispatch(const Kernel& kernel,
                                                                                         Extent groups, Extent local,
                                                                                         Args&&... args) {
    using Taken = detail::AsTaken<Kernel, detail::BoundArgument<Args>...>;
    using Body = detail::Body<Kernel, Taken>;
    if constexpr (detail::kCopiesInvocation<Kernel, Taken>) {
      static_assert(!detail::kCopiesInvocation<Kernel, Taken>, HEDDLE_IS_NOT_COPIED);
      return {};
    } else if constexpr (Body::kIsRight) {
      using InOtherMode [[maybe_unused]] = typename Body::template Emulated<emulated::Invocation>;
      const Submission submission(*this);
      return Commands(*this).dispatch(kernel, groups, local, args...);
    } else {
      using Mistake [[maybe_unused]] = typename Body::template Native<>;
      return {};
    }
  }
  /// With the workgroups that the kernel requires (heddle/workgroup_size.h).
  template <detail::RequiresSize Kernel, typename... Args>
  requires detail::Takes<Kernel, detail::BoundArgument<Args>...> DispatchResult dispatch(const Kernel& kernel,
                                                                                         Extent groups,
                                                                                         Args&&... args) {
    constexpr uvec3 kLocal = Kernel::kWorkgroupSize;
    return dispatch(kernel, groups, Extent(kLocal.x, kLocal.y, kLocal.z), args...);
  }
  HEDDLE_REFUSED_DISPATCHES
  /// Runs the kernel for workgroups whose ids begin at `base`, as Commands::dispatch_base has them.
  template <typename Kernel, typename... Args>
  requires detail::Takes<Kernel, detail::BoundArgument<Args>...> DispatchResult
  dispatch_base(const Kernel& kernel, const uvec3& base, Extent groups, Extent local, Args&&... args) {
    const Submission submission(*this);
    return Commands(*this).dispatch_base(kernel, base, groups, local, args...);
  }

  /// The data races of all dispatches so far that count, as in RaceReport; empty without
  /// DeviceOptions::races.
  std::vector<DataRace> races() const;
  /// All races, also those that do not count, and advice.
  RaceReport race_report() const;
  /// Throws KernelError with the first of these races, if there is one.
  void require_no_races() const;

  /// Calls `record(commands)`, which executes what it is told: several dispatches between which there
  /// are only the dependencies that are asked for. Ordering: everything before the call happens before
  /// the commands and is visible to them, and they before what follows the call, as if a queue had
  /// been waited for. A dispatch returns what it did, and throws what is wrong with its kernel, so that it has run
  /// when the next one begins, and never reads what that one writes. No dependency of the memory model follows
  /// from it: without a barrier the two race, and the later one may read what the earlier one overwrote. Dispatches
  /// that come in either order, and overlap, are those of a queue (heddle/queue.h). In native mode barriers mean
  /// nothing.
  template <std::invocable<Commands&> Record>
  void submit(const Record& record) {
    const Submission submission(*this);
    Commands commands(*this);
    record(commands);
  }

 private:
  friend class Commands;
  friend class Module;
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
  detail::Owner allocate(std::uint64_t count, std::uint64_t element_bytes, detail::ComponentType component,
                         std::string name);
  void check_argument(std::size_t number, const detail::Owner* owner) const {
    if (owner && !owner->is_alive_on(*state_)) [[unlikely]]
      owner->refuse_argument(number, *state_);
  }
  void begin_submission();
  void end_submission();
  void execution_barrier();
  void memory_barrier();
  DispatchResult launch(const detail::TypedLaunch& typed, const uvec3& groups, const uvec3& local);

  /// The state that the handle has, which shares it with the buffers of the device.
  detail::DeviceState* state_ = nullptr;
  detail::DeviceHandle* handle_ = nullptr;
};

#undef HEDDLE_REFUSED_DISPATCHES

template <typename Kernel, typename... Args>
requires detail::Takes<Kernel, detail::BoundArgument<Args>...> DispatchResult Commands::dispatch(const Kernel& kernel,
                                                                                                 Extent groups,
                                                                                                 Extent local,
                                                                                                 Args&&... args) {
  using Taken = detail::AsTaken<Kernel, detail::BoundArgument<Args>...>;
  using Body = detail::Body<Kernel, Taken>;
  if constexpr (detail::kCopiesInvocation<Kernel, Taken>) {
    static_assert(!detail::kCopiesInvocation<Kernel, Taken>, HEDDLE_IS_NOT_COPIED);
    return {};
  } else if constexpr (Body::kIsRight) {
    using InOtherMode [[maybe_unused]] = typename Body::template Emulated<emulated::Invocation>;
    return [&]<typename... Bound>(detail::ArgumentTypes<Bound...>) {
      return dispatch_bound<Kernel, Bound...>(kernel, groups, local, args...);
    }(Taken{});
  } else {
    using Mistake [[maybe_unused]] = typename Body::template Native<>;
    return {};
  }
}

template <typename Kernel, typename... Args>
DispatchResult Commands::dispatch_bound(const Kernel& kernel, const Extent& groups, const Extent& local,
                                        const Args&... args) {
  [[maybe_unused]] std::size_t number = 0;
  (device_.check_argument(++number, detail::Argument<Args>::owner(args)), ...);
  using Body = typename detail::WithoutSize<Kernel>::Type;
  detail::Call<Body, Args...> call{kernel, {args...}, {detail::Argument<Args>::native(args)...}};
  detail::TypedLaunch typed;
  typed.native = detail::NativeEntries<Body, Args...>::entries();
  typed.emulated = {&detail::run_emulated<Body, Args...>, &detail::run_emulated_invocation<Body, Args...>,
                    &detail::run_emulated_turns<Body, Args...>};
  typed.call = &call;
  typed.required_local = detail::kRequiredSize<Kernel>;
  const std::array<emulation::Binding, sizeof...(Args)> bindings{detail::Argument<Args>::bind(args)...};
  typed.bindings = bindings;
  typed.base = base_;
  return device_.launch(typed, {groups.x, groups.y, groups.z}, {local.x, local.y, local.z});
}

inline void Commands::execution_barrier() {
  device_.execution_barrier();
}
inline void Commands::memory_barrier() {
  device_.memory_barrier();
}

/// Bytes of the deepest use of any fiber stack in this process so far, in whole pages.
std::size_t stack_high_water_bytes();

}  // namespace heddle
