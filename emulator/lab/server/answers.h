#pragma once

/// \file
/// What the lab's server answers: a function of a request, without sockets.

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace heddle::lab {

/// JSON that is in no file, by the paths of its addresses ("/traces/0.json"): a function makes the text each time that
/// somebody asks for it, on any thread. What it throws goes to the page as the reason why there is nothing.
using Documents = std::map<std::string, std::function<std::string()>>;

/// The part of a request that an answer depends on. A header field that is not there is empty.
struct PageRequest {
  std::string method;
  std::string target;
  std::string host;
  std::string origin;
  std::string fetch_site;
  std::string fetch_mode;
  std::string range;
  std::string if_range;
  bool has_body = false;
};

/// A status, header fields without the length, and a body, which HEAD leaves out.
struct PageAnswer {
  unsigned status = 200;
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;
};

/// A text for people.
PageAnswer refusal(unsigned status, const std::string& reason);

/// The files of a page and documents, for whoever may have them.
class Answers {
 public:
  /// Throws std::filesystem::filesystem_error for the folder.
  Answers(const std::filesystem::path& folder, Documents documents);

  /// Before the first request: the port is part of the server's own name.
  void set_port(unsigned port) { port_ = port; }
  /// On any thread. Nothing is compressed: the answer goes from one program of this machine to another, which takes
  /// less time than the fastest compression.
  PageAnswer to(const PageRequest& request) const;

 private:
  bool is_own_name(const std::string& host) const;
  std::string why_not(const PageRequest& request) const;

  std::map<std::string, std::filesystem::path> files_;
  Documents documents_;
  unsigned port_ = 0;
};

}  // namespace heddle::lab
