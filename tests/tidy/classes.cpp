#include <catch2/catch.hpp>

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>

#include "tests/tidy/source_files.h"

namespace heddle::tidy {
namespace {

constexpr int kMostMemberFunctions = 60;
constexpr int kMostHeadersPulled = 60;

bool is_product(const SourceFile& file) {
  return file.path.rfind("runtime/", 0) == 0 || file.path.rfind("include/", 0) == 0 ||
         file.path.rfind("emulator/", 0) == 0;
}

bool is_header(const std::string& path) {
  return path.size() > 2 && path.rfind(".h") == path.size() - 2;
}

// The lines as one text, without comments, what literals have in them, and directives of the preprocessor.
std::string code_of(const std::vector<std::string>& lines) {
  static const std::regex literal_or_comment(R"("(\\.|[^"\\])*"|'(\\.|[^'\\])'|//.*$)");
  std::string code;
  bool in_directive = false;
  for (const std::string& line : lines) {
    const std::size_t first = line.find_first_not_of(' ');
    in_directive = in_directive || (first != std::string::npos && line[first] == '#');
    if (!in_directive) code += std::regex_replace(line, literal_or_comment, "") + '\n';
    in_directive = in_directive && line.back() == '\\';
  }
  return code;
}

// Whether a statement in a class declares a function of it.
bool declares_function(const std::string& statement) {
  static const std::regex beside(
      R"(^(\s|(public|private|protected)\s*:|\[\[[^\]]*\]\]|template\s*<[^>]*>|__attribute__\(\([^)]*\)\))*)");
  static const std::regex other(R"(^(friend|using|static_assert|typedef|enum|class|struct|union|alignas)\b)");
  const std::string declaration = std::regex_replace(statement, beside, "");
  // A comma goes on with what a constructor initializes.
  if (declaration.empty() || declaration[0] == ',' || std::regex_search(declaration, other)) return false;
  const std::string head = declaration.substr(0, declaration.find('('));
  if (head.size() == declaration.size() || head.empty()) return false;
  if (head.find("operator") != std::string::npos) return true;
  const bool in_argument = std::count(head.begin(), head.end(), '<') != std::count(head.begin(), head.end(), '>');
  return !in_argument && head.find('=') == std::string::npos && (std::isalnum(head.back()) || head.back() == '_');
}

// The name of the class whose body begins behind the statement; empty if there is none.
std::string class_begun_by(const std::string& statement) {
  static const std::regex begin(
      R"(\b(class|struct)\s+(alignas\([^)]*\)\s*)?([\w:]+)(<[^{]*>)?\s*(final\s*)?(:[^:][\s\S]*)?$)");
  static const std::regex is_enum(R"(\benum\s+(class|struct)\b)");
  const std::string trimmed = statement.substr(0, statement.find_last_not_of(" \n") + 1);
  std::smatch found;
  if (std::regex_search(trimmed, is_enum) || !std::regex_search(trimmed, found, begin)) return "";
  return found[3];
}

// How many functions each class declares that some code defines; those of classes within it are their own.
std::map<std::string, int> member_functions(const std::string& code) {
  std::map<std::string, int> count;
  // Whose body is open: the name of a class, or none for namespaces.
  std::vector<std::string> open;
  std::string statement;
  const auto note = [&] {
    if (!open.empty() && !open.back().empty() && declares_function(statement)) ++count[open.back()];
  };
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code[at] == ';') {
      note();
    } else if (code[at] == '}') {
      if (!open.empty()) open.pop_back();
    } else if (code[at] != '{') {
      statement += code[at];
      continue;
    } else if (const std::string name = class_begun_by(statement);
               !name.empty() || statement.find("namespace") != std::string::npos) {
      open.push_back(name);
    } else {
      note();
      // A body, or what a member begins with.
      for (int depth = 1; depth != 0 && ++at < code.size();) depth += code[at] == '{' ? 1 : code[at] == '}' ? -1 : 0;
    }
    statement.clear();
  }
  return count;
}

int most_member_functions(const SourceFile& file) {
  int most = 0;
  for (const auto& [name, count] : member_functions(code_of(file.lines))) most = std::max(most, count);
  return most;
}

// The headers of the product that each of its files includes itself.
std::map<std::string, std::vector<std::string>> included() {
  static const std::regex include(R"re(^#include (?:"([^"]+)"|<(heddle/[^>]+)>))re");
  std::map<std::string, std::vector<std::string>> all;
  for (const SourceFile& file : source_files()) {
    if (!is_product(file)) continue;
    std::vector<std::string>& of_file = all[file.path];
    for (const std::string& line : file.lines) {
      std::smatch found;
      if (std::regex_search(line, found, include))
        of_file.push_back(found[1].matched ? std::string(found[1]) : "include/" + std::string(found[2]));
    }
  }
  return all;
}

// How many headers of the product come with this one.
int headers_pulled(const std::string& header, const std::map<std::string, std::vector<std::string>>& included) {
  std::set<std::string> seen{header};
  std::vector<std::string> next{header};
  while (!next.empty()) {
    const auto found = included.find(next.back());
    next.pop_back();
    if (found == included.end()) continue;
    for (const std::string& one : found->second)
      if (included.count(one) != 0 && seen.insert(one).second) next.push_back(one);
  }
  return static_cast<int>(seen.size()) - 1;
}

}  // namespace

TEST_CASE("no class of the product has more than 60 member functions") {
  std::map<std::string, int> large;
  for (const SourceFile& file : source_files())
    if (const int most = is_product(file) ? most_member_functions(file) : 0; most > kMostMemberFunctions)
      large[file.path] = most;
  const auto sentences = beyond_exceptions("member-functions", large);
  INFO(joined(sentences));
  CHECK(sentences.empty());
}

TEST_CASE("no header of the product brings more than 60 others of the product") {
  const auto all = included();
  std::map<std::string, int> large;
  for (const auto& [path, ignored] : all)
    if (const int pulled = is_header(path) ? headers_pulled(path, all) : 0; pulled > kMostHeadersPulled)
      large[path] = pulled;
  const auto sentences = beyond_exceptions("headers-pulled", large);
  INFO(joined(sentences));
  CHECK(sentences.empty());
}

TEST_CASE("the rule of 60 member functions counts functions, and neither data nor friends nor classes within") {
  const std::vector<std::string> lines = {"namespace n {",
                                          "class C final : public B {",
                                          " public:",
                                          "  C() : a_{1}, b_(2) {}",
                                          "  /// A comment (with parentheses);",
                                          "  template <typename T>",
                                          "  [[nodiscard]] int f(T t) const {",
                                          "    if (t()) return g();",
                                          "  }",
                                          "  friend bool operator==(const C&, const C&) = default;",
                                          "  C& operator=(const C&) = delete;",
                                          "  struct Within {",
                                          "    void h();",
                                          "  };",
                                          " private:",
                                          "  static constexpr int kSize = size(3);",
                                          "  int a_{};",
                                          "  std::function<int(int)> call_;",
                                          "};",
                                          "}"};
  const auto count = member_functions(code_of(lines));
  CHECK(count == std::map<std::string, int>{{"C", 3}, {"Within", 1}});
}

}  // namespace heddle::tidy
