#include "emulator/mu/machine/detector.h"

namespace heddle::mu::machine {

void Detector::restart() {
  used_locations_ = 0;
  used_stacks_ = 0;
  kinds_ = 0;
  found_.clear();
}

Detector::Object& Detector::object(std::vector<Object>& of, std::size_t& used, std::uint32_t number) {
  while (used <= number) {
    if (used == of.size()) of.emplace_back();
    Object& fresh = of[used++];
    fresh.any = false;
    fresh.any_atomic = false;
    fresh.reported = 0;
  }
  return of[number];
}

void Detector::find(Object& object, std::uint32_t number, Undefined kind, const Watched& first, const Watched& second) {
  const unsigned bit = 1u << static_cast<unsigned>(kind);
  kinds_ |= bit;
  if ((object.reported & bit) != 0) return;
  object.reported |= bit;
  found_.push_back({kind, number, first, second});
}

void Detector::begin(Object& object, const Watched& first) const {
  object.any = true;
  object.plain = first;
  object.writes.assign(threads_, {});
  object.reads.assign(threads_, {});
}

// The last operation of each other thread is enough: what precedes it in its thread happens before whatever it happens
// before.
void Detector::compare(Object& object, std::uint32_t number, Undefined kind, const std::vector<Watched>& others,
                       const Watched& one, const ClockValue* clock) {
  for (std::uint32_t t = 0; t < threads_; ++t)
    if (t != one.thread && others[t].number > clock[t]) find(object, number, kind, others[t], one);
}

void Detector::access(const Watched& access, LocationIndex location, const ClockValue* clock) {
  Object& of = object(locations_, used_locations_, location);
  //= mu:mixed-accesses
  if (access.atomic) {
    if (of.any) find(of, location, Undefined::Mixed, of.plain, access);
    if (!of.any_atomic) of.atomic = access;
    of.any_atomic = true;
    return;
  }
  if (of.any_atomic) find(of, location, Undefined::Mixed, of.atomic, access);
  if (!of.any) begin(of, access);
  //= mu:data-race
  compare(of, location, Undefined::Race, of.writes, access, clock);
  if (access.writes) compare(of, location, Undefined::Race, of.reads, access, clock);
  (access.writes ? of.writes : of.reads)[access.thread] = access;
}

//= mu:unordered-stack-operations
void Detector::stack_operation(const Watched& operation, std::uint32_t stack, const ClockValue* clock) {
  Object& of = object(stacks_, used_stacks_, stack);
  if (!of.any) begin(of, operation);
  compare(of, stack, Undefined::Stack, of.writes, operation, clock);
  of.writes[operation.thread] = operation;
}

void Detector::wrong_address(const Watched& operation) {
  kinds_ |= 1u << static_cast<unsigned>(Undefined::Address);
  found_.push_back({Undefined::Address, 0, operation, operation});
}

}  // namespace heddle::mu::machine
