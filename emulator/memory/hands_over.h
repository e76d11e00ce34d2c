#pragma once

/// \file
/// A memory whose storage others look at.

namespace heddle::memory {

/// What a memory can do that is not alone with its storage. To be asked between two operations.
class HandsOver {
 public:
  virtual ~HandsOver() = default;

  /// What has come to everybody whom the memory knows gets to the storage; what is held back stays where it is.
  virtual void hand_over() = 0;
};

}  // namespace heddle::memory
