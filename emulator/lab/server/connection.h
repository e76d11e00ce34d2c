#pragma once

/// \file
/// One connection of a browser.

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/span_body.hpp>

#include <chrono>
#include <list>
#include <memory>
#include <optional>

#include "emulator/lab/server/answers.h"
#include "emulator/lab/server/server_limits.h"

namespace heddle::lab {

class Connection;
/// The open connections of a server, in no order. Only the thread of the sockets uses the list.
using Connections = std::list<std::shared_ptr<Connection>>;

/// What all connections of a server share.
struct Serving {
  const Answers& answers;
  const ServerLimits& limits;
  /// Where answers are made: a document may take seconds, and the other connections go on meanwhile.
  boost::asio::thread_pool& makers;
  Connections& open;
};

/// Reads requests and writes answers, one after another, in functions that the thread of the sockets calls. It is alive
/// for as long as one of them is to come.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Clock = std::chrono::steady_clock;

  Connection(boost::asio::ip::tcp::socket socket, const Serving& serving)
      : stream_(std::move(socket)), serving_(serving) {}

  /// Joins the connections that are open, and waits for a request.
  void open();
  /// Leaves them; whatever it is at ends.
  void close();
  /// Whether it is to go rather than another one where there are too many: those that wait for a request before those
  /// that are being answered, then the one that has waited longest.
  bool goes_before(const Connection& other) const;

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::empty_body>;
  using Response = boost::beast::http::response<boost::beast::http::span_body<const char>>;

  void read();
  void was_read(const boost::beast::error_code& error);
  void refuse(unsigned status, const std::string& reason);
  void begin_answer(PageAnswer answer);
  void write();
  void answered();
  void linger();
  void move_on(bool answering);

  boost::beast::tcp_stream stream_;
  Serving serving_;
  Connections::iterator place_;
  bool is_open_ = false;
  /// Whether a request came whole, and when something last went on.
  bool answering_ = false;
  Clock::time_point since_ = Clock::now();
  unsigned requests_ = 0;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  bool only_head_ = false;
  bool keep_ = false;
  PageAnswer answer_;
  std::optional<Response> response_;
  std::optional<boost::beast::http::response_serializer<boost::beast::http::span_body<const char>>> serializer_;
};

}  // namespace heddle::lab
