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

inline constexpr std::pair<std::string_view, Scope> kCallScopes[] = {
    {"Subgroup", Scope::Subgroup},        {"Workgroup", Scope::Workgroup},
    {"QueueFamily", Scope::QueueFamily},  {"Device", Scope::Device},
    {"ShaderCall", Scope::ShaderCallKHR}, {"FragmentInterlock", Scope::FragmentInterlock}};

inline constexpr std::pair<std::string_view, MemorySemantics> kCallOrders[] = {
    {"Relaxed", MemorySemantics::Relaxed},
    {"Acquire", MemorySemantics::Acquire},
    {"Release", MemorySemantics::Release},
    {"AcquireRelease", MemorySemantics::AcquireRelease}};

/// The semantics that name storage classes.
inline constexpr std::pair<std::string_view, MemorySemantics> kCallClasses[] = {
    {"UniformMemory", MemorySemantics::UniformMemory},
    {"WorkgroupMemory", MemorySemantics::WorkgroupMemory},
    {"ImageMemory", MemorySemantics::ImageMemory},
    {"OutputMemory", MemorySemantics::OutputMemory}};

/// Where a variable is, in front of it; the first one may be left out.
inline constexpr std::pair<std::string_view, StorageClass> kVariableWords[] = {{"buffer", StorageClass::StorageBuffer},
                                                                               {"shared", StorageClass::Workgroup},
                                                                               {"image", StorageClass::Image},
                                                                               {"out", StorageClass::Output},
                                                                               {"in", StorageClass::Input}};

/// Read-modify-writes with an arithmetic, whose name is behind "atomic". One without is "atomicExchange".
inline constexpr std::pair<std::string_view, Arithmetic> kUpdateWords[] = {
    {"atomicAdd", Arithmetic::Add},    {"atomicSub", Arithmetic::Subtract}, {"atomicMul", Arithmetic::Multiply},
    {"atomicDiv", Arithmetic::Divide}, {"atomicAnd", Arithmetic::And},      {"atomicOr", Arithmetic::Or},
    {"atomicXor", Arithmetic::Xor}};

inline constexpr std::pair<std::string_view, Arithmetic> kArithmeticSigns[] = {
    {"+", Arithmetic::Add}, {"-", Arithmetic::Subtract}, {"*", Arithmetic::Multiply}, {"/", Arithmetic::Divide},
    {"&", Arithmetic::And}, {"|", Arithmetic::Or},       {"^", Arithmetic::Xor}};

inline constexpr std::string_view kMakeAvailable = "MakeAvailable";
inline constexpr std::string_view kMakeVisible = "MakeVisible";
inline constexpr std::string_view kNonPrivate = "NonPrivate";

}  // namespace heddle::litmus
