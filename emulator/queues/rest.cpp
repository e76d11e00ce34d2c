// What nobody waits for: it runs where races are asked for, and when the device ends, so that the seed does not decide
// which of them are found.

#include <exception>
#include <thread>
#include <utility>

#include "emulator/host/set_aside.h"
#include "emulator/queues/ear.h"
#include "emulator/queues/emulated.h"
#include "emulator/queues/running_kernel.h"
#include "emulator/queues/step_trace.h"
#include "emulator/queues/teller.h"
#include "emulator/queues/wide_barriers.h"

namespace heddle::queues {
namespace {

/// Whether what the calling thread had to itself is gone: the static objects of its process end, and it can run no
/// kernel any more.
constinit thread_local bool has_thread_ended = false;

}  // namespace

void EmulatedEngine::watch_thread() {
  struct Watch {
    ~Watch() { has_thread_ended = true; }
  };
  static thread_local const Watch watch;
  (void)watch;
}

bool EmulatedEngine::is_one_of_its_callers() const {
  const runtime::HostThreads* const now = runtime::host_threads();
  return std::this_thread::get_id() == thread_ && now == threads_ && (!now || now->run() == run_);
}

std::vector<EmulatedEngine::Unwaited> EmulatedEngine::unfinished() const {
  std::vector<Unwaited> out;
  const auto add = [&](const Open& open) {
    if (open.command && !open.reads_groups) out.push_back({open.node, {open.command->call, open.command->where}});
  };
  for (const UnderWay& one : under_way_) add(one.open);
  for (const Open& open : open_) add(open);
  return out;
}

std::vector<CommandPlace> EmulatedEngine::not_waited_for() const {
  std::vector<CommandPlace> out;
  // Of several host threads it is not known which of them speaks for the program.
  if (!threads_)
    for (const Unwaited& one : unwaited_)
      if (!order_.happens_before(one.node, order_.host())) out.push_back(one.place);
  for (const Unwaited& one : unfinished()) out.push_back(one.place);
  return out;
}

void EmulatedEngine::run_to_end() {
  std::exception_ptr failure;
  const auto goes_on = [&] {
    try {
      return run_one();
    } catch (...) {
      if (!failure) failure = std::current_exception();
      return true;
    }
  };
  while (goes_on()) {
  }
  tell_uses_of_freed();
  tell_races();
  if (failure) std::rethrow_exception(failure);
}

void EmulatedEngine::run_rest() {
  if (!is_one_of_its_callers()) return;
  const std::vector<Unwaited> before = unfinished();
  const auto note = [&] {
    for (const Unwaited& one : before)
      if (is_done(one.node)) unwaited_.push_back(one);
  };
  try {
    run_to_end();
  } catch (...) {
    note();
    throw;
  }
  note();
}

std::vector<DataRace> EmulatedEngine::races() {
  run_rest();
  return teller_->races();
}

std::vector<OrderingAdvice> EmulatedEngine::advice() {
  run_rest();
  return wide_ && teller_->races().empty() ? advice_of(*wide_) : std::vector<OrderingAdvice>();
}

void EmulatedEngine::cut_off_rest(bool all) {
  std::erase_if(under_way_, [&](const UnderWay& one) {
    const bool ends = all || !may_run(one.open.command);
    if (ends) one.kernel->cut_off();
    return ends;
  });
}

EmulatedEngine::~EmulatedEngine() {
  tell_pending(not_waited_for());
  is_ending_ = true;
  const bool can_run = std::uncaught_exceptions() == 0 && !has_thread_ended && is_one_of_its_callers();
  cut_off_rest(!can_run);
  try {
    if (can_run) run_to_end();
  } catch (const std::exception& error) {
    tell_failed_at_end(error);
  }
  cut_off_rest(true);
  tell_races();
  if (wide_) teller_->tell_advice(*wide_);
}

}  // namespace heddle::queues
