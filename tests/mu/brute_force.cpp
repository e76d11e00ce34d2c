#include "tests/mu/brute_force.h"

#include <algorithm>
#include <functional>
#include <map>

#include "emulator/mu/explore/thread.h"

namespace heddle::litmus {
namespace {

using namespace mu;
using explore::Operand;
using explore::RequestKind;
using Pairs = std::set<std::pair<std::size_t, std::size_t>>;

/// One way through a thread: what it does if its loads have these values.
struct Path {
  struct Step {
    Event event;
    std::set<std::size_t> computed;  ///< of a store: steps of this thread whose loaded values it is computed from
  };
  std::vector<Step> steps;
  std::vector<Value> registers;
};

/// Every load has the value that the path gives it.
class Given final : public explore::Knowledge {
 public:
  explicit Given(const explore::Terms& terms) : terms_(terms) {}
  std::optional<Value> value(explore::Term term) const override {
    const explore::TermNode& n = terms_.node(term);
    switch (n.kind) {
      case explore::TermKind::Constant:
        return n.value;
      case explore::TermKind::Loaded:
        return values.at(n.event);
      case explore::TermKind::Unary:
        return apply(n.unary, *value(n.left));
      case explore::TermKind::Binary:
        return apply(n.binary, *value(n.left), *value(n.right));
      case explore::TermKind::Truth:
        return Value::number(value(n.left)->truth());
      case explore::TermKind::Location: {
        const LocationIndex at = program->location(*value(n.left));
        return Value::number(at == kNone ? -1 : static_cast<std::int64_t>(at));
      }
      default:
        return Value::number(0);
    }
  }
  bool loads_may_give_addresses() const override { return false; }
  std::map<EventIndex, Value> values;
  const Program* program = nullptr;

 private:
  const explore::Terms& terms_;
};

/// All paths of a thread whose loads have values of the set.
std::vector<Path> paths(const Program& program, ThreadIndex index, const std::set<std::int64_t>& domain) {
  std::vector<Path> out;
  std::vector<std::vector<Value>> work{{}};
  while (!work.empty()) {
    const std::vector<Value> answers = work.back();
    work.pop_back();
    explore::Terms terms;
    Given given(terms);
    given.program = &program;
    explore::Thread thread(program, index, 2, terms);
    Path path;
    std::size_t loads = 0;
    for (bool going = true; going;) {
      const explore::Request request = thread.advance(terms, given);
      if (request.kind == RequestKind::Finished) {
        for (std::uint32_t r = 0; r < program.threads[index].register_count; ++r)
          path.registers.push_back(*given.value(thread.reg(r).term));
        out.push_back(path);
        going = false;
      } else if (request.event.loads() && loads == answers.size()) {
        for (const std::int64_t n : domain) {
          work.push_back(answers);
          work.back().push_back(Value::number(n));
        }
        going = false;
      } else {
        const auto e = static_cast<EventIndex>(path.steps.size());
        Path::Step step{request.event, {}};
        Operand result;
        if (step.event.loads()) {
          step.event.read = given.values[e] = answers[loads++];
          result = {terms.loaded(e, false), {e}, {e}, {e}};
        }
        if (step.event.stores()) {
          step.event.written = *given.value(request.written.term);
          step.computed.insert(request.written.computed.begin(), request.written.computed.end());
          if (request.modifies) {
            step.event.written = *apply(request.binary, step.event.read, step.event.written);
            step.computed.insert(e);
          }
        }
        path.steps.push_back(step);
        thread.performed(e, result);
      }
    }
  }
  return out;
}

struct Candidate {
  std::vector<Event> events;
  std::vector<std::set<std::size_t>> computed;
  std::vector<int> sees;  ///< -1: the initial value
  std::map<LocationIndex, std::vector<std::size_t>> orders;
  Pairs sb, hb;

  bool load(std::size_t e) const { return events[e].loads(); }
  bool atomic_store(std::size_t e) const { return events[e].stores() && events[e].is_atomic(); }
  int at(int store) const {
    if (store < 0) return -1;
    const auto& order = orders.at(events[static_cast<std::size_t>(store)].location);
    return static_cast<int>(std::find(order.begin(), order.end(), static_cast<std::size_t>(store)) - order.begin());
  }
};

Pairs closure(Pairs pairs) {
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& a : Pairs(pairs))
      for (const auto& b : Pairs(pairs))
        if (a.second == b.first) grew = pairs.insert({a.first, b.second}).second || grew;
  }
  return pairs;
}

bool in_sequence(const Candidate& c, std::size_t head, int member) {
  if (member < 0) return false;
  if (static_cast<int>(head) == member) return true;
  if (c.at(member) < c.at(static_cast<int>(head))) return false;
  const auto& order = c.orders.at(c.events[head].location);
  for (int i = c.at(static_cast<int>(head)) + 1; i <= c.at(member); ++i) {
    const Event& e = c.events[order[static_cast<std::size_t>(i)]];
    if (!e.is_atomic() || (e.thread != c.events[head].thread && e.kind != EventKind::ReadModifyWrite)) return false;
  }
  return true;
}

void relate(Candidate& c) {
  const std::size_t n = c.events.size();
  Pairs sw, cd, dob;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a + 1; b < n; ++b)
      if (c.events[a].thread == c.events[b].thread) c.sb.insert({a, b});
  // What releases at a store: itself and fences before it; what acquires at a load: itself and fences behind it.
  for (std::size_t x = 0; x < n; ++x) {
    for (std::size_t y = 0; y < n; ++y) {
      if (!c.atomic_store(x) || !c.load(y) || !c.events[y].is_atomic() || c.events[x].location != c.events[y].location)
        continue;
      if (!in_sequence(c, x, c.sees[y])) continue;
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b) {
          const bool from = a == x || (c.events[a].is_fence() && c.sb.count({a, x}));
          const bool to = b == y || (c.events[b].is_fence() && c.sb.count({y, b}));
          if (from && to && releases(c.events[a].order) && acquires(c.events[b].order)) sw.insert({a, b});
        }
      if (releases(c.events[x].order) && consumes(c.events[y].order) && c.events[x].thread != c.events[y].thread)
        dob.insert({x, y});
    }
  }
  for (std::size_t b = 0; b < n; ++b) {
    for (const EventIndex a : c.events[b].operands) cd.insert({a, b});
    for (std::size_t x = 0; x < b; ++x)
      if (c.load(b) && c.events[x].stores() && c.events[x].location == c.events[b].location && c.sb.count({x, b}))
        for (const EventIndex a : c.events[x].stored_from) cd.insert({a, b});
  }
  cd = closure(cd);
  for (const auto& [a, y] : Pairs(dob))
    for (const auto& [from, b] : cd)
      if (from == y) dob.insert({a, b});
  Pairs ithb = sw;
  ithb.insert(dob.begin(), dob.end());
  for (const auto& [a, x] : sw)
    for (const auto& [y, b] : c.sb)
      if (x == y) ithb.insert({a, b});
  for (const auto& [a, x] : c.sb)
    for (const auto& [y, b] : Pairs(ithb))
      if (x == y) ithb.insert({a, b});
  c.hb = closure(ithb);
  c.hb.insert(c.sb.begin(), c.sb.end());
}

bool coherent(const Candidate& c) {
  const std::size_t n = c.events.size();
  const auto hb = [&](std::size_t a, std::size_t b) { return c.hb.count({a, b}) != 0; };
  for (const auto& [a, b] : closure(c.hb))
    if (a == b) return false;
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      if (a == b || c.events[a].location == kNone || c.events[a].location != c.events[b].location || !hb(a, b))
        continue;
      const bool ordered = c.orders.count(c.events[a].location) != 0;
      if (!ordered) continue;
      if (c.events[a].stores() && c.events[b].stores() && c.at(int(a)) > c.at(int(b))) return false;
      const bool la = c.load(a) && c.events[a].is_atomic();
      const bool lb = c.load(b) && c.events[b].is_atomic();
      if (c.events[a].stores() && lb && c.at(c.sees[b]) < c.at(int(a))) return false;
      if (la && c.events[b].stores() && c.at(c.sees[a]) >= c.at(int(b))) return false;
      if (la && lb && c.at(c.sees[a]) > c.at(c.sees[b])) return false;
    }
    if (c.events[a].kind == EventKind::ReadModifyWrite && c.at(c.sees[a]) + 1 != c.at(int(a))) return false;
    if (!c.load(a) || c.events[a].is_atomic()) continue;
    if (c.sees[a] >= 0 && !hb(std::size_t(c.sees[a]), a)) return false;
    for (std::size_t x = 0; x < n; ++x)
      if (c.events[x].stores() && c.events[x].location == c.events[a].location && hb(x, a) &&
          (c.sees[a] < 0 || hb(std::size_t(c.sees[a]), x)))
        return false;
  }
  return true;
}

/// Whether one order of the SEQ_CST operations fits, a rule at a time.
bool order_fits(const Candidate& c, const std::vector<std::size_t>& order) {
  const auto place = [&](std::size_t e) { return std::find(order.begin(), order.end(), e) - order.begin(); };
  const std::size_t n = c.events.size();
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const std::size_t a = order[i], b = order[j];
      if (c.hb.count({b, a})) return false;
      if (c.events[a].stores() && c.events[b].stores() && c.events[a].location == c.events[b].location &&
          c.at(int(b)) < c.at(int(a)))
        return false;
    }
  const auto last_before = [&](std::size_t end, LocationIndex l) {
    int last = -1;
    for (std::size_t i = 0; i < end; ++i)
      if (c.events[order[i]].stores() && c.events[order[i]].location == l) last = int(order[i]);
    return last;
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t b = order[i];
    if (!c.load(b)) continue;
    const int a = last_before(i, c.events[b].location);
    const int w = c.sees[b];
    if (w == a && a >= 0) continue;
    if (w >= 0 && is_seq_cst(c.events[std::size_t(w)].order)) return false;
    if (a >= 0 && (w < 0 || c.hb.count({std::size_t(w), std::size_t(a)}))) return false;
  }
  const auto is_fence = [&](std::size_t e) { return c.events[e].is_fence() && is_seq_cst(c.events[e].order); };
  for (std::size_t b = 0; b < n; ++b) {
    if (!c.load(b) || !c.events[b].is_atomic()) continue;
    for (const std::size_t y : order) {
      const bool behind = is_fence(y) && c.sb.count({y, b});
      if (behind && c.at(c.sees[b]) < c.at(last_before(std::size_t(place(y)), c.events[b].location))) return false;
      if (!behind && y != b) continue;
      for (const std::size_t x : order)
        for (std::size_t a = 0; a < n && is_fence(x) && place(x) < place(y); ++a)
          if (c.atomic_store(a) && c.sb.count({a, x}) && c.events[a].location == c.events[b].location &&
              c.at(c.sees[b]) < c.at(int(a)))
            return false;
    }
  }
  return true;
}

bool has_order(const Candidate& c) {
  std::vector<std::size_t> order;
  for (std::size_t e = 0; e < c.events.size(); ++e)
    if ((c.events[e].accesses() || c.events[e].is_fence()) && is_seq_cst(c.events[e].order)) order.push_back(e);
  do
    if (order_fits(c, order)) return true;
  while (std::next_permutation(order.begin(), order.end()));
  return false;
}

bool thin(const Candidate& c) {
  Pairs flow;
  for (std::size_t e = 0; e < c.events.size(); ++e) {
    const std::size_t n = c.events.size();
    // Loads are e, stores are n + e, so that a read-modify-write is no cycle by itself.
    if (c.load(e) && c.sees[e] >= 0) flow.insert({n + std::size_t(c.sees[e]), e});
    for (const std::size_t from : c.computed[e]) flow.insert({from, n + e});
  }
  for (const auto& [a, b] : closure(flow))
    if (a == b) return true;
  return false;
}

std::set<std::string> undefined_of(const Candidate& c) {
  std::set<std::string> out;
  for (std::size_t a = 0; a < c.events.size(); ++a)
    for (std::size_t b = a + 1; b < c.events.size(); ++b) {
      const Event& x = c.events[a];
      const Event& y = c.events[b];
      if (!x.accesses() || !y.accesses() || x.location != y.location) continue;
      if (x.is_atomic() != y.is_atomic()) out.insert("mixed");
      if (!x.is_atomic() && !y.is_atomic() && x.thread != y.thread && (x.stores() || y.stores()) &&
          !c.hb.count({a, b}) && !c.hb.count({b, a}))
        out.insert("race");
    }
  return out;
}

class Trier {
 public:
  Trier(const c::Test& test, std::uint64_t limit) : test_(test), limit_(limit) {}
  BruteAnswer run() {
    // More rounds of stores than any execution has add no value that a load without a cycle could see.
    // Constants come first: a store behind a branch needs no value but the one that the branch asks for.
    std::set<std::int64_t> domain{0};
    for (const mu::ThreadCode& thread : test_.program.threads)
      for (const mu::Instruction& i : thread.code)
        if (i.op == mu::Op::Push && !i.value.is_address()) domain.insert(i.value.number());
    for (int round = 0; round < 4 && domain.size() < 7; ++round) {
      std::set<std::int64_t> more = domain;
      for (ThreadIndex t = 0; t < test_.program.threads.size(); ++t)
        for (const Path& path : paths(test_.program, t, domain))
          for (const Path::Step& step : path.steps)
            if (step.event.stores()) more.insert(step.event.written.number());
      if (more == domain) break;
      domain = more;
      answer_.too_large = round == 3 || domain.size() >= 7;
    }
    for (ThreadIndex t = 0; t < test_.program.threads.size(); ++t) paths_.push_back(paths(test_.program, t, domain));
    if (!answer_.too_large) choose_paths({});
    return answer_;
  }

 private:
  void choose_paths(std::vector<const Path*> chosen) {
    if (answer_.too_large) return;
    if (chosen.size() < paths_.size()) {
      for (const Path& path : paths_[chosen.size()]) {
        chosen.push_back(&path);
        choose_paths(chosen);
        chosen.pop_back();
      }
      return;
    }
    Candidate c;
    for (const Path* path : chosen) {
      const auto base = static_cast<EventIndex>(c.events.size());
      for (const Path::Step& step : path->steps) {
        c.events.push_back(step.event);
        for (EventIndex& e : c.events.back().operands) e += base;
        for (EventIndex& e : c.events.back().stored_from) e += base;
        c.computed.emplace_back();
        for (const std::size_t e : step.computed) c.computed.back().insert(e + base);
      }
    }
    c.sees.assign(c.events.size(), -1);
    chosen_ = chosen;
    choose_sources(c, 0);
  }
  void choose_sources(Candidate& c, std::size_t e) {
    if (answer_.too_large || ++tried_ > limit_) return static_cast<void>(answer_.too_large = true);
    while (e < c.events.size() && !c.load(e)) ++e;
    if (e == c.events.size()) {
      if (!thin(c)) choose_orders(c, 0);
      return;
    }
    if (c.events[e].read.number() == 0) choose_sources(c, e + 1);
    for (std::size_t w = 0; w < c.events.size(); ++w) {
      if (w == e || !c.events[w].stores() || c.events[w].location != c.events[e].location ||
          c.events[w].written != c.events[e].read)
        continue;
      c.sees[e] = int(w);
      choose_sources(c, e + 1);
    }
    c.sees[e] = -1;
  }
  void choose_orders(Candidate& c, LocationIndex l) {
    if (l == test_.program.locations()) return judge(c);
    std::vector<std::size_t> stores;
    bool atomic = false;
    for (std::size_t e = 0; e < c.events.size(); ++e) {
      if (c.events[e].location != l) continue;
      atomic = atomic || c.events[e].is_atomic();
      if (c.events[e].stores()) stores.push_back(e);
    }
    if (!atomic) return choose_orders(c, l + 1);
    do {
      c.orders[l] = stores;
      choose_orders(c, l + 1);
    } while (std::next_permutation(stores.begin(), stores.end()));
    c.orders.erase(l);
  }
  void judge(Candidate c) {
    if (++tried_ > limit_) return static_cast<void>(answer_.too_large = true);
    relate(c);
    if (!coherent(c) || !has_order(c)) return;
    ++answer_.executions;
    for (const std::string& kind : undefined_of(c)) answer_.undefined.insert(kind);
    c::Outcome outcome;
    for (const Observable& o : test_.observables) outcome.push_back(chosen_[o.thread]->registers[o.index]);
    answer_.outcomes.insert(outcome);
  }

  const c::Test& test_;
  const std::uint64_t limit_;
  std::uint64_t tried_ = 0;
  std::vector<std::vector<Path>> paths_;
  std::vector<const Path*> chosen_;
  BruteAnswer answer_;
};

}  // namespace

BruteAnswer brute_force(const c::Test& test, std::uint64_t limit) {
  return Trier(test, limit).run();
}

}  // namespace heddle::litmus
