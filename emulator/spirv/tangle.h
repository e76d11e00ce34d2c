#pragma once

/// \file
/// Which lanes of a subgroup are together, and which will be so again: reconvergence.

#include <cstdint>
#include <tuple>
#include <vector>

#include "emulator/spirv/code.h"

namespace heddle::spirv {

/// What one invocation knows of its subgroup. Lanes part where they go different ways. Those that came to a construct
/// together are together again behind it where that is promised.
class Tangle {
 public:
  /// All `lanes` of the subgroup are together, and so is the whole workgroup.
  void restart(Lanes lanes);

  Lanes lanes() const { return lanes_; }
  /// Only those go on together. `others_go`: whether an invocation of another subgroup surely goes another way.
  void keep(Lanes lanes, bool others_go);

  /// The construct begins.
  void enter(std::uint32_t part, PartKind kind, Reconvergence promised);
  /// Whether the invocation is in the construct.
  bool is_in(std::uint32_t part) const;
  bool is_empty() const { return regions_.empty(); }
  /// The innermost construct, and the lanes that are together behind it; none where nothing is promised.
  std::uint32_t innermost() const { return regions_.back().part; }
  Lanes promised() const { return regions_.back().lanes; }
  /// Leaves the innermost construct, for elsewhere.
  void leave() { regions_.pop_back(); }
  /// Comes to the end of the innermost construct. `there`: the lanes that came there, if any are promised.
  void rejoin(Lanes there);

  friend bool operator==(const Tangle& a, const Tangle& b) { return a.tied() == b.tied(); }
  friend bool operator<(const Tangle& a, const Tangle& b) { return a.tied() < b.tied(); }

 private:
  struct Region {
    std::uint32_t part = 0;
    Lanes lanes = 0;
    bool uniform = false;
    friend bool operator==(const Region&, const Region&) = default;
    friend bool operator<(const Region& a, const Region& b) {
      return std::tie(a.part, a.lanes, a.uniform) < std::tie(b.part, b.lanes, b.uniform);
    }
  };
  std::tuple<const Lanes&, const Lanes&, const bool&, const std::vector<Region>&> tied() const {
    return std::tie(all_, lanes_, uniform_, regions_);
  }

  Lanes all_ = 0;
  Lanes lanes_ = 0;
  /// Whether nothing is known that sets the workgroup apart.
  bool uniform_ = true;
  std::vector<Region> regions_;
};

}  // namespace heddle::spirv
