#include <algorithm>

#include "tests/litmus/families/library_test.h"

namespace heddle::litmus::library {
namespace {

std::string verdict_line(const Verdict& verdict) {
  std::string out = verdict.holds ? "holds" : "fails";
  out += verdict.racy ? " racy" : " race-free";
  if (verdict.executions) out += " executions=" + std::to_string(*verdict.executions);
  return out;
}

std::string outcomes_line(const Verdict& verdict) {
  std::string out;
  for (const std::string& outcome : verdict.outcomes) out += (out.empty() ? "" : " | ") + outcome;
  return out;
}

std::string header_of(const LibraryTest& test) {
  std::string out = "Vulkan " + test.name + '\n';
  const auto line = [&](const std::string& key, const std::string& value) {
    if (!value.empty()) out += '"' + key + ": " + value + "\"\n";
  };
  line("expect", verdict_line(test.verdict));
  line("outcomes", outcomes_line(test.verdict));
  if (test.without_chains) {
    line("expect without chains", verdict_line(*test.without_chains));
    line("outcomes without chains", outcomes_line(*test.without_chains));
  }
  line("reason", test.reason);
  line("clause", test.clause);
  line("twin", test.twin);
  return out;
}

std::string place_of(std::size_t thread, const Where& where) {
  return 'P' + std::to_string(thread) + "@sg " + std::to_string(where.subgroup) + ", wg " +
         std::to_string(where.workgroup) + ", qf " + std::to_string(where.queue_family);
}

std::string rows_of(const LibraryTest& test) {
  std::vector<std::vector<std::string>> columns;
  std::size_t rows = 0;
  for (std::size_t i = 0; i < test.threads.size(); ++i) {
    std::vector<std::string> column = {place_of(i, test.threads[i].where)};
    column.insert(column.end(), test.threads[i].code.begin(), test.threads[i].code.end());
    rows = std::max(rows, column.size());
    columns.push_back(std::move(column));
  }
  std::string out;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      std::size_t width = 0;
      for (const std::string& cell : columns[i]) width = std::max(width, cell.size());
      const std::string cell = row < columns[i].size() ? columns[i][row] : "";
      out += (i == 0 ? " " : "| ") + cell + std::string(width - cell.size() + 1, ' ');
    }
    out += ";\n";
  }
  return out;
}

}  // namespace

std::string print(const LibraryTest& test) {
  std::string out = header_of(test) + "{\n";
  for (const std::string& declaration : test.declarations) out += declaration + ";\n";
  out += "}\n";
  if (!test.system_synchronization.empty()) {
    out += "{\n";
    for (const auto& [first, second] : test.system_synchronization) {
      out += "ssw " + std::to_string(first) + ' ' + std::to_string(second) + ";\n";
    }
    out += "}\n";
  }
  out += rows_of(test);
  if (!test.filter.empty()) out += "filter (" + test.filter + ")\n";
  return out + test.assertion + '\n';
}

std::vector<LibraryTest> all_families() {
  std::vector<LibraryTest> out;
  for (const auto family : {message_passing, message_passing_by_barrier, scopes_of_atomics, multi_copy_shapes,
                            write_shapes, coherence, release_sequences, chains, device_domain}) {
    for (LibraryTest& test : family()) out.push_back(std::move(test));
  }
  return out;
}

}  // namespace heddle::litmus::library
