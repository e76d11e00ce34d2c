#pragma once

/// \file
/// Which operations order others: it decides which reads may be answered late.

#include <heddle/operation.h>

namespace heddle::model {

/// Whether an operation orders others: a barrier, an acquire, a release, a domain operation, a volatile access.
/// All others are ordered with their neighbours in program order only where bytes are the same.
bool synchronizes(const Operation& operation);
/// Whether that orders `operation` and a read before it, which does not: their tags fit, or volatility counts, or it is
/// a barrier that acquires what the read, an atomic, met: there no tags count.
bool synchronizes_with_earlier(const Operation& operation, const Operation& read);

}  // namespace heddle::model
