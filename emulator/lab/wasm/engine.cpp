// What JavaScript calls: strings of JSON in, strings of JSON out. README.md has the requests.
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "emulator/cli/litmus/machine_json.h"
#include "emulator/cli/litmus/report.h"
#include "emulator/cli/spirv/report.h"
#include "emulator/lab/desk.h"
#include "emulator/lab/played_module.h"
#include "emulator/lab/wasm/live_runs.h"
#include "emulator/memory/policy.h"
#include "runtime/text/json_text.h"

namespace {

using namespace heddle;
using cli::Json;

/// The answer that was given last: JavaScript copies it before it asks again.
std::string last_answer;
/// The runs that are being watched.
std::unique_ptr<lab::LiveRuns> watched;

std::string spelled(const Json& json) {
  return text::json_text(json);
}

/// Answers a request, and an exception as `{"error": ...}`.
template <typename Answer>
const char* answered(Answer answer) {
  try {
    last_answer = answer();
  } catch (const std::exception& error) {
    last_answer = spelled({{"error", error.what()}});
  }
  return last_answer.c_str();
}

litmus::Question question_of(const Json& request) {
  litmus::Question question;
  question.bound = request.value("bound", std::uint64_t{2});
  question.limit = request.value("limit", std::uint64_t{0});
  question.chains = request.value("chains", true);
  question.thin_air = request.value("thin_air", false);
  question.verdict_only = request.value("verdict", false);
  question.keep_examples = request.value("why", false);
  return question;
}

std::optional<cli::MachineOptions> machine_of(const Json& request) {
  if (!request.contains("machine")) return std::nullopt;
  cli::MachineOptions machine;
  machine.policy = request.at("machine").get<std::string>();
  machine.runs = request.value("runs", machine.runs);
  machine.seed = request.value("seed", machine.seed);
  machine.judged = request.value("judge", machine.judged);
  machine.explore = request.value("explore", true);
  if (request.contains("replay")) machine.replay = request.at("replay").get<std::uint64_t>();
  return machine;
}

/// `heddle spirv --json` for the text of a module.
std::string answer_module(const Json& request) {
  cli::SpirvRequest asked;
  asked.inquiry.bound = request.value("bound", asked.inquiry.bound);
  asked.inquiry.limit = request.value("limit", asked.inquiry.limit);
  asked.inquiry.chains = request.value("chains", true);
  asked.inquiry.verdict_only = request.value("verdict", false);
  if (const auto machine = machine_of(request)) {
    asked.explore = machine->explore;
    asked.policy = machine->policy;
    asked.runs.emplace();
    asked.runs->policy = memory_policy(machine->policy);
    asked.runs->runs = machine->runs;
    asked.runs->seed = machine->seed;
    asked.runs->judged = machine->judged;
    asked.runs->replay = machine->replay;
    asked.runs->chains = asked.inquiry.chains;
  }
  const auto source = [&] { return cli::module_of_text(request.at("source").get<std::string>()); };
  return cli::spirv_json(cli::report_on_source(request.at("file").get<std::string>(), source, asked), true);
}

}  // namespace

extern "C" {

/// `heddle litmus --json` for a text, or `heddle spirv --json` for that of a module: `{"file", "source"}`, and the
/// options of the command by their names.
const char* heddle_answer(const char* text) {
  return answered([&] {
    const Json request = Json::parse(text);
    const auto text_of_test = request.at("source").get<std::string>();
    if (spirv::is_assembly(text_of_test)) return answer_module(request);
    if (lab::is_glsl_text(text_of_test))
      return spelled({{"error", request.at("file").get<std::string>() + ":1:1: " + lab::kCompileFirst}});
    const litmus::Question question = question_of(request);
    const cli::LitmusReport report =
        cli::report_on_text(request.at("file").get<std::string>(), text_of_test, question, machine_of(request));
    return to_json(report, {question.keep_examples ? &question : nullptr});
  });
}

/// The policies that there are: `name` and `description` of each.
const char* heddle_policies() {
  return answered([] {
    Json all = Json::array();
    for (const MemoryPolicy& policy : memory_policies())
      all.push_back({{"name", policy.name}, {"description", policy.description}});
    return spelled(all);
  });
}

/// Answers a request of emulator/lab/PROTOCOL.md. There is one desk.
const char* heddle_desk(const char* text) {
  static lab::Desk desk;
  return answered([&] { return desk.handle(text); });
}

/// Begins runs that are watched: `{"source", "machine", "seed", "bound"}`.
const char* heddle_begin_runs(const char* text) {
  return answered([&] {
    const Json request = Json::parse(text);
    watched = lab::live_runs({request.at("source").get<std::string>(), request.at("machine").get<std::string>(),
                              request.value("seed", std::uint64_t{1}), request.value("bound", std::uint64_t{2})});
    return spelled(watched->totals());
  });
}

/// Makes more of them, and says what all of them came to.
const char* heddle_more_runs(std::uint32_t runs) {
  return answered([&] {
    if (!watched) return spelled({{"error", "no runs were begun"}});
    watched->make(runs);
    return spelled(watched->totals());
  });
}
}
