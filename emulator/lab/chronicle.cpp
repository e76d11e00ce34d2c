#include "emulator/lab/chronicle.h"

namespace heddle::lab {

void Chronicle::agent_ends(AgentId agent) {
  Effect effect;
  effect.kind = EffectKind::Ends;
  effect.agent = agent;
  effects_.push_back(effect);
}

void Chronicle::system_synchronizes(AgentId first, AgentId second) {
  Effect effect;
  effect.kind = EffectKind::Synchronizes;
  effect.agent = first;
  effect.other = second;
  effects_.push_back(effect);
}

void Chronicle::operation(OperationIndex, const Operation& operation, trace::Value read, trace::Value written,
                          std::span<const trace::Source> sources) {
  Told& told = told_.emplace_back();
  told.operation = operation;
  told.step = step_;
  told.read = read;
  told.written = written;
  if (!sources.empty()) told.source = sources.front().write;
}

void Chronicle::late(OperationIndex read, OperationIndex before) {
  told_[read].before = before;
}

void Chronicle::passes(OperationIndex arrival, std::span<const OperationIndex>) {
  Effect effect;
  effect.kind = EffectKind::Passes;
  effect.operation = arrival;
  effects_.push_back(effect);
}

void Chronicle::placed(OperationIndex write) {
  Effect effect;
  effect.kind = EffectKind::Placed;
  effect.operation = write;
  effects_.push_back(effect);
}

void Chronicle::moved(OperationIndex write, const Locations&, AgentId agent, CacheLevel from, CacheLevel to,
                      trace::MoveReason reason) {
  Effect effect;
  effect.operation = write;
  effect.agent = agent;
  effect.from = from;
  effect.to = to;
  effect.reason = reason;
  effects_.push_back(effect);
}

void Chronicle::stale(OperationIndex read, OperationIndex missed, CacheLevel) {
  told_[read].stale = true;
  told_[read].missed = missed;
}

}  // namespace heddle::lab
