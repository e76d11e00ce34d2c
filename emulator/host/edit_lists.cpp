// The edits of the devices of a program, and which of them met no instruction.

#include "emulator/edits/list_text.h"

#include <heddle/edit.h>

#include "emulator/host/edited.h"
#include "emulator/watch/race_log.h"
#include "runtime/text/readable.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <stdexcept>

namespace heddle::detail {
namespace {

void tell_unmet(const edits::EditList& list) {
  const std::vector<Edit> unmet = list.unmet();
  watch::RaceLog* const log = unmet.empty() ? nullptr : watch::RaceLog::of_process();
  for (const Edit& edit : unmet) {
    const std::string text = fmt::format("the edit '{}' met no instruction", text::readable(to_text(edit)));
    if (log) {
      log->add(log->new_run(), report::Remark{text});
    } else {
      std::fprintf(stderr, "heddle: %s\n", text.c_str());
    }
  }
}

std::shared_ptr<edits::EditList> make_list(const std::vector<Edit>& edits) {
  return {new edits::EditList(edits), [](const edits::EditList* list) {
            if (!list->is_silent()) tell_unmet(*list);
            delete list;
          }};
}

}  // namespace

std::vector<Edit> edits_of_environment() {
  const char* const path = std::getenv("HEDDLE_EDITS");
  if (!path || !*path) return {};
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad())
    throw std::invalid_argument(fmt::format("HEDDLE_EDITS is '{}', which cannot be read", text::readable(path)));
  std::vector<Edit> edits;
  try {
    edits = edits_from_text(text);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("HEDDLE_EDITS is '{}', and there {}", text::readable(path), error.what()));
  }
  // Until the program ends: its devices come and go.
  static const std::shared_ptr<edits::EditList> kept = list_of(edits);
  return edits;
}

std::shared_ptr<edits::Survey> survey_of_environment() {
  const char* const path = std::getenv("HEDDLE_WEAKENINGS");
  if (!path || !*path) return nullptr;
  static const std::shared_ptr<edits::Survey> survey(new edits::Survey, [file = std::string(path)](edits::Survey* all) {
    std::ofstream(file, std::ios::binary) << all->text();
    delete all;
  });
  return survey;
}

std::shared_ptr<edits::EditList> list_of(const std::vector<Edit>& edits, bool wanted) {
  if (edits.empty() && !wanted) return nullptr;
  static std::mutex mutex;
  static auto& known = *new std::map<std::string, std::weak_ptr<edits::EditList>>;
  const std::lock_guard lock(mutex);
  std::weak_ptr<edits::EditList>& there = known[edits::text_of(edits)];
  std::shared_ptr<edits::EditList> list = there.lock();
  if (!list) there = list = make_list(edits);
  return list;
}

}  // namespace heddle::detail
