#pragma once

/// \file
/// Executions as Graphviz draws them.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/judge/judgement.h"
#include "emulator/model/execution.h"

namespace heddle::cli {

/// What the drawing of an execution needs to know beside the execution.
struct Captions {
  std::string title;
  std::vector<std::string> agents;  ///< indexed by AgentId; may have several lines
  /// The name of an agent behind `agents`, by one of its operations. May be empty where there is none.
  std::function<std::string(const Operation&)> other_agent = {};
  std::function<std::string(const Operation&)> variable;
  std::function<std::string(model::Value)> value;
  /// The initial value of the location that an operation accesses.
  std::function<std::string(const Operation&)> initial_value;
};

/// A string of the DOT language, of readable text; line feeds begin a line of a label.
std::string dot_string(std::string_view text);

/// A graph in the DOT language: threads as clusters, program order downwards, and po, rf, smo, sw
/// and (between threads, where nothing else implies it) locord as arrows; races are red.
std::string draw(const judge::Judgement& judgement, const Captions& captions);

}  // namespace heddle::cli
