#include "emulator/seeds/failure_text.h"

#include <fmt/format.h>

#include "runtime/counted.h"
#include "runtime/text/readable.h"

namespace heddle {

namespace {

std::string configuration_line(const SeedFailure& failure) {
  const std::string words = to_string(failure.configuration);
  return words.empty() ? "" : "  it had: " + words + '\n';
}

}  // namespace

std::string to_string(const SeedFailure& failure) {
  return text::readable_lines(
             fmt::format("seed {} fails: {}\n  again: {}\n", failure.seed, failure.what, failure.replay)) +
         configuration_line(failure) + seeds::more_of(failure);
}

std::string SeedReport::what() const {
  std::string out;
  for (const SeedFailure& failure : failures) out += to_string(failure);
  return out;
}

namespace seeds {

std::string more_of(const SeedFailure& failure) {
  std::string out;
  if (!failure.trace.empty()) out += fmt::format("  to look at: heddle trace {}\n", failure.trace);
  if (!failure.no_trace.empty()) out += fmt::format("  no trace: {}\n", failure.no_trace);
  if (!failure.shrunk) return text::readable_lines(out);
  const ShrunkFailure& shrunk = *failure.shrunk;
  // A test that does not ask how many workgroups to dispatch has its own number.
  const std::string workgroups =
      shrunk.wanted_workgroups == 0
          ? ""
          : fmt::format(" with {} of {}", shrunk.workgroups,
                        runtime::counted(shrunk.wanted_workgroups, "workgroup", "workgroups"));
  out += fmt::format("  made smaller: it still fails{}{}", workgroups, workgroups.empty() ? "" : ", and");
  if (shrunk.forced == 0) {
    out += fmt::format(" where nothing is interrupted or delayed ({} before)\n",
                       runtime::counted(shrunk.forced_before, "choice did so", "choices did so"));
  } else {
    out += fmt::format(" with {} ({} before); the last one is choice {} of {}\n",
                       runtime::counted(shrunk.forced, "choice that interrupts an invocation or delays a write",
                                        "choices that interrupt an invocation or delay a write"),
                       shrunk.forced_before, shrunk.answers, shrunk.answers_before);
  }
  if (!shrunk.unusual.empty()) {
    out += fmt::format("    smallest configuration that shows it: {}\n", shrunk.unusual);
  } else if (!(shrunk.configuration == Configuration())) {
    out += fmt::format("    the plain configuration shows it: {}\n", to_string(shrunk.configuration));
  }
  if (!shrunk.file.empty()) out += fmt::format("    again: {}\n", shrunk.replay);
  if (!shrunk.no_file.empty()) out += fmt::format("    no file to repeat it: {}\n", shrunk.no_file);
  if (shrunk.what != failure.what) out += "    it fails then with: " + shrunk.what + '\n';
  return text::readable_lines(out);
}

std::string note_of_order(const std::set<std::uint64_t>& seeds) {
  if (seeds.empty()) return "";
  return fmt::format(
      "note: {} stood still, seed {} first, where workgroups begin in another order than that of their numbers, and "
      "ran "
      "again in ascending order: a workgroup waits for one that need not have begun. Let workgroups take tickets. "
      "HEDDLE_SWEEP='usual order=ascending,shuffled' makes it a failure\n",
      runtime::counted(seeds.size(), "seed", "seeds"), *seeds.begin());
}

}  // namespace seeds

}  // namespace heddle
