#include "emulator/mu/judgement.h"

namespace heddle::mu {

//= mu:inter-thread-happens-before
void Judgement::order_happenings() {
  // Synchronizes-with, dependency-ordered before, and the first with program order behind it; then program order in
  // front of these; then any number of them. Dependency-ordered before with program order behind it is missing.
  Relation step = synchronizes_with_;
  step |= dependency_ordered_before_;
  step |= synchronizes_with_.then(program_order_);
  inter_thread_happens_before_ = step;
  inter_thread_happens_before_ |= program_order_.then(step);
  inter_thread_happens_before_.close();
  //= mu:happens-before
  happens_before_ = program_order_;
  happens_before_ |= inter_thread_happens_before_;
}

// The text does not say it; decision 5 of the format's description. Happens-before is not transitive behind CONSUME.
//= mu:happens-before
void Judgement::check_happens_before(Report& report) const {
  if (!happens_before_.acyclic()) report.push_back({Rule::HappensBeforeIsAcyclic, happens_before_.shortest_cycle()});
}

}  // namespace heddle::mu
