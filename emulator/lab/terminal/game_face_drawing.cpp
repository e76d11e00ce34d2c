// What a game looks like, from top to bottom.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "emulator/lab/terminal/game_face.h"

namespace heddle::lab::terminal {
namespace {

std::string registers_text(const World& world, std::uint32_t thread) {
  std::string text;
  for (const PlayedRegister& one : world.played().registers(world, thread))
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", one.name, one.late ? "?" : spelled(one.value));
  return text;
}

/// "wg0 sg1", "host", "queue 1 qf0"
std::string where_text(const PlayedThread& thread) {
  if (thread.kind == PlayedThread::Kind::Host) return "host";
  if (thread.kind == PlayedThread::Kind::Batch) return fmt::format("queue {} qf{}", thread.queue, thread.queue_family);
  return fmt::format("wg{} sg{}", thread.workgroup, thread.subgroup);
}

/// "x=1"
std::string written_text(const Played& played, const memory::HeldWrite& held) {
  const std::uint32_t variable = played.variable_of(held.reference, held.bytes);
  return fmt::format("{}={}", played.variables()[variable].name, played.spelled(variable, held.value));
}

std::string_view standing_text(const run::Runner& runner, std::uint32_t thread) {
  switch (runner.standing(thread)) {
    case run::Standing::NotBegun:
      return "not begun";
    case run::Standing::Arrived:
      return "at a barrier";
    case run::Standing::Calling:
      return "waits";
    case run::Standing::Ended:
      return runner.ends()[thread].state == explore::EndState::Cut        ? "cut"
             : runner.ends()[thread].state == explore::EndState::Spinning ? "spins"
                                                                          : "ended";
    default:
      return "";
  }
}

}  // namespace

std::string GameFace::title() const {
  const std::string state = session_->end() ? "ended" : session_->world().runner().ready().empty() ? "halted" : "";
  return fmt::format(" {}  step {} of {}{}{}", session_->played().name().empty() ? "test" : session_->played().name(),
                     session_->at(), session_->history().size(), state.empty() ? "" : ", ", state);
}

std::string GameFace::right_title() const {
  const std::size_t races = session_->verdict().races.size();
  return races == 0 ? "no race so far " : fmt::format("{} race{} (c) ", races, races == 1 ? "" : "s");
}

int GameFace::draw_threads(Canvas& canvas, int row, int height) {
  const Played& played = session_->played();
  const run::Runner& runner = session_->world().runner();
  const Words words = session_->words();
  constexpr int kNarrowest = 19;
  const int fit = std::max(canvas.columns() / kNarrowest, 1);
  const int count = std::min(fit, static_cast<int>(played.threads().size()));
  first_thread_ =
      std::min(first_thread_, static_cast<std::uint32_t>(played.threads().size()) - static_cast<unsigned>(count));
  const int width = canvas.columns() / count;
  for (int i = 0; i < count; ++i) {
    const std::uint32_t index = first_thread_ + static_cast<std::uint32_t>(i);
    const PlayedThread& thread = played.threads()[index];
    const int column = i * width;
    const std::string_view standing = standing_text(runner, index);
    canvas.write(row, column, fmt::format("{} {} {}", thread.name, where_text(thread), standing), Style::Bold,
                 width - 1);
    const std::uint32_t next = session_->end() ? 0 : next_line(runner, words, index);
    const std::vector<CodeLine>& code = thread.code;
    int current = 0;
    for (std::size_t k = 0; k < code.size(); ++k)
      if (code[k].line == next) current = static_cast<int>(k);
    const int rows = height - 2;
    const int entries = static_cast<int>(code.size());
    const int first = std::clamp(current - rows / 2, 0, std::max(entries - rows, 0));
    for (int k = 0; k < rows && first + k < entries; ++k) {
      const CodeLine& instruction = code[static_cast<std::size_t>(first + k)];
      const bool is_next = instruction.line == next;
      canvas.write(row + 1 + k, column, fmt::format("{}{}", is_next ? '>' : ' ', instruction.text),
                   is_next ? Style::Bold : Style::Plain, width - 1);
    }
    canvas.write(row + height - 1, column, ' ' + registers_text(session_->world(), index), Style::Plain, width - 1);
  }
  if (static_cast<int>(played.threads().size()) > count)
    canvas.write(row, canvas.columns() - 11, "<left right", Style::Dim);
  return row + height;
}

std::string GameFace::own_cache(std::uint32_t thread, bool& stale) {
  World& world = session_->world();
  const Played& played = session_->played();
  std::string text;
  const auto add = [&](const std::string& line) { text += (text.empty() ? "" : " ") + line; };
  const Words words = session_->words();
  for (const memory::HeldWrite& held : world.machine().held_writes())
    if (held.level == CacheLevel::Agent && !held.in_device && words.column(held.agent) == thread)
      add(written_text(played, held) + 'w');
  if (world.runner().standing(thread) == run::Standing::Ended) return text;
  for (std::uint32_t variable = 0; variable < played.variables().size(); ++variable) {
    const std::optional<Operation> read = played.read_of(world, thread, variable);
    if (!read) continue;
    const memory::HeldCopy copy = world.machine().held_copy(*read);
    stale = stale || copy.stale;
    add(fmt::format("{}={}{}", played.variables()[variable].name, played.spelled(variable, copy.value),
                    copy.stale ? "*" : ""));
  }
  return text;
}

std::string GameFace::shared_cache(CacheLevel level, const std::string& id) {
  const Words words = session_->words();
  std::string text;
  for (const memory::HeldWrite& held : session_->world().machine().held_writes()) {
    if (held.level != level || words.cache_id(held.agent, level) != id) continue;
    text += fmt::format("{}{}w", text.empty() ? "" : " ", written_text(session_->played(), held));
  }
  return text;
}

std::string GameFace::domain_row(bool of_host) {
  std::map<AllocationId, std::string> newest;
  for (const memory::HeldWrite& held : session_->world().machine().held_writes())
    if (of_host ? held.in_host : held.in_device) newest[held.bytes.allocation] = written_text(session_->played(), held);
  std::string text;
  for (const auto& [allocation, one] : newest) text += (text.empty() ? "" : " ") + one;
  return text;
}

std::string GameFace::memory_row() {
  const Played& played = session_->played();
  std::string text;
  std::set<std::pair<AllocationId, std::uint64_t>> shown;
  for (std::uint32_t variable = 0; variable < played.variables().size(); ++variable) {
    const Locations& bytes = played.variables()[variable].bytes;
    if (!shown.emplace(bytes.allocation, bytes.offset_bytes).second) continue;
    trace::Value value = session_->world().runner().final_value(bytes);
    if (!session_->end())
      for (const memory::HeldWrite& held : session_->world().machine().held_writes())
        if (held.bytes == bytes && held.level >= CacheLevel::Shader) value = held.value;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", played.variables()[variable].name,
                        played.spelled(variable, value));
  }
  return text;
}

// A box for each cache: the threads' own ones under their columns; of the others those that hold something, and memory.
int GameFace::draw_caches(Canvas& canvas, int row) {
  const Played& played = session_->played();
  constexpr int kNarrowest = 19;
  const int count = std::min(std::max(canvas.columns() / kNarrowest, 1), static_cast<int>(played.threads().size()));
  const int width = canvas.columns() / count;
  for (int i = 0; i < count; ++i) {
    const std::uint32_t thread = first_thread_ + static_cast<std::uint32_t>(i);
    bool stale = false;
    const std::string text = session_->end() ? "" : own_cache(thread, stale);
    canvas.box(row, i * width, 3, width - 1, fmt::format(" {}'s cache ", played.threads()[thread].name));
    canvas.write(row + 1, i * width + 2, text, stale ? Style::Warning : Style::Plain, width - 5);
  }
  row += 3;
  struct Box {
    std::string title;
    std::string text;
  };
  std::vector<Box> boxes;
  const Words words = session_->words();
  if (played.has_host() && !session_->end()) {
    boxes.push_back({"host domain", domain_row(true)});
    boxes.push_back({"device domain", domain_row(false)});
  }
  for (const CacheLevel level : {CacheLevel::Subgroup, CacheLevel::Workgroup, CacheLevel::QueueFamily}) {
    std::vector<std::string> seen;
    for (std::uint32_t thread = 0; thread < played.threads().size() && !session_->end(); ++thread) {
      const std::string id = words.cache_id(static_cast<AgentId>(thread), level);
      if (std::find(seen.begin(), seen.end(), id) != seen.end()) continue;
      seen.push_back(id);
      const std::string text = shared_cache(level, id);
      if (!text.empty()) boxes.push_back({words.cache(static_cast<AgentId>(thread), level), text});
    }
  }
  if (!played.has_host() || session_->end()) boxes.push_back({"memory", memory_row()});
  const int each = canvas.columns() / static_cast<int>(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const int column = static_cast<int>(i) * each;
    canvas.box(row, column, 3, each - 1, ' ' + boxes[i].title + ' ');
    canvas.write(row + 1, column + 2, boxes[i].text, i + 1 < boxes.size() ? Style::Moving : Style::Plain, each - 5);
  }
  return row + 3;
}

std::vector<std::string> GameFace::list_texts(std::vector<Style>& styles) {
  std::vector<std::string> texts;
  const auto add = [&](std::string text, Style style = Style::Plain) {
    texts.push_back(std::move(text));
    styles.push_back(style);
  };
  switch (list_) {
    case List::Moves: {
      int number = 0;
      for (const Offer& offer : session_->offers()) {
        ++number;
        add(fmt::format("{} {}", number <= 9 ? fmt::format("{}", number) : " ", offer.text),
            offer.stale                        ? Style::Warning
            : offer.kind == OfferKind::Deliver ? Style::Moving
                                               : Style::Plain);
      }
      break;
    }
    case List::Forbidden:
      for (const Forbidden& move : forbidden_moves(session_->world(), session_->offers())) add(move.text, Style::Dim);
      break;
    case List::History: {
      add("0 the start", session_->at() == 0 ? Style::Bold : Style::Plain);
      for (std::size_t i = 0; i < session_->history().size(); ++i) {
        const Entry& entry = session_->history()[i];
        std::string text = fmt::format("{} {}", i + 1, entry.text);
        for (const std::string& effect : entry.effects) text += "; " + effect;
        add(std::move(text), i + 1 == session_->at()  ? Style::Bold
                             : i + 1 > session_->at() ? Style::Dim
                                                      : Style::Plain);
      }
      break;
    }
    case List::Outcomes:
      if (!outcomes_) break;
      for (const OutcomeRow& row : outcomes_->rows) {
        const Played& played = session_->played();
        std::string text;
        for (std::size_t k = 0; k < row.values.size(); ++k)
          text += fmt::format("{}={} ", played.observables()[k], spelled(played.observed(k, row.values[k])));
        const bool meets = !played.condition().empty() && played.satisfies(row.values);
        add(fmt::format("{} {}{}{}", text, meets ? "(as the condition says) " : "",
                        row.racy_executions != 0 ? "(racy) " : "", row.kept_back.empty() ? "" : "(cannot be played)"),
            row.racy_executions != 0 ? Style::Warning : Style::Plain);
      }
      break;
  }
  return texts;
}

std::string GameFace::list_title() const {
  switch (list_) {
    case List::Moves:
      return "moves";
    case List::Forbidden:
      return "forbidden moves: Enter says why";
    case List::History:
      return "history: Enter goes there";
    case List::Outcomes:
      return "outcomes that are allowed: Enter shows one";
  }
  return "";
}

void GameFace::draw_list(Canvas& canvas, int row, int height) {
  draw_rule(canvas, row, list_title());
  std::vector<Style> styles;
  const std::vector<std::string> texts = list_texts(styles);
  if (texts.empty()) {
    canvas.write(row + 1, 1, list_ == List::Moves ? "The game has ended: u goes back, o shows the outcomes." : "None.");
    return;
  }
  choices().draw(canvas, row + 1, height - 1, texts, styles, true);
}

std::string GameFace::message() const {
  if (!session_->end()) return Face::message();
  std::string text = *session_->end() == run::RunEnd::Terminated ? "It ends with"
                     : *session_->end() == run::RunEnd::Blocked  ? "A thread waits for ever, with"
                                                                 : "The bound cuts it, with";
  const Played& played = session_->played();
  const Outcome outcome = session_->outcome();
  for (std::size_t i = 0; i < outcome.size(); ++i)
    text += fmt::format(" {}={}", played.observables()[i], spelled(played.observed(i, outcome[i])));
  if (!session_->passes_filter()) return text + ": the filter discards it, the test does not ask about it";
  if (!played.condition().empty())
    text += session_->satisfies_assertion() ? ": as the condition says" : ": not as the condition says";
  return text;
}

void GameFace::draw_middle(Canvas& canvas) {
  std::size_t longest = 1;
  for (const PlayedThread& thread : session_->played().threads()) longest = std::max(longest, thread.code.size());
  const int code = std::clamp(static_cast<int>(longest), 1, std::max((canvas.rows() - 14) * 2 / 3, 1));
  int row = draw_threads(canvas, 1, code + 2);
  // On the smallest screens the list is worth more than the boxes.
  if (canvas.rows() >= row + 6 + 5) row = draw_caches(canvas, row);
  draw_list(canvas, row, canvas.rows() - 2 - row);
}

}  // namespace heddle::lab::terminal
