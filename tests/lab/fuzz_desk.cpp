// libFuzzer target: any lines as requests to a desk that has a test open.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "emulator/lab/desk.h"

namespace {

using nlohmann::json;

constexpr const char* kTest = R"(Vulkan message
{ x = 0; y = 0; }
P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;
st.nonpriv.sc0 x, 1 | ld.atom.dv.sc0 r0, y ;
st.atom.dv.sc0 y, 1 | ld.nonpriv.sc0 r1, x ;
exists (P1:r0 == 1 /\ P1:r1 == 0)
)";

// More make one input take seconds: each may explore the test.
constexpr int kMostRequests = 20;

/// Whether a request asks for more than a moment's work, which the desk does when asked to.
bool takes_long(const std::string& request) {
  const json parsed = json::parse(request, nullptr, false);
  if (!parsed.is_object()) return false;
  const auto more_than = [&](const char* field, double most) {
    return parsed.contains(field) && parsed.at(field).is_number() && parsed.at(field).get<double>() > most;
  };
  const bool explores = parsed.value("request", json()) == "show" && !parsed.contains("tries");
  return explores || more_than("most", 100) || more_than("tries", 50) || more_than("bound", 4);
}

/// An answer says whether it is one; a game that the desk shows is one that the judge accepts.
void check(const std::string& request, const std::string& answer) {
  const json parsed = json::parse(answer, nullptr, false);
  const bool sound = parsed.is_object() && parsed.contains("ok") && parsed.at("ok").is_boolean() &&
                     (parsed.at("ok") == true || parsed.at("error").is_string()) &&
                     (!parsed.contains("state") || parsed.at("state").at("consistent") == true);
  if (sound) return;
  std::fprintf(stderr, "%s\n  is answered with\n%s\n", request.c_str(), answer.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  heddle::lab::Desk desk;
  desk.handle(json{{"request", "open"}, {"text", kTest}}.dump());
  for (int i = 0; i < kMostRequests && !rest.empty(); ++i) {
    const std::size_t end = rest.find('\n');
    const std::string request(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (!takes_long(request)) check(request, desk.handle(request));
  }
  return 0;
}
