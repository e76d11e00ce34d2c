#pragma once

/// \file
/// What commands are about: the bytes of copies and clears, other command buffers.

#include <heddle/detail/queue_commands.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace heddle::queues {

inline std::byte* bytes_of(const AnyBuffer& buffer, std::uint64_t offset) {
  return buffer.owner()->bytes + offset;
}

inline bool accesses_memory(const detail::Command& command) {
  return command.kind == detail::CommandKind::Dispatch || command.kind == detail::CommandKind::DispatchIndirect ||
         command.kind == detail::CommandKind::Copy || command.kind == detail::CommandKind::Clear;
}

/// Adds the secondary command buffers that these execute.
inline void add_secondaries(std::vector<std::shared_ptr<detail::CommandBufferState>>& all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    // What is in the list may move.
    const std::shared_ptr<detail::CommandBufferState> one = all[i];
    for (const detail::Command& command : one->commands)
      if (command.secondary) all.push_back(command.secondary);
  }
}

/// Fills `to` with `data`, again and again.
inline void repeat(std::span<const std::byte> data, std::span<std::byte> to) {
  for (std::size_t at = 0; at < to.size(); at += data.size())
    std::memcpy(&to[at], data.data(), std::min(data.size(), to.size() - at));
}

}  // namespace heddle::queues
