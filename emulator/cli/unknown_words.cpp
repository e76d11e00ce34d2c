#include "emulator/cli/unknown_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace heddle::cli {
namespace {

/// So many characters have to be put in, taken out or replaced to make one word the other.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t before = std::exchange(row[0], i + 1);
    for (std::size_t k = 0; k < b.size(); ++k) {
      const std::size_t replaced = before + (a[i] == b[k] ? 0 : 1);
      before = row[k + 1];
      row[k + 1] = std::min({replaced, row[k] + 1, row[k + 1] + 1});
    }
  }
  return row.back();
}

/// The known word that is spelled most like it, or begins so; empty if none is like it.
std::string like(const std::string& word, const std::vector<std::string>& known) {
  const std::size_t most = std::max<std::size_t>(1, word.size() / 3);
  std::string best;
  std::size_t least = most + 1;
  for (const std::string& other : known) {
    const std::size_t far = word.size() > 2 && other.rfind(word, 0) == 0 ? 1 : distance(word, other);
    if (far >= least) continue;
    least = far;
    best = other;
  }
  return best;
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string unknown_command(const CLI::App& program, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::App* const command : program.get_subcommands([](const CLI::App*) { return true; }))
    known.push_back(command->get_name());
  if (std::find(known.begin(), known.end(), word) != known.end()) return "";
  const std::string best = like(word, known);
  return fmt::format("heddle has no command '{}'{}; its commands are {}", word,
                     best.empty() ? "" : ", but '" + best + "'", listed(known));
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

}  // namespace

std::string unknown_word(const CLI::App& program, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0].rfind('-', 0) == 0) return "";
  const std::string no_command = unknown_command(program, arguments[0]);
  if (!no_command.empty()) return no_command;
  const CLI::App& command = *program.get_subcommand(arguments[0]);
  for (std::size_t i = 1; i < arguments.size() && arguments[i] != "--"; ++i) {
    const std::string name = arguments[i].substr(0, arguments[i].find('='));
    if (name.rfind("--", 0) != 0) continue;
    const CLI::Option* const option = command.get_option_no_throw(name);
    if (option) {
      // Its value may look like an option.
      if (name == arguments[i]) i += static_cast<std::size_t>(std::max(option->get_items_expected_min(), 0));
      continue;
    }
    const std::string best = like(name, options_of(command));
    return fmt::format("heddle {} has no option '{}'{}; heddle {} --help has all", command.get_name(), name,
                       best.empty() ? "" : ", but '" + best + "'", command.get_name());
  }
  return "";
}

}  // namespace heddle::cli
