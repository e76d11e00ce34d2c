#pragma once

/// \file
/// A planned module as a kernel of a device.

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "emulator/spirv/host/memory_steps.h"
#include "emulator/spirv/host/plan.h"

namespace heddle::spirv {

/// The handlers of a mode.
template <typename Invocation>
const MemoryHandlers& memory_handlers() {
  using Steps = MemorySteps<Invocation>;
  static constexpr MemoryHandlers kHandlers{&Steps::load, &Steps::store, &Steps::atomic, &Steps::fence,
                                            &Steps::barrier};
  return kHandlers;
}

/// What a dispatch runs: each invocation goes through the steps of the plan.
class ModuleKernel {
 public:
  /// Plan and bindings must outlive the kernel, which looks up buffers in the bindings natively; emulated, in those of
  /// the device.
  ModuleKernel(const Plan& plan, const std::vector<emulation::Binding>& bindings) : plan_(plan), bindings_(bindings) {}

  template <typename Invocation>
  void operator()(Invocation& invocation) const {
    std::array<std::uint64_t, kSlotsOnStack> few_slots;
    std::array<Place, kPlacesOnStack> few_places;
    std::unique_ptr<std::uint64_t[]> many_slots;
    std::vector<Place> many_places;
    const std::vector<std::uint64_t>& image = plan_.image();
    State state;
    state.slots = few_slots.data();
    if (image.size() > few_slots.size()) {
      many_slots.reset(new std::uint64_t[image.size()]);
      state.slots = many_slots.get();
    }
    Place* places = few_places.data();
    if (plan_.objects().size() > few_places.size()) {
      many_places.resize(plan_.objects().size());
      places = many_places.data();
    }
    std::copy(image.begin(), image.end(), state.slots);
    fill_built_ins(invocation, state.slots);
    find_places(invocation, places);
    state.places = places;
    state.place_count = plan_.objects().size();
    state.slot_count = image.size();
    state.invocation = &invocation;
    state.coordinates = [](const void* of) { return static_cast<const Invocation*>(of)->coordinates(); };
    for (const Step* step = plan_.first(); step != nullptr;) step = step->run(step, state);
  }

 private:
  // What most shaders need.
  static constexpr std::size_t kSlotsOnStack = 256;
  static constexpr std::size_t kPlacesOnStack = 12;

  template <typename Invocation>
  void find_places(Invocation& invocation, Place* places) const {
    const std::vector<PlannedObject>& objects = plan_.objects();
    for (std::size_t number = 0; number < objects.size(); ++number) {
      const PlannedObject& object = objects[number];
      Place& place = places[number];
      place.sharing = object.sharing;
      place.object = object.words;
      switch (object.kind) {
        case PlannedObject::Kind::Nothing:
          break;
        case PlannedObject::Kind::Constant:
          place.constant = true;
          place.bytes = const_cast<std::byte*>(object.bytes.data());
          place.size = object.bytes.size();
          break;
        case PlannedObject::Kind::OfWorkgroup:
          find_variable(invocation, object, place);
          break;
        case PlannedObject::Kind::Buffer:
          find_buffer(invocation, object, place);
      }
    }
  }
  void find_buffer(emulated::Invocation& invocation, const PlannedObject& object, Place& place) const {
    const emulation::Binding& binding = invocation.agent().resident->arguments[object.binding];
    if (binding.allocation == nullptr) return;
    place.binding = &binding;
    place.size = binding.size_bytes;
  }
  void find_buffer(native::Invocation&, const PlannedObject& object, Place& place) const {
    const emulation::Binding& binding = bindings_[object.binding];
    if (binding.allocation == nullptr) return;
    place.bytes = binding.allocation->bytes;
    place.size = binding.size_bytes;
  }
  template <typename Invocation>
  void find_variable(Invocation& invocation, const PlannedObject& object, Place& place) const {
    const auto words = invocation.template workgroup_array<std::uint64_t>(
        (object.size + 7) / 8, object.name, object.zeroed ? InitialValue::Zero : InitialValue::Undefined,
        plan_.place());
    place.size = object.size;
    if constexpr (Invocation::kEmulated) {
      place.binding = words.place().binding;
    } else {
      place.bytes = reinterpret_cast<std::byte*>(words.memory());
    }
  }

  template <typename Invocation>
  void fill_built_ins(const Invocation& invocation, std::uint64_t* slots) const {
    for (const BuiltIn& each : plan_.built_ins()) {
      uvec4 values = value_of(invocation, each.which);
      for (std::uint32_t i = 0; i < each.count && i < 4; ++i) slots[each.first + i] = values[i];
    }
  }
  /// The value of a built-in that is another one for each invocation.
  template <typename Invocation>
  static uvec4 value_of(const Invocation& invocation, spv::BuiltIn which);

  const Plan& plan_;
  const std::vector<emulation::Binding>& bindings_;
};

template <typename Invocation>
uvec4 ModuleKernel::value_of(const Invocation& invocation, spv::BuiltIn which) {
  const auto three = [](const uvec3& v) { return uvec4{v.x, v.y, v.z, 0}; };
  switch (which) {
    case spv::BuiltIn::WorkgroupId:
      return three(invocation.workgroup_id());
    case spv::BuiltIn::LocalInvocationId:
      return three(invocation.local_invocation_id());
    case spv::BuiltIn::GlobalInvocationId:
      return three(invocation.global_invocation_id());
    case spv::BuiltIn::LocalInvocationIndex:
      return {invocation.local_invocation_index(), 0, 0, 0};
    case spv::BuiltIn::SubgroupId:
      return {invocation.subgroup_id(), 0, 0, 0};
    case spv::BuiltIn::SubgroupLocalInvocationId:
      return {invocation.subgroup_local_invocation_id(), 0, 0, 0};
    case spv::BuiltIn::SubgroupEqMask:
      return invocation.subgroup_eq_mask();
    case spv::BuiltIn::SubgroupGeMask:
      return invocation.subgroup_ge_mask();
    case spv::BuiltIn::SubgroupGtMask:
      return invocation.subgroup_gt_mask();
    case spv::BuiltIn::SubgroupLeMask:
      return invocation.subgroup_le_mask();
    default:
      return invocation.subgroup_lt_mask();
  }
}

}  // namespace heddle::spirv
