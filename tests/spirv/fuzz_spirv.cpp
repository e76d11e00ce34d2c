#include <cstddef>
#include <cstdint>
#include <string_view>

#include "emulator/spirv/answer.h"

/// \file
/// Whatever the bytes are, they are a module that runs or an Error.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle::spirv;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const bool binary = is_binary(bytes);
    const Module module = binary ? read_binary(bytes) : assemble(bytes);
    const Dispatch dispatch(module, binary ? Header{} : read_header(bytes, ";"), {});
    const Question question = question_of(dispatch);
    const Analysis analysis(dispatch, question);
    Inquiry inquiry;
    inquiry.limit = 1;
    answer(analysis, question, inquiry);
  } catch (const Error&) {
  }
  return 0;
}
