#pragma once

/// \file
/// What memory holds for whom: values that some may not see yet, and the host's caches of memory that is not coherent.

#include <heddle/choice.h>
#include <heddle/detail/queue_commands.h>

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "emulator/queues/flow.h"
#include "emulator/queues/races.h"

namespace heddle::queues {

/// Memory as it is for commands and for the host. The storage of an allocation has the newest value of each word; an
/// access to which the order has a missing link may be given an older one, and may be overtaken by the write that it
/// should have replaced: a choice decides.
class Domains {
 public:
  /// An atom of memory that is not coherent, in the host's cache.
  struct Atom {
    std::vector<std::byte> bytes;
    /// By byte: written by the host, and not flushed.
    std::vector<bool> dirty;
    /// By byte that is: the host has read what it wrote, so that memory has it.
    std::vector<bool> written_back;

    /// Whether the cache alone has what the host wrote to the byte.
    bool holds_back(std::uint64_t byte) const { return dirty[byte] && !written_back[byte]; }
  };
  struct Memory {
    detail::Owner owner;
    bool host_visible = false;
    bool coherent = false;
    bool exclusive = false;
    bool freed = false;
    NodeId freed_by = kNoNode;
    struct Version {
      Access writer;
      std::uint32_t value = 0;
      /// The nodes whose accesses were given this version. Accesses behind these are given nothing older.
      std::vector<NodeId> seen_by = {};
    };
    /// By word, oldest first; none of words that are the same for all.
    std::map<std::uint64_t, std::vector<Version>> words;
    std::map<std::uint64_t, Atom> atoms;
  };
  /// What a dispatch finds in the storage of a memory, and what the newest values are.
  struct Presented {
    Memory* memory = nullptr;
    std::vector<std::byte> newest;
    /// Words in which the dispatch finds an older value, each with the place of that version in Memory::words.
    std::map<std::uint64_t, std::size_t> older;
  };

  Domains(const Order& order, Choice& choice, std::uint64_t atom_bytes)
      : order_(order), flow_(order), choice_(choice), atom_bytes_(atom_bytes) {}

  Memory& add(const detail::Owner& owner);
  /// The memory of the allocation; null if none of these is.
  Memory* find(AllocationId allocation);
  const std::map<AllocationId, Memory>& memories() const { return memories_; }
  std::uint64_t atom_bytes() const { return atom_bytes_; }

  /// The bytes from `offset` on as the reader sees them. `reader.offset` is not looked at.
  void load(Memory& memory, std::uint64_t offset, std::span<std::byte> to, Access reader);
  void store(Memory& memory, std::uint64_t offset, std::span<const std::byte> from, Access writer);

  // What a dispatch finds in a memory, and leaves there: in this order.
  /// Before it runs: the storage becomes what these readers see, which are all that the dispatch has.
  Presented present(Memory& memory, const std::vector<Access>& readers);
  /// The dispatch has read the word before it wrote there, if it did.
  void note_read(const Presented& presented, std::uint64_t word, NodeId reader);
  /// The dispatch has read the word behind its own write to it.
  void note_read_of_own(Memory& memory, std::uint64_t word, NodeId reader);
  /// Which bytes of the word are not what was presented.
  static std::uint8_t changed(const Presented& presented, std::uint64_t word);
  /// The command has released something to others: any of them may have acquired it, and what is behind the command
  /// with it.
  void publishes(NodeId command) { published_.insert(command); }
  /// How often memory was written.
  std::uint64_t writes() const { return writes_; }
  /// The dispatch has written the word: these bytes of what the storage holds now are the writer's.
  void take(const Presented& presented, std::uint64_t word, std::uint8_t bytes, const Access& writer);
  /// At the end: words that were presented with an older value, and were not written, have the newest one again.
  void restore(const Presented& presented, const std::unordered_set<std::uint64_t>& written);

  // The host's cache.
  /// The atom with that byte, filled by `reader` if it is not there.
  Atom& atom(Memory& memory, std::uint64_t offset, const Access& reader);
  /// The byte as `reader` finds it in the cache. What it wrote itself it has read then, and so has what is behind it:
  /// the byte gets to memory as a write of `writer`.
  std::byte read_cached(Memory& memory, std::uint64_t offset, const Access& reader, const Access& writer);

 private:
  using Version = Memory::Version;
  static std::uint32_t word_in(const Memory& memory, std::uint64_t word);
  static void set_word(Memory& memory, std::uint64_t word, std::uint32_t value);
  std::size_t seen(const std::vector<Version>& versions, std::uint64_t word, const std::vector<Access>& readers);
  void put(Memory& memory, std::uint64_t word, std::uint32_t before, std::uint32_t value, Access writer);
  /// One answer for all words that are a matter of these two.
  bool decides(NodeId earlier, NodeId later, std::uint32_t one_in, unsigned matter);

  void renew(Memory& memory, Atom& atom, std::uint64_t word, const Access& reader);
  void note_seen(Version& version, NodeId reader) const;
  bool is_published(NodeId writer) const;
  /// Whether the reader, or something in front of it, was given that version.
  bool was_seen_before(const Version& version, NodeId reader) const;

  const Order& order_;
  Flow flow_;
  Choice& choice_;
  const std::uint64_t atom_bytes_;
  std::uint64_t writes_ = 0;
  std::map<AllocationId, Memory> memories_;
  std::map<std::tuple<NodeId, NodeId, unsigned>, bool> decided_;
  std::set<NodeId> published_;
};

}  // namespace heddle::queues
