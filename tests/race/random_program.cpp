#include "tests/race/random_program.h"

#include <array>

namespace heddle::race {
namespace {

MemorySemantics without(MemorySemantics mask, MemorySemantics what) {
  return static_cast<MemorySemantics>(static_cast<std::uint32_t>(mask) & ~static_cast<std::uint32_t>(what));
}
/// Writes programs.
class Author {
 public:
  explicit Author(Random& random) : random_(random) {
    program_.groups = 2 + random_.below(3);
    program_.size = program_.groups == 2 ? 8u << random_.below(2) : 8u;
    program_.subgroup = program_.size == 8 ? 4u << random_.below(2) : 8u;
    device_barriers_ = random_.one_in(3);
    fences_ = random_.one_in(3);
    all_wait_ = random_.one_in(4);
    images_ = random_.one_in(4);
  }

  Program write() {
    for (std::uint32_t blocks = 2 + random_.below(3); blocks > 0; --blocks) {
      filler();
      static constexpr std::array kBlocks = {&Author::exchange,
                                             &Author::broadcast,
                                             &Author::histogram,
                                             &Author::ring,
                                             &Author::grid,
                                             &Author::last,
                                             &Author::lock,
                                             &Author::look_back,
                                             &Author::exchange_in_subgroup,
                                             &Author::exchange_by_operands};
      (this->*kBlocks[random_.below(kBlocks.size())])();
    }
    return program_;
  }

 private:
  MemorySemantics everything() const {
    using enum MemorySemantics;
    return UniformMemory | WorkgroupMemory | (images_ ? ImageMemory : None);
  }

  Buffer buffer(StorageClass storage) {
    const Buffer made{next_, storage, false};
    next_ += storage == StorageClass::Workgroup ? program_.groups : 1;
    return made;
  }
  Buffer shared_by_all() {
    return buffer(images_ && random_.one_in(2) ? StorageClass::Image : StorageClass::StorageBuffer);
  }
  Buffer shared_by_workgroup() {
    return buffer(random_.one_in(2) ? StorageClass::Workgroup : StorageClass::StorageBuffer);
  }

  Instruction& add(Does does) {
    program_.body.emplace_back();
    Instruction& made = program_.body.back();
    made.does = does;
    made.operation.where.line = static_cast<std::uint32_t>(program_.body.size());
    return made;
  }
  Instruction& plain(OperationKind kind, const Buffer& buffer, At at, std::uint32_t elements) {
    Instruction& made = add(Does::Access);
    made.operation.kind = kind;
    made.operation.operands = MemoryOperands::NonPrivatePointer;
    made.buffer = buffer;
    made.at = at;
    made.elements = elements;
    if (at == At::Neighbour) made.shift = 1 + random_.below(program_.size - 1);
    if (at == At::NearNeighbour) made.shift = 1 + random_.below(program_.subgroup - 1);
    if (at == At::OtherGroup) made.shift = 1 + random_.below(program_.groups - 1);
    return made;
  }
  Instruction& atomic(Does does, OperationKind kind, const Buffer& buffer, At at, MemorySemantics semantics) {
    Instruction& made = plain(kind, buffer, at, 1);
    made.does = does;
    made.operation.operands = MemoryOperands::None;
    made.operation.atomic = true;
    made.operation.scope = Scope::Device;
    made.operation.semantics = semantics;
    made.shift = 0;
    return made;
  }

  // Its mask has all classes of the kernel, or the one that is needed.
  void barrier(StorageClass of) {
    using enum MemorySemantics;
    const MemorySemantics needed = of == StorageClass::Workgroup ? WorkgroupMemory
                                   : of == StorageClass::Image   ? ImageMemory
                                                                 : UniformMemory;
    Instruction& made = add(Does::Barrier);
    made.operation.kind = OperationKind::ControlBarrier;
    made.operation.execution_scope = Scope::Workgroup;
    made.operation.scope = device_barriers_ ? Scope::Device : Scope::Workgroup;
    made.operation.semantics =
        AcquireRelease | MakeAvailable | MakeVisible | (random_.one_in(2) ? needed : everything());
  }
  /// Between what one workgroup hands to another and the instruction that does.
  void barrier_of_all_classes() {
    barrier(StorageClass::StorageBuffer);
    program_.body.back().operation.semantics = program_.body.back().operation.semantics | everything();
  }
  void fence(MemorySemantics semantics) {
    Instruction& made = add(Does::Fence);
    made.operation.kind = OperationKind::MemoryBarrier;
    made.operation.scope = Scope::Device;
    made.operation.semantics = semantics;
    made.who = Who::First;
  }
  Instruction& signal(OperationKind kind, const Buffer& flags, At at) {
    using enum MemorySemantics;
    const MemorySemantics releasing = Release | MakeAvailable | everything();
    if (fences_) fence(releasing);
    Instruction& made = atomic(Does::Access, kind, flags, at, fences_ ? Relaxed : releasing);
    made.who = Who::First;
    return made;
  }
  void await(const Buffer& flags, At at, std::uint32_t shift, std::uint64_t each_round, std::uint64_t more) {
    using enum MemorySemantics;
    const MemorySemantics acquiring = Acquire | MakeVisible | everything();
    Instruction& made = atomic(Does::Await, OperationKind::Read, flags, at, fences_ ? Relaxed : acquiring);
    made.shift = shift;
    made.each_round = each_round;
    made.more = more;
    made.who = all_wait_ && !fences_ ? Who::All : Who::First;
    if (fences_) fence(acquiring);
  }

  void barrier_of_subgroup(StorageClass of) {
    barrier(of);
    program_.body.back().operation.execution_scope = program_.body.back().operation.scope = Scope::Subgroup;
  }

  void filler() {
    if (random_.one_in(2)) plain(OperationKind::Read, shared_by_all(), At::Bin, 1 + random_.below(3));
    if (!random_.one_in(3)) return;
    const Buffer own = shared_by_all();
    const std::uint32_t elements = 1 + random_.below(2);
    plain(OperationKind::Write, own, At::Own, elements);
    plain(OperationKind::Read, own, At::Own, elements);
    if (random_.one_in(2))
      for (std::size_t back = 1; back <= 2; ++back)
        program_.body[program_.body.size() - back].operation.operands = MemoryOperands::None;
  }

  void exchange() {
    const Buffer words = shared_by_workgroup();
    const std::uint32_t elements = 1 + random_.below(4);
    plain(OperationKind::Write, words, At::Own, elements);
    barrier(words.storage);
    plain(OperationKind::Read, words, At::Neighbour, elements);
    if (random_.one_in(2)) plain(OperationKind::Read, words, At::Neighbour, elements);
    barrier(words.storage);
    if (!random_.one_in(3)) return;
    plain(OperationKind::Read, words, At::Own, elements);
    plain(OperationKind::Write, words, At::Own, elements);
  }

  void broadcast() {
    const Buffer word = shared_by_workgroup();
    plain(OperationKind::Write, word, At::OfGroup, 1).who = Who::Turn;
    barrier(word.storage);
    plain(OperationKind::Read, word, At::OfGroup, 1 + random_.below(2));
    barrier(word.storage);
  }

  void histogram() {
    const Buffer bins = buffer(random_.one_in(2) ? StorageClass::Workgroup : StorageClass::StorageBuffer);
    if (bins.storage == StorageClass::StorageBuffer) {
      atomic(Does::Access, OperationKind::ReadModifyWrite, bins, At::Bin, MemorySemantics::Relaxed).elements =
          1 + random_.below(4);
      return;
    }
    plain(OperationKind::Write, bins, At::Own, 1);
    barrier(bins.storage);
    Instruction& update = atomic(Does::Access, OperationKind::ReadModifyWrite, bins, At::Bin, MemorySemantics::Relaxed);
    update.elements = 1 + random_.below(4);
    update.operation.scope = Scope::Workgroup;
    barrier(bins.storage);
    plain(OperationKind::Read, bins, At::Neighbour, 1);
    barrier(bins.storage);
  }

  // Each workgroup hands words to the next one, and writes them again when that has said that it has read them.
  void ring() {
    const Buffer words = shared_by_all();
    const Buffer flags = buffer(StorageClass::StorageBuffer);
    const Buffer answers = buffer(StorageClass::StorageBuffer);
    const std::uint32_t elements = 1 + random_.below(3);
    plain(OperationKind::Write, words, At::Own, elements);
    barrier_of_all_classes();
    signal(OperationKind::Write, flags, At::OfGroup);
    await(flags, At::OfGroup, program_.groups - 1, 1, 1);
    barrier_of_all_classes();
    plain(OperationKind::Read, words, At::OtherGroup, elements).shift = program_.groups - 1;
    barrier_of_all_classes();
    signal(OperationKind::Write, answers, At::OfGroup);
    await(answers, At::OfGroup, 1, 1, 1);
    barrier_of_all_classes();
  }

  void wait_for_all(const Buffer& counter, std::uint64_t which) {
    barrier_of_all_classes();
    signal(OperationKind::ReadModifyWrite, counter, At::Only);
    await(counter, At::Only, 0, 2 * std::uint64_t{program_.groups}, which * program_.groups);
    barrier_of_all_classes();
  }
  void grid() {
    const Buffer words = shared_by_all();
    const Buffer counter = buffer(StorageClass::StorageBuffer);
    const std::uint32_t elements = 1 + random_.below(3);
    plain(OperationKind::Write, words, At::Own, elements);
    wait_for_all(counter, 1);
    plain(OperationKind::Read, words, At::OtherGroup, elements);
    if (random_.one_in(2)) plain(OperationKind::Read, words, At::OtherGroup, elements);
    wait_for_all(counter, 2);
  }

  // The workgroup that comes last reads what all have written.
  void last() {
    Buffer words = shared_by_all();
    Buffer tickets = buffer(StorageClass::StorageBuffer);
    const Buffer decision = buffer(StorageClass::Workgroup);
    words.fresh = tickets.fresh = true;
    const std::uint32_t elements = 1 + random_.below(2);
    plain(OperationKind::Write, words, At::Own, elements);
    barrier_of_all_classes();
    using enum MemorySemantics;
    Instruction& ticket = signal(OperationKind::ReadModifyWrite, tickets, At::Only);
    ticket.takes_ticket = true;
    const MemorySemantics acquiring = Acquire | MakeVisible | everything();
    if (fences_) {
      fence(acquiring);
    } else {
      ticket.operation.semantics = AcquireRelease | MakeAvailable | MakeVisible | everything();
    }
    plain(OperationKind::Write, decision, At::OfGroup, 1).who = Who::First;
    barrier_of_all_classes();
    plain(OperationKind::Read, decision, At::OfGroup, 1);
    for (std::uint32_t shift = 1; shift < program_.groups; ++shift) {
      Instruction& read = plain(OperationKind::Read, words, At::OtherGroup, elements);
      read.shift = shift;
      read.only_last = tickets.allocation;
    }
    barrier_of_all_classes();
  }

  // One invocation of each workgroup at a time counts.
  void lock() {
    using enum MemorySemantics;
    const Buffer guarded = shared_by_all();
    const Buffer taken = buffer(StorageClass::StorageBuffer);
    const MemorySemantics acquiring = Acquire | MakeVisible | everything();
    Instruction& take =
        atomic(Does::Lock, OperationKind::ReadModifyWrite, taken, At::Only, fences_ ? Relaxed : acquiring);
    take.who = Who::First;
    take.writes = 1;
    if (fences_) fence(acquiring);
    plain(OperationKind::Read, guarded, At::Only, 1).who = Who::First;
    plain(OperationKind::Write, guarded, At::Only, 1).who = Who::First;
    signal(OperationKind::Write, taken, At::Only).writes = 0;
  }

  // Each workgroup reads what the one before it has made known.
  void look_back() {
    Buffer sums = shared_by_all();
    sums.fresh = true;
    const Buffer flags = buffer(StorageClass::StorageBuffer);
    plain(OperationKind::Write, sums, At::OfGroup, 1).who = Who::First;
    signal(OperationKind::Write, flags, At::OfGroup);
    const std::size_t waits = program_.body.size();
    await(flags, At::OfGroup, program_.groups - 1, 1, 1);
    program_.body[waits].not_in_first_group = true;
    barrier_of_all_classes();
    Instruction& read = plain(OperationKind::Read, sums, At::OfGroup, 1);
    read.shift = program_.groups - 1;
    read.not_in_first_group = true;
  }

  void exchange_in_subgroup() {
    const Buffer words = shared_by_workgroup();
    const std::uint32_t elements = 1 + random_.below(2);
    plain(OperationKind::Write, words, At::Own, elements);
    barrier_of_subgroup(words.storage);
    plain(OperationKind::Read, words, At::NearNeighbour, elements);
    barrier_of_subgroup(words.storage);
  }

  // Writes make themselves available, reads make visible what they read; the barrier does neither.
  void exchange_by_operands() {
    using enum MemorySemantics;
    const Buffer words = shared_by_all();
    const Scope scope = random_.one_in(2) ? Scope::Workgroup : Scope::Device;
    Instruction& write = plain(OperationKind::Write, words, At::Own, 1);
    write.operation.operands = MemoryOperands::NonPrivatePointer | MemoryOperands::MakePointerAvailable;
    write.operation.available_scope = scope;
    barrier(words.storage);
    Operation& first = program_.body.back().operation;
    first.semantics = without(first.semantics, MakeAvailable | MakeVisible);
    Instruction& read = plain(OperationKind::Read, words, At::Neighbour, 1);
    read.operation.operands = MemoryOperands::NonPrivatePointer | MemoryOperands::MakePointerVisible;
    read.operation.visible_scope = scope;
    barrier(words.storage);
  }

  Random& random_;
  Program program_;
  std::uint32_t next_ = 0;
  bool device_barriers_ = false;
  bool fences_ = false;
  bool all_wait_ = false;
  bool images_ = false;
};

bool has_any(MemorySemantics mask, MemorySemantics what) {
  return without(mask, what) != mask;
}

MemorySemantics weakened(MemorySemantics semantics, Random& random) {
  using enum MemorySemantics;
  switch (random.below(4)) {
    case 0:
      return Relaxed;
    case 1:
      return without(semantics, MakeAvailable);
    case 2:
      return without(semantics, MakeVisible);
    default:
      break;
  }
  if (!has_any(semantics, AcquireRelease)) return Relaxed;
  const bool acquire = random.one_in(2);
  return without(without(semantics, AcquireRelease), acquire ? MakeAvailable : MakeVisible) |
         (acquire ? Acquire : Release);
}

// Makes the mistake in a copy of the right instruction. Returns whether it changes anything.
bool spoil(Planted& planted, Random& random) {
  using enum MemorySemantics;
  Operation& operation = planted.instead.operation;
  const MemorySemantics before = operation.semantics;
  const Scope scope = operation.scope;
  switch (planted.mistake) {
    case Mistake::None:
      return true;
    case Mistake::BarrierLeftOut:
      if (planted.instead.does != Does::Barrier) return false;
      planted.instead.does = Does::Nothing;
      return true;
    case Mistake::OrderWeakened:
      operation.semantics = weakened(before, random);
      break;
    case Mistake::ScopeNarrowed:
      operation.scope = scope == Scope::Device ? Scope::Workgroup : Scope::Subgroup;
      break;
    case Mistake::ClassMissing: {
      static constexpr std::array kClasses = {UniformMemory, WorkgroupMemory, ImageMemory};
      operation.semantics = without(before, kClasses[random.below(kClasses.size())]);
      // No mask is empty.
      if (before != Relaxed && !has_any(operation.semantics, UniformMemory | WorkgroupMemory | ImageMemory))
        operation.semantics = operation.semantics | OutputMemory;
      break;
    }
  }
  return operation.semantics != before || operation.scope != scope;
}

}  // namespace

Program write_program(Random& random) {
  return Author(random).write();
}

Planted plant(const Program& program, Random& random) {
  Planted planted;
  const auto mistake = static_cast<Mistake>(random.below(kMistakes));
  const bool once = random.one_in(2);
  if (once) planted.round = random.below(4);
  // A kernel without anything that could be wrong has no mistake.
  for (std::uint32_t tries = 0; mistake != Mistake::None && tries < 200; ++tries) {
    planted.at = random.below(static_cast<std::uint32_t>(program.body.size()));
    planted.instead = program.body[planted.at];
    const bool synchronizes = planted.instead.does != Does::Access || planted.instead.operation.atomic;
    planted.mistake = mistake;
    if (synchronizes && spoil(planted, random)) return planted;
  }
  planted.mistake = Mistake::None;
  return planted;
}

}  // namespace heddle::race
