#include "emulator/memory/gated.h"

namespace heddle::memory {

void GatedMemory::read(const Operation& operation, void* value) {
  if (before_) before_();
  inner_->read(operation, value);
  never_written_ = inner_->never_written();
}

void GatedMemory::write(const Operation& operation, const void* value) {
  if (before_) before_();
  inner_->write(operation, value);
}

void GatedMemory::read_modify_write(const Operation& operation, MemorySemantics unequal, Modify modify, void* context) {
  if (before_) before_();
  inner_->read_modify_write(operation, unequal, modify, context);
  never_written_ = inner_->never_written();
}

}  // namespace heddle::memory
