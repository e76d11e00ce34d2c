#pragma once

/// \file
/// Several dispatches of one emulated device that are under way at the same time, and take turns.

#include <cstdint>
#include <memory>

namespace heddle::detail {

class DeviceState;

/// What a dispatch that takes turns with others has of its device to itself: an emulator, an oracle, a shape. All of
/// them have the memory in common, which must be storage, and nothing but the listener of the memory hears them.
class SetAside {
 public:
  /// Whether dispatches of the device may take turns.
  static bool is_possible(const DeviceState& device);

  /// `number` is another one for each of those that are there at a time, from 1 on. No dispatch runs.
  SetAside(DeviceState& device, std::uint32_t number);
  ~SetAside();
  SetAside(const SetAside&) = delete;
  SetAside& operator=(const SetAside&) = delete;

  /// From now on this dispatch, which begins or goes on, has the device.
  void take();
  /// What had the device before `take` has it again.
  void give_back();

 private:
  struct Own;
  void exchange();

  DeviceState& device_;
  const std::unique_ptr<Own> own_;
  /// Something of the thread whose submission it is; null if it has begun none.
  const void* submitter_ = nullptr;
};

}  // namespace heddle::detail
