#include "emulator/litmus/vulkan/parser.h"

#include "emulator/litmus/token.h"

#include <catch2/catch.hpp>
#include <string>

using namespace heddle;
using namespace heddle::litmus;

namespace {

const std::string kHead = "Vulkan T\n{ x=0; y=0; }\n";
const std::string kOne = kHead + " P0@sg 0, wg 0, qf 0 ;\n";
const std::string kTwo = kHead + " P0@sg 0,wg 0, qf 0 | P1@sg 1,wg 0, qf 0 ;\n";

Test parse(const std::string& source) {
  const VulkanParse result = parse_vulkan(source);
  INFO(source);
  for (const Diagnostic& error : result.errors) UNSCOPED_INFO(describe("T", error));
  REQUIRE(result.test);
  REQUIRE(result.errors.empty());
  return *result.test;
}

/// "line:column: message" of the error that the source must have.
std::string error_of(const std::string& source) {
  const VulkanParse result = parse_vulkan(source);
  INFO(source);
  REQUIRE_FALSE(result.test);
  REQUIRE(result.errors.size() == 1);
  const Diagnostic& error = result.errors.front();
  return std::to_string(error.place.line) + ':' + std::to_string(error.place.column) + ": " + error.message;
}

Instruction instruction(const std::string& cell) {
  const Test test = parse(kOne + cell + " ;\n");
  REQUIRE(test.threads[0].code.size() == 1);
  return test.threads[0].code[0];
}

std::string error_in(const std::string& cell) {
  return error_of(kOne + cell + " ;\n");
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the language may be spelled in three ways and no other") {
  for (const std::string language : {"VULKAN", "Vulkan", "vulkan"}) {
    CHECK(parse(language + " N {} P0@sg 0,wg 0,qf 0; ; exists 0==0").name == "N");
  }
  CHECK(error_of("Vulcan N {} P0@sg 0,wg 0,qf 0;") == "1:1: expected 'Vulkan', found 'Vulcan'");
  CHECK(contains(error_of(""), "1:1: the file is empty"));
  CHECK(contains(error_of("\0\0"), "1:1"));
}

TEST_CASE("everything between the language and the first brace is a comment") {
  const Test test = parse(
      "Vulkan MP+rel.acq\n\"a text\nover lines\" \"another | ; ~ \\ ' \xc3\xa9\"\n(* with { inside "
      "*)"
      "\n(* without an end\n{x=0;}\n P0@sg 0,wg 0,qf 0;\n ld.sc0 r0,x;\n");
  CHECK(test.name == "MP+rel.acq");
  CHECK(test.variables.size() == 1);
  CHECK(parse("Vulkan \"only a text\" {} P0@sg 0,wg 0,qf 0; ;").name.empty());
  CHECK(error_of("Vulkan name, but no brace") == "1:26: expected '{' before the declarations, found end of file");
}

TEST_CASE("comments may stand between any two words") {
  const Test test = parse(
      "Vulkan T (* a *) { (* b *) x (* c *) = << d >> 1 ; }\n"
      "P0 (**) @ sg << >> 0 , wg 0 , qf 0 ; (* ; | *) st (* e *) . sc0 x , 1 << | >> ;\n"
      "exists (* f *) (x == 1) (* g *)");
  CHECK(test.variables[0].initial == 1);
  CHECK(test.threads[0].code.size() == 1);
  CHECK(contains(error_of(kOne + "st.sc0 x, 1; (* never closed"), "4:14: comment without an end"));
  CHECK(contains(error_of(kOne + "st.sc0 x, 1; << never closed"), "expected '>>'"));
}

TEST_CASE("line ends, tabs, a byte order mark and a missing last newline change nothing") {
  std::string source = kTwo + " st.sc0 x, 1 | ld.sc0 r0, x ;\nexists (P1:r0 == 1)\n";
  const Test plain = parse(source);
  source.pop_back();
  CHECK(parse(source).observables == plain.observables);
  std::string windows = "\xef\xbb\xbf";
  for (const char c : source) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  CHECK(parse(windows).threads[1].code[0].place == plain.threads[1].code[0].place);
  std::string tabs = source;
  for (char& c : tabs) c = c == ' ' ? '\t' : c;
  CHECK(parse(tabs).threads[1].code.size() == 1);
}

TEST_CASE("a variable starts at its value, a copy of another's, or shares its location") {
  const Test test = parse(
      "Vulkan T { a = 5; b = a; c = &a; d aliases a; e = -3; f = 0x1F; P0:r7 = 4; 0:r8 = -1 }\n"
      "P0@sg 0,wg 0,qf 0; ld.sc0 r7, a; ld.sc0 r8, a;");
  REQUIRE(test.variables.size() == 6);
  const auto& v = test.variables;
  CHECK(v[1].initial == 5);
  CHECK(v[1].location != v[0].location);
  CHECK(v[2].initial == 5);
  CHECK(v[2].location != v[0].location);
  CHECK(v[3].initial == 5);
  CHECK(v[3].location == v[0].location);
  CHECK(v[4].initial == -3);
  CHECK(v[5].initial == 31);
  CHECK(test.locations == 5);
  CHECK(test.threads[0].registers[0].initial == 4);
  CHECK(test.threads[0].registers[1].initial == -1);
}

TEST_CASE("an alias needs a variable that is declared before it") {
  CHECK(error_of("Vulkan T { y aliases x; x=0; } P0@sg 0,wg 0,qf 0; ;") ==
        "1:22: variable 'x' must be declared before its alias");
  CHECK(error_of("Vulkan T { x=0; x aliases x; } P0@sg 0,wg 0,qf 0; ;") == "1:17: variable 'x' is declared twice");
}

TEST_CASE("what is used but not declared starts at 0, with a warning for a variable") {
  const VulkanParse result = parse_vulkan("Vulkan T {} P0@sg 0,wg 0,qf 0; ld.sc0 r0, z; exists z==0");
  REQUIRE(result.test);
  REQUIRE(result.warnings.size() == 1);
  CHECK(result.warnings[0].message == "variable 'z' is not declared: it starts at 0");
  CHECK(result.warnings[0].place == Place{1, 43});
  CHECK_FALSE(result.test->variables[0].declared);
  CHECK(parse_vulkan("Vulkan T {z=0;} P0@sg 0,wg 0,qf 0; ld.sc0 r0, z; exists z==0").warnings.empty());
}

TEST_CASE("a condition on a register that is in no instruction has a warning") {
  const VulkanParse result = parse_vulkan("Vulkan T {z=0;} P0@sg 0,wg 0,qf 0; ld.sc0 r0, z; exists P0:r1==0");
  REQUIRE(result.test);
  REQUIRE(result.warnings.size() == 1);
  CHECK(result.warnings[0].message == "register 'r1' of thread P0 is in no instruction: it is 0");
  CHECK(result.warnings[0].place == Place{1, 60});
  CHECK(parse_vulkan("Vulkan T {z=0;} P0@sg 0,wg 0,qf 0; ld.sc0 r0, z; exists P0:r0==0").warnings.empty());
}

TEST_CASE("declaring the same twice is a warning, declaring it differently an error") {
  CHECK(parse_vulkan("Vulkan T {x=0; x=0;} P0@sg 0,wg 0,qf 0; ;").warnings.size() == 1);
  CHECK(contains(error_of("Vulkan T {x=0; x=1;} P0@sg 0,wg 0,qf 0; ;"), "declared twice"));
  CHECK(parse_vulkan("Vulkan T {P0:r0=1; P0:r0=1;} P0@sg 0,wg 0,qf 0; ;").warnings.size() == 1);
  CHECK(contains(error_of("Vulkan T {P0:r0=0; P0:r0=1;} P0@sg 0,wg 0,qf 0; ;"), "declared twice"));
}

TEST_CASE("a thread's place has three numbers, and two threads cannot have one name") {
  const Test test = parse(kHead + "P0@sg 2,wg 1, qf 0|P1 @ sg 0 , wg 7 , qf 3;;" + "|;");
  CHECK(test.threads.size() == 2);
  CHECK(test.threads[0].subgroup == 2);
  CHECK(test.threads[0].workgroup == 1);
  CHECK(test.threads[1].queue_family == 3);
  CHECK(contains(error_of(kHead + "P0@sg 0,wg 0,qf 0|P0@sg 0,wg 0,qf 0;"), "two threads P0"));
  CHECK(error_of(kHead + "P0@sg 0, wg 0;") == "3:14: expected ',', found ';'");
  CHECK(contains(error_of(kHead + "P0@wg 0, sg 0, qf 0;"), "expected 'sg' in the thread's place"));
}

TEST_CASE("a thread may have a stage and a group of shader calls") {
  const Test test = parse(kHead +
                          "P0@sg 0,wg 0,qf 0, stage tesscontrol | P1@sg 0,wg 0,qf 0, call 3;"
                          " ld.vis.sh.sc0 r0, x | ;");
  CHECK(test.threads[0].stage == model::Stage::TessellationControl);
  CHECK(test.threads[1].stage == model::Stage::Compute);
  CHECK(test.threads[1].shader_call_group == 3);
  CHECK(test.threads[0].code[0].operation.visible_scope == Scope::ShaderCallKHR);
  CHECK(contains(error_of(kHead + "P0@sg 0,wg 0,qf 0, stage left;"), "expected a stage"));
  CHECK(contains(error_of(kHead + "P0@sg 0,wg 0,qf 0, call 0;"), "from 1"));
  CHECK(contains(error_of(kHead + "P0@sg 0,wg 0,qf 0, speed 1;"), "expected 'stage' or 'call'"));
}

TEST_CASE("system synchronization names threads with or without the P") {
  const std::string tail = "P0@sg 0,wg 0,qf 0|P1@sg 0,wg 0,qf 0; | ;";
  const Test test = parse("Vulkan T {x=0;} { ssw 0 1; ssw P1 P0 } " + tail);
  REQUIRE(test.system_synchronization.size() == 2);
  CHECK(test.system_synchronization[0] == std::pair<std::uint32_t, std::uint32_t>(0, 1));
  CHECK(test.system_synchronization[1] == std::pair<std::uint32_t, std::uint32_t>(1, 0));
  CHECK(parse("Vulkan T {x=0;}; {}; " + tail).system_synchronization.empty());
  CHECK(error_of("Vulkan T {} { ssw 0 2; } " + tail) == "1:21: there is no thread '2'");
  CHECK(contains(error_of("Vulkan T {} { ssw 1 1; } " + tail), "with itself"));
}

TEST_CASE("threads may have different lengths, but every row has a cell for every thread") {
  const Test test = parse(kTwo + "st.sc0 x, 1 | ;\n | ;\n | ld.sc0 r0, x ;\nst.sc0 x, 2 | ;\n");
  CHECK(test.threads[0].code.size() == 2);
  CHECK(test.threads[1].code.size() == 1);
  CHECK(parse(kTwo + ";\nst.sc0 x, 1 | ;;\n | ld.sc0 r0, x ;").threads[1].code.size() == 1);
  CHECK(error_of(kTwo + "st.sc0 x, 1 ;") == "4:13: expected '|' (the row has no cell for P1), found ';'");
  CHECK(error_of(kTwo + "st.sc0 x, 1 | | ;") == "4:15: expected ';' (there are 2 threads), found '|'");
  CHECK(error_of(kTwo + "st.sc0 x, 1 | st.sc0 x, 1\nexists 0==0") ==
        "5:1: expected '|' or ';' after an instruction, found 'exists'");
}

TEST_CASE("a private access has neither scope nor flags, a non-private one the flag alone") {
  const Instruction load = instruction("ld.sc0 r0, x");
  CHECK(load.kind == InstructionKind::Load);
  CHECK_FALSE(load.operation.is_non_private());
  CHECK(load.operation.storage_class == StorageClass::StorageBuffer);
  const Instruction store = instruction("st.nonpriv.sc1 x, r3");
  CHECK(store.operation.operands == MemoryOperands::NonPrivatePointer);
  CHECK(store.operation.storage_class == StorageClass::Workgroup);
  CHECK(store.left.is_register);
}

TEST_CASE("per-instruction visibility belongs to loads and availability to stores") {
  const Instruction load = instruction("ld.vis.qf.sc2 r0, x");
  CHECK(load.operation.operands == (MemoryOperands::NonPrivatePointer | MemoryOperands::MakePointerVisible));
  CHECK(load.operation.visible_scope == Scope::QueueFamily);
  CHECK(load.operation.storage_class == StorageClass::Image);
  const Instruction store = instruction("st.av.sg.sc3 x, -2");
  CHECK(store.operation.operands == (MemoryOperands::NonPrivatePointer | MemoryOperands::MakePointerAvailable));
  CHECK(store.operation.available_scope == Scope::Subgroup);
  CHECK(store.operation.storage_class == StorageClass::Output);
  CHECK(store.left.constant == -2);
  CHECK(contains(error_in("ld.av.dv.sc0 r0, x"), "expected a storage class"));
  CHECK(contains(error_in("st.vis.dv.sc0 x, 1"), "expected a storage class"));
}

TEST_CASE("an atomic's semantics are its order, storage classes and flags") {
  const Operation acquire = instruction("ld.atom.acq.wg.sc0.semsc0.semsc1.semvis r0, x").operation;
  CHECK(acquire.atomic);
  CHECK(acquire.scope == Scope::Workgroup);
  CHECK(acquire.semantics == (MemorySemantics::Acquire | MemorySemantics::UniformMemory |
                              MemorySemantics::WorkgroupMemory | MemorySemantics::MakeVisible));
  const Operation release = instruction("st.atom.rel.dv.sc0.semsc2.semav x, 1").operation;
  CHECK(release.semantics ==
        (MemorySemantics::Release | MemorySemantics::ImageMemory | MemorySemantics::MakeAvailable));
  CHECK(instruction("st.atom.dv.sc0 x, 1").operation.semantics == MemorySemantics::Relaxed);
  CHECK(contains(error_in("ld.atom.rel.dv.sc0.semsc0 r0, x"), "expected a scope"));
  CHECK(contains(error_in("st.atom.acq.dv.sc0.semsc0 x, 1"), "expected a scope"));
}

TEST_CASE("a memory order needs storage-class semantics, and they need a memory order") {
  CHECK(contains(error_in("ld.atom.acq.dv.sc0 r0, x"), "expected storage-class semantics"));
  CHECK(contains(error_in("ld.atom.dv.sc0.semsc0 r0, x"), "a relaxed atomic"));
  CHECK(contains(error_in("membar.acq.dv"), "expected storage-class semantics"));
  CHECK(contains(error_in("membar.dv.semsc0"), "expected a memory order"));
  CHECK(contains(error_in("cbar.acq.wg 1"), "expected storage-class semantics"));
  CHECK(contains(error_in("cbar.wg.semsc0 1"), "without a memory order"));
}

TEST_CASE("semav needs a release, semvis an acquire, and semav comes first") {
  CHECK(instruction("membar.acq_rel.dv.semsc0.semav.semvis").kind == InstructionKind::MemoryBarrier);
  CHECK(contains(error_in("membar.acq_rel.dv.semsc0.semvis.semav"), "'semav' before 'semvis'"));
  CHECK(contains(error_in("membar.acq.dv.semsc0.semav"), "it needs a release"));
  CHECK(contains(error_in("membar.rel.dv.semsc0.semvis"), "it needs an acquire"));
  CHECK(contains(error_in("ld.atom.acq.dv.sc0.semsc0.semav r0, x"), "it needs a release"));
}

TEST_CASE("a read-modify-write is an exchange, or combines with its operation") {
  const Instruction exchange = instruction("rmw.atom.wg.sc0 r0, x, 5");
  CHECK(exchange.operation.kind == OperationKind::ReadModifyWrite);
  CHECK_FALSE(exchange.arithmetic);
  CHECK(instruction("rmw.atom.acq_rel.dv.sc0.semsc0.semav.semvis.sub r0, x, r1").arithmetic == Arithmetic::Subtract);
  CHECK(instruction("rmw.atom.wg.sc0.xor r0, x, 5").arithmetic == Arithmetic::Xor);
  CHECK(contains(error_in("rmw.wg.sc0 r0, x, 5"), "every rmw is atomic"));
  CHECK(contains(error_in("rmw.atom.wg.sc0 r0, x"), "expected ',' between operands"));
}

TEST_CASE("control barriers compare their ids as text and may be named, with a quorum") {
  const Instruction plain = instruction("cbar.dv 00");
  CHECK(plain.kind == InstructionKind::ControlBarrier);
  CHECK(plain.barrier.id == "00");
  CHECK_FALSE(plain.barrier.named);
  CHECK(plain.operation.execution_scope == Scope::Workgroup);
  CHECK(plain.operation.scope == Scope::Device);
  const Instruction named = instruction("cbar.acq_rel.wg.semsc0 a, 1");
  CHECK(named.barrier.named);
  CHECK(named.barrier.resource.constant == 1);
  CHECK_FALSE(named.barrier.quorum);
  const Instruction quorum = instruction("cbar.acq_rel.wg.semsc0 a, bar, 2");
  CHECK(quorum.barrier.resource_word == "bar");
  REQUIRE(quorum.barrier.quorum);
  CHECK(quorum.barrier.quorum->constant == 2);
  CHECK(contains(error_in("cbar.dv"), "expected the barrier's id"));
}

TEST_CASE("arithmetic and branches take registers and constants") {
  const Instruction sum = instruction("add r0, r1, -3");
  CHECK(sum.kind == InstructionKind::Compute);
  CHECK(sum.arithmetic == Arithmetic::Add);
  CHECK(sum.right.constant == -3);
  const Test test = parse(kOne + "LC00: ; bge r0, 1, LC01 ; goto LC00 ; LC01: ;");
  const auto& code = test.threads[0].code;
  CHECK(code[1].comparison == Comparison::GreaterEqual);
  CHECK(code[1].target == 3);
  CHECK(code[2].kind == InstructionKind::Jump);
  CHECK(code[2].target == 0);
}

TEST_CASE("a label is local to its thread, unique in it, and must exist") {
  CHECK(parse(kTwo + "LC00: | LC00: ; goto LC00 | goto LC00 ;").threads[1].code[1].target == 0);
  CHECK(parse(kOne + "LC00: LC01: st.sc0 x, 1 ;").threads[0].code.size() == 3);
  CHECK(error_of(kTwo + "LC00: | goto LC00 ;") == "4:14: thread P1 has no label 'LC00'");
  CHECK(contains(error_of(kOne + "LC00: ; LC00: ;"), "is defined twice in thread P0"));
  CHECK(contains(error_in("goto somewhere"), "expected a label"));
}

TEST_CASE("reserved words, registers and labels are no variables") {
  CHECK(contains(error_of("Vulkan T { add=0; } P0@sg 0,wg 0,qf 0; ;"), "expected a declaration"));
  CHECK(contains(error_of("Vulkan T { r0=0; } P0@sg 0,wg 0,qf 0; ;"), "expected a declaration"));
  CHECK(contains(error_in("ld.sc0 r0, LC00"), "expected a variable"));
  CHECK(contains(error_in("ld.sc0 x, x"), "expected a register"));
  CHECK(parse("Vulkan T { r=0; LC=0; _r0=0; r0x=0; P=0; } P0@sg 0,wg 0,qf 0; ;").variables.size() == 5);
}

TEST_CASE("unknown instructions and tags are named with their place") {
  CHECK(error_in("load.sc0 r0, x") == "4:1: expected an instruction, found 'load'");
  CHECK(error_in("ld.sc4 r0, x") == "4:4: expected a storage class (sc0, sc1, sc2, sc3) in 'ld', found 'sc4'");
  CHECK(error_in("ld. r0, x").substr(0, 5) == "4:5: ");
  CHECK(contains(error_in("ld.sc0.dv r0, x"), "expected no further tag in 'ld', found 'dv'"));
  CHECK(contains(error_in("7"), "expected an instruction, found '7'"));
}

TEST_CASE("numbers use 64 bits and not one more") {
  CHECK(instruction("st.sc0 x, 9223372036854775807").left.constant == std::numeric_limits<Integer>::max());
  CHECK(instruction("st.sc0 x, -9223372036854775808").left.constant == std::numeric_limits<Integer>::min());
  CHECK(instruction("st.sc0 x, 0xFFFFFFFFFFFFFFFF").left.constant == -1);
  CHECK(contains(error_in("st.sc0 x, 9223372036854775808"), "does not fit 64 bits"));
  CHECK(contains(error_in("st.sc0 x, 99999999999999999999999"), "does not fit 64 bits"));
  CHECK(contains(error_in("st.sc0 x, 0x10000000000000000"), "does not fit 64 bits"));
  CHECK(contains(error_in("st.sc0 x, 12ab"), "expected a number, found '12ab'"));
  CHECK(contains(error_in("st.sc0 x, 0x"), "expected a number, found '0x'"));
}

TEST_CASE("filter, locations and assertion are optional and may end with a semicolon") {
  const std::string base = kTwo + "st.sc0 x, 1 | ld.sc0 r0, x ;\n";
  CHECK(parse(base).quantifier == Quantifier::None);
  const Test test = parse(base + "locations [x; P1:r0; y[0];]\nfilter (P1:r0 == 1);\nforall x==1;");
  CHECK(test.filter);
  CHECK(test.quantifier == Quantifier::ForAll);
  CHECK(parse(base + "~exists x==1").quantifier == Quantifier::NotExists);
  CHECK(parse(base + "~ exists (x==1)").quantifier == Quantifier::NotExists);
  CHECK(parse(base + "not exists (x==1)").quantifier == Quantifier::NotExists);
  CHECK(parse(base + "filter x==1").quantifier == Quantifier::None);
  CHECK(contains(error_of(base + "exists x==1 exists x==1"), "one assertion at most"));
  CHECK(contains(error_of(base + "filter x==1 filter x==1"), "one filter at most"));
  CHECK(contains(error_of(base + "locations [x;"), "expected ']'"));
  CHECK(contains(error_of(base + "~forall x==1"), "expected 'exists'"));
}

TEST_CASE("a condition that is cut short says what it expected") {
  const std::string base = kTwo + " | ;\n";
  CHECK(error_of(base + "exists") == "5:7: expected a register (P0:r0), a variable or a number, found end of file");
  CHECK(error_of(base + "exists (x == 1") == "5:15: expected ')' after a condition, found end of file");
  CHECK(contains(error_of(base + "exists (x 1)"), "expected a comparison"));
  CHECK(contains(error_of(base + "exists (x[1] == 1)"), "a variable has one element"));
  CHECK(contains(error_of(base + "exists (P7:r0 == 1)"), "there is no thread 'P7'"));
  CHECK(contains(error_of(base + "exists (x == 1) y"), "expected 'exists'"));
}

TEST_CASE("nesting is bounded, length is not") {
  const std::string base = kTwo + " | ;\nexists ";
  const auto nested = [&](int depth) {
    return base + std::string(static_cast<std::size_t>(depth), '(') + "x==0" +
           std::string(static_cast<std::size_t>(depth), ')');
  };
  CHECK(parse(nested(200)).assertion);
  CHECK(contains(error_of(nested(100000)), "nested more than 256 deep"));
  std::string lengthy = base + "x==0";
  for (int i = 0; i < 100000; ++i) lengthy += " /\\ x==0";
  CHECK(satisfies(Outcome{0}, *parse(lengthy).assertion));
  CHECK(parse(base + std::string(100000, '~') + "x==0").assertion);
}

TEST_CASE("an error quotes whole characters, and escapes bytes that are none") {
  CHECK(error_of(kOne + "é") == "4:1: unexpected character 'é'");
  CHECK(error_of(kOne + "\xc3") == "4:1: unexpected character '\\xc3'");
  CHECK(error_of("é") == "1:1: expected 'Vulkan', found 'é'");
  // 38 bytes: the next character would end behind the fortieth.
  CHECK(shown("aé資é資é資é資é資é資é資é資") == "'aé資é資é資é資é資é資é資é...'");
}

TEST_CASE("a file that is no text is an error with a place") {
  CHECK(error_of(kOne + std::string(1, '\0')) == "4:1: unexpected character '\\x00'");
  CHECK(error_of(kOne + "\xff") == "4:1: unexpected character '\\xff'");
  CHECK(contains(error_of(std::string("\x7f"
                                      "ELF\0\0",
                                      6)),
                 "1:1: expected 'Vulkan'"));
  CHECK(contains(error_of("Vulkan T {" + std::string(kLongestSource, ' ')), "longer than"));
}

TEST_CASE("an instruction remembers its line and its text") {
  const Test test = parse(kTwo + "st.sc0  x,\t1 (* c *) | \n ld.sc0 r0, x ;\n");
  CHECK(test.threads[0].code[0].text == "st.sc0 x, 1");
  CHECK(test.threads[0].code[0].place == Place{4, 1});
  CHECK(test.threads[1].code[0].place == Place{5, 2});
}

namespace {

const std::string kFragments =
    "Vulkan T\n{ x=0; }\n{ interlock P0 P1; feeds P1 P0; }\n"
    " P0@sg 0,wg 0,qf 0, stage fragment, overlap 2 | P1@sg 1,wg 0,qf 0, overlap 2, stage fragment ;\n";

}  // namespace

TEST_CASE("fragment shader threads overlap, and come one after the other at their interlock") {
  const Test test = parse(kFragments + " beginlock | endlock ;\n");
  CHECK(test.threads[0].interlock_group == 2);
  CHECK(test.threads[1].stage == model::Stage::Fragment);
  CHECK(test.interlock_order == ThreadPairs{{0, 1}});
  CHECK(test.shader_inputs == ThreadPairs{{1, 0}});
  CHECK(test.system_synchronization.empty());
  CHECK(test.threads[0].code[0].operation.kind == OperationKind::BeginInvocationInterlock);
  CHECK(test.threads[1].code[0].operation.kind == OperationKind::EndInvocationInterlock);
  CHECK(instruction("ld.vis.fi.sc0 r0, x").operation.visible_scope == Scope::FragmentInterlock);
}

TEST_CASE("what cannot be at an interlock is refused where it stands") {
  CHECK(error_of("Vulkan T {}\n P0@sg 0,wg 0,qf 0, overlap 1 ; ;") == "2:2: only threads of stage fragment overlap");
  CHECK(error_of("Vulkan T {}\n P0@sg 0,wg 0,qf 0, stage fragment, overlap 0 ; ;") ==
        "2:45: a group of shader calls or overlapping fragments has a number from 1 to 2147483647");
  CHECK(error_of("Vulkan T {} {interlock P0 P1;}\n P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 0,qf 0 ; | ;") ==
        "1:27: threads 'P0' and 'P1' do not overlap");
  CHECK(error_of("Vulkan T {} {feeds P0 P0;}\n P0@sg 0,wg 0,qf 0 ; ;") == "1:23: two threads are needed here");
  CHECK(error_of("Vulkan T {} {feeds P0 P3;}\n P0@sg 0,wg 0,qf 0 ; ;") == "1:23: there is no thread 'P3'");
  CHECK(contains(error_in("beginlock.wg"), "4:11: expected no further tag"));
}

TEST_CASE("shader inputs are loaded, and nothing else") {
  CHECK(instruction("ld.scin r0, x").operation.storage_class == StorageClass::Input);
  CHECK(error_in("st.scin x, 1") == "4:1: Input (scin) is for plain loads only");
  CHECK(error_in("ld.atom.dv.scin r0, x") == "4:1: Input (scin) is for plain loads only");
  CHECK(error_in("rmw.atom.dv.scin r0, x, 1") == "4:1: Input (scin) is for plain loads only");
  CHECK(contains(error_in("membar.acq.dv.semscin"), "4:15: expected storage-class semantics"));
}

TEST_CASE("an allocation ends with the variable that is freed") {
  const Instruction free = instruction("free x");
  CHECK(free.kind == InstructionKind::Free);
  CHECK(free.operation.kind == OperationKind::Free);
  CHECK(error_in("free") == "4:6: expected a variable, found ';'");
  CHECK(contains(error_in("free.dv x"), "4:6: expected no further tag"));
}

TEST_CASE("a cooperative access is a plain access of a scope's, with a name") {
  const Instruction load = instruction("coopld.sg.vis.dv.sc1 r0, x, tile");
  CHECK(load.kind == InstructionKind::Load);
  CHECK(load.cooperative->id == "tile");
  CHECK(load.cooperative->scope == Scope::Subgroup);
  CHECK(load.operation.visible_scope == Scope::Device);
  const Instruction store = instruction("coopst.wg.sc0 x, 1, 00");
  CHECK(store.cooperative->id == "00");
  CHECK(store.cooperative->scope == Scope::Workgroup);
  CHECK_FALSE(store.operation.is_non_private());
  CHECK(contains(error_in("coopst.dv.sc0 x, 1, a"), "4:8: expected the matrix's scope (sg, wg)"));
  CHECK(error_in("coopst.wg.atom.dv.sc0 x, 1, a") == "4:1: a cooperative matrix access is no atomic");
  CHECK(error_in("coopst.wg.sc0 x, 1") == "4:20: expected ',' between operands, found ';'");
  CHECK(error_in("coopst.wg.sc0 x, 1, ") == "4:22: expected the access's id (a word or a number), found ';'");
}

TEST_CASE("a cooperative access is executed once by each thread") {
  CHECK(error_of(kOne + "LC0: coopst.wg.sc0 x, 1, a ; beq r0, 0, LC0 ;\n") ==
        "4:6: a cooperative matrix access cannot stand in a loop");
  CHECK(error_of(kOne + "coopst.wg.sc0 x, 1, a ; coopst.wg.sc0 y, 1, a ;\n") ==
        "4:25: thread P0 has two cooperative accesses 'a'");
  parse(kOne + "coopst.wg.sc0 x, 1, a ; coopst.sg.sc0 y, 1, a ;\n");
}
