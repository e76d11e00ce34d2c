#include "emulator/lab/server/connection.h"

#include <boost/asio/post.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include <tuple>
#include <utility>

namespace heddle::lab {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

std::string text_of(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

PageRequest request_of(const http::request_parser<http::empty_body>& parser) {
  const http::request<http::empty_body>& message = parser.get();
  const auto field = [&](auto name) { return text_of(message[name]); };
  PageRequest request;
  request.method = text_of(message.method_string());
  request.target = text_of(message.target());
  request.host = field(http::field::host);
  request.origin = field(http::field::origin);
  request.fetch_site = field("Sec-Fetch-Site");
  request.fetch_mode = field("Sec-Fetch-Mode");
  request.range = field(http::field::range);
  request.if_range = field(http::field::if_range);
  request.has_body = parser.chunked() || parser.content_length().value_or(0) != 0;
  return request;
}

}  // namespace

void Connection::open() {
  place_ = serving_.open.insert(serving_.open.end(), shared_from_this());
  is_open_ = true;
  read();
}

void Connection::close() {
  stream_.close();
  if (!is_open_) return;
  is_open_ = false;
  // The entry of the list may be the last owner of this connection, which is to live until this function returns.
  const std::shared_ptr<Connection> self = std::move(*place_);
  serving_.open.erase(place_);
}

bool Connection::goes_before(const Connection& other) const {
  return std::tie(answering_, since_) < std::tie(other.answering_, other.since_);
}

void Connection::move_on(bool answering) {
  answering_ = answering;
  since_ = Clock::now();
}

void Connection::read() {
  move_on(false);
  parser_.emplace();
  parser_->header_limit(serving_.limits.header_bytes);
  stream_.expires_after(serving_.limits.request);
  http::async_read_header(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](const beast::error_code& error, std::size_t) { self->was_read(error); });
}

void Connection::was_read(const beast::error_code& error) {
  if (!is_open_) return;
  only_head_ = false;
  keep_ = false;
  if (error == http::error::header_limit) return refuse(431, "The header of the request is too long.");
  // Errors of reading are of another category than those of what was read.
  const bool is_malformed = error && error.category() == http::make_error_code(http::error::bad_method).category() &&
                            error != http::error::end_of_stream && error != http::error::partial_message;
  if (is_malformed) return refuse(400, "This is no request of HTTP/1.1.");
  if (error) return close();
  PageRequest request = request_of(*parser_);
  only_head_ = request.method == "HEAD";
  // What follows a body that nobody reads is no request.
  keep_ = parser_->get().keep_alive() && !request.has_body && ++requests_ < serving_.limits.requests;
  move_on(true);
  stream_.expires_never();
  asio::post(serving_.makers, [self = shared_from_this(), request = std::move(request)] {
    PageAnswer answer = self->serving_.answers.to(request);
    asio::post(self->stream_.get_executor(),
               [self, answer = std::move(answer)]() mutable { self->begin_answer(std::move(answer)); });
  });
}

void Connection::refuse(unsigned status, const std::string& reason) {
  begin_answer(refusal(status, reason));
}

void Connection::begin_answer(PageAnswer answer) {
  if (!is_open_) return;
  answer_ = std::move(answer);
  response_.emplace();
  response_->result(answer_.status);
  for (const auto& [name, value] : answer_.fields) response_->insert(name, value);
  constexpr std::pair<const char*, const char*> kAlways[] = {{"X-Content-Type-Options", "nosniff"},
                                                             {"Cross-Origin-Resource-Policy", "same-origin"},
                                                             {"Cross-Origin-Opener-Policy", "same-origin"},
                                                             {"X-Frame-Options", "DENY"},
                                                             {"Referrer-Policy", "no-referrer"},
                                                             {"Cache-Control", "no-cache"}};
  for (const auto& [name, value] : kAlways) response_->set(name, value);
  response_->keep_alive(keep_);
  response_->content_length(answer_.body.size());
  if (!only_head_) response_->body() = {answer_.body.data(), answer_.body.size()};
  serializer_.emplace(*response_);
  write();
}

void Connection::write() {
  move_on(true);
  stream_.expires_after(serving_.limits.progress);
  http::async_write_some(stream_, *serializer_,
                         [self = shared_from_this()](const beast::error_code& error, std::size_t) {
                           if (!self->is_open_) return;
                           if (error) return self->close();
                           if (!self->serializer_->is_done()) return self->write();
                           self->answered();
                         });
}

void Connection::answered() {
  answer_ = {};
  if (keep_) return read();
  beast::error_code ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  move_on(false);
  stream_.expires_after(serving_.limits.farewell);
  linger();
}

// A socket that is closed with bytes unread takes the answer back.
void Connection::linger() {
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(4096),
                          [self = shared_from_this()](const beast::error_code& error, std::size_t) {
                            if (!self->is_open_) return;
                            if (error) return self->close();
                            self->linger();
                          });
}

}  // namespace heddle::lab
