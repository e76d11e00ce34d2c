#include "emulator/judge/facts.h"

namespace heddle::judge {

// The specification's order, but for what depends on the operations alone, which comes first.
void Facts::derive_what_is_given(const model::Execution& e, const Options& o) {
  execution = &e;
  options = o;
  const EventIndex first = derive_events(*this);
  derive_program_order(*this, first);
  derive_mutual_order(*this, first);
  derive_scoped_modification_order(*this);
}

void Facts::derive_orders() {
  derive_shader_call_order(*this);
  derive_release_sequences(*this);
  derive_synchronizes_with(*this);
  derive_system_synchronizes_with(*this);
  derive_inter_thread_happens_before(*this);
  derive_happens_before(*this);
  derive_location_order(*this);
  derive_from_reads(*this);
}

void Facts::derive(const model::Execution& e, const Options& o) {
  partial = only_happens_before = false;
  forget_from(0);
  derive_what_is_given(e, o);
  derive_orders();
  derive_data_races(*this);
  derive_visible_to(*this);
}

bool Facts::derive_partial(const model::Execution& e, const Options& o) {
  partial = only_happens_before = true;
  derive_what_is_given(e, o);
  if (!is_coherent(*this)) return false;
  derive_orders();
  return is_consistent(*this);
}

bool Facts::derive_consistency(const model::Execution& e, const Options& o) {
  partial = false;
  only_happens_before = true;
  derive_what_is_given(e, o);
  if (!is_coherent(*this)) return false;
  derive_orders();
  return is_consistent(*this);
}

void Facts::complete() {
  if (!only_happens_before) return;
  only_happens_before = false;
  derive_inter_thread_happens_before(*this);
  derive_visible_to(*this);
}

}  // namespace heddle::judge
