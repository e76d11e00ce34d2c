#pragma once

/// \file
/// A server of the lab's page that runs.

#include <httplib.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include "emulator/lab/server/page_server.h"

namespace heddle {

/// A folder with a page, a secret beside it and a link to that.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "heddle-lab-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
    std::filesystem::create_directories(page() / "assets");
    write(page() / "index.html", "<p>the lab</p>");
    write(page() / "assets/engine.wasm", std::string("\0asm", 4));
    write(root_ / "secret.txt", "secret");
    std::filesystem::create_symlink(root_ / "secret.txt", page() / "link.txt");
  }
  ~Folder() { std::filesystem::remove_all(root_); }
  std::filesystem::path root() const { return root_; }
  std::filesystem::path page() const { return root_ / "page"; }

 private:
  static void write(const std::filesystem::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
  }
  std::filesystem::path root_;
};

/// A server that runs for as long as this is there.
class Running {
 public:
  explicit Running(const std::filesystem::path& folder, lab::Documents documents = {},
                   const lab::ServerLimits& limits = {})
      : server_(folder, 0, std::move(documents), limits), thread_([this] { server_.serve(stop_); }) {}
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

}  // namespace heddle
