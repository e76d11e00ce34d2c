#pragma once

/// \file
/// A memory in front of whose accesses something else may be done.

#include <functional>
#include <memory>
#include <utility>

#include "emulator/memory/hands_over.h"
#include "emulator/memory/memory.h"

namespace heddle::memory {

/// Another memory, which answers everything. Between two of its accesses nothing of it is under way: what is called in
/// front of an access may let its thread wait, and may settle the memory.
class GatedMemory final : public Memory {
 public:
  explicit GatedMemory(std::unique_ptr<Memory> inner)
      : inner_(std::move(inner)), hands_over_(dynamic_cast<HandsOver*>(inner_.get())) {}

  /// Called in front of each read, write and read-modify-write from now on; nothing is called if it is empty.
  void before_accesses(std::function<void()> call) { before_ = std::move(call); }
  Memory& inner() { return *inner_; }
  /// As HandsOver; a memory that is no such one holds nothing back.
  void hand_over() {
    if (hands_over_) hands_over_->hand_over();
  }

  bool is_storage() const override { return inner_->is_storage(); }
  emulation::InPlace& accesses_in_place() override { return inner_->accesses_in_place(); }
  void listen(trace::Listener* listener) override { inner_->listen(listener); }
  void draw_from(SeededChoice* seeded) override { inner_->draw_from(seeded); }
  void begin(const Cohort& cohort) override { inner_->begin(cohort); }
  void end(const Cohort& cohort) override { inner_->end(cohort); }
  void system_synchronizes(AgentId first, AgentId second) override { inner_->system_synchronizes(first, second); }
  void depend(Dependency dependency) override { inner_->depend(dependency); }
  void add(AllocationId allocation, std::span<std::byte> storage) override { inner_->add(allocation, storage); }
  void note_initialized(AllocationId allocation, const detail::InitializedBytes& initialized) override {
    inner_->note_initialized(allocation, initialized);
  }
  void remove(AllocationId allocation) override { inner_->remove(allocation); }
  void read(const Operation& operation, void* value) override;
  void write(const Operation& operation, const void* value) override;
  void read_modify_write(const Operation& operation, MemorySemantics unequal, Modify modify, void* context) override;
  void barrier(const Operation& operation) override { inner_->barrier(operation); }
  void arrive(const Operation& operation) override { inner_->arrive(operation); }
  void leave(const Operation& operation, std::span<const AgentId> synchronizing) override {
    inner_->leave(operation, synchronizing);
  }
  void meet(const Cohort& cohort, const Operation& barrier) override { inner_->meet(cohort, barrier); }
  std::uint32_t late_reads() const override { return inner_->late_reads(); }
  void settle() override { inner_->settle(); }
  MemoryReport report() const override { return inner_->report(); }
  void count_from_now() override { inner_->count_from_now(); }
  void restart() override { inner_->restart(); }

 private:
  const std::unique_ptr<Memory> inner_;
  HandsOver* const hands_over_;
  std::function<void()> before_;
};

}  // namespace heddle::memory
