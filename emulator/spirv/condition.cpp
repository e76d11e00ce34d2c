#include "emulator/spirv/condition.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "emulator/spirv/numbers.h"

namespace heddle::spirv {
namespace {

class Resolver {
 public:
  explicit Resolver(const Dispatch& dispatch) : dispatch_(dispatch) {}

  Question run() {
    const Header& header = dispatch_.header();
    out_.quantifier = header.quantifier;
    if (header.condition) out_.condition = resolve(*header.condition, false);
    if (header.filter) out_.filter = resolve(*header.filter, true);
    return std::move(out_);
  }

 private:
  Resolved resolve(const Condition& condition, bool filtered) {
    Resolved out;
    out.kind = condition.kind;
    for (const Condition& each : condition.operands) out.operands.push_back(resolve(each, filtered));
    if (condition.kind != Condition::Kind::Compare) return out;
    out.relation = condition.relation;
    out.left = observe(condition.left, condition.line, filtered);
    out.right = observe(condition.right, condition.line, filtered);
    const auto type_of = [&](const Resolved::Term& term) { return out_.observables[*term.observable].location.type; };
    if (out.left.observable) {
      out.type = type_of(out.left);
    } else if (out.right.observable) {
      out.type = type_of(out.right);
    } else {
      out.type = {ScalarType::Kind::Int, 64, true};
    }
    if (out.left.observable && out.right.observable && !(type_of(out.left) == type_of(out.right)))
      throw Error({condition.line, 0},
                  spell(condition.left) + " and " + spell(condition.right) + " are of different types");
    if (!out.left.observable) out.left.bits = literal(condition.left, out.type, condition.line);
    if (!out.right.observable) out.right.bits = literal(condition.right, out.type, condition.line);
    return out;
  }

  static std::uint64_t literal(const Condition::Term& term, const ScalarType& type, std::uint32_t line) {
    const std::string text = term.literal == "true" ? "1" : term.literal == "false" ? "0" : term.literal;
    const bool is_float = type.kind == ScalarType::Kind::Float;
    const auto bits = literal_bits(text, is_float ? type.bits : 64U, is_float);
    if (!bits) throw Error({line, 0}, term.literal + " is no value of the type of the other side");
    return cut(*bits, type.bits);
  }

  Resolved::Term observe(const Condition::Term& term, std::uint32_t line, bool filtered) {
    Resolved::Term out;
    if (term.name.empty()) return out;
    const std::string name = spell(term);
    const auto [entry, fresh] = numbers_.try_emplace(name, out_.observables.size());
    if (fresh) out_.observables.push_back({name, dispatch_.locate(term, line), false});
    Observable& observable = out_.observables[entry->second];
    observable.is_filtered = observable.is_filtered || filtered;
    out.observable = entry->second;
    return out;
  }

  const Dispatch& dispatch_;
  Question out_;
  std::map<std::string, std::size_t> numbers_;
};

bool related(Relation relation, int order, bool is_ordered) {
  switch (relation) {
    case Relation::Equal:
      return is_ordered && order == 0;
    case Relation::NotEqual:
      return !is_ordered || order != 0;
    case Relation::Less:
      return is_ordered && order < 0;
    case Relation::LessEqual:
      return is_ordered && order <= 0;
    case Relation::Greater:
      return is_ordered && order > 0;
    case Relation::GreaterEqual:
      return is_ordered && order >= 0;
  }
  return false;
}

template <typename Number>
int order_of(Number a, Number b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

bool compare(const Resolved& condition, std::uint64_t left, std::uint64_t right) {
  const ScalarType& type = condition.type;
  if (type.kind == ScalarType::Kind::Float) {
    const double a = float_value(left, type.bits);
    const double b = float_value(right, type.bits);
    return related(condition.relation, order_of(a, b), a == a && b == b);
  }
  if (type.is_signed)
    return related(condition.relation, order_of(signed_value(left, type.bits), signed_value(right, type.bits)), true);
  return related(condition.relation, order_of(left, right), true);
}

void observables_of(const Resolved& condition, std::set<std::size_t>& out) {
  for (const Resolved& each : condition.operands) observables_of(each, out);
  if (condition.kind != Condition::Kind::Compare) return;
  if (condition.left.observable) out.insert(*condition.left.observable);
  if (condition.right.observable) out.insert(*condition.right.observable);
}

/// Decides what is possible by parts that have no open value in common.
class Decider {
 public:
  explicit Decider(const Choices& choices) : choices_(choices) {}

  std::optional<bool> all(const std::vector<Wish>& wishes) {
    std::vector<Wish> flat;
    for (const Wish& wish : wishes) flatten(wish, flat);
    for (const std::vector<Wish>& part : parts_of(flat)) {
      const std::optional<bool> here = part.size() == 1 ? one(part[0]) : by_trial(part);
      if (!here || !*here) return here;
    }
    return true;
  }

 private:
  static bool wants_all(const Wish& wish) {
    return (wish.condition->kind == Condition::Kind::All && wish.outcome) ||
           (wish.condition->kind == Condition::Kind::Any && !wish.outcome);
  }

  void flatten(const Wish& wish, std::vector<Wish>& out) const {
    if (wish.condition->kind == Condition::Kind::Not)
      return flatten({&wish.condition->operands.front(), !wish.outcome}, out);
    if (!wants_all(wish)) return out.push_back(wish);
    for (const Resolved& each : wish.condition->operands) flatten({&each, wish.outcome}, out);
  }

  bool is_open(std::size_t observable) const {
    return choices_[observable].size() > 1 || is_token(choices_[observable][0]);
  }

  std::set<std::size_t> open(const Wish& wish) const {
    std::set<std::size_t> named;
    observables_of(*wish.condition, named);
    std::erase_if(named, [&](std::size_t each) { return !is_open(each); });
    // A token is the same wherever it is: whoever has it is in one part.
    const std::set<std::size_t> all = named;
    for (const std::size_t each : all)
      for (const std::uint64_t value : choices_[each])
        if (is_token(value)) named.insert(value);
    return named;
  }

  std::vector<std::vector<Wish>> parts_of(const std::vector<Wish>& wishes) const {
    std::vector<std::pair<std::set<std::size_t>, std::vector<Wish>>> parts;
    for (const Wish& wish : wishes) {
      std::pair<std::set<std::size_t>, std::vector<Wish>> merged{open(wish), {wish}};
      for (std::size_t i = parts.size(); i-- > 0;) {
        const bool shares = std::any_of(parts[i].first.begin(), parts[i].first.end(),
                                        [&](std::size_t each) { return merged.first.count(each) != 0; });
        if (!shares) continue;
        merged.first.insert(parts[i].first.begin(), parts[i].first.end());
        merged.second.insert(merged.second.end(), parts[i].second.begin(), parts[i].second.end());
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
      }
      parts.push_back(std::move(merged));
    }
    std::vector<std::vector<Wish>> out;
    for (auto& part : parts) out.push_back(std::move(part.second));
    return out;
  }

  std::optional<bool> one(const Wish& wish) {
    if (wish.condition->kind == Condition::Kind::Compare) return by_trial({wish});
    bool known = true;
    for (const Resolved& each : wish.condition->operands) {
      const std::optional<bool> here = all({{&each, wish.outcome}});
      if (here && *here) return true;
      known = known && here.has_value();
    }
    return known ? std::optional(false) : std::nullopt;
  }

  // The literals of the conditions, and their neighbours, are all that a token can make a difference with.
  void add_candidates(const Resolved& condition, std::set<std::uint64_t>& out) const {
    for (const Resolved& each : condition.operands) add_candidates(each, out);
    if (condition.kind != Condition::Kind::Compare) return;
    for (const Resolved::Term& term : {condition.left, condition.right}) {
      std::vector<std::uint64_t> values{term.bits};
      if (term.observable) values = choices_[*term.observable];
      for (const std::uint64_t value : values) {
        if (is_token(value)) continue;
        for (const std::uint64_t near : {value - 1, value, value + 1}) out.insert(cut(near, condition.type.bits));
      }
    }
    out.insert({0, 1});
  }

  std::optional<bool> by_trial(const std::vector<Wish>& wishes) const {
    std::set<std::size_t> named;
    for (const Wish& wish : wishes) observables_of(*wish.condition, named);
    std::vector<std::uint64_t> values(choices_.size(), 0);
    std::vector<std::size_t> opened;
    double combinations = 1;
    for (const std::size_t each : named) {
      values[each] = choices_[each][0];
      if (choices_[each].size() == 1) continue;
      opened.push_back(each);
      combinations *= static_cast<double>(choices_[each].size());
    }
    constexpr double kMostTrials = 4e6;
    if (combinations > kMostTrials) return std::nullopt;
    std::vector<std::size_t> at(opened.size(), 0);
    for (;;) {
      for (std::size_t i = 0; i < opened.size(); ++i) values[opened[i]] = choices_[opened[i]][at[i]];
      if (with_tokens(wishes, named, values)) return true;
      std::size_t i = 0;
      while (i < opened.size() && ++at[i] == choices_[opened[i]].size()) at[i++] = 0;
      if (i == opened.size()) return false;
    }
  }

  bool with_tokens(const std::vector<Wish>& wishes, const std::set<std::size_t>& named,
                   std::vector<std::uint64_t> values) const {
    std::map<std::uint64_t, std::vector<std::size_t>> tokens;
    for (const std::size_t each : named)
      if (is_token(values[each])) tokens[values[each]].push_back(each);
    if (tokens.empty()) return hold(wishes, values);
    std::set<std::uint64_t> candidates;
    for (const Wish& wish : wishes) add_candidates(*wish.condition, candidates);
    // As many more as there are tokens, so that all can differ.
    for (std::size_t i = 0; i < tokens.size(); ++i) candidates.insert(0x5a5a00 + i);
    std::vector<std::vector<std::size_t>> groups;
    for (auto& [token, places] : tokens) groups.push_back(places);
    return choose_tokens(wishes, groups, 0, {candidates.begin(), candidates.end()}, values);
  }

  bool choose_tokens(const std::vector<Wish>& wishes, const std::vector<std::vector<std::size_t>>& groups,
                     std::size_t next, const std::vector<std::uint64_t>& candidates,
                     std::vector<std::uint64_t>& values) const {
    if (next == groups.size()) return hold(wishes, values);
    for (const std::uint64_t value : candidates) {
      for (const std::size_t place : groups[next]) values[place] = value;
      if (choose_tokens(wishes, groups, next + 1, candidates, values)) return true;
    }
    return false;
  }

  static bool hold(const std::vector<Wish>& wishes, const std::vector<std::uint64_t>& values) {
    return std::all_of(wishes.begin(), wishes.end(),
                       [&](const Wish& wish) { return satisfies(*wish.condition, values) == wish.outcome; });
  }

  const Choices& choices_;
};

}  // namespace

Question question_of(const Dispatch& dispatch) {
  return Resolver(dispatch).run();
}

bool satisfies(const Resolved& condition, const std::vector<std::uint64_t>& values) {
  const auto holds = [&](const Resolved& each) { return satisfies(each, values); };
  const auto value = [&](const Resolved::Term& term) { return term.observable ? values[*term.observable] : term.bits; };
  switch (condition.kind) {
    case Condition::Kind::All:
      return std::all_of(condition.operands.begin(), condition.operands.end(), holds);
    case Condition::Kind::Any:
      return std::any_of(condition.operands.begin(), condition.operands.end(), holds);
    case Condition::Kind::Not:
      return !holds(condition.operands.front());
    case Condition::Kind::Compare:
      return compare(condition, value(condition.left), value(condition.right));
  }
  return false;
}

namespace {

/// The parts of some bytes that no access of an execution splits.
std::vector<Locations> unsplit(const Locations& whole, const model::Execution& execution) {
  std::set<std::uint64_t> seams{whole.offset_bytes, whole.offset_bytes + whole.size_bytes};
  for (const Operation& op : execution.operations) {
    if (!op.is_access() || !op.locations.overlaps(whole)) continue;
    for (const std::uint64_t seam : {op.locations.offset_bytes, op.locations.offset_bytes + op.locations.size_bytes})
      if (seam > *seams.begin() && seam < *seams.rbegin()) seams.insert(seam);
  }
  std::vector<Locations> out;
  for (auto seam = seams.begin(); std::next(seam) != seams.end(); ++seam)
    out.push_back({whole.allocation, *seam, static_cast<std::uint32_t>(*std::next(seam) - *seam)});
  return out;
}

/// The values that such a part may have.
std::vector<std::uint64_t> final_values(const Dispatch& dispatch, const Locations& part,
                                        const judge::Judgement& judgement) {
  std::vector<std::uint64_t> out;
  for (const model::OperationIndex write : judgement.final_writes(part)) {
    if (write == model::kInitialValue) {
      out.push_back(
          dispatch.initial_value(static_cast<std::uint64_t>(part.allocation), part.offset_bytes, part.size_bytes));
      continue;
    }
    const Locations& written = judgement.execution().operations[write].locations;
    const std::uint64_t shift = 8 * (part.offset_bytes - written.offset_bytes);
    out.push_back(cut(judgement.execution().written_values[write] >> shift, 8 * part.size_bytes));
  }
  return out;
}

}  // namespace

Choices final_choices(const Dispatch& dispatch, const Question& question, const judge::Judgement& judgement) {
  Choices out;
  for (const Observable& each : question.observables) {
    const std::uint32_t bytes = each.location.type.bytes();
    const Locations whole{static_cast<AllocationId>(each.location.object), each.location.offset, bytes};
    std::vector<std::uint64_t> values{0};
    for (const Locations& part : unsplit(whole, judgement.execution())) {
      std::vector<std::uint64_t> combined;
      for (const std::uint64_t more : final_values(dispatch, part, judgement))
        for (const std::uint64_t value : values)
          combined.push_back(value | (more << (8 * (part.offset_bytes - whole.offset_bytes))));
      values = std::move(combined);
    }
    for (std::uint64_t& value : values) value = dispatch.tokens().from_memory(value, bytes);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    out.push_back(std::move(values));
  }
  return out;
}

std::optional<bool> is_possible(const std::vector<Wish>& wishes, const Choices& choices) {
  return Decider(choices).all(wishes);
}

}  // namespace heddle::spirv
