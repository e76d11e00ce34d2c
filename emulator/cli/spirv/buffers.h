#pragma once

/// \file
/// What `--expect` and `--dump` do with the buffers of the first run on the machine.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/spirv/dispatch.h"
#include "emulator/spirv/run/run.h"

namespace heddle::cli {

/// A buffer that an option names, by set and binding.
struct NamedBuffer {
  std::string name;  ///< as the option spells it
  std::pair<std::uint32_t, std::uint32_t> binding;
};

struct ExpectedBuffer : NamedBuffer {
  std::vector<std::uint8_t> bytes;
};

struct DumpedBuffer : NamedBuffer {
  std::string file;
};

struct BufferRequest {
  std::vector<ExpectedBuffer> expected;
  std::vector<DumpedBuffer> dumped;
};

/// How a buffer is not as it was expected.
struct BufferDifference {
  std::string name;
  /// Words of 32 bits that differ, and of how many.
  std::uint64_t words = 0;
  std::uint64_t of = 0;
  /// The first of them: its place in bytes, and both values.
  std::uint64_t offset = 0;
  std::uint32_t found = 0;
  std::uint32_t wanted = 0;
};

/// The objects of all buffers of the request, the expected ones first. Throws spirv::Error.
std::vector<std::uint64_t> objects_of(const BufferRequest& request, const spirv::Dispatch& dispatch);

/// Compares and writes buffers, in the order of objects_of. Throws InputError if the first run did not end, a size is
/// another, or a file cannot be written.
std::vector<BufferDifference> check_buffers(const BufferRequest& request, const spirv::RunTotals& runs);

}  // namespace heddle::cli
