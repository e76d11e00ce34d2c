// What the host does to memory: accesses of maps, flushes, invalidations, the end of memory.

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "emulator/queues/emulated.h"
#include "emulator/queues/step_trace.h"
#include "emulator/queues/trouble.h"
#include "runtime/text/readable.h"

namespace heddle::queues {

using model::Accesses;
using model::Stages;

void EmulatedEngine::add(const std::shared_ptr<detail::MemoryState>& memory) {
  Domains::Memory& made = domains_.add(memory->owner);
  made.host_visible = memory->host_visible;
  made.coherent = memory->coherent;
  made.exclusive = !memory->concurrent;
}

void EmulatedEngine::maps(const detail::MemoryState& memory, const char* call, const SourceLocation& where) {
  const auto told = trace_->host_calls(where, [&] { return words_of(call, memory, memory.map_begin, memory.map_end); });
}

namespace {

/// Throws KernelError where nobody has written an element that a thread of the host reads.
void check_written(const detail::Allocation& of, std::uint64_t offset, std::uint64_t size, const SourceLocation& where,
                   std::uint32_t thread) {
  for (std::uint64_t at = offset; at < offset + size; ++at)
    if (of.initialized.has_at_once(at, 1)) return;
  Finding finding;
  finding.kind = FindingKind::UninitializedRead;
  finding.object = of.name;
  finding.index = offset / size;
  finding.message = fmt::format("element {} of '{}' has never been written", offset / size, text::readable(of.name));
  finding.where = where;
  finding.invocation = Coordinates::of_host_thread(thread);
  throw KernelError(std::move(finding));
}

}  // namespace

Domains::Memory& EmulatedEngine::memory_of(const detail::Owner& owner) {
  return domains_.add(owner);
}

Access EmulatedEngine::access_by_host(const Domains::Memory& memory, bool writes) const {
  Access access;
  access.node = order_.host();
  access.stage = Stages::Host;
  access.kind = writes ? Accesses::HostWrite : Accesses::HostRead;
  access.allocation = memory.owner->id;
  access.on_host = true;
  access.coherent = memory.coherent;
  access.exclusive = memory.exclusive;
  access.writes = writes;
  return access;
}

Access EmulatedEngine::access_by(NodeId node, const Domains::Memory& memory, ReferenceId reference, Accesses kind,
                                 bool writes) const {
  Access access;
  access.node = node;
  access.stage = order_[node].command.stage;
  access.kind = kind;
  access.reference = reference;
  access.allocation = memory.owner->id;
  access.coherent = memory.coherent;
  access.exclusive = memory.exclusive;
  access.writes = writes;
  return access;
}

void EmulatedEngine::hear(const Access& access, std::uint64_t offset, std::uint64_t size, const char* call,
                          const SourceLocation& where) {
  Heard heard;
  heard.access = access;
  heard.call = call;
  heard.where = where;
  heard.host_step = trace_->host_step();
  for (std::uint64_t at = offset; at < offset + size;) {
    const std::uint64_t word = at / kWordBytes;
    const std::uint64_t end = std::min(offset + size, (word + 1) * kWordBytes);
    heard.access.offset = word * kWordBytes;
    heard.bytes = static_cast<std::uint8_t>((0xfu >> (kWordBytes - (end - at))) << at % kWordBytes);
    finder_.hear(heard);
    at = end;
  }
}

void EmulatedEngine::read(detail::MemoryState& memory, std::uint64_t offset, std::span<std::byte> to,
                          const SourceLocation& where) {
  if (!begin_call(where)) return;
  check_map(memory, offset, to.size(), "read");
  step();
  Domains::Memory& from = memory_of(memory.owner);
  // An element that a command is still to write is read too early, which is a race.
  if (threads_ && open_.empty() && under_way_.empty())
    check_written(*from.owner, offset, to.size(), where, order_.host_thread());
  const Access reads = access_by_host(from, false);
  hear(reads, offset, to.size(), "host read", where);
  if (from.coherent) {
    domains_.load(from, offset, to, reads);
  } else {
    const Access writes = access_by_host(from, true);
    for (std::uint64_t at = 0; at < to.size(); ++at) to[at] = domains_.read_cached(from, offset + at, reads, writes);
  }
  trace_->host_accessed(from, offset, to, false, where);
  tell_races();
}

void EmulatedEngine::write(detail::MemoryState& memory, std::uint64_t offset, std::span<const std::byte> from,
                           const SourceLocation& where) {
  if (!begin_call(where)) return;
  check_map(memory, offset, from.size(), "write");
  step();
  Domains::Memory& to = memory_of(memory.owner);
  const Access writes = access_by_host(to, true);
  hear(writes, offset, from.size(), "host write", where);
  if (to.coherent) {
    domains_.store(to, offset, from, writes);
  } else {
    for (std::uint64_t at = 0; at < from.size(); ++at) {
      Domains::Atom& atom = domains_.atom(to, offset + at, access_by_host(to, false));
      atom.bytes[(offset + at) % domains_.atom_bytes()] = from[at];
      atom.dirty[(offset + at) % domains_.atom_bytes()] = true;
      atom.written_back[(offset + at) % domains_.atom_bytes()] = false;
    }
    // The bytes have been written, though others may not see that yet.
    to.owner->initialized.mark(offset, from.size());
  }
  trace_->host_accessed(to, offset, from, true, where);
  tell_races();
}

/// An atom that is in the cache, of which the bytes from `begin` to `end` are flushed by name.
void EmulatedEngine::write_back_atom(Domains::Memory& memory, std::uint64_t number, std::uint64_t begin,
                                     std::uint64_t end, const SourceLocation& where) {
  const std::uint64_t first = number * domains_.atom_bytes();
  const std::uint64_t size = std::min(domains_.atom_bytes(), memory.owner->size_bytes - first);
  const auto found = memory.atoms.find(number);
  const Access writes = access_by_host(memory, true);
  for (std::uint64_t at = 0; at < size; at += kWordBytes) {
    const std::uint64_t count = std::min(kWordBytes, size - at);
    const bool is_named = first + at >= begin && first + at < end;
    bool is_dirty = false;
    for (std::uint64_t i = at; found != memory.atoms.end() && i < at + count; ++i)
      is_dirty = is_dirty || found->second.holds_back(i);
    if (!is_named) {
      hear(access_by_host(memory, false), first + at, count, "flush, of its atom: host read", where);
      hear(writes, first + at, count, "flush, of its atom: host write", where);
    }
    if (found != memory.atoms.end() && (is_dirty || !is_named))
      domains_.store(memory, first + at, std::span(found->second.bytes).subspan(at, count), writes);
  }
  if (found != memory.atoms.end()) std::fill(found->second.dirty.begin(), found->second.dirty.end(), false);
}

//= vk:memory-model-vulkan-availability-visibility
void EmulatedEngine::flush(detail::MemoryState& memory, std::uint64_t offset, std::uint64_t size,
                           const SourceLocation& where) {
  if (!begin_call(where)) return;
  Domains::Memory& of = memory_of(memory.owner);
  if (of.coherent || size == 0) return;
  const auto told = trace_->host_calls(where, [&] { return words_of("flush", memory, offset, offset + size); });
  const std::uint64_t atom = domains_.atom_bytes();
  const std::uint64_t last = (offset + size - 1) / atom;
  for (std::uint64_t number = offset / atom; number <= last; ++number)
    write_back_atom(of, number, offset, offset + size, where);
  Node node;
  node.kind = NodeKind::Flush;
  node.call = "flush";
  node.where = where;
  node.bytes = {of.owner->id, offset / atom * atom, 0};
  node.bytes_end = (last + 1) * atom;
  trace_->is_node(order_.host_calls(std::move(node)));
  tell_races();
}

//= vk:memory-model-vulkan-availability-visibility
void EmulatedEngine::invalidate(detail::MemoryState& memory, std::uint64_t offset, std::uint64_t size,
                                const SourceLocation& where) {
  if (!begin_call(where)) return;
  step();
  Domains::Memory& of = memory_of(memory.owner);
  if (of.coherent || size == 0) return;
  const auto told = trace_->host_calls(where, [&] { return words_of("invalidate", memory, offset, offset + size); });
  const std::uint64_t atom = domains_.atom_bytes();
  const std::uint64_t last = (offset + size - 1) / atom;
  for (std::uint64_t number = offset / atom; number <= last; ++number) {
    const auto found = of.atoms.find(number);
    if (found == of.atoms.end()) continue;
    for (std::uint64_t at = 0; at < found->second.dirty.size(); ++at) {
      if (!found->second.dirty[at]) continue;
      Heard heard;
      heard.access = access_by_host(of, true);
      heard.access.offset = (number * atom + at) / kWordBytes * kWordBytes;
      heard.where = where;
      heard.host_step = trace_->host_step();
      heard.call = "invalidate";
      finder_.invalidates(heard);
    }
    of.atoms.erase(found);
  }
  Node node;
  node.kind = NodeKind::Invalidate;
  node.call = "invalidate";
  node.where = where;
  node.bytes = {of.owner->id, offset / atom * atom, 0};
  node.bytes_end = (last + 1) * atom;
  trace_->is_node(order_.host_calls(std::move(node)));
  tell_races();
}

//= vk:memory-model-deallocation
void EmulatedEngine::free(detail::MemoryState& memory, const SourceLocation& where) {
  if (!begin_call(where)) return;
  step();
  Domains::Memory& of = memory_of(memory.owner);
  const auto told = trace_->host_calls(where, [&] { return words_of("free", memory, 0, of.owner->size_bytes); });
  Node node;
  node.kind = NodeKind::Free;
  node.call = "free";
  node.where = where;
  Heard heard;
  heard.access = access_by_host(of, true);
  heard.access.node = order_.host_calls(std::move(node));
  trace_->is_node(heard.access.node);
  heard.where = where;
  heard.host_step = trace_->host_step();
  heard.call = "free";
  finder_.ends(heard);
  of.freed = true;
  of.freed_by = heard.access.node;
  memory.freed = true;
  memory.mapped = false;
  tell_races();
}

}  // namespace heddle::queues
