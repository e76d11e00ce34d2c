#include <heddle/detail/emulation.h>

#include <array>

#include "emulator/model/tags.h"

namespace heddle::emulation {
namespace {

/// The number that a set of literals had the last time. Literals are told apart by their addresses.
struct Known {
  std::array<const char*, Tags::kMost> texts{};
  std::size_t size = 0;
  TagSetId number = TagSetId::Empty;

  bool is(const Tags& tags) const {
    if (size != tags.size()) return false;
    for (std::size_t i = 0; i < size; ++i)
      if (texts[i] != tags[i].data()) return false;
    return true;
  }
};

}  // namespace

TagSetId number_of(const Tags& tags) {
  if (tags.size() == 0) return TagSetId::Empty;
  constexpr std::size_t kKnown = 16;
  thread_local std::array<Known, kKnown> known;
  Known& here = known[reinterpret_cast<std::uintptr_t>(tags[0].data()) / 4 % kKnown];
  if (here.is(tags)) return here.number;
  model::TagSet set;
  here.size = tags.size();
  for (std::size_t i = 0; i < tags.size(); ++i) {
    set.add(*model::Tag::parse(tags[i]));
    here.texts[i] = tags[i].data();
  }
  return here.number = model::intern(set);
}

}  // namespace heddle::emulation
