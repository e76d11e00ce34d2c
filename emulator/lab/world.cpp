#include "emulator/lab/world.h"

#include <algorithm>

#include "emulator/domains/domain_memory.h"
#include "emulator/litmus/run/run.h"
#include "emulator/litmus/vulkan/thread.h"
#include "emulator/memory/machine.h"
#include "emulator/run/memories.h"

namespace heddle::lab {
namespace {

litmus::Performers performers_of(const litmus::Test& test, std::uint32_t which) {
  std::vector<litmus::Performers> all = litmus::choices_of_performers(test);
  return std::move(all[std::min<std::size_t>(which, all.size() - 1)]);
}

std::unique_ptr<memory::Memory> played_memory(const litmus::Test& test, Choice& choice) {
  if (litmus::needs_domains(test)) return std::make_unique<domains::DomainMemory>(played_policy(), choice, true);
  return std::make_unique<memory::Machine>(played_policy(), choice);
}

}  // namespace

MemoryPolicy played_policy() {
  MemoryPolicy policy;
  policy.name = "played";
  policy.description = "moves nothing of its own accord, and asks for every answer";
  policy.delay = 256;
  policy.rest = 256;
  policy.stale = 256;
  policy.late_reads = 128;
  policy.record_all = true;
  policy.longest_wait = run::kLongestWait;
  return policy;
}

World::World(const litmus::Test& test, const Rules& rules)
    : rules_(rules),
      program_(test, rules.bound, litmus::Spinning::Endless, performers_of(test, rules.performers)),
      memory_(played_memory(test, script_)),
      by_hand_(dynamic_cast<memory::ByHand*>(memory_.get())),
      runner_(program_.program(), std::vector<std::uint32_t>(test.locations, litmus::kVariableBytes), *memory_,
              script_),
      fork_({&recorder_, &chronicle_}) {
  runner_.listen(&fork_);
  restart();
}

void World::restart() {
  recorder_.clear();
  chronicle_.clear();
  script_.clear();
  end_.reset();
  asks_judge_ = false;
  runner_.start();
}

bool World::make(const Move& move) {
  if (end_) return false;
  chronicle_.next_step();
  switch (move.kind) {
    case MoveKind::Go: {
      const std::vector<std::uint32_t>& ready = runner_.ready();
      if (std::find(ready.begin(), ready.end(), move.thread) == ready.end()) return false;
      if (move.served && !serve(move)) return false;
      script_.load(move.answers);
      runner_.step(move.thread);
      if (move.served && (chronicle_.told().empty() || chronicle_.told().back().source != *move.served)) return false;
      return !script_.misfits();
    }
    case MoveKind::Deliver:
      script_.load({});
      return by_hand_->deliver(move.write);
    case MoveKind::Invalidate: {
      script_.load({});
      if (move.thread >= test().threads.size() || runner_.standing(move.thread) == run::Standing::Ended) return false;
      const std::optional<Operation> read = read_of(test(), move.thread, move.variable);
      return read && by_hand_->invalidate(*read);
    }
    case MoveKind::Finish:
      script_.load({});
      if (!runner_.ready().empty()) return false;
      end_ = runner_.finish();
      return true;
  }
  return false;
}

bool World::serve(const Move& move) {
  if (runner_.standing(move.thread) != run::Standing::Ready || runner_.late_reads(move.thread) != 0) return false;
  const explore::Step& step = runner_.next_step(move.thread);
  if (step.kind != explore::StepKind::Operation || !step.operation.reads()) return false;
  Operation read = step.operation;
  read.agent = static_cast<AgentId>(move.thread);
  if (!by_hand_->can_serve(read, *move.served)) return false;
  by_hand_->serve(*move.served);
  asks_judge_ = true;
  return true;
}

bool World::replay(std::span<const Move> moves) {
  restart();
  return std::all_of(moves.begin(), moves.end(), [this](const Move& move) { return make(move); });
}

std::optional<Operation> read_of(const litmus::Test& test, std::uint32_t thread, std::uint32_t variable) {
  for (const litmus::Instruction& instruction : test.threads[thread].code) {
    if (!instruction.traits().reads || instruction.variable != variable) continue;
    Operation read = instruction.operation;
    read.agent = static_cast<AgentId>(thread);
    read.reference = litmus::reference_of(test, test.threads[thread], variable);
    read.locations = litmus::locations_of(test.variables[variable]);
    return read;
  }
  return std::nullopt;
}

}  // namespace heddle::lab
