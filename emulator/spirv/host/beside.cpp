#include "emulator/spirv/host/beside.h"

#include <heddle/module.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "emulator/spirv/host/step.h"
#include "emulator/spirv/run/run.h"

namespace heddle::spirv {
namespace {

void refuse(bool asked, const std::string& option) {
  if (asked)
    throw std::invalid_argument(
        "heddle: a module whose lanes do something together does not run on a device with "
        "DeviceOptions::" +
        option + "; make a device without");
}

std::vector<std::uint8_t> bytes_of(const BoundBuffer& buffer) {
  buffer.owner.check_readable("dispatch");
  std::vector<std::uint8_t> out(buffer.owner->size_bytes);
  if (!out.empty()) std::memcpy(out.data(), buffer.owner->bytes, out.size());
  return out;
}

RunRequest request_of(const Device& device, std::uint64_t number) {
  const bool emulated = device.mode() == Mode::Emulated;
  const bool races = device.options().races.value_or(false);
  RunRequest out;
  out.policy = emulated ? *device.options().memory : memory_policy("sequential");
  out.seed = *device.options().seed + number;
  out.bound = kMostIterations;
  out.races = races;
  out.resident_workgroups = device.options().resident_workgroups;
  out.explained = races ? 1 : 0;
  return out;
}

}  // namespace

DispatchResult BesideDevice::dispatch(const Device& device, const Module& module, const std::string& file,
                                      const DispatchOptions& given, std::span<const BoundBuffer> buffers) {
  DispatchOptions options = given;
  options.file = file;
  refuse(!device.options().trace.value_or("").empty(), "trace");
  refuse(static_cast<bool>(device.options().choices), "choices");
  for (const BoundBuffer& each : buffers) options.buffers[{each.set, each.binding}] = bytes_of(each);
  const Dispatch dispatch(module, {}, options);
  const Question question = question_of(dispatch);
  const Analysis analysis(dispatch, question, Purpose::Runs);
  RunRequest request = request_of(device, dispatches_++);
  for (const BoundBuffer& each : buffers) request.kept.push_back(dispatch.object_at({each.set, each.binding}));
  const RunTotals totals = run(analysis, question, request);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    detail::Allocation& into = *buffers[i].owner;
    const std::size_t bytes = std::min<std::size_t>(totals.memory[i].size(), into.size_bytes);
    if (bytes != 0) std::memcpy(into.bytes, totals.memory[i].data(), bytes);
    into.host_wrote(into.size_bytes);
  }
  if (request.races) races_.insert(races_.end(), totals.races.begin(), totals.races.end());
  if (!totals.findings.empty()) throw KernelError(totals.findings.front().finding);
  if (!totals.first_ended) {
    Finding endless;
    endless.kind = FindingKind::NoProgress;
    endless.message = endless_loop();
    throw KernelError(endless);
  }
  const std::array<std::uint32_t, 3> groups = dispatch.group_count();
  DispatchResult out;
  out.invocations = dispatch.agents();
  out.workgroups = std::uint64_t{groups[0]} * groups[1] * groups[2];
  return out;
}

}  // namespace heddle::spirv
