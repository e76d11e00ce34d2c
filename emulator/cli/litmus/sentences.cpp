#include "emulator/cli/litmus/sentences.h"

#include <fmt/format.h>

#include "emulator/cli/terminal.h"

namespace heddle::cli {

using litmus::Quantifier;

std::string plural(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

Cell verdict_of(Quantifier quantifier, bool satisfies) {
  switch (quantifier) {
    case Quantifier::None:
      return {"allowed"};
    case Quantifier::Exists:
      return satisfies ? Cell{"allowed, as asked", Colour::Green} : Cell{"allowed"};
    case Quantifier::NotExists:
      return satisfies ? Cell{"forbidden by the assertion", Colour::Red} : Cell{"allowed"};
    case Quantifier::ForAll:
      return satisfies ? Cell{"allowed"} : Cell{"forbidden by the assertion", Colour::Red};
  }
  return {};
}

std::string assertion_sentence(Quantifier quantifier, const std::string& condition, bool holds, bool complete) {
  const std::string known = complete ? "" : " (as far as the search went)";
  switch (quantifier) {
    case Quantifier::None:
      break;
    case Quantifier::Exists:
      return holds ? fmt::format("Allowed: some execution ends with {}.", condition)
                   : fmt::format("Forbidden: no execution ends with {}{}.", condition, known);
    case Quantifier::NotExists:
      return holds ? fmt::format("It holds: no execution ends with {}{}.", condition, known)
                   : fmt::format("It fails: some execution ends with {}.", condition);
    case Quantifier::ForAll:
      return holds ? fmt::format("It holds: every execution ends with {}{}.", condition, known)
                   : fmt::format("It fails: not every execution ends with {}.", condition);
  }
  return {};
}

std::string search_end(bool complete, bool cancelled) {
  if (cancelled) return "  Interrupted: the search is not complete.\n";
  return complete ? "" : "  The search is not complete.\n";
}

std::string run_line(std::uint64_t made, std::uint64_t asked, std::string_view policy, std::uint64_t seed,
                     double seconds, const Painter& paint) {
  const double rate = seconds > 0 ? static_cast<double>(made) / seconds : 0;
  const std::string out =
      paint(Colour::Dim,
            fmt::format("  {} with the policy {}, seed {}, {:.1f} ms, {:.2f} million a second; --replay K shows run K",
                        plural(made, "run"), policy, seed, seconds * 1e3, rate / 1e6)) +
      '\n';
  return made < asked ? out + "  Interrupted before all runs were made.\n" : out;
}

}  // namespace heddle::cli
