#pragma once

/// \file
/// A face of the lab's desk, for tests.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "emulator/lab/desk.h"

using Json = nlohmann::json;

/// A face of the desk: requests with their answers.
class Face {
 public:
  Json ask(const Json& request) { return Json::parse(desk_.handle(request.dump())); }
  Json good(const Json& request) {
    Json answer = ask(request);
    INFO(request.dump() << " -> " << answer.dump());
    REQUIRE(answer.at("ok") == true);
    return answer;
  }
  std::string bad(const Json& request) {
    const Json answer = ask(request);
    INFO(request.dump() << " -> " << answer.dump());
    REQUIRE(answer.at("ok") == false);
    return answer.at("error");
  }
  Json open(const std::string& text) { return good({{"request", "open"}, {"text", text}}).at("state"); }
  Json make(const std::string& move) { return good({{"request", "do"}, {"move", move}}).at("state"); }
  std::string handle(std::string_view bytes) { return desk_.handle(bytes); }

 private:
  heddle::lab::Desk desk_;
};

/// Whether the text of some move has that part.
inline bool has_move(const Json& state, const std::string& part) {
  for (const Json& move : state.at("moves"))
    if (move.at("text").get<std::string>().find(part) != std::string::npos) return true;
  return false;
}

/// The id of the only move of which the text has that part.
inline std::string move_with(const Json& state, const std::string& part) {
  std::string id;
  for (const Json& move : state.at("moves")) {
    if (move.at("text").get<std::string>().find(part) == std::string::npos) continue;
    INFO(part << " is in " << id << " and in " << move.at("id"));
    REQUIRE(id.empty());
    id = move.at("id");
  }
  INFO(state.at("moves").dump(1));
  REQUIRE(!id.empty());
  return id;
}
