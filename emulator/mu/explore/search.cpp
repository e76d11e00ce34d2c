#include <algorithm>

#include "emulator/mu/explore/coherence.h"
#include "emulator/mu/explore/explore.h"
#include "emulator/mu/explore/foresight.h"
#include "emulator/mu/explore/graph.h"

namespace heddle::mu::explore {
namespace {

std::vector<EventIndex> stores_of(const Execution& execution, LocationIndex location) {
  std::vector<EventIndex> out;
  for (EventIndex e = 0; e < execution.events.size(); ++e)
    if (execution.events[e].stores() && execution.events[e].location == location) out.push_back(e);
  return out;
}

class Search {
 public:
  Search(const Program& program, const Options& options, const std::function<bool(const Found&)>& found)
      : program_(program), options_(options), foresight_(program), found_(found) {}

  bool run() {
    Graph graph(program_, options_.bound, foresight_.addresses_as_values());
    explore(std::move(graph));
    return !stopped_;
  }

 private:
  void explore(Graph graph);
  /// Whether every thread has ended or waits for a value; otherwise the search has gone on in copies.
  bool advance(Graph& graph);
  bool handle(Graph& graph, ThreadIndex thread, const Request& request);
  void branch_on_count(const Graph& graph, ThreadIndex thread, const Request& request);
  void branch_on_wait(const Graph& graph, ThreadIndex thread, const Request& request);
  bool fault(Graph& graph, ThreadIndex thread, const Request& request);
  void new_thread(Graph& graph, ThreadIndex thread, const Request& request);
  EventIndex next_load(Graph& graph) const;
  bool may_look_again(const Graph& graph, EventIndex load) const;
  bool may_be_stored(const Graph& graph, EventIndex load) const;
  void branch_on_load(const Graph& graph, EventIndex load);
  void see(const Graph& graph, EventIndex load, EventIndex store);
  void go_on(Graph graph);
  void branch_on_decision(const Graph& graph, ThreadIndex thread, const Request& request);
  void finish(Graph graph);
  void choose_wakers(Graph& graph, EventIndex from);
  void choose_orders(Graph& graph, const std::vector<std::vector<std::vector<EventIndex>>>& orders,
                     std::size_t location);
  void deliver(Graph& graph);

  const Program& program_;
  const Options& options_;
  const Foresight foresight_;
  const std::function<bool(const Found&)>& found_;
  bool stopped_ = false;
};

// The step is a function of the graph, and its choices exclude each other: so there is one way to each execution.
void Search::explore(Graph graph) {
  stopped_ = stopped_ || (options_.cancelled != nullptr && options_.cancelled->load());
  if (stopped_ || !advance(graph)) return;
  const EventIndex load = next_load(graph);
  if (load != kNone) return branch_on_load(graph, load);
  for (ThreadIndex t = 0; t < program_.threads.size(); ++t) {
    if (graph.ends[t] != ThreadEnd::Running) continue;
    const Request request = graph.threads[t]->advance(graph.terms, graph);
    return branch_on_decision(graph, t, request);
  }
  finish(std::move(graph));
}

bool Search::advance(Graph& graph) {
  for (ThreadIndex t = 0; t < program_.threads.size(); ++t) {
    while (graph.ends[t] == ThreadEnd::Running) {
      const Request request = graph.threads[t]->advance(graph.terms, graph);
      if (request.kind == RequestKind::Decide && !request.free) break;
      if (!handle(graph, t, request)) return false;
      // A thread that has just been created has a smaller number, perhaps.
      if (request.event.kind == EventKind::NewThread) return advance(graph);
    }
  }
  return true;
}

bool Search::handle(Graph& graph, ThreadIndex thread, const Request& request) {
  switch (request.kind) {
    case RequestKind::Finished:
      graph.ends[thread] = ThreadEnd::Finished;
      return true;
    case RequestKind::Cut:
      graph.ends[thread] = ThreadEnd::Cut;
      return true;
    case RequestKind::Blocked:
      graph.ends[thread] = ThreadEnd::Blocked;
      return true;
    case RequestKind::Fault:
      return fault(graph, thread, request);
    case RequestKind::Decide:
      branch_on_decision(graph, thread, request);
      return false;
    case RequestKind::EndWait:
      branch_on_wait(graph, thread, request);
      return false;
    case RequestKind::Settle:
      if (graph.execution.events[request.about].kind == EventKind::FutexRequeue && request.succeeds) {
        branch_on_count(graph, thread, request);
        return false;
      }
      graph.settle(thread, request);
      return true;
    case RequestKind::Perform:
      if (request.event.kind == EventKind::FutexWake) {
        branch_on_count(graph, thread, request);
        return false;
      }
      graph.perform(thread, request);
      if (request.event.kind == EventKind::NewThread) new_thread(graph, thread, request);
      return true;
  }
  return true;
}

// A read-modify-write whose operands do not fit ends behind its load. No load sees what it does not store.
bool Search::fault(Graph& graph, ThreadIndex thread, const Request& request) {
  graph.ends[thread] = ThreadEnd::Fault;
  if (request.about == kNone) return true;
  graph.execution.events[request.about].kind = EventKind::Load;
  const std::vector<EventIndex>& seen = graph.execution.reads_from;
  return std::find(seen.begin(), seen.end(), request.about) == seen.end();
}

void Search::new_thread(Graph& graph, ThreadIndex thread, const Request& request) {
  const ThreadIndex created = request.event.created;
  if (graph.threads[created]) throw CreatedTwice{thread, request.event.instruction};
  graph.create(created, options_.bound);
  graph.begin(created);
}

void Search::branch_on_count(const Graph& graph, ThreadIndex thread, const Request& request) {
  for (std::uint32_t woken = 0; woken < program_.threads.size(); ++woken) {
    Graph copy = graph;
    if (request.kind == RequestKind::Settle)
      copy.settle(thread, request, woken);
    else
      copy.perform(thread, request, woken);
    explore(std::move(copy));
  }
}

void Search::branch_on_wait(const Graph& graph, ThreadIndex thread, const Request& request) {
  for (const WaitEnd end : {WaitEnd::Woken, WaitEnd::Expired, WaitEnd::Blocked}) {
    if (end == (request.may_expire ? WaitEnd::Blocked : WaitEnd::Expired)) continue;
    Graph copy = graph;
    copy.execution.events[request.about].performed = true;
    copy.threads[thread]->decide(static_cast<std::int64_t>(end));
    explore(std::move(copy));
  }
}

void Search::branch_on_decision(const Graph& graph, ThreadIndex thread, const Request& request) {
  const bool location = !request.free && graph.terms.node(request.term).kind == TermKind::Location;
  const std::int64_t first = location ? -1 : 0;
  const std::int64_t last = location ? program_.locations() - 1 : 1;
  for (std::int64_t answer = first; answer <= last; ++answer) {
    Graph copy = graph;
    if (!request.free) copy.assume(request.term, answer);
    copy.threads[thread]->decide(answer);
    explore(std::move(copy));
  }
}

bool Search::may_be_stored(const Graph& graph, EventIndex load) const {
  const Event& event = graph.execution.events[load];
  for (ThreadIndex t = 0; t < program_.threads.size(); ++t)
    if (t != event.thread && graph.ends[t] == ThreadEnd::Running &&
        foresight_.may_store(t, graph.threads[t]->at(), event.location))
      return true;
  // A thread that creates others may do so on its way.
  return graph.ends[event.thread] == ThreadEnd::Running &&
         foresight_.may_create_storer(event.thread, graph.threads[event.thread]->at(), event.location);
}

bool Search::may_look_again(const Graph& graph, EventIndex load) const {
  if (graph.execution.reads_from[load] != kUnresolved) return false;
  if (!graph.considered[load].any) return true;
  const std::vector<Event>& events = graph.execution.events;
  for (EventIndex e = 0; e < events.size(); ++e)
    if (events[e].stores() && events[e].location == events[load].location && !graph.considered[load].has(e))
      return true;
  return std::none_of(graph.ends.begin(), graph.ends.end(), [](ThreadEnd end) { return end == ThreadEnd::Running; });
}

// First what a thread waits for.
EventIndex Search::next_load(Graph& graph) const {
  for (ThreadIndex t = 0; t < program_.threads.size(); ++t) {
    if (graph.ends[t] != ThreadEnd::Running) continue;
    const Request request = graph.threads[t]->advance(graph.terms, graph);
    const EventIndex load = graph.waits_for(request.term);
    if (load != kNone && may_look_again(graph, load)) return load;
  }
  for (EventIndex e = 0; e < graph.execution.events.size(); ++e)
    if (may_look_again(graph, e)) return e;
  return kNone;
}

void Search::branch_on_load(const Graph& graph, EventIndex load) {
  const std::vector<Event>& events = graph.execution.events;
  if (!graph.considered[load].any) see(graph, load, kInitial);
  for (EventIndex store = 0; store < events.size(); ++store)
    if (events[store].stores() && store != load && events[store].location == events[load].location &&
        !graph.considered[load].has(store))
      see(graph, load, store);
  if (!may_be_stored(graph, load)) return;
  Graph copy = graph;
  copy.put_off(load);
  explore(std::move(copy));
}

void Search::see(const Graph& graph, EventIndex load, EventIndex store) {
  Graph copy = graph;
  copy.resolve(load, store);
  if (copy.is_out_of_thin_air(load)) {
    if (!options_.thin_air) return;
    for (const Value value : options_.thin_air_values) {
      Graph guessed = copy;
      guessed.guess(load, value);
      go_on(std::move(guessed));
    }
    return;
  }
  go_on(std::move(copy));
}

void Search::go_on(Graph graph) {
  if (!graph.assumptions_hold()) return;
  if (!options_.inconsistent && !may_grow(Judgement(graph.execution, Extent::Part))) return;
  explore(std::move(graph));
}

void Search::finish(Graph graph) {
  // Assumptions that no load resolved: of values that were known all the time.
  if (!graph.assumptions_hold()) return;
  choose_wakers(graph, 0);
}

void Search::choose_wakers(Graph& graph, EventIndex from) {
  std::vector<Event>& events = graph.execution.events;
  EventIndex resume = from;
  while (resume < events.size() && events[resume].kind != EventKind::FutexResume) ++resume;
  if (resume < events.size()) {
    for (EventIndex waker = 0; waker < events.size(); ++waker) {
      const EventKind kind = events[waker].kind;
      if ((kind != EventKind::FutexWake && kind != EventKind::FutexRequeue) || !events[waker].performed) continue;
      events[resume].waker = waker;
      choose_wakers(graph, resume + 1);
    }
    events[resume].waker = kNone;
    return;
  }
  std::vector<std::uint32_t> woken(events.size(), 0);
  for (const Event& event : events)
    if (event.kind == EventKind::FutexResume) ++woken[event.waker];
  for (EventIndex e = 0; e < events.size(); ++e)
    if (woken[e] != events[e].woken) return;
  graph.fill_in();
  const Judgement part(graph.execution, Extent::Part);
  if (!options_.inconsistent && !may_grow(part)) return;
  std::vector<std::vector<std::vector<EventIndex>>> orders(program_.locations());
  for (LocationIndex location = 0; location < program_.locations(); ++location) {
    if (!graph.execution.has_atomic_access(location)) {
      orders[location].emplace_back();
      continue;
    }
    const auto forced = forced_order(part, location);
    if (forced) orders[location] = modification_orders(graph.execution, *forced);
    // For explanations: the order of numbers.
    if (orders[location].empty() && options_.inconsistent)
      orders[location].push_back(stores_of(graph.execution, location));
  }
  graph.execution.modification_order.assign(program_.locations(), {});
  choose_orders(graph, orders, 0);
  graph.execution.modification_order.clear();
}

void Search::choose_orders(Graph& graph, const std::vector<std::vector<std::vector<EventIndex>>>& orders,
                           std::size_t location) {
  if (stopped_) return;
  if (location == orders.size()) return deliver(graph);
  for (const std::vector<EventIndex>& order : orders[location]) {
    graph.execution.modification_order[location] = order;
    choose_orders(graph, orders, location + 1);
  }
}

void Search::deliver(Graph& graph) {
  const Judgement judgement(graph.execution);
  if (!options_.inconsistent && !judgement.consistent()) return;
  std::vector<std::vector<Value>> registers(program_.threads.size());
  for (ThreadIndex t = 0; t < program_.threads.size(); ++t) {
    for (std::uint32_t r = 0; r < program_.threads[t].register_count; ++r)
      registers[t].push_back(graph.threads[t] ? graph.value(graph.threads[t]->reg(r).term).value_or(Value{})
                                              : program_.threads[t].initial[r]);
  }
  if (!found_({graph.execution, judgement, graph.ends, registers})) stopped_ = true;
}

}  // namespace

bool Found::complete() const {
  return std::all_of(ends.begin(), ends.end(),
                     [](ThreadEnd end) { return end == ThreadEnd::Finished || end == ThreadEnd::NotCreated; });
}

bool Found::has(ThreadEnd end) const {
  return std::find(ends.begin(), ends.end(), end) != ends.end();
}

bool explore(const Program& program, const Options& options, const std::function<bool(const Found&)>& found) {
  return Search(program, options, found).run();
}

}  // namespace heddle::mu::explore
