#include "emulator/run/checks.h"

#include <catch2/catch.hpp>

#include "emulator/run/instruction_table.h"

namespace heddle::run {
namespace {

/// A buffer of 12 bytes, and a variable of two workgroups of one invocation each.
struct CheckedProgram {
  Setting setting{Objects(2)};
  explore::Program program;
  InstructionTable table;
  ObjectId buffer = setting.objects.add({"buffer", StorageClass::StorageBuffer, 12, 4, false, true});
  ObjectId tile = setting.objects.add({"tile", StorageClass::Workgroup, 8, 4, true, false});

  CheckedProgram() {
    trace::Dispatch dispatch;
    dispatch.groups = {2, 1, 1};
    dispatch.local = {1, 1, 1};
    add_dispatch(program, setting, dispatch, [](const Invocation&) { return nullptr; });
  }
  Operation access(OperationKind kind, ObjectId object, std::uint64_t offset_bytes, std::uint32_t size_bytes,
                   std::uint32_t workgroup = 0) {
    Operation operation;
    operation.kind = kind;
    operation.agent = static_cast<AgentId>(workgroup);
    operation.locations = setting.objects.bytes(object, workgroup, offset_bytes, size_bytes);
    operation.where = table.where(table.add("access", "file", static_cast<std::uint32_t>(offset_bytes)));
    return operation;
  }
};

}  // namespace

TEST_CASE("the checks of a run let no access out of its object, however it overflows") {
  CheckedProgram of;
  Checks checks(of.setting, of.table);
  checks.restart();
  CHECK(checks.allows(of.access(OperationKind::Write, of.buffer, 8, 4)));
  CHECK(checks.findings().empty());
  for (const std::uint64_t offset : {std::uint64_t{12}, ~std::uint64_t{3}, std::uint64_t{1} << 40}) {
    CHECK(!checks.allows(of.access(OperationKind::Read, of.buffer, offset, 4)));
    CHECK(checks.findings().back().kind == FindingKind::OutOfBounds);
  }
  CHECK(checks.findings().size() == 3);
}

TEST_CASE("the checks of a run ask for alignment to the size, and that other sizes lie in eight bytes") {
  CheckedProgram of;
  Checks checks(of.setting, of.table);
  checks.restart();
  CHECK(checks.allows(of.access(OperationKind::Write, of.buffer, 2, 2)));
  CHECK(checks.allows(of.access(OperationKind::Write, of.buffer, 4, 3)));
  CHECK(!checks.allows(of.access(OperationKind::Write, of.buffer, 2, 4)));
  CHECK(checks.findings().back().kind == FindingKind::Misaligned);
  CHECK(checks.findings().back().message == "byte 2 of StorageBuffer 'buffer' is not at a multiple of 4 bytes");
  CHECK(!checks.allows(of.access(OperationKind::Write, of.buffer, 6, 3)));
  CHECK(checks.findings().size() == 2);
}

TEST_CASE("the checks of a run refuse an access to what was freed, and let it be again in the next run") {
  CheckedProgram of;
  Checks checks(of.setting, of.table);
  checks.restart();
  const Operation read = of.access(OperationKind::Read, of.buffer, 4, 4);
  CHECK(checks.allows(read));
  checks.frees(read.locations.allocation);
  CHECK(!checks.allows(read));
  CHECK(checks.findings().back().kind == FindingKind::UseAfterFree);
  CHECK(checks.findings().back().message == "element 1 of StorageBuffer 'buffer', which was freed");
  checks.restart();
  CHECK(checks.findings().empty());
  CHECK(checks.allows(read));
}

TEST_CASE("the checks of a run know Workgroup memory from the begin of its workgroup to its end") {
  CheckedProgram of;
  Checks checks(of.setting, of.table);
  checks.restart();
  const Operation write = of.access(OperationKind::Write, of.tile, 0, 4, 1);
  checks.begins(0);
  CHECK(!checks.allows(write));
  checks.begins(1);
  CHECK(checks.allows(write));
  checks.writes(write);
  checks.ends(1);
  CHECK(!checks.allows(write));
  CHECK(checks.findings().size() == 2);
}

TEST_CASE("the checks of a run count each byte that was never written, and tell of an instruction once") {
  CheckedProgram of;
  Checks checks(of.setting, of.table);
  checks.restart();
  checks.begins(0);
  checks.writes(of.access(OperationKind::Write, of.tile, 4, 2));
  checks.reads(of.access(OperationKind::Read, of.tile, 4, 2));
  CHECK(checks.findings().empty());
  for (int time = 0; time < 3; ++time) checks.reads(of.access(OperationKind::Read, of.tile, 4, 4));
  REQUIRE(checks.findings().size() == 1);
  CHECK(checks.findings()[0].message.rfind("byte 2 of element 1 of Workgroup 'tile' was never written", 0) == 0);
  CHECK(checks.findings()[0].object == "tile");
}

TEST_CASE("an instruction of a table has one number and one place, and others have others") {
  InstructionTable table;
  const InstructionId first = table.add("load", "a", 1);
  CHECK(table.add(std::string("lo") + "ad", std::string("a"), 1) == first);
  CHECK(table.count() == 1);
  for (const InstructionId other : {table.add("store", "a", 1), table.add("load", "b", 1), table.add("load", "a", 2)})
    CHECK(other != first);
  CHECK(table.count() == 4);
  CHECK(table.where(first).function == table.where(table.add("load", "b", 7)).function);
}

}  // namespace heddle::run
