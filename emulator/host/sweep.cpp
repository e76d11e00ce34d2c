#include <heddle/sweep.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "emulator/host/covering.h"
#include "emulator/host/device_limits.h"
#include "emulator/host/enum_words.h"
#include "emulator/host/options.h"
#include "emulator/progress/models.h"
#include "runtime/scheduler.h"
#include "runtime/seed.h"
#include "runtime/text/readable.h"

namespace heddle {
namespace {

using detail::enum_of;
using detail::kLaneMappingWords;
using detail::kReconvergenceWords;
using detail::kWorkgroupOrderWords;
using detail::word_of;

/// More make covering them long.
constexpr std::size_t kMostValues = 12;

/// Takes the value of a parameter into a configuration. Throws std::invalid_argument for one that it may not have.
using Take = void (*)(std::string_view value, Configuration& into);
using Tell = std::string (*)(const Configuration& from);
using IsFixed = bool (*)(const DeviceOptions& by);
using Copy = void (*)(const Configuration& from, Configuration& to);

template <auto member>
void copy(const Configuration& from, Configuration& to) {
  to.*member = from.*member;
}

std::uint32_t number_of(std::string_view parameter, std::string_view value, std::uint32_t most) {
  const std::optional<std::uint64_t> number = runtime::seed_from_text(std::string(value).c_str());
  if (number && *number >= 1 && *number <= most) return static_cast<std::uint32_t>(*number);
  throw std::invalid_argument(
      fmt::format("{} is '{}'; it may be a number from 1 to {}", parameter, text::readable(value), most));
}

std::string with(std::string text, char before, char after) {
  std::replace(text.begin(), text.end(), before, after);
  return text;
}

/// A model of forward progress. In sweeps models of several scopes have no commas between them.
std::string model_of(std::string_view value) {
  const std::string model = with(std::string(value), '/', ',');
  try {
    (void)progress::parse_progress_models(model);
  } catch (const std::invalid_argument& wrong) {
    throw std::invalid_argument(fmt::format("progress is '{}': {}", text::readable(value), wrong.what()));
  }
  return model;
}

/// What is known of a parameter. (The policy "adversarial" is not among the usual ones: who polls waits for thousands
/// of operations under it, and trials take up to 50 times as long.) A new one has a line in kKinds, and a member of
/// Configuration.
struct Kind {
  std::string_view name;
  /// What fixes it in the environment.
  const char* variable;
  /// What the sweep "usual" has of it, the plain value first; empty if it has not the parameter.
  std::string_view usual;
  /// What it has by itself where `usual` has nothing.
  std::string_view asked;
  Take take;
  Tell tell;
  IsFixed is_fixed;
  Copy copy;
};

constexpr std::array kKinds = {
    Kind{"subgroup", "HEDDLE_SUBGROUP_SIZE", "32,8,64,16,4,128", "",
         [](std::string_view value, Configuration& into) {
           into.subgroup_size = number_of("subgroup", value, runtime::kMaxSubgroupSize);
         },
         [](const Configuration& from) { return from.subgroup_size ? fmt::format("{}", *from.subgroup_size) : ""; },
         [](const DeviceOptions& by) { return by.subgroup_size.has_value(); }, copy<&Configuration::subgroup_size>},
    Kind{"lanes", "HEDDLE_LANE_MAPPING", "linear,shuffled", "",
         [](std::string_view value, Configuration& into) {
           into.lane_mapping = enum_of<LaneMapping>("lanes", value, kLaneMappingWords);
         },
         [](const Configuration& from) { return word_of(from.lane_mapping, kLaneMappingWords); },
         [](const DeviceOptions& by) { return by.lane_mapping.has_value(); }, copy<&Configuration::lane_mapping>},
    Kind{"order", "HEDDLE_WORKGROUP_ORDER", "ascending,shuffled", "",
         [](std::string_view value, Configuration& into) {
           into.workgroup_order = enum_of<WorkgroupOrder>("order", value, kWorkgroupOrderWords);
         },
         [](const Configuration& from) { return word_of(from.workgroup_order, kWorkgroupOrderWords); },
         [](const DeviceOptions& by) { return by.workgroup_order.has_value(); }, copy<&Configuration::workgroup_order>},
    Kind{"residents", "HEDDLE_RESIDENT_WORKGROUPS", "2,4,8", "",
         [](std::string_view value, Configuration& into) {
           into.resident_workgroups = number_of("residents", value, detail::kMostResidentWorkgroups);
         },
         [](const Configuration& from) {
           return from.resident_workgroups ? fmt::format("{}", *from.resident_workgroups) : "";
         },
         [](const DeviceOptions& by) { return by.resident_workgroups != 0; },
         copy<&Configuration::resident_workgroups>},
    Kind{"memory", "HEDDLE_MEMORY", "random,write-back", "",
         [](std::string_view value, Configuration& into) { into.memory = memory_policy(value); },
         [](const Configuration& from) {
           if (!from.memory) return std::string();
           return fmt::format("{}{}", from.memory->name, from.memory->record_all ? ":all" : "");
         },
         [](const DeviceOptions& by) { return by.memory.has_value(); }, copy<&Configuration::memory>},
    Kind{"limits", "HEDDLE_LIMITS", "", "",
         [](std::string_view value, Configuration& into) { into.limits = device_limits(value); },
         [](const Configuration& from) { return from.limits ? std::string(from.limits->name) : std::string(); },
         [](const DeviceOptions& by) { return by.limits.has_value(); }, copy<&Configuration::limits>},
    Kind{"progress", "HEDDLE_PROGRESS", "", "fair,qf=lobe,qf=obe,qf=hsa,sg=unfair,qf=obe/sg=unfair",
         [](std::string_view value, Configuration& into) { into.forward_progress = model_of(value); },
         [](const Configuration& from) { return with(from.forward_progress.value_or(""), ',', '/'); },
         [](const DeviceOptions& by) { return !by.forward_progress.empty(); }, copy<&Configuration::forward_progress>},
    Kind{"reconvergence", "HEDDLE_RECONVERGENCE", "", "maximal,subgroup,minimum,seed",
         [](std::string_view value, Configuration& into) {
           into.reconvergence = enum_of<Reconvergence>("reconvergence", value, kReconvergenceWords);
         },
         [](const Configuration& from) { return word_of(from.reconvergence, kReconvergenceWords); },
         [](const DeviceOptions& by) { return by.reconvergence.has_value(); }, copy<&Configuration::reconvergence>},
};

const Kind& kind_of(std::string_view name, std::string_view what) {
  for (const Kind& kind : kKinds)
    if (kind.name == name) return kind;
  std::string names;
  for (const Kind& kind : kKinds) names += fmt::format("{}'{}'", names.empty() ? "" : ", ", kind.name);
  throw std::invalid_argument(fmt::format("'{}' is no {}; it may be {}", text::readable(name), what, names));
}

std::vector<std::string_view> parts_of(std::string_view text, char between) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(between), text.size());
    if (end != 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

SweepParameter parameter_of(const Kind& kind, std::string_view values) {
  SweepParameter out{std::string(kind.name), {}};
  for (const std::string_view value : parts_of(values, ',')) {
    Configuration checked;
    kind.take(value, checked);
    if (std::find(out.values.begin(), out.values.end(), value) == out.values.end()) out.values.emplace_back(value);
  }
  if (out.values.empty() || out.values.size() > kMostValues)
    throw std::invalid_argument(
        fmt::format("{} has {} values; it may have 1 to {}", kind.name, out.values.size(), kMostValues));
  return out;
}

void put(SweepParameter parameter, std::vector<SweepParameter>& into) {
  const auto same = std::find_if(into.begin(), into.end(), [&](const auto& p) { return p.name == parameter.name; });
  if (same == into.end()) {
    into.push_back(std::move(parameter));
  } else {
    *same = std::move(parameter);
  }
}

std::vector<SweepParameter> usual_parameters() {
  std::vector<SweepParameter> out;
  for (const Kind& kind : kKinds)
    if (!kind.usual.empty()) out.push_back(parameter_of(kind, kind.usual));
  return out;
}

/// The parameter with all values that make sense.
SweepParameter all_of(const Kind& kind) {
  if (kind.name != "limits") return parameter_of(kind, kind.usual.empty() ? kind.asked : kind.usual);
  SweepParameter limits{std::string(kind.name), {}};
  for (const DeviceLimits& profile : device_limit_profiles()) limits.values.emplace_back(profile.name);
  return limits;
}

std::vector<SweepParameter> parsed(std::string_view text) {
  std::vector<SweepParameter> out;
  for (const std::string_view word : parts_of(text, ' ')) {
    if (word == "none") continue;
    if (word == "usual") {
      for (SweepParameter& parameter : usual_parameters()) put(std::move(parameter), out);
      continue;
    }
    const std::size_t equals = std::min(word.find('='), word.size());
    const Kind& kind = kind_of(word.substr(0, equals), "parameter of a sweep (or 'usual', or 'none')");
    put(equals == word.size() ? all_of(kind) : parameter_of(kind, word.substr(equals + 1)), out);
  }
  return out;
}

// A search is made often, and rows seldom.
std::shared_ptr<const detail::CoveringRows> shared_rows(const std::vector<std::uint32_t>& counts) {
  static std::mutex mutex;
  static auto& made = *new std::map<std::vector<std::uint32_t>, std::shared_ptr<const detail::CoveringRows>>();
  const std::lock_guard lock(mutex);
  std::shared_ptr<const detail::CoveringRows>& rows = made[counts];
  if (!rows) rows = std::make_shared<const detail::CoveringRows>(detail::covering_rows(counts));
  return rows;
}

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value && *value;
}

bool permits(const DeviceLimits& limits, std::uint32_t subgroup_size) {
  return subgroup_size >= limits.min_subgroup_size && subgroup_size <= limits.max_subgroup_size;
}

}  // namespace

struct Sweep::Made {
  /// Shared by all sweeps with as many values.
  std::shared_ptr<const detail::CoveringRows> covering;
  /// What copies each parameter, and its values.
  std::vector<Copy> copies;
  std::vector<std::vector<Configuration>> values;
};

void Configuration::complete(DeviceOptions& options) const {
  if (!options.limits) options.limits = limits;
  if (options.forward_progress.empty()) options.forward_progress = forward_progress.value_or("");
  if (!options.reconvergence) options.reconvergence = reconvergence;
  if (!options.lane_mapping) options.lane_mapping = lane_mapping;
  if (!options.workgroup_order) options.workgroup_order = workgroup_order;
  if (!options.memory) options.memory = memory;
  if (options.resident_workgroups == 0) options.resident_workgroups = resident_workgroups.value_or(0);
  if (options.subgroup_size) return;
  options.subgroup_size = subgroup_size;
  // Limits of the same configuration have no other size than theirs.
  if (subgroup_size && limits)
    options.subgroup_size = std::clamp(*subgroup_size, limits->min_subgroup_size, limits->max_subgroup_size);
}

std::string to_string(const Configuration& configuration) {
  std::string out;
  for (const Kind& kind : kKinds)
    if (const std::string value = kind.tell(configuration); !value.empty())
      out += fmt::format("{}{}={}", out.empty() ? "" : " ", kind.name, value);
  return out;
}

Configuration configuration_of(std::string_view text) {
  Configuration out;
  for (const std::string_view word : parts_of(text, ' ')) {
    const std::size_t equals = std::min(word.find('='), word.size());
    kind_of(word.substr(0, equals), "parameter").take(word.substr(std::min(equals + 1, word.size())), out);
  }
  return out;
}

std::vector<SweepParameter> sweep_parameters() {
  std::vector<SweepParameter> out;
  for (const Kind& kind : kKinds) out.push_back(all_of(kind));
  return out;
}

Sweep::Sweep(std::string_view text) : Sweep(parsed(text)) {}

Sweep::Sweep(std::vector<SweepParameter> parameters) : parameters_(std::move(parameters)) {
  Made made;
  std::vector<std::uint32_t> counts;
  for (const SweepParameter& parameter : parameters_) {
    counts.push_back(static_cast<std::uint32_t>(parameter.values.size()));
    const Kind& kind = kind_of(parameter.name, "parameter");
    made.copies.push_back(kind.copy);
    std::vector<Configuration>& values = made.values.emplace_back(counts.back());
    for (std::size_t i = 0; i < values.size(); ++i) kind.take(parameter.values[i], values[i]);
  }
  made.covering = shared_rows(counts);
  made_ = std::make_shared<const Made>(std::move(made));
}

Sweep Sweep::without_fixed(const DeviceOptions& options) const {
  const DeviceLimits limits = detail::limits_from(options.limits);
  std::vector<SweepParameter> left;
  for (const SweepParameter& parameter : parameters_) {
    const Kind& kind = kind_of(parameter.name, "parameter");
    if (kind.is_fixed(options) || is_set(kind.variable)) continue;
    left.push_back(parameter);
    if (parameter.name != "subgroup") continue;
    std::erase_if(left.back().values, [&](const std::string& value) {
      return !permits(limits, configuration_of("subgroup=" + value).subgroup_size.value());
    });
    if (left.back().values.empty()) left.pop_back();
  }
  return Sweep(std::move(left));
}

Configuration Sweep::at(std::uint64_t seed) const {
  const std::vector<detail::CoveringRow>& rows = made_->covering->rows;
  const bool is_in_rows = seed >= 1 && seed <= rows.size();
  SeededChoice drawn(seed);
  Configuration out;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const std::vector<Configuration>& values = made_->values[i];
    const auto count = static_cast<std::uint32_t>(values.size());
    made_->copies[i](values[is_in_rows ? rows[seed - 1][i] : drawn.below(count, ChoicePoint::Workgroup)], out);
  }
  return out;
}

std::uint64_t Sweep::pairs() const {
  return made_->covering->pairs;
}

std::uint64_t Sweep::triples() const {
  return made_->covering->rows.size();
}

std::string Sweep::text() const {
  std::string out;
  for (const SweepParameter& parameter : parameters_) {
    out += (out.empty() ? "" : " ") + parameter.name;
    char before = '=';
    for (const std::string& value : parameter.values) out += std::exchange(before, ',') + value;
  }
  return out.empty() ? "none" : out;
}

}  // namespace heddle
