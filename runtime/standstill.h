#pragma once

/// \file
/// What is told where invocations wait in vain.

#include <heddle/report.h>

#include <string>
#include <vector>

#include "runtime/dispatch.h"
#include "runtime/group.h"

namespace heddle::runtime {

/// A finding that no one can go on, and the invocation it names; null if it names none.
struct Standstill {
  Finding finding;
  const Slot* slot = nullptr;
};

/// The invocations of a workgroup do not all come to the same barrier.
Standstill divergence(Group& g, const Launch& launch);
/// Everybody who is resident waits or polls in vain.
Standstill no_progress(const std::vector<Group*>& residents, const Dispatch& dispatch);
/// What the resident invocations do or wait for, those at one place together; and which workgroups have not started.
std::string who_is_where(const std::vector<Group*>& residents, const Dispatch& dispatch);

}  // namespace heddle::runtime
