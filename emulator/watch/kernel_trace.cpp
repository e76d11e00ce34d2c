#include "emulator/watch/kernel_trace.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "emulator/trace/file_error.h"
#include "emulator/trace/instructions.h"

namespace heddle::watch {

namespace {

/// The traces that are being written. Where the process dies, a trace for which there is no room here loses its last
/// bytes.
constexpr std::size_t kMostSaved = 64;
constinit std::array<std::atomic<trace::FileWriter*>, kMostSaved + 1> g_saved;

std::size_t saved_place(trace::FileWriter& writer) {
  std::size_t place = 0;
  trace::FileWriter* none = nullptr;
  while (place < kMostSaved && !g_saved[place].compare_exchange_strong(none, &writer)) {
    none = nullptr;
    ++place;
  }
  return place;
}

void save(void* place) {
  if (trace::FileWriter* const writer = static_cast<std::atomic<trace::FileWriter*>*>(place)->load())
    writer->save_at_end();
}

}  // namespace

SavedTrace::SavedTrace(trace::FileWriter& writer) : place_(saved_place(writer)), last_words_(save, &g_saved[place_]) {}

SavedTrace::~SavedTrace() {
  g_saved[place_].store(nullptr);
}

KernelTrace::KernelTrace(const std::string& path, const trace::Instructions& instructions)
    : instructions_(instructions) {
  try {
    writer_ = std::make_unique<trace::FileWriter>(path);
    saved_.emplace(*writer_);
  } catch (const trace::TraceFileError& error) {
    throw std::invalid_argument(fmt::format("the trace cannot be written: {}", error.what()));
  }
}

KernelTrace::~KernelTrace() {
  saved_.reset();
  tell([](trace::FileWriter& writer) { writer.close(); });
  if (!failure_.empty() && !told_failure_)
    std::fprintf(stderr, "heddle: the trace is not whole: %s\n", failure_.c_str());
}

template <typename Tell>
void KernelTrace::tell(const Tell& with_writer) {
  if (!failure_.empty()) return;
  try {
    with_writer(*writer_);
  } catch (const trace::TraceFileError& error) {
    failure_ = error.what();
  }
}

void KernelTrace::check() {
  if (failure_.empty() || told_failure_) return;
  told_failure_ = true;
  throw std::runtime_error(fmt::format("heddle: the trace is not whole: {}", failure_));
}

void KernelTrace::flush() {
  tell([](trace::FileWriter& writer) { writer.flush(); });
}

void KernelTrace::dispatch_begins(const DispatchStart& started) {
  tell([&](trace::FileWriter& writer) { writer.dispatched(started.dispatch); });
  for (const NamedObject& object : started.objects.arguments()) name_object(object);
}

void KernelTrace::renew(AllocationId allocation) {
  const auto index = static_cast<std::size_t>(allocation);
  if (renewed_.size() <= index) renewed_.resize(index + 1, 0);
  renewed_[index] = ++renewals_;
}

// Even numbers are those of the device, odd ones those of the renewed.
AllocationId KernelTrace::in_trace(AllocationId allocation) const {
  const auto index = static_cast<std::uint32_t>(allocation);
  const std::uint32_t renewed = index < renewed_.size() ? renewed_[index] : 0;
  return static_cast<AllocationId>(renewed == 0 ? 2 * index : 2 * renewed - 1);
}

Locations KernelTrace::in_trace(Locations bytes) const {
  bytes.allocation = in_trace(bytes.allocation);
  return bytes;
}

namespace {

trace::Components components_of(const detail::ComponentType& type) {
  trace::Components components;
  switch (type.kind) {
    case detail::ComponentKind::Unknown:
      break;
    case detail::ComponentKind::Unsigned:
      components.kind = trace::ComponentKind::Unsigned;
      break;
    case detail::ComponentKind::Signed:
      components.kind = trace::ComponentKind::Signed;
      break;
    case detail::ComponentKind::Float:
      components.kind = trace::ComponentKind::Float;
      break;
  }
  components.size_bytes = type.size_bytes;
  components.element_bytes = type.element_bytes;
  if (!type.members) return components;
  for (const detail::DescribedMember& member : type.members()) {
    components.members.push_back({std::string(member.name), member.offset_bytes, member.size_bytes, member.is_array,
                                  components_of(member.type)});
  }
  return components;
}

}  // namespace

void KernelTrace::name_object(const NamedObject& object) {
  trace::NamedBytes bytes = object.bytes;
  bytes.allocation = in_trace(bytes.allocation);
  tell([&](trace::FileWriter& writer) { writer.named(bytes, components_of(object.component)); });
}

void KernelTrace::raced(const trace::ToldRace& race) {
  tell([&](trace::FileWriter& writer) { writer.raced(race); });
}

void KernelTrace::agent_begins(AgentId agent, const model::Place& place) {
  tell([&](trace::FileWriter& writer) { writer.agent_begins(agent, place); });
}
void KernelTrace::agent_ends(AgentId agent) {
  tell([&](trace::FileWriter& writer) { writer.agent_ends(agent); });
}
void KernelTrace::system_synchronizes(AgentId first, AgentId second) {
  tell([&](trace::FileWriter& writer) { writer.system_synchronizes(first, second); });
}
void KernelTrace::dependency(bool memory) {
  tell([&](trace::FileWriter& writer) { writer.dependency(memory); });
}
void KernelTrace::operation(trace::OperationIndex index, const Operation& operation, trace::Value read,
                            trace::Value written, std::span<const trace::Source> sources) {
  Operation told = operation;
  told.locations = in_trace(operation.locations);
  told.where = instructions_.place_of(operation.where);
  sources_.assign(sources.begin(), sources.end());
  for (trace::Source& source : sources_) source.bytes = in_trace(source.bytes);
  tell([&](trace::FileWriter& writer) { writer.operation(index, told, read, written, sources_); });
}
void KernelTrace::passes(trace::OperationIndex arrival, std::span<const trace::OperationIndex> synchronizing) {
  tell([&](trace::FileWriter& writer) { writer.passes(arrival, synchronizing); });
}
void KernelTrace::placed(trace::OperationIndex write) {
  tell([&](trace::FileWriter& writer) { writer.placed(write); });
}
void KernelTrace::moved(trace::OperationIndex write, const Locations& bytes, AgentId agent, trace::CacheLevel from,
                        trace::CacheLevel to, trace::MoveReason reason) {
  tell([&](trace::FileWriter& writer) { writer.moved(write, in_trace(bytes), agent, from, to, reason); });
}
void KernelTrace::stale(trace::OperationIndex read, trace::OperationIndex missed, trace::CacheLevel kept_in) {
  tell([&](trace::FileWriter& writer) { writer.stale(read, missed, kept_in); });
}

void KernelTrace::step_begins(std::uint64_t step, const trace::ApiStep& told) {
  tell([&](trace::FileWriter& writer) { writer.step_begins(step, told); });
}
void KernelTrace::step_follows(std::uint64_t step, std::uint64_t earlier) {
  tell([&](trace::FileWriter& writer) { writer.step_follows(step, earlier); });
}
void KernelTrace::step_is_stale(std::uint64_t step, const trace::OldValues& values) {
  tell([&](trace::FileWriter& writer) { writer.step_is_stale(step, values); });
}
void KernelTrace::step_ends(std::uint64_t step) {
  tell([&](trace::FileWriter& writer) { writer.step_ends(step); });
}
void KernelTrace::held_back(const trace::HeldBack& held) {
  tell([&](trace::FileWriter& writer) { writer.held_back(held); });
}

std::string trace_path(const std::optional<std::string>& asked) {
  if (asked) return *asked;
  const char* text = std::getenv("HEDDLE_TRACE");
  if (!text || !*text) return "";
  static std::atomic<std::uint32_t> devices{0};
  const std::uint32_t device = ++devices;
  return device == 1 ? std::string(text) : fmt::format("{}.{}", text, device);
}

}  // namespace heddle::watch
