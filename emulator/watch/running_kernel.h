#pragma once

/// \file
/// The kernels that run, for the report of a process that ends meanwhile.

#include <cstddef>

#include "emulator/report/collector.h"
#include "emulator/trace/dispatch.h"

namespace heddle::advice {
class Recent;
}

namespace heddle::watch {

/// While one lives a kernel runs. Of up to 64 at a time the log of the process hears if the process ends meanwhile.
class RunningKernel {
 public:
  /// `recent`, which must outlive it, knows what the kernel did last; null if nobody does.
  RunningKernel(report::RunId run, const trace::Dispatch& dispatch, const advice::Recent* recent);
  ~RunningKernel();
  RunningKernel(const RunningKernel&) = delete;
  RunningKernel& operator=(const RunningKernel&) = delete;

  /// Hands all that live to the log of the process, which there is. Safe in a handler of a signal.
  static void tell_all();

 private:
  void tell() const;

  report::RunId run_;
  trace::Dispatch dispatch_;
  const advice::Recent* recent_;
  std::size_t place_;
};

}  // namespace heddle::watch
