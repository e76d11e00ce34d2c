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

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace heddle {

namespace detail {
class RecordedDispatch;
}

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

/// A buffer of a device as a module names it.
struct BoundBuffer {
  std::uint32_t set = 0;
  std::uint32_t binding = 0;
  detail::Owner owner = {};
  ReferenceId reference{};
};

/// Binds a buffer.
template <typename T>
BoundBuffer bound(std::uint32_t set, std::uint32_t binding, const Buffer<T>& buffer) {
  return {set, binding, buffer.owner(), buffer.reference()};
}

/// An entry point of a module, to be run on the memory of a device.
class Module {
 public:
  /// Reads a binary module, the text of one (.spvasm) or a compute shader in GLSL (.comp), which glslangValidator or
  /// glslc compiles. Throws ModuleError; std::invalid_argument for a device with edits, which a module does not take.
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

  /// Runs the entry point, and returns when all invocations have ended. It is to the device what a kernel in C++ is, in
  /// either mode: memory, schedule, races, traces and progress are the device's. Throws as Device::dispatch, and
  /// ModuleError where a buffer that the entry point uses is not bound, one is bound twice, or the module does not have
  /// what is bound, pushed or specialized.
  ///
  /// A module whose lanes do something together (OpGroupNonUniform...) is interpreted beside the device: on a memory of
  /// the device's policy, by one thread, and its races are in `races()` alone.
  DispatchResult dispatch(Extent groups, std::span<const BoundBuffer> buffers);
  DispatchResult dispatch(Extent groups, std::initializer_list<BoundBuffer> buffers) {
    return dispatch(groups, std::span(buffers.begin(), buffers.size()));
  }

  /// A command of a queue that does what `dispatch` does: `commands.dispatch(scan.recorded(1, {...}))`. It keeps the
  /// buffers, and the push constants of now; the module outlives its commands. Throws ModuleError where a buffer is
  /// missing, and for a module whose lanes do something together.
  std::unique_ptr<detail::RecordedDispatch> recorded(Extent groups, std::span<const BoundBuffer> buffers);
  std::unique_ptr<detail::RecordedDispatch> recorded(Extent groups, std::initializer_list<BoundBuffer> buffers);

  /// The races of all dispatches of this module so far, until it is asked again; empty without DeviceOptions::races.
  const std::vector<DataRace>& races() const;
  /// Throws KernelError with the first of them, if there is one.
  void require_no_races() const;

 private:
  struct Parts;
  class Recorded;

  void set_push_constants(std::span<const std::byte> bytes);
  static DispatchResult launch(Device& device, const detail::TypedLaunch& typed, const Extent& groups,
                               const Extent& local);

  std::unique_ptr<Parts> parts_;
};

}  // namespace heddle
