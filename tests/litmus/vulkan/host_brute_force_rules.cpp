#include <functional>

#include "tests/litmus/vulkan/host_brute_force_parts.h"

namespace heddle::litmus {

int BruteForce::kind(const Event& e) const {
  const bool writes = e.does == Does::Write;
  if (e.stage == "indirect") return 32;
  if (e.stage != "compute") return writes ? 16 : 8;
  if (writes) return 2;
  return is_in(test_.host->uniform, static_cast<std::uint32_t>(e.reference)) ? 4 : 1;
}

bool BruteForce::av_includes(int op, int x) const {
  const Event& e = events_[static_cast<std::size_t>(x)];
  const Event& av = events_[static_cast<std::size_t>(op)];
  if (e.host) return av.does == Does::HostAv && av.location == e.location;
  if (av.does != Does::DeviceAv) return false;
  const Node& n = nodes_[static_cast<std::size_t>(av.node)];
  return e.queue == n.queue && e.time < n.begin && n.av_stages.count(e.stage) != 0 && (kind(e) & n.av_accesses) != 0 &&
         (n.variables.empty() || is_in(n.variables, static_cast<std::uint32_t>(e.reference)));
}

bool BruteForce::vis_includes(int op, int y) const {
  const Event& e = events_[static_cast<std::size_t>(y)];
  const Event& vis = events_[static_cast<std::size_t>(op)];
  if (e.host) return vis.does == Does::HostVis && vis.location == e.location;
  if (vis.does != Does::DeviceVis) return false;
  const Node& n = nodes_[static_cast<std::size_t>(vis.node)];
  if (n.sees_all) return true;
  return e.queue == n.queue && e.time > n.end && n.vis_stages.count(e.stage) != 0 && (kind(e) & n.vis_accesses) != 0 &&
         (n.variables.empty() || is_in(n.variables, static_cast<std::uint32_t>(e.reference)));
}

/// Whether the family of `y` has what `x` wrote, by transfers behind `av` and before or at `vis`.
bool BruteForce::owned(const Matrix& hb, int av, int x, int y, int vis) const {
  const Event& from = events_[static_cast<std::size_t>(x)];
  const Event& to = events_[static_cast<std::size_t>(y)];
  const auto exclusive = [&](const Event& e) {
    return is_in(test_.host->exclusive, static_cast<std::uint32_t>(e.reference));
  };
  if (from.family == to.family || (!exclusive(from) && !exclusive(to))) return true;
  const auto reaches = [&](int a, int b) {
    return a == b || hb[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
  };
  std::set<std::pair<std::uint64_t, int>> seen;
  const std::function<bool(std::uint64_t, int)> go = [&](std::uint64_t family, int since) {
    if (family == to.family && since != av && reaches(since, vis)) return true;
    if (!seen.emplace(family, since).second) return false;
    for (const Node& out : nodes_) {
      if (out.release_to < 0 || out.family != family || !reaches(since, out.first_event)) continue;
      for (const Node& in : nodes_) {
        if (in.acquire_from < 0 || in.family != static_cast<std::uint64_t>(out.release_to) ||
            static_cast<std::uint64_t>(in.acquire_from) != family || in.variables != out.variables)
          continue;
        const auto buffer = static_cast<int>(in.variables.front());
        if (buffer != from.reference && buffer != to.reference) continue;
        if (reaches(out.first_event, in.first_event) && go(in.family, in.first_event)) return true;
      }
    }
    return false;
  };
  return go(from.family, av);
}

/// The last bullet of location order, for a write.
bool BruteForce::follows(const Matrix& hb, int x, int y) const {
  const auto n = static_cast<int>(events_.size());
  const auto before = [&](int a, int b) { return hb[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)]; };
  const Event& from = events_[static_cast<std::size_t>(x)];
  const Event& to = events_[static_cast<std::size_t>(y)];
  const bool own_av = from.host && coherent(from.location);
  const bool own_vis = to.host && coherent(to.location);
  for (int av = 0; av < n; ++av) {
    if (!(own_av && av == x) && !(av_includes(av, x) && before(x, av))) continue;
    for (int at = 0; at < n; ++at) {
      const Does cross = from.host ? Does::ToDevice : Does::ToHost;
      const bool is_there =
          from.host == to.host ? at == av : events_[static_cast<std::size_t>(at)].does == cross && before(av, at);
      if (!is_there) continue;
      if (to.does == Does::Write || own_vis) {
        if (before(at, y)) return true;
        continue;
      }
      for (int vis = 0; vis < n; ++vis)
        if (vis_includes(vis, y) && before(at, vis) && before(vis, y) &&
            (from.host || to.host || owned(hb, av, x, y, vis)))
          return true;
    }
  }
  return false;
}

void BruteForce::finals(const Candidate& candidate, const Matrix& ordered, bool racy) {
  std::vector<Outcome> states(1, Outcome(test_.observables.size()));
  std::map<std::uint32_t, std::size_t> done;
  for (std::size_t o = 0; o < test_.observables.size(); ++o) {
    const Observable& observable = test_.observables[o];
    if (observable.kind == Observable::Kind::Register) {
      Integer value = 0;
      for (std::size_t e = 0; e < events_.size(); ++e)
        if (events_[e].sets == std::pair(observable.thread, observable.index)) value = candidate.values[e];
      for (Outcome& state : states) state[o] = value;
      continue;
    }
    const Variable& variable = test_.variables[observable.index];
    const auto known = done.emplace(variable.location, o);
    if (!known.second) {
      for (Outcome& state : states) state[o] = state[known.first->second];
      continue;
    }
    std::set<Integer> last;
    bool written = false;
    for (std::size_t w = 0; w < events_.size(); ++w) {
      if (events_[w].does != Does::Write || events_[w].location != variable.location) continue;
      written = true;
      bool overwritten = false;
      for (std::size_t z = 0; z < events_.size(); ++z)
        overwritten = overwritten || (events_[z].does == Does::Write && events_[z].location == variable.location &&
                                      (ordered[w][z] || candidate.modification[w][z]));
      if (!overwritten) last.insert(candidate.values[w]);
    }
    if (!written) last.insert(variable.initial);
    std::vector<Outcome> more;
    for (const Integer value : last)
      for (Outcome state : states) {
        state[o] = value;
        more.push_back(state);
      }
    states = more;
  }
  if (test_.filter) std::erase_if(states, [&](const Outcome& state) { return !satisfies(state, *test_.filter); });
  if (states.empty()) return;
  ++answer_.executions;
  answer_.racy = answer_.racy || racy;
  answer_.outcomes.insert(states.begin(), states.end());
}

/// Whether a release heads a sequence that has the write: its own, or on the host a later one of its thread.
bool BruteForce::heads(const Candidate& candidate, std::size_t release, std::size_t write) const {
  if (release == write) return true;
  const Matrix& later = candidate.modification;
  if (!events_[release].host || events_[release].agent != events_[write].agent || !later[release][write]) return false;
  for (std::size_t z = 0; z < events_.size(); ++z)
    if (later[release][z] && later[z][write] && events_[z].agent != events_[release].agent) return false;
  return true;
}

Matrix BruteForce::synchronizes(const Candidate& candidate) const {
  Matrix sw = none();
  for (std::size_t y = 0; y < events_.size(); ++y) {
    if (!events_[y].acquires || candidate.source[y] < 0) continue;
    const auto w = static_cast<std::size_t>(candidate.source[y]);
    if (!mutual(w, y)) continue;
    for (std::size_t x = 0; x < events_.size(); ++x)
      if (events_[x].releases && mutual(x, y) && heads(candidate, x, w)) sw[x][y] = true;
  }
  return sw;
}

/// Through calls of the host its own order goes on.
Matrix BruteForce::system_order(const Matrix& host) const {
  Matrix ssw = none();
  const auto is_call = [&](std::size_t e) { return events_[e].host && events_[e].location == ~0U; };
  for (const auto& [c, d] : given_) {
    const auto from = static_cast<std::size_t>(c);
    const auto to = static_cast<std::size_t>(d);
    for (std::size_t a = 0; a < events_.size(); ++a) {
      if (a != from && !(is_call(from) && host[a][from])) continue;
      for (std::size_t b = 0; b < events_.size(); ++b)
        if (b == to || (is_call(to) && host[to][b])) ssw[a][b] = true;
    }
  }
  close(ssw);
  return ssw;
}

bool BruteForce::ordered(const Matrix& ssw, const Matrix& hb, std::size_t x, std::size_t y) const {
  const Event& a = events_[x];
  const Event& b = events_[y];
  if (hb[x][y] && ((a.agent == b.agent && a.reference == b.reference) || (a.host && b.host))) return true;
  if (a.does == Does::Read) return ssw[x][y] || (a.shared && b.shared && hb[x][y]);
  // An atomic write of a device is available to the shader domain.
  const bool through_shaders =
      a.atomic && b.shared && !a.host && a.reference == b.reference && hb[x][y] && (b.does == Does::Write || b.atomic);
  return through_shaders || follows(hb, static_cast<int>(x), static_cast<int>(y));
}

/// Whether `y` is the end of the memory that `x` accesses too late, or loses what it writes.
bool BruteForce::loses(const Matrix& hb, std::size_t x, std::size_t y) const {
  const Event& a = events_[x];
  const Event& b = events_[y];
  if (b.does == Does::Free) return !hb[x][y];
  if (a.does != Does::Write || !a.host || b.does != Does::HostVis || !hb[x][y] || coherent(a.location)) return false;
  for (std::size_t f = 0; f < events_.size(); ++f)
    if (events_[f].does == Does::HostAv && events_[f].location == a.location && hb[x][f] && hb[f][y]) return false;
  return true;
}

bool BruteForce::mutual(std::size_t x, std::size_t y) const {
  return events_[x].atomic && events_[y].atomic && events_[x].host == events_[y].host &&
         events_[x].reference == events_[y].reference;
}

/// Location order, the order of atomic writes, reads-from and from-reads together.
bool BruteForce::is_cyclic(const Candidate& candidate, const Matrix& ordered) const {
  Matrix all = none();
  const std::size_t n = events_.size();
  for (std::size_t x = 0; x < n; ++x) {
    for (std::size_t y = 0; y < n; ++y) {
      if (x == y || !is_access(x) || !is_access(y) || events_[x].location != events_[y].location) continue;
      all[x][y] = ordered[x][y] || candidate.modification[x][y] || candidate.source[y] == static_cast<int>(x);
      if (events_[x].does != Does::Read || events_[y].does != Does::Write) continue;
      if (candidate.source[x] < 0) {
        all[x][y] = true;
      } else if (candidate.source[x] != static_cast<int>(y)) {
        const auto w = static_cast<std::size_t>(candidate.source[x]);
        if (candidate.modification[w][y] || (ordered[w][x] && ordered[w][y])) all[x][y] = true;
      }
    }
  }
  close(all);
  for (std::size_t e = 0; e < n; ++e)
    if (all[e][e]) return true;
  return false;
}

/// Whether a plain read takes what was overwritten before it, in one step or several.
bool BruteForce::reads_hidden(const Candidate& candidate, const Matrix& ordered) const {
  for (std::size_t r = 0; r < events_.size(); ++r) {
    if (events_[r].does != Does::Read || events_[r].atomic || candidate.source[r] < 0) continue;
    std::vector<std::size_t> next{static_cast<std::size_t>(candidate.source[r])};
    std::set<std::size_t> seen;
    while (!next.empty()) {
      const std::size_t at = next.back();
      next.pop_back();
      for (std::size_t z = 0; z < events_.size(); ++z) {
        if (events_[z].does != Does::Write || !ordered[at][z] || !seen.insert(z).second) continue;
        if (ordered[z][r]) return true;
        next.push_back(z);
      }
    }
  }
  return false;
}

void BruteForce::judge(const Candidate& candidate) {
  const std::size_t n = events_.size();
  const Matrix sw = synchronizes(candidate);
  Matrix host = none();
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) host[a][b] = events_[a].host && events_[b].host && (po_[a][b] || sw[a][b]);
  close(host);
  const Matrix ssw = system_order(host);
  Matrix hb = none();
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      hb[a][b] = ssw[a][b] || sw[a][b] || host[a][b] || (po_[a][b] && (events_[b].releases || events_[a].acquires));
  close(hb);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) hb[a][b] = hb[a][b] || po_[a][b];
  Matrix order = none();
  bool racy = false;
  for (std::size_t x = 0; x < n; ++x) {
    for (std::size_t y = 0; y < n; ++y) {
      if (x == y || events_[x].location != events_[y].location || !is_access(x)) continue;
      if (is_access(y)) {
        order[x][y] = ordered(ssw, hb, x, y);
      } else {
        racy = racy || loses(hb, x, y);
      }
    }
  }
  for (std::size_t x = 0; x < n; ++x)
    for (std::size_t y = 0; y < n; ++y)
      if (events_[x].does == Does::Write && is_access(y) && x != y && events_[x].location == events_[y].location &&
          !mutual(x, y) && !order[x][y] && !order[y][x])
        racy = true;
  if (reads_hidden(candidate, order) || is_cyclic(candidate, order)) return;
  finals(candidate, order, racy);
}

/// Initial values, those that are written as they stand, and what copies make of them.
void BruteForce::derive() {
  for (const Variable& variable : test_.variables) derived_[variable.location].insert(variable.initial);
  for (bool news = true; news;) {
    news = false;
    for (const Event& e : events_) {
      if (e.does != Does::Write) continue;
      std::set<Integer>& here = derived_[e.location];
      const std::size_t before = here.size();
      if (e.copies < 0) {
        here.insert(e.value);
      } else {
        const std::set<Integer> there = derived_[events_[static_cast<std::size_t>(e.copies)].location];
        here.insert(there.begin(), there.end());
      }
      news = news || here.size() != before;
    }
  }
}

/// The event that an event has its value from; -1 if it is known.
int BruteForce::source_of(int event, const std::vector<int>& source) const {
  const Event& e = events_[static_cast<std::size_t>(event)];
  return e.does == Does::Read ? source[static_cast<std::size_t>(event)] : e.copies;
}

void BruteForce::values(const std::vector<int>& source) {
  values(source, std::vector<std::optional<Integer>>(events_.size()));
}

/// Where values have no source but themselves, each derived one is tried.
void BruteForce::values(const std::vector<int>& source, std::vector<std::optional<Integer>> known) {
  for (int e = 0; e < static_cast<int>(events_.size()); ++e) {
    const Event& event = events_[static_cast<std::size_t>(e)];
    if (event.does != Does::Read && event.does != Does::Write) continue;
    std::vector<int> way{e};
    std::set<int> seen{e};
    while (!known[static_cast<std::size_t>(way.back())] && source_of(way.back(), source) >= 0) {
      way.push_back(source_of(way.back(), source));
      if (seen.insert(way.back()).second) continue;
      const auto cut = static_cast<std::size_t>(way.back());
      for (const Integer value : derived_[events_[cut].location]) {
        known[cut] = value;
        values(source, known);
      }
      return;
    }
    const auto last = static_cast<std::size_t>(way.back());
    if (!known[last]) {
      known[last] = events_[last].value;
      if (events_[last].does == Does::Read)
        for (const Variable& variable : test_.variables)
          if (variable.location == events_[last].location) known[last] = variable.initial;
    }
    for (const int one : way) known[static_cast<std::size_t>(one)] = known[last];
  }
  std::vector<Integer> found;
  for (const std::optional<Integer>& one : known) found.push_back(one.value_or(0));
  orders(source, found);
}

/// Every order of the atomic writes of each location, host and device apart.
void BruteForce::orders(const std::vector<int>& source, const std::vector<Integer>& values) {
  std::map<int, std::vector<int>> groups;
  for (int e = 0; e < static_cast<int>(events_.size()); ++e)
    if (events_[static_cast<std::size_t>(e)].does == Does::Write && events_[static_cast<std::size_t>(e)].atomic)
      groups[events_[static_cast<std::size_t>(e)].reference].push_back(e);
  Matrix modification = none();
  const std::function<void(std::map<int, std::vector<int>>::iterator)> go = [&](auto group) {
    if (group == groups.end()) return judge({source, values, modification});
    std::vector<int> order = group->second;
    std::sort(order.begin(), order.end());
    auto next = group;
    ++next;
    do {
      for (std::size_t i = 0; i < order.size(); ++i)
        for (std::size_t j = 0; j < order.size(); ++j)
          modification[static_cast<std::size_t>(order[i])][static_cast<std::size_t>(order[j])] = i < j;
      go(next);
    } while (std::next_permutation(order.begin(), order.end()));
  };
  go(groups.begin());
}

std::optional<BruteForceAnswer> BruteForce::answer(std::uint64_t most) {
  for (std::uint32_t call = 0; call < test_.threads.size(); ++call)
    if (test_.threads[call].kind == ThreadKind::Host) host_thread(call);
  link_waits();
  link_nodes();
  derive();
  std::vector<int> reads;
  std::vector<std::vector<int>> choices;
  std::uint64_t candidates = 1;
  for (int e = 0; e < static_cast<int>(events_.size()); ++e) {
    const Event& read = events_[static_cast<std::size_t>(e)];
    if (read.does != Does::Read) continue;
    reads.push_back(e);
    choices.push_back({-1});
    for (int w = 0; w < static_cast<int>(events_.size()); ++w)
      if (events_[static_cast<std::size_t>(w)].does == Does::Write &&
          events_[static_cast<std::size_t>(w)].location == read.location)
        choices.back().push_back(w);
    candidates *= choices.back().size();
    if (candidates > most) return std::nullopt;
  }
  std::vector<int> source(events_.size(), -1);
  const std::function<void(std::size_t)> choose = [&](std::size_t i) {
    if (i == reads.size()) {
      values(source);
      return;
    }
    for (const int w : choices[i]) {
      source[static_cast<std::size_t>(reads[i])] = w;
      choose(i + 1);
    }
  };
  choose(0);
  return answer_;
}

std::optional<BruteForceAnswer> host_brute_force(const Test& test, std::uint64_t most) {
  return BruteForce(test).answer(most);
}

}  // namespace heddle::litmus
