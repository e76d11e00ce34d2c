#pragma once

/// \file
/// The tags of an instruction: `st.atom.rel.wg.sc0.semsc0` has five, in a fixed order.

#include <heddle/spirv.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/litmus/vulkan/cursor.h"

namespace heddle::litmus {

/// Takes the tags of an instruction one after the other. What `expect_...` and `finish` do not find
/// they throw as a ParseError that says what was expected.
class Tags {
 public:
  /// Takes the mnemonic and all tags from `cursor`, which stands at the mnemonic.
  explicit Tags(Cursor& cursor);

  const Token& mnemonic() const { return mnemonic_; }
  bool accept(std::string_view tag);

  bool sees_scope() const;
  Scope expect_scope();
  StorageClass expect_storage_class();
  /// One or more storage-class semantics.
  MemorySemantics expect_storage_class_semantics();
  /// `acq`, `rel`, `acq_rel`, or none of them: Relaxed.
  MemorySemantics accept_order();
  /// Storage-class semantics, then the availability and visibility flags that `order` permits;
  /// nothing for a relaxed order.
  MemorySemantics expect_semantics_of(MemorySemantics order);
  /// Throws if there is a tag left.
  void finish(std::string_view explanation = {}) const;
  [[noreturn]] void fail(std::string_view expected) const;

 private:
  const Token* next() const { return at_ < tags_.size() ? &tags_[at_] : nullptr; }

  Token mnemonic_;
  Token after_;  // what follows the last tag, for messages
  std::vector<Token> tags_;
  std::size_t at_ = 0;
};

}  // namespace heddle::litmus
