#pragma once

/// \file
/// Host threads that dispatch kernels: both kinds of agents in one execution, natively or on weak memory, by one seed.
///
///     const auto body = [](auto host) {
///       using M = decltype(host);
///       threads::DeviceQueue<M> queue;
///       auto data = queue.template buffer<std::uint32_t>(64, "data");
///       for (std::uint32_t i = 0; i < 64; ++i) data.write(i, i);
///       auto doubled = queue.submit(
///           [](auto& inv, StorageBuffer<std::uint32_t> auto all) { all[inv.global_invocation_id().x] *= 2; }, 1, 64,
///           data);
///       doubled.wait();
///       M::require(data.read(7) == 14, "the kernel has doubled it");
///     };
///     threads::explore_seeds(body, 1000);
///
/// What a host thread did before `submit` happens before the kernel, and the kernel before what follows `wait`, as a
/// queue submission and a wait for its fence order them. A host thread that accesses a buffer while a kernel that does
/// is under way is a finding with both places.

#include <heddle/detail/host_queue.h>
#include <heddle/device.h>
#include <heddle/host_thread.h>

#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle::threads {

template <typename Host>
class DeviceQueue;

/// How many workgroups a kernel is submitted with, and where.
struct LocatedExtent {
  template <typename E>
  requires std::is_convertible_v<E, Extent> LocatedExtent(const E& e, SourceLocation w = SourceLocation::current())
      : extent(e), where(w) {}
  Extent extent;
  SourceLocation where;
};

/// A buffer of a device that host threads access, too, element by element. Copies share the memory.
template <typename T, typename Host>
class Mapped {
 public:
  std::uint64_t size() const { return buffer_.size(); }
  /// Not atomic.
  T read(std::uint64_t index, SourceLocation where = SourceLocation::current()) const {
    T out{};
    if (may_access(index, false, where)) std::memcpy(&out, bytes(index), sizeof(T));
    return out;
  }
  /// Not atomic.
  void write(std::uint64_t index, const T& value, SourceLocation where = SourceLocation::current()) {
    if (!may_access(index, true, where)) return;
    std::memcpy(bytes(index), &value, sizeof(T));
    buffer_.owner()->initialized.mark(index * sizeof(T), sizeof(T));
  }
  /// For arguments of a kernel: `read_only(data.buffer())`. Host threads must not access it otherwise.
  const Buffer<T>& buffer() const { return buffer_; }

 private:
  friend class DeviceQueue<Host>;
  explicit Mapped(Buffer<T> buffer) : buffer_(std::move(buffer)) {}
  std::byte* bytes(std::uint64_t index) const { return buffer_.owner()->bytes + index * sizeof(T); }
  bool may_access(std::uint64_t index, bool writes, const SourceLocation& where) const {
    if constexpr (Host::emulated) {
      return detail::access_mapped(number_, index * sizeof(T), sizeof(T), writes, where);
    } else {
      Host::require(index < size(), "the element is in the buffer", where);
      return true;
    }
  }

  Buffer<T> buffer_;
  detail::MappedNumber number_;
};

/// A kernel that has been submitted. The destructor waits.
template <typename Host>
class Submitted {
 public:
  Submitted(Submitted&& other) noexcept
      : waits_(std::exchange(other.waits_, false)),
        dispatch_(other.dispatch_),
        thread_(std::move(other.thread_)),
        failure_(std::move(other.failure_)) {}
  Submitted& operator=(Submitted&&) = delete;
  ~Submitted() {
    if (std::exchange(waits_, false)) end(true, {});
  }
  /// Returns when the kernel has ended. Throws its KernelError in a native run; an emulated one has it as a finding.
  void wait(SourceLocation where = SourceLocation::current()) {
    if (!std::exchange(waits_, false)) return;
    end(false, where);
    if (failure_ && *failure_) std::rethrow_exception(*failure_);
  }

 private:
  friend class DeviceQueue<Host>;
  Submitted() = default;
  void end(bool quietly, const SourceLocation& where) {
    if constexpr (Host::emulated)
      detail::wait_for_dispatch(dispatch_, quietly, where);
    else
      thread_.join();
  }

  bool waits_ = true;
  // Emulated.
  detail::DispatchNumber dispatch_;
  // Native.
  std::thread thread_;
  std::shared_ptr<std::exception_ptr> failure_;
};

/// A device with one queue. Kernels that are submitted may run at once and in any order: `Submitted::wait` orders them.
template <typename Host>
class DeviceQueue {
 public:
  /// The mode is the host's. Throws as the constructor of Device.
  explicit DeviceQueue(DeviceOptions options = {}) : device_(made(std::move(options))) {}

  /// A buffer whose elements have not been written.
  template <typename T>
  Mapped<T, Host> buffer(std::uint64_t size, std::string name = "") {
    return mapped(device_->template buffer<T>(size, std::move(name)));
  }
  /// A buffer with a copy of `values`.
  template <typename T>
  Mapped<T, Host> buffer(const std::vector<T>& values, std::string name = "") {
    return mapped(device_->buffer(values, std::move(name)));
  }

  /// Submits a kernel; arguments as those of Device::dispatch, and a Mapped is its buffer (a const one is read alone).
  template <typename Kernel, typename... Args>
  Submitted<Host> submit(const Kernel& kernel, const LocatedExtent& groups, Extent local, Args&&... arguments) {
    return submit_at(groups.where, kernel, groups.extent, local, argument(arguments)...);
  }

 private:
  static std::shared_ptr<Device> made(DeviceOptions options) {
    if constexpr (Host::emulated) {
      return detail::machine_device(std::move(options));
    } else {
      options.mode = Mode::Native;
      return std::make_shared<Device>(std::move(options));
    }
  }
  template <typename T>
  Mapped<T, Host> mapped(Buffer<T> buffer) {
    Mapped<T, Host> out(std::move(buffer));
    if constexpr (Host::emulated) out.number_ = detail::add_mapped(*device_, out.buffer_.owner(), sizeof(T));
    return out;
  }
  template <typename T>
  static Buffer<T> argument(Mapped<T, Host>& mapped) {
    return mapped.buffer();
  }
  template <typename T>
  static ReadOnlyArgument<T> argument(const Mapped<T, Host>& mapped) {
    return read_only(mapped.buffer());
  }
  template <typename T>
  static const T& argument(const T& other) {
    return other;
  }
  template <typename Kernel, typename... Args>
  Submitted<Host> submit_at(const SourceLocation& where, const Kernel& kernel, Extent groups, Extent local,
                            Args... arguments) {
    auto run = [device = device_, kernel, groups, local, arguments...]() mutable {
      device->dispatch(kernel, groups, local, arguments...);
    };
    Submitted<Host> out;
    if constexpr (Host::emulated) {
      out.dispatch_ = detail::submit(*device_, groups, local, std::move(run), where);
    } else {
      out.failure_ = std::make_shared<std::exception_ptr>();
      out.thread_ = std::thread([run = std::move(run), failure = out.failure_]() mutable {
        try {
          run();
        } catch (...) {
          *failure = std::current_exception();
        }
      });
    }
    return out;
  }

  std::shared_ptr<Device> device_;
};

}  // namespace heddle::threads
