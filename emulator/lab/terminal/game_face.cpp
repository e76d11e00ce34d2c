#include "emulator/lab/terminal/game_face.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

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
    "g               go to a move's number, or to a bookmark\n"
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

GameFace::GameFace(std::unique_ptr<Session> session) : session_(std::move(session)) {
  message_ = "? is help, q leaves";
}

void GameFace::show_reason(const std::string& title, const std::string& text, std::string_view clause) {
  page_.open(title, clause.empty() ? text : fmt::format("{}\n\nClause: vk:{}", text, clause));
}

bool GameFace::press(int key) {
  if (page_.is_open()) {
    page_.press(key);
    return true;
  }
  try {
    if (prompt_.open()) {
      if (prompt_.press(key)) answer_prompt();
      return true;
    }
    return command(key);
  } catch (const BadRequest& bad) {
    message_ = bad.what();
  }
  return true;
}

void GameFace::moved() {
  moves_.select(0);
  forbidden_.select(0);
  past_.select(static_cast<int>(session_->at()));
}

void GameFace::choose_number(int number) {
  const std::vector<Offer>& offers = session_->offers();
  if (number >= static_cast<int>(offers.size())) throw BadRequest(fmt::format("there is no move {} now", number + 1));
  const std::string id = id_of(offers[static_cast<std::size_t>(number)].move, session_->test());
  session_->make(id);
  message_ = session_->history().back().text;
  for (const std::string& effect : session_->history().back().effects) message_ += "; " + effect;
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
      if (outcomes_ && !outcomes_->answer.outcomes.empty()) show_outcome(static_cast<std::size_t>(results_.selected()));
      break;
  }
}

void GameFace::explore() {
  constexpr std::uint64_t kLimit = 100000;
  if (!outcomes_) outcomes_ = explore_outcomes(session_->test(), session_->rules(), kLimit);
  list_ = List::Outcomes;
  const litmus::Answer& answer = outcomes_->answer;
  message_ = fmt::format("{} outcome{}{}{}", answer.outcomes.size(), answer.outcomes.size() == 1 ? "" : "s",
                         answer.racy ? ", the test is racy" : ", no execution is racy",
                         answer.complete ? "" : "; there may be more: a bound or a limit kept some back");
}

void GameFace::show_outcome(std::size_t which) {
  constexpr std::size_t kTries = 2000;
  if (!outcomes_->kept_back[which].empty()) return page_.open("It cannot be played", outcomes_->kept_back[which]);
  const auto game = find_game(session_->test(), session_->rules(), outcomes_->answer.outcomes[which], kTries);
  if (!game) throw BadRequest("no game that ends so was found");
  session_->jump(0);
  for (const Move& move : *game) session_->make(id_of(move, session_->test()));
  session_->jump(0);
  list_ = List::History;
  moved();
  message_ = fmt::format("{} moves lead there: r makes the next one", game->size());
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
  message_ = stop == Stop::Break   ? why
             : stop == Stop::Most  ? "it goes on and on"
             : stop == Stop::Stuck ? "the judge allows no move: u goes back"
                                   : "";
  moved();
}

void GameFace::search(bool from_start) {
  if (word_.empty()) throw BadRequest("nothing was searched for yet: / asks");
  const std::vector<Entry>& history = session_->history();
  const std::size_t begin = from_start ? 0 : static_cast<std::size_t>(past_.selected());
  for (std::size_t k = 0; k < history.size(); ++k) {
    const std::size_t i = (begin + k) % history.size();
    std::string text = history[i].text;
    for (const std::string& effect : history[i].effects) text += '\n' + effect;
    if (text.find(word_) == std::string::npos) continue;
    list_ = List::History;
    past_.select(static_cast<int>(i) + 1);
    message_ = fmt::format("move {}: n searches on, Enter goes there", i + 1);
    return;
  }
  throw BadRequest(fmt::format("\"{}\" is nowhere in the history", word_));
}

void GameFace::set_breakpoint(const std::string& text) {
  std::vector<Breakpoint> all = session_->breakpoints();
  Breakpoint fresh;
  const std::size_t blank = text.find(' ');
  const std::string kind = text.substr(0, blank);
  const std::string what = blank == std::string::npos ? "" : text.substr(blank + 1);
  if (kind == "none") {
    session_->set_breakpoints({});
    message_ = "there are no breakpoints any more";
    return;
  }
  if (kind == "line") {
    fresh.kind = Breakpoint::Kind::Line;
    const auto end = std::from_chars(what.data(), what.data() + what.size(), fresh.line);
    if (end.ec != std::errc() || end.ptr != what.data() + what.size()) throw BadRequest("which line? (line 5)");
  } else if (kind == "variable") {
    fresh.kind = Breakpoint::Kind::Variable;
    const auto& variables = session_->test().variables;
    const auto named =
        std::find_if(variables.begin(), variables.end(), [&](const auto& one) { return one.name == what; });
    if (named == variables.end()) throw BadRequest(fmt::format("there is no variable \"{}\"", what));
    fresh.variable = static_cast<std::uint32_t>(named - variables.begin());
  } else if (kind == "outcome") {
    fresh.kind = Breakpoint::Kind::Outcome;
  } else if (kind != "race") {
    throw BadRequest("a breakpoint is one of: line 5, variable x, race, outcome, none");
  }
  all.push_back(fresh);
  session_->set_breakpoints(std::move(all));
  message_ = "p, e and l stop there";
}

void GameFace::jump(const std::string& text) {
  const auto bookmark = session_->bookmarks().find(text);
  std::size_t to = 0;
  if (bookmark != session_->bookmarks().end()) {
    to = bookmark->second;
  } else {
    const auto end = std::from_chars(text.data(), text.data() + text.size(), to);
    if (end.ec != std::errc() || end.ptr != text.data() + text.size())
      throw BadRequest(fmt::format("there is no bookmark \"{}\"", text));
  }
  session_->jump(to);
  moved();
}

void GameFace::answer_prompt() {
  const std::string& text = prompt_.text();
  switch (asks_) {
    case Asks::Word:
      word_ = text;
      return search(true);
    case Asks::Breakpoint:
      return set_breakpoint(text);
    case Asks::Bookmark:
      session_->set_bookmark(text);
      message_ = fmt::format("bookmark \"{}\" is at move {}", text, session_->at());
      return;
    case Asks::Jump:
      return jump(text);
    case Asks::Nothing:
      return;
  }
}

// Speaks of all threads that read next.
void GameFace::where_from() {
  std::string text;
  for (std::uint32_t thread = 0; thread < session_->test().threads.size(); ++thread) {
    std::vector<ValueSource> sources;
    try {
      sources = sources_of_next(*session_, thread);
    } catch (const BadRequest&) {
      continue;
    }
    text += fmt::format("{}{} reads {} next:\n", text.empty() ? "" : "\n", session_->test().threads[thread].name(),
                        session_->test().variables[sources.front().variable].name);
    for (const ValueSource& source : sources) {
      const std::string_view status = source.status == ValueSource::Status::Now     ? "now"
                                      : source.status == ValueSource::Status::Later ? "later"
                                                                                    : "never";
      const std::string value = source.value ? fmt::format(" {}", as_integer(*source.value)) : "";
      text += fmt::format("- {}{}: {}\n", status, value, source.reason.text);
    }
  }
  if (text.empty()) throw BadRequest("no thread reads next");
  page_.open("Where the values could come from", text);
}

bool GameFace::command(int key) {
  message_.clear();
  const int entries = list_ == List::Moves       ? static_cast<int>(session_->offers().size())
                      : list_ == List::Forbidden ? 1000
                      : list_ == List::History   ? static_cast<int>(session_->history().size()) + 1
                      : outcomes_                ? static_cast<int>(outcomes_->answer.outcomes.size())
                                                 : 0;
  Choices& choices = list_ == List::Moves       ? moves_
                     : list_ == List::Forbidden ? forbidden_
                     : list_ == List::History   ? past_
                                                : results_;
  if (choices.press(key, entries)) return true;
  if (key == 'q' || key == kKeyInterrupt) return false;
  if (!turn_page(key) && !ask_or_tell(key)) change_game(key);
  return true;
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
  const auto ask = [&](Asks what, const char* label) {
    asks_ = what;
    prompt_.ask(label);
  };
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
      ask(Asks::Word, "search the history for");
      return true;
    case 'k':
      ask(Asks::Breakpoint, "breakpoint (line 5, variable x, race, outcome, none)");
      return true;
    case 'b':
      ask(Asks::Bookmark, "name of the bookmark");
      return true;
    case 'g':
      ask(Asks::Jump, "go to move, or bookmark");
      return true;
    case '?':
      page_.open("heddle step", kHelp);
      return true;
    default:
      return false;
  }
}

void GameFace::tell_races() {
  std::string text;
  for (const std::string& race : session_->verdict().race_texts) text += race + '\n';
  page_.open("Data races so far", text.empty() ? "There is no data race so far." : text);
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
      message_ = session_->history()[session_->at() - 1].text;
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
