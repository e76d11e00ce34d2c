#include "emulator/litmus/vulkan/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace heddle::litmus {
namespace {

constexpr std::string_view kReserved[] = {
    "ld",      "st",     "rmw",     "membar",  "cbar",   "avdevice", "visdevice", "add",  "sub",      "mul",
    "div",     "and",    "or",      "xor",     "beq",    "bne",      "blt",       "ble",  "bgt",      "bge",
    "goto",    "sg",     "wg",      "qf",      "dv",     "sc0",      "sc1",       "sc2",  "sc3",      "semsc0",
    "semsc1",  "semsc2", "semsc3",  "semav",   "semvis", "av",       "vis",       "atom", "acq",      "rel",
    "acq_rel", "ssw",    "nonpriv", "aliases", "filter", "exists",   "forall",    "not",  "locations"};

bool is_prefix_and_digits(const Token& token, std::string_view prefix) {
  const std::string_view text = token.text;
  return token.kind == TokenKind::Word && text.size() > prefix.size() && text.substr(0, prefix.size()) == prefix &&
         std::all_of(text.begin() + static_cast<std::ptrdiff_t>(prefix.size()), text.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string spell_place(const Thread& thread) {
  if (thread.kind == ThreadKind::Host) return "host";
  if (thread.kind == ThreadKind::Batch) return fmt::format("q {}, qf {}", thread.queue, thread.queue_family);
  std::string out = fmt::format("sg {}, wg {}, qf {}", thread.subgroup, thread.workgroup, thread.queue_family);
  for (const auto& [spelling, stage] : kStages) {
    if (stage == thread.stage && stage != model::Stage::Compute) {
      out += fmt::format(", stage {}", spelling);
    }
  }
  if (thread.shader_call_group != 0) out += fmt::format(", call {}", thread.shader_call_group);
  if (thread.interlock_group != 0) out += fmt::format(", overlap {}", thread.interlock_group);
  return out;
}

bool is_register(const Token& token) {
  return is_prefix_and_digits(token, "r");
}

bool is_label(const Token& token) {
  return is_prefix_and_digits(token, "LC");
}

bool is_reserved(const Token& token) {
  return std::find(std::begin(kReserved), std::end(kReserved), token.text) != std::end(kReserved);
}

std::span<const std::string_view> reserved_words() {
  return kReserved;
}

bool is_variable(const Token& token) {
  return token.kind == TokenKind::Word && !is_register(token) && !is_label(token) && !is_reserved(token);
}

std::optional<ThreadName> thread_name(const Token& token) {
  std::string_view digits = token.text;
  ThreadKind kind = ThreadKind::Shader;
  if (token.kind == TokenKind::Word) {
    if (is_prefix_and_digits(token, "H")) {
      kind = ThreadKind::Host;
    } else if (is_prefix_and_digits(token, "B")) {
      kind = ThreadKind::Batch;
    } else if (!is_prefix_and_digits(token, "P")) {
      return std::nullopt;
    }
    digits.remove_prefix(1);
  } else if (token.kind != TokenKind::Number) {
    return std::nullopt;
  }
  std::uint64_t id = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, id);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return ThreadName{kind, id};
}

std::optional<std::uint64_t> thread_id(const Token& token) {
  const std::optional<ThreadName> name = thread_name(token);
  return name && name->first == ThreadKind::Shader ? std::optional(name->second) : std::nullopt;
}

}  // namespace heddle::litmus
