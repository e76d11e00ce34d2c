#include "emulator/edits/source_patch.h"

#include <fmt/format.h>
#include <heddle/edit.h>
#include <heddle/semantics.h>

#include <algorithm>
#include <map>
#include <regex>
#include <string_view>
#include <utility>

#include "emulator/edits/words.h"
#include "runtime/text/readable.h"

namespace heddle::edits {
namespace {

/// The lines of a file, and what becomes of each.
struct EditedLine {
  std::string before;
  std::string now;
  /// Lines that are put in around it.
  std::vector<std::string> above = {};
  std::vector<std::string> below = {};
  bool is_changed() const { return now != before || !above.empty() || !below.empty(); }
};
using EditedFile = std::vector<EditedLine>;

EditedFile lines_of(std::string_view text) {
  EditedFile lines;
  while (!text.empty()) {
    const std::string line(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    lines.push_back({line, line});
  }
  return lines;
}

const std::regex& semantics_in_source() {
  static const std::regex one(
      R"((MemorySemantics::\w+|k(?:Workgroup|Buffer)Barrier|k(?:Release|Acquire)Buffers))"
      R"((?:\s*\|\s*(?:MemorySemantics::\w+|k(?:Workgroup|Buffer)Barrier|k(?:Release|Acquire)Buffers))*)");
  return one;
}
const std::regex& scope_in_source() {
  static const std::regex one(R"(Scope::\w+)");
  return one;
}

// As C++ spells them.
std::string spelled(MemorySemantics semantics) {
  if (const std::string_view name = name_of_constant(semantics); !name.empty()) return std::string(name);
  std::string text = "MemorySemantics::" + text_of(semantics, false);
  for (std::size_t bar = text.find("| "); bar != text.npos; bar = text.find("| ", bar + 2))
    text.insert(bar + 2, "MemorySemantics::");
  return text;
}

// Match number `which` of the line, where it has `count` of them.
bool replace(std::string& line, const std::regex& what, std::ptrdiff_t count, std::ptrdiff_t which,
             const std::function<std::string(const std::string&)>& made) {
  const std::sregex_iterator begin(line.begin(), line.end(), what);
  if (std::distance(begin, std::sregex_iterator()) != count) return false;
  const auto match = *std::next(begin, which);
  const std::string with = made(match.str());
  line.replace(static_cast<std::size_t>(match.position()), match.str().size(), with);
  return true;
}

bool replace_scope(std::string& line, const Edit& edit) {
  const bool is_control = edit.of == EditedKind::ControlBarrier;
  const Scope scope = edit.kind == EditKind::SetExecutionScope ? edit.execution_scope : edit.scope;
  const std::ptrdiff_t which = is_control && edit.kind == EditKind::SetScope ? 1 : 0;
  return replace(line, scope_in_source(), is_control ? 2 : 1, which,
                 [&](const std::string&) { return "Scope::" + std::string(heddle::name_of(scope)); });
}

bool replace_semantics(std::string& line, const Edit& edit) {
  // A compare-exchange has those for unequal as well.
  const std::ptrdiff_t count = line.find("compare_exchange") == line.npos ? 1 : 2;
  return replace(line, semantics_in_source(), count, 0, [&](const std::string& there) {
    if (edit.kind == EditKind::GiveSemantics) return spelled(edit.semantics);
    std::string more = spelled(edit.semantics);
    const std::string nothing = "MemorySemantics::Relaxed | ";
    if (more.rfind(nothing, 0) == 0) more.erase(0, nothing.size());
    return there + " | " + more;
  });
}

// Whether a statement may begin behind this line.
bool ends_statement(std::string_view line) {
  line = text::trimmed(line);
  if (line.empty() || line.substr(0, 2) == "//") return true;
  return line.back() == ';' || line.back() == '{' || line.back() == '}';
}

// What kernels around the line call their invocation.
std::string invocation_at(const EditedFile& file, std::size_t line) {
  static const std::regex parameter(R"(\(\s*auto\s*&\s*(\w+))");
  for (std::size_t i = line + 1; i-- > 0;)
    if (std::smatch found; std::regex_search(file[i].before, found, parameter)) return found[1];
  return "inv";
}

std::string barrier_text(const Edit& edit, const std::string& invocation) {
  const std::string semantics = spelled(edit.semantics);
  const auto scope = [](Scope s) { return "Scope::" + std::string(heddle::name_of(s)); };
  if (edit.kind == EditKind::PutMemoryBarrier)
    return fmt::format("{}.memory_barrier({}, {});", invocation, scope(edit.scope), semantics);
  if (edit.execution_scope == Scope::Workgroup && edit.scope == Scope::Workgroup)
    return fmt::format("{}.workgroup_barrier({});", invocation, edit.semantics == kWorkgroupBarrier ? "" : semantics);
  return fmt::format("{}.control_barrier({}, {}, {});", invocation, scope(edit.execution_scope), scope(edit.scope),
                     semantics);
}

// A barrier on a line of its own, where statements stand.
bool put_in(EditedFile& file, std::size_t line, const Edit& edit) {
  if (line > 0 && !ends_statement(file[line - 1].before)) return false;
  if (edit.behind && !text::trimmed(file[line].before).ends_with(';')) return false;
  std::string text = file[line].before.substr(0, file[line].before.find_first_not_of(" \t"));
  text += barrier_text(edit, invocation_at(file, line));
  (edit.behind ? file[line].below : file[line].above).push_back(text);
  return true;
}

bool make(EditedFile& file, const Edit& edit) {
  if (edit.line == 0 || edit.line > file.size()) return false;
  const std::size_t line = edit.line - 1;
  switch (edit.kind) {
    case EditKind::PutControlBarrier:
    case EditKind::PutMemoryBarrier:
      return put_in(file, line, edit);
    case EditKind::GiveSemantics:
    case EditKind::AddSemantics:
      return replace_semantics(file[line].now, edit);
    case EditKind::SetScope:
    case EditKind::SetExecutionScope:
      return replace_scope(file[line].now, edit);
    default:
      return false;
  }
}

struct AtomicOfOperator {
  std::string_view sign;
  std::string_view name;
  std::string_view of_floats;
};
constexpr AtomicOfOperator kAtomics[] = {
    {"+=", "atomic_i_add", " (of floats: atomic_f_add_ext)"},
    {"-=", "atomic_i_sub", ""},
    {"|=", "atomic_or", ""},
    {"&=", "atomic_and", ""},
    {"^=", "atomic_xor", ""},
};

// What an update by an operator is as an atomic: the words of a kernel say no types, so that it is to be typed. Empty
// if the line is no such statement.
std::string atomic_in_place(const EditedFile& file, const Edit& edit) {
  if (edit.line == 0 || edit.line > file.size()) return "";
  const std::string_view statement = text::trimmed(file[edit.line - 1].before);
  if (!statement.ends_with(';')) return "";
  for (const AtomicOfOperator& atomic : kAtomics) {
    const std::size_t sign = statement.find(atomic.sign);
    if (sign == statement.npos) continue;
    const std::string_view object = text::trimmed(statement.substr(0, sign));
    const std::string_view value = text::trimmed(statement.substr(sign + 2, statement.size() - sign - 3));
    if (object.find_first_of(" ;{}=") != object.npos) return "";
    return fmt::format("in line {} of {} in place of `{}`: `{}.{}({}, Scope::{}, {}, {});`{}", edit.line, edit.file,
                       statement, invocation_at(file, edit.line - 1), atomic.name, object, heddle::name_of(edit.scope),
                       spelled(edit.semantics), value, atomic.of_floats);
  }
  return "";
}

std::string to_type(const EditedFile& file, const Edit& edit) {
  const std::string atomic = edit.kind == EditKind::JoinUpdate ? atomic_in_place(file, edit) : "";
  return atomic.empty() ? sentence_of(edit) : atomic;
}

/// The hunks of a file, with up to three lines around each.
class Hunks {
 public:
  explicit Hunks(const EditedFile& file) : file_(file) {}

  std::string text() {
    std::string text;
    for (std::size_t i = 0; i < file_.size(); ++i) {
      if (!file_[i].is_changed()) continue;
      const std::size_t begin = i - std::min(i, kAround);
      std::size_t end = i + 1;
      for (std::size_t k = i; k < std::min(file_.size(), end + 2 * kAround); ++k)
        if (file_[k].is_changed()) end = k + 1;
      text += hunk(begin, std::min(file_.size(), end + kAround));
      i = end - 1 + kAround;
    }
    return text;
  }

 private:
  static constexpr std::size_t kAround = 3;

  std::string hunk(std::size_t begin, std::size_t end) {
    std::string lines;
    std::size_t now = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const EditedLine& line = file_[i];
      now += line.above.size() + 1 + line.below.size();
      for (const std::string& added : line.above) lines += "+" + added + "\n";
      if (line.now == line.before) {
        lines += " " + line.before + "\n";
      } else {
        lines += "-" + line.before + "\n+" + line.now + "\n";
      }
      for (const std::string& added : line.below) lines += "+" + added + "\n";
    }
    const std::string head =
        fmt::format("@@ -{},{} +{},{} @@\n", begin + 1, end - begin,
                    static_cast<std::size_t>(static_cast<std::ptrdiff_t>(begin + 1) + added_), now);
    added_ += static_cast<std::ptrdiff_t>(now) - static_cast<std::ptrdiff_t>(end - begin);
    return head + lines;
  }

  const EditedFile& file_;
  std::ptrdiff_t added_ = 0;
};

}  // namespace

SourcePatch patch_of(const std::vector<Edit>& edits,
                     const std::function<std::optional<std::string>(const std::string& file)>& source) {
  SourcePatch patch;
  std::map<std::string, EditedFile> files;
  for (const Edit& edit : edits) {
    const auto known = files.find(edit.file);
    if (known == files.end()) {
      const std::optional<std::string> text = edit.file.empty() ? std::nullopt : source(edit.file);
      files[edit.file] = text ? lines_of(*text) : EditedFile();
    }
    if (make(files[edit.file], edit)) continue;
    // A read and a write of one line are one update.
    std::string text = to_type(files[edit.file], edit);
    if (std::find(patch.to_type.begin(), patch.to_type.end(), text) == patch.to_type.end())
      patch.to_type.push_back(std::move(text));
  }
  for (const auto& [name, file] : files) {
    const std::string hunks = Hunks(file).text();
    if (!hunks.empty()) patch.diff += fmt::format("--- {}\n+++ {}\n{}", name, name, hunks);
  }
  return patch;
}

}  // namespace heddle::edits
