#pragma once

/// \file
/// The protocol of the lab (PROTOCOL.md): JSON in, JSON out.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/lab/guide.h"
#include "emulator/lab/session.h"

namespace heddle::lab {

/// One player's desk: a session, and what was found out about its test. Knows neither files nor clocks nor threads.
class Desk {
 public:
  Desk();
  ~Desk();

  /// Answers a request, whatever the bytes: never throws but for lack of memory.
  std::string handle(std::string_view request);

  /// Null before a request "open" has succeeded.
  Session* session() { return session_.get(); }

 private:
  struct Requests;

  std::unique_ptr<Session> session_;
  std::string file_;
  std::string text_;
  std::optional<Outcomes> outcomes_;
  std::uint64_t outcomes_limit_ = 0;
};

}  // namespace heddle::lab
