#pragma once

/// \file
/// What people call the steps of the host's side, and what a memory holds back.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "emulator/trace/api_steps.h"

namespace heddle::cli {

/// "host", "queue 1 (family 0)"
std::string track_of(const trace::ApiStep& step);
/// "given older values of 3 words of 'numbers'"
std::string text_of(const trace::OldValues& values);
/// Adds that to what a step was given before; `stale` is empty if that was nothing.
void add_old(std::string& stale, const trace::OldValues& values);
/// "the host's cache of 'numbers'", and what is in it: "2 atoms, 1 not flushed, 1 older than memory", "nothing".
std::string cache_of(const trace::HeldBack& held);
std::string cached_text(const trace::HeldBack& held);
/// "the last writes to 'numbers'", and where they are: "4 words available to no domain", "nothing is held
/// back".
std::string writes_of(const trace::HeldBack& held);
std::string domains_text(const trace::HeldBack& held);

/// Gives steps that overlap tracks of their own: one for the host and for each queue, more where steps of one are under
/// way at the same time.
class StepTracks {
 public:
  struct Track {
    std::size_t number = 0;
    /// The name, of a track that is new.
    std::string name;
  };
  Track begin(const trace::ApiStep& step);
  void end(std::size_t track) { is_free_[track] = true; }

 private:
  std::map<std::pair<bool, std::uint32_t>, std::vector<std::size_t>> tracks_;
  std::vector<bool> is_free_;
};

}  // namespace heddle::cli
