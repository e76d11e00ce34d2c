#include "emulator/lab/server/page_server.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

#include "emulator/lab/server/connection.h"

namespace heddle::lab {
namespace {

using boost::asio::ip::tcp;
using Error = boost::system::error_code;

constexpr auto kBetweenLooks = std::chrono::milliseconds(50);
// Documents take a processor each, for seconds.
constexpr std::size_t kMakers = 4;

}  // namespace

struct PageServer::Parts {
  Parts(const std::filesystem::path& folder, Documents documents, const ServerLimits& given)
      : answers(folder, std::move(documents)), limits(given) {}
  ~Parts() {
    // No connection survives its sockets.
    makers.join();
    close_all();
  }

  void listen(unsigned port);
  void accept();
  void look_at(const std::atomic<bool>& stop);
  void make_room();
  void close_all() {
    while (!open.empty()) open.front()->close();
  }

  Answers answers;
  unsigned own_port = 0;
  ServerLimits limits;
  boost::asio::io_context sockets{1};
  boost::asio::thread_pool makers{kMakers};
  tcp::acceptor acceptor{sockets};
  boost::asio::steady_timer timer{sockets};
  boost::asio::steady_timer pause{sockets};
  Connections open;
};

void PageServer::Parts::listen(unsigned port) {
  const tcp::endpoint endpoint(boost::asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port));
  acceptor.open(endpoint.protocol());
  // For those connections of an earlier server that are still in the kernel; two servers never listen at one port.
  acceptor.set_option(tcp::acceptor::reuse_address(true));
  Error error;
  acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(tcp::acceptor::max_listen_connections, error);
  if (error) throw PortError(fmt::format("port {} of 127.0.0.1 cannot be had: is something else there?", port));
  own_port = acceptor.local_endpoint().port();
  answers.set_port(own_port);
}

void PageServer::Parts::make_room() {
  const auto goes = std::min_element(open.begin(), open.end(),
                                     [](const auto& one, const auto& other) { return one->goes_before(*other); });
  if (goes != open.end()) (*goes)->close();
}

void PageServer::Parts::accept() {
  acceptor.async_accept([this](const Error& error, tcp::socket socket) {
    if (!acceptor.is_open()) return;
    if (error) {
      // There may be no descriptor left.
      make_room();
      pause.expires_after(kBetweenLooks);
      pause.async_wait([this](const Error& stopped) {
        if (!stopped) accept();
      });
      return;
    }
    if (open.size() >= limits.connections) make_room();
    std::make_shared<Connection>(std::move(socket), Serving{answers, limits, makers, open})->open();
    accept();
  });
}

void PageServer::Parts::look_at(const std::atomic<bool>& stop) {
  if (stop) {
    acceptor.close();
    close_all();
    sockets.stop();
    return;
  }
  timer.expires_after(kBetweenLooks);
  timer.async_wait([this, &stop](const Error&) { look_at(stop); });
}

PageServer::PageServer(const std::filesystem::path& folder, unsigned port, Documents documents,
                       const ServerLimits& limits)
    : parts_(std::make_unique<Parts>(folder, std::move(documents), limits)) {
  parts_->listen(port);
}

PageServer::~PageServer() = default;

std::string PageServer::address() const {
  return fmt::format("http://127.0.0.1:{}/", parts_->own_port);
}

void PageServer::serve(const std::atomic<bool>& stop) {
  parts_->accept();
  parts_->look_at(stop);
  parts_->sockets.run();
}

}  // namespace heddle::lab
