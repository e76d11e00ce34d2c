#include "emulator/race/last_writers.h"

namespace heddle::race {

void LastWriters::note(const Locations& bytes, model::OperationIndex write) {
  const auto found = of_word_.find(word_of(bytes));
  if (found == of_word_.end()) return;
  for (std::uint32_t i = 0; i < bytes.size_bytes; ++i) found->second[(bytes.offset_bytes + i) % kWordBytes] = write;
}

void LastWriters::find_sources(const Locations& bytes, std::vector<trace::Source>& sources) const {
  sources.clear();
  const auto found = of_word_.find(word_of(bytes));
  if (found == of_word_.end()) return sources.push_back({bytes, model::kInitialValue});
  for (std::uint32_t i = 0; i < bytes.size_bytes; ++i) {
    const std::uint64_t byte = bytes.offset_bytes + i;
    const model::OperationIndex writer = found->second[byte % kWordBytes];
    if (!sources.empty() && sources.back().write == writer) {
      ++sources.back().bytes.size_bytes;
    } else {
      sources.push_back({{bytes.allocation, byte, 1}, writer});
    }
  }
}

}  // namespace heddle::race
