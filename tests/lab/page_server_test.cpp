// What `heddle lab` serves, and to whom.
#include <httplib.h>
#include <catch2/catch.hpp>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "emulator/lab/server/page_files.h"
#include "emulator/lab/server/page_server.h"

using namespace heddle;
namespace fs = std::filesystem;

namespace {

/// A folder with a page, a secret beside it and a link to that.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "heddle-lab-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
    fs::create_directories(page() / "assets");
    write(page() / "index.html", "<p>the lab</p>");
    write(page() / "assets/engine.wasm", std::string("\0asm", 4));
    write(root_ / "secret.txt", "secret");
    fs::create_symlink(root_ / "secret.txt", page() / "link.txt");
  }
  ~Folder() { fs::remove_all(root_); }
  fs::path root() const { return root_; }
  fs::path page() const { return root_ / "page"; }

 private:
  static void write(const fs::path& file, const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; }
  fs::path root_;
};

/// A server that runs for as long as this is there.
class Running {
 public:
  explicit Running(const fs::path& folder, lab::Documents documents = {})
      : server_(folder, 0, std::move(documents)), thread_([this] { server_.serve(stop_); }) {}
  ~Running() {
    stop_ = true;
    thread_.join();
  }
  int port() const { return std::stoi(server_.address().substr(sizeof("http://127.0.0.1:") - 1)); }
  httplib::Result get(const std::string& path, const httplib::Headers& headers = {}) const {
    httplib::Client client("127.0.0.1", port());
    return client.Get(path, headers);
  }

 private:
  lab::PageServer server_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace

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
