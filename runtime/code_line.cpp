#include "runtime/code_line.h"

#include <heddle/detail/code_place.h>

#include <cstring>
#include <map>
#include <mutex>
#include <optional>

#include "runtime/code_place.h"

namespace heddle::runtime {
namespace {

SourceLocation looked_up(const SourceLocation& place) {
  std::optional<SourceLocation> found = place_of_code(place.function);
  if (!found) return {place.file, kAtDeclaration, place.line};
  // As compilers spell it for other accesses of that file.
  if (is_file(found->file, place.file)) found->file = place.file;
  return *found;
}

}  // namespace

bool is_at_declaration(const SourceLocation& place) {
  return std::strcmp(place.function, kAtDeclaration) == 0;
}

SourceLocation source_of(const SourceLocation& place) {
  if (std::strcmp(place.function, HEDDLE_CODE_PLACE) != 0) return place;
  static std::mutex mutex;
  // Never destroyed: kernels may run while static objects are.
  static auto& known = *new std::map<const char*, SourceLocation>;
  const std::lock_guard lock(mutex);
  const auto [at, fresh] = known.try_emplace(place.function);
  if (fresh) at->second = looked_up(place);
  return at->second;
}

}  // namespace heddle::runtime
