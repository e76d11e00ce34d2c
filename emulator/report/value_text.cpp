#include "emulator/report/value_text.h"

#include <heddle/float16.h>

#include <fmt/format.h>

#include <bit>

namespace heddle::report {
namespace {

std::uint64_t low_bytes(std::uint64_t value, std::uint32_t bytes) {
  return bytes >= 8 ? value : value & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

std::string floating(std::uint64_t bits, std::uint32_t bytes) {
  switch (bytes) {
    case 2:
      return fmt::format("{}",
                         static_cast<float>(float16::from_bits(static_cast<std::uint16_t>(bits))));
    case 4:
      return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    default:
      return fmt::format("{}", std::bit_cast<double>(bits));
  }
}

std::string scalar(std::uint64_t bits, detail::ComponentType type) {
  switch (type.kind) {
    case detail::ComponentKind::Float:
      return floating(bits, type.size_bytes);
    case detail::ComponentKind::Signed: {
      const std::uint32_t unused = 64 - 8 * type.size_bytes;
      return fmt::format("{}", static_cast<std::int64_t>(bits << unused) >> unused);
    }
    case detail::ComponentKind::Unsigned:
    case detail::ComponentKind::Unknown:
      break;
  }
  return fmt::format("{}", bits);
}

}  // namespace

std::string value_text(std::uint64_t value, std::uint64_t offset_bytes, std::uint32_t size_bytes,
                       detail::ComponentType component) {
  const std::uint32_t each = component.size_bytes;
  if (component.kind == detail::ComponentKind::Unknown || each == 0 || each > 8 ||
      offset_bytes % each != 0 || size_bytes % each != 0)
    return fmt::format("{:#x}", low_bytes(value, size_bytes));
  const std::uint32_t count = size_bytes / each;
  if (count == 1) return scalar(low_bytes(value, each), component);
  std::string text = "(";
  for (std::uint32_t i = 0; i < count; ++i)
    text += (i == 0 ? "" : ", ") + scalar(low_bytes(value >> (8 * each * i), each), component);
  return text + ")";
}

}  // namespace heddle::report
