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

/// How many choices may follow each other, and how many operations an execution may have: what more take is no litmus
/// test, and would be told of by no message.
constexpr std::uint32_t kMostChoices = 1500;
constexpr std::size_t kMostOperations = 8192;

class Search {
 public:
  Search(const Program& program, const Options& options, const std::function<bool(const Found&)>& found)
      : program_(program), options_(options), foresight_(program), found_(found) {}

  bool run() {
    Graph graph(program_, options_.bound, foresight_.addresses_as_values());
    explore(graph);
    return !stopped_;
  }

 private:
  /// A choice that follows those before it.
  class Level {
   public:
    Level(Search& search, const Graph& graph) : search_(search) {
      if (++search_.level_ > kMostChoices) search_.refuse(graph, "choices", kMostChoices);
    }
    ~Level() { --search_.level_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Search& search_;
  };
  [[noreturn]] static void refuse(const Graph& graph, const char* of_what, std::uint64_t most);
  /// Goes on with the graph, which is another one afterwards. Each choice is a level of recursion.
  void explore(Graph& graph);
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
  /// What a load may see.
  struct Choices {
    std::vector<EventIndex> stores;
    /// Or something that comes later.
    bool later = false;
  };
  Choices choices_of(const Graph& graph, EventIndex load) const;
  /// Takes the only choice; false if there are several numbers that it may read.
  bool take(Graph& graph, EventIndex load, const Choices& choices) const;
  void branch_on_load(const Graph& graph, EventIndex load, const Choices& choices);
  bool may_be_consistent(const Graph& graph) const;
  void see(const Graph& graph, EventIndex load, EventIndex store);
  void go_on(Graph& graph);
  void guess(const Graph& graph, EventIndex load);
  void branch_on_decision(const Graph& graph, ThreadIndex thread, const Request& request);
  void finish(Graph& graph);
  void choose_wakers(Graph& graph, EventIndex from);
  /// The modification orders that a location may have.
  struct Orders {
    LocationIndex location = 0;
    std::vector<std::vector<EventIndex>> all;
  };
  void choose_orders(Graph& graph, const std::vector<Orders>& orders);
  void deliver(Graph& graph);

  const Program& program_;
  const Options& options_;
  const Foresight foresight_;
  const std::function<bool(const Found&)>& found_;
  bool stopped_ = false;
  std::uint32_t level_ = 0;
};

void Search::refuse(const Graph& graph, const char* of_what, std::uint64_t most) {
  if (graph.execution.events.empty()) throw TooLong{0, 0, of_what, most};
  const Event& last = graph.execution.events.back();
  throw TooLong{last.thread, last.instruction, of_what, most};
}

// The step is a function of the graph, and its choices exclude each other: so there is one way to each execution.
void Search::explore(Graph& graph) {
  const Level level(*this, graph);
  bool unjudged = false;
  for (;;) {
    stopped_ = stopped_ || (options_.cancelled != nullptr && options_.cancelled->load());
    if (stopped_ || !advance(graph)) return;
    const EventIndex load = next_load(graph);
    if (load == kNone) break;
    const Choices choices = choices_of(graph, load);
    const std::size_t count = choices.stores.size() + (choices.later ? 1 : 0);
    if (count == 0) return;
    // What is left to one choice is judged together with what comes next.
    if (count == 1 && take(graph, load, choices)) {
      if (!graph.assumptions_hold()) return;
      unjudged = true;
      continue;
    }
    if (unjudged && !may_be_consistent(graph)) return;
    return branch_on_load(graph, load, choices);
  }
  for (ThreadIndex t = 0; t < program_.threads.size(); ++t) {
    if (graph.ends[t] != ThreadEnd::Running) continue;
    const Request request = graph.threads[t]->advance(graph.terms, graph);
    return branch_on_decision(graph, t, request);
  }
  finish(graph);
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
      if (graph.execution.events.size() == kMostOperations) refuse(graph, "operations", kMostOperations);
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
    explore(copy);
  }
}

void Search::branch_on_wait(const Graph& graph, ThreadIndex thread, const Request& request) {
  for (const WaitEnd end : {WaitEnd::Woken, WaitEnd::Expired, WaitEnd::Blocked}) {
    if (end == (request.may_expire ? WaitEnd::Blocked : WaitEnd::Expired)) continue;
    Graph copy = graph;
    copy.execution.events[request.about].performed = true;
    copy.threads[thread]->decide(static_cast<std::int64_t>(end));
    explore(copy);
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
    explore(copy);
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

// Whether something that another thread does may happen before the load: its own thread has synchronized before.
bool may_follow_others(const Execution& execution, EventIndex load) {
  for (EventIndex e = 0; e < load; ++e) {
    const Event& event = execution.events[e];
    const bool synchronizes = !(event.accesses() && !event.is_atomic()) && !event.binds();
    if (event.thread == execution.events[load].thread && synchronizes && event.kind != EventKind::NewThread)
      return true;
  }
  return false;
}

// Program order is happens-before: what it puts behind a load is not seen by it, nor what it puts before another store
// that is before the load. A plain load sees only what happens before it.
Search::Choices Search::choices_of(const Graph& graph, EventIndex load) const {
  const std::vector<Event>& events = graph.execution.events;
  const bool all = options_.inconsistent;
  const bool of_others = all || events[load].is_atomic() || may_follow_others(graph.execution, load);
  Choices out;
  EventIndex last_own = kInitial;
  for (EventIndex store = 0; store < events.size(); ++store) {
    if (!events[store].stores() || store == load || events[store].location != events[load].location) continue;
    const bool own = !all && events[store].thread == events[load].thread;
    if (own && store < load) last_own = store;
    if (!own && of_others && !graph.considered[load].has(store)) out.stores.push_back(store);
  }
  if (last_own == kInitial ? !graph.considered[load].any : !graph.considered[load].has(last_own))
    out.stores.insert(std::lower_bound(out.stores.begin(), out.stores.end(), last_own), last_own);
  // The initial value comes first.
  if (!out.stores.empty() && out.stores.back() == kInitial)
    std::rotate(out.stores.begin(), out.stores.end() - 1, out.stores.end());
  out.later = of_others && may_be_stored(graph, load);
  return out;
}

bool Search::take(Graph& graph, EventIndex load, const Choices& choices) const {
  if (choices.later) {
    graph.put_off(load);
    return true;
  }
  graph.resolve(load, choices.stores.front());
  if (!graph.is_out_of_thin_air(load)) return true;
  graph.resolve(load, kUnresolved);
  return false;
}

void Search::branch_on_load(const Graph& graph, EventIndex load, const Choices& choices) {
  for (const EventIndex store : choices.stores) see(graph, load, store);
  if (!choices.later || stopped_) return;
  Graph copy = graph;
  copy.put_off(load);
  explore(copy);
}

void Search::see(const Graph& graph, EventIndex load, EventIndex store) {
  if (stopped_) return;
  Graph copy = graph;
  copy.resolve(load, store);
  if (!copy.is_out_of_thin_air(load)) return go_on(copy);
  if (options_.thin_air) guess(copy, load);
}

void Search::guess(const Graph& graph, EventIndex load) {
  for (const Value value : options_.thin_air_values) {
    Graph guessed = graph;
    guessed.guess(load, value);
    go_on(guessed);
  }
}

bool Search::may_be_consistent(const Graph& graph) const {
  return options_.inconsistent || may_grow(Judgement(graph.execution, Extent::Part));
}

void Search::go_on(Graph& graph) {
  if (stopped_ || !graph.assumptions_hold() || !may_be_consistent(graph)) return;
  explore(graph);
}

void Search::finish(Graph& graph) {
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
  std::vector<Orders> orders;
  graph.execution.modification_order.assign(program_.locations(), {});
  for (const LocationIndex location : graph.execution.atomic_locations()) {
    Orders& here = orders.emplace_back(Orders{location, {}});
    if (const auto forced = forced_order(part, location)) here.all = modification_orders(graph.execution, *forced);
    // For explanations: the order of numbers.
    if (here.all.empty() && options_.inconsistent) here.all.push_back(stores_of(graph.execution, location));
  }
  choose_orders(graph, orders);
  graph.execution.modification_order.clear();
}

// One choice after the other, as a number is counted up whose digits are the choices.
void Search::choose_orders(Graph& graph, const std::vector<Orders>& orders) {
  if (std::any_of(orders.begin(), orders.end(), [](const Orders& here) { return here.all.empty(); })) return;
  std::vector<std::size_t> chosen(orders.size(), 0);
  for (;;) {
    for (std::size_t i = 0; i < orders.size(); ++i)
      graph.execution.modification_order[orders[i].location] = orders[i].all[chosen[i]];
    deliver(graph);
    std::size_t digit = orders.size();
    while (digit > 0 && ++chosen[digit - 1] == orders[digit - 1].all.size()) chosen[--digit] = 0;
    if (digit == 0 || stopped_) return;
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
