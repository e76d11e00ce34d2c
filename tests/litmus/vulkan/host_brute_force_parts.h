#pragma once

/// \file
/// The inside of brute force on host tests: its events, its dependencies, and what it asks of them.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "emulator/litmus/vulkan/host_test.h"
#include "tests/litmus/vulkan/host_brute_force.h"

namespace heddle::litmus {

using Matrix = std::vector<std::vector<bool>>;
using StageSet = std::set<std::string>;

StageSet stages_of(model::Stages bits);
bool common(const StageSet& a, const StageSet& b);
/// With `more` if `has` is there.
StageSet wider(StageSet stages, const char* has, const char* more);
/// Becomes transitive.
void close(Matrix& matrix);

enum class Does { Read, Write, HostAv, HostVis, DeviceAv, DeviceVis, ToDevice, ToHost, Free, Call };

/// One operation.
struct Event {
  Does does = Does::Call;
  int agent = 0;
  bool host = false;
  std::uint32_t location = ~0U;
  int reference = -1;
  bool atomic = false;
  bool shared = false;  ///< non-private
  bool acquires = false;
  bool releases = false;
  Integer value = 0;
  int copies = -1;  ///< the read whose value is written
  int node = -1;    ///< the dependency that it is of
  std::optional<std::pair<std::uint32_t, std::uint32_t>> sets;
  // What an event of the device has besides.
  std::uint64_t queue = 0;
  int time = -1;
  std::string stage;
  std::uint64_t family = 0;
};

/// A dependency: what comes on its queue before `begin`, and after `end`.
struct Node {
  int first_event = 0;
  int last_event = 0;
  std::uint64_t queue = 0;
  int begin = -1;
  int end = 1 << 20;
  StageSet first, second;
  StageSet av_stages, vis_stages;
  int av_accesses = 0, vis_accesses = 0;
  std::vector<std::uint32_t> variables;
  bool sees_all = false;
  int release_to = -1, acquire_from = -1;
  std::uint64_t family = 0;
};

/// Who reads from whom, what values come of it, and the order of atomic writes.
struct Candidate {
  std::vector<int> source;
  std::vector<Integer> values;
  Matrix modification;
};

class BruteForce {
 public:
  explicit BruteForce(const Test& test) : test_(test) {}

  std::optional<BruteForceAnswer> answer(std::uint64_t most);

 private:
  using Pair = std::pair<int, int>;

  static bool is_in(const std::vector<std::uint32_t>& list, std::uint32_t variable) {
    return std::find(list.begin(), list.end(), variable) != list.end();
  }
  bool coherent(std::uint32_t location) const {
    return std::none_of(test_.host->noncoherent.begin(), test_.host->noncoherent.end(),
                        [&](std::uint32_t v) { return test_.variables[v].location == location; });
  }
  void host_thread(std::uint32_t thread);
  void submit(const HostCall& call, int event);
  void batch(const Batch& batch, int submission);
  void semaphore(const Batch& batch, const BatchCommand& command, int submission);
  void command(const Batch& batch, const BatchCommand& command, int time);
  void dispatch(const Batch& batch, const BatchCommand& command, int time);
  void await(const Batch& batch, const BatchCommand& command, int time);
  void link_waits();
  void link_nodes();
  void shader(std::uint32_t thread, const Batch& batch, int time);
  int access(Does does, int agent, std::uint32_t variable, const Batch& batch, int time, const char* stage);
  int add(const Event& event) {
    events_.push_back(event);
    return static_cast<int>(events_.size()) - 1;
  }
  int node(const Batch& batch, const std::vector<Does>& does);
  int fence(std::uint64_t queue);
  void edge(int a, int b) { given_.emplace_back(a, b); }
  void nodes_in_order(int first, int second) { node_pairs_.emplace_back(first, second); }
  void judge(const Candidate& candidate);
  Matrix none() const { return Matrix(events_.size(), std::vector<bool>(events_.size())); }
  Matrix synchronizes(const Candidate& candidate) const;
  bool heads(const Candidate& candidate, std::size_t release, std::size_t write) const;
  Matrix system_order(const Matrix& host) const;
  bool ordered(const Matrix& ssw, const Matrix& hb, std::size_t x, std::size_t y) const;
  bool loses(const Matrix& hb, std::size_t x, std::size_t y) const;
  bool mutual(std::size_t x, std::size_t y) const;
  bool is_access(std::size_t e) const { return events_[e].does == Does::Read || events_[e].does == Does::Write; }
  bool is_cyclic(const Candidate& candidate, const Matrix& ordered) const;
  bool reads_hidden(const Candidate& candidate, const Matrix& ordered) const;
  void derive();
  int source_of(int event, const std::vector<int>& source) const;
  void values(const std::vector<int>& source);
  void values(const std::vector<int>& source, std::vector<std::optional<Integer>> known);
  void orders(const std::vector<int>& source, const std::vector<Integer>& values);
  int kind(const Event& e) const;
  bool av_includes(int op, int x) const;
  bool vis_includes(int op, int y) const;
  bool follows(const Matrix& hb, int x, int y) const;
  bool owned(const Matrix& hb, int av, int x, int y, int vis) const;
  void finals(const Candidate& candidate, const Matrix& ordered, bool racy);

  const Test& test_;
  std::vector<Event> events_;
  std::vector<Node> nodes_;
  std::vector<Pair> given_;
  std::vector<Pair> node_pairs_;
  Matrix po_;
  std::map<std::uint64_t, int> clock_;
  std::map<std::uint64_t, std::vector<int>> submissions_, signals_;
  std::map<std::string, int> fences_;
  std::map<std::string, std::vector<std::pair<std::uint64_t, int>>> semaphore_events_;  // value, event or ~node
  struct Wait {
    std::string name;
    std::uint64_t value;
    bool timeline;
    int event;
    int node;
  };
  std::vector<Wait> waits_;
  std::vector<std::pair<std::string, int>> fence_waits_;
  std::map<std::string, std::pair<const BatchCommand*, int>> set_;
  std::map<std::string, int> host_set_;
  int next_agent_ = 1000;
  /// By location: the values that are not out of thin air.
  std::map<std::uint32_t, std::set<Integer>> derived_;
  BruteForceAnswer answer_;
};

}  // namespace heddle::litmus
