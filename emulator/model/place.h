#pragma once

/// \file
/// Agents, and where they stand among the scope instances.

#include <heddle/spirv.h>

#include <cstdint>
#include <string_view>

namespace heddle::model {

/// What executes operations.
//= vk:memory-model-agent
enum class AgentKind : std::uint8_t { Shader, Host, FixedFunction };

/// The execution model of a shader invocation, where the memory model asks for it.
enum class Stage : std::uint8_t { Compute, Vertex, TessellationControl, Fragment, RayTracing, Other };

/// The place of an agent: the number of each scope instance that it belongs to. Numbers are relative
/// to the enclosing instance: two agents are in one subgroup if all numbers down to `subgroup` agree.
/// (Aligned, and without a rest that copies leave out, so that copies of copies are loaded as wide as they were
/// stored.)
//= vk:memory-model-scope
struct alignas(16) Place {
  AgentKind kind = AgentKind::Shader;
  Stage stage = Stage::Compute;
  std::uint32_t device = 0;
  std::uint32_t queue_family = 0;
  std::uint32_t workgroup = 0;
  std::uint32_t subgroup = 0;
  /// Invocations with equal numbers other than 0 are shader-call-related.
  std::uint32_t shader_call_group = 0;
  /// Fragment invocations with equal numbers other than 0 overlap.
  std::uint32_t interlock_group = 0;
  /// Bits without a meaning; zero.
  std::uint32_t rest = 0;

  friend bool operator==(const Place&, const Place&) = default;

  static Place host() {
    Place place;
    place.kind = AgentKind::Host;
    return place;
  }
  bool is_host() const { return kind == AgentKind::Host; }
};

/// Whether two *distinct* agents at these places are in one instance of `scope`. Host agents share
/// `CrossDevice` with everybody and no other scope; `Invocation` is never shared.
//= vk:memory-model-scope
bool same_instance(const Place& a, const Place& b, Scope scope);

/// The domains that the memory model names, from wide to narrow.
//= vk:memory-model-availability-visibility
enum class Domain : std::uint8_t {
  Host,
  Device,
  Shader,
  QueueFamilyInstance,
  FragmentInterlockInstance,
  ShaderCallInstance,
  WorkgroupInstance,
  SubgroupInstance,
};

/// SPIR-V's way to write it, in lower case ("shader", "workgroup instance").
std::string_view name(Domain domain);

}  // namespace heddle::model
