#pragma once

/// \file
/// Where a thread may still store: what a load may wait for.

#include <vector>

#include "emulator/mu/code.h"

namespace heddle::mu::explore {

/// Addresses are followed from constants, by cells of one array; where they are not known a thread may store anywhere.
class Foresight {
 public:
  explicit Foresight(const Program& program);
  /// Whether the thread, at this instruction, may still store to the location, or create a thread that may.
  bool may_store(ThreadIndex thread, std::uint32_t at, LocationIndex location) const {
    return stores_[thread][at][location];
  }
  /// Whether it may still create a thread that may store there.
  bool may_create_storer(ThreadIndex thread, std::uint32_t at, LocationIndex location) const {
    return created_[thread][at][location];
  }
  /// Whether memory or a named register may hold an address.
  bool addresses_as_values() const { return addresses_as_values_; }

 private:
  using Locations = std::vector<bool>;
  void scan(ThreadIndex thread);
  void look_for_addresses(const ThreadCode& thread);
  bool spread(ThreadIndex thread, std::vector<std::vector<Locations>>& table);

  const Program& program_;
  std::vector<std::vector<Locations>> stores_;
  std::vector<std::vector<Locations>> created_;
  bool addresses_as_values_ = false;
};

}  // namespace heddle::mu::explore
