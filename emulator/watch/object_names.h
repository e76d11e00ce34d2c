#pragma once

/// \file
/// What the report of a race calls an object and its values.

#include <optional>
#include <string>

#include "emulator/run/race_explainer.h"
#include "emulator/watch/named_objects.h"

namespace heddle::watch {

/// The names that a dispatch has for bytes which race.
class ObjectNames final : public run::RaceNames {
 public:
  /// `objects` must outlive it; null between dispatches, when bytes have no names.
  ObjectNames(NamedObjects* objects, const Locations& bytes);

  /// Nothing if the bytes have no name.
  const std::optional<NamedObject>& object() const { return object_; }
  /// Says as well of which of the two accesses all that is known is where their variable is declared.
  void name_object(DataRace& race, const Operation& second) const override;
  std::string value_text(model::Value value, const Locations& bytes) const override;

 private:
  const std::optional<NamedObject> object_;
  /// Where the Workgroup variable that has the bytes is declared; nowhere if none has them.
  const SourceLocation declared_;
};

}  // namespace heddle::watch
