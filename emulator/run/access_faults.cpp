#include "emulator/run/access_faults.h"

#include <fmt/format.h>
#include <heddle/detail/check.h>

namespace heddle::run {

std::string fault_text(FindingKind fault, const CheckedAccess& access, const AccessWords& words) {
  switch (fault) {
    case FindingKind::UseAfterFree:
      return fmt::format("{} of {}, which was freed", words.element, words.object);
    case FindingKind::OutOfBounds:
      return fmt::format("bytes {} to {} of {}, which has {} {}", access.offset_bytes,
                         access.offset_bytes + access.size_bytes - 1, words.object, access.object_bytes,
                         access.object_bytes == 1 ? "byte" : "bytes");
    default:
      HEDDLE_CHECK(fault == FindingKind::Misaligned, "a check of accesses has no message");
      return fmt::format("byte {} of {} is not at a multiple of {} bytes", access.offset_bytes, words.object,
                         words.alignment_bytes);
  }
}

std::string never_written_text(std::uint64_t missing, const std::string& element_of_object, Writers writers) {
  std::string text = fmt::format("byte {} of {} was never written", missing, element_of_object);
  if (writers == Writers::Nobody) return text;
  text += " until now: if another invocation writes it, this one has to wait for that";
  return writers == Writers::OfWorkgroup ? text + " at a control barrier" : text;
}

}  // namespace heddle::run
