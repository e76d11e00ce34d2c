#pragma once

/// \file
/// Operations of a kernel under edits of the program (heddle/edit.h).

#include <heddle/detail/emulation.h>

#include "emulator/edits/program_edits.h"
#include "emulator/edits/weakenings.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::emulation {

// What edits leave of an operation, once it is as they have it.
void read_as_it_is(Emulator& emulator, const Agent& agent, const Access& access, void* value);
void write_as_it_is(Emulator& emulator, const Agent& agent, const Access& access, const void* value);
void update_as_it_is(Emulator& emulator, const Agent& agent, const Access& access, MemorySemantics unequal,
                     Modify modify, void* context);
void memory_barrier_as_it_is(Emulator& emulator, const Operation& barrier);

// Operations with what edits make of them, of an emulator that has edits. The invocation may wait in any of them.
void read_edited(Emulator& emulator, const Agent& agent, const Access& access, void* value);
void write_edited(Emulator& emulator, const Agent& agent, const Access& access, const void* value);
void update_edited(Emulator& emulator, const Agent& agent, const Access& access, MemorySemantics unequal, Modify modify,
                   void* context);
void memory_barrier_edited(Emulator& emulator, const Agent& agent, const Operation& barrier);
void control_barrier_edited(Emulator& emulator, const Agent& agent, const Operation& barrier);

}  // namespace heddle::emulation

namespace heddle::detail {

/// The edits in the file that HEDDLE_EDITS names; none if it names none. Throws std::invalid_argument for a file that
/// cannot be read, and for a text that makes no sense, with its place.
std::vector<Edit> edits_of_environment();

/// The list of these edits, which devices with the same edits share. When it is gone those that met no instruction have
/// been told. Null for no edits, unless one without edits is `wanted`.
std::shared_ptr<edits::EditList> list_of(const std::vector<Edit>& edits, bool wanted = false);

/// What the whole program could be weakened by, which is written to the file that HEDDLE_WEAKENINGS names when the
/// program ends; null if it names none.
std::shared_ptr<edits::Survey> survey_of_environment();

}  // namespace heddle::detail
