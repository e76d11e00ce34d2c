#pragma once

/// \file
/// From a litmus test to something that the explorer explores.

#include <memory>

#include "emulator/explore/program.h"
#include "emulator/litmus/vulkan/cooperative.h"
#include "emulator/litmus/vulkan/test.h"
#include "emulator/litmus/vulkan/thread.h"

namespace heddle::explore {
struct AgentEnd;
}  // namespace heddle::explore

namespace heddle::litmus {

/// The program of a test, and what it refers to. Not to be explored by two threads at once.
class TestProgram {
 public:
  /// `test` must outlive the program and its executions, whose operations name its instructions: as
  /// `where.function` the text, as `where.line` the line. `bound` is the number of iterations of
  /// each loop, at least 1.
  /// Without `performers` the first choice of who performs cooperative accesses is taken.
  explicit TestProgram(const Test& test, std::uint64_t bound = 2, Spinning spinning = Spinning::Explored,
                       Performers performers = {});
  ~TestProgram();
  TestProgram(const TestProgram&) = delete;
  TestProgram& operator=(const TestProgram&) = delete;

  const Test& test() const { return test_; }
  const explore::Program& program() const { return program_; }
  /// The results of the test's threads, by thread.
  std::vector<std::vector<explore::Value>> results(const std::vector<explore::AgentEnd>& ends) const;
  /// The results of the test's threads, of those of all agents, by agent.
  std::vector<std::vector<explore::Value>> results(std::vector<std::vector<explore::Value>> of_agents) const;

  /// One of them.
  explore::Value result(const std::vector<explore::AgentEnd>& ends, std::uint32_t thread, std::uint32_t index) const;

 private:
  struct Parts;
  void add_host();

  const Test& test_;
  std::unique_ptr<Parts> parts_;
  explore::Program program_;
};

}  // namespace heddle::litmus
