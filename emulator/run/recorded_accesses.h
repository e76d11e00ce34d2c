#pragma once

/// \file
/// Where an access of a kernel becomes an operation.

#include <heddle/detail/access_door.h>

namespace heddle::run {

/// The door of accesses that each have a record: it makes the record, and who drives the agents does what that says.
class RecordedAccesses : public emulation::AccessDoor {
 public:
  std::uint32_t read(const emulation::Agent& agent, const emulation::Binding& binding, std::uint64_t offset_bytes,
                     emulation::InstructionCode code, const char* file, const char* function) final;
  void write(const emulation::Agent& agent, const emulation::Binding& binding, std::uint64_t offset_bytes,
             emulation::InstructionCode code, const char* file, const char* function, std::uint32_t bits) final;
  std::uint32_t calculate(const emulation::Agent& agent, const emulation::Binding& binding, std::uint64_t offset_bytes,
                          emulation::InstructionCode code, const char* file, const char* function,
                          emulation::Calculation what) final;
  void update(const emulation::Agent& agent, const emulation::Binding& binding, std::uint64_t offset_bytes,
              emulation::InstructionCode code, const char* file, const char* function, MemorySemantics unequal,
              emulation::Modify modify, void* context) final;

  // An access that has its record; done when the call returns, or a finding was raised.
  virtual void read(const emulation::Agent& agent, const emulation::Access& access, void* value) = 0;
  virtual void write(const emulation::Agent& agent, const emulation::Access& access, const void* value) = 0;
  virtual void update(const emulation::Agent& agent, const emulation::Access& access, MemorySemantics unequal,
                      emulation::Modify modify, void* context) = 0;
};

}  // namespace heddle::run
