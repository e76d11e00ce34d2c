#include "emulator/queues/domains.h"

#include <algorithm>
#include <cstring>

namespace heddle::queues {
namespace {

/// So many values of a word are kept.
constexpr std::size_t kMostVersions = 4;
/// One in so many times a write that should be over takes effect behind the one that follows it.
constexpr std::uint32_t kOvertakenOneIn = 3;
constexpr std::uint32_t kStaleOneIn = 2;

std::uint32_t merged(std::uint32_t old, std::uint32_t fresh, std::uint8_t bytes) {
  std::uint32_t mask = 0;
  for (unsigned i = 0; i < kWordBytes; ++i)
    if ((bytes >> i & 1) != 0) mask |= std::uint32_t{0xff} << 8 * i;
  return (old & ~mask) | (fresh & mask);
}

Access at_word(Access access, std::uint64_t word) {
  access.offset = word * kWordBytes;
  return access;
}

/// Calls with_word(word, bytes, first byte of the word, place in the range, count) for each word of the range.
template <typename Do>
void for_each_word(std::uint64_t offset, std::uint64_t size, Do with_word) {
  for (std::uint64_t at = 0; at < size;) {
    const std::uint64_t in_word = (offset + at) % kWordBytes;
    const std::uint64_t count = std::min(kWordBytes - in_word, size - at);
    with_word((offset + at) / kWordBytes, in_word, at, count);
    at += count;
  }
}

}  // namespace

Domains::Memory& Domains::add(const detail::Owner& owner) {
  Memory& made = memories_[owner->id];
  if (!made.owner) made.owner = owner;
  return made;
}

Domains::Memory* Domains::find(AllocationId allocation) {
  const auto found = memories_.find(allocation);
  return found == memories_.end() ? nullptr : &found->second;
}

std::uint32_t Domains::word_in(const Memory& memory, std::uint64_t word) {
  std::uint32_t out = 0;
  const std::uint64_t begin = word * kWordBytes;
  std::memcpy(&out, memory.owner->bytes + begin, std::min(kWordBytes, memory.owner->size_bytes - begin));
  return out;
}

void Domains::set_word(Memory& memory, std::uint64_t word, std::uint32_t value) {
  const std::uint64_t begin = word * kWordBytes;
  std::memcpy(memory.owner->bytes + begin, &value, std::min(kWordBytes, memory.owner->size_bytes - begin));
}

bool Domains::decides(NodeId earlier, NodeId later, std::uint32_t one_in, unsigned matter) {
  const auto [at, fresh] = decided_.try_emplace({earlier, later, matter}, false);
  if (fresh) at->second = choice_.below(one_in, ChoicePoint::Memory) == 1;
  return at->second;
}

/// A reader that is behind a known one needs no note: what comes behind it comes behind the known one, too.
void Domains::note_seen(Version& version, NodeId reader) const {
  if (!was_seen_before(version, reader)) version.seen_by.push_back(reader);
}

bool Domains::was_seen_before(const Version& version, NodeId reader) const {
  return std::any_of(version.seen_by.begin(), version.seen_by.end(),
                     [&](NodeId one) { return one == reader || order_.happens_before(one, reader); });
}

bool Domains::is_published(NodeId writer) const {
  return std::any_of(published_.begin(), published_.end(),
                     [&](NodeId one) { return one == writer || order_.happens_before(writer, one); });
}

void Domains::note_read(const Presented& presented, std::uint64_t word, NodeId reader) {
  const auto found = presented.memory->words.find(word);
  if (found == presented.memory->words.end()) return;
  const auto older = presented.older.find(word);
  note_seen(older == presented.older.end() ? found->second.back() : found->second[older->second], reader);
}

void Domains::note_read_of_own(Memory& memory, std::uint64_t word, NodeId reader) {
  const auto found = memory.words.find(word);
  if (found == memory.words.end()) return;
  for (Version& version : found->second)
    if (version.writer.node == reader) note_seen(version, reader);
}

/// From the newest one back to the last that all readers must know of.
std::size_t Domains::seen(const std::vector<Version>& versions, std::uint64_t word,
                          const std::vector<Access>& readers) {
  std::size_t at = versions.size() - 1;
  for (; at > 0; --at) {
    const Access& writer = versions[at].writer;
    if (writer.node == kNoNode || writer.atomic || was_seen_before(versions[at], readers.front().node)) break;
    if (is_published(writer.node)) break;
    const auto must_know = [&](const Access& reader) {
      return flow_.arrives(at_word(writer, word), at_word(reader, word));
    };
    if (std::any_of(readers.begin(), readers.end(), must_know)) break;
    if (!decides(writer.node, readers.front().node, kStaleOneIn, 0)) break;
  }
  return at;
}

void Domains::load(Memory& memory, std::uint64_t offset, std::span<std::byte> to, Access reader) {
  const std::vector<Access> readers{reader};
  for_each_word(offset, to.size(), [&](std::uint64_t word, std::uint64_t in, std::uint64_t at, std::uint64_t count) {
    const auto found = memory.words.find(word);
    const std::uint32_t newest = word_in(memory, word);
    const bool is_kept = found != memory.words.end() && found->second.back().value == newest;
    std::uint32_t value = newest;
    if (is_kept) {
      Version& version = found->second[seen(found->second, word, readers)];
      note_seen(version, reader.node);
      value = version.value;
    }
    std::memcpy(&to[at], reinterpret_cast<const std::byte*>(&value) + in, count);
  });
}

void Domains::put(Memory& memory, std::uint64_t word, std::uint32_t before, std::uint32_t value, Access writer) {
  ++writes_;
  std::vector<Version>& versions = memory.words[word];
  // Somebody wrote past the order: a plain dispatch, Buffer::write, an access by address.
  if (!versions.empty() && versions.back().value != before) versions.clear();
  if (versions.empty()) versions.push_back({{}, before});
  writer.offset = word * kWordBytes;
  const Version& last = versions.back();
  if (last.writer.node == writer.node) {
    versions.back().value = value;
  } else if (last.writer.node != kNoNode && !last.writer.atomic && !writer.atomic &&
             !flow_.arrives(at_word(last.writer, word), writer) &&
             decides(last.writer.node, writer.node, kOvertakenOneIn, 1)) {
    versions.insert(versions.end() - 1, {writer, value});
  } else {
    versions.push_back({writer, value});
  }
  if (versions.size() > kMostVersions) versions.erase(versions.begin());
  set_word(memory, word, versions.back().value);
}

void Domains::store(Memory& memory, std::uint64_t offset, std::span<const std::byte> from, Access writer) {
  for_each_word(offset, from.size(), [&](std::uint64_t word, std::uint64_t in, std::uint64_t at, std::uint64_t count) {
    const std::uint32_t before = word_in(memory, word);
    std::uint32_t value = before;
    std::memcpy(reinterpret_cast<std::byte*>(&value) + in, &from[at], count);
    put(memory, word, before, value, writer);
  });
  memory.owner->initialized.mark(offset, from.size());
}

Domains::Presented Domains::present(Memory& memory, const std::vector<Access>& readers) {
  Presented out;
  out.memory = &memory;
  const std::byte* const bytes = memory.owner->bytes;
  out.newest.assign(bytes, bytes + memory.owner->size_bytes);
  for (const auto& [word, versions] : memory.words) {
    if (versions.back().value != word_in(memory, word)) continue;
    const std::size_t at = seen(versions, word, readers);
    if (versions[at].value == versions.back().value) continue;
    out.older.emplace(word, at);
    set_word(memory, word, versions[at].value);
  }
  return out;
}

namespace {

std::uint32_t newest_of(const Domains::Presented& presented, std::uint64_t word) {
  std::uint32_t out = 0;
  const std::uint64_t begin = word * kWordBytes;
  std::memcpy(&out, &presented.newest[begin], std::min(kWordBytes, presented.newest.size() - begin));
  return out;
}

}  // namespace

void Domains::take(const Presented& presented, std::uint64_t word, std::uint8_t bytes, const Access& writer) {
  const std::uint32_t before = newest_of(presented, word);
  put(*presented.memory, word, before, merged(before, word_in(*presented.memory, word), bytes), writer);
}

std::uint8_t Domains::changed(const Presented& presented, std::uint64_t word) {
  const auto older = presented.older.find(word);
  const std::uint32_t before = older == presented.older.end() ? newest_of(presented, word)
                                                              : presented.memory->words.at(word)[older->second].value;
  const std::uint32_t differs = before ^ word_in(*presented.memory, word);
  std::uint8_t out = 0;
  for (unsigned i = 0; i < kWordBytes; ++i)
    if ((differs >> 8 * i & 0xff) != 0) out = static_cast<std::uint8_t>(out | 1u << i);
  return out;
}

void Domains::restore(const Presented& presented, const std::unordered_set<std::uint64_t>& written) {
  for (const auto& [word, at] : presented.older)
    if (written.count(word) == 0) set_word(*presented.memory, word, newest_of(presented, word));
}

/// A word of the host's cache is read again if something in front of the reader was given a newer value than the
/// cache has.
void Domains::renew(Memory& memory, Atom& atom, std::uint64_t word, const Access& reader) {
  const auto found = memory.words.find(word);
  if (found == memory.words.end()) return;
  const std::uint64_t in_atom = word * kWordBytes % atom_bytes_;
  const std::uint64_t size = std::min(kWordBytes, atom.bytes.size() - in_atom);
  std::uint32_t cached = 0;
  std::memcpy(&cached, &atom.bytes[in_atom], size);
  const std::vector<Version>& versions = found->second;
  const auto newest = std::find_if(versions.rbegin(), versions.rend(),
                                   [&](const Version& one) { return was_seen_before(one, reader.node); });
  if (newest == versions.rend()) return;
  if (std::any_of(versions.rbegin(), newest + 1, [&](const Version& one) { return one.value == cached; })) return;
  for (std::uint64_t i = in_atom; i < in_atom + size; ++i)
    if (atom.holds_back(i)) return;
  load(memory, word * kWordBytes, std::span(atom.bytes).subspan(in_atom, size), reader);
}

Domains::Atom& Domains::atom(Memory& memory, std::uint64_t offset, const Access& reader) {
  const std::uint64_t number = offset / atom_bytes_;
  const auto [at, fresh] = memory.atoms.try_emplace(number);
  if (fresh) {
    const std::uint64_t begin = number * atom_bytes_;
    const std::uint64_t size = std::min(atom_bytes_, memory.owner->size_bytes - begin);
    at->second.bytes.resize(size);
    at->second.dirty.resize(size);
    at->second.written_back.resize(size);
    load(memory, begin, at->second.bytes, reader);
  } else {
    renew(memory, at->second, offset / kWordBytes, reader);
  }
  return at->second;
}

//= vk:memory-model-acyclicity
std::byte Domains::read_cached(Memory& memory, std::uint64_t offset, const Access& reader, const Access& writer) {
  Atom& cached = atom(memory, offset, reader);
  const std::uint64_t at = offset % atom_bytes_;
  if (cached.holds_back(at)) {
    store(memory, offset, std::span(cached.bytes).subspan(at, 1), writer);
    note_read_of_own(memory, offset / kWordBytes, reader.node);
    cached.written_back[at] = true;
  }
  return cached.bytes[at];
}

}  // namespace heddle::queues
