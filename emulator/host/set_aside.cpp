#include "emulator/host/set_aside.h"

#include <algorithm>
#include <utility>

#include "emulator/host/device_state.h"
#include "emulator/host/emulator.h"
#include "emulator/memory/gated.h"
#include "emulator/memory/policy.h"

namespace heddle::detail {

struct SetAside::Own {
  Own(DeviceState& device, std::unique_ptr<memory::GatedMemory> made)
      : gate(*made),
        memory(std::move(made)),
        emulator(std::make_unique<emulation::Emulator>(device)),
        launch(device.launch),
        watchers(device.options, emulation::recorded_accesses()) {}

  /// Also while another memory is in place of it.
  memory::GatedMemory& gate;
  std::unique_ptr<memory::Memory> memory;
  std::unique_ptr<emulation::Emulator> emulator;
  CurrentChoice choice;
  runtime::Launch launch;
  watch::Watchers watchers;
};

bool SetAside::is_possible(const DeviceState& device) {
  return device.in_order() && !device.watchers.has_trace();
}

SetAside::SetAside(DeviceState& device, std::uint32_t number, trace::Listener& ear)
    : device_(device),
      own_(std::make_unique<Own>(
          device, std::make_unique<memory::GatedMemory>(memory::make_memory(*device.options.memory, device.choice)))) {
  // No two barriers of dispatches that are under way have one number.
  constexpr std::uint32_t kBits = 48;
  own_->emulator->edits = device.emulator->edits;
  own_->emulator->number_barriers_from(std::uint64_t{number} << kBits);
  own_->launch.observer = own_->emulator.get();
  own_->watchers.listen_to(own_->gate.inner());
  own_->watchers.also_tell(ear, own_->gate.inner());
  own_->watchers.counts_with(device.watchers);
  device.add_all_to(*own_->memory);
  device.set_aside.push_back(this);
}

SetAside::~SetAside() {
  own_->watchers.hand_in_all();
  std::erase(device_.set_aside, this);
}

memory::Memory& SetAside::memory() const {
  return *own_->memory;
}

watch::Watchers& SetAside::watchers() const {
  return own_->watchers;
}

void SetAside::before_accesses(std::function<void()> call) {
  own_->gate.before_accesses(std::move(call));
}

void SetAside::settle() {
  own_->gate.settle();
}

void SetAside::hand_over() {
  own_->gate.hand_over();
}

void SetAside::exchange() {
  std::swap(device_.emulator, own_->emulator);
  std::swap(device_.memory, own_->memory);
  std::swap(device_.choice, own_->choice);
  std::swap(device_.launch, own_->launch);
  device_.watchers.exchange(own_->watchers);
  device_.memory->draw_from(device_.choice.drawn());
}

void SetAside::take() {
  exchange();
  if (!submitter_) return;
  device_.submitting.lock();
  device_.submitter.store(submitter_, std::memory_order_relaxed);
}

void SetAside::give_back() {
  submitter_ = device_.submitter.exchange(nullptr, std::memory_order_relaxed);
  if (submitter_) device_.submitting.unlock();
  exchange();
}

}  // namespace heddle::detail
