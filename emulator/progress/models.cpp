#include "emulator/progress/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>

#include "runtime/text/readable.h"

namespace heddle::progress {
namespace {

constexpr std::array<std::pair<std::string_view, ProgressModel>, 6> kModels{{{"fair", ProgressModel::Fair},
                                                                             {"hsa", ProgressModel::Hsa},
                                                                             {"obe", ProgressModel::Obe},
                                                                             {"hsa+obe", ProgressModel::HsaObe},
                                                                             {"lobe", ProgressModel::Lobe},
                                                                             {"unfair", ProgressModel::Unfair}}};
constexpr std::array<std::string_view, kProgressScopes> kScopes{"dv", "qf", "wg", "sg"};

ProgressModel model_of(std::string_view name) {
  for (const auto& [known, model] : kModels)
    if (name == known) return model;
  throw std::invalid_argument(fmt::format(
      "'{}' is no model of progress; they are fair, hsa, obe, hsa+obe, lobe, unfair", text::readable(name)));
}

std::size_t scope_of(std::string_view name) {
  const auto known = std::find(kScopes.begin(), kScopes.end(), name);
  if (known == kScopes.end())
    throw std::invalid_argument(
        fmt::format("'{}' is no scope that has a model of progress; they are dv, qf, wg, sg, "
                    "as in qf=obe,sg=unfair",
                    text::readable(name)));
  return static_cast<std::size_t>(known - kScopes.begin());
}

/// Whether the model says of a group with these inside, in ascending order, that number `i` makes progress.
bool guarantees(ProgressModel model, const std::vector<ThreadFate>& inside, std::size_t i) {
  const auto begin = inside.begin();
  const auto at = begin + static_cast<std::ptrdiff_t>(i);
  const auto can_run = [](const ThreadFate& fate) { return fate.can_run; };
  const auto begun = [](const ThreadFate& fate) { return fate.begun; };
  return guarantees(model, at->begun, at->can_run && std::none_of(begin, at, can_run),
                    std::any_of(at + 1, inside.end(), begun));
}

}  // namespace

bool guarantees(ProgressModel model, bool begun, bool lowest, bool below_begun) {
  switch (model) {
    case ProgressModel::Fair:
      return true;
    case ProgressModel::Hsa:
      return lowest;
    case ProgressModel::Obe:
      return begun;
    case ProgressModel::HsaObe:
      return lowest || begun;
    case ProgressModel::Lobe:
      return begun || below_begun;
    case ProgressModel::Unfair:
      return false;
  }
  return false;
}

ProgressModels parse_progress_models(std::string_view text) {
  ProgressModels models;
  if (text.find('=') == std::string_view::npos) {
    models.fill(model_of(text));
    return models;
  }
  std::array<std::optional<ProgressModel>, kProgressScopes> named;
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    const std::string_view one = text.substr(0, comma);
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos)
      throw std::invalid_argument(
          fmt::format("'{}' names no scope; write dv, qf, wg or sg and '=' in front of it", one));
    std::optional<ProgressModel>& scope = named[scope_of(one.substr(0, equals))];
    if (scope) throw std::invalid_argument(fmt::format("'{}' has two models of progress", one.substr(0, equals)));
    scope = model_of(one.substr(equals + 1));
  }
  std::transform(named.begin(), named.end(), models.begin(),
                 [](const auto& model) { return model.value_or(ProgressModel::Fair); });
  return models;
}

std::string spell(const ProgressModels& models) {
  const auto name_of = [](ProgressModel model) { return kModels[static_cast<std::size_t>(model)].first; };
  if (std::count(models.begin(), models.end(), models.front()) == kProgressScopes)
    return std::string(name_of(models.front()));
  std::string out;
  for (std::size_t i = 0; i < kProgressScopes; ++i)
    out += fmt::format("{}{}={}", i == 0 ? "" : ",", kScopes[i], name_of(models[i]));
  return out;
}

ProgressGroups::ProgressGroups(const ProgressModels& models, std::span<const ProgressPlace> places) {
  std::vector<std::uint32_t> threads(places.size());
  std::iota(threads.begin(), threads.end(), 0);
  std::stable_sort(threads.begin(), threads.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return places[a] < places[b]; });
  device_ = group_of(models, places, threads, 0);
}

ProgressGroups::Group ProgressGroups::group_of(const ProgressModels& models, std::span<const ProgressPlace> places,
                                               std::span<const std::uint32_t> threads, std::size_t depth) {
  Group group;
  if (depth == kProgressScopes) {
    group.thread = threads.front();
    return group;
  }
  group.model = models[depth];
  while (!threads.empty()) {
    const std::uint64_t number = places[threads.front()][depth];
    const auto end = std::find_if(threads.begin(), threads.end(),
                                  [&](std::uint32_t thread) { return places[thread][depth] != number; });
    const auto count = static_cast<std::size_t>(end - threads.begin());
    group.inside.push_back(group_of(models, places, threads.first(count), depth + 1));
    threads = threads.subspan(count);
  }
  return group;
}

bool ProgressGroups::begun(const Group& group, std::span<const ThreadFate> fates) {
  if (group.inside.empty()) return fates[group.thread].begun;
  return std::any_of(group.inside.begin(), group.inside.end(), [&](const Group& one) { return begun(one, fates); });
}

bool ProgressGroups::can_run(const Group& group, std::span<const ThreadFate> fates) {
  if (group.inside.empty()) return fates[group.thread].can_run;
  return std::any_of(group.inside.begin(), group.inside.end(), [&](const Group& one) { return can_run(one, fates); });
}

bool ProgressGroups::makes_progress(const Group& group, std::span<const ThreadFate> fates) {
  if (!can_run(group, fates)) return true;
  if (group.inside.empty()) return fates[group.thread].steps;
  std::vector<ThreadFate> inside;
  bool some_one = false;
  for (const Group& one : group.inside) {
    inside.push_back({begun(one, fates), can_run(one, fates), makes_progress(one, fates)});
    some_one = some_one || (inside.back().can_run && inside.back().steps);
  }
  // A group makes progress through what is inside of it.
  if (!some_one) return false;
  for (std::size_t i = 0; i < inside.size(); ++i)
    if (!inside[i].steps && guarantees(group.model, inside, i)) return false;
  return true;
}

bool ProgressGroups::allow(std::span<const ThreadFate> fates) const {
  return makes_progress(device_, fates);
}

}  // namespace heddle::progress
