#include "emulator/mu/explore/graph.h"

namespace heddle::mu::explore {

Graph::Graph(const Program& of, std::uint64_t bound, bool loads_may_give_addresses)
    : program(&of),
      threads(of.threads.size()),
      ends(of.threads.size(), ThreadEnd::NotCreated),
      loads_may_give_addresses_(loads_may_give_addresses) {
  execution.threads = static_cast<std::uint32_t>(of.threads.size());
  execution.locations = of.locations();
  for (ThreadIndex t = 0; t < of.threads.size(); ++t)
    if (!of.threads[t].created) create(t, bound);
}

void Graph::create(ThreadIndex thread, std::uint64_t bound) {
  threads[thread].emplace(*program, thread, bound, terms);
  ends[thread] = ThreadEnd::Running;
}

std::optional<Value> Graph::value(Term term) const {
  EventIndex waits = kNone;
  return evaluate(term, waits);
}

// Expressions are as deep as the text is long, so what is still to be known lies on a stack of its own.
std::optional<Value> Graph::evaluate(Term term, EventIndex& waits) const {
  known_.resize(terms.size());
  asked_.assign(1, term);
  while (!asked_.empty()) {
    const Term at = asked_.back();
    const TermNode& node = terms.node(at);
    if (!known_[at] && node.kind == TermKind::Constant) known_[at] = node.value;
    if (known_[at]) {
      asked_.pop_back();
    } else if (node.kind == TermKind::Loaded) {
      if (!look_up(at, node.event)) {
        waits = node.event;
        return std::nullopt;
      }
    } else if (!known_[node.left]) {
      asked_.push_back(node.left);
    } else if (node.has_right() && !known_[node.right]) {
      asked_.push_back(node.right);
    } else {
      known_[at] = computed(node);
    }
  }
  return known_[term];
}

// What the event reads is known, or asked for next; false if the event waits for its source.
bool Graph::look_up(Term at, EventIndex event) const {
  const EventIndex seen = execution.reads_from[event];
  if (guessed_[event]) {
    known_[at] = guessed_[event];
  } else if (seen == kUnresolved) {
    return false;
  } else if (seen == kInitial) {
    known_[at] = program->initial[execution.events[event].location];
  } else if (const Term stored = written_[seen].term; known_[stored]) {
    known_[at] = known_[stored];
  } else {
    asked_.push_back(stored);
  }
  return true;
}

Value Graph::computed(const TermNode& node) const {
  const Value left = *known_[node.left];
  // What faults has been assumed not to, so that the number does not matter.
  const Value wrong = Value::number(0);
  switch (node.kind) {
    case TermKind::Unary:
      return apply(node.unary, left).value_or(wrong);
    case TermKind::UnaryFaults:
      return Value::number(!apply(node.unary, left));
    case TermKind::Truth:
      return Value::number(left.truth());
    case TermKind::Location: {
      const LocationIndex location = program->location(left);
      return Value::number(location == kNone ? -1 : static_cast<std::int64_t>(location));
    }
    default:
      break;
  }
  const auto both = apply(node.binary, left, *known_[node.right]);
  return node.kind == TermKind::Faults ? Value::number(!both) : both.value_or(wrong);
}

std::optional<Value> Graph::loaded(EventIndex event) const {
  if (guessed_[event]) return guessed_[event];
  const EventIndex seen = execution.reads_from[event];
  if (seen == kUnresolved) return std::nullopt;
  if (seen == kInitial) return program->initial[execution.events[event].location];
  return value(written_[seen].term);
}

EventIndex Graph::add(const Event& event) {
  execution.events.push_back(event);
  execution.reads_from.push_back(event.loads() ? kUnresolved : kNone);
  considered.emplace_back();
  written_.emplace_back();
  limits_.push_back(0);
  guessed_.emplace_back();
  return static_cast<EventIndex>(execution.events.size() - 1);
}

void Graph::begin(ThreadIndex thread) {
  Event event;
  event.kind = EventKind::ThreadBegin;
  event.thread = thread;
  add(event);
}

void Graph::put_off(EventIndex load) {
  considered[load].any = true;
  considered[load].stores.clear();
  for (EventIndex e = 0; e < execution.events.size(); ++e)
    if (execution.events[e].stores() && execution.events[e].location == execution.events[load].location)
      considered[load].stores.push_back(e);
}

EventIndex Graph::perform(ThreadIndex thread, const Request& request, std::uint32_t woken) {
  const EventIndex e = add(request.event);
  const Event& event = execution.events[e];
  limits_[e] = request.limit;
  if (event.stores()) write(e, request, request.modifies);
  if (event.kind == EventKind::FutexWake) {
    give_count(thread, e, woken);
  } else {
    Operand result;
    if (event.loads()) result = {terms.loaded(e, loads_may_give_addresses_), {e}, {e}, {e}};
    threads[thread]->performed(e, std::move(result));
  }
  return e;
}

void Graph::give_count(ThreadIndex thread, EventIndex event, std::uint32_t woken) {
  execution.events[event].woken = woken;
  threads[thread]->performed(event, {terms.constant(Value::number(woken)), {}, {event}, {event}});
}

void Graph::write(EventIndex e, const Request& request, bool modifies) {
  Written& written = written_[e];
  written.term = request.written.term;
  written.computed = request.written.computed;
  if (modifies) {
    written.term = terms.binary(request.binary, terms.loaded(e, loads_may_give_addresses_), written.term);
    written.computed = united(written.computed, {e});
  }
}

void Graph::settle(ThreadIndex thread, const Request& request, std::uint32_t woken) {
  Event& event = execution.events[request.about];
  if (event.kind == EventKind::FutexRequeue) {
    event.performed = request.succeeds;
    return give_count(thread, request.about, woken);
  }
  event.order = request.event.order;
  if (request.succeeds) {
    event.kind = EventKind::ReadModifyWrite;
    event.stored_from = request.event.stored_from;
    write(request.about, request, false);
  }
  threads[thread]->performed(request.about);
}

bool Graph::assumptions_hold() const {
  return std::all_of(assumptions_.begin(), assumptions_.end(), [&](const auto& assumption) {
    const auto known = value(assumption.first);
    return !known || known->number() == assumption.second;
  });
}

// The specification has no rule; this is section 7 of the format's description.
//= mu:thin-air
bool Graph::is_out_of_thin_air(EventIndex load) const {
  std::vector<bool> seen(execution.events.size(), false);
  std::vector<EventIndex> work{load};
  while (!work.empty()) {
    const EventIndex at = work.back();
    work.pop_back();
    const EventIndex store = execution.reads_from[at];
    if (store >= execution.events.size()) continue;
    for (const EventIndex from : written_[store].computed) {
      if (from == load) return true;
      if (seen[from]) continue;
      seen[from] = true;
      work.push_back(from);
    }
  }
  return false;
}

void Graph::guess(EventIndex load, Value value) {
  guessed_[load] = value;
  const Term stored = written_[execution.reads_from[load]].term;
  assume(terms.binary(mu::Binary::Equal, stored, terms.constant(value)), 1);
}

EventIndex Graph::waits_for(Term term) const {
  EventIndex waits = kNone;
  evaluate(term, waits);
  return waits;
}

void Graph::fill_in() {
  for (EventIndex e = 0; e < execution.events.size(); ++e) {
    Event& event = execution.events[e];
    if (event.loads()) event.read = loaded(e).value_or(Value{});
    if (event.stores()) event.written = value(written_[e].term).value_or(Value{});
    if (event.kind == EventKind::FutexWake || event.kind == EventKind::FutexRequeue)
      event.limit = value(limits_[e]).value_or(Value{}).number();
  }
}

}  // namespace heddle::mu::explore
