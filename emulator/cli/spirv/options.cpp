#include "emulator/cli/spirv/options.h"

#include <random>

#include "emulator/cli/input_file.h"
#include "emulator/spirv/numbers.h"

namespace heddle::cli {
namespace {

constexpr std::uint64_t kMostWords = std::uint64_t{1} << 24;

std::uint64_t number_in(const std::string& option, const std::string& text, std::uint64_t most) {
  const auto out = spirv::whole_number(text);
  if (!out || *out > most)
    throw InputError(option + ": \"" + text + "\" is no number from 0 to " + std::to_string(most));
  return *out;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c == at) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

void add_word(std::uint32_t word, std::vector<std::uint8_t>& out) {
  for (unsigned shift = 0; shift < 32; shift += 8) out.push_back(static_cast<std::uint8_t>(word >> shift));
}

}  // namespace

std::array<std::uint32_t, 3> size_from_text(const std::string& option, const std::string& text) {
  const std::vector<std::string> parts = split(text, ',');
  std::array<std::uint32_t, 3> out{1, 1, 1};
  if (parts.size() > out.size()) throw InputError(option + ": a size has up to three numbers, X,Y,Z");
  for (std::size_t i = 0; i < parts.size(); ++i)
    out[i] = static_cast<std::uint32_t>(number_in(option, parts[i], 1U << 20));
  return out;
}

std::pair<std::string, std::string> split_option(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) throw InputError(option + ": \"" + text + "\" has no \"=\"");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::uint32_t number_from_text(const std::string& option, const std::string& text) {
  return static_cast<std::uint32_t>(number_in(option, text, 0xffffffffU));
}

std::pair<std::uint32_t, std::uint32_t> binding_from_text(const std::string& option, const std::string& text) {
  const std::vector<std::string> parts = split(text, '.');
  if (parts.size() != 2) throw InputError(option + ": a buffer is named SET.BINDING, not \"" + text + '"');
  return {number_from_text(option, parts[0]), number_from_text(option, parts[1])};
}

std::vector<std::uint8_t> contents_from_text(const std::string& option, const std::string& text) {
  std::vector<std::uint8_t> out;
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const std::string rest = colon == std::string::npos ? std::string() : text.substr(colon + 1);
  if (kind == "words") {
    for (const std::string& word : split(rest, ',')) {
      const auto bits = spirv::literal_bits(word, 32, word.find('.') != std::string::npos);
      if (!bits) throw InputError(option + ": \"" + word + "\" is no word of 32 bits");
      add_word(static_cast<std::uint32_t>(*bits), out);
    }
    return out;
  }
  if (kind == "zeros" || kind == "iota" || kind == "random") {
    const std::uint64_t count = number_in(option, rest, kMostWords);
    std::mt19937 random(1);
    for (std::uint64_t i = 0; i < count; ++i)
      add_word(kind == "zeros"  ? 0U
               : kind == "iota" ? static_cast<std::uint32_t>(i)
                                : static_cast<std::uint32_t>(random()),
               out);
    return out;
  }
  try {
    const std::string bytes = read_input(text, 4 * kMostWords);
    return {bytes.begin(), bytes.end()};
  } catch (const InputError& error) {
    throw InputError(option + ": " + error.what() +
                     "; what a buffer holds is a file, zeros:N, iota:N, random:N or words:1,2,3");
  }
}

}  // namespace heddle::cli
