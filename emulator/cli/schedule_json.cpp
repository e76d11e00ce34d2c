#include <nlohmann/json.hpp>

#include "emulator/cli/schedule.h"

namespace heddle::cli {
namespace {

nlohmann::ordered_json told_value(const ToldValue& value) {
  return value.is_number ? nlohmann::ordered_json::parse(value.text) : nlohmann::ordered_json(value.text);
}

nlohmann::ordered_json told_step(const ToldSchedule& schedule, const ToldStep& step) {
  nlohmann::ordered_json out;
  out["thread"] = schedule.names[step.thread];
  if (!step.text.empty()) {
    out["line"] = step.line;
    if (step.column != 0) out["column"] = step.column;
    out["text"] = step.text;
  }
  if (step.passes) out["passes"] = true;
  if (step.chosen) out["chosen"] = *step.chosen;
  if (step.read) out["read"] = told_value(*step.read);
  if (step.written) out["written"] = told_value(*step.written);
  return out;
}

nlohmann::ordered_json told_steps(const ToldSchedule& schedule, const std::vector<ToldStep>& steps) {
  auto out = nlohmann::ordered_json::array();
  for (const ToldStep& step : steps) out.push_back(told_step(schedule, step));
  return out;
}

}  // namespace

void add_termination(const ToldTermination& told, nlohmann::ordered_json& out) {
  out["terminates"] = told.terminates ? nlohmann::ordered_json(*told.terminates) : nullptr;
  if (!told.schedule) return;
  static constexpr const char* kParts[] = {"ended",      "goes-on",     "waits-at-barrier", "waits-for-thread",
                                           "left-aside", "never-begins"};
  nlohmann::ordered_json schedule;
  schedule["first"] = told_steps(*told.schedule, told.schedule->first);
  schedule["again"] = told_steps(*told.schedule, told.schedule->again);
  for (std::size_t i = 0; i < told.schedule->parts.size(); ++i)
    schedule["threads"][told.schedule->names[i]] = kParts[static_cast<std::size_t>(told.schedule->parts[i])];
  out["schedule"] = std::move(schedule);
}

}  // namespace heddle::cli
