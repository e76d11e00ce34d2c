#include "emulator/cli/perfetto.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kAgents = 1;
constexpr int kCaches = 2;
// Arrows that are longer than that help nobody.
constexpr std::size_t kMostSlices = std::size_t{1} << 20;

std::string quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string bytes_of(const Locations& bytes) {
  return fmt::format("allocation {} bytes {}..{}", static_cast<std::uint32_t>(bytes.allocation),
                     bytes.offset_bytes, bytes.offset_bytes + bytes.size_bytes - 1);
}

std::string_view kind_of(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::Read: return operation.atomic ? "atomic read" : "read";
    case OperationKind::Write: return operation.atomic ? "atomic write" : "write";
    case OperationKind::ReadModifyWrite: return "read-modify-write";
    case OperationKind::MemoryBarrier: return "memory barrier";
    case OperationKind::ControlBarrier: return "control barrier";
    case OperationKind::DeviceAvailability: return "availability to the device domain";
    case OperationKind::DeviceVisibility: return "visibility from the device domain";
    case OperationKind::HostAvailability: return "availability to the host domain";
    case OperationKind::HostVisibility: return "visibility from the host domain";
    case OperationKind::HostToDeviceDomain: return "host to device domain operation";
    case OperationKind::DeviceToHostDomain: return "device to host domain operation";
    case OperationKind::BeginInvocationInterlock: return "interlock begins";
    case OperationKind::EndInvocationInterlock: return "interlock ends";
    case OperationKind::ShaderCall: return "shader call";
    case OperationKind::Free: return "free";
  }
  return "?";
}

std::string_view name_of(trace::MoveReason reason) {
  switch (reason) {
    case trace::MoveReason::Eviction: return "evicted";
    case trace::MoveReason::Availability: return "made available";
    case trace::MoveReason::Atomic: return "atomic";
    case trace::MoveReason::Flush: return "flushed";
  }
  return "?";
}

std::string place_name(const model::Place& place) {
  if (place.is_host()) return "host";
  return fmt::format("queue family {}, workgroup {}, subgroup {}", place.queue_family,
                     place.workgroup, place.subgroup);
}

}  // namespace

PerfettoWriter::PerfettoWriter(std::ostream& out) : out_(out) {
  out_ << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  event(R"({"ph":"M","pid":1,"name":"process_name","args":{"name":"invocations"}})");
  event(R"({"ph":"M","pid":2,"name":"process_name","args":{"name":"caches"}})");
}

void PerfettoWriter::finish() { out_ << "\n]}\n"; }

void PerfettoWriter::event(const std::string& json) {
  out_ << (first_ ? "" : ",\n") << json;
  first_ = false;
}

void PerfettoWriter::name_track(int process, std::uint64_t track, const std::string& name) {
  event(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}}}})",
                    process, track, quoted(name)));
  event(fmt::format(
      R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})",
      process, track, track));
}

std::uint64_t PerfettoWriter::cache(AgentId agent, trace::CacheLevel level) {
  const auto position = static_cast<std::uint32_t>(agent);
  const model::Place& place = places_[position];
  CacheKey key{level, 0, 0, 0};
  std::string name(trace::name(level));
  switch (level) {
    case trace::CacheLevel::Agent:
      key = {level, position, 0, 0};
      name += fmt::format(" {}", position);
      break;
    case trace::CacheLevel::Subgroup:
      key = {level, place.queue_family, place.workgroup, place.subgroup};
      name += fmt::format(" {}.{}.{}", place.queue_family, place.workgroup, place.subgroup);
      break;
    case trace::CacheLevel::Workgroup:
      key = {level, place.queue_family, place.workgroup, 0};
      name += fmt::format(" {}.{}", place.queue_family, place.workgroup);
      break;
    case trace::CacheLevel::QueueFamily:
      key = {level, place.queue_family, 0, 0};
      name += fmt::format(" {}", place.queue_family);
      break;
    default: break;
  }
  const auto [known, fresh] = caches_.emplace(key, caches_.size());
  if (fresh) name_track(kCaches, known->second, name);
  return known->second;
}

const PerfettoWriter::Slice* PerfettoWriter::slice(trace::OperationIndex index) const {
  if (index < forgotten_ || index - forgotten_ >= slices_.size()) return nullptr;
  return &slices_[index - forgotten_];
}

void PerfettoWriter::arrow(const Slice& from, int process, std::uint64_t track, std::uint64_t time,
                           const char* what) {
  const std::uint64_t id = arrows_++;
  event(fmt::format(R"({{"ph":"s","cat":"{0}","name":"{0}","id":{1},"pid":1,"tid":{2},"ts":{3}}})",
                    what, id, from.agent, from.time));
  event(fmt::format(
      R"({{"ph":"f","bp":"e","cat":"{0}","name":"{0}","id":{1},"pid":{2},"tid":{3},"ts":{4}}})", what,
      id, process, track, time));
}

void PerfettoWriter::agent_begins(AgentId agent, const model::Place& place) {
  places_.push_back(place);
  name_track(kAgents, static_cast<std::uint32_t>(agent),
             fmt::format("agent {}: {}", static_cast<std::uint32_t>(agent), place_name(place)));
}

void PerfettoWriter::dependency(bool memory) {
  event(fmt::format(R"({{"ph":"i","s":"g","pid":1,"tid":0,"ts":{},"name":"{} dependency"}})", time_++,
                    memory ? "memory" : "execution"));
}

void PerfettoWriter::operation(trace::OperationIndex index, const Operation& operation,
                               trace::Value read, trace::Value written,
                               std::span<const trace::Source> sources) {
  const std::uint64_t time = time_++;
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  const std::string function = operation.where.function;
  Json arguments;
  arguments["operation"] = index;
  if (operation.is_access()) arguments["bytes"] = bytes_of(operation.locations);
  if (operation.reads()) arguments["read"] = read;
  if (operation.writes()) arguments["written"] = written;
  if (operation.where.line != 0)
    arguments["where"] = fmt::format("{}:{}", operation.where.file, operation.where.line);
  event(fmt::format(R"({{"ph":"X","pid":1,"tid":{},"ts":{},"dur":1,"name":{},"cat":"{}","args":{}}})",
                    agent, time,
                    quoted(function.empty() ? std::string(kind_of(operation))
                                            : fmt::format("{} ({})", kind_of(operation), function)),
                    kind_of(operation),
                    arguments.dump(-1, ' ', false, Json::error_handler_t::replace)));
  for (const trace::Source& source : sources)
    if (const Slice* from = slice(source.write)) arrow(*from, kAgents, agent, time, "reads-from");
  slices_.push_back({agent, time});
  if (slices_.size() > kMostSlices) {
    slices_.pop_front();
    ++forgotten_;
  }
}

void PerfettoWriter::passes(trace::OperationIndex arrival, std::span<const trace::OperationIndex>) {
  const Slice* at = slice(arrival);
  if (at == nullptr) return;
  event(fmt::format(R"({{"ph":"X","pid":1,"tid":{},"ts":{},"dur":{},"name":"waits at the barrier"}})",
                    at->agent, at->time + 1, time_ - at->time - 1));
}

void PerfettoWriter::placed(trace::OperationIndex write) {
  const Slice* at = slice(write);
  if (at == nullptr) return;
  event(fmt::format(
      R"({{"ph":"i","s":"t","pid":1,"tid":{},"ts":{},"name":"operation {} takes its place in modification order"}})",
      at->agent, time_, write));
}

void PerfettoWriter::moved(trace::OperationIndex write, const Locations& bytes, AgentId agent,
                           trace::CacheLevel from, trace::CacheLevel to, trace::MoveReason reason) {
  const std::uint64_t time = time_++;
  const std::uint64_t track = cache(agent, to);
  event(fmt::format(
      R"({{"ph":"X","pid":2,"tid":{},"ts":{},"dur":1,"name":"operation {} {}","cat":"move","args":{{"bytes":"{}","from":"{}"}}}})",
      track, time, write, name_of(reason), bytes_of(bytes), trace::name(from)));
  if (const Slice* origin = slice(write)) arrow(*origin, kCaches, track, time, "moves");
}

void PerfettoWriter::stale(trace::OperationIndex read, trace::OperationIndex missed,
                           trace::CacheLevel kept_in) {
  const Slice* at = slice(read);
  if (at == nullptr) return;
  const std::string missing =
      missed == model::kInitialValue ? "the initial value" : fmt::format("operation {}", missed);
  event(fmt::format(
      R"({{"ph":"X","pid":2,"tid":{},"ts":{},"dur":1,"name":"stale copy for operation {}","cat":"stale","args":{{"missed":"{}"}}}})",
      cache(static_cast<AgentId>(at->agent), kept_in), at->time, read, missing));
}

}  // namespace heddle::cli
