// Cells that have their accesses themselves: one or two, a write and two reads, the parts of a word.

#include "emulator/race/kernel_accesses.h"

namespace heddle::race {
namespace {

enum class Before : std::uint8_t {
  /// The older access is in the way of a quick answer.
  Unordered,
  /// Ordered by program order; the new one says all that it says, or not.
  Replaced,
  Mine,
  /// Ordered by a barrier that the whole workgroup reached.
  Settled,
  /// Both only read, in the same way or not.
  ReadsAlike,
  Reads,
};

// What an access in a cell means to this one.
[[gnu::always_inline]] inline Before before(const Cell& cell, std::size_t slot, const NewAccess& now) {
  const Relation relation = now.relation(cell.site(slot));
  const AccessTime time = cell.time(slot);
  const bool same_reference = time.reference() == now.time.reference();
  const bool mine = cell.agent(slot) == now.agent && same_reference;
  if (mine && (relation & kReplaced) != 0) return Before::Replaced;
  const bool same_group = mine || now.is_near(cell.agent(slot));
  if (same_group && (same_reference || (relation & kWrote) == 0) &&
      time.stamp() <= now.settled->by(settled_by(relation)))
    return Before::Settled;
  if (mine) return Before::Mine;
  if ((relation & kConflicts) != 0) return Before::Unordered;
  const bool alike = same_reference && (relation & kReadsAlike) != 0 && ((relation & kInGroup) == 0 || same_group);
  return alike ? Before::ReadsAlike : Before::Reads;
}

// What a cell says of links that were forgotten is that they were of its one storage class.
bool put_over_second(Cell& cell, bool was_link, const NewAccess& now) {
  if (was_link) {
    const KernelSites& sites = *now.sites;
    const Classes storage = now.instruction->storage;
    if (sites[cell.site(0)].storage != storage || sites[cell.site(1)].storage != storage) return false;
    cell.lose_links();
  }
  cell.put(1, now);
  return true;
}

// Whether a chain from the first to others may go by the second.
bool is_link_of_read(const Cell& cell, const KernelSites& sites) {
  return sites[cell.site(0)].writes && sites[cell.site(1)].own_visibility != kOwn;
}

bool write_over(Cell& cell, Before first, Before second, const NewAccess& now) {
  if (second == Before::Mine) return false;
  if (first == Before::Mine) return put_over_second(cell, (*now.sites)[cell.site(1)].is_link(), now);
  cell.put_alone(now);
  return true;
}

// Besides a write that came before a barrier of the workgroup: an agent that reads elsewhere races with that alone.
bool make_two_reads(Cell& cell, const NewAccess& now) {
  // Links of chains, which the write may go on by, are remembered as long as may be.
  return !now.instruction->is_link() && cell.site(1) == now.site && cell.time(1) == now.time &&
         now.is_near(cell.agent(1)) && cell.make_two_reads(now.agent);
}

// Two of many who read alike are enough: an agent that writes without an order to all of them races with one of
// the two, unless other ways than barriers of the workgroup order just these.
bool read_beside(Cell& cell, Before first, Before second, const NewAccess& now) {
  const auto put_over_read = [&] { return put_over_second(cell, is_link_of_read(cell, *now.sites), now); };
  if (second == Before::Replaced) return put_over_read();
  const bool second_writes = (*now.sites)[cell.site(1)].writes;
  if (first == Before::Settled && !second_writes && (now.relation(cell.site(0)) & kStandsFor) == 0)
    return second == Before::Settled ? put_over_read() : make_two_reads(cell, now);
  if (first == Before::Replaced || first == Before::Settled) {
    cell.put_last(now);
    return true;
  }
  if (second == Before::Settled && !second_writes) return put_over_read();
  return first == Before::ReadsAlike && second == Before::ReadsAlike;
}

bool at_two_reads(Cell& cell, const NewAccess& now) {
  const Before first = before(cell, 0, now);
  if ((first != Before::Settled && first != Before::Replaced) ||
      cell.time_of_reads().reference() != now.time.reference() || !now.is_near(cell.agent(0)))
    return false;
  const SiteId site = cell.site_of_reads();
  const bool settled = now.is_settled(site, cell.time_of_reads().stamp());
  if (now.instruction->writes) {
    if (settled) cell.put_alone(now);
    return settled;
  }
  // Two of many who read alike are enough.
  if (site == now.site && cell.time_of_reads() == now.time) return true;
  if (settled) cell.put(1, now);
  return settled;
}

}  // namespace

// The answers that nearly all accesses get: no agent accessed it, I did, everybody of my workgroup did what
// they did before a barrier, or others read it as I do. What is in a cell stands in the order in which it
// was told.
bool fits_at_once(Cell& cell, const NewAccess& now) {
  switch (cell.form()) {
    case Cell::Form::Empty:
      cell.put(0, now);
      return true;
    case Cell::Form::Accesses:
      break;
    case Cell::Form::TwoReads:
      return at_two_reads(cell, now);
    default:
      return false;
  }
  const Before first = before(cell, 0, now);
  if (first == Before::Unordered) return false;
  if (!cell.has_second()) {
    cell.put(first == Before::Replaced || (now.instruction->writes && first == Before::Settled) ? 0 : 1, now);
    return true;
  }
  const Before second = before(cell, 1, now);
  if (second == Before::Unordered) return false;
  return now.instruction->writes ? write_over(cell, first, second, now) : read_beside(cell, first, second, now);
}

// What its agent knew is remembered of a link of chains: a cell has atomics of agents who know of no one. It has none
// of instructions whose relations are not at hand.
bool stands_beside(Cell& cell, const NewAccess& now) {
  if (now.site >= SiteRelations::kMost) [[unlikely]]
    return false;
  const SiteFacts& facts = now.sites->at_hand().facts(now.site);
  if (facts.link && !(facts.atomic && now.order->knows_nobody(now.agent, now.group))) return false;
  if (cell.is_empty()) {
    cell.put(0, now);
    return true;
  }
  if (!cell.is_simple() || cell.has_second()) return false;
  const Relation relation = now.relation(cell.site(0));
  if ((relation & kConflicts) != 0 &&
      !(cell.has_reference(0, now.time.reference()) &&
        (cell.agent(0) == now.agent || mutually_ordered(now.order->places(), (*now.sites)[cell.site(0)], cell.agent(0),
                                                        *now.instruction, now.agent))))
    return false;
  cell.put(1, now);
  return true;
}

bool joins_parts(Cell& cell, const WordAccess& now) {
  const Record& r = now.record;
  const auto size = static_cast<std::uint8_t>(r.last - r.first);
  if (size != now.operation->locations.size_bytes || r.first % size != 0 || kWordBytes % size != 0) return false;
  return cell.join_part(now, r.first / size);
}

}  // namespace heddle::race
