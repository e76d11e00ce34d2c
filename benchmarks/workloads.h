#pragma once

/// \file
/// Input, dispatch and check of each reference kernel, for whatever runs it.

#include "benchmarks/kernels.h"
#include "benchmarks/kernels_in_phases.h"

#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::benchmarks {

template <typename T>
std::vector<T> random_values(std::size_t count, std::uint32_t bound) {
  std::mt19937 random(1);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(random() % bound);
  return values;
}

inline DeviceOptions options_of(Mode mode, std::string_view memory = "sequential", bool races = false,
                                bool parallel = false) {
  DeviceOptions options;
  options.mode = mode;
  options.memory = memory_policy(memory);
  options.races = races;
  if (parallel) options.races_parallel = true;
  return options;
}

inline void expect(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(std::string("wrong result of ") + what);
}

/// Which form of a kernel: in C++ for each invocation or in phases, or as a SPIR-V module (benchmarks/shaders.h).
enum class Form : std::uint8_t { Invocations, Phases, Module };

/// The module of a kernel; of other forms nothing.
template <Form form>
class Shader {
 public:
  Shader(Device&, const char*) {}
};

template <Form form, typename First, typename Second>
constexpr const auto& in_form(const First& invocations, const Second& phases) {
  if constexpr (form == Form::Phases) {
    return phases;
  } else {
    return invocations;
  }
}

/// y = 2 x + y, again and again.
template <Form form = Form::Invocations>
class Saxpy {
 public:
  Saxpy(Device& device, std::size_t n)
      : device_(device),
        n_(n),
        x_(device.buffer(random_values<float>(n, 100), "x")),
        y_(device.buffer(std::vector<float>(n, 1.0f), "y")),
        shader_(device, "saxpy") {}
  void run() {
    if constexpr (form == Form::Module) {
      shader_.push_constants(2.0f);
      shader_.dispatch({n_ / kGroup}, x_, y_);
    } else {
      device_.dispatch(in_form<form>(saxpy, saxpy_in_phases), {n_ / kGroup}, {kGroup}, 2.0f, read_only(x_), y_);
    }
  }
  void check() {
    y_.fill(1.0f);
    run();
    for (std::size_t i = 0; i < n_; ++i) expect(y_.view()[i] == 2.0f * x_.view()[i] + 1.0f, "saxpy");
  }

 private:
  Device& device_;
  std::size_t n_;
  Buffer<float> x_, y_;
  Shader<form> shader_;
};

template <Form form = Form::Invocations>
class Reduce {
 public:
  Reduce(Device& device, std::size_t n)
      : device_(device),
        n_(n),
        in_(device.buffer(random_values<std::uint32_t>(n, 1000), "in")),
        out_(device.buffer<std::uint32_t>(n / kGroup, "out")),
        shader_(device, "reduce") {}
  void run() {
    if constexpr (form == Form::Module) {
      shader_.dispatch({n_ / kGroup}, in_, out_);
    } else {
      device_.dispatch(in_form<form>(reduce, reduce_in_phases), {n_ / kGroup}, {kGroup}, read_only(in_), out_);
    }
  }
  void check() {
    run();
    for (std::size_t g = 0; g < n_ / kGroup; ++g) {
      std::uint32_t sum = 0;
      for (std::size_t i = 0; i < kGroup; ++i) sum += in_.view()[g * kGroup + i];
      expect(out_.view()[g] == sum, "reduce");
    }
  }

 private:
  Device& device_;
  std::size_t n_;
  Buffer<std::uint32_t> in_, out_;
  Shader<form> shader_;
};

template <Form form = Form::Invocations>
class Matmul {
 public:
  Matmul(Device& device, std::size_t n)
      : device_(device),
        n_(static_cast<std::uint32_t>(n)),
        a_(device.buffer(random_values<float>(n * n, 8), "a")),
        b_(device.buffer(random_values<float>(n * n, 8), "b")),
        c_(device.buffer<float>(n * n, "c")),
        shader_(device, "matmul") {}
  void run() {
    if constexpr (form == Form::Module) {
      shader_.push_constants(n_);
      shader_.dispatch({n_ / kTile, n_ / kTile}, a_, b_, c_);
    } else {
      device_.dispatch(in_form<form>(matmul, matmul_in_phases), {n_ / kTile, n_ / kTile}, {kTile, kTile}, n_,
                       read_only(a_), read_only(b_), c_);
    }
  }
  void check() {
    run();
    for (std::uint32_t row = 0; row < n_; row += 7) {
      for (std::uint32_t column = 0; column < n_; ++column) {
        float sum = 0;  // exact: small integers
        for (std::uint32_t k = 0; k < n_; ++k) {
          sum += a_.view()[row * n_ + k] * b_.view()[k * n_ + column];
        }
        expect(c_.view()[row * n_ + column] == sum, "matmul");
      }
    }
  }

 private:
  Device& device_;
  std::uint32_t n_;
  Buffer<float> a_, b_, c_;
  Shader<form> shader_;
};

template <Form form = Form::Invocations>
class Histogram {
 public:
  Histogram(Device& device, std::size_t n)
      : device_(device),
        n_(n),
        in_(device.buffer(random_values<std::uint8_t>(n, kBins), "in")),
        bins_(device.buffer(std::vector<std::uint32_t>(kBins, 0), "bins")),
        shader_(device, "histogram") {}
  void run() {
    if constexpr (form == Form::Module) {
      shader_.dispatch({n_ / kGroup}, in_, bins_);
    } else {
      device_.dispatch(in_form<form>(histogram, histogram_in_phases), {n_ / kGroup}, {kGroup}, read_only(in_), bins_);
    }
  }
  void check() {
    bins_.fill(0);
    run();
    std::vector<std::uint32_t> expected(kBins, 0);
    for (const std::uint8_t value : in_.view()) ++expected[value];
    expect(bins_.read() == expected, "histogram");
  }

 private:
  Device& device_;
  std::size_t n_;
  Buffer<std::uint8_t> in_;
  Buffer<std::uint32_t> bins_;
  Shader<form> shader_;
};

template <Form form = Form::Invocations>
class Scan {
 public:
  Scan(Device& device, std::size_t n)
      : device_(device),
        n_(n),
        in_(device.buffer(random_values<std::uint32_t>(n, 1000), "in")),
        out_(device.buffer<std::uint32_t>(n, "out")),
        shader_(device, "scan") {}
  void run() {
    if constexpr (form == Form::Module) {
      shader_.dispatch({n_ / kGroup}, in_, out_);
    } else {
      device_.dispatch(in_form<form>(scan, scan_in_phases), {n_ / kGroup}, {kGroup}, read_only(in_), out_);
    }
  }
  void check() {
    run();
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      sum = i % kGroup == 0 ? in_.view()[i] : sum + in_.view()[i];
      expect(out_.view()[i] == sum, "scan");
    }
  }

 private:
  Device& device_;
  std::size_t n_;
  Buffer<std::uint32_t> in_, out_;
  Shader<form> shader_;
};

}  // namespace heddle::benchmarks
