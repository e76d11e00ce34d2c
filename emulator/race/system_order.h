#pragma once

/// \file
/// What system-synchronizes-with adds to views, whatever the storage class and the tags. Clocks have one number for
/// each workgroup, or one for each of its tag lanes: how many is said by whoever asks.

#include "emulator/race/places.h"
#include "emulator/race/view.h"

namespace heddle::race {

/// The clock of all that one agent did.
Clock all_of_agent(const Places& places, std::uint32_t numbers_of_group, std::uint32_t agent);
/// The view of an agent that begins behind a dependency; `ended` is what the agents before it did to chains.
ViewPointer view_behind_dependency(const Places& places, std::uint32_t numbers_of_group, const View& ended);
/// `made` comes behind all of `all`, too, and behind what `system` has.
void come_behind(View& made, SystemView& system, const Clock& all);

}  // namespace heddle::race
