#include "emulator/model/place.h"

namespace heddle::model {
namespace {

bool same_queue_family(const Place& a, const Place& b) {
  return a.device == b.device && a.queue_family == b.queue_family;
}

bool same_workgroup(const Place& a, const Place& b) {
  return same_queue_family(a, b) && a.workgroup == b.workgroup;
}

}  // namespace

//= vk:memory-model-scope
bool same_instance(const Place& a, const Place& b, Scope scope) {
  if (scope == Scope::CrossDevice) return true;
  if (a.kind != AgentKind::Shader || b.kind != AgentKind::Shader) return false;
  switch (scope) {
    case Scope::CrossDevice:
      return true;
    case Scope::Device:
      return a.device == b.device;
    case Scope::QueueFamily:
      return same_queue_family(a, b);
    //= vk:memory-model-synchronizes-with
    case Scope::FragmentInterlock:
      return same_queue_family(a, b) && a.stage == Stage::Fragment && b.stage == Stage::Fragment &&
             a.interlock_group != 0 && a.interlock_group == b.interlock_group;
    //= vk:shader-call-related
    case Scope::ShaderCallKHR:
      return same_queue_family(a, b) && a.shader_call_group != 0 && a.shader_call_group == b.shader_call_group;
    case Scope::Workgroup:
      return same_workgroup(a, b);
    case Scope::Subgroup:
      return same_workgroup(a, b) && a.subgroup == b.subgroup;
    case Scope::Invocation:
      return false;
  }
  return false;
}

std::string_view name(Domain domain) {
  switch (domain) {
    case Domain::Host:
      return "host";
    case Domain::Device:
      return "device";
    case Domain::Shader:
      return "shader";
    case Domain::QueueFamilyInstance:
      return "queue family instance";
    case Domain::FragmentInterlockInstance:
      return "fragment interlock instance";
    case Domain::ShaderCallInstance:
      return "shader call instance";
    case Domain::WorkgroupInstance:
      return "workgroup instance";
    case Domain::SubgroupInstance:
      return "subgroup instance";
  }
  return "?";
}

}  // namespace heddle::model
