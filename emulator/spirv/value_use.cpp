#include <algorithm>
#include <array>
#include <tuple>

#include "emulator/spirv/facts.h"

/// \file
/// Where values go: the part of facts.h that follows them through slots.

namespace heddle::spirv {
namespace {

using Slots = std::vector<bool>;

std::array<Slot, 4> operands(const Command& command) {
  return {command.a, command.b, command.c, command.d};
}

void add(Slot slot, Slots& out) {
  if (slot != kNoSlot) out[slot] = true;
}

/// The slots that a command reads or writes by pointer.
template <typename Each>
void for_each_local(const Code& code, const Reach& reach, Each each) {
  if (reach.pointers.any) {
    for (const LocalRange& range : code.locals)
      for (Slot i = 0; i < range.count; ++i) each(range.first + i);
    return;
  }
  for (const std::uint64_t pointer : reach.pointers.values)
    if (object_of(pointer) == kLocalObject && offset_of(pointer) < code.image.size())
      each(static_cast<Slot>(offset_of(pointer)));
}

bool may_fault(const Computation& c) {
  switch (c.op) {
    case Op::OpUDiv:
    case Op::OpUMod:
    case Op::OpSDiv:
    case Op::OpSRem:
    case Op::OpSMod:
    case Op::OpConvertFToS:
    case Op::OpConvertFToU:
      return true;
    default:
      return false;
  }
}

/// Which slots a command reads, and which it surely writes.
struct Effect {
  std::vector<Slot> uses;
  std::vector<Slot> kills;
};

Effect effect_of(const Code& code, const Command& command, const Reach& reach) {
  Effect out;
  for (const Slot slot : operands(command))
    if (slot != kNoSlot) out.uses.push_back(slot);
  if (command.to != kNoSlot) out.kills.push_back(command.to);
  const auto use = [&out](Slot slot) {
    if (slot != kNoSlot) out.uses.push_back(slot);
  };
  switch (command.act) {
    case Act::Load:
    case Act::Store:
    case Act::Atomic: {
      const AccessInfo& info = code.accesses[command.detail];
      for (const Slot slot : {info.scope, info.semantics, info.unequal, info.comparator}) use(slot);
      if (reads(command, info)) for_each_local(code, reach, use);
      break;
    }
    case Act::Fence:
    case Act::Barrier: {
      const FenceInfo& info = code.fences[command.detail];
      for (const Slot slot : {info.execution, info.scope, info.semantics}) use(slot);
      break;
    }
    case Act::Exchange: {
      const ExchangeInfo& info = code.exchanges[command.detail];
      for (const Slot slot : info.operands) use(slot);
      for (const Slot slot : info.extra) use(slot);
      for (const Slot slot : info.results) out.kills.push_back(slot);
      break;
    }
    default:
      break;
  }
  return out;
}

/// What is live before each command, found block by block from the last to the first.
class Liveness {
 public:
  Liveness(const Code& code, const std::vector<Reach>& reaches)
      : code_(code), reaches_(reaches), live_(code.commands.size()) {}

  void run() {
    for (bool news = true; news;) {
      news = false;
      Slots live(code_.image.size(), false);
      for (std::size_t at = code_.commands.size(); at-- > 0;) {
        if (!reaches_[at].reached) continue;
        live = before(at, std::move(live));
        if (!is_kept(at) || live_[at] == live) continue;
        live_[at] = live;
        news = true;
      }
    }
  }
  const Slots& at(std::uint32_t command) const { return live_[command]; }
  /// Only what jumps go to is remembered.
  void keep(std::set<std::uint32_t> targets) { kept_ = std::move(targets); }

 private:
  bool is_kept(std::size_t at) const { return kept_.count(static_cast<std::uint32_t>(at)) != 0; }
  void merge(std::uint32_t from, Slots& into) const {
    const Slots& more = live_[from];
    for (std::size_t i = 0; i < more.size(); ++i) into[i] = into[i] || more[i];
  }
  Slots before(std::size_t at, Slots live) const {
    const Command& command = code_.commands[at];
    if (command.act == Act::Jump || command.act == Act::Branch || command.act == Act::Finish ||
        command.act == Act::Fault)
      live.assign(code_.image.size(), false);
    if (command.act == Act::Jump) merge(command.target, live);
    if (command.act == Act::Branch) {
      if (reaches_[at].takes) merge(command.target, live);
      if (reaches_[at].passes) merge(command.otherwise, live);
    }
    const Effect effect = effect_of(code_, command, reaches_[at]);
    for (const Slot slot : effect.kills) live[slot] = false;
    for (const Slot slot : effect.uses) live[slot] = true;
    return live;
  }

  const Code& code_;
  const std::vector<Reach>& reaches_;
  std::set<std::uint32_t> kept_;
  std::vector<Slots> live_;
};

/// Whether a byte of what a command writes is watched.
bool writes_to(const Dispatch& dispatch, const Reach& reach, std::uint32_t bytes,
               const std::vector<std::vector<bool>>& watched) {
  if (reach.pointers.any) return true;
  for (const std::uint64_t pointer : reach.pointers.values) {
    const std::uint64_t object = object_of(pointer);
    if (object >= dispatch.objects().size()) continue;
    for (std::uint64_t i = offset_of(pointer); i < offset_of(pointer) + bytes && i < watched[object].size(); ++i)
      if (watched[object][i]) return true;
  }
  return false;
}

/// Adds the slots from which those in `out` are computed.
void add_sources(const Code& code, const std::vector<Reach>& reaches, Slots& out) {
  for (bool news = true; news;) {
    const Slots before = out;
    for (std::size_t at = 0; at < code.commands.size(); ++at) {
      const Command& command = code.commands[at];
      if (!reaches[at].reached) continue;
      const bool computes = command.act == Act::Compute || command.act == Act::Move || command.act == Act::Index;
      if (computes && out[command.to])
        for (const Slot slot : operands(command)) add(slot, out);
      if (command.act == Act::Load && out[command.to])
        for_each_local(code, reaches[at], [&](Slot slot) { add(slot, out); });
      if (command.act == Act::Store) {
        bool matters = false;
        for_each_local(code, reaches[at], [&](Slot slot) { matters = matters || out[slot]; });
        if (matters) add(command.b, out);
      }
    }
    news = out != before;
  }
}

/// Whether some way leads from the command back to it.
bool is_in_a_loop(const Code& code, std::size_t at) {
  for (std::size_t from = at; from < code.commands.size(); ++from) {
    const Command& command = code.commands[from];
    if (command.act == Act::Jump && command.target <= at) return true;
    if (command.act == Act::Branch && (command.target <= at || command.otherwise <= at)) return true;
  }
  return false;
}

std::set<std::uint32_t> jump_targets(const Code& code) {
  std::set<std::uint32_t> out;
  for (const Command& command : code.commands) {
    if (command.act == Act::Jump || command.act == Act::Branch) out.insert(command.target);
    if (command.act == Act::Branch) out.insert(command.otherwise);
  }
  return out;
}

}  // namespace

std::vector<std::vector<Slot>> live_before(const Code& code, const std::vector<Reach>& reaches,
                                           const std::set<std::uint32_t>& commands) {
  std::set<std::uint32_t> kept = jump_targets(code);
  kept.insert(commands.begin(), commands.end());
  Liveness liveness(code, reaches);
  liveness.keep(std::move(kept));
  liveness.run();
  std::vector<std::vector<Slot>> out(code.commands.size());
  for (const std::uint32_t command : commands) {
    const Slots& live = liveness.at(command);
    for (Slot slot = 0; slot < live.size(); ++slot)
      if (live[slot]) out[command].push_back(slot);
  }
  return out;
}

std::vector<std::vector<Slot>> live_at_headers(const Code& code, const std::vector<Reach>& reaches) {
  std::vector<std::vector<Slot>> out(code.loops.size());
  if (code.loops.empty()) return out;
  std::set<std::uint32_t> targets = jump_targets(code);
  for (const LoopInfo& loop : code.loops) targets.insert(loop.header);
  Liveness liveness(code, reaches);
  liveness.keep(std::move(targets));
  liveness.run();
  // What nobody writes does not change.
  Slots written(code.image.size(), false);
  for (std::size_t at = 0; at < code.commands.size(); ++at) {
    const Command& command = code.commands[at];
    if (!reaches[at].reached) continue;
    add(command.to, written);
    if (command.act == Act::Exchange)
      for (const Slot slot : code.exchanges[command.detail].results) add(slot, written);
    if (command.act == Act::Store || command.act == Act::Atomic)
      for_each_local(code, reaches[at], [&](Slot slot) { add(slot, written); });
  }
  for (std::size_t loop = 0; loop < out.size(); ++loop) {
    const Slots& live = liveness.at(code.loops[loop].header);
    for (Slot slot = 0; slot < live.size(); ++slot)
      if (live[slot] && written[slot]) out[loop].push_back(slot);
  }
  return out;
}

std::vector<explore::ValueUse> value_uses(const Dispatch& dispatch, const std::vector<Reach>& reaches,
                                          const Watched& watched) {
  const Code& code = dispatch.code();
  Slots decide(code.image.size(), false);
  Slots shown(code.image.size(), false);
  for (std::size_t at = 0; at < code.commands.size(); ++at) {
    const Command& command = code.commands[at];
    if (!reaches[at].reached || command.act == Act::Move) continue;
    if (command.act == Act::Compute && !may_fault(command.computation)) continue;
    Effect effect = effect_of(code, command, reaches[at]);
    if (command.act == Act::Store) {
      effect.uses = {command.a};
      const std::uint32_t bytes = code.accesses[command.detail].type.bytes();
      if (writes_to(dispatch, reaches[at], bytes, watched.decides)) add(command.b, decide);
      if (writes_to(dispatch, reaches[at], bytes, watched.shown)) add(command.b, shown);
    }
    if (command.act == Act::Load) effect.uses = {command.a};
    for (const Slot slot : effect.uses) decide[slot] = true;
  }
  add_sources(code, reaches, decide);
  add_sources(code, reaches, shown);
  std::vector<explore::ValueUse> out(code.commands.size(), explore::ValueUse::Decides);
  for (std::size_t at = 0; at < code.commands.size(); ++at) {
    const Command& command = code.commands[at];
    if (command.act != Act::Load || !reaches[at].reached || decide[command.to] || is_in_a_loop(code, at)) continue;
    const bool plain =
        !dispatch.code().glsl450 && !has(code.accesses[command.detail].operands, MemoryOperands::MakePointerVisible);
    out[at] = shown[command.to] || !plain ? explore::ValueUse::Shown : explore::ValueUse::Unused;
  }
  return out;
}

namespace {

/// An atomic that may go to a location, or something else that does.
struct Access {
  std::uint32_t agent = 0;
  Locations locations;
  ReferenceId reference{};
  bool atomic = false;
  bool reads = false;
  std::optional<Scope> scope;
};

bool are_mutually_ordered(const Dispatch& dispatch, const Access& a, const Access& b) {
  if (!a.atomic || !b.atomic || !a.scope || !b.scope || !(a.locations == b.locations) || a.reference != b.reference)
    return false;
  const model::Place& place = dispatch.place(a.agent);
  const model::Place& other = dispatch.place(b.agent);
  return a.agent == b.agent || (same_instance(place, other, *a.scope) && same_instance(place, other, *b.scope));
}

/// All that invocations may access; nothing if that is not known.
std::optional<std::vector<Access>> accesses_of(const Dispatch& dispatch, const std::vector<std::vector<Reach>>& flows) {
  const Code& code = dispatch.code();
  std::vector<Access> all;
  for (std::uint32_t agent = 0; agent < flows.size(); ++agent) {
    for (std::size_t at = 0; at < code.commands.size(); ++at) {
      const Command& command = code.commands[at];
      if (!accesses_memory(dispatch, command, flows[agent][at])) continue;
      if (flows[agent][at].pointers.any) return std::nullopt;
      const AccessInfo& info = code.accesses[command.detail];
      for (const std::uint64_t pointer : flows[agent][at].pointers.values) {
        Access access{agent,
                      locations_at(pointer, info.type.bytes()),
                      reference_of(dispatch, pointer, info),
                      command.act == Act::Atomic,
                      reads(command, info),
                      std::nullopt};
        if (flows[agent][at].scope) access.scope = static_cast<Scope>(*flows[agent][at].scope);
        all.push_back(access);
      }
    }
  }
  return all;
}

/// What is so of all accesses to a location.
struct Sharing {
  bool ordered = true;
  bool unread = true;
};

Sharing sharing_of(const Dispatch& dispatch, const std::vector<Access>& all, const Locations& bytes) {
  Sharing out;
  for (const Access& a : all) {
    if (!a.locations.overlaps(bytes)) continue;
    out.unread = out.unread && !a.reads;
    for (const Access& b : all)
      if (out.ordered && b.locations.overlaps(bytes)) out.ordered = are_mutually_ordered(dispatch, a, b);
  }
  return out;
}

}  // namespace

MutualOrder mutual_order(const Dispatch& dispatch, const std::vector<std::vector<Reach>>& flows) {
  const Code& code = dispatch.code();
  const std::vector<std::vector<bool>> none(flows.size(), std::vector<bool>(code.commands.size(), false));
  MutualOrder out{none, none};
  const std::optional<std::vector<Access>> all = accesses_of(dispatch, flows);
  if (!all) return out;
  std::map<std::tuple<AllocationId, std::uint64_t, std::uint64_t>, Sharing> known;
  for (std::uint32_t agent = 0; agent < flows.size(); ++agent) {
    for (std::size_t at = 0; at < code.commands.size(); ++at) {
      const Command& command = code.commands[at];
      if (!accesses_memory(dispatch, command, flows[agent][at]) || command.act != Act::Atomic) continue;
      Sharing sharing;
      for (const std::uint64_t pointer : flows[agent][at].pointers.values) {
        const Locations bytes = locations_at(pointer, code.accesses[command.detail].type.bytes());
        const auto [entry, fresh] =
            known.try_emplace({bytes.allocation, bytes.offset_bytes, bytes.size_bytes}, Sharing{});
        if (fresh) entry->second = sharing_of(dispatch, *all, bytes);
        sharing.ordered = sharing.ordered && entry->second.ordered;
        sharing.unread = sharing.unread && entry->second.unread;
      }
      out.ordered[agent][at] = sharing.ordered;
      out.unread[agent][at] = sharing.ordered && sharing.unread;
    }
  }
  return out;
}

}  // namespace heddle::spirv
