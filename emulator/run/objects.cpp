#include "emulator/run/objects.h"

#include <utility>

namespace heddle::run {

ObjectId Objects::add(Object object) {
  const auto id = static_cast<ObjectId>(objects_.size());
  first_.push_back(allocations());
  object_of_.insert(object_of_.end(), object.of_workgroup ? workgroups_ : 1, id);
  objects_.push_back(std::move(object));
  return id;
}

trace::NamedBytes Objects::named(AllocationId allocation) const {
  const ObjectId id = of(allocation);
  const Object& object = (*this)[id];
  return {allocation, 0, object.size_bytes, reference(id), object.storage_class, object.name};
}

}  // namespace heddle::run
