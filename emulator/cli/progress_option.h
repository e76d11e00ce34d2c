#pragma once

/// \file
/// The option --progress of the commands that have it.

#include <CLI/CLI.hpp>

#include <stdexcept>
#include <string>

#include "emulator/progress/models.h"
#include "runtime/text/readable.h"

namespace heddle::cli {

inline CLI::Option* add_progress_option(CLI::App& command, std::string& models, const std::string& threads) {
  const auto is_no_model = [](const std::string& text) -> std::string {
    try {
      progress::parse_progress_models(text);
      return "";
    } catch (const std::invalid_argument& error) {
      return text::readable(error.what());
    }
  };
  return command
      .add_option("--progress", models,
                  "Find out whether all " + threads +
                      " end under this model of forward progress (fair, hsa, obe, hsa+obe, lobe or unfair), or one "
                      "for each scope (qf=obe,sg=unfair), instead of listing outcomes")
      ->check(CLI::Validator(is_no_model, "", "model of progress"))
      ->option_text("MODEL");
}

}  // namespace heddle::cli
