#include "emulator/cli/litmus/pictures.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "emulator/cli/litmus/mu.h"
#include "emulator/cli/litmus/picture.h"
#include "emulator/cli/litmus/report.h"
#include "emulator/litmus/vulkan/names.h"
#include "emulator/litmus/vulkan/operation_column.h"

extern char** environ;

namespace heddle::cli {
namespace {

/// Runs `dot`, without a shell: file names may contain anything.
bool render(const std::string& dot_file, const std::string& svg_file) {
  std::string program = "dot";
  std::string format = "-Tsvg";
  std::string option = "-o";
  std::string input = dot_file;
  std::string output = svg_file;
  char* arguments[] = {program.data(), format.data(), option.data(), output.data(), input.data(), nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, "dot", nullptr, nullptr, arguments, environ) != 0) return false;
  int status = 0;
  while (waitpid(child, &status, 0) == -1 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class Gallery {
 public:
  Gallery(const std::string& directory, const std::string& stem) : directory_(directory), stem_(stem) {}

  void add(const std::string& suffix, const std::string& dot);
  Pictures written() { return std::move(written_); }

 private:
  std::string directory_;
  std::string stem_;
  Pictures written_;
};

void Gallery::add(const std::string& suffix, const std::string& dot) {
  const std::string base = (std::filesystem::path(directory_) / (stem_ + '-' + suffix)).string();
  std::ofstream out(base + ".dot", std::ios::binary);
  out << dot;
  out.close();
  if (!out) {
    written_.problems.push_back("cannot write " + base + ".dot");
  } else if (render(base + ".dot", base + ".svg")) {
    written_.files.push_back(base + ".svg");
  } else {
    written_.files.push_back(base + ".dot");
    written_.problems.push_back("cannot render " + base + ".svg: Graphviz's program 'dot' is missing or failed");
  }
}

std::string describe(const litmus::Test& test, const litmus::OutcomeRow& row) {
  std::string out;
  for (std::size_t i = 0; i < test.observables.size(); ++i) {
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", test.observables[i].name, row.values[i]);
  }
  return out;
}

void add_vulkan(const LitmusReport& report, const judge::Options& model, Gallery& gallery) {
  const litmus::Test& test = report.vulkan->test;
  if (!report.vulkan->answer) return;
  const litmus::Answer& answer = *report.vulkan->answer;
  const auto variable = [&](const Operation& operation) -> const litmus::Variable& {
    return litmus::variable_of(test, operation);
  };
  const auto number = [](model::Value value) { return std::to_string(static_cast<litmus::Integer>(value)); };
  Captions captions;
  for (const litmus::Thread& thread : test.threads) {
    captions.agents.push_back(thread.name() + '\n' + litmus::spell_place(thread));
  }
  // Agents behind the threads are commands and dependencies.
  captions.other_agent = [&](const Operation& operation) {
    return test.threads[litmus::column_of(test, operation)].name();
  };
  captions.variable = [&](const Operation& operation) { return variable(operation).name; };
  captions.value = number;
  captions.initial_value = [&](const Operation& operation) { return std::to_string(variable(operation).initial); };
  for (std::size_t i = 0; i < answer.outcomes.size(); ++i) {
    if (!answer.outcomes[i].example) continue;
    captions.title = fmt::format("{}: {}", report.name, describe(test, answer.outcomes[i]));
    gallery.add(fmt::format("outcome-{}", i + 1), draw(judge::Judgement(*answer.outcomes[i].example, model), captions));
  }
  if (answer.race) {
    captions.title = report.name + ": a data race";
    gallery.add("race", draw(judge::Judgement(answer.race->execution, model), captions));
  }
}

void add_khronos(const LitmusReport& report, const judge::Options& model, Gallery& gallery) {
  const litmus::khronos::Test& test = report.khronos->test;
  Captions captions;
  for (const litmus::khronos::Thread& thread : test.threads) {
    captions.agents.push_back(fmt::format("thread {}\nsubgroup {}, workgroup {}, queue family {}", thread.number,
                                          thread.subgroup, thread.workgroup, thread.queue_family));
  }
  captions.variable = [&](const Operation& operation) {
    return test.variables[static_cast<std::size_t>(operation.reference)].name;
  };
  // Values are the numbers of writes here: what matters is which write it is.
  captions.value = [](model::Value value) { return value == 0 ? std::string("initial") : fmt::format("w{}", value); };
  captions.initial_value = [](const Operation&) { return std::string("initial"); };
  const auto& claims = report.khronos->answer.claims;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (!claims[i].witness) continue;
    judge::Options flavoured = model;
    flavoured.flavour = judge::Flavour::KhronosSuite;
    flavoured.chains = model.chains && test.claims[i].chains;
    captions.title = report.name + ": " + test.claims[i].text;
    gallery.add(fmt::format("claim-{}", i + 1), draw(judge::Judgement(*claims[i].witness, flavoured), captions));
  }
}

}  // namespace

Pictures write_pictures(const LitmusReport& report, const litmus::Question& question, const std::string& directory,
                        const std::string& stem) {
  Gallery gallery(directory, stem);
  const judge::Options model = litmus::explorer_options(question).model;
  if (report.vulkan) add_vulkan(report, model, gallery);
  if (report.khronos) add_khronos(report, model, gallery);
  if (report.mu)
    for (const auto& [suffix, dot] : mu_pictures(*report.mu, report.name)) gallery.add(suffix, dot);
  return gallery.written();
}

}  // namespace heddle::cli
