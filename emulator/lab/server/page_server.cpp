#include "emulator/lab/server/page_server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <thread>
#include <utility>

#include "emulator/lab/server/page_files.h"

namespace heddle::lab {
namespace {

constexpr const char* kLoopback = "127.0.0.1";
/// The page sends nothing; a request is a line and some headers.
constexpr std::size_t kLongestBody = 0;
constexpr int kSecondsForARequest = 5;

using httplib::Request;
using httplib::Response;

void refuse(Response& response, int status, const std::string& reason) {
  response.status = status;
  response.set_content(reason + '\n', "text/plain; charset=utf-8");
}

}  // namespace

struct PageServer::Parts {
  httplib::Server server;
  std::map<std::string, std::filesystem::path> files;
  Documents documents;
  int port = 0;

  bool is_own_name(const std::string& host) const {
    return host == fmt::format("{}:{}", kLoopback, port) || host == fmt::format("localhost:{}", port);
  }
  /// Why a request is not taken; empty if it is.
  std::string why_not(const Request& request) const {
    if (!is_own_name(request.get_header_value("Host"))) return "This server has another name.";
    if (request.has_header("Origin")) {
      const std::string origin = request.get_header_value("Origin");
      if (origin.rfind("http://", 0) != 0 || !is_own_name(origin.substr(7)))
        return "Pages of other origins are not served.";
    }
    const std::string site = request.get_header_value("Sec-Fetch-Site");
    // Where a person follows a link the page is the destination, and tells the other one nothing.
    const bool is_visit = request.get_header_value("Sec-Fetch-Mode") == "navigate";
    if (!site.empty() && site != "same-origin" && site != "none" && !is_visit)
      return "Pages of other origins are not served.";
    return {};
  }
  void answer(const Request& request, Response& response) const;
};

void PageServer::Parts::answer(const Request& request, Response& response) const {
  if (const auto document = documents.find(request.path); document != documents.end()) {
    try {
      return response.set_content(document->second(), "application/json");
    } catch (const std::exception& error) {
      return refuse(response, 500, error.what());
    }
  }
  const auto found = files.find(request.path);
  if (found == files.end()) return refuse(response, 404, "There is no such file in the lab.");
  std::ifstream stream(found->second, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (stream.bad() || !stream) return refuse(response, 500, "The file cannot be read.");
  response.set_content(std::move(bytes), std::string(media_type(found->second)));
}

PageServer::PageServer(const std::filesystem::path& folder, unsigned port, Documents documents)
    : parts_(std::make_unique<Parts>()) {
  Parts& parts = *parts_;
  parts.files = page_files(folder);
  parts.documents = std::move(documents);
  parts.server.set_payload_max_length(kLongestBody);
  // The library would let other programs listen at the same port (SO_REUSEPORT).
  parts.server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  parts.server.set_read_timeout(kSecondsForARequest);
  parts.server.set_write_timeout(kSecondsForARequest);
  parts.server.set_keep_alive_max_count(100);
  parts.server.set_keep_alive_timeout(1);
  parts.server.set_default_headers({{"X-Content-Type-Options", "nosniff"},
                                    {"Cross-Origin-Resource-Policy", "same-origin"},
                                    {"Cross-Origin-Opener-Policy", "same-origin"},
                                    {"X-Frame-Options", "DENY"},
                                    {"Referrer-Policy", "no-referrer"},
                                    {"Cache-Control", "no-cache"}});
  parts.server.set_pre_routing_handler([&parts](const Request& request, Response& response) {
    const std::string reason = parts.why_not(request);
    if (!reason.empty()) {
      refuse(response, 403, reason);
    } else if (request.method != "GET" && request.method != "HEAD") {
      refuse(response, 405, "The lab is read only: GET and HEAD.");
    } else {
      parts.answer(request, response);
    }
    return httplib::Server::HandlerResponse::Handled;
  });
  const bool bound = port == 0 ? (parts.port = parts.server.bind_to_any_port(kLoopback)) > 0
                               : parts.server.bind_to_port(kLoopback, static_cast<int>(port));
  if (port != 0) parts.port = static_cast<int>(port);
  if (!bound) throw PortError(fmt::format("port {} of {} cannot be had: is something else there?", port, kLoopback));
}

PageServer::~PageServer() = default;

std::string PageServer::address() const {
  return fmt::format("http://{}:{}/", kLoopback, parts_->port);
}

void PageServer::serve(const std::atomic<bool>& stop) {
  std::atomic<bool> over = false;
  std::thread watch([&] {
    // Not before it runs: what is stopped earlier would go on for ever.
    while (!over && !(stop && parts_->server.is_running())) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    parts_->server.stop();
  });
  parts_->server.listen_after_bind();
  over = true;
  watch.join();
}

}  // namespace heddle::lab
