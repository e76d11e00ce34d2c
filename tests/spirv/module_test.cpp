#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <random>

#include "emulator/spirv/grammar.h"
#include "tests/how_many.h"
#include "tests/spirv/run_module.h"

using namespace heddle::spirv;

namespace {

std::string bytes_of(const Module& module) {
  std::string out(4 * module.words.size(), '\0');
  std::memcpy(out.data(), module.words.data(), out.size());
  return out;
}

std::string assembly_error(const std::string& text) {
  try {
    assemble(text);
  } catch (const Error& error) {
    return std::to_string(error.position().line) + ": " + error.what();
  }
  return "";
}

/// Reads and explores what may be no module: it is an answer or an Error, and nothing else.
void try_module(const std::string& bytes) {
  try {
    const Module module = read_binary(bytes);
    DispatchOptions options;
    for (std::uint32_t binding = 0; binding < 4; ++binding) {
      options.buffers[{0, binding}] = std::vector<std::uint8_t>(64, 0);
      options.extents[{0, binding}] = {2, 2, 1};
    }
    const Dispatch dispatch(module, {}, options);
    const Question question = question_of(dispatch);
    const Analysis analysis(dispatch, question);
    Inquiry inquiry;
    inquiry.limit = 2;
    inquiry.graph_limit = 50;
    answer(analysis, question, inquiry);
  } catch (const Error&) {
  }
}

}  // namespace

TEST_CASE("a text names ids as its header does, and literals have the width of their type") {
  const Module module = assemble(
      "%17 = OpTypeInt 64 0\n %long = OpConstant %17 -2\n %8 = OpTypeInt 32 0\n %minus = OpConstant %8 -1\n"
      "OpSource Slang 1 ; of a later revision\n");
  CHECK(module.text_ids.at("17") == 17);
  CHECK(module.text_ids.at("8") == 8);
  CHECK(module.text_ids.at("long") == 18);
  const Definitions definitions(module);
  Types types(definitions, {});
  CHECK(types.constant(18, module.instructions[0])->front() == 0xfffffffffffffffe);
  CHECK(types.constant(module.text_ids.at("minus"), module.instructions[0])->front() == 0xffffffff);
  CHECK(module.warnings.size() == 1);
}

TEST_CASE("a text that is no module is an error at its line") {
  CHECK(assembly_error("OpNop\nOpNope\n") == "2: there is no instruction \"OpNope\"");
  CHECK(assembly_error("\n%a = OpTypeInt 32\n") == "2: OpTypeInt lacks an operand");
  CHECK(assembly_error("OpTypeVoid\n") == "1: OpTypeVoid has a result: write \"%name = OpTypeVoid\"");
  CHECK(assembly_error("OpCapability Shader Shader\n") == "1: OpCapability has no operand \"Shader\"");
  CHECK(assembly_error("OpString\n \"open") != "");
}

TEST_CASE("a module is the same in both byte orders") {
  const std::string bytes = bytes_of(assemble(text_of("cases/spin.spvasm")));
  std::string swapped = bytes;
  for (std::size_t i = 0; i < swapped.size(); i += 4)
    std::reverse(swapped.begin() + static_cast<long>(i), swapped.begin() + static_cast<long>(i) + 4);
  CHECK(read_binary(swapped).words == read_binary(bytes).words);
}

TEST_CASE("modules with words that were changed are refused or run, and do nothing else") {
  std::mt19937 random(7);
  std::vector<std::string> modules;
  for (const char* directory : {"cases/", "images/"})
    for (const auto& file :
         std::filesystem::directory_iterator(HEDDLE_SOURCE_DIR "/tests/spirv/" + std::string(directory)))
      if (file.path().extension() == ".spvasm")
        modules.push_back(bytes_of(assemble(text_of(directory + file.path().filename().string()))));
  modules.push_back(bytes_of(assemble(text_of("programs/lanes.spvasm"))));
  std::sort(modules.begin(), modules.end());
  REQUIRE(modules.size() == 27);
  const std::uint64_t count = heddle::how_many("HEDDLE_SPIRV_MUTATIONS", 1000, 1000000);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string bytes = modules[random() % modules.size()];
    const int changes = 1 + static_cast<int>(random() % 3);
    for (int change = 0; change < changes; ++change) {
      // Most words are small numbers: ids, opcodes, enumerants.
      const std::size_t at = 4 * (random() % (bytes.size() / 4));
      bytes[at] = static_cast<char>(random() % 2 == 0 ? random() % 256 : bytes[at] + 1);
      if (random() % 8 == 0) bytes.resize(at);
      if (bytes.empty()) break;
    }
    if (i < heddle::first_seed()) continue;
    try_module(bytes);
  }
}

TEST_CASE("the tables know instructions by name and by number") {
  REQUIRE(find_instruction("OpLoad") != nullptr);
  CHECK(find_instruction(std::uint32_t{61})->name == "OpLoad");
  CHECK(find_instruction("OpNope") == nullptr);
  CHECK(extended_number("GLSL.std.450", "FindUMsb") == 75);
  CHECK(extended_name("GLSL.std.450", 75) == "FindUMsb");
}
