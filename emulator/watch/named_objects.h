#pragma once

/// \file
/// What a dispatch's bytes are called: asked by what watches it, answered by what runs it.

#include <heddle/detail/component_type.h>
#include <heddle/operation.h>

#include <optional>
#include <vector>

#include "emulator/trace/dispatch.h"

namespace heddle::watch {

/// A buffer, an image or a variable: its bytes with their name, which outlives this, and what they consist of.
struct NamedObject {
  trace::NamedBytes bytes;
  detail::ComponentType component;
};

/// Finds the buffers, images and variables of the dispatch that runs.
class NamedObjects {
 public:
  /// The arguments of the dispatch.
  virtual std::vector<NamedObject> arguments() const = 0;
  /// The buffer, image or variable that has the bytes; nothing if none has. Thread-safe.
  virtual std::optional<NamedObject> object_with(const Locations& bytes) = 0;
  /// Where the Workgroup variable that has the bytes is declared; nowhere if none has, or it is an array. Thread-safe.
  virtual SourceLocation declaration_of(const Locations& bytes) = 0;

 protected:
  ~NamedObjects() = default;
};

/// A dispatch that begins.
struct DispatchStart {
  /// Valid until the call returns.
  const trace::Dispatch& dispatch;
  /// Valid until the dispatch ends.
  NamedObjects& objects;
};

}  // namespace heddle::watch
