#include "emulator/spirv/run/setting.h"

#include <algorithm>

namespace heddle::spirv {
namespace {

bool is_defined(const Object& object) {
  return std::none_of(object.cells.begin(), object.cells.end(),
                      [](const auto& cell) { return is_token(cell.second.bits); });
}

std::uint32_t element_bytes(const Object& object) {
  return object.cells.empty() ? 4 : object.cells.begin()->second.type.bytes();
}

uvec3 vector_of(const std::array<std::uint32_t, 3>& size) {
  return {size[0], size[1], size[2]};
}

}  // namespace

run::Setting setting_of(const Dispatch& dispatch) {
  const std::array<std::uint32_t, 3> groups = dispatch.group_count();
  const std::uint32_t workgroups = groups[0] * groups[1] * groups[2];
  run::Setting out{run::Objects(workgroups)};
  const std::vector<Object>& objects = dispatch.objects();
  for (std::size_t i = 0; i < objects.size();) {
    run::Object object;
    object.name = objects[i].name;
    object.storage_class = objects[i].storage;
    object.size_bytes = static_cast<std::uint32_t>(std::max<std::uint64_t>(objects[i].size, 1));
    object.element_bytes = element_bytes(objects[i]);
    object.of_workgroup = objects[i].storage == StorageClass::Workgroup;
    object.initialized = is_defined(objects[i]);
    i += object.of_workgroup ? workgroups : 1;
    out.objects.add(std::move(object));
  }
  trace::Dispatch told;
  told.groups = vector_of(groups);
  told.local = vector_of(dispatch.local_size());
  told.subgroup_size = dispatch.subgroup_size();
  out.dispatches.push_back(told);
  return out;
}

SourceLocation ModuleInstructions::place_of(const SourceLocation& where) const {
  const auto words = words_.try_emplace(where.function, where.function).first;
  return {where.file[0] != '\0' ? where.file : file_.c_str(), words->second.c_str(), where.line};
}

}  // namespace heddle::spirv
