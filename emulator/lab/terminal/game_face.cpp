#include "emulator/lab/terminal/game_face.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/lab/reasons.h"

namespace heddle::lab::terminal {
namespace {

constexpr const char* kHelp =
    "A game on a litmus test. Each thread goes on when you say so, and so does each write that waits in a cache. "
    "What is "
    "drawn is what the machine knows: nothing is hidden but what comes next.\n"
    "\n"
    "Enter, 1 to 9   make the selected move, or the one of that number\n"
    "up, down        select (also page up, page down, Home, End)\n"
    "Tab             the next list: moves, forbidden moves, history, outcomes\n"
    "left, right     other threads, where they do not all fit\n"
    "u, r            undo, redo\n"
    "g               go to a step's number, or to a bookmark\n"
    "b               set a bookmark here\n"
    "p, e, l         play on: by the toss of a coin, eager, lazy\n"
    "k               breakpoint: line 5, variable x, race, outcome, none\n"
    "/, n            search the history, next\n"
    "w               where the value of a thread's next read could come from\n"
    "o               the outcomes that the memory model allows; Enter shows one\n"
    "c               the races so far\n"
    "?               this page\n"
    "q               leave\n"
    "\n"
    "In the list of forbidden moves Enter says why a move cannot be made. In the history it goes there. In the columns "
    "> is what a thread does next. In the boxes w is a write on its way, and * a stale copy: something newer is in "
    "reach.";

}  // namespace

GameFace::GameFace(std::unique_ptr<Session> session)
    : Face({" Enter move u undo r redo Tab lists p play  o outcomes  / find  ? help  q quit", "heddle step", kHelp}),
      session_(std::move(session)) {
  say("? is help, q leaves");
}

void GameFace::show_reason(const std::string& title, const std::string& text, std::string_view clause) {
  open_page(title, clause.empty() ? text : fmt::format("{}\n\nClause: vk:{}", text, clause));
}

void GameFace::moved() {
  moves_.select(0);
  forbidden_.select(0);
  past_.select(static_cast<int>(session_->at()));
}

void GameFace::choose_number(int number) {
  const std::vector<Offer>& offers = session_->offers();
  if (number >= static_cast<int>(offers.size())) throw BadRequest(fmt::format("there is no move {} now", number + 1));
  const std::string id = id_of(offers[static_cast<std::size_t>(number)].move, session_->played());
  session_->make(id);
  std::string text = session_->history().back().text;
  for (const std::string& effect : session_->history().back().effects) text += "; " + effect;
  say(std::move(text));
  moved();
}

void GameFace::choose() {
  switch (list_) {
    case List::Moves:
      if (!session_->offers().empty()) choose_number(moves_.selected());
      break;
    case List::Forbidden: {
      const std::vector<Forbidden> all = forbidden_moves(session_->world(), session_->offers());
      if (all.empty()) break;
      const Forbidden& move = all[static_cast<std::size_t>(forbidden_.selected())];
      const Reason reason = why_not(*session_, move.id);
      show_reason("Why not: " + move.text, reason.text, reason.clause);
      break;
    }
    case List::History:
      session_->jump(static_cast<std::size_t>(past_.selected()));
      moved();
      break;
    case List::Outcomes:
      if (outcomes_ && !outcomes_->rows.empty()) show_outcome(static_cast<std::size_t>(results_.selected()));
      break;
  }
}

void GameFace::explore() {
  constexpr std::uint64_t kLimit = 100000;
  if (!outcomes_) outcomes_ = session_->played().explore(session_->rules(), kLimit);
  list_ = List::Outcomes;
  say(fmt::format("{} outcome{}{}{}", outcomes_->rows.size(), outcomes_->rows.size() == 1 ? "" : "s",
                  outcomes_->racy ? ", the test is racy" : ", no execution is racy",
                  outcomes_->complete ? "" : "; there may be more: a bound or a limit kept some back"));
}

void GameFace::show_outcome(std::size_t which) {
  constexpr std::size_t kTries = 2000;
  const OutcomeRow& row = outcomes_->rows[which];
  if (!row.kept_back.empty()) return open_page("It cannot be played", row.kept_back);
  const auto game = find_game(session_->played(), session_->rules(), row, kTries);
  if (!game) throw BadRequest("no game that ends so was found");
  session_->jump(0);
  for (const Move& move : *game) session_->make(id_of(move, session_->played()));
  session_->jump(0);
  list_ = List::History;
  moved();
  say(fmt::format("{} steps lead there: r makes the next one", game->size()));
}

void GameFace::next_list() {
  list_ = list_ == List::Moves       ? List::Forbidden
          : list_ == List::Forbidden ? List::History
          : list_ == List::History   ? List::Outcomes
                                     : List::Moves;
  if (list_ == List::Outcomes) explore();
}

void GameFace::play(Policy policy) {
  constexpr std::size_t kMost = 2000;
  std::string why;
  const Stop stop = session_->play(policy, seed_++, kMost, why);
  say(stop == Stop::Break   ? why
      : stop == Stop::Most  ? "it goes on and on"
      : stop == Stop::Stuck ? "the judge allows no move: u goes back"
                            : "");
  moved();
}

void GameFace::search(bool from_start) {
  if (word_.empty()) throw BadRequest("nothing was searched for yet: / asks");
  const std::vector<Entry>& history = session_->history();
  const std::size_t begin = from_start ? 0 : static_cast<std::size_t>(past_.selected());
  const auto found = find_around(history.size(), begin, [&](std::size_t i) {
    std::string text = history[i].text;
    for (const std::string& effect : history[i].effects) text += '\n' + effect;
    return text.find(word_) != std::string::npos;
  });
  if (!found) throw BadRequest(fmt::format("\"{}\" is nowhere in the history", word_));
  list_ = List::History;
  past_.select(static_cast<int>(*found) + 1);
  say(fmt::format("step {}: n searches on, Enter goes there", *found + 1));
}

void GameFace::set_breakpoint(const std::string& text) {
  std::vector<Breakpoint> all = session_->breakpoints();
  Breakpoint fresh;
  const std::size_t blank = text.find(' ');
  const std::string kind = text.substr(0, blank);
  const std::string what = blank == std::string::npos ? "" : text.substr(blank + 1);
  if (kind == "none") {
    session_->set_breakpoints({});
    say("there are no breakpoints any more");
    return;
  }
  if (kind == "line") {
    fresh.kind = Breakpoint::Kind::Line;
    const auto line = number_of<decltype(fresh.line)>(what);
    if (!line) throw BadRequest("which line? (line 5)");
    fresh.line = *line;
  } else if (kind == "variable") {
    fresh.kind = Breakpoint::Kind::Variable;
    const auto& variables = session_->played().variables();
    const auto named =
        std::find_if(variables.begin(), variables.end(), [&](const auto& one) { return one.name == what; });
    if (named == variables.end()) throw BadRequest(fmt::format("there is no variable \"{}\"", what));
    fresh.variable = static_cast<std::uint32_t>(named - variables.begin());
  } else if (kind == "outcome") {
    fresh.kind = Breakpoint::Kind::AsAsked;
  } else if (kind != "race") {
    throw BadRequest("a breakpoint is one of: line 5, variable x, race, outcome, none");
  }
  all.push_back(fresh);
  session_->set_breakpoints(std::move(all));
  say("p, e and l stop there");
}

void GameFace::jump(const std::string& text) {
  const auto bookmark = session_->bookmarks().find(text);
  const auto number = number_of<std::size_t>(text);
  const bool is_named = bookmark != session_->bookmarks().end();
  if (!is_named && !number) throw BadRequest(fmt::format("there is no bookmark \"{}\"", text));
  session_->jump(is_named ? bookmark->second : *number);
  moved();
}

// Speaks of all threads that read next.
void GameFace::where_from() {
  std::string text;
  for (std::uint32_t thread = 0; thread < session_->played().threads().size(); ++thread) {
    std::vector<ValueSource> sources;
    try {
      sources = sources_of_next(*session_, thread);
    } catch (const BadRequest&) {
      continue;
    }
    text += fmt::format("{}{} reads {} next:\n", text.empty() ? "" : "\n", session_->played().threads()[thread].name,
                        session_->played().variables()[sources.front().variable].name);
    for (const ValueSource& source : sources) {
      const std::string_view status = source.status == ValueSource::Status::Now     ? "now"
                                      : source.status == ValueSource::Status::Later ? "later"
                                                                                    : "never";
      const std::string value = source.value ? " " + session_->played().spelled(source.variable, *source.value) : "";
      text += fmt::format("- {}{}: {}\n", status, value, source.reason.text);
    }
  }
  if (text.empty()) throw BadRequest("no thread reads next");
  open_page("Where the values could come from", text);
}

Choices& GameFace::choices() {
  return list_ == List::Moves       ? moves_
         : list_ == List::Forbidden ? forbidden_
         : list_ == List::History   ? past_
                                    : results_;
}

void GameFace::command(int key) {
  const int entries = list_ == List::Moves       ? static_cast<int>(session_->offers().size())
                      : list_ == List::Forbidden ? 1000
                      : list_ == List::History   ? static_cast<int>(session_->history().size()) + 1
                      : outcomes_                ? static_cast<int>(outcomes_->rows.size())
                                                 : 0;
  if (!choices().press(key, entries) && !turn_page(key) && !ask_or_tell(key)) change_game(key);
}

bool GameFace::turn_page(int key) {
  switch (key) {
    case kKeyTab:
      next_list();
      return true;
    case kKeyEscape:
      list_ = List::Moves;
      return true;
    case kKeyLeft:
      first_thread_ -= first_thread_ > 0 ? 1 : 0;
      return true;
    case kKeyRight:
      ++first_thread_;
      return true;
    default:
      return false;
  }
}

bool GameFace::ask_or_tell(int key) {
  switch (key) {
    case 'o':
      explore();
      return true;
    case 'w':
      where_from();
      return true;
    case 'c':
      tell_races();
      return true;
    case 'n':
      search(false);
      return true;
    case '/':
      ask("search the history for", [this](const std::string& word) {
        word_ = word;
        search(true);
      });
      return true;
    case 'k':
      ask("breakpoint (line 5, variable x, race, outcome, none)",
          [this](const std::string& text) { set_breakpoint(text); });
      return true;
    case 'b':
      ask("name of the bookmark", [this](const std::string& name) {
        session_->set_bookmark(name);
        say(fmt::format("bookmark \"{}\" is at step {}", name, session_->at()));
      });
      return true;
    case 'g':
      ask("go to step, or bookmark", [this](const std::string& text) { jump(text); });
      return true;
    default:
      return false;
  }
}

void GameFace::tell_races() {
  std::string text;
  for (const std::string& race : session_->verdict().race_texts) text += race + '\n';
  open_page("Data races so far", text.empty() ? "There is no data race so far." : text);
}

void GameFace::change_game(int key) {
  switch (key) {
    case kKeyEnter:
      choose();
      break;
    case 'u':
      if (session_->at() == 0) throw BadRequest("nothing to undo: this is the start");
      session_->jump(session_->at() - 1);
      moved();
      break;
    case 'r':
      if (session_->at() == session_->history().size()) throw BadRequest("nothing to redo");
      session_->jump(session_->at() + 1);
      say(session_->history()[session_->at() - 1].text);
      moved();
      break;
    case 'p':
      play(Policy::Random);
      break;
    case 'e':
      play(Policy::Eager);
      break;
    case 'l':
      play(Policy::Lazy);
      break;
    default:
      if (key >= '1' && key <= '9') choose_number(key - '1');
  }
}

}  // namespace heddle::lab::terminal
