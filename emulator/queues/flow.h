#pragma once

/// \file
/// What the machine holds of a write as it goes from one operation of the API to the next. It knows nothing of the
/// detector's answers (Order::missing), and the two are held against each other by tests.

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "emulator/queues/order.h"

namespace heddle::queues {

/// Carries a write along what directly follows what: each operation passes on what it was handed, and adds what its
/// own scopes do to it.
class Flow {
 public:
  explicit Flow(const Order& order) : order_(order) {}

  /// Whether the later access, which begins now, must not be shown anything older than the write, if it reads, or must
  /// not be overtaken by it, if it writes.
  bool arrives(const Access& write, const Access& later);

 private:
  /// How far the write has come where a node hands it on.
  struct Load {
    bool happened = false;
    bool in_device = false;
    bool in_host = false;
    bool seen = false;
    /// Families that have the contents, and those to which they are under way, a bit for each.
    std::uint64_t families = 0;
    std::map<std::uint32_t, std::uint64_t> under_way = {};

    void join(const Load& other);
  };
  using Key = std::tuple<NodeId, NodeId, unsigned, unsigned, ReferenceId, ReferenceId, AllocationId, std::size_t>;

  std::vector<NodeId> way(NodeId write, NodeId later) const;
  Load carried(const Access& write, const Access& later) const;
  void pass(NodeId at, const Access& write, const Access& later, Load& load) const;
  static void pass_ownership(const model::OwnershipTransfer& half, const Access& later, Load& load);
  bool has_arrived(const Access& write, const Access& later, const Load& load) const;

  const Order& order_;
  std::map<Key, bool> known_;
  /// How many ranges there were when they were found.
  std::size_t ranges_ = 0;
};

}  // namespace heddle::queues
