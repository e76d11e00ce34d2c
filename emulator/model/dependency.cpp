#include "emulator/model/dependency.h"

namespace heddle::model {

const HostSide& host_side(const std::shared_ptr<const HostSide>& host) {
  static const HostSide none;
  return host ? *host : none;
}

//= sync:synchronization-pipeline-stages-masks
Stages with_earlier(Stages stages) {
  return meet(stages, Stages::Compute) ? stages | Stages::DrawIndirect : stages;
}

Stages with_later(Stages stages) {
  return meet(stages, Stages::DrawIndirect) ? stages | Stages::Compute : stages;
}

Accesses accesses_of(Stages stages) {
  Accesses all = Accesses::None;
  if (meet(stages, Stages::DrawIndirect)) all = all | Accesses::IndirectRead;
  if (meet(stages, Stages::Compute)) all = all | Accesses::ShaderRead | Accesses::ShaderWrite;
  if (meet(stages, Stages::Copy)) all = all | Accesses::TransferRead | Accesses::TransferWrite;
  if (meet(stages, Stages::Clear)) all = all | Accesses::TransferWrite;
  if (meet(stages, Stages::Host)) all = all | Accesses::HostRead | Accesses::HostWrite;
  return all;
}

//= vk:memory-model-system-synchronizes-with
//= sync:synchronization-submission-order
bool comes_before(const Command& command, const Dependency& dependency) {
  const ExecutionScope& first = dependency.first;
  return command.queue == first.queue && command.position < first.position &&
         meet(command.stage, with_earlier(first.stages));
}

//= vk:memory-model-system-synchronizes-with
bool comes_after(const Dependency& dependency, const Command& command) {
  const ExecutionScope& second = dependency.second;
  return command.queue == second.queue && command.position >= second.position &&
         meet(command.stage, with_later(second.stages));
}

//= vk:memory-model-system-synchronizes-with
//= sync:synchronization-dependencies-chains
bool makes_chain(const Dependency& earlier, const Dependency& later) {
  return earlier.second.queue == later.first.queue && earlier.second.position <= later.first.position &&
         meet(with_later(earlier.second.stages), with_earlier(later.first.stages));
}

}  // namespace heddle::model
