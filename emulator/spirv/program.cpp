#include "emulator/spirv/program.h"

#include <algorithm>
#include <map>

#include "emulator/spirv/source.h"

namespace heddle::spirv {
namespace {

using explore::Step;
using explore::StepKind;

/// Whom invocations ask what a token does: it writes all choices, and who reads one before goes the other way.
class Chooser : public explore::Agent {
 public:
  Chooser(const std::vector<Locations>& choices, const std::vector<explore::Later>& later)
      : choices_(choices), later_(later) {}

  Step next(explore::Value) override {
    Step step;
    step.results = {0};
    step.later = &later_[at_];
    if (at_ == choices_.size()) return step;
    step.kind = StepKind::Operation;
    step.operation.kind = OperationKind::Write;
    step.operation.atomic = true;
    step.operation.locations = choices_[at_];
    step.operation.reference = static_cast<ReferenceId>(choices_[at_].allocation);
    step.operation.scope = Scope::Device;
    step.operation.where = {"", "a value that nothing defines", 0};
    step.written = 1;
    ++at_;
    return step;
  }
  bool restart() override {
    at_ = 0;
    return true;
  }

 private:
  const std::vector<Locations>& choices_;
  const std::vector<explore::Later>& later_;
  std::size_t at_ = 0;
};

/// What an invocation may do of which nothing is known.
std::vector<Reach> any_flow(const Dispatch& dispatch) {
  Reach any;
  any.reached = true;
  any.pointers.any = true;
  any.takes = true;
  any.passes = true;
  return std::vector<Reach>(dispatch.code().commands.size(), any);
}

std::vector<std::string> texts_of(const Dispatch& dispatch) {
  std::vector<std::string> out;
  for (const Command& command : dispatch.code().commands) out.push_back(text_of(dispatch, command));
  return out;
}

std::vector<const char*> files_of(const Dispatch& dispatch) {
  std::vector<const char*> out;
  for (const Command& command : dispatch.code().commands)
    out.push_back(lasting(source_file(dispatch, command, dispatch.options().file)));
  return out;
}

// An execution has a table of pairs of invocations.
constexpr std::uint32_t kMostExplored = 1024;

const Dispatch& not_too_large(const Dispatch& dispatch, Purpose purpose) {
  if (purpose == Purpose::Exploration && dispatch.agents() > kMostExplored)
    throw Error({}, std::to_string(dispatch.agents()) +
                        " invocations are too many to list all executions: there are at most " +
                        std::to_string(kMostExplored) + "; runs on the emulated memory take more");
  return dispatch;
}

}  // namespace

Analysis::Analysis(const Dispatch& dispatch, const Question& question, Purpose purpose)
    : dispatch_(not_too_large(dispatch, purpose)),
      // Where lanes go different ways is asked in runs as well.
      knows_flows_(purpose == Purpose::Exploration || !dispatch.code().exchanges.empty()),
      flows_(knows_flows_ ? flows_of(dispatch) : std::vector<std::vector<Reach>>{any_flow(dispatch)}),
      has_filter_(question.filter.has_value()),
      texts_(texts_of(dispatch)),
      files_(files_of(dispatch)) {
  if (purpose == Purpose::Runs) return;
  number_choices();
  watch_memory(question);
}

bool Analysis::has_choices() const {
  return std::any_of(choice_counts_.begin(), choice_counts_.end(), [](std::uint32_t count) { return count > 0; });
}

void Analysis::number_choices() {
  for (const std::vector<Reach>& flow : flows_) {
    std::vector<std::uint32_t>& numbers = choices_.emplace_back(flow.size(), 0);
    std::uint32_t& count = choice_counts_.emplace_back(0);
    for (std::size_t at = 0; at < flow.size(); ++at)
      if (flow[at].reached && flow[at].token_decides && count < kMostChoices) numbers[at] = ++count;
  }
}

void Analysis::watch_memory(const Question& question) {
  for (const Object& object : dispatch_.objects()) {
    watched_.decides.emplace_back(object.size, false);
    watched_.shown.emplace_back(object.size, false);
  }
  const auto mark = [](std::vector<std::vector<bool>>& in, std::uint64_t object, std::uint64_t offset,
                       std::uint32_t bytes) {
    for (std::uint64_t i = offset; object < in.size() && i < offset + bytes && i < in[object].size(); ++i)
      in[object][i] = true;
  };
  for (const Observable& each : question.observables) {
    mark(watched_.shown, each.location.object, each.location.offset, each.location.type.bytes());
    if (each.is_filtered)
      mark(watched_.decides, each.location.object, each.location.offset, each.location.type.bytes());
  }
  const Code& code = dispatch_.code();
  for (const std::vector<Reach>& flow : flows_) {
    for (std::size_t at = 0; at < flow.size(); ++at) {
      const Command& command = code.commands[at];
      if (!accesses_memory(dispatch_, command, flow[at])) continue;
      const AccessInfo& info = code.accesses[command.detail];
      if (!reads(command, info)) continue;
      if (flow[at].pointers.any)
        for (std::vector<bool>& bytes : watched_.decides) bytes.assign(bytes.size(), true);
      for (const std::uint64_t pointer : flow[at].pointers.values)
        mark(watched_.decides, object_of(pointer), offset_of(pointer), info.type.bytes());
    }
  }
}

struct KernelProgram::Parts {
  explicit Parts(const Dispatch& dispatch) : meetings(dispatch) {}

  Meetings meetings;
  std::vector<std::unique_ptr<InvocationCode>> codes;
  std::vector<Locations> choices;
  std::vector<explore::Later> chooser_later;
};

KernelProgram::KernelProgram(const Analysis& analysis, std::uint64_t bound, Idling idling, RunShare* share)
    : analysis_(analysis), parts_(std::make_unique<Parts>(analysis.dispatch())) {
  const Dispatch& dispatch = analysis.dispatch();
  if (share != nullptr) {
    add_runners(bound, idling, *share);
  } else {
    add_explored(bound, idling);
  }
  program_.initial_value = [&dispatch](const Locations& bytes) -> explore::Value {
    if (bytes.allocation >= choice_allocation(dispatch)) return 0;
    return dispatch.initial_value(static_cast<std::uint64_t>(bytes.allocation), bytes.offset_bytes, bytes.size_bytes);
  };
}

KernelProgram::~KernelProgram() = default;

void KernelProgram::add(InvocationCode code) {
  parts_->codes.push_back(std::make_unique<InvocationCode>(std::move(code)));
  const InvocationCode& added = *parts_->codes.back();
  program_.agents.push_back(
      {added.dispatch.place(added.agent), [&added] { return std::make_unique<Invocation>(added); }});
}

void KernelProgram::add_runners(std::uint64_t bound, Idling idling, RunShare& share) {
  const Dispatch& dispatch = analysis_.dispatch();
  const std::size_t commands = dispatch.code().commands.size();
  const std::vector<explore::ValueUse> uses(commands, explore::ValueUse::Decides);
  const std::vector<bool> none(commands, false);
  const std::vector<std::uint32_t> choices(commands, 0);
  std::vector<std::vector<Slot>> live = live_at_headers(dispatch.code(), analysis_.flows()[0]);
  for (std::uint32_t agent = 0; agent < dispatch.agents(); ++agent) {
    if (agent != 0 && analysis_.knows_flows()) live = live_at_headers(dispatch.code(), analysis_.flows()[agent]);
    add({dispatch, agent, std::max<std::uint64_t>(bound, 1), idling, parts_->meetings, dispatch.image(agent), live,
         uses, none, none, choices, analysis_.texts(), analysis_.files(), nullptr, false, analysis_.flows(),
         &share.board, &share});
  }
}

void KernelProgram::add_explored(std::uint64_t bound, Idling idling) {
  const Dispatch& dispatch = analysis_.dispatch();
  const bool verdict_only = idling == Idling::Once;
  const MutualOrder order = verdict_only ? mutual_order(dispatch, analysis_.flows()) : MutualOrder{};
  bool tells = true;
  for (std::uint32_t agent = 0; agent < dispatch.agents(); ++agent) {
    const std::vector<Reach>& reaches = analysis_.flows()[agent];
    const std::size_t commands = reaches.size();
    const std::vector<bool> none(commands, false);
    auto later = std::make_unique<LaterAccesses>(dispatch, agent, reaches, analysis_.choices(agent));
    tells = tells && later->is_known();
    add({dispatch, agent, std::max<std::uint64_t>(bound, 1), idling, parts_->meetings, dispatch.image(agent),
         live_at_headers(dispatch.code(), reaches),
         verdict_only ? value_uses(dispatch, reaches, analysis_.watched())
                      : std::vector<explore::ValueUse>(commands, explore::ValueUse::Decides),
         verdict_only && !analysis_.has_filter() ? order.ordered[agent] : none,
         verdict_only ? order.unread[agent] : none, analysis_.choices(agent), analysis_.texts(), analysis_.files(),
         std::move(later), true, analysis_.flows(), nullptr, nullptr});
    for (std::uint32_t i = 0; i < analysis_.choice_count(agent); ++i)
      parts_->choices.push_back(choice_location(dispatch, agent, i));
  }
  for (auto& code : parts_->codes) code->tells_later = tells;
  say_who_is_alike();
  add_chooser();
}

// Invocations that begin with the same in all slots that matter do the same, unless lanes do things together, or choose
// what nothing defines.
void KernelProgram::say_who_is_alike() {
  const Code& code = analysis_.dispatch().code();
  if (!code.exchanges.empty() || !code.parts.empty() || analysis_.has_choices()) return;
  std::map<std::vector<std::uint64_t>, std::uint32_t> known;
  for (const auto& invocation : parts_->codes) {
    std::vector<std::uint64_t> begins_with;
    const std::vector<std::vector<Slot>> live = live_before(code, analysis_.flows()[invocation->agent], {0});
    for (const Slot slot : live.front()) {
      begins_with.push_back(slot);
      begins_with.push_back(invocation->image[slot]);
    }
    const auto number = static_cast<std::uint32_t>(known.size() + 1);
    program_.agents[invocation->agent].alike = known.emplace(std::move(begins_with), number).first->second;
  }
}

void KernelProgram::add_chooser() {
  if (!parts_->choices.empty()) {
    for (std::size_t at = 0; at <= parts_->choices.size(); ++at) {
      explore::Later& later = parts_->chooser_later.emplace_back();
      // What it stands at counts, as long as it has not written it.
      for (std::size_t i = at; i < parts_->choices.size(); ++i)
        later.accesses.push_back(
            {parts_->choices[i], static_cast<ReferenceId>(parts_->choices[i].allocation), true, true, TagSetId::Empty});
    }
    model::Place place;
    place.workgroup = ~std::uint32_t{0};
    program_.agents.push_back(
        {place, [this] { return std::make_unique<Chooser>(parts_->choices, parts_->chooser_later); }});
  }
}

}  // namespace heddle::spirv
