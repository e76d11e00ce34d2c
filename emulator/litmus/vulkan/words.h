#pragma once

/// \file
/// The words of the Vulkan dialect that stand for values, read by the parser and written by edits.

#include <heddle/spirv.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "emulator/litmus/arithmetic.h"

namespace heddle::litmus {

inline constexpr std::pair<std::string_view, Scope> kScopeWords[] = {
    {"sg", Scope::Subgroup},
    {"wg", Scope::Workgroup},
    {"qf", Scope::QueueFamily},
    {"dv", Scope::Device},
    // Our own extension, for threads that a shader call relates.
    {"sh", Scope::ShaderCallKHR},
    // The scope of fragment shader threads that overlap.
    {"fi", Scope::FragmentInterlock}};

inline constexpr std::pair<std::string_view, StorageClass> kStorageClassWords[] = {
    {"sc0", StorageClass::StorageBuffer},
    {"sc1", StorageClass::Workgroup},
    {"sc2", StorageClass::Image},
    {"sc3", StorageClass::Output},
    // Our own extension: what an earlier stage wrote to its Output.
    {"scin", StorageClass::Input}};

inline constexpr std::pair<std::string_view, Arithmetic> kArithmeticWords[] = {
    {"add", Arithmetic::Add}, {"sub", Arithmetic::Subtract}, {"mul", Arithmetic::Multiply}, {"div", Arithmetic::Divide},
    {"and", Arithmetic::And}, {"or", Arithmetic::Or},        {"xor", Arithmetic::Xor}};

/// What the word stands for, if the table has it.
template <typename Meaning, std::size_t size>
std::optional<Meaning> meaning_of(std::string_view word, const std::pair<std::string_view, Meaning> (&table)[size]) {
  const auto found =
      std::find_if(std::begin(table), std::end(table), [&](const auto& row) { return row.first == word; });
  return found == std::end(table) ? std::nullopt : std::optional(found->second);
}

/// The word for the value, if the table has one.
template <typename Meaning, std::size_t size>
std::optional<std::string_view> word_for(Meaning meaning, const std::pair<std::string_view, Meaning> (&table)[size]) {
  const auto found =
      std::find_if(std::begin(table), std::end(table), [&](const auto& row) { return row.second == meaning; });
  return found == std::end(table) ? std::nullopt : std::optional(found->first);
}

}  // namespace heddle::litmus
