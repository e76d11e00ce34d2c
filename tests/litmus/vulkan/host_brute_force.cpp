#include <functional>

#include "tests/litmus/vulkan/host_brute_force_parts.h"

namespace heddle::litmus {

namespace {

const StageSet kEverything = {"indirect", "compute", "copy", "clear", "host", "ownership"};
constexpr int kAllAccesses = ~0;

}  // namespace

StageSet stages_of(model::Stages bits) {
  StageSet out;
  for (const auto& [bit, word] :
       {std::pair(1, "indirect"), {2, "compute"}, {4, "copy"}, {8, "clear"}, {16, "host"}, {32, "ownership"}})
    if ((static_cast<int>(bits) & bit) != 0) out.insert(word);
  return out;
}

bool common(const StageSet& a, const StageSet& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& stage) { return b.count(stage) != 0; });
}

StageSet wider(StageSet stages, const char* has, const char* more) {
  if (stages.count(has) != 0) stages.insert(more);
  return stages;
}

void close(Matrix& m) {
  for (std::size_t k = 0; k < m.size(); ++k)
    for (std::size_t i = 0; i < m.size(); ++i)
      if (m[i][k])
        for (std::size_t j = 0; j < m.size(); ++j)
          if (m[k][j]) m[i][j] = true;
}

void BruteForce::host_thread(std::uint32_t thread) {
  const auto agent = static_cast<int>(thread);
  std::map<std::uint32_t, int> last_read;
  for (const Instruction& one : test_.threads[thread].code) {
    Event e;
    e.agent = agent;
    e.host = true;
    if (one.kind == InstructionKind::Load || one.kind == InstructionKind::Store) {
      e.does = one.kind == InstructionKind::Load ? Does::Read : Does::Write;
      e.location = test_.variables[one.variable].location;
      e.reference = 500 + static_cast<int>(e.location);
      e.atomic = e.shared = one.operation.atomic;
      e.acquires = one.operation.atomic && acquires(one.operation.semantics) && e.does == Does::Read;
      e.releases = one.operation.atomic && releases(one.operation.semantics) && e.does == Does::Write;
      if (e.does == Does::Read) {
        e.sets = std::pair(thread, one.destination);
        last_read[one.destination] = add(e);
        continue;
      }
      if (one.left.is_register) e.copies = last_read.at(one.left.index);
      e.value = one.left.constant;
    } else if (one.kind == InstructionKind::Free) {
      e.does = Does::Free;
      e.location = test_.variables[one.variable].location;
    } else if (!one.call) {
      e.does = one.operation.kind == OperationKind::HostAvailability ? Does::HostAv : Does::HostVis;
      e.location = static_cast<std::uint32_t>(one.operation.locations.allocation);
    }
    const int event = add(e);
    if (!one.call) continue;
    const HostCall& call = test_.host->calls[*one.call];
    if (call.kind == CallKind::Submit) submit(call, event);
    if (call.kind == CallKind::WaitFence) fence_waits_.emplace_back(call.object, event);
    if (call.kind == CallKind::WaitSemaphore) waits_.push_back({call.object, call.value, true, event, -1});
    if (call.kind == CallKind::SignalSemaphore) semaphore_events_[call.object].emplace_back(call.value, event);
    if (call.kind == CallKind::SetEvent) host_set_[call.object] = event;
    if (call.kind == CallKind::Idle)
      for (const auto& [queue, time] : clock_)
        if (!call.queue || *call.queue == queue) edge(nodes_[static_cast<std::size_t>(fence(queue))].last_event, event);
  }
}

int BruteForce::node(const Batch& batch, const std::vector<Does>& does) {
  Node n;
  n.queue = batch.queue;
  n.family = batch.family;
  n.first_event = static_cast<int>(events_.size());
  const int agent = next_agent_++;
  for (const Does one : does) {
    Event e;
    e.does = one;
    e.agent = agent;
    e.node = static_cast<int>(nodes_.size());
    add(e);
  }
  n.last_event = static_cast<int>(events_.size()) - 1;
  nodes_.push_back(n);
  return static_cast<int>(nodes_.size()) - 1;
}

int BruteForce::fence(std::uint64_t queue) {
  Batch batch;
  batch.queue = queue;
  const int n = node(batch, {Does::DeviceAv});
  Node& made = nodes_.back();
  made.begin = ++clock_[queue];
  made.first = made.av_stages = kEverything;
  made.av_accesses = kAllAccesses;
  for (const int earlier : submissions_[queue]) nodes_in_order(earlier, n);
  for (const int earlier : signals_[queue]) nodes_in_order(earlier, n);
  return n;
}

void BruteForce::submit(const HostCall& call, int event) {
  const Batch& front = test_.host->batches[call.batches.front()];
  const int n = node(front, {Does::ToDevice, Does::DeviceVis});
  nodes_.back().end = clock_[front.queue]++;
  nodes_.back().second = kEverything;
  nodes_.back().sees_all = true;
  edge(event, nodes_.back().first_event);
  edge(event, nodes_.back().last_event);
  submissions_[front.queue].push_back(n);
  for (const std::uint32_t one : call.batches) batch(test_.host->batches[one], n);
  if (!call.object.empty()) fences_[call.object] = fence(front.queue);
}

int BruteForce::access(Does does, int agent, std::uint32_t variable, const Batch& batch, int time, const char* stage) {
  Event e;
  e.does = does;
  e.agent = agent;
  e.location = test_.variables[variable].location;
  e.reference = static_cast<int>(variable);
  e.queue = batch.queue;
  e.family = batch.family;
  e.time = time;
  e.stage = stage;
  return add(e);
}

void BruteForce::shader(std::uint32_t thread, const Batch& batch, int time) {
  for (const Instruction& one : test_.threads[thread].code) {
    const bool reads = one.kind == InstructionKind::Load;
    const int event =
        access(reads ? Does::Read : Does::Write, static_cast<int>(thread), one.variable, batch, time, "compute");
    Event& e = events_.back();
    e.atomic = one.operation.atomic;
    e.shared = one.operation.is_non_private();
    e.acquires = reads && e.atomic && acquires(one.operation.semantics);
    e.releases = !reads && e.atomic && releases(one.operation.semantics);
    if (reads) e.sets = std::pair(thread, one.destination);
    e.value = one.left.constant;
    (void)event;
  }
}

void BruteForce::semaphore(const Batch& batch, const BatchCommand& one, int submission) {
  const int clock = clock_[batch.queue];
  const bool waits = one.kind == CommandKind::WaitSemaphore;
  const int n = node(batch, {waits ? Does::DeviceVis : Does::DeviceAv});
  Node& made = nodes_.back();
  if (waits) {
    made.end = clock;
    made.second = stages_of(one.stages);
    made.vis_stages = wider(made.second, "indirect", "compute");
    made.vis_accesses = kAllAccesses;
    waits_.push_back({one.object, one.timeline.value_or(0), one.timeline.has_value(), -1, n});
    return;
  }
  made.begin = clock + 1;
  made.first = stages_of(one.stages);
  made.av_stages = wider(made.first, "compute", "indirect");
  made.av_accesses = kAllAccesses;
  semaphore_events_[one.object].emplace_back(one.timeline.value_or(0), ~n);
  nodes_in_order(submission, n);
  for (const int earlier : signals_[batch.queue]) nodes_in_order(earlier, n);
}

void BruteForce::dispatch(const Batch& batch, const BatchCommand& one, int time) {
  int parameters = -1;
  if (one.destination) {
    parameters = access(Does::Read, next_agent_++, one.variable, batch, time, "indirect");
    events_.back().sets = std::pair(batch.thread, *one.destination);
  }
  for (const std::uint32_t thread : one.threads) {
    const auto begin = static_cast<int>(events_.size());
    shader(thread, batch, time);
    for (int e = begin; parameters >= 0 && e < static_cast<int>(events_.size()); ++e) edge(parameters, e);
  }
}

std::vector<Does> operations_of(const Mask& first, const Mask& second) {
  std::vector<Does> does;
  if ((static_cast<int>(first.accesses) & 128) != 0) does.push_back(Does::ToDevice);
  does.push_back(Does::DeviceAv);
  does.push_back(Does::DeviceVis);
  if ((static_cast<int>(second.accesses) & (64 | 128)) != 0) does.push_back(Does::ToHost);
  return does;
}

void set_masks(Node& n, const Mask& first, const Mask& second, const std::vector<std::uint32_t>& variables) {
  n.first = stages_of(first.stages);
  n.second = stages_of(second.stages);
  n.av_stages = n.first;
  n.vis_stages = n.second;
  n.av_accesses = static_cast<int>(first.accesses);
  n.vis_accesses = static_cast<int>(second.accesses);
  n.variables = variables;
}

void BruteForce::await(const Batch& batch, const BatchCommand& one, int time) {
  const bool by_host = host_set_.count(one.object) != 0;
  const BatchCommand& at = by_host ? one : *set_.at(one.object).first;
  node(batch, operations_of(*at.first, *at.second));
  Node& made = nodes_.back();
  set_masks(made, *at.first, *at.second, at.variables);
  made.begin = by_host ? -1 : set_.at(one.object).second;
  made.end = time;
  if (!by_host) return;
  made.first.clear();
  for (int e = made.first_event; e <= made.last_event; ++e) edge(host_set_[one.object], e);
}

void BruteForce::command(const Batch& batch, const BatchCommand& one, int time) {
  if (one.kind == CommandKind::Dispatch) return dispatch(batch, one, time);
  if (one.kind == CommandKind::AwaitEvent) return await(batch, one, time);
  if (one.kind == CommandKind::SetEvent) {
    set_[one.object] = {&one, time};
  } else if (one.kind == CommandKind::Copy) {
    const int agent = next_agent_++;
    const int read = access(Does::Read, agent, one.source, batch, time, "copy");
    access(Does::Write, agent, one.variable, batch, time, "copy");
    events_.back().copies = read;
  } else if (one.kind == CommandKind::Fill) {
    access(Does::Write, next_agent_++, one.variable, batch, time, "clear");
    events_.back().value = one.value;
  } else if (one.kind == CommandKind::Barrier) {
    node(batch, operations_of(*one.first, *one.second));
    set_masks(nodes_.back(), *one.first, *one.second, one.variables);
    nodes_.back().begin = nodes_.back().end = time;
  } else {
    const bool releases = one.kind == CommandKind::Release;
    node(batch, {releases ? Does::DeviceAv : Does::DeviceVis});
    Node& n = nodes_.back();
    const Mask owner{model::Stages::Ownership, model::Accesses::None};
    set_masks(n, releases ? *one.first : owner, releases ? owner : *one.second, {one.variable});
    n.begin = n.end = time;
    (releases ? n.release_to : n.acquire_from) = static_cast<int>(one.family);
  }
}

void BruteForce::batch(const Batch& batch, int submission) {
  int& clock = clock_[batch.queue];
  std::vector<int> own;
  for (const BatchCommand& one : batch.commands) {
    if (one.kind == CommandKind::WaitSemaphore || one.kind == CommandKind::SignalSemaphore) {
      semaphore(batch, one, submission);
      if (one.kind == CommandKind::SignalSemaphore) own.push_back(static_cast<int>(nodes_.size()) - 1);
      continue;
    }
    command(batch, one, clock + 1);
    ++clock;
  }
  signals_[batch.queue].insert(signals_[batch.queue].end(), own.begin(), own.end());
  ++clock;
}

void BruteForce::link_waits() {
  for (const Wait& wait : waits_) {
    if (wait.timeline && wait.value == 0) continue;
    const auto& signals = semaphore_events_[wait.name];
    const auto best = std::min_element(signals.begin(), signals.end(), [&](const auto& a, const auto& b) {
      return std::pair(a.first < wait.value, a.first) < std::pair(b.first < wait.value, b.first);
    });
    const int from = best->second >= 0 ? best->second : nodes_[static_cast<std::size_t>(~best->second)].last_event;
    edge(from, wait.event >= 0 ? wait.event : nodes_[static_cast<std::size_t>(wait.node)].first_event);
  }
  for (const auto& [name, event] : fence_waits_)
    edge(nodes_[static_cast<std::size_t>(fences_.at(name))].last_event, event);
  for (const auto& [a, b] : node_pairs_)
    edge(nodes_[static_cast<std::size_t>(a)].last_event, nodes_[static_cast<std::size_t>(b)].first_event);
}

void BruteForce::link_nodes() {
  const std::size_t n = events_.size();
  po_ = none();
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a + 1; b < n; ++b) po_[a][b] = events_[a].agent == events_[b].agent;
  for (const Node& node : nodes_) {
    for (int e = node.first_event; e < node.last_event; ++e) edge(e, e + 1);
    const StageSet first = wider(node.first, "compute", "indirect");
    const StageSet second = wider(node.second, "indirect", "compute");
    for (int e = 0; e < static_cast<int>(n); ++e) {
      const Event& one = events_[static_cast<std::size_t>(e)];
      if (one.time < 0 || one.queue != node.queue) continue;
      if (one.time < node.begin && first.count(one.stage) != 0) edge(e, node.first_event);
      if (one.time > node.end && second.count(one.stage) != 0) edge(node.last_event, e);
    }
    for (const Node& later : nodes_)
      if (&later != &node && later.queue == node.queue && later.begin > node.end && later.begin >= 0 &&
          common(second, wider(later.first, "compute", "indirect")))
        edge(node.last_event, later.first_event);
  }
}

}  // namespace heddle::litmus
