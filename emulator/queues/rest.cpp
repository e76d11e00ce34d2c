#include "emulator/queues/rest.h"

#include <algorithm>
#include <exception>
#include <thread>

#include "emulator/host/set_aside.h"
#include "emulator/queues/ear.h"
#include "emulator/queues/running_kernel.h"
#include "emulator/queues/step_trace.h"
#include "emulator/queues/teller.h"
#include "emulator/queues/wide_barriers.h"

namespace heddle::queues {
namespace {

/// Whether what the calling thread had to itself is gone: the static objects of its process end, and it can run no
/// kernel any more.
constinit thread_local bool has_thread_ended = false;

/// Notices when the calling thread ends.
void watch_thread() {
  struct Watch {
    ~Watch() { has_thread_ended = true; }
  };
  static thread_local const Watch watch;
  (void)watch;
}

bool uses(const detail::Command& command, AllocationId allocation) {
  const auto is_it = [&](const AnyBuffer& buffer) { return buffer.owner() && buffer.owner()->id == allocation; };
  if (is_it(command.from) || is_it(command.to)) return true;
  if (!command.dispatch) return false;
  const auto bindings = command.dispatch->bindings();
  return std::any_of(bindings.begin(), bindings.end(), [&](const emulation::Binding& binding) {
    return binding.allocation && binding.allocation->id == allocation;
  });
}

}  // namespace

Rest::Rest(EmulatedEngine& engine) : engine_(engine) {
  watch_thread();
}

bool Rest::may_run(const detail::Command* command) const {
  return !is_ending_ || !command || !command->dispatch || command->dispatch->has_all();
}

bool Rest::is_one_of_its_callers() const {
  const runtime::HostThreads* const now = runtime::host_threads();
  return std::this_thread::get_id() == engine_.thread_ && now == engine_.threads_ &&
         (!now || now->run() == engine_.run_);
}

std::vector<Rest::Unwaited> Rest::unfinished() const {
  std::vector<Unwaited> out;
  const auto add = [&](const EmulatedEngine::Open& open) {
    if (open.command && !open.reads_groups) out.push_back({open.node, {open.command->call, open.command->where}});
  };
  for (const EmulatedEngine::UnderWay& one : engine_.under_way_) add(one.open);
  for (const EmulatedEngine::Open& open : engine_.open_) add(open);
  return out;
}

std::vector<CommandPlace> Rest::not_waited_for() const {
  std::vector<CommandPlace> out;
  // Which of several host threads speaks for the program is not known.
  if (!engine_.threads_)
    for (const Unwaited& one : ran_)
      if (!engine_.order_.happens_before(one.node, engine_.order_.host())) out.push_back(one.place);
  for (const Unwaited& one : unfinished()) out.push_back(one.place);
  return out;
}

/// What has not run and cannot may still use what was freed, once it can.
void Rest::tell_uses_of_freed() {
  for (const EmulatedEngine::Open& open : engine_.open_) {
    if (!open.command) continue;
    for (const auto& [allocation, memory] : engine_.domains_.memories()) {
      if (!memory.freed || !uses(*open.command, allocation)) continue;
      Heard later;
      later.access = engine_.access_by(open.node, memory, {}, model::Accesses::StorageRead, false);
      later.where = open.command->where;
      later.call = open.command->call;
      engine_.finder_.uses_freed(later);
    }
  }
}

void Rest::run_to_end() {
  std::exception_ptr failure;
  const auto goes_on = [&] {
    try {
      return engine_.run_one();
    } catch (...) {
      if (!failure) failure = std::current_exception();
      return true;
    }
  };
  while (goes_on()) {
  }
  tell_uses_of_freed();
  engine_.tell_races();
  if (failure) std::rethrow_exception(failure);
}

void Rest::run() {
  if (!is_one_of_its_callers()) return;
  const std::vector<Unwaited> before = unfinished();
  const auto note = [&] {
    for (const Unwaited& one : before)
      if (engine_.is_done(one.node)) ran_.push_back(one);
  };
  try {
    run_to_end();
  } catch (...) {
    note();
    throw;
  }
  note();
}

void Rest::cut_off(bool all) {
  std::erase_if(engine_.under_way_, [&](const EmulatedEngine::UnderWay& one) {
    const bool ends = all || !may_run(one.open.command);
    if (ends) one.kernel->cut_off();
    return ends;
  });
}

void Rest::ends() {
  tell_pending(not_waited_for());
  is_ending_ = true;
  const bool can_run = std::uncaught_exceptions() == 0 && !has_thread_ended && is_one_of_its_callers();
  cut_off(!can_run);
  try {
    if (can_run) run_to_end();
  } catch (const std::exception& error) {
    tell_failed_at_end(error);
  }
  cut_off(true);
  engine_.tell_races();
}

}  // namespace heddle::queues
