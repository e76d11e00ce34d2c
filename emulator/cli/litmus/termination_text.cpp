#include "emulator/cli/litmus/termination_text.h"

#include <fmt/format.h>

#include "emulator/cli/table.h"

namespace heddle::cli {
namespace {

using litmus::EndlessPart;
using litmus::InterleavedStep;

std::string effect_of(const InterleavedStep& step) {
  std::string out;
  if (step.passes) out = "passes";
  if (step.read) out = fmt::format("reads {}", *step.read);
  if (step.written) out += fmt::format("{}writes {}", out.empty() ? "" : ", ", *step.written);
  return out;
}

void add_rows(const litmus::Test& test, const std::vector<InterleavedStep>& steps, const std::string& when,
              Table& table) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const InterleavedStep& step = steps[i];
    std::vector<Cell> row{{i == 0 ? when : "", Colour::Dim}};
    for (std::uint32_t thread = 0; thread < test.threads.size(); ++thread)
      row.push_back({step.thread != thread ? ""
                     : step.instruction    ? test.threads[thread].code[*step.instruction].text
                                           : "(no access)"});
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

std::string schedule_text(const litmus::Test& test, const litmus::EndlessRun& run, const Painter& paint) {
  Table table;
  std::vector<Cell> head{{""}};
  for (const litmus::Thread& thread : test.threads) head.push_back({thread.name(), Colour::Bold});
  table.add_row(std::move(head));
  add_rows(test, run.first, "first", table);
  add_rows(test, run.again, "again and again", table);
  std::string out = table.print(paint, "  ");
  for (std::size_t i = 0; i < run.parts.size(); ++i)
    out += "  " + part_sentence(test.threads[i].name(), run.parts[i]) + '\n';
  return out;
}

}  // namespace

std::string termination_text(const litmus::Test& test, const litmus::Termination& termination,
                             const litmus::ProgressModels& models, const Painter& paint) {
  const std::string model = litmus::spell(models);
  if (termination.cancelled && !termination.terminates) return "  Stopped before it was known whether it ends.\n";
  if (!termination.terminates)
    return "  " +
           paint(Colour::Yellow, "It is not known whether all threads end under " + model +
                                     ": there are too many states, or an execution that cannot go on.") +
           '\n';
  if (*termination.terminates)
    return "  " + paint(Colour::Green, "All threads end in every interleaving that " + model + " allows.") + '\n';
  return "  " + paint(Colour::Red, "Not all threads end in this interleaving, which " + model + " allows:") + '\n' +
         schedule_text(test, *termination.schedule, paint);
}

}  // namespace heddle::cli
