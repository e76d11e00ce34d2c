#pragma once

/// \file
/// The workgroups of one worker: those that are resident, and room for more.

#include <memory>
#include <utility>
#include <vector>

#include "runtime/group.h"

namespace heddle::runtime {

/// Makes groups, and keeps those that no workgroup uses. The one that was given back last is taken first.
class GroupPool {
 public:
  /// One that no workgroup uses. Throws std::bad_alloc.
  Group* take() {
    if (!spare_) [[unlikely]]
      make();
    return std::exchange(spare_, spare_->next_spare);
  }
  void give(Group& g) { g.next_spare = std::exchange(spare_, &g); }

 private:
  [[gnu::noinline]] void make() {
    all_.push_back(std::make_unique<Group>());
    give(*all_.back());
  }

  std::vector<std::unique_ptr<Group>> all_;
  Group* spare_ = nullptr;
};

}  // namespace heddle::runtime
