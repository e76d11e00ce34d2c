#pragma once

/// \file
/// Host tests of the litmus format as programs of queues.

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "emulator/litmus/vulkan/test.h"

namespace queue_tests {

/// Whether a program of queues says all that the test does.
bool is_understood(const heddle::litmus::Test& test);

/// One run of a test that is understood.
class LitmusRun {
 public:
  LitmusRun(const heddle::litmus::Test& test, std::uint64_t seed);
  ~LitmusRun();

  /// The registers at its end, by name. Throws what the API throws.
  std::map<std::string, std::uint32_t> run();
  bool is_racy() const;
  /// The host has invalidated what it wrote and did not flush: Vulkan says nothing of what is there then.
  bool has_undefined_contents() const;

 private:
  class Program;
  std::unique_ptr<Program> program_;
};

}  // namespace queue_tests
