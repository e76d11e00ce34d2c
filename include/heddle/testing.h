#pragma once

/// \file
/// For unit tests of kernels: what a framework of tests prints of heddle's values, and races as a test expects them.
/// Catch2 and GoogleTest both print what has an `operator<<`.

#include <heddle/explore.h>
#include <heddle/heddle.h>
#include <heddle/memory_order.h>
#include <heddle/testing/questions.h>

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <vector>

namespace heddle {

/// Each value by the name that it has in C++, without that of its type ("Emulated"); semantics with '|' between them
/// ("Release|UniformMemory"); a finding's kind as reports spell it ("data race"). A number that is no value is printed
/// as a number.
std::ostream& operator<<(std::ostream& out, FindingKind kind);
std::ostream& operator<<(std::ostream& out, Scope scope);
std::ostream& operator<<(std::ostream& out, StorageClass storage_class);
std::ostream& operator<<(std::ostream& out, MemorySemantics semantics);
std::ostream& operator<<(std::ostream& out, MemoryOrder order);
std::ostream& operator<<(std::ostream& out, OperationKind kind);
std::ostream& operator<<(std::ostream& out, ImageDim dim);
std::ostream& operator<<(std::ostream& out, Mode mode);
std::ostream& operator<<(std::ostream& out, LaneMapping mapping);
std::ostream& operator<<(std::ostream& out, WorkgroupOrder order);
std::ostream& operator<<(std::ostream& out, SameValueWrites called);
std::ostream& operator<<(std::ostream& out, ReportFormat format);
std::ostream& operator<<(std::ostream& out, ChoicePoint point);
/// As to_string.
std::ostream& operator<<(std::ostream& out, const Coordinates& coordinates);
std::ostream& operator<<(std::ostream& out, const Finding& finding);
std::ostream& operator<<(std::ostream& out, const DataRace& race);
std::ostream& operator<<(std::ostream& out, const SeedFailure& failure);
/// "100 trials, 1 failed", and the failures.
std::ostream& operator<<(std::ostream& out, const SeedReport& report);

}  // namespace heddle
