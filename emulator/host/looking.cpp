// When an emulator looks for a standstill, and when it does no longer.

#include <algorithm>

#include "emulator/host/emulator.h"

namespace heddle::emulation {

void Emulator::hear_as_usual() {
  told = edits || follows_undefined ? &recorded_accesses() : device.watchers.door();
  patience_left_ = patience_;
  looks_for_standstill_ = false;
}

void Emulator::begin_to_look_for_standstill() {
  standstill_.begin(static_cast<std::uint64_t>(patience_ / first_patience_));
  looks_for_standstill_ = true;
  told = &recorded_accesses();
}

bool Emulator::is_standstill(detail::Standstill::Verdict verdict) {
  using Verdict = detail::Standstill::Verdict;
  if (verdict == Verdict::SomethingGoesOn) {
    patience_ = std::min(2 * patience_, most_patience_);
    hear_as_usual();
  }
  return verdict == Verdict::NothingGoesOn;
}

}  // namespace heddle::emulation
