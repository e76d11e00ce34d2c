#pragma once

/// \file
/// Values of accesses as people read them.

#include <heddle/detail/component_type.h>
#include <heddle/operation.h>

#include <string>

#include "emulator/report/read_type.h"

namespace heddle::report {

/// `size_bytes` (at most eight) little-endian bytes that begin at `offset_bytes` of an object whose
/// elements are of this type: "42", "-1.5", "(1, 2)", "{.prefix = 3, .status = 1}"; "0x2a" where they are not whole
/// components or members, or of no known type.
std::string value_text(std::uint64_t value, std::uint64_t offset_bytes, std::uint32_t size_bytes,
                       const detail::ComponentType& element);
std::string value_text(std::uint64_t value, std::uint64_t offset_bytes, std::uint32_t size_bytes,
                       const ReadType& element);

}  // namespace heddle::report
