#pragma once

/// \file
/// A client of the lab's server that does what no library would: it is slow, silent, or rude.

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace heddle {

struct RawAnswer {
  int status = 0;
  std::map<std::string, std::string> fields;
  std::string body;

  std::string field(const std::string& name) const {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string() : found->second;
  }
};

/// A connection to 127.0.0.1. It waits for ten seconds at most, where a test has failed anyway.
class RawClient {
 public:
  explicit RawClient(int port, int receive_buffer_bytes = 0) : port_(port), socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_buffer_bytes != 0)
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof receive_buffer_bytes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("no connection to the server");
  }
  ~RawClient() { ::close(socket_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  /// False once the server has closed its side.
  bool send(std::string_view bytes) const {
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }
  /// `fields` are whole lines.
  void send_request(const std::string& line, const std::string& fields = "") const {
    send(line + "\r\nHost: 127.0.0.1:" + std::to_string(port_) + "\r\n" + fields + "\r\n");
  }

  /// Whether there is something to read, or an end, within so many milliseconds.
  bool has_news(int milliseconds) const {
    pollfd awaited{socket_, POLLIN, 0};
    return ::poll(&awaited, 1, milliseconds) > 0;
  }
  /// Some bytes; none at the end.
  std::string receive(std::size_t most = 4096) const {
    if (!has_news(10000)) throw std::runtime_error("the server says nothing, and does not end");
    std::string bytes(most, '\0');
    const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), 0);
    bytes.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
    return bytes;
  }
  /// All that comes until the server closes its side.
  std::string receive_all() const {
    std::string all;
    for (std::string some = receive(); !some.empty(); some = receive()) all += some;
    return all;
  }
  /// The next answer, of a request that has one with a body.
  RawAnswer answer() {
    while (pending_.find("\r\n\r\n") == std::string::npos && more()) {
    }
    const std::size_t end = pending_.find("\r\n\r\n");
    if (end == std::string::npos) return {};
    RawAnswer out;
    out.status = std::stoi(pending_.substr(pending_.find(' ') + 1));
    for (std::size_t at = pending_.find("\r\n") + 2; at < end + 2;) {
      const std::size_t line_end = pending_.find("\r\n", at);
      const std::string line = pending_.substr(at, line_end - at);
      const std::size_t colon = line.find(": ");
      out.fields[line.substr(0, colon)] = line.substr(colon + 2);
      at = line_end + 2;
    }
    pending_.erase(0, end + 4);
    const std::size_t length = std::stoul("0" + out.field("Content-Length"));
    if (!head_) {
      while (pending_.size() < length && more()) {
      }
      out.body = pending_.substr(0, length);
      pending_.erase(0, length);
    }
    return out;
  }
  /// From now on answers have no body.
  void expect_heads() { head_ = true; }

 private:
  bool more() {
    const std::string some = receive();
    pending_ += some;
    return !some.empty();
  }

  int port_;
  int socket_;
  bool head_ = false;
  std::string pending_;
};

}  // namespace heddle
