#include "emulator/litmus/vulkan/tags.h"

#include <fmt/format.h>

#include "emulator/litmus/vulkan/words.h"

namespace heddle::litmus {
namespace {

std::optional<Scope> scope_of(std::string_view tag) {
  return meaning_of(tag, kScopeWords);
}

std::optional<StorageClass> storage_class_of(std::string_view tag) {
  return meaning_of(tag, kStorageClassWords);
}

std::optional<MemorySemantics> storage_class_semantics_of(std::string_view tag) {
  if (tag.substr(0, 3) != "sem") return std::nullopt;
  const auto storage_class = storage_class_of(tag.substr(3));
  if (storage_class && semantic_of(*storage_class) != MemorySemantics::None) {
    return semantic_of(*storage_class);
  }
  return std::nullopt;
}

}  // namespace

Tags::Tags(Cursor& cursor) : mnemonic_(cursor.take()) {
  while (cursor.accept(".")) {
    if (cursor.peek().kind != TokenKind::Word) cursor.fail("a tag after '.'");
    tags_.push_back(cursor.take());
  }
  after_ = cursor.peek();
}

bool Tags::accept(std::string_view tag) {
  if (next() == nullptr || !next()->is(tag)) return false;
  ++at_;
  return true;
}

void Tags::fail(std::string_view expected) const {
  const Token& found = next() != nullptr ? *next() : after_;
  throw ParseError(found.place, fmt::format("expected {} in {}, found {}", expected, shown(mnemonic_), shown(found)));
}

bool Tags::sees_scope() const {
  return next() != nullptr && scope_of(next()->text).has_value();
}

Scope Tags::expect_scope() {
  if (!sees_scope()) fail("a scope (sg, wg, qf, dv)");
  return *scope_of(tags_[at_++].text);
}

StorageClass Tags::expect_storage_class() {
  const auto found = next() != nullptr ? storage_class_of(next()->text) : std::nullopt;
  if (!found) fail("a storage class (sc0, sc1, sc2, sc3)");
  ++at_;
  return *found;
}

MemorySemantics Tags::expect_storage_class_semantics() {
  MemorySemantics all = MemorySemantics::None;
  while (next() != nullptr) {
    const auto found = storage_class_semantics_of(next()->text);
    if (!found) break;
    all |= *found;
    ++at_;
  }
  if (all == MemorySemantics::None) fail("storage-class semantics (semsc0, semsc1, semsc2, semsc3)");
  return all;
}

MemorySemantics Tags::accept_order() {
  if (accept("acq")) return MemorySemantics::Acquire;
  if (accept("rel")) return MemorySemantics::Release;
  if (accept("acq_rel")) return MemorySemantics::AcquireRelease;
  return MemorySemantics::Relaxed;
}

MemorySemantics Tags::expect_semantics_of(MemorySemantics order) {
  if (order == MemorySemantics::Relaxed) return order;
  MemorySemantics semantics = order | expect_storage_class_semantics();
  if (releases(order) && accept("semav")) semantics |= MemorySemantics::MakeAvailable;
  if (acquires(order) && accept("semvis")) semantics |= MemorySemantics::MakeVisible;
  if (next() != nullptr && next()->is("semav")) {
    fail(releases(order) ? "'semav' before 'semvis'" : "no 'semav' (it needs a release)");
  }
  if (next() != nullptr && next()->is("semvis")) fail("no 'semvis' (it needs an acquire)");
  return semantics;
}

void Tags::finish(std::string_view explanation) const {
  if (next() == nullptr) return;
  fail(explanation.empty() ? "no further tag" : explanation);
}

}  // namespace heddle::litmus
