#include "emulator/lab/desk.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/lab/limits.h"
#include "emulator/lab/played_litmus.h"
#include "emulator/lab/played_module.h"
#include "emulator/lab/state_json.h"
#include "emulator/litmus/vulkan/notation.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/spelling.h"
#include "emulator/spirv/module.h"
#include "runtime/text/json_text.h"

namespace heddle::lab {
namespace {

/// A text that is no test that can be played.
struct BadTest {
  std::string message;
  litmus::Place place;
};

// Fields, with what is wrong of them.

const Json* find(const Json& request, const char* field) {
  const auto found = request.find(field);
  return found == request.end() || found->is_null() ? nullptr : &*found;
}

std::string text_field(const Json& request, const char* field, std::optional<std::string> otherwise = std::nullopt,
                       std::size_t most = kMostNameBytes) {
  const Json* const value = find(request, field);
  if (!value && otherwise) return *otherwise;
  if (!value) throw BadRequest(fmt::format("the request needs the field \"{}\"", field));
  if (!value->is_string()) throw BadRequest(fmt::format("the field \"{}\" has to be a text", field));
  auto text = value->get<std::string>();
  if (text.size() > most)
    throw BadRequest(fmt::format("the field \"{}\" has to be a text of at most {} bytes", field, most));
  return text;
}

/// A list of at most so many entries, or null.
const Json* list_field(const Json& request, const char* field, const char* of_what, std::size_t most) {
  const Json* const value = find(request, field);
  if (!value) return nullptr;
  if (!value->is_array()) throw BadRequest(fmt::format("the field \"{}\" has to be a list of {}", field, of_what));
  if (value->size() > most)
    throw BadRequest(fmt::format("the field \"{}\" has to be a list of at most {} {}", field, most, of_what));
  return value;
}

std::uint64_t number_field(const Json& request, const char* field, std::optional<std::uint64_t> otherwise,
                           std::uint64_t most) {
  const Json* const value = find(request, field);
  if (!value && otherwise) return *otherwise;
  if (!value) throw BadRequest(fmt::format("the request needs the field \"{}\"", field));
  const bool fits = value->is_number_integer() && (value->is_number_unsigned() || value->get<std::int64_t>() >= 0) &&
                    value->get<std::uint64_t>() <= most;
  if (!fits) throw BadRequest(fmt::format("the field \"{}\" has to be a whole number from 0 to {}", field, most));
  return value->get<std::uint64_t>();
}

bool truth_field(const Json& request, const char* field, bool otherwise) {
  const Json* const value = find(request, field);
  if (!value) return otherwise;
  if (!value->is_boolean()) throw BadRequest(fmt::format("the field \"{}\" has to be true or false", field));
  return value->get<bool>();
}

Outcome outcome_field(const Played& played, const Json& request) {
  const Json* const given = find(request, "outcome");
  if (!given || !given->is_object()) throw BadRequest("the request needs the field \"outcome\": an object of values");
  Outcome outcome;
  for (std::size_t i = 0; i < played.observables().size(); ++i) {
    const std::string& name = played.observables()[i];
    const Json* const value = find(*given, name.c_str());
    const std::optional<std::int64_t> meant = value ? played.observed(i, *value) : std::nullopt;
    if (!meant) throw BadRequest(fmt::format("the outcome needs a {} for \"{}\"", played.kind_of_value(i), name));
    outcome.push_back(*meant);
  }
  if (given->size() != played.observables().size())
    throw BadRequest("the outcome has names that the test does not observe");
  return outcome;
}

std::uint32_t variable_named(const Played& played, const std::string& name) {
  for (std::uint32_t i = 0; i < played.variables().size(); ++i)
    if (played.variables()[i].name == name) return i;
  throw BadRequest(fmt::format("the test has no variable \"{}\"", name));
}

Breakpoint breakpoint_of(const Played& played, const Json& json) {
  if (!json.is_object() || json.size() != 1) throw BadRequest("a breakpoint is an object with one field");
  Breakpoint breakpoint;
  if (json.contains("line")) {
    breakpoint.kind = Breakpoint::Kind::Line;
    breakpoint.line = static_cast<std::uint32_t>(number_field(json, "line", std::nullopt, ~std::uint32_t{0}));
  } else if (json.contains("variable")) {
    breakpoint.kind = Breakpoint::Kind::Variable;
    breakpoint.variable = variable_named(played, text_field(json, "variable"));
  } else if (truth_field(json, "race", false)) {
    breakpoint.kind = Breakpoint::Kind::Race;
  } else if (truth_field(json, "outcome", false)) {
    breakpoint.kind = Breakpoint::Kind::AsAsked;
  } else {
    throw BadRequest("a breakpoint has the field \"line\", \"variable\", \"race\" or \"outcome\"");
  }
  return breakpoint;
}

Policy policy_named(const std::string& name) {
  if (name == "random") return Policy::Random;
  if (name == "eager") return Policy::Eager;
  if (name == "lazy") return Policy::Lazy;
  throw BadRequest(fmt::format("there is no policy \"{}\": the policies are random, eager and lazy", name));
}

litmus::Spelling spelling_named(const std::string& name) {
  if (name == "tags") return litmus::Spelling::Tags;
  if (name == "calls") return litmus::Spelling::Calls;
  throw BadRequest(fmt::format("there is no spelling \"{}\": the spellings are tags and calls", name));
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
  return text;
}

Json reason_json(const Session& session, const Reason& reason) {
  return {{"text", reason.text},
          {"clause", reason.clause},
          {"cycle", cycle_json(session.world().chronicle(), reason.cycle)}};
}

std::unique_ptr<Played> parse(const std::string& text, const std::string& file) {
  if (spirv::is_assembly(text)) {
    try {
      return played_module(text, file);
    } catch (const spirv::Error& error) {
      throw BadTest{error.what(), {error.position().line, error.position().line == 0 ? 0U : 1U}};
    }
  }
  if (is_glsl_text(text)) throw BadTest{kCompileFirst, {1, 1}};
  litmus::VulkanParse parsed = litmus::parse_vulkan(text);
  if (!parsed.test) throw BadTest{parsed.errors.front().message, parsed.errors.front().place};
  return played(std::move(*parsed.test));
}

std::string dump(const Json& json) {
  return text::json_text(json);
}

}  // namespace

/// What each request does.
struct Desk::Requests {
  Desk& desk;
  const Json& request;

  Session& session() {
    if (!desk.session_) throw BadRequest("there is no test yet: send \"open\" first");
    return *desk.session_;
  }
  const Played& played() { return session().played(); }

  Json state(Json answer = {{"ok", true}}) {
    Json state = state_json(session());
    state["file"] = desk.file_;
    state["text"] = desk.text_;
    answer["state"] = std::move(state);
    return answer;
  }

  static Json bad_test(const std::string& file, const BadTest& bad) {
    if (bad.place.line == 0) return {{"ok", false}, {"error", file + ": " + bad.message}};
    return {{"ok", false},
            {"error", litmus::describe(file, {bad.place, bad.message})},
            {"line", bad.place.line},
            {"column", bad.place.column}};
  }

  Json open() {
    std::string text = text_field(request, "text", std::nullopt, kMostTextBytes);
    std::string file = text_field(request, "file", "test.litmus");
    Rules rules;
    rules.bound = std::max<std::uint64_t>(number_field(request, "bound", 2, kMostBound), 1);
    rules.chains = truth_field(request, "chains", true);
    rules.performers = static_cast<std::uint32_t>(number_field(request, "performers", 0, ~std::uint32_t{0}));
    std::unique_ptr<Played> opened;
    try {
      opened = parse(text, file);
    } catch (const BadTest& bad) {
      return bad_test(file, bad);
    }
    auto session = std::make_unique<Session>(std::move(opened), rules);
    if (const Json* const moves = list_field(request, "moves", "ids", kMostMoves)) {
      for (const Json& move : *moves) {
        if (!move.is_string()) throw BadRequest("the field \"moves\" has to be a list of ids");
        session->make(move.get<std::string>());
      }
    }
    desk.session_ = std::move(session);
    desk.file_ = std::move(file);
    desk.text_ = std::move(text);
    desk.outcomes_.reset();
    return state();
  }

  Json make_move() {
    session().make(text_field(request, "move"));
    return state();
  }

  Json undo() {
    const std::uint64_t count = number_field(request, "count", 1, kMostMoves);
    if (count > session().at()) throw BadRequest(fmt::format("only {} moves are done", session().at()));
    session().jump(session().at() - count);
    return state();
  }

  Json redo() {
    session().jump(session().at() + number_field(request, "count", 1, kMostMoves));
    return state();
  }

  Json jump() {
    if (find(request, "bookmark")) {
      const std::string name = text_field(request, "bookmark");
      const auto found = session().bookmarks().find(name);
      if (found == session().bookmarks().end()) throw BadRequest(fmt::format("there is no bookmark \"{}\"", name));
      session().jump(found->second);
    } else {
      session().jump(number_field(request, "to", std::nullopt, kMostMoves));
    }
    return state();
  }

  Json bookmark() {
    const std::string name = text_field(request, "name");
    if (!truth_field(request, "remove", false)) {
      const auto& known = session().bookmarks();
      if (known.size() >= kMostBookmarks && known.count(name) == 0)
        throw BadRequest(fmt::format("a game has at most {} bookmarks", kMostBookmarks));
      session().set_bookmark(name);
    } else if (!session().remove_bookmark(name)) {
      throw BadRequest(fmt::format("there is no bookmark \"{}\"", name));
    }
    return state();
  }

  Json play() {
    const Policy policy = policy_named(text_field(request, "policy", "random"));
    const std::uint64_t seed = number_field(request, "seed", 1, ~std::uint64_t{0});
    const std::uint64_t most = number_field(request, "most", 1000, kMostMoves);
    std::string why;
    const Stop stop = session().play(policy, seed, most, why);
    Json answer{{"ok", true},
                {"stopped", stop == Stop::End     ? "end"
                            : stop == Stop::Break ? "break"
                            : stop == Stop::Stuck ? "stuck"
                                                  : "most"}};
    if (stop == Stop::Break) answer["break"] = why;
    return state(std::move(answer));
  }

  Json breakpoints() {
    const Json* const given = list_field(request, "breaks", "breakpoints", kMostBreakpoints);
    if (!given) throw BadRequest("the request needs the field \"breaks\": a list");
    std::vector<Breakpoint> all;
    for (const Json& one : *given) all.push_back(breakpoint_of(played(), one));
    session().set_breakpoints(std::move(all));
    return state();
  }

  Json find_word() {
    const std::string word = lower(text_field(request, "word"));
    Json found = Json::array();
    const std::vector<Entry>& history = session().history();
    for (std::size_t i = 0; i < history.size(); ++i) {
      std::string text = history[i].text;
      for (const std::string& effect : history[i].effects) text += '\n' + effect;
      if (lower(std::move(text)).find(word) != std::string::npos) found.push_back(i);
    }
    return {{"ok", true}, {"found", std::move(found)}};
  }

  Json why_not() {
    Json answer{{"ok", true}};
    answer.update(reason_json(session(), lab::why_not(session(), text_field(request, "move"))));
    return answer;
  }

  Json sources() {
    const auto number = [&](const char* field) {
      return static_cast<std::uint32_t>(number_field(request, field, std::nullopt, ~std::uint32_t{0}));
    };
    const std::vector<ValueSource> found = find(request, "step") ? sources_of_step(session(), number("step"))
                                                                 : sources_of_next(session(), number("thread"));
    Json all = Json::array();
    for (const ValueSource& source : found) all.push_back(source_json(session(), source));
    return {{"ok", true}, {"sources", std::move(all)}};
  }

  const Outcomes& explored() {
    const std::uint64_t limit = number_field(request, "limit", 100000, kMostExecutions);
    if (!desk.outcomes_ || desk.outcomes_limit_ != limit) {
      desk.outcomes_ = played().explore(session().rules(), limit);
      desk.outcomes_limit_ = limit;
    }
    return *desk.outcomes_;
  }

  Json outcomes() {
    const Outcomes& found = explored();
    Json all = Json::array();
    for (const OutcomeRow& row : found.rows)
      all.push_back({{"values", outcome_json(played(), row.values)},
                     {"allowed", true},
                     {"satisfies", played().satisfies(row.values)},
                     {"executions", row.executions},
                     {"racy", row.racy_executions != 0},
                     {"playable", row.kept_back.empty()},
                     {"why", row.kept_back}});
    Json answer{{"ok", true}, {"outcomes", std::move(all)}};
    answer["complete"] = found.complete;
    answer["holds"] = found.holds;
    answer["racy"] = found.racy;
    answer["quantifier"] = played().quantifier();
    answer["condition"] = played().condition();
    return answer;
  }

  Json show() {
    const Outcome wanted = outcome_field(played(), request);
    const std::uint64_t tries = number_field(request, "tries", 2000, kMostTries);
    const Outcomes& found = explored();
    const std::vector<OutcomeRow>& rows = found.rows;
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& one) { return one.values == wanted; });
    if (row == rows.end()) {
      throw BadRequest(found.complete
                           ? "the memory model does not allow this outcome: \"why_never\" says why"
                           : "this outcome is not among those that were found within the limits of the exploration");
    }
    if (!row->kept_back.empty()) throw BadRequest("the memory model allows it, but no game ends so: " + row->kept_back);
    const auto [rules, game] = find_any_game(*row, tries);
    if (!game)
      throw BadRequest(
          fmt::format("the memory model allows it, but no game that ends so was found in {} tries; a "
                      "read is answered late only where nothing needs its value before",
                      tries));
    auto shown = std::make_unique<Session>(session().shared(), rules);
    shown->set_breakpoints(session().breakpoints());
    for (const Move& move : *game) shown->make(id_of(move, shown->played()));
    desk.session_ = std::move(shown);
    desk.outcomes_.reset();
    return state();
  }

  /// The invocations that perform cooperative accesses.
  std::pair<Rules, std::optional<std::vector<Move>>> find_any_game(const OutcomeRow& row, std::uint64_t tries) {
    Rules rules = session().rules();
    auto game = find_game(played(), rules, row, tries);
    for (std::uint32_t other = 0; !game && other < played().performers(); ++other) {
      rules.performers = other;
      game = find_game(played(), rules, row, tries);
    }
    return {rules, std::move(game)};
  }

  Json why_never() {
    const std::uint64_t limit = number_field(request, "limit", 100000, kMostExecutions);
    Json answer{{"ok", true}};
    answer.update(
        reason_json(session(), played().why_never(session().rules(), limit, outcome_field(played(), request))));
    return answer;
  }

  Json respell() const {
    const std::string text = text_field(request, "text", std::nullopt, kMostTextBytes);
    const std::string file = text_field(request, "file", "test.litmus");
    const litmus::Spelling wanted = spelling_named(text_field(request, "to"));
    const litmus::VulkanParse parsed = litmus::parse_vulkan(text);
    if (!parsed.test) return bad_test(file, {parsed.errors.front().message, parsed.errors.front().place});
    const litmus::Spelling spelling = spelling_of(*parsed.test);
    const std::string why_not = why_not_spelled(*parsed.test, wanted);
    if (spelling != wanted && !why_not.empty()) throw BadRequest(why_not);
    // A text that is as wanted keeps its comments and its layout.
    return {{"ok", true},
            {"text", spelling == wanted ? text : spell(*parsed.test, wanted)},
            {"spelling", spelling == litmus::Spelling::Calls ? "calls" : "tags"}};
  }

  static Json words() {
    Json answer{{"ok", true}, {"words", Json::array()}, {"relations", Json::array()}, {"rules", Json::array()}};
    for (const litmus::NotationWord& word : litmus::notation())
      answer["words"].push_back(
          {{"word", word.word}, {"calls", word.call}, {"kind", name(word.kind)}, {"text", word.text}});
    for (const litmus::RelationWords& words : litmus::relation_words())
      answer["relations"].push_back({{"relation", judge::name(words.relation)},
                                     {"name", words.name},
                                     {"clause", words.clause},
                                     {"text", words.text}});
    for (const litmus::RuleWords& words : litmus::rule_words())
      answer["rules"].push_back(
          {{"rule", words.rule}, {"name", words.name}, {"clause", words.clause}, {"text", words.text}});
    return answer;
  }

  Json answer() {
    const std::string name = text_field(request, "request");
    if (name == "open") return open();
    if (name == "state") return state();
    if (name == "do") return make_move();
    if (name == "undo") return undo();
    if (name == "redo") return redo();
    if (name == "jump") return jump();
    if (name == "bookmark") return bookmark();
    if (name == "play") return play();
    if (name == "breakpoints") return breakpoints();
    if (name == "find") return find_word();
    if (name == "why_not") return why_not();
    if (name == "sources") return sources();
    if (name == "outcomes") return outcomes();
    if (name == "show") return show();
    if (name == "why_never") return why_never();
    if (name == "spell") return respell();
    if (name == "words") return words();
    throw BadRequest(fmt::format("there is no request \"{}\"", name));
  }
};

Desk::Desk() = default;
Desk::~Desk() = default;

std::string Desk::handle(std::string_view request) {
  if (request.size() > kMostRequestBytes)
    return dump({{"ok", false}, {"error", fmt::format("a request has at most {} bytes", kMostRequestBytes)}});
  const Json parsed = Json::parse(request, nullptr, false);
  if (!parsed.is_object()) return dump({{"ok", false}, {"error", "a request is a JSON object"}});
  try {
    return dump(Requests{*this, parsed}.answer());
  } catch (const BadRequest& bad) {
    return dump({{"ok", false}, {"error", bad.what()}});
  }
}

}  // namespace heddle::lab
