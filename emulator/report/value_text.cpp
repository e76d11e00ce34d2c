#include "emulator/report/value_text.h"

#include <heddle/float16.h>

#include <fmt/format.h>

#include <bit>

#include "emulator/report/member_text.h"

namespace heddle::report {
namespace {

std::uint64_t low_bytes(std::uint64_t value, std::uint32_t bytes) {
  return bytes >= 8 ? value : value & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

std::string floating(std::uint64_t bits, std::uint32_t bytes) {
  switch (bytes) {
    case 2:
      return fmt::format("{}", static_cast<float>(float16::from_bits(static_cast<std::uint16_t>(bits))));
    case 4:
      return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    default:
      return fmt::format("{}", std::bit_cast<double>(bits));
  }
}

std::string scalar(std::uint64_t bits, detail::ComponentKind kind, std::uint32_t bytes) {
  switch (kind) {
    case detail::ComponentKind::Float:
      return floating(bits, bytes);
    case detail::ComponentKind::Signed: {
      const std::uint32_t unused = 64 - 8 * bytes;
      return fmt::format("{}", static_cast<std::int64_t>(bits << unused) >> unused);
    }
    case detail::ComponentKind::Unsigned:
    case detail::ComponentKind::Unknown:
      break;
  }
  return fmt::format("{}", bits);
}

template <typename Type>
std::string text_of(std::uint64_t value, std::uint64_t offset_bytes, std::uint32_t size_bytes, const Type& element);

// "{.prefix = 3, .status = 1}"; as bytes if they begin or end within a member.
template <typename Type>
std::string several_members(std::uint64_t value, std::uint64_t offset_bytes, std::uint32_t size_bytes,
                            const Type& element) {
  std::string text;
  for (const auto& member : members_of(element)) {
    const std::uint64_t end = std::uint64_t{member.offset_bytes} + member.size_bytes;
    if (end <= offset_bytes || member.offset_bytes >= offset_bytes + size_bytes) continue;
    if (member.offset_bytes < offset_bytes || end > offset_bytes + size_bytes)
      return fmt::format("{:#x}", low_bytes(value, size_bytes));
    text +=
        fmt::format("{}.{} = {}", text.empty() ? "{" : ", ", member.name,
                    text_of(value >> (8 * (member.offset_bytes - offset_bytes)), 0, member.size_bytes, member.type));
  }
  return text.empty() ? fmt::format("{:#x}", low_bytes(value, size_bytes)) : text + "}";
}

template <typename Type>
std::string text_of(std::uint64_t value, std::uint64_t offset_bytes, std::uint32_t size_bytes, const Type& element) {
  if (members_of(element).begin() != members_of(element).end()) {
    const std::uint64_t in_element = element.element_bytes == 0 ? offset_bytes : offset_bytes % element.element_bytes;
    const auto place = member_at(element, in_element, size_bytes);
    if (!place.path.empty()) return text_of(value, place.offset_bytes, size_bytes, place.type);
    return several_members(value, in_element, size_bytes, element);
  }
  const std::uint32_t each = element.size_bytes;
  if (element.kind == detail::ComponentKind::Unknown || each == 0 || each > 8 || offset_bytes % each != 0 ||
      size_bytes % each != 0)
    return fmt::format("{:#x}", low_bytes(value, size_bytes));
  const auto spelled = [&](std::uint64_t bits) { return scalar(low_bytes(bits, each), element.kind, each); };
  const std::uint32_t count = size_bytes / each;
  if (count == 1) return spelled(value);
  std::string text = "(";
  for (std::uint32_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + spelled(value >> (8 * each * i));
  return text + ")";
}

}  // namespace

std::string value_text(std::uint64_t value, std::uint64_t offset_bytes, std::uint32_t size_bytes,
                       const detail::ComponentType& element) {
  return text_of(value, offset_bytes, size_bytes, element);
}

std::string value_text(std::uint64_t value, std::uint64_t offset_bytes, std::uint32_t size_bytes,
                       const ReadType& element) {
  return text_of(value, offset_bytes, size_bytes, element);
}

}  // namespace heddle::report
