#pragma once

/// \file
/// Modules that do not run on a device as kernels do, because lanes do something together: they run beside the device.

#include <heddle/report.h>

#include <span>
#include <string>
#include <vector>

namespace heddle {
class Device;
struct BoundBuffer;
struct DispatchResult;
}  // namespace heddle

namespace heddle::spirv {

struct DispatchOptions;
struct Module;

/// Runs dispatches on a memory of their own, which begins with what the device's buffers hold; the buffers get what is
/// left there.
class BesideDevice {
 public:
  /// Throws Error, KernelError, and std::invalid_argument for a device with options that it does not take.
  DispatchResult dispatch(const Device& device, const Module& module, const std::string& file,
                          const DispatchOptions& given, std::span<const BoundBuffer> buffers);

  /// The races of all dispatches.
  const std::vector<DataRace>& races() const { return races_; }

 private:
  std::uint64_t dispatches_ = 0;
  std::vector<DataRace> races_;
};

}  // namespace heddle::spirv
