#pragma once

/// \file
/// The search itself; see PROOFS.md for why it finds every execution exactly once.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/explore/derivations.h"
#include "emulator/explore/explore.h"
#include "emulator/explore/foresight.h"
#include "emulator/explore/layout.h"
#include "emulator/explore/trace_tree.h"
#include "emulator/judge/incremental.h"

namespace heddle::explore {

class Explorer {
 public:
  using OnExecution = std::function<bool(const Found&)>;

  Explorer(const Program& program, const Options& options, const OnExecution& on_execution);

  Statistics run();

 private:
  static constexpr std::uint32_t kNotPutOff = ~std::uint32_t{0};
  /// How many steps and choices may follow each other: each is a level of recursion, and so many fit on any stack.
  static constexpr std::uint32_t kMostLevels = 1500;

  class Level {
   public:
    explicit Level(Explorer& explorer) : explorer_(explorer) {
      if (++explorer_.level_ > kMostLevels) explorer_.refuse();
    }
    ~Level() { --explorer_.level_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Explorer& explorer_;
  };
  [[noreturn]] void refuse() const;

  /// What agents of a company do together.
  class Meetings {
   public:
    explicit Meetings(Explorer& explorer) : explorer_(explorer) {}
    bool visit();

   private:
    std::optional<CompanyValues> brought_by(const Company& company) const;
    void meet(std::size_t company, const CompanyValues& results, std::size_t at);

    Explorer& explorer_;
  };

  /// What is left out because agents are interchangeable: symmetry.h.
  class Symmetry;

  enum class Status : std::uint8_t { Ready, Arrived, Ended };

  struct AgentState {
    TraceTree::Node node = TraceTree::kRoot;
    Status status = Status::Ready;
    /// How many operations there were when the read that comes next was put off.
    std::uint32_t put_off_at = kNotPutOff;
    /// The read that comes next might have taken a value with which the agent spins for ever (reduction.cpp).
    bool may_idle = false;
    /// What equals have decided before about the step that comes next (symmetry.h).
    std::vector<std::uint32_t> decisions = {};
  };

  /// A read, or a piece of one, that waits for a write that is not in the graph yet.
  struct Promise {
    model::OperationIndex read = 0;
    Locations piece;
    Value value = 0;
  };

  /// Where a read takes one piece from.
  struct Source {
    Locations piece;
    /// A write, kInitialValue, or kPromised.
    model::OperationIndex write = 0;
    Value value = 0;
  };
  static constexpr model::OperationIndex kPromised = model::kInitialValue - 1;

  using Then = std::function<void()>;

  bool learn();
  bool derives_all(std::size_t steps);
  bool learns_from_graphs(std::uint64_t most);
  void pass();
  bool may_go_on() const { return !stopped_; }
  bool wants_others() const { return options_.only_terminated == nullptr || !*options_.only_terminated; }

  void visit();
  bool visit_end();
  bool visit_operation();
  bool visit_barrier();
  bool visit_read();
  std::size_t choose_reader(bool& waits) const;
  bool visit_promise();
  void visit_leaf();

  const Step& step(std::size_t agent) const { return trees_[agent].step(agents_[agent].node); }
  bool at_read(std::size_t agent) const;
  // What has to come first: calls.cpp.
  bool have_come(const std::vector<Point>& points) const;
  bool may_step(std::size_t agent) const;
  void note_synchronization(std::size_t agent);
  void execute(std::size_t agent, const Operation& operation, Value read, Value written, const Then& then);
  void go_on_if_consistent(const Then& then);
  void go_on(std::size_t agent, Value read);

  bool may_open(std::size_t agent) const;
  void pass_barrier(std::size_t agent);

  bool put_off(std::size_t agent) const { return agents_[agent].put_off_at != kNotPutOff; }
  bool has_new_write(std::size_t agent) const;
  bool another_may_write(std::size_t agent) const;
  bool may_write(std::size_t agent, const Locations& piece, Value value) const;
  bool may_come(std::size_t reader, const Locations& piece, const Value* value) const;
  bool promises_may_be_kept() const;
  bool may_wait_for(std::size_t reader, std::size_t writer, bool unordered) const;
  bool may_wait_for_each_other() const;
  bool may_keep_a_promise(std::size_t agent) const;
  std::vector<std::size_t> readers() const;
  const Derivations* derivations(std::optional<Derivations>& from_here);
  std::vector<std::size_t> read_from_graph(std::size_t agent);
  void choose_sources(std::size_t agent, const std::vector<Locations>& pieces, std::vector<Source>& chosen,
                      bool promised);
  void read(std::size_t agent, const std::vector<Source>& sources);

  // What verdicts do without: reduction.cpp.
  bool is_closed() const;
  std::uint64_t counted() const;
  bool takes_one_source(std::size_t agent) const;
  void read_one_source(std::size_t agent);
  void go_on_unjudged(const Then& then);
  bool visit_dropped();
  bool leaves_idling_for_later(std::size_t agent) const;
  bool spins_with(std::size_t agent, Value value);
  void idle(std::size_t agent);
  bool visit_standstill();
  bool comes_last(std::size_t agent) const;

  void order_write(model::OperationIndex write, model::OperationIndex other, const Then& then);
  bool ordered_before(model::OperationIndex a, model::OperationIndex b) const;
  std::pair<bool, bool> places_beside(model::OperationIndex write, model::OperationIndex other) const;
  std::optional<bool> has_to_follow(model::OperationIndex write, model::OperationIndex other) const;
  bool mutually_ordered(const Operation& a, const Operation& b) const;
  void keep_promises(model::OperationIndex write, std::size_t promise, const Then& then);
  bool is_harmless(model::OperationIndex write) const;
  bool is_last();

  const Program& program_;
  const Options& options_;
  const OnExecution& on_execution_;
  judge::PartialJudge judge_;

  std::vector<TraceTree> trees_;
  Layout layout_;
  Foresight foresight_;
  /// What derives from the agents' beginnings; made when first asked for.
  std::optional<Derivations> derivations_;
  /// What promises are made of, from the first promise on that this graph holds.
  const Derivations* promising_ = nullptr;
  /// By agent and agent: whether the first system-synchronizes with the second, transitively.
  std::vector<std::vector<bool>> system_synchronizes_;
  /// Whether an operation may come before one that was executed earlier, other than in modification order.
  bool order_knows_agents_ = false;

  model::Execution execution_;
  /// By operation: the step of its agent's tree.
  std::vector<TraceTree::Node> nodes_;
  std::vector<AgentState> agents_;
  /// By company: how often it has met.
  std::vector<std::uint32_t> meetings_;
  /// By call: the operation that it is; kInitialValue before it is made.
  std::vector<model::OperationIndex> calls_;
  std::vector<Promise> promises_;
  /// By quorum choice of the execution: how many have to be in it.
  std::vector<std::uint32_t> quorums_;
  std::vector<AgentEnd> ends_;
  /// By operation, for ordered_before; kept for its memory.
  mutable std::vector<bool> reached_;

  /// Whether the next operation is a read whose source is taken to be consistent until something else is judged.
  bool trusts_next_ = false;
  /// Whether there is such a read that nothing was judged after, and how often that hid an inconsistency.
  bool unjudged_ = false;
  std::uint32_t misplaced_trust_ = 0;

  /// Shared, as its type is not known here.
  std::shared_ptr<Symmetry> symmetry_;

  Statistics statistics_;
  Counts counts_;
  /// How many graphs the pass may build; 0 is no limit.
  std::uint64_t graph_limit_ = 0;
  /// Whether executions are reported, or only learned from.
  bool reporting_ = true;
  /// Whether Options::patient_steps were spent.
  bool was_patient_ = false;
  /// Whether this pass saw what no pass before it had seen.
  bool learned_ = false;
  bool stopped_ = false;
  std::uint32_t level_ = 0;
  /// How many agents have ended otherwise than by finishing.
  std::size_t unfinished_ = 0;
};

}  // namespace heddle::explore
