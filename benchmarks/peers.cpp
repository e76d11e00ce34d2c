// The five reference kernels on whatever OpenCL implementation is installed, beside heddle in the same run:
// beside native mode, or with --emulated, in smaller sizes, beside emulation and the race detector.

#include "benchmarks/shaders.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <optional>

namespace heddle::benchmarks {
namespace {

constexpr const char* kSource = R"(
kernel void saxpy(float a, global const float* x, global float* y) {
  const size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}
kernel void reduce(global const uint* in, global uint* out) {
  local uint tile[256];
  const uint i = get_local_id(0);
  tile[i] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint half_ = 128; half_ > 0; half_ /= 2) {
    if (i < half_) tile[i] += tile[i + half_];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i == 0) out[get_group_id(0)] = tile[0];
}
kernel void matmul(uint n, global const float* a, global const float* b, global float* c) {
  local float tile_a[16][16];
  local float tile_b[16][16];
  const uint lx = get_local_id(0), ly = get_local_id(1);
  const uint gx = get_global_id(0), gy = get_global_id(1);
  float sum = 0;
  for (uint t = 0; t < n; t += 16) {
    tile_a[ly][lx] = a[gy * n + t + lx];
    tile_b[ly][lx] = b[(t + ly) * n + gx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 16; ++k) sum += tile_a[ly][k] * tile_b[k][lx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[gy * n + gx] = sum;
}
kernel void histogram(global const uchar* in, global uint* bins) {
  local uint counts[256];
  const uint i = get_local_id(0);
  counts[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&counts[in[get_global_id(0)]], 1u);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[i], counts[i]);
}
kernel void scan(global const uint* in, global uint* out) {
  local uint tile[2][256];
  const uint i = get_local_id(0);
  uint from = 0;
  tile[0][i] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint distance = 1; distance < 256; distance *= 2) {
    uint sum = tile[from][i];
    if (i >= distance) sum += tile[from][i - distance];
    from = 1 - from;
    tile[from][i] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = tile[from][i];
}
)";

void check(cl_int error, const char* what) {
  if (error != CL_SUCCESS) throw std::runtime_error(fmt::format("OpenCL: {} gave {}", what, error));
}

/// One OpenCL device with the five kernels. Ends with the process: so do its objects.
class OpenCl {
 public:
  explicit OpenCl(cl_device_id device) : device_(device) {
    cl_int error = CL_SUCCESS;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &error);
    check(error, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device_, 0, &error);
    check(error, "clCreateCommandQueue");
    const char* source = kSource;
    program_ = clCreateProgramWithSource(context_, 1, &source, nullptr, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program_, 1, &device_, "", nullptr, nullptr), "clBuildProgram");
  }

  std::string name() const {
    std::array<char, 256> text{};
    clGetDeviceInfo(device_, CL_DEVICE_NAME, text.size() - 1, text.data(), nullptr);
    return text.data();
  }

  template <typename T>
  cl_mem buffer(const std::vector<T>& values) {
    cl_int error = CL_SUCCESS;
    cl_mem made = clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, values.size() * sizeof(T),
                                 const_cast<T*>(values.data()), &error);
    check(error, "clCreateBuffer");
    return made;
  }

  /// A kernel with its arguments, ready to be run again and again.
  template <typename... Args>
  std::function<void()> kernel(const char* kernel_name, std::array<std::size_t, 2> global,
                               std::array<std::size_t, 2> local, const Args&... args) {
    cl_int error = CL_SUCCESS;
    cl_kernel made = clCreateKernel(program_, kernel_name, &error);
    check(error, "clCreateKernel");
    cl_uint index = 0;
    (check(clSetKernelArg(made, index++, sizeof args, &args), "clSetKernelArg"), ...);
    return [this, made, global, local] {
      check(clEnqueueNDRangeKernel(queue_, made, 2, nullptr, global.data(), local.data(), 0, nullptr, nullptr),
            "clEnqueueNDRangeKernel");
      check(clFinish(queue_), "clFinish");
    };
  }

 private:
  cl_device_id device_;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
};

std::vector<cl_device_id> cpu_devices() {
  std::vector<cl_device_id> found;
  std::array<cl_platform_id, 16> platforms{};
  cl_uint count = 0;
  if (clGetPlatformIDs(platforms.size(), platforms.data(), &count) != CL_SUCCESS) return found;
  for (cl_uint p = 0; p < count; ++p) {
    std::array<cl_device_id, 16> devices{};
    cl_uint here = 0;
    if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, devices.size(), devices.data(), &here) == CL_SUCCESS) {
      found.insert(found.end(), devices.begin(), devices.begin() + here);
    }
  }
  return found;
}

/// The median of some runs, in milliseconds; the two sides take turns, so that a change of the machine's mood meets
/// both. Each run that is timed comes right after one of its own side: while the other side's went on, the caches have
/// filled with others' memory, and cores may have gone to sleep, of which to wake one takes up to milliseconds.
std::pair<double, double> medians(const std::function<void()>& a, const std::function<void()>& b, int repetitions) {
  const auto time = [](const std::function<void()>& f) {
    const auto begin = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  };
  std::vector<double> times_a;
  std::vector<double> times_b;
  for (int i = 0; i < repetitions; ++i) {
    a();
    times_a.push_back(time(a));
    b();
    times_b.push_back(time(b));
  }
  std::sort(times_a.begin(), times_a.end());
  std::sort(times_b.begin(), times_b.end());
  return {times_a[times_a.size() / 2], times_b[times_b.size() / 2]};
}

struct Sizes {
  std::size_t elements;
  /// The rows, and the columns, of a matrix.
  std::size_t rows;
};

/// Calls row(name, their run, our workload in this form) for each kernel.
template <Form form, typename Row>
void for_each_kernel(OpenCl& cl, Device& device, const Sizes& sizes, Row row) {
  const std::size_t n = sizes.elements;
  const std::size_t m = sizes.rows;
  const std::array<std::size_t, 2> line{n, 1};
  const std::array<std::size_t, 2> group{kGroup, 1};
  {
    Saxpy<form> ours(device, n);
    row("saxpy",
        cl.kernel("saxpy", line, group, 2.0f, cl.buffer(random_values<float>(n, 100)),
                  cl.buffer(std::vector<float>(n, 1.0f))),
        ours);
  }
  {
    Reduce<form> ours(device, n);
    row("reduce",
        cl.kernel("reduce", line, group, cl.buffer(random_values<std::uint32_t>(n, 1000)),
                  cl.buffer(std::vector<std::uint32_t>(n / kGroup))),
        ours);
  }
  {
    Matmul<form> ours(device, m);
    row("matmul",
        cl.kernel("matmul", {m, m}, {kTile, kTile}, static_cast<cl_uint>(m), cl.buffer(random_values<float>(m * m, 8)),
                  cl.buffer(random_values<float>(m * m, 8)), cl.buffer(std::vector<float>(m * m))),
        ours);
  }
  {
    Histogram<form> ours(device, n);
    row("histogram",
        cl.kernel("histogram", line, group, cl.buffer(random_values<std::uint8_t>(n, kBins)),
                  cl.buffer(std::vector<std::uint32_t>(kBins))),
        ours);
  }
  {
    Scan<form> ours(device, n);
    row("scan",
        cl.kernel("scan", line, group, cl.buffer(random_values<std::uint32_t>(n, 1000)),
                  cl.buffer(std::vector<std::uint32_t>(n))),
        ours);
  }
}

struct Way {
  const char* name;
  DeviceOptions options;
  Form form = Form::Invocations;
};

void compare(OpenCl& cl, const Sizes& sizes, const std::vector<Way>& ways, int repetitions) {
  fmt::print("{} beside heddle, {} elements, matmul of {}; {}\n", cl.name(), sizes.elements, sizes.rows,
             repetitions == 1 ? "one run" : fmt::format("median of {} runs", repetitions));
  fmt::print("{:<12}{:<12}{:>12}{:>12}{:>18}\n", "heddle", "kernel", "OpenCL ms", "heddle ms", "OpenCL / heddle");
  for (const Way& way : ways) {
    Device device(way.options);
    const auto row = [&](const char* kernel, const std::function<void()>& opencl, auto& workload) {
      workload.check();
      const auto [theirs, ours] = medians(
          opencl, [&] { workload.run(); }, repetitions);
      fmt::print("{:<12}{:<12}{:>12.2f}{:>12.2f}{:>18.2f}\n", way.name, kernel, theirs, ours, theirs / ours);
      std::fflush(stdout);
    };
    if (way.form == Form::Phases) {
      for_each_kernel<Form::Phases>(cl, device, sizes, row);
    } else if (way.form == Form::Module) {
      for_each_kernel<Form::Module>(cl, device, sizes, row);
    } else {
      for_each_kernel<Form::Invocations>(cl, device, sizes, row);
    }
  }
}

}  // namespace
}  // namespace heddle::benchmarks

int main(int argc, char** argv) {
  using namespace heddle;
  using namespace heddle::benchmarks;
  CLI::App app(
      "Times the five reference kernels on each OpenCL implementation that is installed, and on "
      "heddle, in turns.");
  app.footer(
      "To hold emulation against Oclgrind:\n"
      "  oclgrind build/benchmarks/peers --emulated\n"
      "  oclgrind --data-races build/benchmarks/peers --emulated\n"
      "Oclgrind takes OpenCL C, and no SPIR-V: with --modules it runs the same kernels in its own form.");
  bool emulated = false;
  app.add_flag("--emulated", emulated,
               "heddle's emulation, on sequential memory, on weak memory and with the race detector, "
               "in the sizes that interpreters take");
  bool modules = false;
  app.add_flag("--modules", modules, "As --emulated, with heddle's kernels as SPIR-V modules, not in C++")
      ->excludes("--emulated");
  int repetitions = 5;
  app.add_option("repetitions", repetitions, "Runs of which the median is given")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    const auto devices = cpu_devices();
    if (devices.empty()) {
      fmt::print(stderr, "no OpenCL device is installed (Debian: pocl-opencl-icd, oclgrind)\n");
      return 2;
    }
    for (const cl_device_id device : devices) {
      OpenCl cl(device);
      if (emulated || modules) {
        const Form form = modules ? Form::Module : Form::Invocations;
        compare(cl, {1 << 16, 64},
                {{"emulated", options_of(Mode::Emulated), form},
                 {"weak", options_of(Mode::Emulated, "random"), form},
                 {"checked", options_of(Mode::Emulated, "sequential", true), form},
                 {"parallel", options_of(Mode::Emulated, "sequential", true, true), form}},
                repetitions);
      } else if (cl.name().find("Oclgrind") == std::string::npos) {
        // It would take minutes.
        compare(cl, {1 << 24, 512},
                {{"native", options_of(Mode::Native)}, {"in phases", options_of(Mode::Native), Form::Phases}},
                repetitions);
      }
    }
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
