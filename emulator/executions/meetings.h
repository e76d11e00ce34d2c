#pragma once

/// \file
/// What the lanes of a subgroup do together, where each of them runs by itself.

#include <map>
#include <vector>

#include "emulator/executions/scripted_memory.h"
#include "emulator/explore/program.h"

namespace heddle::executions {

/// The subgroup operations that invocations have come to, and what came of those that met: by the rule of
/// runtime/RECONVERGENCE.md.
class Meetings {
 public:
  /// The number by which an agent brings it.
  Value add(const Meeting& meeting);
  /// As explore::Program::meet: the numbers of what they take.
  const explore::CompanyValues& meet(const explore::CompanyValues& brought);
  const std::vector<Taken>& taken() const { return taken_; }

 private:
  explore::CompanyValues found(const explore::CompanyValues& brought);
  std::vector<bool> who_meets(const explore::CompanyValues& brought) const;
  Value number_of(Taken taken);

  std::vector<Meeting> meetings_;
  std::vector<Taken> taken_;
  std::map<explore::CompanyValues, explore::CompanyValues> known_;
};

}  // namespace heddle::executions
