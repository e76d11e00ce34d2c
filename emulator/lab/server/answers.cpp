#include "emulator/lab/server/answers.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

#include "emulator/lab/server/byte_ranges.h"
#include "emulator/lab/server/page_files.h"

namespace heddle::lab {
namespace {

/// The path of a request's target, without what follows a question mark, its escapes resolved.
std::string path_of(std::string_view target) {
  target = target.substr(0, target.find('?'));
  std::string path;
  for (std::size_t i = 0; i < target.size(); ++i) {
    unsigned char byte = 0;
    const char* const digits = target.data() + i + 1;
    if (target[i] == '%' && i + 2 < target.size() && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      path += static_cast<char>(byte);
      i += 2;
    } else {
      path += target[i];
    }
  }
  return path;
}

std::string content_range(const ByteRange& range, std::size_t size) {
  return fmt::format("bytes {}-{}/{}", range.begin, range.end - 1, size);
}

/// Several parts of a body in one; `type` is that of the whole.
PageAnswer in_parts(const std::string& body, const std::string& type, const std::vector<ByteRange>& ranges) {
  // A boundary must not come in what it bounds.
  std::string boundary = "heddle";
  while (body.find("--" + boundary) != std::string::npos) boundary += '-' + std::to_string(boundary.size());
  PageAnswer answer;
  answer.status = 206;
  answer.fields = {{"Content-Type", "multipart/byteranges; boundary=" + boundary}};
  for (const ByteRange& range : ranges) {
    answer.body += fmt::format("--{}\r\nContent-Type: {}\r\nContent-Range: {}\r\n\r\n", boundary, type,
                               content_range(range, body.size()));
    answer.body.append(body, range.begin, range.end - range.begin).append("\r\n");
  }
  answer.body += "--" + boundary + "--\r\n";
  return answer;
}

/// The body, or the ranges of it that are asked for.
PageAnswer answer_with(std::string body, std::string_view media, const PageRequest& request) {
  const std::string type(media);
  std::optional<std::vector<ByteRange>> ranges;
  // A range goes with GET alone. (If-Range asks for it if nothing has changed, which nobody here knows.)
  if (request.method == "GET" && !request.range.empty() && request.if_range.empty())
    ranges = byte_ranges(request.range, body.size());
  PageAnswer answer;
  if (ranges && ranges->empty()) {
    answer = refusal(416, "There are no such bytes.");
    answer.fields.emplace_back("Content-Range", fmt::format("bytes */{}", body.size()));
  } else if (ranges && ranges->size() > 1) {
    answer = in_parts(body, type, *ranges);
  } else {
    answer.fields = {{"Content-Type", type}};
    if (ranges) {
      const ByteRange& range = ranges->front();
      answer.status = 206;
      answer.fields.emplace_back("Content-Range", content_range(range, body.size()));
      body = body.substr(range.begin, range.end - range.begin);
    }
    answer.body = std::move(body);
  }
  answer.fields.emplace_back("Accept-Ranges", "bytes");
  return answer;
}

}  // namespace

PageAnswer refusal(unsigned status, const std::string& reason) {
  return {status, {{"Content-Type", "text/plain; charset=utf-8"}}, reason + '\n'};
}

Answers::Answers(const std::filesystem::path& folder, Documents documents)
    : files_(page_files(folder)), documents_(std::move(documents)) {}

bool Answers::is_own_name(const std::string& host) const {
  return host == fmt::format("127.0.0.1:{}", port_) || host == fmt::format("localhost:{}", port_);
}

/// Why a request is not taken; empty if it is.
std::string Answers::why_not(const PageRequest& request) const {
  constexpr std::string_view kScheme = "http://";
  if (!is_own_name(request.host)) return "This server has another name.";
  if (!request.origin.empty() &&
      (!request.origin.starts_with(kScheme) || !is_own_name(request.origin.substr(kScheme.size()))))
    return "Pages of other origins are not served.";
  const std::string& site = request.fetch_site;
  // Where a person follows a link the page is the destination, and tells the other one nothing.
  if (!site.empty() && site != "same-origin" && site != "none" && request.fetch_mode != "navigate")
    return "Pages of other origins are not served.";
  return {};
}

PageAnswer Answers::to(const PageRequest& request) const {
  if (const std::string reason = why_not(request); !reason.empty()) return refusal(403, reason);
  if (request.method != "GET" && request.method != "HEAD") {
    PageAnswer answer = refusal(405, "The lab is read only: GET and HEAD.");
    answer.fields.emplace_back("Allow", "GET, HEAD");
    return answer;
  }
  if (request.has_body) return refusal(413, "The lab takes no requests with a body.");
  const std::string path = path_of(request.target);
  if (const auto document = documents_.find(path); document != documents_.end()) {
    try {
      return answer_with(document->second(), "application/json", request);
    } catch (const std::exception& error) {
      return refusal(500, error.what());
    }
  }
  const auto found = files_.find(path);
  if (found == files_.end()) return refusal(404, "There is no such file in the lab.");
  std::ifstream stream(found->second, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (stream.bad() || !stream) return refusal(500, "The file cannot be read.");
  return answer_with(std::move(bytes), media_type(found->second), request);
}

}  // namespace heddle::lab
