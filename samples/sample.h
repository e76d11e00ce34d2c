#pragma once

/// \file
/// What all samples share, so that each has only its algorithm to show: options, a progress bar,
/// the lines they print, pictures.

#include <heddle/heddle.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sample {

/// What a size may be, and what it is by default: emulation checks every access and takes
/// its time for that.
struct Size {
  std::uint32_t native;
  std::uint32_t emulated;
  std::uint32_t least = 1;
  std::uint32_t most = std::uint32_t{1} << 26;
};

class Sample {
 public:
  /// Has the options --help, --mode and --seed.
  Sample(std::string name, const std::string& description);
  ~Sample();

  /// Options, which `run` fills in. `name` is "--count" or the like.
  void size_option(const std::string& name, std::uint32_t& value, Size size,
                   const std::string& help);
  void file_option(const std::string& name, std::string& value, const std::string& help);

  /// Makes a device as the options say and calls `body` with it. Returns the exit code: 0 if all
  /// checks passed, 1 if one failed or the kernel was wrong, 2 if an option or a file was.
  int run(int argc, char** argv, const std::function<void(heddle::Device&)>& body);

  /// Everything that is left to chance starts from here.
  std::uint64_t seed() const;
  /// How many dispatches the progress bar is for; 1 if not called.
  void dispatches(std::uint64_t count);

  /// The lines that a sample prints.
  void input(const std::string& what);
  void ran(const std::string& what, const heddle::DispatchResult& result);
  void check(bool passed, const std::string& what);
  void wrote(const std::string& path);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Counts a dispatch in with others, for `Sample::ran`.
void add(heddle::DispatchResult& all, const heddle::DispatchResult& one);

/// "1 step", "2 steps".
std::string counted(std::uint64_t count, const std::string& one, const std::string& more);

/// How many workgroups of `local` invocations it takes for `count` invocations.
constexpr std::uint32_t groups_for(std::uint32_t count, std::uint32_t local) {
  return count / local + (count % local != 0);
}

/// The larger of two differences; NaN, which passes no check, if one of them is NaN.
constexpr double worse(double a, double b) {
  return b != b || b > a ? b : a;
}

/// A texel of a picture with 8 bits a channel.
struct Rgba {
  std::uint8_t r = 0, g = 0, b = 0, a = 255;
  friend bool operator==(const Rgba&, const Rgba&) = default;
};

/// Rows from the top, each from the left.
struct Picture {
  std::uint32_t width = 0, height = 0;
  std::vector<Rgba> texels;
};

/// Throws std::runtime_error, naming the file, if it cannot be read.
Picture read_picture(const std::string& path);
/// Writes a PNG file, and the directory for it. Throws std::runtime_error if it cannot.
void write_picture(const std::string& path, const Picture& picture);

/// `name` in the directory of the samples' sources, and in out/ below it.
std::string shipped_file(const std::string& name);
std::string output_file(const std::string& name);

}  // namespace sample
