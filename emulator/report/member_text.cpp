#include "emulator/report/member_text.h"

#include <fmt/format.h>

namespace heddle::report {
namespace {

template <typename Type>
PlaceOfMember<Type> place_at(const Type& element, std::uint64_t offset_bytes, std::uint32_t size_bytes) {
  for (const auto& member : members_of(element)) {
    const std::uint64_t end = std::uint64_t{member.offset_bytes} + member.size_bytes;
    if (offset_bytes < member.offset_bytes || offset_bytes + size_bytes > end) continue;
    const std::uint64_t in_member = offset_bytes - member.offset_bytes;
    const std::uint32_t each = member.type.element_bytes;
    std::string path = fmt::format(".{}", member.name);
    PlaceOfMember<Type> place;
    if (!member.is_array) {
      place = place_at(member.type, in_member, size_bytes);
    } else if (in_member / each == (in_member + size_bytes - 1) / each) {
      path += fmt::format("[{}]", in_member / each);
      place = place_at(member.type, in_member % each, size_bytes);
    } else {
      place = {"", member.type, in_member};
    }
    place.path = path + place.path;
    return place;
  }
  return {"", element, offset_bytes};
}

}  // namespace

PlaceOfElement element_at(const detail::ComponentType& object, std::uint64_t offset_bytes) {
  std::uint64_t begin = 0;
  detail::ComponentType type = object;
  if (const detail::DescribedBlock* const block = object.block) {
    if (offset_bytes < block->elements_at_byte) return {std::nullopt, block->header, offset_bytes};
    begin = block->elements_at_byte;
    type = block->element;
  }
  if (type.element_bytes == 0) return {std::nullopt, type, offset_bytes};
  const std::uint64_t in_elements = offset_bytes - begin;
  return {in_elements / type.element_bytes, type, in_elements % type.element_bytes};
}

std::string texel_text(const detail::ComponentType& object, std::uint64_t index) {
  if (object.dimensions == 0 || object.extent.x == 0 || object.extent.y == 0) return "";
  const std::uint64_t row = index / object.extent.x;
  std::string text = fmt::format("({}", index % object.extent.x);
  if (object.dimensions > 1) text += fmt::format(",{}", object.dimensions > 2 ? row % object.extent.y : row);
  if (object.dimensions > 2) text += fmt::format(",{}", row / object.extent.y);
  return text + ")";
}

std::string element_text(const detail::ComponentType& object, std::uint64_t index) {
  const std::string texel = texel_text(object, index);
  return texel.empty() ? fmt::format("element {}", index) : "texel " + texel;
}

std::string place_text(const std::string& name, const detail::ComponentType& object, std::uint64_t offset_bytes) {
  const PlaceOfElement place = element_at(object, offset_bytes);
  if (!place.index && !object.block) return fmt::format("{}, byte {}", name, offset_bytes);
  const std::string member = place.type.element_bytes == 0 ? "" : place_at(place.type, place.offset_bytes, 1).path;
  if (!place.index) return name + ".header" + member;
  const std::string texel = texel_text(object, *place.index);
  if (!texel.empty()) return fmt::format("texel {} of {}{}", texel, name, member);
  return fmt::format("{}[{}]{}", name, *place.index, member);
}

MemberPlace member_at(const detail::ComponentType& element, std::uint64_t offset_bytes, std::uint32_t size_bytes) {
  return place_at(element, offset_bytes, size_bytes);
}

ReadMemberPlace member_at(const ReadType& element, std::uint64_t offset_bytes, std::uint32_t size_bytes) {
  return place_at(element, offset_bytes, size_bytes);
}

}  // namespace heddle::report
