#include "emulator/judge/facts.h"

namespace heddle::judge {

// The specification's order.
void Facts::derive_orders(const model::Execution& e, const Options& o) {
  execution = &e;
  options = o;
  derive_events(*this);
  derive_program_order(*this);
  derive_shader_call_order(*this);
  derive_mutual_order(*this);
  derive_scoped_modification_order(*this);
  derive_release_sequences(*this);
  derive_synchronizes_with(*this);
  derive_system_synchronizes_with(*this);
  derive_inter_thread_happens_before(*this);
  derive_happens_before(*this);
  derive_location_order(*this);
  derive_from_reads(*this);
}

void Facts::derive(const model::Execution& e, const Options& o) {
  partial = false;
  derive_orders(e, o);
  derive_data_races(*this);
  derive_visible_to(*this);
}

bool Facts::derive_partial(const model::Execution& e, const Options& o) {
  partial = true;
  derive_orders(e, o);
  return is_consistent(*this);
}

bool Facts::derive_consistency(const model::Execution& e, const Options& o) {
  partial = false;
  derive_orders(e, o);
  return is_consistent(*this);
}

}  // namespace heddle::judge
