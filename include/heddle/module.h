#pragma once

/// \file
/// SPIR-V compute modules run by a host program: an entry point as a kernel of a device, buffers by set and binding.
/// So that a test holds a shader against a C++ reference:
///
///     Device device(Mode::Emulated);
///     auto in = device.buffer<std::uint32_t>({1, 2, 3, 4});
///     auto out = device.buffer<std::uint32_t>(4);
///     Module scan(device, "scan.spv");
///     scan.dispatch(1, {bound(0, 0, in), bound(0, 1, out)});
///     CHECK(out.read() == std::vector<std::uint32_t>{1, 3, 6, 10});
///     scan.require_no_races();
///
/// A program that uses it links heddle::module, and is built together with heddle.

#include <heddle/device.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace heddle {

/// A module that cannot be run: "file:line: message".
class ModuleError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a module is specialized with, and run with each time.
struct ModuleOptions {
  /// The entry point; empty: the only one.
  std::string entry;
  /// The size of workgroups; none: the module's own.
  std::optional<Extent> local;
  /// Values of specialization constants by SpecId, as numbers are written: "8", "0.5", "true".
  std::map<std::uint32_t, std::string> specialization;
  /// Lanes that went different ways are together again as early as the graph allows, and not only where the module was
  /// promised it.
  bool reconverge_maximal = false;
};

/// A buffer of the device as a module names it.
struct BoundBuffer {
  std::uint32_t set = 0;
  std::uint32_t binding = 0;
  std::function<std::span<const std::byte>()> read;
  std::function<void(std::span<const std::byte>)> write;
};

/// Binds a buffer. It outlives the dispatch.
template <typename T>
BoundBuffer bound(std::uint32_t set, std::uint32_t binding, Buffer<T>& buffer) {
  return {set, binding, [&buffer] { return std::as_bytes(buffer.view()); },
          [&buffer](std::span<const std::byte> bytes) {
            const std::span<T> all = buffer.map();
            std::memcpy(static_cast<void*>(all.data()), bytes.data(), std::min(bytes.size(), all.size_bytes()));
          }};
}

/// An entry point of a module, to be run on the memory of a device.
class Module {
 public:
  /// Reads a binary module or the text of one. Throws ModuleError; std::invalid_argument for a device with options that
  /// a module does not take: a trace, edits and choices of its own.
  Module(Device& device, const std::string& file, ModuleOptions options = {});
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// What the next dispatches find in push constants.
  template <detail::Plain T>
  void push_constants(const T& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    set_push_constants(bytes);
  }

  /// Runs the entry point, and returns when all invocations have ended. In emulated mode memory goes by the device's
  /// policy, and its seed decides who goes on; each dispatch has a schedule of its own. In native mode the module is
  /// interpreted as well, on memory that has one copy of everything. Throws KernelError for a module that does what is
  /// undefined, or comes to no end; what was written stays written. Throws ModuleError where a buffer is missing.
  DispatchResult dispatch(Extent groups, std::initializer_list<BoundBuffer> buffers);

  /// The races of all dispatches so far; empty without DeviceOptions::races.
  const std::vector<DataRace>& races() const;
  /// Throws KernelError with the first of them, if there is one.
  void require_no_races() const;

 private:
  void set_push_constants(std::span<const std::byte> bytes);

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace heddle
