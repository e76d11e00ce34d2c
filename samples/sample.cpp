#include "sample.h"

#include <fmt/format.h>
#include <stb_image.h>
#include <stb_image_write.h>
#include <CLI/CLI.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stdexcept>

namespace sample {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// A bar on the terminal, for users who have waited for half a second already.
class ProgressBar {
 public:
  void expect(std::uint64_t dispatches) {
    expected_ = dispatches;
    finished_ = 0;
    begin_ = Clock::now();
  }

  /// Called from any worker.
  void show(std::uint64_t done, std::uint64_t all) {
    if (done == all) ++finished_;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock || seconds_since(begin_) < 0.5 || seconds_since(drawn_) < 0.1) return;
    drawn_ = Clock::now();
    const double part = done == all ? 0.0 : static_cast<double>(done) / static_cast<double>(all);
    const double share = (static_cast<double>(finished_) + part) / static_cast<double>(expected_);
    const std::size_t length = fitting_length();
    fmt::print(
        stderr, "\r  [{:<{}}] {:3.0f} %",
        std::string(static_cast<std::size_t>(std::min(share, 1.0) * static_cast<double>(length)),
                    '='),
        length, 100 * std::min(share, 1.0));
    visible_ = true;
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    if (visible_) fmt::print(stderr, "\r{:{}}\r", "", fitting_length() + kAround);
    visible_ = false;
  }

 private:
  /// A line that is too long for the terminal would stay there.
  static std::size_t fitting_length() {
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kLength;
    return std::clamp<std::size_t>(size.ws_col, kAround + 10, kAround + kLength) - kAround;
  }

  static constexpr std::size_t kLength = 50;
  /// "  [" and "] 100 %", and one column in which a terminal would begin the next line.
  static constexpr std::size_t kAround = 11;
  std::atomic<std::uint64_t> expected_ = 1, finished_ = 0;
  std::mutex mutex_;
  Clock::time_point begin_ = Clock::now(), drawn_;
  bool visible_ = false;
};

}  // namespace

struct Sample::State {
  struct SizeOption {
    CLI::Option* option;
    std::uint32_t* value;
    std::uint32_t emulated;
  };

  CLI::App app;
  std::string name;
  std::string mode;
  std::optional<std::uint64_t> asked_seed;
  std::uint64_t seed = 0;
  std::vector<SizeOption> sizes;
  ProgressBar bar;
  bool failed = false;

  heddle::DeviceOptions device_options() {
    heddle::DeviceOptions options;
    options.timed = true;
    if (!mode.empty()) {
      options.mode = mode == "native" ? heddle::Mode::Native : heddle::Mode::Emulated;
    }
    options.seed = asked_seed;
    if (isatty(STDERR_FILENO)) {
      options.progress = [this](std::uint64_t done, std::uint64_t all) { bar.show(done, all); };
    }
    return options;
  }

  void line(const char* label, const std::string& text) {
    bar.clear();
    fmt::print("  {:<8} {}\n", label, text);
    std::fflush(stdout);
  }
};

Sample::Sample(std::string name, const std::string& description)
    : state_(std::make_unique<State>()) {
  state_->app.description(description);
  state_->app.name(name);
  state_->name = std::move(name);
  state_->app
      .add_option("--mode", state_->mode,
                  "native: on all cores, nothing is checked; emulated: every access is checked "
                  "(default: the environment variable HEDDLE_MODE, or native)")
      ->check(CLI::IsMember({"native", "emulated"}));
  state_->app.add_option("--seed", state_->asked_seed,
                         "of everything that is left to chance (default: the environment variable "
                         "HEDDLE_SEED, or 1)");
}

Sample::~Sample() = default;

void Sample::size_option(const std::string& name, std::uint32_t& value, Size size,
                         const std::string& help) {
  value = size.native;
  CLI::Option* option = state_->app.add_option(
      name, value, fmt::format("{} (default: {}, emulated {})", help, size.native, size.emulated));
  option->check(CLI::Range(size.least, size.most));
  state_->sizes.push_back({option, &value, size.emulated});
}

void Sample::file_option(const std::string& name, std::string& value, const std::string& help) {
  state_->app.add_option(name, value,
                         value.empty() ? help : fmt::format("{} (default: {})", help, value));
}

int Sample::run(int argc, char** argv, const std::function<void(heddle::Device&)>& body) {
  State& s = *state_;
  try {
    s.app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return s.app.exit(error) == 0 ? 0 : 2;
  }
  const Clock::time_point begin = Clock::now();
  try {
    heddle::Device device(s.device_options());
    const bool native = device.mode() == heddle::Mode::Native;
    for (const State::SizeOption& size : s.sizes) {
      if (!native && size.option->count() == 0) *size.value = size.emulated;
    }
    s.seed = device.options().seed.value();
    fmt::print("{} ({}, seed {})\n", s.name, native ? "native" : "emulated", s.seed);
    body(device);
    s.line("took", fmt::format("{:.2f} s in all", seconds_since(begin)));
  } catch (const heddle::KernelError& error) {
    s.bar.clear();
    fmt::print(stderr, "{}: {}\n", s.name, error.what());
    return 1;
  } catch (const std::exception& error) {
    s.bar.clear();
    fmt::print(stderr, "{}: {}\n", s.name, error.what());
    return 2;
  }
  return s.failed ? 1 : 0;
}

std::uint64_t Sample::seed() const {
  return state_->seed;
}

void Sample::dispatches(std::uint64_t count) {
  state_->bar.expect(count);
}

void Sample::input(const std::string& what) {
  state_->line("input", what);
}

void Sample::ran(const std::string& what, const heddle::DispatchResult& result) {
  state_->line("ran",
               fmt::format("{}: {} in {}, {:.3f} s", what,
                           counted(result.invocations, "invocation", "invocations"),
                           counted(result.workgroups, "workgroup", "workgroups"), result.seconds));
}

void Sample::check(bool passed, const std::string& what) {
  state_->line(passed ? "checked" : "FAILED", what);
  if (!passed) state_->failed = true;
}

void Sample::wrote(const std::string& path) {
  state_->line("wrote", path);
}

std::string counted(std::uint64_t count, const std::string& one, const std::string& more) {
  return fmt::format("{} {}", count, count == 1 ? one : more);
}

void add(heddle::DispatchResult& all, const heddle::DispatchResult& one) {
  all.invocations += one.invocations;
  all.workgroups += one.workgroups;
  all.fibers = std::max(all.fibers, one.fibers);
  all.resident_workgroups = std::max(all.resident_workgroups, one.resident_workgroups);
  all.seconds += one.seconds;
}

Picture read_picture(const std::string& path) {
  int width = 0, height = 0, channels = 0;
  const std::unique_ptr<stbi_uc, void (*)(void*)> bytes(
      stbi_load(path.c_str(), &width, &height, &channels, 4), stbi_image_free);
  if (!bytes) {
    throw std::runtime_error(
        fmt::format("{}: cannot be read as a picture: {}", path, stbi_failure_reason()));
  }
  Picture picture{static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), {}};
  picture.texels.resize(std::size_t{picture.width} * picture.height);
  for (std::size_t i = 0; i < picture.texels.size(); ++i) {
    const stbi_uc* texel = bytes.get() + 4 * i;
    picture.texels[i] = {texel[0], texel[1], texel[2], texel[3]};
  }
  return picture;
}

void write_picture(const std::string& path, const Picture& picture) {
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  if (!directory.empty()) std::filesystem::create_directories(directory);
  std::vector<stbi_uc> bytes;
  bytes.reserve(picture.texels.size() * 3);
  for (const Rgba& texel : picture.texels) {
    bytes.insert(bytes.end(), {texel.r, texel.g, texel.b});
  }
  const int width = static_cast<int>(picture.width), height = static_cast<int>(picture.height);
  if (!stbi_write_png(path.c_str(), width, height, 3, bytes.data(), 3 * width)) {
    throw std::runtime_error(fmt::format("{}: cannot be written", path));
  }
}

std::string shipped_file(const std::string& name) {
  return std::string(HEDDLE_SAMPLES_DIR "/") + name;
}

std::string output_file(const std::string& name) {
  return std::string(HEDDLE_SAMPLES_DIR "/out/") + name;
}

}  // namespace sample
