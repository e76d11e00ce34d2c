#pragma once

/// \file
/// The course of an access, whoever makes it: its driver checks it, the memory does it, piece by piece, and the driver
/// notes that it is done.

#include <heddle/operation.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "emulator/memory/memory.h"

namespace heddle::run {

/// The memory takes pieces of so many bytes, which begin at a multiple of that, and parts of them.
inline constexpr std::uint64_t kPieceBytes = 8;

/// Calls `with_piece(piece, at)` for each piece of an access; it begins `at` bytes behind the begin of the access.
template <typename Do>
[[gnu::always_inline]] inline void for_each_piece(const Operation& operation, Do with_piece) {
  const std::uint64_t begin = operation.locations.offset_bytes;
  const std::uint64_t end = begin + operation.locations.size_bytes;
  if (begin / kPieceBytes == (end - 1) / kPieceBytes) [[likely]] {
    with_piece(operation, 0);
    return;
  }
  Operation piece = operation;
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t next = std::min(end, (at / kPieceBytes + 1) * kPieceBytes);
    piece.locations.offset_bytes = at;
    piece.locations.size_bytes = static_cast<std::uint32_t>(next - at);
    with_piece(piece, at - begin);
    at = next;
  }
}

// A driver, which knows the access, says in these what it has to say of it; it may raise a finding:
//
// - `before_read()`, `after_read(value)`: of bytes that the access has (access_faults.h).
// - `before_write(value)`, `after_write()`
// - `before_update()`, `after_update()`
// - `shown_unwritten(missing, at)`: the bytes of `missing`, which stand `at` bytes behind the begin of the access, were
//   read as they were before anybody wrote them, though somebody may have by now.

template <typename Driver>
[[gnu::always_inline]] inline void read(memory::Memory& memory, const Operation& operation, void* value,
                                        const Driver& driver) {
  driver.before_read();
  for_each_piece(operation, [&](const Operation& piece, std::uint64_t at) {
    memory.read(piece, static_cast<std::byte*>(value) + at);
    if (const trace::Value missing = memory.never_written()) [[unlikely]]
      driver.shown_unwritten(missing, at);
  });
  driver.after_read(value);
}

template <typename Driver>
[[gnu::always_inline]] inline void write(memory::Memory& memory, const Operation& operation, const void* value,
                                         const Driver& driver) {
  driver.before_write(value);
  for_each_piece(operation, [&](const Operation& piece, std::uint64_t at) {
    memory.write(piece, static_cast<const std::byte*>(value) + at);
  });
  driver.after_write();
}

/// A read-modify-write, which has one piece; as memory::Memory::read_modify_write.
template <typename Driver, typename Modify>
[[gnu::always_inline]] inline void update(memory::Memory& memory, const Operation& operation, MemorySemantics unequal,
                                          Modify modify, void* context, const Driver& driver) {
  driver.before_update();
  memory.read_modify_write(operation, unequal, modify, context);
  driver.after_update();
  if (const trace::Value missing = memory.never_written()) [[unlikely]]
    driver.shown_unwritten(missing, 0);
}

}  // namespace heddle::run
