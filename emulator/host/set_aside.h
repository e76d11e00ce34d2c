#pragma once

/// \file
/// Several dispatches of one emulated device that are under way at the same time, and take turns.

#include <cstdint>
#include <functional>
#include <memory>

namespace heddle::memory {
class Memory;
}
namespace heddle::trace {
class Listener;
}
namespace heddle::watch {
class Watchers;
}

namespace heddle::detail {

class DeviceState;

/// What a dispatch that takes turns with others has of its device to itself: an emulator, an oracle, a shape, who looks
/// for races in it, and a memory, which holds back what the dispatch writes. All of these memories have one storage:
/// what has come there is there for everybody.
class SetAside {
 public:
  /// Whether dispatches of the device may take turns.
  static bool is_possible(const DeviceState& device);

  /// `number` is another one for each of those that are there at a time, from 1 on. `ear`, which must outlive it, hears
  /// what the dispatch accesses. No dispatch runs.
  SetAside(DeviceState& device, std::uint32_t number, trace::Listener& ear);
  ~SetAside();
  SetAside(const SetAside&) = delete;
  SetAside& operator=(const SetAside&) = delete;

  /// Called in front of each access to memory that the dispatch makes from now on.
  void before_accesses(std::function<void()> call);
  /// From now on this dispatch, which begins or goes on, has the device.
  void take();
  /// What had the device before `take` has it again.
  void give_back();
  /// What the dispatch, which has the device, has written until now is in the storage, and what it has read it reads
  /// again from there.
  void settle();
  /// What of it has come to the whole device is in the storage.
  void hand_over();

  // What the device does not use now.
  memory::Memory& memory() const;
  watch::Watchers& watchers() const;

 private:
  struct Own;
  void exchange();

  DeviceState& device_;
  const std::unique_ptr<Own> own_;
  /// Something of the thread whose submission it is; null if it has begun none.
  const void* submitter_ = nullptr;
};

}  // namespace heddle::detail
