#include <heddle/detail/queue_commands.h>
#include <heddle/module.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "emulator/spirv/compiler/compile.h"
#include "emulator/spirv/dispatch.h"
#include "emulator/spirv/host/beside.h"
#include "emulator/spirv/host/kernel.h"
#include "emulator/spirv/inputs.h"
#include "emulator/spirv/run/words.h"
#include "emulator/spirv/source.h"

namespace heddle {
namespace {

using Buffers = std::span<const BoundBuffer>;

std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw ModuleError(file + ": cannot read it");
  return {std::istreambuf_iterator<char>(in), {}};
}

spirv::Module module_of(const std::string& file) {
  const std::string bytes = text_of(file);
  if (spirv::is_glsl(file)) return spirv::read_binary(spirv::compile_glsl(file));
  return spirv::is_binary(bytes) ? spirv::read_binary(bytes) : spirv::assemble(bytes);
}

std::array<std::uint32_t, 3> size_of(const Extent& extent) {
  return {extent.x, extent.y, extent.z};
}

spirv::DispatchOptions options_of(const ModuleOptions& module, const Device& device, const Extent& groups) {
  spirv::DispatchOptions out;
  out.giver = spirv::Giver::Program;
  out.entry = module.entry;
  out.groups = size_of(groups);
  if (module.local) out.local = size_of(*module.local);
  out.subgroup_size = device.options().subgroup_size;
  out.specialization = module.specialization;
  out.reconverge_maximal = module.reconverge_maximal;
  return out;
}

/// Whether a race is of this module: its accesses are in the module's file, or in one that its line records name.
bool is_of_module(const DataRace& race, const spirv::Module& module, const std::string& file) {
  const std::string_view where = race.second.where.file;
  return where == file ||
         std::any_of(module.instructions.begin(), module.instructions.end(), [&](const spirv::Instruction& each) {
           return each.op == spirv::Op::OpString && module.string_at(each, 0) == where;
         });
}

/// The bindings of a plan's buffers, and one without an allocation for those that are not given.
std::vector<emulation::Binding> bindings_of(const spirv::Plan& plan, Buffers buffers) {
  std::vector<emulation::Binding> out(buffers.size() + 1);
  for (const spirv::PlannedObject& object : plan.objects()) {
    if (object.kind != spirv::PlannedObject::Kind::Buffer || object.binding == buffers.size()) continue;
    const BoundBuffer& buffer = buffers[object.binding];
    out[object.binding] = {*buffer.owner, buffer.reference, object.storage};
    out[object.binding].name = object.name;
  }
  return out;
}

}  // namespace

struct Module::Parts {
  /// A module with buffers, for dispatches of so many workgroups.
  struct Planned {
    Planned(const spirv::Module& module, const spirv::DispatchOptions& options, const std::string& file,
            const spirv::MemoryHandlers& handlers)
        : dispatch(module, {}, options), plan(dispatch, file, handlers) {}

    /// Whether a dispatch of so many workgroups with these buffers can run it.
    bool is_for(const Extent& groups, Buffers buffers) const {
      return dispatch.group_count() == size_of(groups) &&
             std::equal(buffers.begin(), buffers.end(), places.begin(), places.end(),
                        [](const BoundBuffer& buffer, const auto& place) {
                          return std::pair(buffer.set, buffer.binding) == place;
                        });
    }

    Extent local() const {
      const std::array<std::uint32_t, 3> size = dispatch.local_size();
      return {size[0], size[1], size[2]};
    }

    spirv::Dispatch dispatch;
    spirv::Plan plan;
    /// Sets and bindings of the buffers, in their order.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
  };

  Device& device;
  std::string file;
  ModuleOptions options;
  spirv::Module module;
  std::optional<std::vector<std::uint8_t>> push_constants;
  std::shared_ptr<const Planned> planned;
  spirv::BesideDevice beside;
  /// What races() told last.
  std::vector<DataRace> races;

  std::shared_ptr<const Planned> plan(const Extent& groups, Buffers buffers) const {
    spirv::DispatchOptions asked = options_of(options, device, groups);
    asked.on_device = true;
    asked.push_constants = push_constants;
    for (const BoundBuffer& each : buffers)
      if (!asked.buffers.try_emplace({each.set, each.binding}).second)
        throw spirv::Error({}, spirv::spelled({each.set, each.binding}) + " is bound twice");
    const bool emulated = device.mode() == Mode::Emulated;
    auto out = std::make_shared<Planned>(
        module, asked, file,
        emulated ? spirv::memory_handlers<emulated::Invocation>() : spirv::memory_handlers<native::Invocation>());
    // A buffer that is not given has the binding behind the last.
    for (std::size_t number = 0; number < out->plan.objects().size(); ++number)
      out->plan.object(number).binding = buffers.size();
    for (const BoundBuffer& each : buffers) {
      out->plan.object(out->dispatch.object_at({each.set, each.binding})).binding = out->places.size();
      out->places.emplace_back(each.set, each.binding);
    }
    return out;
  }

  const Planned& ready(const Extent& groups, Buffers buffers) {
    if (!planned || !planned->is_for(groups, buffers)) planned = plan(groups, buffers);
    return *planned;
  }

  DispatchResult run(Device& on, const Planned& ready, const uvec3& base, const Extent& groups, Buffers buffers) const {
    std::size_t number = 0;
    for (const BoundBuffer& each : buffers) on.check_argument(++number, &each.owner);
    const std::vector<emulation::Binding> bindings = bindings_of(ready.plan, buffers);
    const spirv::ModuleKernel kernel(ready.plan, bindings);
    const detail::Call<spirv::ModuleKernel> call{kernel, {}, {}};
    detail::TypedLaunch typed;
    typed.native = detail::NativeEntries<spirv::ModuleKernel>::entries();
    typed.emulated = {&detail::run_emulated<spirv::ModuleKernel>, &detail::run_emulated_invocation<spirv::ModuleKernel>,
                      &detail::run_emulated_turns<spirv::ModuleKernel>};
    typed.call = &call;
    typed.bindings = bindings;
    typed.base = base;
    return launch(on, typed, groups, ready.local());
  }
};

/// A dispatch of a module in a command buffer.
class Module::Recorded final : public detail::RecordedDispatch {
 public:
  Recorded(const Parts& parts, Extent groups, std::vector<BoundBuffer> buffers)
      : parts_(parts), groups_(groups), buffers_(std::move(buffers)), planned_(parts.plan(groups, buffers_)) {
    if (!planned_->plan.why_not().empty())
      throw ModuleError(parts.file + ": " + planned_->plan.why_not() + ", which no command of a queue can be");
  }

  void run(Device& device, const uvec3& base, const Extent* groups) const override {
    if (groups == nullptr || size_of(*groups) == size_of(groups_)) {
      parts_.run(device, *planned_, base, groups_, buffers_);
      return;
    }
    parts_.run(device, *parts_.plan(*groups, buffers_), base, *groups, buffers_);
  }
  std::vector<emulation::Binding> bindings() const override { return bindings_of(planned_->plan, buffers_); }
  std::vector<detail::Owner> owners() const override {
    std::vector<detail::Owner> out;
    for (const BoundBuffer& buffer : buffers_)
      if (buffer.owner) out.push_back(buffer.owner);
    return out;
  }
  std::pair<Extent, Extent> shape() const override { return {groups_, planned_->local()}; }

 private:
  const Parts& parts_;
  Extent groups_;
  std::vector<BoundBuffer> buffers_;
  std::shared_ptr<const Parts::Planned> planned_;
};

Module::Module(Device& device, const std::string& file, ModuleOptions options) {
  if (!device.options().edits.empty())
    throw std::invalid_argument(
        "heddle: a module does not run on a device with DeviceOptions::edits; make a device without");
  try {
    parts_.reset(new Parts{device, file, std::move(options), module_of(file), std::nullopt, nullptr, {}, {}});
  } catch (const spirv::Error& error) {
    throw ModuleError(spirv::placed(file, error));
  }
}

Module::~Module() = default;

void Module::set_push_constants(std::span<const std::byte> bytes) {
  parts_->push_constants.emplace();
  for (const std::byte byte : bytes) parts_->push_constants->push_back(std::to_integer<std::uint8_t>(byte));
  parts_->planned = nullptr;
}

DispatchResult Module::launch(Device& device, const detail::TypedLaunch& typed, const Extent& groups,
                              const Extent& local) {
  DispatchResult out;
  device.submit([&](Commands&) {
    out = device.launch(typed, {groups.x, groups.y, groups.z}, {local.x, local.y, local.z});
  });
  return out;
}

DispatchResult Module::dispatch(Extent groups, Buffers given) {
  try {
    const Parts::Planned& ready = parts_->ready(groups, given);
    if (ready.plan.why_not().empty()) return parts_->run(parts_->device, ready, {0, 0, 0}, groups, given);
    spirv::DispatchOptions options = options_of(parts_->options, parts_->device, groups);
    options.push_constants = parts_->push_constants;
    return parts_->beside.dispatch(parts_->device, parts_->module, parts_->file, options, given);
  } catch (const spirv::Error& error) {
    throw ModuleError(spirv::placed(parts_->file, error));
  }
}

std::unique_ptr<detail::RecordedDispatch> Module::recorded(Extent groups, Buffers buffers) {
  try {
    return std::make_unique<Recorded>(*parts_, groups, std::vector<BoundBuffer>(buffers.begin(), buffers.end()));
  } catch (const spirv::Error& error) {
    throw ModuleError(spirv::placed(parts_->file, error));
  }
}

std::unique_ptr<detail::RecordedDispatch> Module::recorded(Extent groups, std::initializer_list<BoundBuffer> buffers) {
  return recorded(groups, Buffers(buffers.begin(), buffers.size()));
}

const std::vector<DataRace>& Module::races() const {
  std::vector<DataRace>& out = parts_->races = parts_->beside.races();
  const bool glsl = parts_->planned && parts_->planned->dispatch.code().glsl450;
  for (DataRace& race : parts_->device.races()) {
    if (!is_of_module(race, parts_->module, parts_->file)) continue;
    spirv::reword_changes(race, glsl);
    out.push_back(std::move(race));
  }
  return out;
}

void Module::require_no_races() const {
  if (!races().empty()) throw KernelError(to_finding(parts_->races.front()));
}

}  // namespace heddle
