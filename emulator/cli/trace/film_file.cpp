#include "emulator/cli/trace/film_file.h"

#include <array>
#include <fstream>

#include "emulator/trace/file_format.h"

namespace heddle::cli {

bool is_trace_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::array<char, trace::kTraceMagic.size()> magic{};
  return in.read(magic.data(), magic.size()) && magic == trace::kTraceMagic;
}

trace::TraceSummary read_into(TraceFilm& film, const std::string& file) {
  return trace::read_trace_file(
      file, film, [&](const auto& bytes, const auto& components) { film.consist(bytes, components); },
      [&](std::string_view words) { film.called(words); }, [&](const trace::ToldRace& race) { film.raced(race); },
      &film);
}

TraceFilm read_film(const std::string& file, std::size_t most) {
  TraceFilm film(most);
  read_into(film, file);
  return film;
}

}  // namespace heddle::cli
