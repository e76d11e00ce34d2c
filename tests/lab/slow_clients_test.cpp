// Clients that are slow, silent or many: what the server does to them, and that others do not notice.
#include <httplib.h>
#include <catch2/catch.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/lab/raw_client.h"
#include "tests/lab/running_server.h"

using namespace heddle;

namespace {

// So short that a test does not last, and long enough for a request of the test itself.
lab::ServerLimits impatient() {
  lab::ServerLimits limits;
  limits.request = std::chrono::milliseconds(300);
  limits.progress = std::chrono::milliseconds(300);
  limits.farewell = std::chrono::milliseconds(300);
  return limits;
}

lab::ServerLimits patient() {
  lab::ServerLimits limits;
  limits.request = limits.progress = limits.farewell = std::chrono::minutes(10);
  return limits;
}

bool is_served(const Running& running) {
  const auto answer = running.get("/");
  return answer && answer->status == 200;
}

}  // namespace

TEST_CASE("a connection that says nothing is closed") {
  const Folder folder;
  const Running running(folder.page(), {}, impatient());
  const RawClient client(running.port());
  CHECK(client.receive_all().empty());
}

TEST_CASE("a client whose header comes byte by byte is closed in time, however many bytes it still sends") {
  const Folder folder;
  const Running running(folder.page(), {}, impatient());
  const RawClient client(running.port());
  client.send("GET / HTTP/1.1\r\nX: ");
  // The server ends this alone.
  while (!client.has_news(5) && client.send("x")) {
  }
  CHECK(client.receive_all().empty());
  CHECK(is_served(running));
}

TEST_CASE("a connection is kept for the next request, and closed when none comes") {
  const Folder folder;
  const Running running(folder.page(), {}, impatient());
  RawClient client(running.port());
  for (int i = 0; i < 3; ++i) {
    client.send_request("GET / HTTP/1.1");
    CHECK(client.answer().body == "<p>the lab</p>");
  }
  CHECK(client.receive_all().empty());
}

TEST_CASE("requests that come at once are answered one after another") {
  const Folder folder;
  const Running running(folder.page(), {}, patient());
  RawClient client(running.port());
  client.send_request("GET / HTTP/1.1");
  client.send_request("GET /nothing HTTP/1.1");
  client.send_request("GET / HTTP/1.1");
  CHECK(client.answer().status == 200);
  CHECK(client.answer().status == 404);
  CHECK(client.answer().status == 200);
}

TEST_CASE("a client that does not take its answer is closed, and others get all of theirs meanwhile") {
  const Folder folder;
  // More than what the kernel keeps for a socket.
  constexpr std::size_t kSize = std::size_t{16} << 20;
  const lab::Documents documents{{"/large.json", [] { return std::string(kSize, ' '); }}};
  const Running running(folder.page(), documents, impatient());
  const RawClient deaf(running.port(), 4096);
  deaf.send_request("GET /large.json HTTP/1.1");
  const RawClient other(running.port());
  other.send_request("GET /large.json HTTP/1.1", "Connection: close\r\n");
  std::size_t received = 0;
  for (std::string some = other.receive(); !some.empty(); some = other.receive()) received += some.size();
  CHECK(received > kSize);
  // It reads only when the server has given it up: what the kernel had kept, and no more.
  const RawClient idle(running.port());
  CHECK(idle.receive_all().empty());
  CHECK(deaf.receive_all().size() < kSize);
}

TEST_CASE("a body is refused before it is there, and a header that is too long before its end") {
  const Folder folder;
  const Running running(folder.page(), {}, patient());
  RawClient with_body(running.port());
  with_body.send_request("GET / HTTP/1.1", "Content-Length: 1000000\r\n");
  CHECK(with_body.answer().status == 413);
  RawClient chunked(running.port());
  chunked.send_request("GET / HTTP/1.1", "Transfer-Encoding: chunked\r\n");
  CHECK(chunked.answer().status == 413);
  RawClient long_header(running.port());
  long_header.send("GET / HTTP/1.1\r\nX: " + std::string(20000, 'x'));
  CHECK(long_header.answer().status == 431);
  RawClient no_http(running.port());
  no_http.send("\x16\x03\x01 this is no request\r\n\r\n");
  CHECK(no_http.answer().status == 400);
  CHECK(is_served(running));
}

TEST_CASE("where too many connections wait, the one that has waited longest makes room, and others are served") {
  const Folder folder;
  lab::ServerLimits limits = patient();
  limits.connections = 8;
  const Running running(folder.page(), {}, limits);
  std::vector<std::unique_ptr<RawClient>> silent;
  for (std::size_t i = 0; i < limits.connections; ++i) silent.push_back(std::make_unique<RawClient>(running.port()));
  CHECK(is_served(running));
  CHECK(silent.front()->receive_all().empty());
  // The youngest is still there.
  silent.back()->send_request("GET / HTTP/1.1");
  CHECK(silent.back()->answer().status == 200);
}

TEST_CASE("what is being answered does not make room for those who only wait") {
  const Folder folder;
  std::atomic<bool> goes_on = false;
  lab::ServerLimits limits = patient();
  limits.connections = 4;
  const lab::Documents documents{{"/slow.json", [&] {
                                    goes_on.wait(false);
                                    return std::string("[]");
                                  }}};
  const Running running(folder.page(), documents, limits);
  RawClient answered(running.port());
  answered.send_request("GET /slow.json HTTP/1.1");
  std::vector<std::unique_ptr<RawClient>> silent;
  for (int i = 0; i < 12; ++i) silent.push_back(std::make_unique<RawClient>(running.port()));
  // The first of those who wait are gone, so the server has met all of them.
  CHECK(silent.front()->receive_all().empty());
  CHECK(is_served(running));
  goes_on = true;
  goes_on.notify_all();
  CHECK(answered.answer().body == "[]");
}
