#include "emulator/spirv/tangle.h"

#include <algorithm>

namespace heddle::spirv {

void Tangle::restart(Lanes lanes) {
  all_ = lanes;
  lanes_ = lanes;
  uniform_ = true;
  regions_.clear();
}

void Tangle::keep(Lanes lanes, bool others_go) {
  uniform_ = uniform_ && lanes == lanes_ && !others_go;
  lanes_ = lanes;
}

void Tangle::enter(std::uint32_t part, PartKind kind, Reconvergence promised) {
  bool holds = promised == Reconvergence::Maximal;
  if (kind == PartKind::Construct && promised == Reconvergence::Subgroup) holds = lanes_ == all_;
  if (kind == PartKind::Construct && promised == Reconvergence::Workgroup) holds = lanes_ == all_ && uniform_;
  regions_.push_back({part, holds ? lanes_ : 0, uniform_});
}

bool Tangle::is_in(std::uint32_t part) const {
  return std::any_of(regions_.begin(), regions_.end(), [&](const Region& region) { return region.part == part; });
}

void Tangle::rejoin(Lanes there) {
  const Region& region = regions_.back();
  if (region.lanes != 0) {
    lanes_ = there;
    uniform_ = region.uniform && there == region.lanes;
  }
  regions_.pop_back();
}

}  // namespace heddle::spirv
