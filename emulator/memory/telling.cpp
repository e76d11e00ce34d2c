#include "emulator/memory/telling.h"

namespace heddle::memory {

void Telling::listen(trace::Listener* listener) {
  listener_ = listener;
  notes_writers_ = listener != nullptr;
  plain_sources_ = listener && listener->needs_plain_sources();
  hears_moves_ = listener && listener->hears_moves();
  writers_.of_atomics_alone(!plain_sources_);
}

void Telling::restart() {
  told_ = 0;
  writers_.forget_all();
}

void Telling::begin(const Cohort& cohort) {
  listener_->agents_begin(cohort.first, cohort.count, cohort.place, cohort.subgroups);
}

void Telling::end(const Cohort& cohort) {
  listener_->agents_end(cohort.first, cohort.count);
}

void Telling::meeting(const Cohort& cohort, const Operation& barrier) {
  Operation of_first = barrier;
  of_first.agent = cohort.first;
  listener_->meets(told_, of_first, cohort.count);
  told_ += cohort.count;
}

trace::OperationIndex Telling::operation(const Operation& operation, trace::Value read, trace::Value written) {
  const trace::OperationIndex index = told_++;
  if (!plain_sources_ && !operation.atomic && operation.is_access()) {
    listener_->plain(index, operation, read, written);
    return index;
  }
  if (!operation.reads()) sources_.clear();
  listener_->operation(index, operation, read, written, sources_);
  return index;
}

void Telling::read_of_storage(const Operation& operation, trace::Value value) {
  if (asks_for_sources(operation)) set_stored_sources(operation.locations);
  this->operation(operation, value, 0);
}

void Telling::write_to_storage(const Operation& operation, trace::Value read, trace::Value value) {
  if (operation.reads()) set_stored_sources(operation.locations);
  const trace::OperationIndex index = this->operation(operation, read, value);
  writers_.note(operation.locations, index);
  if (operation.atomic) listener_->placed(index);
}

void Telling::end_memory_dependency() {
  notes_writers_ = listener_ != nullptr;
  if (!plain_sources_) writers_.forget_old();
}

}  // namespace heddle::memory
