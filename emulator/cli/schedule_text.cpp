#include <fmt/format.h>

#include "emulator/cli/schedule.h"
#include "emulator/cli/table.h"

namespace heddle::cli {
namespace {

using progress::EndlessPart;

std::string effect_of(const ToldStep& step) {
  std::string out;
  if (step.passes) out = "passes";
  if (step.chosen) out = *step.chosen ? "goes the way of true" : "goes the way of false";
  if (step.read) out = "reads " + step.read->text;
  if (step.written) out += fmt::format("{}writes {}", out.empty() ? "" : ", ", step.written->text);
  return out;
}

void add_rows(const ToldSchedule& schedule, const std::vector<ToldStep>& steps, const std::string& when, Table& table) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const ToldStep& step = steps[i];
    std::vector<Cell> row{{i == 0 ? when : "", Colour::Dim}};
    for (std::size_t thread = 0; thread < schedule.names.size(); ++thread)
      row.push_back({step.thread != thread ? "" : step.text.empty() ? "(no access)" : step.text});
    row.push_back({effect_of(step), Colour::Cyan});
    table.add_row(std::move(row));
  }
}

std::string part_sentence(const std::string& name, EndlessPart part) {
  switch (part) {
    case EndlessPart::Ended:
      return name + " has ended.";
    case EndlessPart::GoesOn:
      return name + " goes on for ever.";
    case EndlessPart::Waits:
      return name + " waits for ever at a control barrier.";
    case EndlessPart::WaitsForThread:
      return name + " waits for ever for a thread that system-synchronizes with it.";
    case EndlessPart::LeftAside:
      return name + " has begun and could run; the model lets it be left aside for ever.";
    case EndlessPart::NeverBegins:
      return name + " could begin; the model lets it be left aside for ever.";
  }
  return name;
}

std::string schedule_text(const ToldSchedule& schedule, const Painter& paint) {
  Table table;
  std::vector<Cell> head{{""}};
  for (const std::string& name : schedule.names) head.push_back({name, Colour::Bold});
  table.add_row(std::move(head));
  add_rows(schedule, schedule.first, "first", table);
  add_rows(schedule, schedule.again, "again and again", table);
  std::string out = table.print(paint, "  ");
  for (std::size_t i = 0; i < schedule.parts.size(); ++i)
    out += "  " + part_sentence(schedule.names[i], schedule.parts[i]) + '\n';
  return out;
}

}  // namespace

std::string termination_text(const ToldTermination& told, const progress::ProgressModels& models,
                             const Painter& paint) {
  const std::string model = progress::spell(models);
  if (told.cancelled && !told.terminates) return "  Stopped before it was known whether it ends.\n";
  if (!told.terminates)
    return "  " +
           paint(Colour::Yellow,
                 fmt::format("It is not known whether all {} end under {}: there are too many states, or an "
                             "execution that cannot go on.",
                             told.threads, model)) +
           '\n';
  if (*told.terminates)
    return "  " +
           paint(Colour::Green, fmt::format("All {} end in every interleaving that {} allows.", told.threads, model)) +
           '\n';
  return "  " +
         paint(Colour::Red, fmt::format("Not all {} end in this interleaving, which {} allows:", told.threads, model)) +
         '\n' + schedule_text(*told.schedule, paint);
}

}  // namespace heddle::cli
