#include "emulator/host/set_aside.h"

#include <utility>

#include "emulator/host/device_state.h"
#include "emulator/host/emulator.h"

namespace heddle::detail {

struct SetAside::Own {
  std::unique_ptr<emulation::Emulator> emulator;
  CurrentChoice choice;
  runtime::Launch launch;
};

bool SetAside::is_possible(const DeviceState& device) {
  return device.in_order() && device.memory->is_storage() && !device.watchers.looks_for_races() &&
         !device.watchers.has_trace() && !device.emulator->edits;
}

SetAside::SetAside(DeviceState& device, std::uint32_t number)
    : device_(device), own_(new Own{std::make_unique<emulation::Emulator>(device), {}, device.launch}) {
  // No two barriers of dispatches that are under way have one number.
  constexpr std::uint32_t kBits = 48;
  own_->emulator->number_barriers_from(std::uint64_t{number} << kBits);
  own_->launch.observer = own_->emulator.get();
}

SetAside::~SetAside() = default;

void SetAside::exchange() {
  std::swap(device_.emulator, own_->emulator);
  std::swap(device_.choice, own_->choice);
  std::swap(device_.launch, own_->launch);
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
