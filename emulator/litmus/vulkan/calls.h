#pragma once

/// \file
/// The words of the second spelling of instructions, which reads like GLSL: `atomicStore(y, 1, Release, Workgroup,
/// UniformMemory | MakeAvailable)`. GRAMMAR.md has the rules.

#include <heddle/operation.h>

#include <optional>
#include <string_view>
#include <utility>

#include "emulator/litmus/arithmetic.h"

namespace heddle::litmus {

inline constexpr std::pair<Scope, std::string_view> kScopeWords[] = {
    {Scope::Subgroup, "Subgroup"},        {Scope::Workgroup, "Workgroup"},
    {Scope::QueueFamily, "QueueFamily"},  {Scope::Device, "Device"},
    {Scope::ShaderCallKHR, "ShaderCall"}, {Scope::FragmentInterlock, "FragmentInterlock"}};

inline constexpr std::pair<MemorySemantics, std::string_view> kOrderWords[] = {
    {MemorySemantics::Relaxed, "Relaxed"},
    {MemorySemantics::Acquire, "Acquire"},
    {MemorySemantics::Release, "Release"},
    {MemorySemantics::AcquireRelease, "AcquireRelease"}};

/// The semantics that name storage classes.
inline constexpr std::pair<MemorySemantics, std::string_view> kStorageClassWords[] = {
    {MemorySemantics::UniformMemory, "UniformMemory"},
    {MemorySemantics::WorkgroupMemory, "WorkgroupMemory"},
    {MemorySemantics::ImageMemory, "ImageMemory"},
    {MemorySemantics::OutputMemory, "OutputMemory"}};

/// Where a variable is, in front of it; the first one may be left out.
inline constexpr std::pair<StorageClass, std::string_view> kVariableWords[] = {{StorageClass::StorageBuffer, "buffer"},
                                                                               {StorageClass::Workgroup, "shared"},
                                                                               {StorageClass::Image, "image"},
                                                                               {StorageClass::Output, "out"},
                                                                               {StorageClass::Input, "in"}};

/// Read-modify-writes with an arithmetic, whose name is behind "atomic". One without is "atomicExchange".
inline constexpr std::pair<Arithmetic, std::string_view> kUpdateWords[] = {
    {Arithmetic::Add, "atomicAdd"},    {Arithmetic::Subtract, "atomicSub"}, {Arithmetic::Multiply, "atomicMul"},
    {Arithmetic::Divide, "atomicDiv"}, {Arithmetic::And, "atomicAnd"},      {Arithmetic::Or, "atomicOr"},
    {Arithmetic::Xor, "atomicXor"}};

inline constexpr std::pair<Arithmetic, std::string_view> kArithmeticSigns[] = {
    {Arithmetic::Add, "+"}, {Arithmetic::Subtract, "-"}, {Arithmetic::Multiply, "*"}, {Arithmetic::Divide, "/"},
    {Arithmetic::And, "&"}, {Arithmetic::Or, "|"},       {Arithmetic::Xor, "^"}};

inline constexpr std::string_view kMakeAvailable = "MakeAvailable";
inline constexpr std::string_view kMakeVisible = "MakeVisible";
inline constexpr std::string_view kNonPrivate = "NonPrivate";

/// The word of a value in one of these tables; nothing if it has none.
template <typename Value, std::size_t size>
constexpr std::optional<std::string_view> word_for(const std::pair<Value, std::string_view> (&words)[size],
                                                   Value value) {
  for (const auto& [one, word] : words)
    if (one == value) return word;
  return std::nullopt;
}

/// The value of a word in one of these tables; nothing if it is not there.
template <typename Value, std::size_t size>
constexpr std::optional<Value> value_of(const std::pair<Value, std::string_view> (&words)[size],
                                        std::string_view word) {
  for (const auto& [value, one] : words)
    if (one == word) return value;
  return std::nullopt;
}

}  // namespace heddle::litmus
