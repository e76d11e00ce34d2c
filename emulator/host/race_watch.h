#pragma once

#include <heddle/host.h>

#include <map>
#include <tuple>

#include "emulator/advice/neighbourhood.h"
#include "emulator/host/dispatched.h"
#include "emulator/host/noted_races.h"
#include "emulator/host/ordering_watch.h"
#include "emulator/race/kernel_detector.h"

namespace heddle::detail {

class DeviceState;

/// Remembers what plain writes wrote, to tell races of equal writes from others.
class WrittenValues {
 public:
  void note(const Operation& write, model::Value written);
  /// Whether `agent`'s last plain write with the instruction of `site` to the bytes of `second`
  /// wrote this value; false if that is not remembered.
  bool wrote(AgentId agent, const Operation& site, const Operation& second,
             model::Value value) const;
  void forget() { values_.clear(); }

 private:
  using Key =
      std::tuple<AgentId, std::uint32_t, const char*, AllocationId, std::uint64_t, std::uint32_t>;
  static Key key(AgentId agent, const Operation& site, const Locations& bytes);
  std::map<Key, model::Value> values_;
};

/// Looks for data races in what a device's memory tells, and knows what people call things.
class RaceWatch final : public trace::Listener {
 public:
  /// The device must outlive it. Throws std::invalid_argument for a suppression file that makes no
  /// sense.
  explicit RaceWatch(DeviceState& device);

  /// Who is to be told.
  trace::Listener& listener() { return with_orderings_ ? static_cast<trace::Listener&>(*with_orderings_) : *this; }

  /// From now on agents from `first` on are invocations of a dispatch with this grid.
  void dispatch_begins(std::uint64_t number, std::uint32_t first, const runtime::Grid& grid,
                       emulation::Emulator& emulator);
  void dispatch_ends() { emulator_ = nullptr; }
  /// Becomes as new, for a device that does, if it has found nothing, and hands nothing in. False, and nothing
  /// happened, otherwise.
  bool restart();
  /// The device uses the number of Workgroup memory again, for that of another workgroup.
  void renew(AllocationId allocation) { detector_.forget(allocation); }
  /// The same of a buffer that was freed, for another one.
  void replace(AllocationId allocation) { detector_.replace(allocation); }

  void agent_begins(AgentId agent, const model::Place& place) override;
  void agent_ends(AgentId agent) override;
  void agents_begin(AgentId first, std::uint32_t count, const model::Place& place,
                    std::span<const std::uint32_t> subgroups) override;
  void agents_end(AgentId first, std::uint32_t count) override;
  void system_synchronizes(AgentId first, AgentId second) override;
  void dependency(bool memory) override;
  void operation(model::OperationIndex index, const Operation& operation, model::Value read,
                 model::Value written, std::span<const trace::Source> sources) override;
  void plain(model::OperationIndex index, const Operation& operation, model::Value read,
             model::Value written) override;
  void passes(model::OperationIndex arrival,
              std::span<const model::OperationIndex> synchronizing) override;
  void meets(model::OperationIndex first, const Operation& barrier, std::uint32_t count) override;
  void placed(model::OperationIndex write) override;
  bool needs_plain_sources() const override { return false; }
  bool hears_moves() const override { return false; }

  /// Whether accesses that race with nobody may be told to those two alone, which hear of nothing else.
  bool hears_races_only() const { return !orderings_ && !tells_equal_writes_; }
  race::KernelDetector& detector() { return detector_; }
  advice::Recent& recent() { return recent_; }

  /// As NotedRaces::remark.
  void remark(const std::string& text) { races_.remark(text); }
  RaceReport report() const;

  /// Hands in how often all races came, if somebody wants them: at the end of the device.
  void hand_in_all();

 private:
  /// What the memory tells just now.
  struct Now {
    const Operation* operation = nullptr;
    advice::AccessValues values;
  };

  /// Whoever was heard of, and what they did.
  void forget();
  /// At a non-atomic access.
  void look_at(model::OperationIndex index, const Operation& operation, model::Value read,
               model::Value written);
  /// At anything else that makes no site.
  void look_at_other(model::OperationIndex index, const Operation& operation, model::Value read,
                     model::Value written, std::span<const trace::Source> sources);
  void note(const race::KernelRace& race);
  void note_again(std::size_t race, AgentId first);
  void explain(const race::KernelRace& race, bool have_atomics, DataRace& noted);
  void add_object_and_values(const race::KernelRace& race, const emulation::Binding* object,
                             DataRace& noted) const;
  bool equal_writes(const Operation& first, AgentId agent) const;
  std::string replay() const;

  DeviceState& device_;
  const bool tells_equal_writes_;
  race::KernelDetector detector_;
  NotedRaces races_;
  advice::Recent recent_;
  WrittenValues written_;
  /// Null without DeviceOptions::race_advice.
  std::unique_ptr<KnownOrderings> own_orderings_;
  std::unique_ptr<OrderingWatch> orderings_;
  std::unique_ptr<RacesAndOrderings> with_orderings_;
  /// Since the last memory dependency.
  Dispatched dispatched_;
  emulation::Emulator* emulator_ = nullptr;
  Now now_;
};

}  // namespace heddle::detail
