#pragma once

/// \file
/// How the lab names threads, caches, writes and what happened.

#include <optional>
#include <string>

#include "emulator/judge/judgement.h"
#include "emulator/lab/chronicle.h"
#include "emulator/litmus/vulkan/test.h"
#include "emulator/trace/recorder.h"

namespace heddle::lab {

class Words {
 public:
  /// Both must outlive it.
  Words(const litmus::Test& test, const Chronicle& chronicle) : test_(test), chronicle_(chronicle) {}

  std::string thread(std::uint32_t index) const { return test_.threads[index].name(); }
  std::string thread(AgentId agent) const { return thread(static_cast<std::uint32_t>(agent)); }
  /// The protocol's name of the cache of `agent`'s instance: "P0", "qf0.wg1", "memory".
  std::string cache_id(AgentId agent, CacheLevel level) const;
  /// "P0's own cache", "workgroup 1"
  std::string cache(AgentId agent, CacheLevel level) const;
  std::string variable(const Operation& access) const;
  /// What players call an operation: the number of the move that executed it, from 1.
  std::size_t step(OperationIndex index) const;
  /// "x = 1 of step 3", "the initial value"
  std::string write(OperationIndex index) const;
  /// "x = 0, the initial value", "x = 1 of step 3"
  std::string value_read(const Told& read) const;
  /// What an operation did: "P0 reads x = 1 of step 0"
  std::string operation(const Told& told) const;
  std::string effect(const Effect& effect) const;
  /// "P0's `st.sc0 x, 1` (line 4)"
  std::string place(OperationIndex index) const;

 private:
  const litmus::Test& test_;
  const Chronicle& chronicle_;
};

litmus::Integer as_integer(trace::Value value);

}  // namespace heddle::lab
