#include "emulator/queues/words.h"

#include <fmt/format.h>

#include <bit>
#include <string_view>
#include <utility>

namespace heddle::queues {
namespace {

using model::Accesses;
using model::Stages;

constexpr std::pair<Stages, std::string_view> kStages[] = {{Stages::DrawIndirect, "DRAW_INDIRECT"},
                                                           {Stages::Compute, "COMPUTE_SHADER"},
                                                           {Stages::Copy, "COPY"},
                                                           {Stages::Clear, "CLEAR"},
                                                           {Stages::Host, "HOST"}};
constexpr std::pair<Accesses, std::string_view> kAccesses[] = {{Accesses::StorageRead, "SHADER_STORAGE_READ"},
                                                               {Accesses::StorageWrite, "SHADER_STORAGE_WRITE"},
                                                               {Accesses::UniformRead, "UNIFORM_READ"},
                                                               {Accesses::TransferRead, "TRANSFER_READ"},
                                                               {Accesses::TransferWrite, "TRANSFER_WRITE"},
                                                               {Accesses::IndirectRead, "INDIRECT_COMMAND_READ"},
                                                               {Accesses::HostRead, "HOST_READ"},
                                                               {Accesses::HostWrite, "HOST_WRITE"}};

template <typename Flags, std::size_t n>
std::string joined(Flags flags, const std::pair<Flags, std::string_view> (&words)[n]) {
  std::string out;
  for (const auto& [flag, word] : words) {
    if (!model::meet(flags, flag)) continue;
    if (!out.empty()) out += " | ";
    out += word;
  }
  return out.empty() ? "NONE" : out;
}

}  // namespace

std::string text_of(model::Stages stages) {
  if ((stages & Stages::AllCommands) == Stages::AllCommands) return "ALL_COMMANDS";
  return joined(stages, kStages);
}

std::string text_of(model::Accesses accesses) {
  return joined(accesses, kAccesses);
}

std::string text_of(const detail::ComponentType& component, std::uint32_t value) {
  if (component.size_bytes != sizeof value) return fmt::format("{:#x}", value);
  switch (component.kind) {
    case detail::ComponentKind::Unsigned:
      return fmt::format("{}", value);
    case detail::ComponentKind::Signed:
      return fmt::format("{}", static_cast<std::int32_t>(value));
    case detail::ComponentKind::Float:
      return fmt::format("{}", std::bit_cast<float>(value));
    case detail::ComponentKind::Unknown:
      break;
  }
  return fmt::format("{:#x}", value);
}

std::string place_of(const SourceLocation& where) {
  const std::string_view file = where.file;
  return fmt::format("{}:{}", file.substr(file.find_last_of('/') + 1), where.line);
}

}  // namespace heddle::queues
