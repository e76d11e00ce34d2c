// What the machine remembers of the copies that workgroups keep: no more than the workgroups that are here have.

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>

#include "emulator/memory/machine.h"

using namespace heddle;

namespace {

constexpr std::uint32_t kResident = 3;
constexpr std::uint32_t kWords = 4;

/// Workgroups that come and go, one after the other, and access the same words.
class Workgroups {
 public:
  explicit Workgroups(std::string_view policy) : machine_(memory_policy(policy), choice_) {
    machine_.add(AllocationId{0}, std::as_writable_bytes(std::span(words_)));
  }

  /// The oldest ends if as many as may be are here.
  void begin() {
    if (begun_ >= kResident) machine_.end(cohort(begun_ - kResident));
    machine_.begin(cohort(begun_++));
    for (std::uint32_t word = 0; word < kWords; ++word) {
      access(OperationKind::Write, word);
      access(OperationKind::Read, word);
    }
  }
  void end_all() {
    for (std::uint32_t left = std::min(begun_, kResident); left != 0; --left) machine_.end(cohort(begun_ - left));
  }
  void depend() { machine_.depend(memory::Dependency::Memory); }
  std::size_t remembered() const { return machine_.remembered_copies(); }

 private:
  static memory::Cohort cohort(std::uint32_t number) {
    memory::Cohort made{static_cast<AgentId>(number), 1, {}, {}};
    made.place.workgroup = number;
    return made;
  }
  void access(OperationKind kind, std::uint32_t word) {
    Operation operation;
    operation.kind = kind;
    operation.agent = static_cast<AgentId>(begun_ - 1);
    operation.storage_class = StorageClass::StorageBuffer;
    operation.locations = {AllocationId{0}, word * sizeof(std::uint64_t), sizeof(std::uint64_t)};
    operation.operands = MemoryOperands::NonPrivatePointer;
    std::uint64_t value = begun_;
    if (kind == OperationKind::Write) {
      machine_.write(operation, &value);
    } else {
      machine_.read(operation, &value);
    }
  }

  std::array<std::uint64_t, kWords> words_{};
  SeededChoice choice_{1};
  memory::Machine machine_;
  std::uint32_t begun_ = 0;
};

}  // namespace

TEST_CASE("what is remembered of copies does not grow with the workgroups that have been, and ends with them") {
  for (const char* policy : {"write-back", "incoherent-l1"}) {
    INFO(policy);
    Workgroups groups(policy);
    // For each word there are at most twice as many copies as workgroups can be here, and for each of those one count.
    constexpr std::size_t kMost = kWords * 2 * (kResident + 1) + kResident;
    std::size_t most = 0;
    for (int i = 0; i < 1000; ++i) {
      groups.begin();
      most = std::max(most, groups.remembered());
    }
    CHECK(most > 0);
    CHECK(most <= kMost);
    groups.end_all();
    groups.depend();
    CHECK(groups.remembered() == 0);
  }
}
