#include "emulator/spirv/tokens.h"

namespace heddle::spirv {
namespace {

constexpr std::uint64_t kTokenBits = std::uint64_t{0xfedd1e} << 40;
constexpr std::uint64_t kOfSlot = std::uint64_t{1} << 39;
constexpr std::uint64_t kOfMemory = std::uint64_t{1} << 38;
// Twelve bits of a word in memory say which.
constexpr unsigned kNumberBits = 12;
constexpr std::size_t kMostInMemory = std::size_t{1} << kNumberBits;

}  // namespace

Tokens::Tokens(const std::set<std::uint64_t>& taken) {
  for (prefix_ = 0xfedd1; prefix_ > 0; --prefix_) {
    const auto first = taken.lower_bound(prefix_ << kNumberBits);
    if (first == taken.end() || *first >= (prefix_ + 1) << kNumberBits) return;
  }
}

std::uint64_t Tokens::of_slot(std::uint32_t agent, std::uint32_t slot) {
  return kTokenBits | kOfSlot | (std::uint64_t{agent & 0xffffU} << 20) | (slot & 0xfffffU);
}

std::uint64_t Tokens::of_memory(std::uint32_t allocation, std::uint64_t offset) {
  return kTokenBits | kOfMemory | (std::uint64_t{allocation & 0x3fffU} << 24) | (offset & 0xffffffU);
}

std::uint64_t Tokens::number(const std::vector<std::uint64_t>& key) {
  return numbers_.try_emplace(key, numbers_.size()).first->second;
}

std::optional<std::uint64_t> Tokens::known(const Computation& c, std::span<const std::uint64_t> arguments) {
  const bool same = arguments.size() == 2 && arguments[0] == arguments[1];
  if (same && (c.op == Op::OpIEqual || c.op == Op::OpUGreaterThanEqual || c.op == Op::OpSGreaterThanEqual)) return 1;
  if (same && (c.op == Op::OpINotEqual || c.op == Op::OpISub || c.op == Op::OpBitwiseXor)) return 0;
  if (c.op == Op::OpSelect && !is_token(arguments[0])) return arguments[0] != 0 ? arguments[1] : arguments[2];
  if (c.op == Op::OpCopyObject) return arguments[0];
  return std::nullopt;
}

std::uint64_t Tokens::computed(const Computation& c, std::span<const std::uint64_t> arguments) {
  if (const auto result = known(c, arguments)) return *result;
  std::vector<std::uint64_t> key{static_cast<std::uint64_t>(c.op), c.extended, c.bits};
  key.insert(key.end(), arguments.begin(), arguments.end());
  return kTokenBits | number(key);
}

std::uint64_t Tokens::derived(const Computation& c, std::span<const std::uint64_t> arguments) {
  if (const auto result = known(c, arguments)) return *result;
  constexpr std::uint64_t kMultiplier = 0x9e3779b97f4a7c15;
  std::uint64_t hash = (static_cast<std::uint64_t>(c.op) << 40) ^ (std::uint64_t{c.extended} << 8) ^ c.bits;
  for (const std::uint64_t argument : arguments) {
    hash = (hash ^ argument) * kMultiplier;
    hash ^= hash >> 29;
  }
  return kTokenBits | (hash & (kOfMemory - 1));
}

std::uint64_t Tokens::to_memory(std::uint64_t bits, std::uint32_t bytes) {
  if (!is_token(bits) || bytes == 8) return bits;
  if (bytes != 4) return 0;
  const auto [entry, fresh] = in_memory_.try_emplace(bits, by_memory_number_.size());
  if (entry->second >= kMostInMemory) return 0;
  if (fresh) by_memory_number_.push_back(bits);
  return (prefix_ << kNumberBits) | entry->second;
}

std::uint64_t Tokens::from_memory(std::uint64_t bits, std::uint32_t bytes) const {
  if (bytes != 4 || (bits >> kNumberBits) != prefix_) return bits;
  const std::uint64_t which = bits & (kMostInMemory - 1);
  return which < by_memory_number_.size() ? by_memory_number_[which] : bits;
}

}  // namespace heddle::spirv
