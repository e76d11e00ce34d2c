// What is said of what an exploration found.
#include <fmt/format.h>
#include <heddle/explore_kernel.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace heddle {
namespace {

using Values = std::map<std::string, std::uint64_t>;

std::string place(const SourceLocation& where) {
  const char* slash = std::strrchr(where.file, '/');
  return fmt::format("{}:{}", slash != nullptr ? slash + 1 : where.file, where.line);
}

/// The values of an element in all outcomes that have the others.
std::set<std::uint64_t> values_beside(const KernelExecutions& found, const std::string& name, const Values& others) {
  std::set<std::uint64_t> out;
  for (const std::vector<std::uint64_t>& row : found.outcomes) {
    const bool fits = std::all_of(others.begin(), others.end(), [&](const auto& other) {
      const std::size_t at = found.index_of(other.first);
      return other.first == name || (at != row.size() && row[at] == other.second);
    });
    if (fits && found.index_of(name) != row.size()) out.insert(row[found.index_of(name)]);
  }
  return out;
}

std::string joined(const Values& values) {
  std::string out;
  for (const auto& [name, value] : values) out += fmt::format("{}{} is {}", out.empty() ? "" : " and ", name, value);
  return out;
}

std::string joined(const std::set<std::uint64_t>& values) {
  std::string out;
  for (const std::uint64_t value : values) out += (out.empty() ? "" : " or ") + std::to_string(value);
  return out;
}

}  // namespace

std::string to_string(const std::vector<KernelStep>& steps) {
  std::string out;
  for (std::size_t i = 0; i < steps.size(); ++i)
    out +=
        fmt::format("{}. invocation {} {} at {}\n", i + 1, steps[i].invocation, steps[i].what, place(steps[i].where));
  return out;
}

std::size_t KernelExecutions::index_of(const std::string& name) const {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

bool KernelExecutions::is_possible(const Values& values) const {
  return std::any_of(outcomes.begin(), outcomes.end(), [&](const std::vector<std::uint64_t>& row) {
    return std::all_of(values.begin(), values.end(), [&](const auto& value) {
      const std::size_t at = index_of(value.first);
      return at != row.size() && row[at] == value.second;
    });
  });
}

std::string KernelExecutions::why_impossible(const Values& values) const {
  if (is_possible(values)) return "";
  const std::string not_all = complete ? "" : fmt::format(", as far as was looked: {}", bound);
  for (const auto& [name, value] : values)
    if (index_of(name) == names.size()) return fmt::format("no execution writes {}{}", name, not_all);
  if (outcomes.empty()) return fmt::format("no execution ends{}", not_all);
  // The first value that the ones before it leave no room for.
  Values before;
  for (const auto& [name, value] : values) {
    const std::set<std::uint64_t> others = values_beside(*this, name, before);
    if (others.count(value) == 0)
      return fmt::format("in all executions that end{}{}, {} is {}{}", before.empty() ? "" : " and in which ",
                         joined(before), name, joined(others), not_all);
    before.emplace(name, value);
  }
  return fmt::format("no execution that ends has all of these values{}", not_all);
}

std::string KernelExecutions::proof() const {
  const std::string of = fmt::format("{} workgroup{} of {}", workgroups, workgroups == 1 ? "" : "s", workgroup_size);
  const std::string counts = fmt::format("{} executions end, in {} an invocation waits for ever", executions, blocked);
  if (!complete)
    return fmt::format("Not all executions of {}: {}. Found were: {}, {} pairs of places that race.", of, bound, counts,
                       races.size());
  return fmt::format(
      "All executions of {} with these buffers: {}. {} That is proven of this size and input alone.", of, counts,
      races.empty() ? "None has a data race." : fmt::format("{} pairs of places race in some.", races.size()));
}

}  // namespace heddle
