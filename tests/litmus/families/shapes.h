#pragma once

/// \file
/// What the families of small shapes are built with.

#include <string>
#include <vector>

#include "tests/litmus/families/library_test.h"

namespace heddle::litmus::library {

/// A test whose threads are subgroups of one workgroup each, which are numbered from 0.
struct ShapeText {
  std::string name;
  std::vector<std::string> declarations;
  std::vector<std::vector<std::string>> threads;
  std::string assertion;
  Verdict verdict;
  std::string clause;
  std::string reason;
  std::string twin;
  std::string filter = {};
};

/// Threads 0, 1, ... in subgroups 0, 1, ... of one workgroup.
LibraryTest in_one_workgroup(const ShapeText& text);

/// Which ends of a would-be synchronization really are ends of one.
struct Ordering {
  bool release = true;
  bool acquire = true;

  /// A store "st.atom..." that releases if the ordering has a release.
  std::string store(const std::string& variable, int value) const;
  /// A load that acquires if the ordering has an acquire.
  std::string load(const std::string& reg, const std::string& variable) const;
};

/// Relaxed accesses of workgroup scope.
std::string relaxed_store(const std::string& variable, int value);
std::string relaxed_load(const std::string& reg, const std::string& variable);

/// Every combination of values of these keys, the last one counting fastest: "P1:r0=0 P1:r1=0", ...
std::vector<std::string> all_outcomes(const std::vector<std::string>& keys);

/// All outcomes without those listed.
std::vector<std::string> all_outcomes_but(const std::vector<std::string>& keys,
                                          const std::vector<std::string>& without);

}  // namespace heddle::litmus::library
