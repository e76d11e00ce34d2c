#include "emulator/executions/kernel_run.h"

#include <fmt/format.h>
#include <heddle/explore_kernel.h>

#include "emulator/host/emulator.h"
#include "emulator/memory/memory.h"

namespace heddle::detail {

void KernelRun::note_buffers(const emulation::Agent& agent) {
  if (!buffers_.empty()) return;
  for (const emulation::Binding& binding : agent.resident->emulator->bindings)
    if (binding.allocation) buffers_[binding.allocation->id] = binding.allocation;
}

KernelExecutions KernelRun::run(const std::function<void()>& run) {
  buffers_.clear();
  run();
  KernelExecutions out;
  out.executions = 1;
  out.complete = false;
  out.bound = "the machine made one run";
  std::vector<std::uint64_t> values;
  for (const auto& [id, of] : buffers_) {
    const std::uint32_t size = of->component.size_bytes;
    for (std::uint64_t at = 0; size != 0 && size <= sizeof(std::uint64_t) && at < of->size_bytes; at += size) {
      out.names.push_back(fmt::format("{}[{}]", of->name, at / size));
      values.push_back(memory::load_value(of->bytes + at, size));
    }
  }
  out.outcomes.insert(std::move(values));
  for (const DataRace& race : machine_.race_report().races) {
    KernelRace& told = out.races.emplace_back();
    told.first = race.first.where;
    told.second = race.second.where;
  }
  return out;
}

}  // namespace heddle::detail
