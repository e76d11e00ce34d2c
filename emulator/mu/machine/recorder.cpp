#include "emulator/mu/machine/recorder.h"

#include <utility>

namespace heddle::mu::machine {

void Recorder::restart(std::uint32_t threads, std::uint32_t locations) {
  execution_.threads = threads;
  execution_.locations = locations;
  execution_.events.clear();
  execution_.reads_from.clear();
  execution_.modification_order.assign(locations, {});
}

EventIndex Recorder::add(Event event) {
  execution_.reads_from.push_back(event.loads() ? kUnresolved : kNone);
  execution_.events.push_back(std::move(event));
  return static_cast<EventIndex>(execution_.events.size() - 1);
}

void Recorder::sees(EventIndex load, EventIndex store, Value value) {
  execution_.reads_from[load] = store;
  execution_.events[load].read = value;
}

}  // namespace heddle::mu::machine
