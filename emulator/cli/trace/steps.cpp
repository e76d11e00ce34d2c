#include "emulator/cli/trace/steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/counted.h"

namespace heddle::cli {

std::string track_of(const trace::ApiStep& step) {
  return step.by_host ? "host" : fmt::format("queue {} (family {})", step.queue, step.family);
}

std::string text_of(const trace::OldValues& values) {
  return fmt::format("given older values of {} of '{}'", runtime::counted(values.words, "word", "words"),
                     values.memory);
}

void add_old(std::string& stale, const trace::OldValues& values) {
  stale += (stale.empty() ? "" : ", ") + text_of(values);
}

std::string cache_of(const trace::HeldBack& held) {
  return fmt::format("the host's cache of '{}'", held.memory);
}

std::string cached_text(const trace::HeldBack& held) {
  if (held.atoms == 0) return "nothing";
  return fmt::format("{}, {} not flushed, {} older than memory", runtime::counted(held.atoms, "atom", "atoms"),
                     held.unflushed, held.outdated);
}

std::string writes_of(const trace::HeldBack& held) {
  return fmt::format("the last writes to '{}'", held.memory);
}

std::string domains_text(const trace::HeldBack& held) {
  std::string out;
  for (const auto& [words, where] : {std::pair(held.unavailable, "available to no domain"),
                                     std::pair(held.device_only, "available to the device domain alone"),
                                     std::pair(held.host_only, "available to the host domain alone")})
    if (words != 0)
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", runtime::counted(words, "word", "words"), where);
  return out.empty() ? "nothing is held back" : out;
}

StepTracks::Track StepTracks::begin(const trace::ApiStep& step) {
  std::vector<std::size_t>& own = tracks_[{step.by_host, step.queue}];
  const auto unused = std::find_if(own.begin(), own.end(), [this](std::size_t track) { return is_free_[track]; });
  if (unused != own.end()) {
    is_free_[*unused] = false;
    return {*unused, ""};
  }
  own.push_back(is_free_.size());
  is_free_.push_back(false);
  return {own.back(), own.size() == 1 ? track_of(step) : fmt::format("{}, at the same time", track_of(step))};
}

}  // namespace heddle::cli
