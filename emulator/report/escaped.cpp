#include "emulator/report/escaped.h"

namespace heddle::report {

std::string escaped_xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string escaped_github(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '%':
        out += "%25";
        break;
      case '\n':
        out += "%0A";
        break;
      case '\r':
        out += "%0D";
        break;
      case ',':
        out += property ? "%2C" : ",";
        break;
      case ':':
        out += property ? "%3A" : ":";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace heddle::report
