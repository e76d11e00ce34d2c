// The two spellings of a test mean the same, and each word of them is explained.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/calls.h"
#include "emulator/litmus/vulkan/edits.h"
#include "emulator/litmus/vulkan/host_words.h"
#include "emulator/litmus/vulkan/names.h"
#include "emulator/litmus/vulkan/notation.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/spelling.h"
#include "tests/litmus/expectation.h"

using namespace heddle;
using namespace heddle::litmus;

namespace {

const std::filesystem::path kRoot = HEDDLE_SOURCE_DIR;

Test parsed(const std::string& source) {
  const VulkanParse parse = parse_vulkan(source);
  INFO(source);
  INFO((parse.errors.empty() ? std::string() : describe("", parse.errors.front())));
  REQUIRE(parse.test);
  return *parse.test;
}

/// "line:column: message"
std::string first_error(const VulkanParse& parse) {
  return describe("", parse.errors.front()).substr(1);
}

std::string error_of(const std::string& code) {
  const VulkanParse parse = parse_vulkan("Vulkan t\n{ x = 0; }\nP0@sg 0, wg 0, qf 0 {\n  " + code + "\n}\n");
  return parse.errors.empty() ? "" : first_error(parse);
}

/// Every test of the Vulkan dialect in these folders.
std::vector<std::string> sources() {
  std::vector<std::string> out;
  for (const char* folder : {"tests/litmus", "samples"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot / folder)) {
      if (entry.path().extension() != ".litmus") continue;
      std::string source = read_text(entry.path().string());
      if (parse_vulkan(source).test) out.push_back(std::move(source));
    }
  }
  return out;
}

// Every instruction and every kind of declaration and place.
const std::string kEverything = R"(Vulkan everything and more
of the header "with * marks"
{ x = -3; y aliases x; z = 0x10; P7:r4 = 9; }
{ ssw P0 P1; interlock P1 P7; feeds P0 P7; }
P0@sg 0, wg 1, qf 2 | P1@sg 0, wg 0, qf 0, stage fragment, overlap 3 | P7@sg 0, wg 0, qf 0, stage fragment, call 2, overlap 3 ;
LC00: ld.sc1 r0, x | beginlock | ld.scin r1, z ;
st.av.qf.sc2 y, r0 # foo:bar, sync-as:1 | endlock | rmw.atom.acq_rel.sh.sc3.semsc3.semsc0.semav.semvis.xor r1, z, -1 ;
beq r0, 3, LC01 | avdevice | rmw.atom.fi.sc0 r2, z, r4 ;
div r1, -7, r0 | visdevice | cbar.acq_rel.wg.semsc1.semav.semvis 1, name, 2 ;
goto LC00 | free z | cbar.dv B, r4 ;
LC01: LC02: | coopld.wg.vis.dv.sc0 r0, x, ID | membar.acq.sg.semsc2 ;
 | coopst.sg.nonpriv.sc0 x, 4, 5 | ld.atom.acq.dv.sc0.semsc0.semvis r5, x ;
filter (P0:r0 = 1 \/ ~(x != 2))
~exists (P1:r0 >= -1 /\ [z] < 5)
)";

}  // namespace

TEST_CASE("a test that is spelled as calls, and back, is the test that it was") {
  std::vector<std::string> all = sources();
  CHECK(all.size() > 1200);
  all.push_back(kEverything);
  for (const std::string& source : all) {
    const Test test = parsed(source);
    // Columns of the host have one spelling.
    if (!why_not_spelled(test, Spelling::Calls).empty()) continue;
    const std::string tags = spell(test, Spelling::Tags);
    const std::string calls = spell(test, Spelling::Calls);
    CAPTURE(tags, calls);
    const Test again = parsed(calls);
    CHECK(spelling_of(again) == Spelling::Calls);
    CHECK(again.stacked);
    CHECK(spell(again, Spelling::Tags) == tags);
    CHECK(spell(again, Spelling::Calls) == calls);
    const Test back = parsed(tags);
    CHECK(spelling_of(back) == Spelling::Tags);
    CHECK(spell(back, Spelling::Calls) == calls);
  }
}

TEST_CASE("comments stand where they stood, in both spellings and there and back") {
  const std::string tags = R"(Vulkan message (* in the header *)
{
x = 0;
y = 0;
(* the data, and the flag *)
}
 (* of all threads *) P0@sg 0, wg 0, qf 0         | P1@sg 0, wg 1, qf 0 (* the reader *) ;
 st.av.dv.sc0 x, 1 (* data *) << first >>     | ld.atom.acq.dv.sc0.semsc0 r0, y (* flag *) ;
 (* and | then ; *) st.atom.rel.dv.sc0.semsc0 y, 1 | (* late *) ld.vis.dv.sc0 r1, x ;
(* what is asked *)
exists (P1:r0 == 1 /\ P1:r1 == 0)
)";
  const std::string calls = spell(parsed(tags), Spelling::Calls);
  CHECK(calls.find(R"((* the data, and the flag *)
(* of all threads *)
}
P0@subgroup 0, workgroup 0, queueFamily 0 {
  store(x, 1, MakeAvailable, Device); (* data *) << first >>
  (* and | then ; *)
  atomicStore(y, 1, Release, Device, UniformMemory);
}
P1@subgroup 0, workgroup 1, queueFamily 0 { (* the reader *)
  r0 = atomicLoad(y, Acquire, Device, UniformMemory); (* flag *)
  (* late *)
  r1 = load(x, MakeVisible, Device);
}
(* what is asked *)
exists )") != std::string::npos);
  CAPTURE(calls);
  const std::string back = spell(parsed(calls), Spelling::Tags);
  CHECK(spell(parsed(tags), Spelling::Tags) == back);
  CHECK(spell(parsed(back), Spelling::Calls) == calls);
  for (const char* comment : {"(* in the header *)", "(* data *) << first >>", "| (* late *) ld.vis.dv.sc0 r1, x"})
    CHECK(back.find(comment) != std::string::npos);
}

TEST_CASE("no comment of a test's code is lost by its other spelling") {
  std::size_t comments = 0;
  for (const std::string& source : sources()) {
    const Test test = parsed(source);
    comments += test.comments.size();
    const Spelling other = spelling_of(test) == Spelling::Calls ? Spelling::Tags : Spelling::Calls;
    // A host test has one spelling.
    if (fits(test, other) && why_not_spelled(test, other).empty())
      CHECK(parsed(spell(test, other)).comments.size() == test.comments.size());
  }
  CHECK(comments > 0);
}

TEST_CASE("the explorer says the same of both spellings") {
  for (const LibraryFile& file : read_library()) {
    if (file.path.find("handwritten") == std::string::npos) continue;
    CAPTURE(file.path);
    const Test test = parsed(file.source);
    const Test calls = parsed(spell(test, Spelling::Calls));
    const Answer one = answer(test, {});
    const Answer other = answer(calls, {});
    CHECK(one.holds == other.holds);
    CHECK(one.racy == other.racy);
    CHECK(one.executions == other.executions);
    REQUIRE(one.outcomes.size() == other.outcomes.size());
    for (std::size_t i = 0; i < one.outcomes.size(); ++i) CHECK(one.outcomes[i].values == other.outcomes[i].values);
  }
}

TEST_CASE("a release of the dialect reads like GLSL as a call") {
  const Test test = parsed(
      "Vulkan t\n{ x = 0; y = 0; }\nP0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n"
      "st.nonpriv.sc1 x, 1 | ld.atom.acq.wg.sc0.semsc0.semsc1.semvis r0, y ;\n"
      "st.atom.rel.wg.sc0.semsc0.semav y, 1 | rmw.atom.dv.sc0.add r1, x, 2 ;\n"
      "exists (P1:r0 == 1)\n");
  CHECK(spell(test, Spelling::Calls) ==
        "Vulkan t\n{\nx = 0;\ny = 0;\n}\n"
        "P0@subgroup 0, workgroup 0, queueFamily 0 {\n"
        "  store(shared x, 1, NonPrivate);\n"
        "  atomicStore(y, 1, Release, Workgroup, UniformMemory | MakeAvailable);\n"
        "}\n"
        "P1@subgroup 0, workgroup 1, queueFamily 0 {\n"
        "  r0 = atomicLoad(y, Acquire, Workgroup, UniformMemory | WorkgroupMemory | MakeVisible);\n"
        "  r1 = atomicAdd(x, 2, Relaxed, Device);\n"
        "}\n"
        "exists (P1:r0 == 1)\n");
}

TEST_CASE("the spellings may stand beside each other, and names of words of calls are names of variables") {
  const Test mixed = parsed(
      "Vulkan t\n{ buffer = 0; load = 0; }\nP0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n"
      "store(buffer, 1) | ld.sc0 r0, load ;\natomicStore(shared load, 1, Release, Device, UniformMemory | "
      "MakeAvailable)"
      " | r1 = load(buffer, NonPrivate) ;\nexists (P1:r0 == 1)\n");
  REQUIRE(mixed.threads[0].code.size() == 2);
  CHECK(mixed.threads[0].code[1].operation.storage_class == StorageClass::Workgroup);
  CHECK(mixed.threads[1].code[1].text == "r1 = load(buffer, NonPrivate)");
  CHECK_FALSE(mixed.stacked);
}

TEST_CASE("what is wrong with a call is said at its place") {
  CHECK(error_of("stor(x, 1);") == "4:3: expected an instruction, found 'stor'");
  CHECK(error_of("r0 = lod(x);") == "4:8: expected a load or an atomic that returns a value, found 'lod'");
  CHECK(error_of("atomicStore(x, 1, Acquire, Device, UniformMemory);") == "4:21: a store has no memory order Acquire");
  CHECK(error_of("atomicStore(x, 1, Release, Device);") == "4:36: expected ',' between arguments, found ')'");
  CHECK(error_of("atomicStore(x, 1, Release, Device, MakeAvailable);") ==
        "4:38: the semantics name no storage class (UniformMemory, WorkgroupMemory, ...)");
  CHECK(error_of("atomicStore(x, 1, Release, Device, UniformMemory | MakeVisible);") ==
        "4:54: expected no 'MakeVisible' (it needs an acquire), found 'MakeVisible'");
  CHECK(error_of("atomicStore(x, 1, Relaxed, Device, UniformMemory);") ==
        "4:36: expected no semantics (a relaxed order orders no storage class), found ','");
  CHECK(error_of("store(x, 1, Device);") == "4:15: expected 'NonPrivate' or 'MakeAvailable', found 'Device'");
  CHECK(error_of("memoryBarrier(Relaxed, Device);") ==
        "4:17: a barrier has a memory order that is not Relaxed, or a control barrier none");
  CHECK(error_of("store(in x, 1);") == "4:3: Input (in) is for plain loads only");
  CHECK(error_of("store(x, 1)") == "5:1: expected ';' behind an instruction, found '}'");
  CHECK(error_of("if (r0 = 1) goto LC00;") == "4:10: expected a comparison (==, !=, <, <=, >, >=), found '='");
  CHECK(first_error(parse_vulkan("Vulkan t\n{ }\nP0@sg 0, wg 0, qf 0 {\n")) ==
        "4:1: expected '}' behind the thread's code, found end of file");
}

TEST_CASE("an edit of a call is a call") {
  const std::string source =
      "Vulkan t\n{ x = 0; y = 0; }\nP0@sg 0, wg 0, qf 0 {\n  store(x, 1, NonPrivate);\n"
      "  atomicStore(y,  1, Release, Device, UniformMemory) # foo:bar;\n}\nP1@sg 0, wg 1, qf 0 {\n"
      "  r0 = atomicLoad(y, Acquire, Device, UniformMemory | MakeVisible);\n  r1 = load(x, NonPrivate);\n}\n"
      "exists (P1:r0 == 1 /\\ P1:r1 == 0)\n";
  const Test test = parsed(source);
  Test changed = test;
  changed.threads[0].code[1].operation.semantics |= MemorySemantics::MakeAvailable;
  const auto edits = edits_between(source, test, changed);
  REQUIRE(edits);
  REQUIRE(edits->size() == 1);
  CHECK(edits->front().place == Place{5, 3});
  CHECK(edits->front().old_text == "atomicStore(y,  1, Release, Device, UniformMemory)");
  CHECK(edits->front().new_text == "atomicStore(y, 1, Release, Device, UniformMemory | MakeAvailable)");
  Instruction fence = test.threads[1].code[0];
  fence.kind = InstructionKind::MemoryBarrier;
  fence.operation.kind = OperationKind::MemoryBarrier;
  fence.operation.atomic = false;
  fence.put_in = PutIn::Behind;
  changed = test;
  changed.threads[1].code.insert(changed.threads[1].code.begin() + 1, fence);
  const auto added = edits_between(source, test, changed);
  REQUIRE(added);
  REQUIRE(added->size() == 1);
  CHECK(added->front().new_text == "\n  memoryBarrier(Acquire, Device, UniformMemory | MakeVisible);");
}

TEST_CASE("every word of the grammar is explained in a sentence") {
  std::set<std::string> known;
  for (const NotationWord& word : notation()) {
    CAPTURE(std::string(word.word), std::string(word.call));
    CHECK((!word.word.empty() || !word.call.empty()));
    CHECK(word.text.size() > 15);
    CHECK(word.text.back() == '.');
    CHECK(word.text.find(". ") == word.text.rfind(". "));
    known.insert(std::string(word.word));
    for (std::string_view rest = word.call; !rest.empty();) {
      const std::size_t end = rest.find(' ');
      known.insert(std::string(rest.substr(0, end)));
      rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
    }
  }
  const auto explained = [&](std::string_view word) {
    CAPTURE(std::string(word));
    CHECK(known.count(std::string(word)) == 1);
  };
  for (const std::string_view word : reserved_words()) explained(word);
  for (const auto& [stage, meaning] : kStages) explained(stage);
  for (const auto& [word, scope] : kCallScopes) explained(word);
  for (const auto& [word, order] : kCallOrders) explained(word);
  for (const auto& [word, semantic] : kCallClasses) explained(word);
  for (const auto& [word, storage_class] : kVariableWords) explained(word);
  for (const auto& [word, arithmetic] : kUpdateWords) explained(word);
  for (const auto& [word, arithmetic] : kArithmeticSigns) explained(word);
  for (const std::string_view word : {kMakeAvailable, kMakeVisible, kNonPrivate}) explained(word);
  for (const auto& [word, stages] : kPipelineStageWords) explained(word);
  for (const auto& [word, accesses] : kAccessWords) explained(word);
  for (const std::string_view word : kMemoryWords) explained(word);
  // Mnemonics, tags and names of calls of every instruction in both spellings.
  static const std::regex kWord("[A-Za-z_]\\w*(?=[.(])|\\.(\\w+)|^[a-z]+(?= |$)");
  for (std::string source : {kEverything, spell(parsed(kEverything), Spelling::Calls)})
    for (const Thread& thread : parsed(source).threads)
      for (const Instruction& instruction : thread.code) {
        if (instruction.kind == InstructionKind::Label) continue;
        const std::string text = instruction.text.substr(0, instruction.text.find('#'));
        for (std::sregex_iterator at(text.begin(), text.end(), kWord), end; at != end; ++at)
          explained((*at)[1].matched ? (*at)[1].str() : (*at)[0].str());
      }
}

TEST_CASE("a relation and a rule have a name, a clause of the specification and a sentence") {
  const std::string anchors = read_text((kRoot / "emulator/judge/ANCHORS.md").string());
  const auto is_anchor = [&](std::string_view clause) {
    return anchors.find("`" + std::string(clause) + "`") != std::string::npos;
  };
  CHECK(relation_words().size() == static_cast<std::size_t>(judge::RelationName::DataRace) + 1);
  for (const RelationWords& words : relation_words()) {
    CAPTURE(std::string(words.name));
    CHECK(&words_of(words.relation) == &words);
    CHECK(is_anchor(words.clause));
    CHECK(words.text.back() == '.');
  }
  CHECK(rule_words().size() == static_cast<std::size_t>(judge::Axiom::SystemSynchronizationOrder) + 1);
  for (const RuleWords& words : rule_words()) {
    CAPTURE(std::string(words.name));
    CHECK(&words_of(words.axiom) == &words);
    CHECK(is_anchor(words.clause));
    CHECK(words.text.back() == '.');
  }
}

TEST_CASE("a test of another language is named, with what can be done") {
  const auto first = [](const char* text) { return first_error(parse_vulkan(text)); };
  CHECK(first("X86 SB\n{ x=0; }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\nexists (0:EAX=0)\n")
            .find("1:1: this is a test of x86 processors: heddle has no model of it, and cannot run or explain it") ==
        0);
  CHECK(first("\n  PTX MP\n{}\n").find("2:3: this is a test of NVIDIA's PTX") == 0);
  CHECK(first("C mp\n{ }\nP0 () { }\n").find("1:1: this is a test of C11") == 0);
  CHECK(first("Vulcan t\n{ }\n") == "1:1: expected 'Vulkan', found 'Vulcan'");
}
