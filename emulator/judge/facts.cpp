#include "emulator/judge/facts.h"

#include <heddle/detail/check.h>

namespace heddle::judge {

// The specification's order, but for what depends on the operations alone, which comes first.
namespace {

// Relations are made of what is recorded: a number that names no operation would be a relation to something else.
void check_recorded(const model::Execution& execution) {
  const std::size_t count = execution.operations.size();
  for (const model::ReadsFrom& pair : execution.reads_from) {
    HEDDLE_CHECK(pair.read < count && execution.operations[pair.read].reads(),
                 "an execution that is judged has a source for an operation that does not read");
    HEDDLE_CHECK(
        pair.write == model::kInitialValue || (pair.write < count && execution.operations[pair.write].writes()),
        "an execution that is judged has a read from an operation that does not write");
  }
  for (const auto& [earlier, later] : execution.modification_order)
    HEDDLE_CHECK(earlier < count && later < count,
                 "an execution that is judged has an order of writes that it does not contain");
}

}  // namespace

void Facts::derive_what_is_given(const model::Execution& e, const Options& o) {
  check_recorded(e);
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
  derive_host_language_order(*this);
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
