#include "emulator/model/synchronizing.h"

#include "emulator/model/tags.h"

namespace heddle::model {

//= vk:memory-model-synchronizes-with
bool synchronizes(const Operation& operation) {
  return !operation.is_access() || acquires(operation.semantics) || releases(operation.semantics) ||
         has(operation.semantics, MemorySemantics::Volatile) || has(operation.operands, MemoryOperands::Volatile);
}

//= mmra:happens-before
//= mmra:synchronizes-with
bool synchronizes_with_earlier(const Operation& operation, const Operation& read) {
  if (!synchronizes(operation)) return false;
  if (!operation.is_access() && acquires(operation.semantics) && read.atomic) return true;
  const bool is_volatile =
      has(operation.semantics, MemorySemantics::Volatile) || has(operation.operands, MemoryOperands::Volatile);
  return is_volatile || compatible(operation.tags, read.tags);
}

}  // namespace heddle::model
