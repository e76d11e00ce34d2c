#include <heddle/module.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "emulator/spirv/run/run.h"

namespace heddle {
namespace {

/// A loop that goes round more often, and changes something each time, has no end.
constexpr std::uint64_t kMostIterations = std::uint64_t{1} << 20;

std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw ModuleError(file + ": cannot read it");
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string placed(const std::string& file, const spirv::Error& error) {
  const spirv::Position& position = error.position();
  std::string place;
  if (position.line != 0) {
    place = ":" + std::to_string(position.line);
  } else if (position.word != 0) {
    place = ": word " + std::to_string(position.word);
  }
  return file + place + ": " + error.what();
}

void refuse(bool asked, const std::string& option) {
  if (asked)
    throw std::invalid_argument("heddle: a module does not run on a device with DeviceOptions::" + option +
                                "; make a device without");
}

std::array<std::uint32_t, 3> size_of(const Extent& extent) {
  return {extent.x, extent.y, extent.z};
}

}  // namespace

struct Module::Parts {
  Device& device;
  std::string file;
  ModuleOptions options;
  spirv::Module module;
  std::optional<std::vector<std::uint8_t>> push_constants;
  std::uint64_t dispatches = 0;
  std::vector<DataRace> races;

  spirv::DispatchOptions dispatch_options(const Extent& groups, std::span<const BoundBuffer> buffers) const {
    spirv::DispatchOptions out;
    out.entry = options.entry;
    out.groups = size_of(groups);
    if (options.local) out.local = size_of(*options.local);
    out.subgroup_size = device.options().subgroup_size;
    out.specialization = options.specialization;
    out.push_constants = push_constants;
    out.reconverge_maximal = options.reconverge_maximal;
    for (const BoundBuffer& each : buffers) {
      const std::span<const std::byte> bytes = each.read();
      std::vector<std::uint8_t>& copy = out.buffers[{each.set, each.binding}];
      std::transform(bytes.begin(), bytes.end(), std::back_inserter(copy),
                     [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
    }
    return out;
  }

  spirv::RunRequest run_request() {
    const bool emulated = device.mode() == Mode::Emulated;
    spirv::RunRequest out;
    out.policy = emulated ? *device.options().memory : memory_policy("sequential");
    out.seed = *device.options().seed + dispatches++;
    out.file = file;
    out.bound = kMostIterations;
    out.races = device.options().races.value_or(false);
    out.resident_workgroups = device.options().resident_workgroups;
    out.explained = device.options().races.value_or(false) ? 1 : 0;
    return out;
  }

  void note(const spirv::RunTotals& totals) {
    if (!device.options().races.value_or(false)) return;
    races.insert(races.end(), totals.races.begin(), totals.races.end());
  }
};

Module::Module(Device& device, const std::string& file, ModuleOptions options) {
  refuse(!device.options().trace.value_or("").empty(), "trace");
  refuse(!device.options().edits.empty(), "edits");
  refuse(static_cast<bool>(device.options().choices), "choices");
  const std::string bytes = text_of(file);
  try {
    spirv::Module module = spirv::is_binary(bytes) ? spirv::read_binary(bytes) : spirv::assemble(bytes);
    parts_.reset(new Parts{device, file, std::move(options), std::move(module), std::nullopt, 0, {}});
  } catch (const spirv::Error& error) {
    throw ModuleError(placed(file, error));
  }
}

Module::~Module() = default;

void Module::set_push_constants(std::span<const std::byte> bytes) {
  parts_->push_constants.emplace();
  for (const std::byte byte : bytes) parts_->push_constants->push_back(std::to_integer<std::uint8_t>(byte));
}

DispatchResult Module::dispatch(Extent groups, std::initializer_list<BoundBuffer> buffers) {
  const std::span<const BoundBuffer> bound(buffers.begin(), buffers.size());
  try {
    const spirv::Dispatch dispatch(parts_->module, {}, parts_->dispatch_options(groups, bound));
    const spirv::Question question = spirv::question_of(dispatch);
    const spirv::Analysis analysis(dispatch, question, spirv::Purpose::Runs);
    spirv::RunRequest request = parts_->run_request();
    for (const BoundBuffer& each : bound) request.kept.push_back(dispatch.object_at({each.set, each.binding}));
    const spirv::RunTotals totals = spirv::run(analysis, question, request);
    for (std::size_t i = 0; i < bound.size(); ++i) bound[i].write(std::as_bytes(std::span(totals.memory[i])));
    parts_->note(totals);
    if (!totals.findings.empty()) throw KernelError(totals.findings.front().finding);
    if (!totals.first_ended) {
      Finding endless;
      endless.kind = FindingKind::NoProgress;
      endless.message = "a loop of the module was gone round " + std::to_string(kMostIterations) + " times.";
      throw KernelError(endless);
    }
    DispatchResult out;
    out.invocations = dispatch.agents();
    out.workgroups = std::uint64_t{groups.x} * groups.y * groups.z;
    return out;
  } catch (const spirv::Error& error) {
    throw ModuleError(placed(parts_->file, error));
  }
}

const std::vector<DataRace>& Module::races() const {
  return parts_->races;
}

void Module::require_no_races() const {
  if (!parts_->races.empty()) throw KernelError(to_finding(parts_->races.front()));
}

}  // namespace heddle
