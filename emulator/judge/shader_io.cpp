#include "emulator/judge/facts.h"

namespace heddle::judge {
namespace {

bool is_shader_input(StorageClass storage) {
  switch (storage) {
    case StorageClass::Input:
    case StorageClass::CallableDataKHR:
    case StorageClass::IncomingCallableDataKHR:
    case StorageClass::RayPayloadKHR:
    case StorageClass::HitAttributeKHR:
    case StorageClass::IncomingRayPayloadKHR:
      return true;
    default:
      return false;
  }
}

bool is_shader_output(StorageClass storage) {
  return storage == StorageClass::Output || (is_shader_input(storage) && storage != StorageClass::Input);
}

}  // namespace

// Corresponding input and output variables are recorded at the same memory locations.
//= vk:memory-model-shader-io
bool is_shader_input_from(const Facts& facts, EventIndex write, EventIndex read) {
  const Operation& w = facts.operation(write);
  const Operation& r = facts.operation(read);
  if (!facts.events[write].writes || !facts.events[read].reads) return false;
  if (!is_shader_output(w.storage_class) || !is_shader_input(r.storage_class)) return false;
  if (facts.execution->place(r.agent).stage == model::Stage::Vertex) return false;
  if (!w.locations.overlaps(r.locations)) return false;
  for (const auto& [contributor, generated] : facts.execution->shader_inputs)
    if (contributor == w.agent && generated == r.agent) return true;
  return false;
}

//= vk:memory-model-shader-io
void add_shader_input_synchronization(Facts& facts) {
  if (facts.execution->shader_inputs.empty()) return;
  facts.writes.for_each([&](EventIndex w) {
    facts.reads.for_each([&](EventIndex r) {
      if (is_shader_input_from(facts, w, r)) facts.system_synchronizes.add(w, r);
    });
  });
}

//= vk:memory-model-shader-io
void add_shader_input_order(const Facts& facts, Location& location) {
  if (facts.execution->shader_inputs.empty()) return;
  location.accesses.for_each([&](EventIndex w) {
    location.accesses.for_each([&](EventIndex r) {
      if (is_shader_input_from(facts, w, r)) location.location_ordered.add(w, r);
    });
  });
}

}  // namespace heddle::judge
