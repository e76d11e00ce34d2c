#include <heddle/detail/complaint.h>

#include <fmt/format.h>

#include <cstring>
#include <string>
#include <utility>

namespace heddle::detail {

std::string message_of(const char* format, const MessagePart* parts, std::size_t count) {
  std::string message;
  for (std::size_t i = 0; i < count; ++i) {
    const char* const here = std::strstr(format, "{}");
    if (!here) break;
    message.append(format, here);
    message += parts[i].text ? parts[i].text : fmt::format_int(parts[i].number).str();
    format = here + 2;
  }
  return message + format;
}

void complain(const runtime::Workgroup& group, std::uint32_t index, FindingKind kind, const SourceLocation& where,
              const char* format, const MessagePart* parts, std::size_t count) {
  Finding finding;
  finding.kind = kind;
  finding.message = message_of(format, parts, count);
  finding.where = where;
  finding.invocation = runtime::coordinates(group, index);
  runtime::raise(std::move(finding));
}

}  // namespace heddle::detail
