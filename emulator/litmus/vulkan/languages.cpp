#include "emulator/litmus/vulkan/languages.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::litmus {
namespace {

struct Language {
  std::string_view word;
  std::string_view meaning;
};

constexpr Language kProcessors[] = {
    {"X86", "x86 processors"},     {"X86_64", "x86-64 processors"},
    {"AArch64", "Arm processors"}, {"ARM", "Arm processors"},
    {"PPC", "Power processors"},   {"RISCV", "RISC-V processors"},
    {"MIPS", "MIPS processors"},   {"LISA", "herd's LISA, a machine to experiment with"},
    {"PTX", "NVIDIA's PTX"},       {"OpenCL", "OpenCL kernels"},
    {"OPENCL", "OpenCL kernels"},  {"JAVA", "Java"}};

}  // namespace

std::optional<Diagnostic> other_language(std::string_view text) {
  Place place;
  std::size_t at = 0;
  for (; at < text.size() && (text[at] == ' ' || (text[at] >= '\t' && text[at] <= '\r')); ++at) {
    place.column = text[at] == '\n' ? 1 : place.column + 1;
    place.line += text[at] == '\n' ? 1 : 0;
  }
  const std::string_view rest = text.substr(at);
  const std::string_view word = rest.substr(0, rest.find_first_of(" \t\r\n{\""));
  if (word == "C" || word == "Mu")
    return Diagnostic{place,
                      fmt::format("this is a test of {}: it can be explored, run and explained, and not played; "
                                  "games are made of tests that begin with 'Vulkan'",
                                  word == "C" ? "C11, in herd's C dialect" : "Mu, heddle's model of host threads")};
  const auto* const known = std::find_if(std::begin(kProcessors), std::end(kProcessors),
                                         [&](const Language& language) { return language.word == word; });
  if (known == std::end(kProcessors)) return std::nullopt;
  return Diagnostic{place,
                    fmt::format("this is a test of {}: heddle has no model of it, and cannot run or explain it; it "
                                "understands tests that begin with 'Vulkan', 'C' or 'Mu'",
                                known->meaning)};
}

}  // namespace heddle::litmus
