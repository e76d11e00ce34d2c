#include "emulator/run/course.h"

#include <catch2/catch.hpp>

#include <array>
#include <string>
#include <vector>

#include "emulator/memory/sequential.h"
#include "emulator/run/access_faults.h"
#include "emulator/run/recorded_accesses.h"

namespace heddle::run {
namespace {

/// Writes down when it is asked.
struct WritingDriver {
  std::vector<std::string>& said;

  void before_read() const { said.emplace_back("before read"); }
  void after_read(const void*) const { said.emplace_back("after read"); }
  void before_write(const void*) const { said.emplace_back("before write"); }
  void after_write() const { said.emplace_back("after write"); }
  void before_update() const { said.emplace_back("before update"); }
  void after_update() const { said.emplace_back("after update"); }
  void shown_unwritten(trace::Value, std::uint64_t) const { said.emplace_back("unwritten"); }
};

Operation access(OperationKind kind, std::uint64_t offset_bytes, std::uint32_t size_bytes) {
  Operation operation;
  operation.kind = kind;
  operation.locations = {AllocationId{}, offset_bytes, size_bytes};
  return operation;
}

/// The records that it makes, and no memory.
class Records final : public RecordedAccesses {
 public:
  using RecordedAccesses::read;
  using RecordedAccesses::update;
  using RecordedAccesses::write;

  void read(const emulation::Agent&, const emulation::Access& made, void* value) override {
    accesses.push_back(made);
    *static_cast<std::uint32_t*>(value) = 7;
  }
  void write(const emulation::Agent&, const emulation::Access& made, const void*) override { accesses.push_back(made); }
  void update(const emulation::Agent&, const emulation::Access& made, MemorySemantics, emulation::Modify modify,
              void* context) override {
    accesses.push_back(made);
    const std::uint32_t old = 40;
    modify(context, &old, &fresh);
  }

  std::vector<emulation::Access> accesses;
  std::uint32_t fresh = 0;
};

}  // namespace

TEST_CASE("an access is cut where eight bytes end, and its driver is asked once before and once after") {
  const std::vector<std::vector<Locations>> expected = {
      {{AllocationId{}, 4, 4}},
      {{AllocationId{}, 8, 8}},
      {{AllocationId{}, 6, 2}, {AllocationId{}, 8, 8}, {AllocationId{}, 16, 2}},
  };
  const std::vector<Operation> operations = {access(OperationKind::Read, 4, 4), access(OperationKind::Read, 8, 8),
                                             access(OperationKind::Read, 6, 12)};
  for (std::size_t i = 0; i < operations.size(); ++i) {
    std::vector<Locations> pieces;
    for_each_piece(operations[i], [&](const Operation& piece, std::uint64_t at) {
      CHECK(at == piece.locations.offset_bytes - operations[i].locations.offset_bytes);
      pieces.push_back(piece.locations);
    });
    CHECK(pieces == expected[i]);
  }
}

TEST_CASE("what is written across the end of eight bytes is read back, between what the driver says") {
  memory::SequentialMemory memory;
  std::array<std::byte, 24> bytes{};
  memory.add(AllocationId{}, bytes);
  memory.begin(memory::Cohort{{}, 1, {}, {}});
  std::vector<std::string> said;
  const WritingDriver driver{said};
  const std::array<std::uint32_t, 3> written = {1, 2, 3};
  std::array<std::uint32_t, 3> value{};
  write(memory, access(OperationKind::Write, 6, sizeof written), written.data(), driver);
  read(memory, access(OperationKind::Read, 6, sizeof value), value.data(), driver);
  CHECK(value == written);
  CHECK(said == std::vector<std::string>{"before write", "after write", "before read", "after read"});
}

TEST_CASE("an access to freed memory that is out of bounds and misaligned is told to be freed, then out of bounds") {
  CheckedAccess wrong{.freed = true, .aligned = false, .offset_bytes = 12, .size_bytes = 8, .object_bytes = 16};
  const AccessWords words{"element 3", "StorageBuffer 'x'", 8};
  CHECK(fault_of(wrong) == FindingKind::UseAfterFree);
  CHECK(fault_text(*fault_of(wrong), wrong, words) == "element 3 of StorageBuffer 'x', which was freed");
  wrong.freed = false;
  CHECK(fault_of(wrong) == FindingKind::OutOfBounds);
  CHECK(fault_text(*fault_of(wrong), wrong, words) == "bytes 12 to 19 of StorageBuffer 'x', which has 16 bytes");
  wrong.object_bytes = 20;
  CHECK(fault_of(wrong) == FindingKind::Misaligned);
  CHECK(fault_text(*fault_of(wrong), wrong, words) == "byte 12 of StorageBuffer 'x' is not at a multiple of 8 bytes");
  wrong.aligned = true;
  CHECK(!fault_of(wrong));
}

TEST_CASE("an offset that wraps when the size is added to it is out of bounds") {
  const CheckedAccess wrong{.offset_bytes = ~std::uint64_t{3}, .size_bytes = 8, .object_bytes = 16};
  CHECK(fault_of(wrong) == FindingKind::OutOfBounds);
}

TEST_CASE("an access of a kernel becomes an operation without a device, and where no fibers are") {
  detail::Allocation allocation;
  allocation.id = AllocationId{5};
  allocation.size_bytes = 64;
  emulation::Binding binding(allocation, ReferenceId{3}, StorageClass::StorageBuffer);
  binding.offset_bytes = 16;
  emulation::Agent agent;
  agent.id = AgentId{9};
  Records records;
  const auto code = emulation::InstructionCode::plain(OperationKind::Read, 4, 77, {});
  CHECK(records.read(agent, binding, 8, code, "file.cpp", "kernel") == 7);
  const auto add = emulation::InstructionCode::atomic(OperationKind::ReadModifyWrite, 4, 78, Scope::Device,
                                                      MemorySemantics::Relaxed);
  CHECK(records.calculate(agent, binding, 12, add, "file.cpp", "kernel", {emulation::Arithmetic::Add, 2}) == 40);
  CHECK(records.fresh == 42);
  REQUIRE(records.accesses.size() == 2);
  const Operation& read = records.accesses[0].operation;
  CHECK(read.agent == agent.id);
  CHECK(read.reference == binding.reference);
  CHECK(read.locations == Locations{allocation.id, 24, 4});
  CHECK(read.where.line == 77);
  CHECK(!read.atomic);
  const Operation& update = records.accesses[1].operation;
  CHECK(update.kind == OperationKind::ReadModifyWrite);
  CHECK(update.atomic);
  CHECK(update.scope == Scope::Device);
}

}  // namespace heddle::run
