#pragma once

/// \file
/// How patient the lab's server is.

#include <chrono>
#include <cstddef>

namespace heddle::lab {

/// What one client may take of it. The page of one browser has six connections at most.
struct ServerLimits {
  /// From the beginning of a connection, or from the end of the last answer, until a request is there with all its
  /// header fields, however many bytes come meanwhile.
  std::chrono::milliseconds request{5000};
  /// For the client to take some of an answer.
  std::chrono::milliseconds progress{5000};
  /// After the last answer, for what the client still sends.
  std::chrono::milliseconds farewell{1000};
  /// Where one more comes, another one has to go: see Connection::goes_before.
  std::size_t connections = 64;
  /// The most that a first line and header fields of a request may have.
  unsigned header_bytes = 8192;
  /// The most that one connection may ask.
  unsigned requests = 100;
};

}  // namespace heddle::lab
