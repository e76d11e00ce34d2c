#include "emulator/mu/host/kernels.h"

#include <fmt/format.h>
#include <heddle/device.h>

#include <algorithm>
#include <unordered_map>

#include "emulator/host/device_state.h"
#include "emulator/model/place.h"
#include "runtime/code_line.h"

namespace heddle::mu::host {

/// Hears what the kernels of a device access.
class KernelEar final : public trace::Listener {
 public:
  explicit KernelEar(Kernels& kernels) : kernels_(kernels) {}

  bool needs_plain_sources() const override { return false; }
  bool hears_moves() const override { return false; }
  void agent_begins(AgentId, const model::Place&) override {}
  void agents_begin(AgentId, std::uint32_t, const model::Place&, std::span<const std::uint32_t>) override {}
  void agent_ends(AgentId) override {}
  void agents_end(AgentId, std::uint32_t) override {}
  void system_synchronizes(AgentId, AgentId) override {}
  void operation(trace::OperationIndex, const Operation& operation, trace::Value, trace::Value,
                 std::span<const trace::Source>) override {
    if (operation.is_access()) {
      kernels_.heard(*this, operation);
    } else if (operation.is_memory_barrier()) {
      kernels_.heard_barrier(operation);
    }
  }
  void passes(trace::OperationIndex, std::span<const trace::OperationIndex>) override {}
  void meets(trace::OperationIndex, const Operation& barrier, std::uint32_t) override {
    kernels_.heard_barrier(barrier);
  }
  void placed(trace::OperationIndex) override {}

  /// By allocation of the device the number of the memory that host threads access, too.
  std::unordered_map<std::uint32_t, std::uint32_t> memories;

 private:
  Kernels& kernels_;
};

struct Kernels::Listened {
  explicit Listened(Kernels& kernels) : ear(kernels) {}
  KernelEar ear;
  std::shared_ptr<heddle::detail::DeviceState> state;
  std::optional<Device> device;
};

Kernels::Kernels() = default;
Kernels::~Kernels() = default;

std::shared_ptr<Device> Kernels::make_device(DeviceOptions options) {
  auto made = std::make_shared<Listened>(*this);
  options.mode = Mode::Emulated;
  // Workgroups on several threads have no order that could be told.
  options.races_parallel = false;
  made->state = std::make_shared<heddle::detail::DeviceState>(std::move(options));
  made->device.emplace(new heddle::detail::DeviceHandle{made->state});
  made->state->watchers.also_tell(made->ear, *made->state->memory);
  devices_.push_back(made);
  return {made, &*made->device};
}

bool Kernels::know(const Device& device) const {
  return std::any_of(devices_.begin(), devices_.end(), [&](const auto& one) { return &*one->device == &device; });
}

Kernels::Listened& Kernels::listened(const Device& device) const {
  return **std::find_if(devices_.begin(), devices_.end(), [&](const auto& one) { return &*one->device == &device; });
}

std::uint32_t Kernels::add_memory(const Device& device, const heddle::detail::Owner& memory,
                                  std::uint64_t element_bytes) {
  const std::uint32_t number = races_.add(memory->size_bytes);
  // Kept, so that no other allocation gets its number.
  memories_.push_back({memory, &*memory, element_bytes});
  listened(device).ear.memories[static_cast<std::uint32_t>(memory->id)] = number;
  return number;
}

std::uint32_t Kernels::submit(const Device& device, heddle::Extent groups, heddle::Extent local, ThreadIndex thread,
                              std::function<void()> dispatch, SourceLocation where) {
  Dispatch& made = dispatches_.emplace_back();
  made.thread = thread;
  made.run = std::move(dispatch);
  made.device = &device;
  made.groups = {groups.x, groups.y, groups.z};
  made.local = {local.x, local.y, local.z};
  made.where = where;
  return static_cast<std::uint32_t>(dispatches_.size() - 1);
}

std::optional<Finding> Kernels::run(std::uint32_t dispatch, machine::ClockValue number,
                                    std::span<const machine::ClockValue> clock) {
  Dispatch& one = dispatches_[dispatch];
  const std::function<void()> kernel = std::move(one.run);
  one.number = number;
  one.first_agent = listened(*one.device).state->next_agent;
  clock_.assign(clock.begin(), clock.end());
  running_ = dispatch;
  races_.kernel_runs(dispatch, one.thread, number, clock);
  std::optional<Finding> failure;
  try {
    kernel();
  } catch (const KernelError& error) {
    failure = error.finding();
  } catch (const std::exception& error) {
    failure.emplace();
    failure->message = fmt::format("the dispatch failed: {}", error.what());
    failure->where = one.where;
    failure->invocation = Coordinates::of_host_thread(one.thread);
  }
  running_.reset();
  return failure;
}

std::uint32_t Kernels::place(const SourceLocation& where) {
  // The last one is asked for again, mostly.
  for (std::size_t at = places_.size(); at-- > 0;) {
    const SourceLocation& one = places_[at];
    if (one.line == where.line && one.file == where.file && one.function == where.function)
      return static_cast<std::uint32_t>(at);
  }
  places_.push_back(where);
  return static_cast<std::uint32_t>(places_.size() - 1);
}

void Kernels::heard_barrier(const Operation& operation) {
  if (running_) races_.fence(acquires(operation.semantics), releases(operation.semantics));
}

void Kernels::heard(const KernelEar& ear, const Operation& operation) {
  const auto memory = ear.memories.find(static_cast<std::uint32_t>(operation.locations.allocation));
  if (memory == ear.memories.end() || !running_) return;
  static const model::Place some_workgroup;
  static const model::Place other_workgroup = [] {
    model::Place place;
    place.workgroup = 1;
    return place;
  }();
  const Dispatch& dispatch = dispatches_[*running_];
  MappedAccess access;
  access.thread = dispatch.thread;
  access.number = dispatch.number;
  access.place = place(operation.where);
  access.dispatch = *running_;
  access.invocation = static_cast<std::uint32_t>(operation.agent) - dispatch.first_agent;
  access.writes = operation.writes();
  access.atomic = operation.atomic;
  access.reads = operation.atomic && operation.reads();
  access.acquires = access.reads && acquires(operation.semantics);
  access.releases = operation.atomic && operation.writes() && releases(operation.semantics);
  access.wide = operation.atomic && model::same_instance(some_workgroup, other_workgroup, operation.scope);
  races_.access(memory->second, operation.locations.offset_bytes, operation.locations.size_bytes, access,
                clock_.data());
}

std::optional<Finding> Kernels::check(std::uint32_t memory, std::uint64_t offset_bytes, std::uint32_t size_bytes,
                                      bool writes) const {
  const heddle::detail::Allocation& allocation = *memories_[memory].allocation;
  const std::uint64_t index = offset_bytes / size_bytes;
  Finding out;
  if (allocation.freed) {
    out.kind = FindingKind::UseAfterFree;
    out.message = fmt::format("element {} of '{}', which was freed", index, allocation.name);
  } else if (offset_bytes + size_bytes > allocation.size_bytes) {
    out.kind = FindingKind::OutOfBounds;
    out.message = fmt::format("element {} of '{}', which has {} elements", index, allocation.name,
                              allocation.size_bytes / size_bytes);
  } else if (!writes && allocation.initialized.first_missing(offset_bytes, size_bytes, nullptr) != size_bytes) {
    out.kind = FindingKind::UninitializedRead;
    out.message = fmt::format("element {} of '{}' has never been written", index, allocation.name);
  } else {
    return std::nullopt;
  }
  out.object = allocation.name;
  out.index = index;
  return out;
}

void Kernels::access_by_host(std::uint32_t memory, std::uint64_t offset_bytes, std::uint32_t size_bytes,
                             MappedAccess access, SourceLocation where, const machine::ClockValue* clock) {
  access.place = place(where);
  races_.access(memory, offset_bytes, size_bytes, access, clock);
}

SourceLocation Kernels::place_of(const MappedAccess& access) const {
  const SourceLocation& where = places_[access.place];
  return access.dispatch == kNoDispatch ? where : runtime::source_of(where);
}

std::string Kernels::text_of(const MappedAccess& access) const {
  const char* const what = access.writes ? "write" : "read";
  const std::string kind = access.atomic ? fmt::format("an atomic {}", what) : fmt::format("a {}", what);
  if (access.dispatch == kNoDispatch) return fmt::format("{} by thread {}", kind, access.thread);
  return fmt::format("{} by invocation {} of dispatch {}", kind, access.invocation, access.dispatch);
}

Coordinates Kernels::coordinates_of(const MappedAccess& access) const {
  if (access.dispatch == kNoDispatch) return Coordinates::of_host_thread(access.thread);
  const Dispatch& dispatch = dispatches_[access.dispatch];
  const uvec3& local = dispatch.local;
  const uvec3& groups = dispatch.groups;
  const std::uint32_t size = local.x * local.y * local.z;
  const std::uint32_t group = access.invocation / size;
  const std::uint32_t index = access.invocation % size;
  Coordinates out;
  out.workgroup = {group % groups.x, group / groups.x % groups.y, group / groups.x / groups.y};
  out.local = {index % local.x, index / local.x % local.y, index / local.x / local.y};
  out.global = {out.workgroup.x * local.x + out.local.x, out.workgroup.y * local.y + out.local.y,
                out.workgroup.z * local.z + out.local.z};
  // Which lane is which is not known here where they are shuffled.
  out.exact = dispatch.device->options().lane_mapping == LaneMapping::Linear;
  const std::uint32_t subgroup_size = dispatch.device->options().subgroup_size.value();
  out.subgroup = index / subgroup_size;
  out.lane = index % subgroup_size;
  return out;
}

}  // namespace heddle::mu::host
