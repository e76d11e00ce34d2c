// What agents of a company do together, such as the lanes of a subgroup.

#include <utility>

#include "emulator/explore/explorer.h"

namespace heddle::explore {

// By agent; nothing if one of them does not wait, or none of them Meets.
std::optional<CompanyValues> Explorer::Meetings::brought_by(const Company& company) const {
  CompanyValues brought;
  for (const AgentId member : company) {
    const std::size_t agent = position(member);
    const StepKind kind = explorer_.step(agent).kind;
    const Status status = explorer_.agents_[agent].status;
    if (status == Status::Ready || (status == Status::Ended && kind != StepKind::Finished)) return std::nullopt;
    brought.push_back(kind == StepKind::Meets ? std::optional(explorer_.step(agent).written) : std::nullopt);
  }
  return has_value(brought) ? std::optional(std::move(brought)) : std::nullopt;
}

// Who waits cannot do anything else before the company has met: so there is no choice. Comes after barriers, so that
// nobody is at one that has opened.
bool Explorer::Meetings::visit() {
  for (std::size_t i = 0; i < explorer_.program_.companies.size(); ++i) {
    const std::optional<CompanyValues> brought = brought_by(explorer_.program_.companies[i]);
    if (!brought) continue;
    const CompanyValues results = explorer_.program_.meet(*brought);
    if (!has_value(results)) continue;
    ++explorer_.meetings_[i];
    meet(i, results, 0);
    --explorer_.meetings_[i];
    return true;
  }
  return false;
}

// The members of the company from the `at`-th on go on, if they got something.
void Explorer::Meetings::meet(std::size_t company, const CompanyValues& results, std::size_t at) {
  const Company& members = explorer_.program_.companies[company];
  while (at < members.size() && !results[at]) ++at;
  if (at == members.size()) return explorer_.visit();
  const std::size_t agent = position(members[at]);
  const AgentState before = explorer_.agents_[agent];
  const auto go = [&] {
    explorer_.agents_[agent] = {explorer_.trees_[agent].after(before.node, *results[at]), Status::Ready, kNotPutOff};
    meet(company, results, at + 1);
    explorer_.agents_[agent] = before;
  };
  Operation operation = explorer_.step(agent).operation;
  if (operation.kind != OperationKind::ControlBarrier) return go();
  // No instance of an agent's own is as high.
  constexpr std::uint64_t kOfCompanies = std::uint64_t{1} << 63;
  operation.barrier_instance = kOfCompanies + (std::uint64_t{company} << 32) + explorer_.meetings_[company];
  explorer_.execute(agent, operation, 0, 0, go);
}

}  // namespace heddle::explore
