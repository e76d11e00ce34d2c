#pragma once

/// \file
/// The buffers, images and variables of a run: their names, and the allocations that they are.

#include <heddle/operation.h>

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/trace/dispatch.h"

namespace heddle::run {

/// Bytes that agents share, and that people have a name for.
struct Object {
  std::string name;
  StorageClass storage_class = StorageClass::StorageBuffer;
  std::uint32_t size_bytes = 0;
  /// The size of an element, in which messages count.
  std::uint32_t element_bytes = 4;
  /// Each workgroup has an instance of its own, from its begin to its end.
  bool of_workgroup = false;
  /// Whether all bytes have a value before an agent writes them.
  bool initialized = true;
};

/// The number of an object, from 0.
enum class ObjectId : std::uint32_t {};

/// All objects of a program. An object is one allocation; one of workgroups is as many as there are workgroups.
class Objects {
 public:
  /// `workgroups`: how many workgroups the program has.
  explicit Objects(std::uint32_t workgroups = 1) : workgroups_(workgroups) {}

  ObjectId add(Object object);
  const Object& operator[](ObjectId object) const { return objects_[static_cast<std::size_t>(object)]; }
  std::size_t count() const { return objects_.size(); }
  std::uint32_t workgroups() const { return workgroups_; }

  /// The allocation that the object is to the agents of this workgroup.
  AllocationId allocation(ObjectId object, std::uint32_t workgroup) const {
    const std::uint32_t first = first_[static_cast<std::size_t>(object)];
    return static_cast<AllocationId>((*this)[object].of_workgroup ? first + workgroup : first);
  }
  /// These bytes of the object, as an agent of this workgroup accesses them.
  Locations bytes(ObjectId object, std::uint32_t workgroup, std::uint64_t offset_bytes,
                  std::uint32_t size_bytes) const {
    return {allocation(object, workgroup), offset_bytes, size_bytes};
  }
  /// Its first reference. A program may use others, with numbers from count() on.
  static ReferenceId reference(ObjectId object) { return static_cast<ReferenceId>(object); }

  /// The allocations of all objects have numbers below this one.
  std::uint32_t allocations() const { return static_cast<std::uint32_t>(object_of_.size()); }
  ObjectId of(AllocationId allocation) const { return object_of_[static_cast<std::size_t>(allocation)]; }
  /// The workgroup whose instance the allocation is; 0 of an object that all share.
  std::uint32_t workgroup_of(AllocationId allocation) const {
    return static_cast<std::uint32_t>(allocation) - first_[static_cast<std::size_t>(of(allocation))];
  }
  /// The name of all bytes of the allocation.
  trace::NamedBytes named(AllocationId allocation) const;

 private:
  std::uint32_t workgroups_;
  std::vector<Object> objects_;
  /// By object: its first allocation.
  std::vector<std::uint32_t> first_;
  /// By allocation.
  std::vector<ObjectId> object_of_;
};

}  // namespace heddle::run
