#pragma once

/// \file
/// Numbers on the command line.

#include <CLI/CLI.hpp>

#include "runtime/seed.h"

namespace heddle::cli {

/// Refuses what is no number from 0 to 2^64 - 1. (Of negative ones an option would take the rest modulo 2^64.)
inline CLI::Validator whole_number() {
  return {[](const std::string& text) {
            return runtime::seed_from_text(text) ? "" : text + " is no number from 0 to 2^64 - 1";
          },
          "", "whole number"};
}

}  // namespace heddle::cli
