#include "emulator/watch/running_kernel.h"

#include <heddle/report.h>

#include <array>
#include <atomic>

#include "emulator/advice/neighbourhood.h"
#include "emulator/report/records.h"
#include "emulator/watch/race_log.h"

namespace heddle::watch {
namespace {

constexpr std::size_t kMost = 64;
constinit std::array<std::atomic<const RunningKernel*>, kMost> g_running;

std::size_t taken_place(const RunningKernel* kernel) {
  for (std::size_t place = 0; place < kMost; ++place) {
    const RunningKernel* nobody = nullptr;
    if (g_running[place].compare_exchange_strong(nobody, kernel)) return place;
  }
  return kMost;
}

}  // namespace

RunningKernel::RunningKernel(report::RunId run, const trace::Dispatch& dispatch, const advice::Recent* recent)
    : run_(run), dispatch_(dispatch), recent_(recent), place_(taken_place(this)) {}

RunningKernel::~RunningKernel() {
  if (place_ != kMost) g_running[place_].store(nullptr);
}

void RunningKernel::tell() const {
  report::Unfinished unfinished{run_, dispatch_.number, {}, {}};
  const auto last = recent_ ? recent_->last() : std::nullopt;
  // The last operation may be of the dispatch before this one.
  if (last && static_cast<std::uint32_t>(last->agent) >= dispatch_.first_agent) {
    unfinished.where = last->where;
    unfinished.invocation = trace::coordinates_of(dispatch_, last->agent);
  }
  RaceLog::of_process()->add_at_end(report::record_in_place(unfinished).text());
}

void RunningKernel::tell_all() {
  for (const auto& place : g_running)
    if (const RunningKernel* const kernel = place.load()) kernel->tell();
}

}  // namespace heddle::watch
