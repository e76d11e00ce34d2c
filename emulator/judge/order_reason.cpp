#include "emulator/judge/order_reason.h"

#include <algorithm>

namespace heddle::judge {
namespace {

using Chain = std::array<EventSet, kScopes.size()>;

class ReasonOfOrder {
 public:
  ReasonOfOrder(const Facts& facts, const Location& location, EventIndex x, EventIndex y)
      : facts_(facts), x_(x), y_(y), chains_(facts, location) {}

  //= vk:memory-model-location-ordered
  OrderReason find() {
    const Operation& first = facts_.operation(x_);
    const Operation& second = facts_.operation(y_);
    const EventFacts& from = facts_.events[x_];
    const EventFacts& to = facts_.events[y_];
    const bool before = facts_.happens_before.has(x_, y_);
    const bool non_private = from.non_private && to.non_private;
    if (first.agent == second.agent && first.reference == second.reference &&
        (before || facts_.program_order.has(x_, y_)))
      return direct(Bullet::SameAgentAndReference);
    if (from.reads && non_private && before) return direct(Bullet::NonPrivateRead);
    if (from.reads && facts_.system_synchronizes.has(x_, y_)) return direct(Bullet::SystemSynchronizedRead);
    if (non_private && first.reference == second.reference && from.writes && common_domain()) return reason_;
    if (from.writes && device_or_host()) return reason_;
    if (is_shader_input_from(facts_, x_, y_)) return direct(Bullet::ShaderInput);
    return direct(Bullet::TessellationOutput);
  }

 private:
  model::OperationIndex operation(EventIndex e) const { return facts_.events[e].operation; }

  OrderReason direct(Bullet bullet) {
    reason_.bullet = bullet;
    reason_.through = {operation(x_), operation(y_)};
    return reason_;
  }

  static model::Domain domain_of(Level level) {
    switch (kScopes[level]) {
      case Scope::Subgroup:
        return model::Domain::SubgroupInstance;
      case Scope::Workgroup:
        return model::Domain::WorkgroupInstance;
      case Scope::ShaderCallKHR:
        return model::Domain::ShaderCallInstance;
      case Scope::FragmentInterlock:
        return model::Domain::FragmentInterlockInstance;
      case Scope::QueueFamily:
        return model::Domain::QueueFamilyInstance;
      case Scope::CrossDevice:
        return model::Domain::Host;
      default:
        return model::Domain::Shader;
    }
  }

  void go_through(const std::vector<EventIndex>& events) {
    for (EventIndex e : events)
      if (reason_.through.empty() || reason_.through.back() != operation(e)) reason_.through.push_back(operation(e));
  }

  // The links of an availability chain from the write to `end`, which is in `chain` at `level`; of a
  // visibility chain from its beginning to the read.
  std::vector<EventIndex> availability_links(const Chain& chain, Level level, EventIndex end) {
    std::vector<EventIndex> links{end};
    while (!starts(links.back(), level)) {
      bool found = false;
      for (const Level narrow : facts_.levels) {
        if (found || narrow >= level) break;
        chain[narrow].for_each([&](EventIndex op) {
          if (found || !facts_.happens_before.has(op, links.back())) return;
          if (!in_instance(op, links.back(), narrow)) return;
          if (chains_.available_level(links.back(), x_) < level) return;
          found = true;
          links.push_back(op);
          level = narrow;
        });
      }
      if (!found) break;
    }
    std::reverse(links.begin(), links.end());
    return links;
  }

  bool starts(EventIndex op, Level level) const {
    return facts_.events[op].agent == facts_.events[x_].agent &&
           (op == x_ || facts_.program_order_that_counts().has(x_, op)) && chains_.available_level(op, x_) >= level;
  }

  std::vector<EventIndex> visibility_links(const Chain& chain, Level level, EventIndex begin) {
    std::vector<EventIndex> links{begin};
    while (!ends(links.back(), level)) {
      bool found = false;
      for (const Level narrow : facts_.levels) {
        if (found || narrow >= level) break;
        chain[narrow].for_each([&](EventIndex op) {
          if (found || !facts_.happens_before.has(links.back(), op)) return;
          if (!in_instance(op, links.back(), narrow)) return;
          if (chains_.visible_level(links.back(), y_) < level) return;
          found = true;
          links.push_back(op);
          level = narrow;
        });
      }
      if (!found) break;
    }
    return links;
  }

  bool ends(EventIndex op, Level level) const {
    return facts_.events[op].agent == facts_.events[y_].agent &&
           (op == y_ || facts_.program_order_that_counts().has(op, y_)) && chains_.visible_level(op, y_) >= level;
  }

  bool in_instance(EventIndex a, EventIndex b, Level level) const {
    return facts_.instance(facts_.events[a].agent, level).has(b);
  }

  bool common_domain() {
    const Chain available = chains_.availability(x_);
    const Chain visible = facts_.events[y_].reads ? chains_.visibility(y_) : Chain{};
    for (const Level level : facts_.levels) {
      if (!in_instance(x_, y_, level)) continue;
      bool found = false;
      available[level].for_each([&](EventIndex av) {
        if (found) return;
        if (facts_.events[y_].writes && facts_.happens_before.has(av, y_)) {
          found = true;
          set_common(Bullet::AvailableToWrite, level, availability_links(available, level, av), {});
        } else if (facts_.events[y_].reads) {
          visible[level].for_each([&](EventIndex vis) {
            if (found || !facts_.happens_before.has(av, vis)) return;
            found = true;
            set_common(Bullet::AvailableAndVisibleToRead, level, availability_links(available, level, av),
                       visibility_links(visible, level, vis));
          });
        }
      });
      if (found) return true;
    }
    return false;
  }

  void set_common(Bullet bullet, Level level, const std::vector<EventIndex>& availability,
                  const std::vector<EventIndex>& visibility) {
    reason_.bullet = bullet;
    reason_.domain = domain_of(level);
    for (EventIndex e : availability) reason_.availability.push_back(operation(e));
    for (EventIndex e : visibility) reason_.visibility.push_back(operation(e));
    go_through({x_});
    go_through(availability);
    go_through(visibility);
    go_through({y_});
  }

  bool is(EventIndex e, OperationKind kind) const { return facts_.operation(e).kind == kind; }

  bool device_or_host() {
    const bool x_on_host = facts_.execution->place(facts_.events[x_].agent).is_host();
    const bool y_on_host = facts_.execution->place(facts_.events[y_].agent).is_host();
    std::vector<OperationKind> steps{x_on_host ? OperationKind::HostAvailability : OperationKind::DeviceAvailability};
    if (x_on_host != y_on_host)
      steps.push_back(x_on_host ? OperationKind::HostToDeviceDomain : OperationKind::DeviceToHostDomain);
    if (facts_.events[y_].reads)
      steps.push_back(y_on_host ? OperationKind::HostVisibility : OperationKind::DeviceVisibility);
    std::vector<EventIndex> path{x_};
    if (!follow(steps, 0, path)) return false;
    reason_.bullet = facts_.events[y_].reads ? Bullet::DomainsToRead : Bullet::DomainsToWrite;
    reason_.domain = x_on_host ? model::Domain::Host : model::Domain::Device;
    reason_.availability = {operation(path[1])};
    if (facts_.events[y_].reads) reason_.visibility = {operation(path[path.size() - 2])};
    go_through(path);
    return true;
  }

  bool follow(const std::vector<OperationKind>& steps, std::size_t at, std::vector<EventIndex>& path) const {
    if (at == steps.size()) {
      if (!facts_.happens_before.has(path.back(), y_)) return false;
      path.push_back(y_);
      return true;
    }
    for (EventIndex e = 0; e < facts_.size(); ++e) {
      if (!is(e, steps[at]) || !facts_.happens_before.has(path.back(), e)) continue;
      path.push_back(e);
      if (follow(steps, at + 1, path)) return true;
      path.pop_back();
    }
    return false;
  }

  const Facts& facts_;
  EventIndex x_;
  EventIndex y_;
  Chains chains_;
  OrderReason reason_;
};

}  // namespace

OrderReason reason_of_order(const Facts& facts, const Location& location, EventIndex x, EventIndex y) {
  return ReasonOfOrder(facts, location, x, y).find();
}

}  // namespace heddle::judge
