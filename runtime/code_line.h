#pragma once

/// \file
/// Where conversions are written, of which accesses know no more than the address of their code.

#include <heddle/source_location.h>

namespace heddle::runtime {

/// The place in the source where a conversion is written, from a place that heddle/detail/code_place.h made. Any other
/// place is returned as it is. Where it is not known, for want of debug information (-g), the place of the
/// declaration is, with kAtDeclaration as its function.
///
/// The first question of all takes some hundredths of a second. Thread-safe; what the place points to lives as long as
/// the process.
SourceLocation source_of(const SourceLocation& place);

inline constexpr const char* kAtDeclaration = "(where it is declared)";
/// Whether source_of found no more than the declaration.
bool is_at_declaration(const SourceLocation& place);

}  // namespace heddle::runtime
