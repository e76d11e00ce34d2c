#include <catch2/catch.hpp>

#include "emulator/race/kernel_detector.h"

using namespace heddle;
using namespace heddle::race;

namespace {

constexpr std::uint32_t kGroup = 256;

/// Tells a detector what workgroups of 256 invocations do.
class Teller {
 public:
  explicit Teller(KernelDetector& detector) : detector_(detector) {}

  void group_begins(std::uint32_t group) {
    group_ = group;
    for (std::uint32_t i = 0; i < kGroup; ++i) {
      model::Place place;
      place.workgroup = group;
      place.subgroup = i / 32;
      detector_.agent_begins(agent(i), place);
    }
  }
  void group_ends() {
    for (std::uint32_t i = 0; i < kGroup; ++i) detector_.agent_ends(agent(i));
  }
  /// An access to an element of an array of its own: allocation and reference have one number.
  void access(std::uint32_t invocation, OperationKind kind, StorageClass storage_class, std::uint32_t array,
              std::uint64_t element, std::uint32_t size_bytes, std::uint32_t line) {
    Operation op;
    op.agent = agent(invocation);
    op.kind = kind;
    op.storage_class = storage_class;
    op.reference = static_cast<ReferenceId>(array);
    op.locations = {static_cast<AllocationId>(array), element * size_bytes, size_bytes};
    if (storage_class == StorageClass::Workgroup) {
      const bool writes = kind == OperationKind::Write;
      op.operands = MemoryOperands::NonPrivatePointer |
                    (writes ? MemoryOperands::MakePointerAvailable : MemoryOperands::MakePointerVisible);
      (writes ? op.available_scope : op.visible_scope) = Scope::Workgroup;
    }
    op.where.line = line;
    tell(op);
  }
  void barrier() {
    Operation op;
    op.kind = OperationKind::ControlBarrier;
    op.scope = op.execution_scope = Scope::Workgroup;
    op.semantics = MemorySemantics::AcquireRelease | MemorySemantics::WorkgroupMemory | MemorySemantics::MakeAvailable |
                   MemorySemantics::MakeVisible;
    op.barrier_instance = ++barriers_;
    const model::OperationIndex first = told_;
    for (std::uint32_t i = 0; i < kGroup; ++i) {
      op.agent = agent(i);
      tell(op);
    }
    for (std::uint32_t i = 0; i < kGroup; ++i) detector_.passes(first + i, {});
  }

 private:
  AgentId agent(std::uint32_t i) const { return static_cast<AgentId>(group_ * kGroup + i); }
  void tell(const Operation& op) { detector_.operation(told_++, op, 0, 0, {}); }

  KernelDetector& detector_;
  std::uint32_t group_ = 0;
  std::uint64_t barriers_ = 0;
  model::OperationIndex told_ = 0;
};

/// Only what is compressed counts: of the first accesses everything is kept.
KernelOptions compressed() {
  KernelOptions options;
  options.exact_accesses = 0;
  return options;
}

constexpr auto kRead = OperationKind::Read;
constexpr auto kWrite = OperationKind::Write;
constexpr auto kBuffer = StorageClass::StorageBuffer;

}  // namespace

TEST_CASE("elements of four bytes that invocations read and write take five bytes of shadow a byte") {
  KernelDetector detector(compressed());
  Teller teller(detector);
  const std::uint32_t groups = 16;
  for (std::uint32_t g = 0; g < groups; ++g) {
    teller.group_begins(g);
    for (std::uint32_t i = 0; i < kGroup; ++i) {
      teller.access(i, kRead, kBuffer, 0, g * kGroup + i, 4, 1);
      teller.access(i, kRead, kBuffer, 1, g * kGroup + i, 4, 2);
      teller.access(i, kWrite, kBuffer, 1, g * kGroup + i, 4, 3);
    }
    teller.group_ends();
  }
  CHECK(detector.races().empty());
  CHECK(detector.shadow_bytes() <= 5 * 2 * 4 * groups * kGroup);
}

TEST_CASE("bytes and halves that neighbours read take no more") {
  KernelDetector detector(compressed());
  Teller teller(detector);
  const std::uint32_t groups = 16;
  for (std::uint32_t g = 0; g < groups; ++g) {
    teller.group_begins(g);
    for (std::uint32_t i = 0; i < kGroup; ++i) {
      teller.access(i, kRead, kBuffer, 0, g * kGroup + i, 1, 1);
      teller.access(i, kRead, kBuffer, 1, g * kGroup + i, 2, 2);
    }
    teller.group_ends();
  }
  CHECK(detector.shadow_bytes() <= 5 * 3 * groups * kGroup);
}

TEST_CASE("a byte that one invocation wrote and its neighbour reads is found in a shared cell") {
  KernelDetector detector(compressed());
  Teller teller(detector);
  teller.group_begins(0);
  for (std::uint32_t i = 0; i < 4; ++i) teller.access(i, kWrite, kBuffer, 0, i, 1, 1);
  CHECK(detector.races().empty());
  teller.access(1, kRead, kBuffer, 0, 1, 1, 2);
  CHECK(detector.races().empty());
  teller.access(1, kRead, kBuffer, 0, 2, 1, 2);
  REQUIRE(detector.races().size() == 1);
  CHECK(detector.races()[0].first_agent == AgentId{2});
  CHECK(detector.races()[0].bytes.offset_bytes == 2);
  CHECK(detector.races()[0].bytes.size_bytes == 1);
}

TEST_CASE("Workgroup memory of finished workgroups takes no shadow, however many there are") {
  std::size_t after_two = 0;
  KernelDetector detector(compressed());
  Teller teller(detector);
  for (std::uint32_t g = 0; g < 64; ++g) {
    teller.group_begins(g);
    for (std::uint32_t i = 0; i < kGroup; ++i) teller.access(i, kWrite, StorageClass::Workgroup, g, i, 4, 1);
    teller.barrier();
    for (std::uint32_t i = 0; i < kGroup; ++i)
      for (std::uint32_t of = 0; of < 16; ++of)
        teller.access(i, kRead, StorageClass::Workgroup, g, i / 16 * 16 + of, 4, 2);
    teller.barrier();
    for (std::uint32_t i = 0; i < kGroup; ++i)
      teller.access(i, kWrite, StorageClass::Workgroup, g, kGroup - 1 - i, 4, 3);
    teller.group_ends();
    if (g == 1) after_two = detector.shadow_bytes();
  }
  CHECK(detector.races().empty());
  CHECK(detector.shadow_bytes() == after_two);
  CHECK(after_two <= 5 * 4 * kGroup);
}

// The pair of the test above: the second barrier is missing.
TEST_CASE("of sixteen that read an element and one that writes it without a barrier one pair is found") {
  KernelDetector detector(compressed());
  Teller teller(detector);
  teller.group_begins(0);
  for (std::uint32_t i = 0; i < kGroup; ++i) teller.access(i, kWrite, StorageClass::Workgroup, 0, i, 4, 1);
  teller.barrier();
  for (std::uint32_t i = 0; i < kGroup; ++i)
    for (std::uint32_t of = 0; of < 16; ++of)
      teller.access(i, kRead, StorageClass::Workgroup, 0, i / 16 * 16 + of, 4, 2);
  teller.access(3, kWrite, StorageClass::Workgroup, 0, 3, 4, 3);
  REQUIRE(detector.races().size() == 1);
  CHECK(detector.site(detector.races()[0].first).operation.where.line == 2);
  CHECK(detector.races()[0].second_agent == AgentId{3});
}

TEST_CASE("cells stand side by side where a shadow keeps them so, in whatever order they are asked for") {
  Shadow shadow(1000);
  for (int round = 0; round < 2; ++round) {
    Shadow::Allocation& asked = shadow.allocation(AllocationId{3});
    CHECK(asked.cells_from(10).empty());
    Cell& late = shadow.cell(asked, 900);
    Cell& early = shadow.cell(asked, 10);
    // In the second round they are cells that somebody had.
    CHECK(late.is_empty());
    CHECK(early.is_empty());
    late = early = Cell::accesses({0, {}, SiteId{1}});
    const std::span<Cell> cells = asked.cells_from(10);
    REQUIRE(cells.size() > 890);
    CHECK(&cells[0] == &early);
    CHECK(&cells[890] == &late);
    CHECK(cells[500].is_empty());
    shadow.forget_all();
  }
  Shadow apart;
  Shadow::Allocation& other = apart.allocation(AllocationId{3});
  apart.cell(other, 900);
  CHECK(other.cells_from(10).empty());
  apart.cell(other, 10);
  CHECK(other.cells_from(10).size() <= 246);
}
