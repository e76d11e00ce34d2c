#pragma once

/// \file
/// A module's entry point, made ready to run on a device again and again.

#include <heddle/report.h>

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/spirv/host/step.h"

namespace heddle::spirv {

class Dispatch;

/// How steps reach memory in the mode of a device.
struct MemoryHandlers {
  Handler (*load)(std::uint32_t bytes, bool physical);
  Handler (*store)(std::uint32_t bytes, bool physical);
  Handler (*atomic)(const ScalarType& type, bool physical);
  Handler fence;
  Handler barrier;
};

/// An object of a dispatch, as invocations on a device find it.
struct PlannedObject {
  enum class Kind : std::uint8_t { Nothing, Buffer, OfWorkgroup, Constant };
  Kind kind = Kind::Nothing;
  Sharing sharing = Sharing::AsTheInstructionSays;
  /// The class of a buffer, and which of the dispatch's bindings it is.
  StorageClass storage = StorageClass::StorageBuffer;
  std::size_t binding = 0;
  std::uint64_t size = 0;
  /// A text that lasts as long as the process.
  const char* name = "";
  /// What findings call it.
  const char* words = "";
  bool zeroed = false;
  /// What the object holds if it is a constant.
  std::vector<std::byte> bytes;
};

/// Whether the value of a built-in is another one for each invocation.
bool is_of_invocation(spv::BuiltIn which);

/// The steps of a dispatch, and what its invocations begin with.
class Plan {
 public:
  /// `dispatch` is on a device, and must outlive the plan. `file` is where instructions are of which the module names
  /// no other file.
  Plan(const Dispatch& dispatch, const std::string& file, const MemoryHandlers& handlers);
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  /// Which command has no step, and why; empty if each has one. A plan that lacks a step may be asked nothing else.
  const std::string& why_not() const { return why_not_; }
  const Step* first() const { return steps_.data(); }
  /// What slots hold when an invocation begins, but for built-ins.
  const std::vector<std::uint64_t>& image() const { return image_; }
  /// The built-ins that have another value for each invocation.
  const std::vector<BuiltIn>& built_ins() const { return built_ins_; }
  const std::vector<PlannedObject>& objects() const { return objects_; }
  /// For the caller, who says which binding of the dispatch a buffer is.
  PlannedObject& object(std::uint64_t number) { return objects_[number]; }
  const SourceLocation& place() const { return place_; }

 private:
  void plan_objects();
  void plan_step(std::size_t at);
  bool plan_flow(const Command& command, Step& step);
  void plan_move(const Command& command, Step& step);
  void plan_compute(std::size_t at, Step& step);
  void plan_access(const Command& command, Step& step, StepDetail& detail);
  void plan_atomic(const Command& command, const AccessInfo& info, Step& step, StepDetail& detail);
  void plan_fence(const Command& command, Step& step, StepDetail& detail);
  void plan_qualifiers(const Command& command, const AccessInfo& info, StepDetail& detail);
  void refuse(const Command& command, const char* why);
  /// What a slot holds all the time; refuses the command if that may change.
  std::uint64_t constant_in(const Command& command, Slot slot);
  Scope scope_in(const Command& command, Slot slot);

  const Dispatch& dispatch_;
  const MemoryHandlers& handlers_;
  SourceLocation place_;
  std::string why_not_;
  std::vector<Step> steps_;
  std::vector<StepDetail> details_;
  std::vector<std::uint64_t> image_;
  std::vector<bool> written_;
  std::vector<BuiltIn> built_ins_;
  std::vector<PlannedObject> objects_;
};

}  // namespace heddle::spirv
