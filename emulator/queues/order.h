#pragma once

/// \file
/// What orders the commands of queues and the calls of the host: who happens before whom, and through which operations
/// of availability, visibility and domains a write comes to a later access.

#include <heddle/operation.h>

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "emulator/model/dependency.h"

namespace heddle::queues {

/// A node of the order: a command, a call of the host between others, or an operation of the API.
using NodeId = std::uint32_t;
/// No node: what was there before everything.
inline constexpr NodeId kNoNode = ~NodeId{0};

enum class NodeKind : std::uint8_t {
  /// What the host does between two of its calls.
  Host,
  Flush,
  Invalidate,
  Free,
  Submission,
  Command,
  Barrier,
  Event,
  SemaphoreWait,
  SemaphoreSignal,
  /// vkSignalSemaphore.
  HostSignal,
  Fence,
  /// A command that sets or resets an event, for a trace: nothing follows it.
  EventChange,
};

/// Bytes of a buffer, in the scopes of a barrier.
struct BufferRange {
  ReferenceId reference{};
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct Node {
  NodeKind kind = NodeKind::Host;
  /// The call that it belongs to: "pipeline_barrier2".
  const char* call = "";
  SourceLocation where;
  /// The host thread whose node it is, if it is the host's.
  std::uint32_t host_thread = 0;
  std::uint32_t family = 0;
  /// Where it stands, if it is a command.
  model::Command command;
  /// What it orders, if it is no command. Its memory operations are only those that the masks name.
  model::Dependency dependency;
  /// The accesses of a barrier's masks, with those that are of none of its stages.
  model::Accesses named_source = model::Accesses::None;
  model::Accesses named_destination = model::Accesses::None;
  /// The buffers of its scopes; all memory if there are none.
  std::vector<BufferRange> ranges;
  bool to_device = false;
  bool to_host = false;
  /// The bytes that a flush, an invalidation or the end of memory is about.
  Locations bytes;
  std::uint64_t bytes_end = 0;
  /// What it follows.
  std::vector<NodeId> after;
  /// All that happens before it, a bit for each; known once it begins.
  std::vector<std::uint64_t> before;
};

/// An access of a command or of the host.
struct Access {
  NodeId node = kNoNode;
  model::Stages stage = model::Stages::None;
  model::Accesses kind = model::Accesses::None;
  ReferenceId reference{};
  AllocationId allocation{};
  std::uint64_t offset = 0;
  bool on_host = false;
  /// What the memory is: whether host accesses need no flush and invalidation, and whether one family has it at a time.
  bool coherent = true;
  bool exclusive = false;
  bool atomic = false;
  /// An atomic has one.
  Scope scope = Scope::Invocation;
  bool writes = false;
};

/// The first link that is missing between two accesses.
enum class Missing : std::uint8_t {
  Nothing,
  Execution,
  Flush,
  Availability,
  ToDevice,
  ToHost,
  Visibility,
  Invalidation,
  Ownership,
};

class Order {
 public:
  Order();

  const Node& operator[](NodeId node) const { return nodes_[node]; }
  Node& operator[](NodeId node) { return nodes_[node]; }
  NodeId count() const { return static_cast<NodeId>(nodes_.size()); }

  /// What the host does now: the thread of it that is running.
  NodeId host() const { return host_of(host_thread_); }
  /// What a thread of the host does; kNoNode if it has done nothing.
  NodeId host_of(std::uint32_t thread) const { return thread < hosts_.size() ? hosts_[thread] : kNoNode; }
  /// From now on this thread is the host, behind what it has done and behind `after`.
  void host_is(std::uint32_t thread, std::vector<NodeId> after);
  /// A call of the host, behind what it has done and behind `after`; what it does from now on is behind the call.
  NodeId host_calls(Node call, std::vector<NodeId> after = {});
  /// The host has waited for these.
  void host_waited(const char* call, const SourceLocation& where, std::vector<NodeId> after);

  std::uint32_t host_thread() const { return host_thread_; }
  /// The thread, which has been the host before, goes on.
  void host_is_again(std::uint32_t thread) { host_thread_ = thread; }
  /// Whether the host may submit to the queue: what submitted to it before happens before what the host does now.
  bool may_submit(model::QueueId queue);
  /// A submission to the queue.
  NodeId submit(model::QueueId queue, std::uint32_t family, const SourceLocation& where);
  /// The next node in submission order: a command, or a dependency whose scopes have their stages. A dependency whose
  /// first scope has a position keeps it (an event).
  NodeId add(model::QueueId queue, Node node);
  /// The dependencies of one call, none of which follows another.
  std::vector<NodeId> add_together(model::QueueId queue, std::vector<Node> nodes);
  /// Signals of a batch are unordered, and come before those of later batches.
  void batch_ends(model::QueueId queue);
  /// All that it follows has begun and ended.
  void begin(NodeId node);

  bool happens_before(NodeId earlier, NodeId later) const;
  /// The first missing link from the earlier access, which has happened, to the later one, which happens now or has.
  Missing missing(const Access& earlier, const Access& later) const;
  /// The link, without what `missing` remembers: for an order of which something was changed.
  Missing find_missing(const Access& earlier, const Access& later) const;

  // To change a copy. What is inserted happens before all that happens behind the place.
  /// The earlier node, which has begun, happens before the later one.
  void connect(NodeId earlier, NodeId later);
  NodeId insert(Node node, NodeId earlier, NodeId later);
  NodeId insert_behind(Node node, NodeId earlier);
  NodeId insert_before(Node node, NodeId later);

  /// What these nodes say is less than it was: who follows whom because of that is found out anew.
  void narrow(const std::vector<NodeId>& nodes);
  /// These nodes, which are no commands, are not there.
  void leave_out(const std::vector<NodeId>& nodes);

  /// Nodes that order commands, or have operations of domains.
  const std::vector<NodeId>& dependencies() const { return dependencies_; }
  /// Bytes that no dependency tells apart are in one range: its number, and how many there are.
  std::size_t range_of(std::uint64_t offset) const;
  std::size_t ranges() const { return boundaries_.size() + 1; }
  /// Where the next node of the queue stands.
  std::uint32_t position(model::QueueId queue) { return queue_of(queue).position; }
  /// Whether the node's availability operation includes the write, and its visibility operation the read.
  bool makes_available(const Node& node, const Access& write) const;
  bool makes_visible(const Node& node, const Access& read) const;
  static bool covers(const Node& node, const Access& access);

 private:
  struct Queue {
    /// Nodes that the host does not know to have ended.
    std::vector<NodeId> nodes;
    /// Signals of semaphores: of the batches before, and of the one that is being submitted.
    std::vector<NodeId> signals;
    std::vector<NodeId> signals_of_batch;
    NodeId submission = kNoNode;
    std::uint32_t position = 1;
  };
  using Key = std::tuple<NodeId, unsigned, unsigned, NodeId, unsigned, unsigned, std::uint64_t>;

  Queue& queue_of(model::QueueId queue);
  NodeId push(Node node);
  /// Who happens before whom, anew, of what has begun.
  void find_befores();
  /// What the host does from now on is behind these.
  void host_goes_on(std::vector<NodeId> after, const char* call = "", const SourceLocation& where = {});
  void place(model::QueueId queue, Node& node);
  NodeId push_to(model::QueueId queue, Node node);
  void add_boundary(std::uint64_t offset);
  bool orders(const Node& earlier, const Node& later) const;
  bool is_by_masks(const Node& earlier, const Node& later) const;
  bool in_ranges(const Node& node, const Access& access) const;
  std::vector<NodeId> first_points(const Access& write, NodeId later) const;
  std::vector<NodeId> moved(const std::vector<NodeId>& from, bool to_device, NodeId later) const;
  bool reaches(const std::vector<NodeId>& from, NodeId node) const;
  bool is_visible(const std::vector<NodeId>& from, const Access& read) const;
  bool owns(const Access& write, const Access& read) const;

  std::vector<Node> nodes_;
  std::vector<NodeId> dependencies_;
  std::vector<Queue> queues_;
  /// By thread of the host: what it does.
  std::vector<NodeId> hosts_;
  std::uint32_t host_thread_ = 0;
  /// Where ranges of any dependency begin and end, sorted: between two of them all bytes are alike.
  std::vector<std::uint64_t> boundaries_;
  mutable std::map<Key, Missing> known_;
};

}  // namespace heddle::queues
