#include "emulator/cli/spirv/buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "emulator/cli/input_file.h"

namespace heddle::cli {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::uint32_t word_at(const Bytes& bytes, std::uint64_t offset) {
  std::uint32_t out = 0;
  for (std::uint64_t i = offset; i < std::min<std::uint64_t>(offset + 4, bytes.size()); ++i)
    out |= std::uint32_t{bytes[i]} << (8 * (i - offset));
  return out;
}

std::optional<BufferDifference> difference(const ExpectedBuffer& expected, const Bytes& found) {
  if (found.size() != expected.bytes.size())
    throw InputError(fmt::format("--expect {}: the buffer has {} bytes, and what it is expected to hold has {}",
                                 expected.name, found.size(), expected.bytes.size()));
  BufferDifference out;
  out.name = expected.name;
  for (std::uint64_t offset = 0; offset < found.size(); offset += 4) {
    ++out.of;
    const std::uint32_t is = word_at(found, offset);
    const std::uint32_t wanted = word_at(expected.bytes, offset);
    if (is == wanted || out.words++ > 0) continue;
    out.offset = offset;
    out.found = is;
    out.wanted = wanted;
  }
  return out.words > 0 ? std::optional(out) : std::nullopt;
}

std::uint64_t object_of(const std::string& option, const NamedBuffer& buffer, const spirv::Dispatch& dispatch) {
  try {
    return dispatch.object_at(buffer.binding);
  } catch (const spirv::Error& error) {
    throw spirv::Error(error.position(), option + ' ' + buffer.name + ": " + error.what());
  }
}

void write(const DumpedBuffer& dumped, const Bytes& bytes) {
  std::ofstream out(dumped.file, std::ios::binary | std::ios::trunc);
  for (const std::uint8_t byte : bytes) out.put(static_cast<char>(byte));
  out.close();
  if (!out) throw InputError("--dump " + dumped.name + ": cannot write " + dumped.file);
}

}  // namespace

std::vector<std::uint64_t> objects_of(const BufferRequest& request, const spirv::Dispatch& dispatch) {
  std::vector<std::uint64_t> out;
  for (const NamedBuffer& each : request.expected) out.push_back(object_of("--expect", each, dispatch));
  for (const NamedBuffer& each : request.dumped) out.push_back(object_of("--dump", each, dispatch));
  return out;
}

std::vector<BufferDifference> check_buffers(const BufferRequest& request, const spirv::RunTotals& runs) {
  std::vector<BufferDifference> out;
  if (request.expected.empty() && request.dumped.empty()) return out;
  if (!runs.first_ended)
    throw InputError("the first run did not end, and left no buffers to look at; try another --seed or --bound");
  auto bytes = runs.memory.begin();
  for (const ExpectedBuffer& each : request.expected)
    if (auto found = difference(each, *bytes++)) out.push_back(*std::move(found));
  for (const DumpedBuffer& each : request.dumped) write(each, *bytes++);
  return out;
}

}  // namespace heddle::cli
