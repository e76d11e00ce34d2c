#include "tests/executions/both_ways.h"

#include <algorithm>

namespace heddle {
namespace {

using Kind = BothInstruction::Kind;
using Semantics = MemorySemantics;

std::string scope_of(Scope scope) {
  switch (scope) {
    case Scope::Subgroup:
      return ".sg";
    case Scope::Workgroup:
      return ".wg";
    case Scope::QueueFamily:
      return ".qf";
    default:
      return ".dv";
  }
}

/// The tags of an atomic or of a barrier: `.ORDER.SCOPE.CLASS.SEM`.
std::string tags_of(const BothInstruction& instruction, const std::string& storage_class) {
  const Semantics s = instruction.semantics;
  const std::string order = has(s, Semantics::Acquire)          ? ".acq"
                            : has(s, Semantics::Release)        ? ".rel"
                            : has(s, Semantics::AcquireRelease) ? ".acq_rel"
                                                                : "";
  return order + scope_of(instruction.scope) + storage_class + (has(s, Semantics::UniformMemory) ? ".semsc0" : "") +
         (has(s, Semantics::WorkgroupMemory) ? ".semsc1" : "") + (has(s, Semantics::MakeAvailable) ? ".semav" : "") +
         (has(s, Semantics::MakeVisible) ? ".semvis" : "");
}

/// A meeting of lanes of a subgroup: its number, and who takes part.
struct Meeting {
  std::uint32_t number = 0;
  std::vector<std::uint32_t> lanes;
};

/// By the rule of runtime/RECONVERGENCE.md, of code in which no value decides who meets.
struct Meetings {
  std::uint32_t count = 0;
  /// By invocation and instruction: the meeting that it comes to.
  std::vector<std::vector<Meeting>> at;
  /// Whether some lane of a subgroup takes no part in one of its meetings.
  bool leave_some_out = false;
};

void find_meetings(const BothProgram& program, const std::vector<std::uint32_t>& lanes, Meetings& out) {
  std::vector<std::uint32_t> at(lanes.size(), 0);
  const auto instruction = [&](std::size_t lane) { return &program.code[lanes[lane]][at[lane]]; };
  const auto ended = [&](std::size_t lane) { return at[lane] == program.code[lanes[lane]].size(); };
  for (;;) {
    std::optional<Kind> first;
    bool at_barrier = false;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      while (!ended(lane) && !instruction(lane)->meets_subgroup() && instruction(lane)->kind != Kind::Barrier)
        ++at[lane];
      if (ended(lane)) continue;
      if (instruction(lane)->kind == Kind::Barrier)
        at_barrier = true;
      else
        first = std::min(first.value_or(Kind::Barrier), instruction(lane)->kind);
    }
    if (!first && !at_barrier) return;
    Meeting meeting{out.count++, {}};
    std::vector<std::size_t> positions;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      if (ended(lane) || instruction(lane)->kind != first.value_or(Kind::Barrier)) continue;
      meeting.lanes.push_back(lanes[lane]);
      positions.push_back(lane);
    }
    out.leave_some_out = out.leave_some_out || (first && positions.size() < lanes.size());
    for (const std::size_t lane : positions) {
      if (first) out.at[lanes[lane]][at[lane]] = meeting;
      ++at[lane];
    }
  }
}

Meetings meetings_of(const BothProgram& program) {
  Meetings out;
  for (const auto& code : program.code) out.at.emplace_back(code.size());
  for (std::uint32_t group = 0; group < program.groups; ++group)
    for (std::uint32_t begin = 0; begin < program.local; begin += program.subgroup_size) {
      std::vector<std::uint32_t> lanes;
      for (std::uint32_t i = begin; i < std::min(begin + program.subgroup_size, program.local); ++i)
        lanes.push_back(group * program.local + i);
      if (lanes.size() == 1) continue;
      find_meetings(program, lanes, out);
    }
  return out;
}

/// Writes one thread. What it got last is in `r90`.
class ThreadWriter {
 public:
  ThreadWriter(const BothProgram& program, const Meetings& meetings, std::uint32_t thread)
      : program_(program), meetings_(meetings), thread_(thread) {}

  std::string text();
  std::uint32_t registers() const { return registers_; }

 private:
  void line(const std::string& text) { text_ += "  " + text + ";\n"; }
  void access(const BothInstruction& instruction);
  void meet(const BothInstruction& instruction, const Meeting& meeting);
  std::string barrier(const BothInstruction& instruction, std::uint32_t id) const {
    return "cbar" + tags_of(instruction, "") + " " + std::to_string(id);
  }

  const BothProgram& program_;
  const Meetings& meetings_;
  const std::uint32_t thread_;
  std::string text_;
  std::string got_;
  std::uint32_t registers_ = 0;
  std::uint32_t labels_ = 0;
  /// Barriers of a subgroup that has no other lane.
  std::uint32_t alone_ = 0;
};

std::string ThreadWriter::text() {
  std::uint32_t barriers = 0;
  for (std::size_t i = 0; i < program_.code[thread_].size(); ++i) {
    const BothInstruction& instruction = program_.code[thread_][i];
    const std::string behind = "LC" + std::to_string(labels_++);
    if (instruction.only_if) line("bne r90, " + std::to_string(*instruction.only_if) + ", " + behind);
    if (instruction.gets()) got_ = "r" + std::to_string(registers_++);
    if (instruction.kind == Kind::Barrier)
      line(barrier(instruction, 1000 + barriers++));
    else if (instruction.meets_subgroup())
      meet(instruction, meetings_.at[thread_][i]);
    else
      access(instruction);
    if (instruction.gets()) line("add r90, " + got_ + ", 0");
    if (instruction.only_if) line(behind + ": add r90, r90, 0");
  }
  return text_;
}

void ThreadWriter::access(const BothInstruction& instruction) {
  const bool of_workgroup = instruction.element == kElements;
  const std::string x =
      of_workgroup ? "w" + std::to_string(thread_ / program_.local) : "x" + std::to_string(instruction.element);
  const std::string storage_class = of_workgroup ? ".sc1" : ".sc0";
  const std::string value = instruction.writes_last ? "r90" : std::to_string(instruction.value);
  const std::string makes = instruction.kind == Kind::Load ? ".vis" : ".av";
  const std::string plain = !instruction.non_private ? ""
                            : instruction.makes      ? makes + scope_of(instruction.scope)
                                                     : ".nonpriv";
  const std::string atomic = ".atom" + tags_of(instruction, storage_class);
  switch (instruction.kind) {
    case Kind::Load:
      return line("ld" + plain + storage_class + " " + got_ + ", " + x);
    case Kind::Store:
      return line("st" + plain + storage_class + " " + x + ", " + value);
    case Kind::AtomicLoad:
      return line("ld" + atomic + " " + got_ + ", " + x);
    case Kind::AtomicStore:
      return line("st" + atomic + " " + x + ", " + value);
    case Kind::Add:
      return line("rmw" + atomic + ".add " + got_ + ", " + x + ", " + value);
    case Kind::Exchange:
      return line("rmw" + atomic + " " + got_ + ", " + x + ", " + value);
    case Kind::Fence:
      return line("membar" + tags_of(instruction, ""));
    case Kind::Spin: {
      const std::string again = "LC" + std::to_string(labels_++);
      line(again + ": ld" + atomic + " " + got_ + ", " + x);
      return line("beq " + got_ + ", 0, " + again);
    }
    default:
      return;
  }
}

void ThreadWriter::meet(const BothInstruction& instruction, const Meeting& meeting) {
  if (instruction.kind == Kind::SubgroupBarrier)
    return line(barrier(instruction, meeting.lanes.empty() ? 3000 + thread_ * 10 + alone_++ : meeting.number));
  const auto place = [&](std::uint32_t lane) {
    return "h" + std::to_string(meeting.number) + "_" + std::to_string(lane);
  };
  if (meeting.lanes.size() <= 1) return line("add " + got_ + ", r90, 0");
  line("st.av.sg.sc3 " + place(thread_) + ", r90");
  line("cbar.acq_rel.sg.semsc3.semav.semvis " + std::to_string(meeting.number));
  for (const std::uint32_t lane : meeting.lanes) line("ld.vis.sg.sc3 r8" + std::to_string(lane) + ", " + place(lane));
  line("add " + got_ + ", r8" + std::to_string(meeting.lanes.front()) + ", 0");
  if (instruction.kind == Kind::FirstOfSubgroup) return;
  const std::string operation = instruction.kind == Kind::SumOfSubgroup ? "add " : "xor ";
  for (std::size_t i = 1; i < meeting.lanes.size(); ++i)
    line(operation + got_ + ", " + got_ + ", r8" + std::to_string(meeting.lanes[i]));
}

/// Draws programs.
class Generator {
 public:
  Generator(std::mt19937_64& random, OtherForm form) : random_(random), form_(form) {}
  BothProgram program();

 private:
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  BothInstruction instruction();
  void keep_one_loop(BothInstruction& one);
  Kind kind();
  Semantics semantics(Kind kind);

  std::mt19937_64& random_;
  const OtherForm form_;
  bool lanes_meet_ = false;
  /// Whether a loop of compare-exchanges was drawn.
  bool has_loop_ = false;
};

Kind Generator::kind() {
  if (lanes_meet_ && below(3) == 0)
    return static_cast<Kind>(static_cast<std::uint32_t>(Kind::SumOfSubgroup) + below(4));
  if (below(12) == 0) return Kind::Spin;
  if (form_ != OtherForm::Litmus && below(5) == 0)
    return static_cast<Kind>(static_cast<std::uint32_t>(Kind::CompareExchange) + below(3));
  return static_cast<Kind>(below(static_cast<std::uint32_t>(Kind::Spin)));
}

/// That the instruction may have, with an order or without one.
Semantics Generator::semantics(Kind kind) {
  constexpr Semantics kOrders[] = {Semantics::Acquire, Semantics::Release, Semantics::AcquireRelease};
  Semantics out = kOrders[below(3)];
  if (kind == Kind::AtomicLoad || kind == Kind::Spin) out = Semantics::Acquire;
  if (kind == Kind::AtomicStore) out = Semantics::Release;
  if (kind != Kind::Fence && below(3) == 0) return Semantics::Relaxed;
  constexpr Semantics kClasses[] = {Semantics::UniformMemory, Semantics::WorkgroupMemory,
                                    Semantics::UniformMemory | Semantics::WorkgroupMemory};
  const bool makes = below(4) != 0;
  if (makes && out != Semantics::Acquire) out |= Semantics::MakeAvailable;
  if (makes && (has(out, Semantics::Acquire) || has(out, Semantics::AcquireRelease))) out |= Semantics::MakeVisible;
  return out | kClasses[below(3)];
}

BothInstruction Generator::instruction() {
  constexpr Scope kScopes[] = {Scope::Device, Scope::QueueFamily, Scope::Workgroup, Scope::Subgroup};
  BothInstruction out;
  out.kind = kind();
  out.element = below(4) == 0 ? kElements : below(kElements);
  out.value = 1 + below(2);
  out.writes_last = below(4) == 0;
  out.scope = below(2) == 0 ? Scope::Device : kScopes[below(4)];
  const bool plain = out.kind == Kind::Load || out.kind == Kind::Store;
  if (!plain) out.semantics = semantics(out.kind);
  out.non_private = below(8) != 0;
  out.makes = below(2) == 0;
  if (below(6) == 0 && (form_ != OtherForm::Litmus || !out.meets_subgroup())) out.only_if = below(3);
  return out;
}

// A loop of compare-exchanges goes round with every value that there may be: two of them would do so with all pairs.
void Generator::keep_one_loop(BothInstruction& one) {
  if (one.kind != Kind::Take && one.kind != Kind::AddByCompare) return;
  if (has_loop_) one.kind = Kind::CompareExchange;
  if (!has_loop_) one.writes_last = false;
  has_loop_ = true;
}

BothProgram Generator::program() {
  struct Shape {
    std::uint32_t groups, local, subgroup_size, most;
  };
  constexpr Shape kShapes[] = {{2, 1, 1, 4}, {1, 2, 1, 4}, {1, 2, 2, 4}, {1, 2, 2, 4}, {1, 3, 2, 3},
                               {1, 3, 4, 3}, {2, 2, 2, 2}, {1, 4, 2, 2}, {3, 1, 1, 3}};
  Shape shape = kShapes[below(std::size(kShapes))];
  if (form_ == OtherForm::Agents) shape.subgroup_size = 1;
  lanes_meet_ = shape.subgroup_size > 1;
  BothProgram out{shape.groups, shape.local, shape.subgroup_size, {}};
  const bool barrier = shape.local > 1 && below(3) == 0;
  for (std::uint32_t i = 0; i < out.groups * out.local; ++i) {
    std::vector<BothInstruction>& code = out.code.emplace_back();
    for (std::uint32_t count = 1 + below(shape.most); count > 0; --count) code.push_back(instruction());
    for (BothInstruction& one : code) keep_one_loop(one);
    if (!barrier) continue;
    BothInstruction meets = instruction();
    meets.kind = Kind::Barrier;
    meets.only_if.reset();
    meets.semantics = semantics(Kind::Barrier);
    code.insert(code.begin() + below(static_cast<std::uint32_t>(code.size() + 1)), meets);
  }
  return out;
}

}  // namespace

bool BothInstruction::gets() const {
  switch (kind) {
    case Kind::Store:
    case Kind::AtomicStore:
    case Kind::Fence:
    case Kind::SubgroupBarrier:
    case Kind::Barrier:
      return false;
    default:
      return true;
  }
}

template <typename Is>
bool BothProgram::any(const Is& is) const {
  return std::any_of(code.begin(), code.end(),
                     [&](const std::vector<BothInstruction>& one) { return std::any_of(one.begin(), one.end(), is); });
}

bool BothProgram::has_loop() const {
  return any([](const BothInstruction& one) { return one.is_loop(); });
}

bool BothProgram::lanes_tell() const {
  return any([](const BothInstruction& one) { return one.meets_subgroup() && one.kind != Kind::SubgroupBarrier; });
}

std::string text_of(const BothProgram& program) {
  constexpr const char* kNames[] = {"load",
                                    "store",
                                    "atomic load",
                                    "atomic store",
                                    "add",
                                    "exchange",
                                    "fence",
                                    "spin",
                                    "compare-exchange",
                                    "take",
                                    "add by compare",
                                    "sum",
                                    "xor",
                                    "first",
                                    "subgroup barrier",
                                    "barrier"};
  std::string text;
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    text += "invocation " + std::to_string(i) + " of " + std::to_string(program.groups) + " x " +
            std::to_string(program.local) + ":\n";
    for (const BothInstruction& one : program.code[i]) {
      text += one.only_if ? "  if the last is " + std::to_string(*one.only_if) + ": " : "  ";
      text += kNames[static_cast<std::size_t>(one.kind)];
      text += (one.element == kElements ? " w, " : " x" + std::to_string(one.element) + ", ") +
              (one.writes_last ? "the last" : std::to_string(one.value)) + ", scope" + scope_of(one.scope) +
              ", semantics " + std::to_string(static_cast<std::uint32_t>(one.semantics)) +
              (one.non_private ? one.makes ? ", makes" : ", non-private" : "") + "\n";
    }
  }
  return text;
}

// A lane that meets others waits for those that spin, even if they take no part: a litmus test cannot say that.
BothProgram random_program(std::mt19937_64& random, OtherForm form) {
  BothProgram program = Generator(random, form).program();
  if (form != OtherForm::Litmus || !meetings_of(program).leave_some_out) return program;
  for (std::vector<BothInstruction>& code : program.code)
    for (BothInstruction& instruction : code)
      if (instruction.kind == Kind::Spin) instruction.kind = Kind::AtomicLoad;
  return program;
}

std::string litmus_of(const BothProgram& program, const std::set<std::uint64_t>& values) {
  const Meetings meetings = meetings_of(program);
  std::string text = "Vulkan both\n{ }\n";
  std::string names = "x0 = 0 /\\ x1 = 0";
  for (std::uint32_t i = 0; i < program.code.size(); ++i) {
    const std::string thread = "P" + std::to_string(i);
    ThreadWriter writer(program, meetings, i);
    text += thread + "@sg " + std::to_string(i % program.local / program.subgroup_size) + ", wg " +
            std::to_string(i / program.local) + ", qf 0 {\n" + writer.text() + "}\n";
    for (std::uint32_t r = 0; r < writer.registers(); ++r)
      names += " /\\ " + thread + ":r" + std::to_string(r) + " = 0";
  }
  for (const std::uint64_t value : values) names += " \\/ x0 = " + std::to_string(value);
  return text + "exists (" + names + ")\n";
}

}  // namespace heddle
