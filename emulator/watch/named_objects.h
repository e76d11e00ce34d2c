#pragma once

/// \file
/// What a dispatch's bytes are called: asked by what watches it, answered by what runs it.

#include <heddle/detail/emulation.h>
#include <heddle/operation.h>

#include <optional>
#include <span>

#include "runtime/launch.h"

namespace heddle::watch {

/// Finds the buffers, images and variables of the dispatch that runs.
class NamedObjects {
 public:
  /// The arguments of the dispatch.
  virtual std::span<const emulation::Binding> arguments() const = 0;
  /// The buffer, image or variable that has the bytes; null if none has. To be called where only one thread runs.
  virtual const emulation::Binding* object_at(const Locations& bytes) = 0;
  /// A copy of the buffer, image or variable that has the bytes; nothing if none has. Thread-safe.
  virtual std::optional<emulation::Binding> object_with(const Locations& bytes) = 0;
  /// Where the Workgroup variable that has the bytes is declared; nowhere if none has, or it is an array. Thread-safe.
  virtual SourceLocation declaration_of(const Locations& bytes) = 0;

 protected:
  ~NamedObjects() = default;
};

/// A dispatch that begins.
struct DispatchStart {
  /// Its number among the dispatches of the device.
  std::uint64_t number = 0;
  /// Its invocations are the agents from this one on.
  std::uint32_t first_agent = 0;
  const runtime::Grid& grid;
  /// Valid until the dispatch ends.
  NamedObjects& objects;
};

}  // namespace heddle::watch
