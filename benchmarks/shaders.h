#pragma once

/// \file
/// The reference kernels as SPIR-V modules: shaders/*.comp, which a compiler of GLSL compiles when they are loaded.

#include "benchmarks/workloads.h"

#include <heddle/module.h>

#include <string>

namespace heddle::benchmarks {

template <>
class Shader<Form::Module> {
 public:
  Shader(Device& device, const char* name) : module_(device, std::string(HEDDLE_BENCHMARK_SHADERS) + name + ".comp") {}
  template <typename T>
  void push_constants(const T& value) {
    module_.push_constants(value);
  }
  /// The buffers are those of the bindings 0, 1, ... of set 0.
  template <typename... T>
  void dispatch(const Extent& groups, const Buffer<T>&... buffers) {
    std::uint32_t binding = 0;
    module_.dispatch(groups, {bound(0, binding++, buffers)...});
  }

 private:
  Module module_;
};

}  // namespace heddle::benchmarks
