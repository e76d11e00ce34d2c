#include "emulator/watch/object_names.h"

#include "emulator/report/member_text.h"
#include "emulator/report/value_text.h"
#include "runtime/same_place.h"

namespace heddle::watch {

ObjectNames::ObjectNames(NamedObjects* objects, const Locations& bytes)
    : object_(objects ? objects->object_with(bytes) : std::nullopt),
      declared_(objects ? objects->declaration_of(bytes) : SourceLocation{}) {}

void ObjectNames::name_object(DataRace& race, const Operation& second) const {
  for (RacingAccess* access : {&race.first, &race.second})
    access->at_declaration = declared_.line != 0 && runtime::same_place(access->where, declared_);
  race.index = race.offset_bytes / second.locations.size_bytes;
  if (!object_) return;
  race.object = object_->bytes.name;
  race.offset_bytes -= object_->bytes.offset_bytes;
  const report::PlaceOfElement place = report::element_at(object_->component, race.offset_bytes);
  const bool in_header = object_->component.block && !place.index;
  race.index = in_header ? DataRace::kNoElement : place.index.value_or(race.offset_bytes / second.locations.size_bytes);
  if (!in_header) race.texel = report::texel_text(object_->component, race.index);
  if (place.type.element_bytes != 0 && place.offset_bytes + race.size_bytes <= place.type.element_bytes)
    race.member = report::member_at(place.type, place.offset_bytes, race.size_bytes).path;
  if (in_header) race.member = ".header" + race.member;
}

std::string ObjectNames::value_text(model::Value value, const Locations& bytes) const {
  const std::uint64_t offset = bytes.offset_bytes - (object_ ? object_->bytes.offset_bytes : 0);
  const report::PlaceOfElement place =
      report::element_at(object_ ? object_->component : detail::ComponentType{}, offset);
  return report::value_text(value, place.offset_bytes, bytes.size_bytes, place.type);
}

}  // namespace heddle::watch
