#pragma once

/// \file
/// A test of the litmus library: a program, what the model says about it, and why.

#include <optional>
#include <string>
#include <vector>

namespace heddle::litmus::library {

/// Where a thread stands, as the format writes it.
struct Where {
  int subgroup = 0;
  int workgroup = 0;
  int queue_family = 0;
};

struct ThreadText {
  Where where;
  std::vector<std::string> code;
};

/// What the model says. The outcomes are written "P1:r0=1 P1:r1=1".
struct Verdict {
  bool holds = false;
  bool racy = false;
  std::optional<int> executions;
  std::vector<std::string> outcomes;  ///< not stated if empty
};

struct LibraryTest {
  std::string name;
  std::vector<std::string> declarations;
  std::vector<std::pair<int, int>> system_synchronization;
  std::vector<ThreadText> threads;
  std::string filter;     ///< none if empty
  std::string assertion;  ///< with its quantifier
  Verdict verdict;
  std::optional<Verdict> without_chains;  ///< where it differs
  std::string reason;
  std::string clause;  ///< "vk:memory-model-..."
  std::string twin;    ///< a test that differs in one thing and has another verdict
};

/// The test as a file of the Vulkan dialect, with verdict, reason, clause and twin in its header.
std::string print(const LibraryTest& test);

/// Every generated test of the library. Each family is a function in a file of its own; its
/// reasoning stands above it, and the verdicts follow from that and never from running a test.
std::vector<LibraryTest> all_families();

using Family = std::vector<LibraryTest>;
Family message_passing();
Family message_passing_by_barrier();
Family scopes_of_atomics();
Family multi_copy_shapes();
Family write_shapes();
Family coherence();
Family release_sequences();
Family chains();
Family device_domain();

}  // namespace heddle::litmus::library
