#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <random>
#include <sstream>

#include "tests/cli/run_heddle.h"
#include "tests/how_many.h"

/// \file
/// Mistakes in what sample shaders are given: each is told by its name, or makes no difference to what is run.

using namespace heddle::cli;

namespace {

/// An option with a value, of which the part before '=' says what is given.
struct Given {
  std::string option;
  std::string name;
  std::string value;

  std::string text() const { return name.empty() ? value : name + '=' + value; }
};

struct Shader {
  std::string file;
  std::vector<Given> given;
};

/// A shader with inputs, one of which is wrong.
struct Mistake {
  std::vector<Given> given;
  std::string text;
  std::string what;
  /// One of them is in the message if it is refused.
  std::vector<std::string> names;
  /// Whether it must be told: in a refusal, or as a warning.
  bool must_be_told = false;
  bool must_be_refused = false;
};

const std::vector<Shader>& shaders() {
  const std::vector<Given> message{
      {"--set", "0.0", "words:0"}, {"--set", "0.2", "words:9,9"}, {"--groups", "", "2,1,1"}};
  const std::vector<Given> look_back{{"--set", "0.0", "words:3,4,5"}, {"--groups", "", "3,1,1"}};
  static const std::vector<Shader> all{
      {"scan",
       {{"--set", "0.0", "iota:8"},
        {"--set", "0.1", "zeros:8"},
        {"--spec", "1", "8"},
        {"--push", "", "words:2"},
        {"--groups", "", "1,1,1"}}},
      {"message", message},
      {"message_coherent", message},
      {"look_back", look_back},
      {"look_back_coherent", look_back},
  };
  return all;
}

std::string text_of(const Shader& shader) {
  std::ifstream in(HEDDLE_SOURCE_DIR "/samples/shaders/" + shader.file + ".spvasm");
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

class Mistakes {
 public:
  explicit Mistakes(std::uint64_t seed) : random_(seed) {}

  Mistake next() {
    const Shader& shader = one_of(shaders());
    Mistake out{shader.given, text_of(shader), shader.file, {}, false, false};
    if (shader.file == "scan" || below(2) == 0) {
      spoil_option(out);
    } else {
      spoil_comment(out);
    }
    return out;
  }

 private:
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
  template <typename T>
  const T& one_of(const std::vector<T>& all) {
    return all[below(all.size())];
  }

  void spoil_option(Mistake& out) {
    const std::size_t at = below(out.given.size());
    Given& given = out.given[at];
    out.names = {given.name.empty() ? given.option : given.option + ' ' + given.name, given.option + ": "};
    out.what += ": " + given.option + ' ' + given.text();
    const bool is_contents = given.option == "--set" || given.option == "--push";
    switch (below(6)) {
      case 0:
        out.what += " is missing";
        out.given.erase(out.given.begin() + static_cast<std::ptrdiff_t>(at));
        return;
      case 1:
        out.what += " is there twice";
        out.given.push_back(Given(given));
        out.must_be_refused = true;
        return;
      case 2:
        if (is_contents) given.value = "zeros:0";
        break;
      case 3:
        if (is_contents) given.value = "iota:100";
        out.must_be_told =
            is_contents && (given.option == "--push" || out.text.find("OpTypeRuntimeArray") == std::string::npos);
        break;
      case 4:
        given.value =
            one_of<std::string>({"", "abc", "=", "iota:x", "words:", "words:1,,2", "zeros:-1", "1.5", ",", "no.bin"});
        out.must_be_refused = true;
        break;
      default:
        spoil_number(out, given);
    }
    out.what += " is " + given.text();
  }

  void spoil_number(Mistake& out, Given& given) {
    out.must_be_refused = true;
    if (given.option == "--push") {
      given.option = "--extent";
      given.name = "0.0";
      given.value = "4";
    } else if (given.name.empty()) {
      given.value = one_of<std::string>({"0,1,1", "1,1,1,1", "1000000,1000000,1", "4294967297"});
    } else {
      given.name = given.option == "--spec" ? "99" : one_of<std::string>({"0.9", "7.0", "4294967295.4294967295"});
    }
    out.names = {given.option + ' ' + given.name + ':', given.option + ": ", given.option + ", "};
    if (given.name.empty()) out.names = {given.option};
  }

  void spoil_comment(Mistake& out) {
    out.given.clear();
    const std::size_t begin = out.text.find("; @Input");
    const std::size_t end = out.text.find('\n', begin) + 1;
    const std::string line = out.text.substr(begin, end - begin);
    const std::string number =
        std::to_string(1 + std::count(out.text.begin(), out.text.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
    const auto put = [&](const std::string& text) { out.text.replace(begin, end - begin, text); };
    const auto with = [&](const std::string& from, const std::string& to) {
      const std::size_t at = line.find(from);
      REQUIRE(at != std::string::npos);
      put(std::string(line).replace(at, from.size(), to));
    };
    out.names = {".spvasm:" + number + ": "};
    out.must_be_refused = true;
    const int which = static_cast<int>(below(7));
    out.what += ": @Input is wrong in the way " + std::to_string(which);
    if (which == 0) {
      put("; there is none\n");
      out.names = {"@Input: %"};
      out.must_be_refused = false;
    } else if (which == 1) {
      put(line + line);
      out.names = {" has an input already"};
    } else if (which == 2) {
      with("= ", "= 1, %nobody = ");
    } else if (which == 3) {
      with("{", "{{{");
    } else if (which == 4) {
      with("{", "{x, ");
    } else if (which == 5) {
      with("%", "$");
    } else {
      put("; there is none\n");
      out.text += line;
      out.names = {"@Input"};
      out.must_be_told = true;
      out.must_be_refused = false;
    }
  }

  std::mt19937_64 random_;
};

}  // namespace

TEST_CASE("a mistake in what a sample shader is given is told by its name, or the shader runs all the same",
          "[nightly]") {
  const TemporaryDirectory directory;
  const std::uint64_t first = heddle::first_seed();
  const std::uint64_t count = heddle::how_many("HEDDLE_INPUT_MISTAKES", 30, 3000);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Mistake mistake = Mistakes(seed).next();
    const std::string file = directory.write("shader.spvasm", mistake.text);
    std::vector<std::string> arguments{"spirv", file, "--machine", "sequential", "--runs", "1", "--no-explore"};
    for (const Given& each : mistake.given) arguments.push_back(each.option + '=' + each.text());
    const Run run = run_heddle(arguments);
    INFO("seed " << seed << ": " << mistake.what << '\n' << run.out << run.err);
    CHECK((run.exit_code == 0 || run.exit_code == 1 || run.exit_code == 2));
    if (mistake.must_be_refused) CHECK(run.exit_code == 2);
    if (run.exit_code != 2 && !mistake.must_be_told) continue;
    const std::string said = run.out + run.err;
    CHECK(std::any_of(mistake.names.begin(), mistake.names.end(),
                      [&](const std::string& name) { return said.find(name) != std::string::npos; }));
  }
}
