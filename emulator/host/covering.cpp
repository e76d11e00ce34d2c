#include "emulator/host/covering.h"

#include <algorithm>
#include <set>
#include <utility>

namespace heddle::detail {
namespace {

/// Some parameters in ascending order, and a value of each.
using Tuple = std::vector<std::pair<std::size_t, std::uint32_t>>;

constexpr std::uint32_t kOpen = ~std::uint32_t{0};

/// The tuples of `strength` parameters that no row has yet.
class Uncovered {
 public:
  Uncovered(const std::vector<std::uint32_t>& counts, std::size_t strength) : counts_(counts), strength_(strength) {
    Tuple tuple;
    add_all(tuple, 0);
  }

  bool empty() const { return left_.empty(); }
  const Tuple& first() const { return *left_.begin(); }
  /// How many of them a row has whose open places stay open, of those with parameter `of`.
  std::size_t gain(const CoveringRow& row, std::size_t of) const {
    std::size_t gained = 0;
    Tuple tuple;
    for_each_in(row, tuple, 0, [&](const Tuple& t) {
      const bool concerned = std::any_of(t.begin(), t.end(), [&](const auto& part) { return part.first == of; });
      if (concerned && left_.count(t) != 0) ++gained;
    });
    return gained;
  }
  void cover(const CoveringRow& row) {
    Tuple tuple;
    for_each_in(row, tuple, 0, [&](const Tuple& t) { left_.erase(t); });
  }

 private:
  void add_all(Tuple& tuple, std::size_t from) {
    if (tuple.size() == strength_) {
      left_.insert(tuple);
      return;
    }
    for (std::size_t parameter = from; parameter < counts_.size(); ++parameter)
      for (std::uint32_t value = 0; value < counts_[parameter]; ++value) {
        tuple.emplace_back(parameter, value);
        add_all(tuple, parameter + 1);
        tuple.pop_back();
      }
  }
  template <typename F>
  void for_each_in(const CoveringRow& row, Tuple& tuple, std::size_t from, const F& f) const {
    if (tuple.size() == strength_) return f(tuple);
    for (std::size_t parameter = from; parameter < row.size(); ++parameter) {
      if (row[parameter] == kOpen) continue;
      tuple.emplace_back(parameter, row[parameter]);
      for_each_in(row, tuple, parameter + 1, f);
      tuple.pop_back();
    }
  }

  const std::vector<std::uint32_t>& counts_;
  std::size_t strength_;
  std::set<Tuple> left_;
};

/// A row with the first tuple that is left, and as many others as a greedy choice gives. Among values that gain the
/// same, rows take another one each time.
CoveringRow next_row(const std::vector<std::uint32_t>& counts, const Uncovered& left, std::size_t number) {
  CoveringRow row(counts.size(), kOpen);
  for (const auto& [parameter, value] : left.first()) row[parameter] = value;
  for (std::size_t parameter = 0; parameter < counts.size(); ++parameter) {
    if (row[parameter] != kOpen) continue;
    std::uint32_t best = 0;
    std::size_t most = 0;
    for (std::uint32_t i = 0; i < counts[parameter]; ++i) {
      row[parameter] = static_cast<std::uint32_t>((i + number) % counts[parameter]);
      const std::size_t gain = left.gain(row, parameter);
      if (i != 0 && gain <= most) continue;
      most = gain;
      best = row[parameter];
    }
    row[parameter] = best;
  }
  return row;
}

}  // namespace

CoveringRows covering_rows(const std::vector<std::uint32_t>& counts) {
  CoveringRows out;
  out.rows.emplace_back(counts.size(), 0);
  for (const std::size_t strength : {std::size_t{2}, std::size_t{3}}) {
    Uncovered left(counts, std::min(strength, counts.size()));
    for (const CoveringRow& row : out.rows) left.cover(row);
    while (!left.empty()) {
      out.rows.push_back(next_row(counts, left, out.rows.size()));
      left.cover(out.rows.back());
    }
    if (strength == 2) out.pairs = out.rows.size();
  }
  return out;
}

}  // namespace heddle::detail
