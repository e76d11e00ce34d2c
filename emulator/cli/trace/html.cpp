#include "emulator/cli/trace/html.h"

#include "emulator/cli/trace/film_json.h"
#include "emulator/cli/trace/film_module.h"
#include "emulator/cli/trace/page.h"
#include "runtime/text/readable.h"

namespace heddle::cli {
namespace {

// "</script>" within the data would end it.
std::string for_script(const std::string& json) {
  std::string safe;
  for (const char c : json) safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return safe;
}

std::string for_html(const std::string& text) {
  std::string safe;
  for (const char c : text::readable(text)) safe += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return safe;
}

}  // namespace

void write_trace_page(std::ostream& out, const TraceFilm& film, const std::string& title) {
  out << kTracePageHead << "<title>" << for_html(title) << "</title></head>" << kTracePageBody
      << "<script type=\"module\">const data = " << for_script(film_json(film, title)) << ";\n"
      << kFilmModule << kTracePageScript << "</script></body></html>\n";
}

}  // namespace heddle::cli
