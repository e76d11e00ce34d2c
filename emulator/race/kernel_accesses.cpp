// Cells that have their accesses themselves: one or two, a write and two reads, the parts of a word.

#include "emulator/race/kernel_detector_quick.h"

namespace heddle::race {

// What an access in a cell means to this one.
[[gnu::always_inline]] inline KernelDetector::Before KernelDetector::before(const Cell& cell, std::size_t slot,
                                                                            const Access& now) const {
  const Relation relation = this->relation(cell.site(slot), now);
  const AccessTime time = cell.time(slot);
  const bool same_reference = time.reference() == now.time.reference();
  const bool mine = cell.agent(slot) == now.agent && same_reference;
  if (mine && (relation & kReplaced) != 0) return Before::Replaced;
  const bool same_group = mine || order_.group(cell.agent(slot)) == now.group;
  if (same_group && (same_reference || (relation & kWrote) == 0) &&
      time.stamp() <= now.settled->by(settled_by(relation)))
    return Before::Settled;
  if (mine) return Before::Mine;
  if ((relation & kConflicts) != 0) return Before::Unordered;
  const bool alike = same_reference && (relation & kReadsAlike) != 0 && ((relation & kInGroup) == 0 || same_group);
  return alike ? Before::ReadsAlike : Before::Reads;
}

// The answers that nearly all accesses get: no agent accessed it, I did, everybody of my workgroup did what
// they did before a barrier, or others read it as I do. What is in a cell stands in the order in which it
// was told.
bool KernelDetector::at_once(Cell& cell, const Access& now) {
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

// What a cell says of links that were forgotten is that they were of its one storage class.
bool KernelDetector::put_over_second(Cell& cell, bool was_link, const Access& now) {
  if (was_link) {
    const Classes storage = now.instruction->storage;
    if (sites_[cell.site(0)].storage != storage || sites_[cell.site(1)].storage != storage) return false;
    cell.lose_links();
  }
  cell.put(1, now);
  return true;
}

// Whether a chain from the first to others may go by the second.
bool KernelDetector::is_link_of_read(const Cell& cell) const {
  return sites_[cell.site(0)].writes && sites_[cell.site(1)].own_visibility != kOwn;
}

bool KernelDetector::write_over(Cell& cell, Before first, Before second, const Access& now) {
  if (second == Before::Mine) return false;
  if (first == Before::Mine) return put_over_second(cell, sites_[cell.site(1)].is_link(), now);
  cell.put_alone(now);
  return true;
}

// Two of many who read alike are enough: an agent that writes without an order to all of them races with one of
// the two, unless other ways than barriers of the workgroup order just these.
bool KernelDetector::read_beside(Cell& cell, Before first, Before second, const Access& now) {
  if (second == Before::Replaced) return put_over_second(cell, is_link_of_read(cell), now);
  const bool second_writes = sites_[cell.site(1)].writes;
  if (first == Before::Settled && !second_writes && (relation(cell.site(0), now) & kStandsFor) == 0) {
    if (second == Before::Settled) return put_over_second(cell, is_link_of_read(cell), now);
    return make_two_reads(cell, now);
  }
  if (first == Before::Replaced || first == Before::Settled) {
    cell.put_last(now);
    return true;
  }
  if (second == Before::Settled && !second_writes) return put_over_second(cell, is_link_of_read(cell), now);
  return first == Before::ReadsAlike && second == Before::ReadsAlike;
}

// Besides a write that came before a barrier of the workgroup: an agent that reads elsewhere races with that alone.
bool KernelDetector::make_two_reads(Cell& cell, const Access& now) {
  // Links of chains, which the write may go on by, are remembered as long as may be.
  return !now.instruction->is_link() && cell.site(1) == now.site && cell.time(1) == now.time &&
         order_.group(cell.agent(1)) == now.group && cell.make_two_reads(now.agent);
}

bool KernelDetector::at_two_reads(Cell& cell, const Access& now) {
  const Before first = before(cell, 0, now);
  if ((first != Before::Settled && first != Before::Replaced) ||
      cell.time_of_reads().reference() != now.time.reference() || order_.group(cell.agent(0)) != now.group)
    return false;
  const SiteId site = cell.site_of_reads();
  const bool settled = is_settled(site, cell.time_of_reads().stamp(), now);
  if (now.instruction->writes) {
    if (settled) cell.put_alone(now);
    return settled;
  }
  // Two of many who read alike are enough.
  if (site == now.site && cell.time_of_reads() == now.time) return true;
  if (settled) cell.put(1, now);
  return settled;
}

// Neighbours who access neighbouring bytes with one instruction, as in arrays of small elements.
bool KernelDetector::join_parts(Cell& cell, const Now& now) {
  const Record& r = now.record;
  const auto size = static_cast<std::uint8_t>(r.last - r.first);
  if (size != now.operation->locations.size_bytes || r.first % size != 0 || kWordBytes % size != 0) return false;
  return cell.join_part(now, r.first / size);
}

}  // namespace heddle::race
