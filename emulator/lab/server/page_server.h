#pragma once

/// \file
/// Serves the lab's page to browsers on this machine.

#include <atomic>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "emulator/lab/server/answers.h"
#include "emulator/lab/server/server_limits.h"

namespace heddle::lab {

/// The port cannot be had.
class PortError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A web server on the loopback address alone. It serves the files that were in the folder when it was made, and its
/// documents, to GET and HEAD, with ranges of bytes and uncompressed; it takes no request from a page of another
/// origin, none whose Host is another name than its own (a name that somebody points at this machine), and none with a
/// body or longer than some kilobytes. Clients that are idle or slow keep nobody else waiting: see ServerLimits.
class PageServer {
 public:
  /// Port 0 is any that is free. Throws PortError, and std::filesystem::filesystem_error for the folder.
  PageServer(const std::filesystem::path& folder, unsigned port, Documents documents = {},
             const ServerLimits& limits = {});
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  /// "http://127.0.0.1:8123/"
  std::string address() const;
  /// Serves until `stop` becomes true, which it notices within a tenth of a second. Once.
  void serve(const std::atomic<bool>& stop);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace heddle::lab
