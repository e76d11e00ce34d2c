#include "emulator/lab/world.h"

#include <algorithm>

namespace heddle::lab {

World::World(const Played& played, const Rules& rules)
    : played_(played),
      rules_(rules),
      stage_(played.stage(rules, script_)),
      by_hand_(dynamic_cast<memory::ByHand*>(&stage_->memory())),
      fork_({&recorder_, &chronicle_}) {
  stage_->runner().listen(&fork_);
  restart();
}

void World::restart() {
  recorder_.clear();
  chronicle_.clear();
  script_.clear();
  end_.reset();
  asks_judge_ = false;
  stage_->restart();
  stage_->runner().start();
}

bool World::make(const Move& move) {
  if (end_) return false;
  run::Runner& runner = stage_->runner();
  chronicle_.next_step();
  switch (move.kind) {
    case MoveKind::Go: {
      const std::vector<std::uint32_t>& ready = runner.ready();
      if (std::find(ready.begin(), ready.end(), move.thread) == ready.end()) return false;
      if (move.served && !serve(move)) return false;
      script_.load(move.answers);
      runner.step(move.thread);
      if (move.served && (chronicle_.told().empty() || chronicle_.told().back().source != *move.served)) return false;
      return !script_.misfits();
    }
    case MoveKind::Deliver:
      script_.load({});
      return by_hand_->deliver(move.write);
    case MoveKind::Invalidate: {
      script_.load({});
      if (move.thread >= played_.threads().size() || runner.standing(move.thread) == run::Standing::Ended) return false;
      const std::optional<Operation> read = played_.read_of(*this, move.thread, move.variable);
      return read && by_hand_->invalidate(*read);
    }
    case MoveKind::Finish:
      script_.load({});
      if (!runner.ready().empty()) return false;
      end_ = runner.finish();
      return true;
  }
  return false;
}

bool World::serve(const Move& move) {
  if (runner().standing(move.thread) != run::Standing::Ready || runner().late_reads(move.thread) != 0) return false;
  const explore::Step& step = runner().next_step(move.thread);
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

}  // namespace heddle::lab
