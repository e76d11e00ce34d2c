#pragma once

/// \file
/// An access that a kernel detector is being told, and what older accesses to its word are to it.

#include "emulator/race/kernel_order.h"
#include "emulator/race/shadow.h"
#include "emulator/race/site_relation.h"

namespace heddle::race {

/// A new access, with what the answers for it need at hand. It is good until the order hears of another operation.
struct NewAccess : CellAccess {
  /// By an agent, at a site of these; `number` is the one that the allocation gives to the reference.
  NewAccess(const KernelOrder& all_order, const KernelSites& all_sites, AgentId by, std::uint8_t number, SiteId at)
      : order(&all_order),
        sites(&all_sites),
        instruction(&all_sites[at]),
        group(all_order.group(static_cast<std::uint32_t>(by))),
        settled(&all_order.settled(group, instruction->class_number)),
        stamp(all_order.now(group)) {
    agent = static_cast<std::uint32_t>(by);
    site = at;
    time = AccessTime::of(stamp, number);
  }

  /// Whether the other agent is of the same workgroup.
  bool is_near(std::uint32_t other) const { return order->group(other) == group; }
  /// What an older access at a site means to this one.
  Relation relation(SiteId older) const { return sites->relation(older, site); }
  /// Whether barriers that the whole workgroup reached order the older access, of this workgroup, before this one.
  bool is_settled(SiteId older, Stamp older_stamp) const {
    return older_stamp <= settled->by(settled_by(relation(older)));
  }
  /// Whether, besides, an agent that races with the older access races with this one.
  bool is_followed(SiteId older, Stamp older_stamp) const {
    return (relation(older) & kStandsFor) != 0 && is_settled(older, older_stamp);
  }

  const KernelOrder* order;
  const KernelSites* sites;
  const Site* instruction;
  GroupId group;
  const Settled* settled;
  /// The stamp of the access in full: `time` holds kMostStamps at most.
  Stamp stamp;
};

/// A new access as one of the words that it is to gets it.
struct WordAccess : NewAccess {
  explicit WordAccess(const NewAccess& access) : NewAccess(access) {
    record.agent = agent;
    record.stamp = stamp;
    record.site = site;
    record.reference = time.reference();
  }
  bool is_whole() const { return record.last - record.first == kWordBytes; }

  /// What is remembered of it: its bytes are those in this word.
  Record record;
  model::OperationIndex index = 0;
  /// Null where nobody asks for it: in the quick answer for atomics.
  const Operation* operation = nullptr;
  std::uint64_t word = 0;
};

}  // namespace heddle::race
