#pragma once

/// \file
/// Traps of host threads as findings.

#include <heddle/report.h>

#include <cstddef>
#include <string_view>

namespace heddle::mu::host {

/// A host thread trapped at `instruction`, on a stack of so many bytes. `remedy` is what to do about a stack overflow.
/// The finding has no thread. Debug information may know its place; the first question takes some tenths of a second.
Finding finding_of_trap(FindingKind kind, const void* instruction, std::size_t stack_bytes, std::string_view remedy);

}  // namespace heddle::mu::host
