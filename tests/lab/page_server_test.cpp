// What `heddle lab` serves, and to whom.
#include <httplib.h>
#include <catch2/catch.hpp>

#include <atomic>
#include <filesystem>
#include <string>

#include "emulator/lab/server/page_files.h"
#include "tests/lab/raw_client.h"
#include "tests/lab/running_server.h"

using namespace heddle;
namespace fs = std::filesystem;

TEST_CASE("the lab's server serves its folder with types that browsers take, and nothing outside of it") {
  const Folder folder;
  const Running running(folder.page());
  const auto index = running.get("/");
  REQUIRE(index);
  CHECK(index->status == 200);
  CHECK(index->body == "<p>the lab</p>");
  CHECK(index->get_header_value("X-Content-Type-Options") == "nosniff");
  const auto engine = running.get("/assets/engine.wasm");
  REQUIRE(engine);
  CHECK(engine->get_header_value("Content-Type") == "application/wasm");
  CHECK(engine->body.size() == 4);
  for (const char* const path : {"/link.txt", "/../secret.txt", "/%2e%2e/secret.txt", "/assets/../../secret.txt",
                                 "//etc/passwd", "/assets", "/nothing"}) {
    CAPTURE(path);
    const auto answer = running.get(path);
    REQUIRE(answer);
    CHECK(answer->status == 404);
  }
}

TEST_CASE("the lab's server refuses pages of other origins, other names of this machine, and what is no reading") {
  const Folder folder;
  const Running running(folder.page());
  const std::string own = "127.0.0.1:" + std::to_string(running.port());
  CHECK(running.get("/", {{"Origin", "http://" + own}})->status == 200);
  CHECK(running.get("/", {{"Host", "localhost:" + std::to_string(running.port())}})->status == 200);
  CHECK(running.get("/", {{"Origin", "http://example.org"}})->status == 403);
  CHECK(running.get("/", {{"Origin", "https://" + own}})->status == 403);
  CHECK(running.get("/", {{"Host", "example.org"}})->status == 403);
  CHECK(running.get("/", {{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "no-cors"}})->status == 403);
  CHECK(running.get("/", {{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "navigate"}})->status == 200);
  httplib::Client client("127.0.0.1", running.port());
  CHECK(client.Post("/", "text", "text/plain")->status >= 400);
  CHECK(client.Delete("/")->status == 405);
}

TEST_CASE("a port that is taken is told, and a page is copied without what it links to") {
  const Folder folder;
  const Running running(folder.page());
  CHECK_THROWS_AS(lab::PageServer(folder.page(), static_cast<unsigned>(running.port())), lab::PortError);
  lab::copy_page(folder.page(), folder.root() / "copy");
  CHECK(fs::exists(folder.root() / "copy/assets/engine.wasm"));
  CHECK_FALSE(fs::exists(folder.root() / "copy/link.txt"));
}

TEST_CASE("documents are made when they are asked for, and what is wrong with one is said") {
  const Folder folder;
  std::atomic<int> made = 0;
  const Running running(folder.page(),
                        {{"/traces/0.json", [&] { return std::to_string(++made); }},
                         {"/traces/1.json", []() -> std::string { throw std::runtime_error("cut off"); }}});
  CHECK(made == 0);
  const auto document = running.get("/traces/0.json");
  CHECK(document->body == "1");
  CHECK(document->get_header_value("Content-Type") == "application/json");
  CHECK(running.get("/traces/0.json", {{"Origin", "http://example.org"}})->status == 403);
  const auto damaged = running.get("/traces/1.json");
  CHECK(damaged->status == 500);
  CHECK(damaged->body == "cut off\n");
  CHECK(running.get("/traces/2.json")->status == 404);
}

TEST_CASE("bytes of a file come as they are asked for, cut where it ends; there are none beyond it") {
  const Folder folder;
  const Running running(folder.page());
  // "<p>the lab</p>", 14 bytes.
  struct Case {
    const char* range;
    int status;
    std::string body;
    std::string content_range;
  };
  const std::string whole = "<p>the lab</p>";
  for (const Case& one : {Case{"bytes=3-5", 206, "the", "bytes 3-5/14"},
                          {"bytes=0-0", 206, "<", "bytes 0-0/14"},
                          {"bytes=7-", 206, "lab</p>", "bytes 7-13/14"},
                          {"bytes=-4", 206, "</p>", "bytes 10-13/14"},
                          {"bytes=-99", 206, whole, "bytes 0-13/14"},
                          {"bytes=10-99", 206, "</p>", "bytes 10-13/14"},
                          {"bytes=10-99999999999999999999999999", 206, "</p>", "bytes 10-13/14"},
                          {"bytes=14-", 416, "There are no such bytes.\n", "bytes */14"},
                          {"bytes=99999999999999999999999999-", 416, "There are no such bytes.\n", "bytes */14"},
                          {"bytes=-0", 416, "There are no such bytes.\n", "bytes */14"},
                          {"bytes=20-30,3-5", 206, "the", "bytes 3-5/14"},
                          {"bytes=5-3", 200, whole, ""},
                          {"bytes=", 200, whole, ""},
                          {"bytes=x-3", 200, whole, ""},
                          {"lines=1-2", 200, whole, ""},
                          {"bytes=0-9,0-9", 200, whole, ""}}) {
    CAPTURE(one.range);
    RawClient client(running.port());
    client.send_request("GET / HTTP/1.1", std::string("Range: ") + one.range + "\r\n");
    const RawAnswer answer = client.answer();
    CHECK(answer.status == one.status);
    CHECK(answer.body == one.body);
    CHECK(answer.field("Content-Range") == one.content_range);
  }
}

TEST_CASE("several ranges come in parts, each with its place, in the order of the request") {
  const Folder folder;
  const Running running(folder.page());
  RawClient client(running.port());
  client.send_request("GET / HTTP/1.1", "Range: bytes=3-5, -4\r\n");
  const RawAnswer answer = client.answer();
  CHECK(answer.status == 206);
  CHECK(answer.field("Content-Type") == "multipart/byteranges; boundary=heddle");
  const std::string type = "Content-Type: text/html; charset=utf-8\r\n";
  CHECK(answer.body == "--heddle\r\n" + type + "Content-Range: bytes 3-5/14\r\n\r\nthe\r\n--heddle\r\n" + type +
                           "Content-Range: bytes 10-13/14\r\n\r\n</p>\r\n--heddle--\r\n");
}

TEST_CASE("ranges are for GET alone, and not for those who want one only of a version they know") {
  const Folder folder;
  const Running running(folder.page());
  for (const auto& [line, fields] : {std::pair("HEAD / HTTP/1.1", "Range: bytes=3-5\r\n"),
                                     std::pair("GET / HTTP/1.1", "Range: bytes=3-5\r\nIf-Range: \"1\"\r\n")}) {
    RawClient client(running.port());
    client.send_request(line, fields);
    client.expect_heads();
    const RawAnswer answer = client.answer();
    CHECK(answer.status == 200);
    CHECK(answer.field("Content-Length") == "14");
  }
}

TEST_CASE("nothing is compressed, whatever a browser would take: on one machine that costs more than it saves") {
  const Folder folder;
  const Running running(folder.page(), {{"/traces/0.json", [] { return std::string(100000, ' '); }}});
  for (const char* const path : {"/", "/assets/engine.wasm", "/traces/0.json"}) {
    const auto answer = running.get(path, {{"Accept-Encoding", "gzip, deflate, br, zstd"}});
    REQUIRE(answer);
    CHECK(answer->status == 200);
    CHECK_FALSE(answer->has_header("Content-Encoding"));
    CHECK(answer->get_header_value("Content-Length") == std::to_string(answer->body.size()));
  }
}
