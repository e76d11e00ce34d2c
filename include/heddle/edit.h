#pragma once

/// \file
/// Edits of a program: what an instruction means otherwise, or an instruction that is put in or taken out, without
/// compiling the program again.

#include <heddle/detail/edit_record.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

enum class EditKind : std::uint8_t {
  /// The semantics of an atomic or a barrier become these.
  GiveSemantics,
  /// These bits are added to the semantics of an atomic or a barrier, or dropped.
  AddSemantics,
  DropSemantics,
  /// The memory scope of an atomic or a barrier, or the scope of MakePointerAvailable or MakePointerVisible.
  SetScope,
  /// Who waits at a control barrier.
  SetExecutionScope,
  /// These operands are added to a plain access, or dropped.
  AddOperands,
  DropOperands,
  /// A plain access becomes an atomic one, with this scope and these semantics.
  MakeAtomic,
  /// A plain read, or a plain write, is the read, or the write, of one atomic update, with this scope and these
  /// semantics: an invocation does both at once. The one edit is made at the read, another one at the write.
  JoinUpdate,
  PutMemoryBarrier,
  PutControlBarrier,
  /// A control barrier of the workgroup between two lines, at a place that all come to and where no instruction stands:
  /// behind a condition, or where a round of a loop ends. It is tried with those who come to one of the lines: who
  /// waits
  /// elsewhere, or has ended, is not waited for.
  PutRoundBarrier,
  /// A barrier is not there.
  TakeOut,
  /// A dependency between a dispatch and the one before it.
  PutDependency,
  /// The memory model relaxation tags of an instruction become these.
  SetTags,
  /// A call or a command of a host test becomes this one, or this one is put in.
  SetCall,
  PutCall,
};

/// The kind of the instruction that is edited.
enum class EditedKind : std::uint8_t {
  /// The first instruction of the line, each time an invocation comes there.
  First,
  Read,
  Write,
  AtomicRead,
  AtomicWrite,
  AtomicUpdate,
  MemoryBarrier,
  ControlBarrier,
  /// A call of the host or a command of a batch: of a litmus test with columns of the host.
  Call,
};

/// One line that edit_from_text reads: "give Release|UniformMemory at atomic-write in sum.cpp:14".
std::string to_text(const Edit& edit);
/// Throws std::invalid_argument for anything else, and says what is wrong with which word.
Edit edit_from_text(std::string_view line);
/// An edit a line; empty lines and those that begin with '#' are none. Throws std::invalid_argument, which names the
/// line of the text by its number.
std::vector<Edit> edits_from_text(std::string_view text);
/// What it does, in a sentence for people: "give the atomic write in line 14 the semantics Release | UniformMemory".
std::string sentence_of(const Edit& edit);

}  // namespace heddle
