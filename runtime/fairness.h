#pragma once

/// \file
/// Which workgroups, subgroups and invocations are run again and again by a scheduler that does no more than a model of
/// forward progress asks for. SCHEDULING.md says how it decides.

#include <heddle/choice.h>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/admission.h"
#include "runtime/group.h"

namespace heddle::runtime {

/// What stands in a group of the next wider scope.
enum class FairnessLevel : std::uint8_t { Workgroups, Subgroups, Invocations };

/// How one of them stands among its like.
struct Standing {
  bool begun = false;
  /// Whether it has the lowest number of those that can still run.
  bool lowest = false;
  /// Whether one of a higher number has begun.
  bool below_begun = false;
};

/// A model of forward progress.
class Fairness {
 public:
  virtual ~Fairness() = default;
  /// Whether such a one that can run is run again and again.
  virtual bool guarantees(FairnessLevel level, const Standing& standing) const = 0;
  virtual std::string name() const = 0;
};

/// A scheduler that is adversarial within a model: it puts off for ever whom the model does not guarantee.
class Adversary {
 public:
  /// Workgroups that need not begin find fewer places, now and then.
  void begin(const Fairness* fairness, Choice* choice, Admission& admission);
  bool is_there() const { return fairness_ != nullptr; }

  /// `self` polls, or was interrupted; it can go on.
  void turn_ends(const std::vector<Group*>& residents, Group& g, Slot& self, bool polls);
  /// To be called when every invocation that can go on has polled in this round. Lets those go whom the model
  /// guarantees by now, or without whom nothing goes on. Returns whether there were any. `in_vain`: nor did anybody in
  /// the round before; then a workgroup gets a place that may not be left out for ever.
  bool settle(const std::vector<Group*>& residents, Admission& admission, bool in_vain);
  void forget(Group& g);

 private:
  using Subgroup = std::pair<Group*, std::uint32_t>;

  bool is_put_off(Group& g) const { return groups_.count(&g) != 0; }
  bool is_put_off(Group& g, std::uint32_t subgroup) const { return subgroups_.count({&g, subgroup}) != 0; }
  bool guarantees(const std::vector<Group*>& residents, const Group& g) const;
  bool guarantees(const Group& g, std::uint32_t subgroup) const;
  bool guarantees(const Group& g, const Slot& slot) const;
  void put_off_others(Group& g, const Slot& spinning);
  void put_off(Group& g, Slot& self, const std::vector<Group*>& residents);
  bool settle(const std::vector<Group*>& residents);
  bool settle(Group& g);
  bool settle(Group& g, std::uint32_t subgroup);
  bool release(Group& g);
  bool release(Group& g, std::uint32_t subgroup);

  const Fairness* fairness_ = nullptr;
  Choice* choice_ = nullptr;
  /// Whether lanes that spin go before those that have left the loop.
  bool spinning_first_ = false;
  std::set<Group*> groups_;
  std::set<Subgroup> subgroups_;
};

}  // namespace heddle::runtime
