#include "emulator/litmus/vulkan/host_candidates.h"

#include <heddle/edit.h>

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "emulator/judge/judgement.h"
#include "emulator/litmus/vulkan/host_reason.h"
#include "emulator/litmus/vulkan/host_test.h"
#include "emulator/litmus/vulkan/host_words.h"
#include "emulator/litmus/vulkan/operation_column.h"
#include "emulator/model/access_scope.h"

namespace heddle::litmus {
namespace {

using model::OperationIndex;
using EditList = std::vector<Edit>;

template <typename Meaning, std::size_t size>
std::string spell(Meaning value, const std::pair<std::string_view, Meaning> (&table)[size]) {
  for (const auto& [word, meaning] : table)
    if (meaning == value) return std::string(word);
  return "none";
}

std::string spell(const Mask& mask) {
  const std::string stages = spell(mask.stages, kPipelineStageWords);
  if (mask.accesses == model::Accesses::None) return stages;
  return fmt::format("{}.{}", stages, spell(mask.accesses, kAccessWords));
}

/// A mask as it is written, with more in it.
std::string wider(const std::string& written, const std::string& stage, const std::string& access) {
  const std::size_t dot = written.find('.');
  const std::string stages = written.substr(0, dot);
  const std::string accesses = dot == written.npos ? "" : written.substr(dot + 1);
  const auto with = [](const std::string& list, const std::string& one) {
    const std::string all = '+' + list + '+';
    if (one.empty() || all.find('+' + one + '+') != all.npos) return list;
    return list.empty() || list == "none" ? one : list + '+' + one;
  };
  const std::string all = with(accesses, access);
  return with(stages, stage) + (all.empty() ? "" : '.' + all);
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == ' ') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

bool is_mask(const std::string& word) {
  const std::string stage = word.substr(0, word.find_first_of(".+"));
  return std::any_of(std::begin(kPipelineStageWords), std::end(kPipelineStageWords),
                     [&](const auto& one) { return one.first == stage; });
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// A cell of a column.
struct Cell {
  Place place;
  std::string text;
};

class HostCandidates {
 public:
  HostCandidates(const Test& test, const Question& question, const RaceExample& race)
      : test_(test), host_(*test.host), race_(race), judgement_(race.execution, explorer_options(question).model) {}

  std::vector<EditList> all() {
    const auto reason = host_reason(test_, judgement_, {race_.first, race_.second});
    from_ = reason ? reason->from : race_.first;
    to_ = reason ? reason->to : race_.second;
    // Accesses to one atom, and atomics of both sides, have no order that is meant: the host can wait.
    if (reason && (reason->link == HostLink::Atom || reason->link == HostLink::Atomics) && on_host(from_))
      std::swap(from_, to_);
    if (reason) mend(*reason);
    if (at(from_).is_access() && at(to_).is_access()) add_barriers();
    return std::move(made_);
  }

 private:
  const Operation& at(OperationIndex i) const { return race_.execution.operations[i]; }
  bool on_host(OperationIndex i) const { return race_.execution.place(i).is_host(); }
  std::string variable(OperationIndex i) const { return variable_of(test_, at(i)).name; }

  static Edit edit(EditKind kind, const Cell& cell, std::string text, bool behind = false) {
    Edit edit;
    edit.kind = kind;
    edit.of = EditedKind::Call;
    edit.line = cell.place.line;
    edit.column = cell.place.column;
    edit.text = std::move(text);
    edit.behind = behind;
    return edit;
  }
  static Edit set(const Cell& cell, std::string text) { return edit(EditKind::SetCall, cell, std::move(text)); }
  static Edit put(const Cell& cell, std::string text, bool behind) {
    return edit(EditKind::PutCall, cell, std::move(text), behind);
  }
  void add(EditList edits) { made_.push_back(std::move(edits)); }

  static Cell cell_of(const BatchCommand& command) { return {command.place, command.text}; }
  /// Where the host's operation stands.
  Cell cell_of(OperationIndex i) const { return {place_of(test_, at(i)), at(i).where.function}; }

  /// The command that has the operation, or that dispatches its thread.
  const BatchCommand* command_of(OperationIndex i) const {
    const auto agent = static_cast<std::uint32_t>(at(i).agent);
    for (const Batch& batch : host_.batches)
      for (const BatchCommand& command : batch.commands) {
        const auto& threads = command.threads;
        if (command.text.c_str() == at(i).where.function ||
            std::find(threads.begin(), threads.end(), agent) != threads.end())
          return &command;
      }
    return nullptr;
  }
  const Batch* batch_of(const BatchCommand* command) const {
    for (const Batch& batch : host_.batches)
      if (command >= batch.commands.data() && command < batch.commands.data() + batch.commands.size()) return &batch;
    return nullptr;
  }
  const BatchCommand* command_of_dependency(AgentId dependency) const {
    for (OperationIndex i = 0; i < race_.execution.operations.size(); ++i)
      if (at(i).agent == dependency) return command_of(i);
    return nullptr;
  }
  /// The stage and the kind of an access.
  std::optional<Mask> mask_of(OperationIndex access, bool writes) const {
    if (on_host(access))
      return Mask{model::Stages::Host, writes ? model::Accesses::HostWrite : model::Accesses::HostRead};
    const model::HostSide& side = host_side(race_.execution.host);
    const model::Command* const command = model::command_of(side, at(access).agent);
    if (command == nullptr) return std::nullopt;
    return Mask{command->stage, kind_of(side, *command, at(access), writes)};
  }

  /// The cell of the submission of a batch.
  std::optional<Cell> submission_of(const Batch& batch) const {
    const auto number = static_cast<std::uint32_t>(&batch - host_.batches.data());
    for (std::uint32_t call = 0; call < host_.calls.size(); ++call) {
      const HostCall& one = host_.calls[call];
      if (one.kind != CallKind::Submit || std::count(one.batches.begin(), one.batches.end(), number) == 0) continue;
      for (const Instruction& instruction : test_.threads[one.thread].code)
        if (instruction.call == call) return Cell{instruction.place, instruction.text};
    }
    return std::nullopt;
  }
  const HostCall* call_of(const Batch& batch) const {
    const auto number = static_cast<std::uint32_t>(&batch - host_.batches.data());
    for (const HostCall& one : host_.calls)
      if (one.kind == CallKind::Submit && std::count(one.batches.begin(), one.batches.end(), number) != 0) return &one;
    return nullptr;
  }

  /// A name that nothing of the test has.
  std::string new_name(std::string name) const {
    const auto is_used = [&](const std::string& one) {
      for (const Variable& variable : test_.variables)
        if (variable.name == one) return true;
      for (const HostCall& call : host_.calls)
        if (call.object == one) return true;
      for (const Batch& batch : host_.batches)
        for (const BatchCommand& command : batch.commands)
          if (command.object == one) return true;
      return false;
    };
    while (is_used(name)) name += '_';
    return name;
  }

  void mend(const HostReason& reason);
  void widen(const BatchCommand& command, const std::optional<Mask>& first, const std::optional<Mask>& second);
  void make_global(const BatchCommand& command);
  void widen_semaphore(const BatchCommand& command, const Mask& mask);
  void add_barriers();
  void add_waits();
  void add_flush_before_submission();
  void move_before_submission();
  void move_to_end(OperationIndex operation);
  void order_host_atomics();
  void raise_waits();
  void wait_at_all_stages();
  bool is_waited_for(const std::string& semaphore) const;
  static std::string wait_for(const BatchCommand& signal);
  EditList semaphore(const Batch& from, const Batch& to) const;
  void add_semaphore();
  void add_greater_value(const BatchCommand& wait);
  void add_ownership();

  const Test& test_;
  const HostTest& host_;
  const RaceExample& race_;
  judge::Judgement judgement_;
  OperationIndex from_ = 0;
  OperationIndex to_ = 0;
  std::vector<EditList> made_;
};

/// `first` is added to the source mask, `second` to the destination mask.
void HostCandidates::widen(const BatchCommand& command, const std::optional<Mask>& first,
                           const std::optional<Mask>& second) {
  std::vector<std::string> words = words_of(command.text);
  // The masks of an event's wait stand at its set.
  std::vector<const std::optional<Mask>*> more;
  if (command.first) more.push_back(&first);
  if (command.second) more.push_back(&second);
  auto mask = more.begin();
  for (auto word = words.begin() + 1; word != words.end() && mask != more.end(); ++word) {
    if (!is_mask(*word)) continue;
    if (**mask)
      *word = wider(*word, spell((**mask)->stages, kPipelineStageWords),
                    (**mask)->accesses == model::Accesses::None ? "" : spell((**mask)->accesses, kAccessWords));
    ++mask;
  }
  std::string text = joined(words);
  if (text != command.text) add({set(cell_of(command), std::move(text))});
}

/// A barrier of a buffer becomes one of all memory.
void HostCandidates::make_global(const BatchCommand& command) {
  std::vector<std::string> words = words_of(command.text);
  const std::size_t masks = command.kind == CommandKind::Barrier ? 3 : 4;
  if (words.size() > masks) words.resize(masks);
  add({set(cell_of(command), joined(words))});
}

void HostCandidates::widen_semaphore(const BatchCommand& command, const Mask& mask) {
  std::vector<std::string> words = words_of(command.text);
  words.back() = wider(words.back(), spell(mask.stages, kPipelineStageWords), "");
  add({set(cell_of(command), joined(words))});
}

/// A barrier from the one access to the other: in front of the later command, or behind the earlier one if the
/// later access is the host's.
void HostCandidates::add_barriers() {
  const auto first = mask_of(from_, at(from_).writes());
  const auto second = mask_of(to_, !at(to_).reads());
  if (!first || !second) return;
  Mask destination = *second;
  if (!at(from_).writes()) destination.accesses = model::Accesses::None;
  const Mask source = at(from_).writes() ? *first : Mask{first->stages, model::Accesses::None};
  const std::string barrier = fmt::format("dep {} {}", spell(source), spell(destination));
  if (!on_host(to_)) {
    if (const BatchCommand* const command = command_of(to_)) add({put(cell_of(*command), barrier, false)});
  } else if (const BatchCommand* const command = command_of(from_)) {
    add({put(cell_of(*command), barrier, true)});
  }
}

/// In front of the host's operation a wait for the submission, or for all queues.
void HostCandidates::add_waits() {
  const Cell cell = cell_of(to_);
  const BatchCommand* const command = command_of(from_);
  const Batch* const batch = command == nullptr ? nullptr : batch_of(command);
  const HostCall* const call = batch == nullptr ? nullptr : call_of(*batch);
  const auto submission = batch == nullptr ? std::nullopt : submission_of(*batch);
  EditList wait;
  if (call != nullptr && submission && call->object.empty()) {
    const std::string fence = new_name("f");
    wait = {set(*submission, submission->text + ", " + fence), put(cell, "wait " + fence, false)};
  } else if (call != nullptr && submission) {
    wait = {put(cell, "wait " + call->object, false)};
  }
  EditList idle = {put(cell, "idle", false)};
  if (!wait.empty()) add(wait);
  add(idle);
  // What the host waits for is not in its domain by that alone.
  const auto mask = at(from_).writes() ? mask_of(from_, true) : std::nullopt;
  if (command == nullptr || !mask || !at(to_).is_access()) return;
  const Edit barrier =
      put(cell_of(*command), fmt::format("dep {} host.{}", spell(*mask), at(to_).reads() ? "host_read" : "host_write"),
          true);
  for (EditList* edits : {&wait, &idle}) {
    if (edits->empty()) continue;
    edits->push_back(barrier);
    add(*edits);
    edits->push_back(put(cell, "invalidate " + variable(to_), false));
    add(*edits);
  }
}

void HostCandidates::add_flush_before_submission() {
  const BatchCommand* const command = command_of(to_);
  const Batch* const batch = command == nullptr ? nullptr : batch_of(command);
  if (const auto submission = batch == nullptr ? std::nullopt : submission_of(*batch))
    add({put(*submission, "flush " + variable(from_), false)});
}

/// The host's access comes before the submission that it came behind.
void HostCandidates::move_before_submission() {
  const BatchCommand* const command = command_of(to_);
  const Batch* const batch = command == nullptr ? nullptr : batch_of(command);
  const auto submission = batch == nullptr ? std::nullopt : submission_of(*batch);
  if (!submission) return;
  const Cell access = cell_of(from_);
  const EditList moved = {edit(EditKind::TakeOut, access, ""), put(*submission, access.text, false)};
  add(moved);
  if (!at(from_).writes()) return;
  EditList flushed = moved;
  flushed.push_back(put(*submission, "flush " + variable(from_), false));
  add(std::move(flushed));
}

/// The host's operation comes behind all others of its column.
void HostCandidates::move_to_end(OperationIndex operation) {
  const Cell cell = cell_of(operation);
  const Instruction& last = test_.threads[column_of(test_, at(operation))].code.back();
  if (last.place == cell.place) return;
  add({edit(EditKind::TakeOut, cell, ""), put({last.place, last.text}, cell.text, true)});
}

/// The atomics of the host's threads release what they write, and acquire what they read: one of them, or all.
void HostCandidates::order_host_atomics() {
  constexpr std::pair<std::string_view, std::string_view> kOrders[] = {
      {"st.atom ", "st.atom.rel "}, {"ld.atom ", "ld.atom.acq "}, {"rmw.atom ", "rmw.atom.acq_rel "}};
  EditList all;
  for (const Thread& thread : test_.threads)
    for (const Instruction& one : thread.code)
      for (const auto& [relaxed, ordered] : kOrders)
        if (thread.kind == ThreadKind::Host && one.text.starts_with(relaxed))
          all.push_back(set({one.place, one.text}, std::string(ordered) + one.text.substr(relaxed.size())));
  for (const Edit& one : all) add({one});
  if (all.size() > 1) add(std::move(all));
}

/// The waits of the later batch take the values that the earlier one signals.
void HostCandidates::raise_waits() {
  const BatchCommand* const to = command_of(to_);
  const Batch* const batch = to == nullptr ? nullptr : batch_of(to);
  if (batch == nullptr) return;
  for (const BatchCommand& wait : batch->commands)
    if (wait.kind == CommandKind::WaitSemaphore) add_greater_value(wait);
}

/// The waits of the batch of a command leave no stage out.
void HostCandidates::wait_at_all_stages() {
  const BatchCommand* const to = command_of(to_);
  const Batch* const batch = to == nullptr ? nullptr : batch_of(to);
  if (batch == nullptr) return;
  for (const BatchCommand& wait : batch->commands) {
    std::vector<std::string> words = words_of(wait.text);
    if (wait.kind != CommandKind::WaitSemaphore || !is_mask(words.back())) continue;
    words.pop_back();
    add({set(cell_of(wait), joined(words))});
  }
}

bool HostCandidates::is_waited_for(const std::string& semaphore) const {
  for (const HostCall& call : host_.calls)
    if (call.kind == CallKind::WaitSemaphore && call.object == semaphore) return true;
  for (const Batch& batch : host_.batches)
    for (const BatchCommand& command : batch.commands)
      if (command.kind == CommandKind::WaitSemaphore && command.object == semaphore) return true;
  return false;
}

std::string HostCandidates::wait_for(const BatchCommand& signal) {
  return "wait " + signal.object + (signal.timeline ? fmt::format(", {}", *signal.timeline) : "");
}

EditList HostCandidates::semaphore(const Batch& from, const Batch& to) const {
  const std::string name = new_name("s");
  return {put(cell_of(from.commands.back()), "signal " + name, true),
          put(cell_of(to.commands.front()), "wait " + name, false)};
}

void HostCandidates::add_semaphore() {
  const BatchCommand* const from = command_of(from_);
  const BatchCommand* const to = command_of(to_);
  if (from == nullptr || to == nullptr || batch_of(from) == batch_of(to)) return;
  for (const BatchCommand& one : batch_of(from)->commands)
    if (one.kind == CommandKind::SignalSemaphore && !is_waited_for(one.object))
      add({put(cell_of(batch_of(to)->commands.front()), wait_for(one), false)});
  add(semaphore(*batch_of(from), *batch_of(to)));
}

/// The wait takes the least greater value that is signaled behind the access, or a new one.
void HostCandidates::add_greater_value(const BatchCommand& wait) {
  const BatchCommand* const from = command_of(from_);
  const Batch* const batch = from == nullptr ? nullptr : batch_of(from);
  if (batch == nullptr || !wait.timeline) return;
  std::vector<std::string> words = words_of(wait.text);
  // "wait s, 1 compute"
  const auto value = std::find(words.begin(), words.end(), std::to_string(*wait.timeline));
  if (value == words.end()) return;
  std::uint64_t greatest = *wait.timeline;
  std::vector<std::uint64_t> values;
  for (const Batch& other : host_.batches)
    for (const BatchCommand& command : other.commands)
      if (command.kind == CommandKind::SignalSemaphore && command.object == wait.object && command.timeline)
        values.push_back(*command.timeline);
  std::sort(values.begin(), values.end());
  for (const std::uint64_t one : values) {
    greatest = std::max(greatest, one);
    if (one <= *wait.timeline) continue;
    *value = std::to_string(one);
    add({set(cell_of(wait), joined(words))});
  }
  *value = std::to_string(greatest + 1);
  add({set(cell_of(wait), joined(words)),
       put(cell_of(batch->commands.back()), fmt::format("signal {}, {}", wait.object, greatest + 1), true)});
}

/// A release behind the one, an acquire before the other, and between them a semaphore: what of them is not there.
void HostCandidates::add_ownership() {
  const BatchCommand* const from = command_of(from_);
  const BatchCommand* const to = command_of(to_);
  if (from == nullptr || to == nullptr) return;
  const Batch& giver = *batch_of(from);
  const Batch& taker = *batch_of(to);
  const auto first = mask_of(from_, at(from_).writes());
  const auto second = mask_of(to_, !at(to_).reads());
  if (!first || !second || giver.family == taker.family) return;
  const std::string name = variable(to_);
  const Edit release = put(cell_of(*from), fmt::format("release {}, {} {}", name, taker.family, spell(*first)), true);
  const Edit acquire = put(cell_of(*to), fmt::format("acquire {}, {} {}", name, giver.family, spell(*second)), false);
  add({acquire});
  add({release});
  add({release, acquire});
  // The signal stands behind the release, and the wait before the acquire.
  const EditList ends = semaphore(giver, taker);
  add({release, ends.front(), ends.back(), acquire});
}

void HostCandidates::mend(const HostReason& reason) {
  const BatchCommand* const dependency = reason.dependency ? command_of_dependency(*reason.dependency) : nullptr;
  const auto first = mask_of(from_, at(from_).writes());
  const auto second = mask_of(to_, !at(to_).reads());
  const auto is = [&](std::initializer_list<HostLink> links) {
    return std::find(links.begin(), links.end(), reason.link) != links.end();
  };
  if (dependency != nullptr && first && is({HostLink::FirstScope, HostLink::NoAvailability}))
    widen(*dependency, first, std::nullopt);
  if (dependency != nullptr && second && is({HostLink::SecondScope, HostLink::NoVisibility}))
    widen(*dependency, std::nullopt, second);
  if (dependency != nullptr && first && second &&
      is({HostLink::FirstScope, HostLink::NoAvailability, HostLink::SecondScope, HostLink::NoVisibility}))
    widen(*dependency, first, second);
  if (dependency != nullptr && first && second && is({HostLink::SemaphoreStages})) {
    widen_semaphore(*dependency, *first);
    if (first->stages != second->stages) widen_semaphore(*dependency, *second);
  }
  if (dependency != nullptr && is({HostLink::AnotherBuffer})) make_global(*dependency);
  if (dependency != nullptr && is({HostLink::ValueTooSmall})) add_greater_value(*dependency);
  if (is({HostLink::NoFlush, HostLink::Invalidated})) add({put(cell_of(from_), "flush " + variable(from_), true)});
  if (is({HostLink::NoInvalidation})) add({put(cell_of(to_), "invalidate " + variable(to_), false)});
  const bool waits =
      is({HostLink::Freed, HostLink::HostDoesNotWait, HostLink::WaitForAnother, HostLink::Atom, HostLink::Atomics});
  if (waits && on_host(to_)) add_waits();
  if (is({HostLink::NoDomainToDevice, HostLink::NoFlush})) add_flush_before_submission();
  if (is({HostLink::AfterSubmission}) && at(from_).is_access()) move_before_submission();
  if (is({HostLink::NoSemaphore})) raise_waits();
  if (is({HostLink::NoSemaphore})) add_semaphore();
  if (is({HostLink::BehindHostSignal, HostLink::SemaphoreStages})) wait_at_all_stages();
  if (is({HostLink::HostThreads})) order_host_atomics();
  if (is({HostLink::Freed, HostLink::Atom}) && on_host(to_)) move_to_end(to_);
  if (is({HostLink::Ownership, HostLink::NoSemaphore})) add_ownership();
}

}  // namespace

std::vector<std::vector<Edit>> host_candidates(const Test& test, const Question& question, const RaceExample& race) {
  return HostCandidates(test, question, race).all();
}

}  // namespace heddle::litmus
