#pragma once

/// \file
/// What the doors of memories that a race detector listens to have in common.

#include <heddle/detail/access_door.h>

#include <array>
#include <cstring>

#include "emulator/advice/neighbourhood.h"
#include "emulator/race/kernel_detector.h"
#include "emulator/watch/site_callers.h"

namespace heddle::run {
class RecordedAccesses;
}

namespace heddle::watch {

/// The door of accesses that a detector is told of, mostly without a record, by the number of their instruction, the
/// site. What it has no quick answer for it leaves to a door with records.
class DetectedAccesses : public emulation::AccessDoor {
 protected:
  using Agent = emulation::Agent;
  using Binding = emulation::Binding;
  using InstructionCode = emulation::InstructionCode;

  static_assert(kMostBytes == race::kWordBytes);

  /// Both must outlive it.
  DetectedAccesses(race::KernelDetector& detector, run::RecordedAccesses& recorded)
      : detector_(detector), recorded_(recorded) {}
  ~DetectedAccesses() override;
  DetectedAccesses(const DetectedAccesses&) = delete;
  DetectedAccesses& operator=(const DetectedAccesses&) = delete;
  /// Executions whose call stacks `callers` wants are not made the quick way. It must outlive this, and asks nothing of
  /// it behind its end.
  void leave_to(SiteCallers& callers);

  /// A sound access of an instruction with that number, to bytes of which all were written if it reads.
  virtual std::uint32_t read_at(const Agent& agent, const Binding& binding, const Locations& bytes,
                                race::SiteId site) = 0;
  virtual void write_at(const Agent& agent, const Binding& binding, const Locations& bytes, race::SiteId site,
                        std::uint32_t bits) = 0;

  // An access of an instruction that mostly was not known before; from now on it is, if it can be.
  [[gnu::noinline]] std::uint32_t read_newly(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                                             InstructionCode code, const char* file, const char* function);
  [[gnu::noinline]] void write_newly(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                                     InstructionCode code, const char* file, const char* function, std::uint32_t bits);
  // An access of an instruction that is known, of the size of a granule.
  [[gnu::noinline]] std::uint32_t read_granule(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                                               race::SiteId site) {
    return read_known(agent, binding, locations(binding, offset_bytes), site);
  }
  [[gnu::noinline]] void write_granule(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                                       race::SiteId site, std::uint32_t bits) {
    write_known(agent, binding, locations(binding, offset_bytes), site, bits);
  }
  // A read-modify-write that has no quick answer. The instruction is known from now on, if it can be.
  [[gnu::noinline]] std::uint32_t calculate_newly(const Agent& agent, const Binding& binding,
                                                  std::uint64_t offset_bytes, InstructionCode code, const char* file,
                                                  const char* function, emulation::Calculation what);
  [[gnu::noinline]] void update_newly(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                                      InstructionCode code, const char* file, const char* function,
                                      MemorySemantics unequal, emulation::Modify modify, void* context);

  /// The site of a sound access, if it was learnt lately; else kNoSite.
  [[gnu::always_inline]] race::SiteId sound_site(const Binding& binding, std::uint64_t offset_bytes,
                                                 InstructionCode code, const char* file, const char* function) const {
    const race::SiteId site = learnt_site(binding.storage_class, code, file, function);
    return emulation::is_sound(binding, offset_bytes, code.size_bytes()) ? site : race::kNoSite;
  }
  /// The site of an instruction that was learnt, sound or not.
  [[gnu::always_inline]] race::SiteId learnt_site(StorageClass storage_class, InstructionCode code, const char* file,
                                                  const char* function) const {
    const Instruction& known = known_[place(storage_class, code)];
    return known.is(storage_class, code, file, function) ? known.site : race::kNoSite;
  }
  /// The site of an instruction on a granule that KernelDetector::answers_word may be asked of, sound or not.
  [[gnu::always_inline]] race::SiteId granule_site(StorageClass storage_class, InstructionCode code, const char* file,
                                                   const char* function) const {
    const Instruction& known = known_[place(storage_class, code)];
    return known.is(storage_class, code, file, function) ? known.of_granule : race::kNoSite;
  }
  [[gnu::always_inline]] static bool is_sound(const Binding& binding, std::uint64_t offset_bytes) {
    return emulation::is_sound(binding, offset_bytes, kMostBytes);
  }
  /// A plain access to a granule of Workgroup memory.
  struct alignas(64) OfWorkgroup {
    InstructionCode code;
    const char* file = nullptr;
    const char* function = nullptr;
    race::QuickSite site;
  };
  /// What is known of the instruction that `granule_site` finds; null if there is none.
  [[gnu::always_inline]] const OfWorkgroup* of_workgroup(InstructionCode code, const char* file,
                                                         const char* function) const {
    const OfWorkgroup& known = of_workgroup_[code.hash() % kKnown];
    return known.code == code && known.file == file && known.function == function ? &known : nullptr;
  }
  /// Whether a granule has been written if it was accessed.
  [[gnu::always_inline]] static bool is_whole(const Binding& binding) {
    return !binding.allocation->initialized.has_gaps();
  }
  /// What is to be asked of the first access to a granule. (Before the others `is_whole` is.)
  template <OperationKind kind>
  [[gnu::always_inline]] static auto may_be_first(const Binding& binding, std::uint64_t offset_bytes) {
    return [&binding, offset_bytes] {
      return kind == OperationKind::Write || emulation::is_initialized(binding, offset_bytes, kMostBytes);
    };
  }
  [[gnu::always_inline]] static Locations locations(const Binding& binding, std::uint64_t offset_bytes,
                                                    std::uint32_t size_bytes = kMostBytes) {
    return {binding.allocation->id, binding.offset_bytes + offset_bytes, size_bytes};
  }
  /// From the start of a binding that begins at a granule: where the granule does in which bytes of it begin.
  static std::uint64_t granule_in(const Binding& binding, const Locations& bytes) {
    return (bytes.offset_bytes - binding.offset_bytes) / race::kWordBytes * race::kWordBytes;
  }
  /// Where the bytes are.
  [[gnu::always_inline]] static std::byte* storage(const Binding& binding, const Locations& bytes) {
    return binding.allocation->bytes + bytes.offset_bytes;
  }
  /// The operation of an instruction with that number.
  Operation record(const Agent& agent, const Binding& binding, const Locations& bytes, race::SiteId site) const;

  race::KernelDetector& detector_;

 private:
  struct Instruction {
    const char* file = nullptr;
    const char* function = nullptr;
    InstructionCode code;
    StorageClass storage_class{};
    race::SiteId site = race::kNoSite;
    /// The site for accesses to a whole granule, or none: see granule_site.
    race::SiteId of_granule = race::kNoSite;

    [[gnu::always_inline]] bool is(StorageClass on, InstructionCode c, const char* in_file,
                                   const char* in_function) const {
      return code == c && file == in_file && function == in_function && storage_class == on;
    }
  };
  static constexpr std::size_t kKnown = 256;

  static std::size_t place(StorageClass storage_class, InstructionCode code) {
    return (code.hash() + static_cast<std::uint32_t>(storage_class) * 8) % kKnown;
  }
  /// From now on it knows the instruction, if it can.
  void learn(const Binding& binding, InstructionCode code, const char* file, const char* function);
  // An access of an instruction that is known: to sound bytes, or with a record for it to be said what is wrong.
  std::uint32_t read_known(const Agent& agent, const Binding& binding, const Locations& bytes, race::SiteId site) {
    if (are_sound(binding, bytes) && are_initialized(binding, bytes)) [[likely]]
      return read_at(agent, binding, bytes, site);
    return read_recorded(agent, binding, bytes, site);
  }
  void write_known(const Agent& agent, const Binding& binding, const Locations& bytes, race::SiteId site,
                   std::uint32_t bits) {
    if (are_sound(binding, bytes)) [[likely]]
      return write_at(agent, binding, bytes, site, bits);
    write_recorded(agent, binding, bytes, site, bits);
  }
  [[gnu::cold]] std::uint32_t read_recorded(const Agent& agent, const Binding& binding, const Locations& bytes,
                                            race::SiteId site);
  [[gnu::cold]] void write_recorded(const Agent& agent, const Binding& binding, const Locations& bytes,
                                    race::SiteId site, std::uint32_t bits);
  [[gnu::always_inline]] static bool are_sound(const Binding& binding, const Locations& bytes) {
    return emulation::is_sound(binding, bytes.offset_bytes - binding.offset_bytes, bytes.size_bytes);
  }
  [[gnu::always_inline]] static bool are_initialized(const Binding& binding, const Locations& bytes) {
    return emulation::is_initialized(binding, bytes.offset_bytes - binding.offset_bytes, bytes.size_bytes);
  }
  race::SiteId look_up(const Binding& binding, InstructionCode code, const char* file, const char* function);
  void unlearn(race::SiteId site);

  run::RecordedAccesses& recorded_;
  /// Null where nothing wants call stacks.
  SiteCallers* callers_ = nullptr;

  std::array<Instruction, kKnown> known_;
  std::array<OfWorkgroup, kKnown> of_workgroup_;
};

/// The bytes of a granule before and after an update; false if there is none.
inline bool update_granule(const std::byte* bytes, emulation::Modify modify, void* context,
                           advice::AccessValues& values) {
  std::uint32_t old = 0;
  std::uint32_t fresh = 0;
  std::memcpy(&old, bytes, race::kWordBytes);
  if (!modify(context, &old, &fresh)) return false;
  values = {old, fresh};
  return true;
}

}  // namespace heddle::watch
