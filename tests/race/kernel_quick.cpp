// What the detector answers inline, at the least cost, it answers as it does in full.

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <random>

#include "emulator/race/kernel_detector_quick.h"
#include "tests/how_many.h"
#include "tests/race/agreement.h"

using namespace heddle;
using namespace heddle::race;

namespace {

constexpr std::uint32_t kGroups = 3;
constexpr std::uint32_t kGroup = 8;

/// Tells two detectors the same: one in full and one by one, the other quickly where that is enough, and of agents
/// that begin together at once.
class BothTold {
 public:
  explicit BothTold(const KernelOptions& options)
      : in_full_(options),
        order_(std::make_shared<KernelOrder::Shared>()),
        quickly_(options, order_, sites_),
        released_(order_->places()) {
    quickly_.use(shadow_, released_);
    std::array<std::uint32_t, kGroup> subgroups{};
    for (std::uint32_t i = 0; i < kGroup; ++i) subgroups[i] = i / 2;
    for (std::uint32_t group = 0; group < kGroups; ++group) {
      model::Place place;
      place.workgroup = group;
      const std::uint32_t first = group * kGroup;
      quickly_.agents_begin(static_cast<AgentId>(first), kGroup, place, subgroups);
      for (std::uint32_t i = 0; i < kGroup; ++i) {
        place.subgroup = subgroups[i];
        in_full_.agent_begins(static_cast<AgentId>(first + i), place);
      }
    }
  }

  void tell(const Operation& operation) {
    trace::Source source{operation.locations, last_atomic_};
    const std::span<const trace::Source> sources =
        operation.atomic && operation.reads() ? std::span(&source, 1) : std::span<trace::Source>();
    in_full_.operation(told_, operation, 0, 0, sources);
    if (answers(operation)) {
      ++quick_;
    } else {
      quickly_.operation(told_, operation, 0, 0, sources);
    }
    if (operation.atomic && operation.writes()) {
      last_atomic_ = told_;
      in_full_.placed(told_);
      quickly_.placed(told_);
    }
    ++told_;
  }
  void meet(Operation barrier, std::uint32_t group) {
    barrier.kind = OperationKind::ControlBarrier;
    barrier.barrier_instance = ++instances_;
    barrier.agent = static_cast<AgentId>(group * kGroup);
    in_full_.meets(told_, barrier, kGroup);
    quickly_.meets(told_, barrier, kGroup);
    told_ += kGroup;
  }

  bool agree() const { return same_races(in_full_, quickly_); }
  std::size_t races() const { return in_full_.races().size(); }
  std::size_t quick() const { return quick_; }
  std::size_t of_workgroup() const { return of_workgroup_; }
  std::size_t few() const { return few_; }
  std::size_t first() const { return first_; }

 private:
  bool answers(const Operation& op) {
    if (!op.is_access()) return false;
    const SiteId site = quickly_.site_of(site_key(op));
    if (site == kNoSite || !KernelDetector::is_quick(site)) return false;
    if (op.atomic) {
      if (acquires(op.semantics) || releases(op.semantics)) return false;
      return quickly_.answers_known_atomic(op.agent, op.reference, op.locations, site) ||
             quickly_.answers_atomic(op.agent, op.reference, op.locations, site);
    }
    const Locations& bytes = op.locations;
    if (bytes.size_bytes != kWordBytes) return quickly_.answers_plain(op.agent, op.reference, bytes, site);
    if (!op.writes() && op.storage_class != StorageClass::Workgroup &&
        quickly_.answers_first(op.agent, op.reference, bytes, site, [] { return true; })) {
      ++first_;
      return true;
    }
    const auto answers = [&]<bool writes>() {
      if (op.storage_class == StorageClass::Workgroup && answers_of_workgroup<writes>(op, site)) return true;
      return quickly_.answers_word<writes>(op.agent, op.reference, bytes, site, [] { return true; });
    };
    const bool quick = op.writes() ? answers.operator()<true>() : answers.operator()<false>();
    return quick || quickly_.answers_plain(op.agent, op.reference, bytes, site);
  }

  /// The present interval of its workgroup, and the cell, of an access to Workgroup memory, which has one reference.
  /// No cell where it is not to be answered.
  std::pair<const Interval*, Cell*> interval_and_cell(const Operation& op) {
    const Shadow::Allocation* const known = shadow_.find(op.locations.allocation);
    if (!known || !known->is_known() || !quickly_.is_quick()) return {};
    const std::uint8_t number = known->number(op.reference);
    if (number == kMostReferences) return {};
    std::optional<Interval>& interval = intervals_[static_cast<std::uint32_t>(op.agent) / kGroup];
    quickly_.look_near(op.agent);
    if (!interval || !quickly_.is_present(*interval)) {
      // An access that asks for it asks nothing else then.
      const bool was_over = !interval || interval->is_over();
      interval = quickly_.interval(op.agent, number);
      if (!was_over || interval->is_over()) return {};
    }
    return {&*interval, known->find(op.locations.offset_bytes / kWordBytes)};
  }
  template <bool writes>
  bool answers_of_workgroup(const Operation& op, SiteId site) {
    const auto [interval, cell] = interval_and_cell(op);
    if (!cell) return false;
    const QuickSite quick = quickly_.quick_site(site);
    if (cell->is_empty()) {
      interval->begin(*cell, op.agent, quick);
    } else if (!interval->answers_word<writes>(*cell, op.agent, quick)) {
      if (writes) return false;
      const bool had_few = cell->is(Cell::Form::Few);
      if (!interval->answers_read_again(*cell, op.agent, quick)) return false;
      few_ += had_few ? 1 : 0;
    }
    ++of_workgroup_;
    return true;
  }

  KernelDetector in_full_;
  std::shared_ptr<KernelOrder::Shared> order_;
  SiteNumbers sites_;
  KernelDetector quickly_;
  Shadow shadow_;
  ReleaseHistory released_;
  std::array<std::optional<Interval>, kGroups> intervals_;
  model::OperationIndex told_ = 0;
  model::OperationIndex last_atomic_ = model::kInitialValue;
  std::uint64_t instances_ = 0;
  std::size_t quick_ = 0;
  std::size_t of_workgroup_ = 0;
  std::size_t few_ = 0;
  std::size_t first_ = 0;
};

/// What a stream is made of.
class Random {
 public:
  Random(std::uint32_t seed, bool private_too, bool crowded)
      : random_(seed), private_too_(private_too), crowded_(crowded) {}
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  bool once_in(std::uint32_t times) { return below(times) == 0; }

  /// Mostly one that settles everything.
  Operation barrier() {
    Operation op;
    op.scope = once_in(6) ? Scope::Subgroup : Scope::Workgroup;
    op.execution_scope = Scope::Workgroup;
    op.semantics = MemorySemantics::AcquireRelease | MemorySemantics::WorkgroupMemory;
    if (!once_in(4)) op.semantics |= MemorySemantics::UniformMemory;
    if (!once_in(5)) op.semantics |= MemorySemantics::MakeAvailable | MemorySemantics::MakeVisible;
    return op;
  }
  Operation access() {
    Operation op;
    const std::uint32_t agent = below(kGroups * kGroup);
    op.agent = static_cast<AgentId>(agent);
    const bool shared = once_in(3);
    const std::uint32_t array = shared ? 0 : 1 + agent / kGroup;
    op.storage_class = shared ? StorageClass::StorageBuffer : StorageClass::Workgroup;
    op.reference = static_cast<ReferenceId>(shared && once_in(8) ? 9 : array);
    if (shared && once_in(3)) {
      // Each its byte of a row.
      op.locations = {static_cast<AllocationId>(array), 12 + agent % kGroup, 1};
      op.kind = OperationKind::Read;
      op.operands = MemoryOperands::NonPrivatePointer;
      op.where.line = 7;
      return op;
    }
    const std::uint32_t size = once_in(5) ? 1u << below(3) : 4;
    const std::uint32_t granule = once_in(16) ? 3 : below(3);
    op.locations = {static_cast<AllocationId>(array), 4 * granule + below(4 / size) * size, size};
    op.kind = once_in(3) ? OperationKind::Write : OperationKind::Read;
    // A line has one way to access.
    const std::uint32_t way = crowded_ && !once_in(4) ? 0 : below(6);
    op.where.line = 1 + way;
    if (way == 0 && size == 4) {
      op.kind = OperationKind::ReadModifyWrite;
      op.atomic = true;
      op.scope = shared ? Scope::Device : Scope::Workgroup;
      op.semantics = once_in(12) ? MemorySemantics::Release | MemorySemantics::UniformMemory : MemorySemantics::None;
    } else if (way != 1 || !private_too_) {
      op.operands = MemoryOperands::NonPrivatePointer;
      if (way > 3) {
        op.operands |=
            op.kind == OperationKind::Write ? MemoryOperands::MakePointerAvailable : MemoryOperands::MakePointerVisible;
        (op.kind == OperationKind::Write ? op.available_scope : op.visible_scope) = Scope::Workgroup;
      }
    }
    return op;
  }

 private:
  std::mt19937 random_;
  /// Whether some accesses are private.
  bool private_too_;
  /// Whether most are atomic.
  bool crowded_;
};

}  // namespace

//= vk:memory-model-access-data-race type=test
TEST_CASE("what is answered quickly is answered as in full", "[nightly]") {
  std::size_t races = 0;
  std::size_t quick = 0;
  std::size_t of_workgroup = 0;
  std::size_t few = 0;
  std::size_t first = 0;
  std::size_t disagreements = 0;
  // Small workgroups that use the scope of their subgroups are what takes detectors longest.
  // Fewer streams than fifty need not have each kind of answer.
  const std::uint64_t streams = std::max<std::uint64_t>(executions() / 40, 50);
  for (std::uint64_t number = 0; number < 2 * streams; ++number) {
    const std::uint64_t seed = first_seed() + number / 2;
    const bool crowded = seed % 8 == 0;
    Random random(static_cast<std::uint32_t>(seed), number % 2 == 0, crowded);
    KernelOptions options;
    options.exact_accesses = seed % 4 == 0 ? 8 : 0;
    // Each of its allocations is of one class.
    options.one_class_each = seed % 3 != 0;
    BothTold told(options);
    for (std::uint32_t step = 0; step < (crowded ? 150 : 60); ++step) {
      if (random.once_in(crowded ? 20 : 5)) {
        told.meet(random.barrier(), random.below(kGroups));
      } else {
        told.tell(random.access());
      }
    }
    races += told.races();
    quick += told.quick();
    of_workgroup += told.of_workgroup();
    few += told.few();
    first += told.first();
    disagreements += told.agree() ? 0 : 1;
  }
  CHECK(disagreements == 0);
  CHECK(races > 2 * streams);
  CHECK(quick > 6 * streams);
  CHECK(of_workgroup > 6 * streams);
  CHECK(few > streams / 16);
  CHECK(first > streams / 20);
}
