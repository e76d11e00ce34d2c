#include <catch2/catch.hpp>

#include <heddle/edit.h>
#include <heddle/semantics.h>

#include <random>
#include <stdexcept>
#include <string>

using namespace heddle;

namespace {

constexpr Scope kScopes[] = {Scope::Device, Scope::QueueFamily, Scope::Workgroup, Scope::Subgroup, Scope::Invocation};
constexpr MemorySemantics kSemantics[] = {
    kWorkgroupBarrier,
    kBufferBarrier,
    kReleaseBuffers,
    kAcquireBuffers,
    MemorySemantics::Relaxed,
    MemorySemantics::Acquire | MemorySemantics::ImageMemory,
    MemorySemantics::Release | MemorySemantics::Volatile | MemorySemantics::WorkgroupMemory};
constexpr MemoryOperands kOperands[] = {MemoryOperands::None, MemoryOperands::NonPrivatePointer,
                                        MemoryOperands::NonPrivatePointer | MemoryOperands::MakePointerVisible,
                                        MemoryOperands::Volatile | MemoryOperands::MakePointerAvailable};

template <typename T, std::size_t n>
T any_of(const T (&all)[n], std::mt19937& random) {
  return all[random() % n];
}

/// An edit that has what its kind asks for, and nothing else.
Edit random_edit(std::mt19937& random) {
  constexpr auto kKinds = static_cast<unsigned>(EditKind::PutCall) + 1;
  constexpr auto kInstructions = static_cast<unsigned>(EditedKind::Call) + 1;
  Edit edit;
  edit.kind = static_cast<EditKind>(random() % kKinds);
  if (edit.kind == EditKind::PutDependency) {
    edit.dispatch = random();
    edit.orders_memory = random() % 2 == 0;
    return edit;
  }
  edit.of = static_cast<EditedKind>(random() % kInstructions);
  edit.file = random() % 2 == 0 ? "sum.cpp" : "/a path/with : and in/kernel #1.cpp";
  edit.line = static_cast<std::uint32_t>(1 + random() % 1000);
  edit.column = random() % 3 == 0 ? static_cast<std::uint32_t>(1 + random() % 80) : 0;
  edit.ordinal = random() % 3 == 0 ? static_cast<std::uint32_t>(1 + random() % 4) : 0;
  switch (edit.kind) {
    case EditKind::GiveSemantics:
    case EditKind::AddSemantics:
    case EditKind::DropSemantics:
      edit.semantics = any_of(kSemantics, random);
      break;
    case EditKind::SetScope:
      edit.scope = any_of(kScopes, random);
      break;
    case EditKind::SetExecutionScope:
      edit.execution_scope = any_of(kScopes, random);
      break;
    case EditKind::AddOperands:
      edit.scope = any_of(kScopes, random);
      [[fallthrough]];
    case EditKind::DropOperands:
      edit.operands = any_of(kOperands, random);
      break;
    case EditKind::PutControlBarrier:
      edit.execution_scope = any_of(kScopes, random);
      [[fallthrough]];
    case EditKind::PutMemoryBarrier:
      edit.behind = edit.of != EditedKind::First && random() % 2 == 0;
      [[fallthrough]];
    case EditKind::MakeAtomic:
    case EditKind::JoinUpdate:
      edit.scope = any_of(kScopes, random);
      edit.semantics = any_of(kSemantics, random);
      break;
    case EditKind::PutRoundBarrier:
      edit.behind = true;
      if (edit.of == EditedKind::First) edit.of = EditedKind::Write;
      edit.scope = any_of(kScopes, random);
      edit.semantics = any_of(kSemantics, random);
      edit.until_line = static_cast<std::uint32_t>(random() % 1000);
      break;
    case EditKind::SetTags:
      edit.text = random() % 2 == 0 ? "" : "foo:x, sync-as:1";
      break;
    case EditKind::PutCall:
      edit.behind = edit.of != EditedKind::First && random() % 2 == 0;
      [[fallthrough]];
    case EditKind::SetCall:
      edit.text = random() % 2 == 0 ? "flush x y" : "dep compute.shader_write host.host_read";
      break;
    default:
      break;
  }
  return edit;
}

std::string error_of(const std::string& text) {
  try {
    edits_from_text(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a random edit is read back from its text as it was, and has a sentence") {
  for (std::uint32_t seed = 1; seed <= 2000; ++seed) {
    std::mt19937 random(seed);
    const Edit edit = random_edit(random);
    INFO("seed " << seed << ": " << to_text(edit));
    REQUIRE(edit_from_text(to_text(edit)) == edit);
    REQUIRE_FALSE(sentence_of(edit).empty());
  }
}

TEST_CASE("a list of edits may have comments and empty lines, and other edits in other lines") {
  const std::vector<Edit> all = edits_from_text(
      "# mends the flag\r\n"
      "\n"
      "give kReleaseBuffers at atomic-write in sum.cpp:14   \n"
      "put-control-barrier Workgroup Workgroup kWorkgroupBarrier behind write in sum.cpp:9:3#2");
  REQUIRE(all.size() == 2);
  CHECK(all[0].semantics == kReleaseBuffers);
  CHECK(all[0].of == EditedKind::AtomicWrite);
  CHECK(all[0].line == 14);
  CHECK(all[1].line == 9);
  CHECK(all[1].column == 3);
  CHECK(all[1].ordinal == 2);
  CHECK(all[1].behind);
}

TEST_CASE("a text that is no edit is an error with the number of its line, its word, and what it may be") {
  struct Wrong {
    const char* text;
    const char* error;
  };
  for (const Wrong& wrong :
       {Wrong{"# fine\nstrengthen it", "line 2: 'strengthen' is no verb of an edit; it may be one of give, add"},
        Wrong{"give Relesae at atomic-write in a.cpp:1", "line 1: 'Relesae' is no memory semantics"},
        Wrong{"scope Cluster at atomic-write in a.cpp:1", "'Cluster' is no scope; it may be Device"},
        Wrong{"take-out at barrier in a.cpp:1", "'barrier' is no kind of instruction; it may be first"},
        Wrong{"take-out behind control-barrier in a.cpp:1", "'behind' is no such word here; it may be at"},
        Wrong{"tags foo at write in a.cpp:1", "'foo' is no tags; an example is foo:x,sync-as:1"},
        Wrong{"put-call flush before call in a.cpp:1", "the call or command is missing, between quotes"},
        Wrong{"take-out at control-barrier in a.cpp", "'a.cpp' is no place; it is FILE:LINE"},
        Wrong{"take-out at control-barrier in a.cpp:0", "'0' is no line; lines begin with 1"},
        Wrong{"take-out at control-barrier in a.cpp:99999999999", "'99999999999' is no line"},
        Wrong{"put-memory-barrier Device kBufferBarrier behind first in a.cpp:1", "only before the first"},
        Wrong{"put-dependency both before dispatch 1", "'both' is no dependency; it may be memory or execution"},
        Wrong{"drop", "the semantics is missing"}}) {
    INFO(wrong.text);
    CHECK_THAT(error_of(wrong.text), Catch::Contains(wrong.error));
  }
}
