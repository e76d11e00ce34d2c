#pragma once

/// \file
/// Serves the lab's page to browsers on this machine.

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

namespace heddle::lab {

/// The port cannot be had.
class PortError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// JSON that is in no file, by the paths of its addresses ("/traces/0.json"): a function makes the text each time that
/// somebody asks for it, on any thread. What it throws goes to the page as the reason why there is nothing.
using Documents = std::map<std::string, std::function<std::string()>>;

/// A web server on the loopback address alone. It serves the files that were in the folder when it was made, and its
/// documents, to GET and HEAD; it takes no request from a page of another origin, none whose Host is another name than
/// its own (a name that somebody points at this machine), and none with a body or longer than some kilobytes.
class PageServer {
 public:
  /// Port 0 is any that is free. Throws PortError, and std::filesystem::filesystem_error for the folder.
  PageServer(const std::filesystem::path& folder, unsigned port, Documents documents = {});
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  /// "http://127.0.0.1:8123/"
  std::string address() const;
  /// Serves until `stop` becomes true, which it notices within a tenth of a second.
  void serve(const std::atomic<bool>& stop);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace heddle::lab
