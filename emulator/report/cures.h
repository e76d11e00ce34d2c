#pragma once

/// \file
/// Which race goes when another one does.

#include <heddle/report.h>

namespace heddle::report {

/// Whether one of `race`'s changes does all that one of `other`'s does: the same edits, or one that makes an access
/// atomic with an order where the other makes it Relaxed.
bool cures(const DataRace& race, const DataRace& other);

}  // namespace heddle::report
