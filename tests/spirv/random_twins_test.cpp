#include <heddle/explore_kernel.h>
#include <heddle/module.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/verdict.h"
#include "tests/how_many.h"
#include "tests/spirv/run_module.h"

/// \file
/// Random programs, each written as a litmus test, as a SPIR-V module and as a kernel in C++.

using namespace heddle::spirv;

namespace {

using Outcomes = std::set<std::map<std::string, std::int64_t>>;

/// An instruction of the kernel in C++.
struct KernelLine {
  enum class Kind : std::uint8_t { Store, Load, AtomicStore, AtomicLoad, Add, Fence, Barrier } kind = Kind::Barrier;
  /// What it accesses: 0 is x, 1 is y.
  std::uint32_t variable = 0;
  std::uint32_t value = 0;
  heddle::Scope scope = heddle::Scope::Workgroup;
  heddle::MemorySemantics semantics{};
  /// Makes available or visible what a plain access touches.
  bool makes = false;
  /// The number of the result that it gives.
  std::uint32_t result = 0;
};

/// A program in its three forms.
class Twins {
 public:
  explicit Twins(std::uint64_t seed) : random_(seed) {
    threads_ = 2 + below(2);
    together_ = below(2) == 0;
    meet_ = together_ && below(2) == 0;
    litmus_.resize(threads_);
    kernel_.resize(threads_);
    before_.resize(threads_);
    behind_.resize(threads_);
    for (std::size_t t = 0; t < threads_; ++t) {
      for (std::uint64_t i = 1 + below(2); i-- > 0;) instruction(t, before_[t]);
      if (meet_) litmus_[t].push_back(barrier_litmus_);
      if (meet_) kernel_[t].push_back(barrier_line());
      if (meet_)
        for (std::uint64_t i = below(3); i-- > 0;) instruction(t, behind_[t]);
    }
  }

  std::string litmus() const;
  std::string spirv() const;
  /// The lines of the kernel, by invocation.
  const std::vector<std::vector<KernelLine>>& kernel() const { return kernel_; }
  std::string name(std::size_t result) const { return "out" + std::to_string(result); }
  std::size_t results() const { return results_; }
  /// Invocations in a workgroup, and workgroups.
  std::uint32_t local() const { return static_cast<std::uint32_t>(together_ ? threads_ : 1); }
  std::uint32_t groups() const { return static_cast<std::uint32_t>(together_ ? 1 : threads_); }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  std::string id() { return "%t" + std::to_string(ids_++); }
  void instruction(std::size_t thread, std::string& code);
  static KernelLine barrier_line() {
    KernelLine line;
    line.semantics = static_cast<heddle::MemorySemantics>(kBarrier);
    return line;
  }
  void show(std::size_t thread, const std::string& value, std::string& code);
  std::string condition(bool litmus) const;

  struct ScopeName {
    const char* tag;
    int number;
  };
  ScopeName scope() {
    constexpr ScopeName kScopes[] = {{"sg", 3}, {"wg", 2}, {"qf", 5}, {"dv", 1}};
    return kScopes[below(4)];
  }
  /// An order of its number: 0 none, 1 acquire, 2 release, 3 both; as tag, and with classes as a mask.
  struct Order {
    std::string tags;
    int mask = 0;
  };
  Order order(int number) {
    constexpr const char* kTags[] = {"", "acq.", "rel.", "acq_rel."};
    constexpr int kMasks[] = {0, 2, 4, 8};
    return {kTags[number], kMasks[number]};
  }
  KernelLine kernel_line(KernelLine::Kind kind, std::uint32_t variable, std::uint64_t value, const ScopeName& in,
                         int mask, bool makes) const {
    return {kind,
            variable,
            static_cast<std::uint32_t>(value),
            static_cast<heddle::Scope>(in.number),
            static_cast<heddle::MemorySemantics>(mask),
            makes,
            static_cast<std::uint32_t>(results_)};
  }
  std::string classes(int& mask) {
    std::string out = ".semsc0";
    mask |= 0x40;
    if ((mask & 12) != 0 && below(2) == 0) out += ".semav", mask |= 0x2000;
    if ((mask & 10) != 0 && below(2) == 0) out += ".semvis", mask |= 0x4000;
    return out;
  }
  std::string constant(int value) {
    constants_.insert(value);
    return "%c" + std::to_string(value);
  }

  std::mt19937_64 random_;
  std::size_t threads_ = 2;
  bool together_ = false;
  bool meet_ = false;
  /// The semantics of the barrier at which all meet: acquire and release of buffers, made available and visible.
  static constexpr int kBarrier = 0x8 | 0x40 | 0x2000 | 0x4000;

  std::vector<std::vector<std::string>> litmus_;
  std::vector<std::vector<KernelLine>> kernel_;
  std::vector<std::string> before_;
  std::vector<std::string> behind_;
  std::string barrier_litmus_ = "cbar.acq_rel.wg.semsc0.semav.semvis 0";
  std::set<int> constants_{0, 1, 2};
  std::size_t results_ = 0;
  std::size_t ids_ = 0;
};

void Twins::show(std::size_t thread, const std::string& value, std::string& code) {
  const std::string register_name = "r" + std::to_string(results_);
  litmus_[thread].push_back("st.sc0 " + name(results_) + ", " + register_name);
  const std::string at = id();
  code += at + " = OpAccessChain %to_uint %" + name(results_) + " %c0\nOpStore " + at + " " + value + "\n";
  ++results_;
}

void Twins::instruction(std::size_t thread, std::string& code) {
  const std::string variable = below(2) == 0 ? "x" : "y";
  const std::string value = constant(1 + static_cast<int>(below(2)));
  const std::string number = value.substr(2);
  const ScopeName in = scope();
  const std::string in_id = constant(in.number);
  const std::string at = id();
  const std::string result = id();
  const std::string r = "r" + std::to_string(results_);
  std::vector<std::string>& litmus = litmus_[thread];
  code += at + " = OpAccessChain %to_uint %" + variable + " %c0\n";
  const auto add = [&](KernelLine::Kind kind, int mask, bool makes) {
    kernel_[thread].push_back(kernel_line(kind, variable == "x" ? 0U : 1U, std::stoul(number), in, mask, makes));
  };
  const auto tags = [&](const Order& o, const std::string& more) { return ".atom." + o.tags + in.tag + ".sc0" + more; };
  switch (below(6)) {
    case 0: {
      const bool available = below(2) == 0;
      add(KernelLine::Kind::Store, 0, available);
      litmus.push_back("st" + (available ? std::string(".av.") + in.tag : std::string()) + ".sc0 " + variable + ", " +
                       number);
      code +=
          "OpStore " + at + " " + value + (available ? " MakePointerAvailable|NonPrivatePointer " + in_id : "") + "\n";
      break;
    }
    case 1: {
      const bool visible = below(2) == 0;
      add(KernelLine::Kind::Load, 0, visible);
      litmus.push_back("ld" + (visible ? std::string(".vis.") + in.tag : std::string()) + ".sc0 " + r + ", " +
                       variable);
      code +=
          result + " = OpLoad %uint " + at + (visible ? " MakePointerVisible|NonPrivatePointer " + in_id : "") + "\n";
      show(thread, result, code);
      break;
    }
    case 2: {
      Order o = order(below(2) == 0 ? 0 : 2);
      const std::string more = o.mask != 0 ? classes(o.mask) : "";
      add(KernelLine::Kind::AtomicStore, o.mask, false);
      litmus.push_back("st" + tags(o, more) + " " + variable + ", " + number);
      code += "OpAtomicStore " + at + " " + in_id + " " + constant(o.mask) + " " + value + "\n";
      break;
    }
    case 3: {
      Order o = order(below(2) == 0 ? 0 : 1);
      const std::string more = o.mask != 0 ? classes(o.mask) : "";
      add(KernelLine::Kind::AtomicLoad, o.mask, false);
      litmus.push_back("ld" + tags(o, more) + " " + r + ", " + variable);
      code += result + " = OpAtomicLoad %uint " + at + " " + in_id + " " + constant(o.mask) + "\n";
      show(thread, result, code);
      break;
    }
    case 4: {
      Order o = order(static_cast<int>(below(4)));
      const std::string more = o.mask != 0 ? classes(o.mask) : "";
      add(KernelLine::Kind::Add, o.mask, false);
      litmus.push_back("rmw" + tags(o, more) + ".add " + r + ", " + variable + ", " + number);
      code += result + " = OpAtomicIAdd %uint " + at + " " + in_id + " " + constant(o.mask) + " " + value + "\n";
      show(thread, result, code);
      break;
    }
    default: {
      Order o = order(1 + static_cast<int>(below(3)));
      const std::string more = classes(o.mask);
      add(KernelLine::Kind::Fence, o.mask, false);
      litmus.push_back("membar." + o.tags + in.tag + more);
      code += "OpMemoryBarrier " + in_id + " " + constant(o.mask) + "\n";
    }
  }
}

// It names every variable, and says nothing.
std::string Twins::condition(bool litmus) const {
  std::string out = litmus ? "x != 99 /\\ y != 99" : "%x[0] != 99 and %y[0] != 99";
  for (std::size_t i = 0; i < results_; ++i)
    out += litmus ? " /\\ " + name(i) + " != 99" : " and %" + name(i) + "[0] != 99";
  return out;
}

std::string Twins::litmus() const {
  std::string out = "Vulkan twin\n{\nx=0; y=0;";
  for (std::size_t i = 0; i < results_; ++i) out += " " + name(i) + "=9;";
  out += "\n}\n";
  std::size_t rows = 0;
  for (std::size_t t = 0; t < threads_; ++t) {
    out += (t == 0 ? " P" : " | P") + std::to_string(t) + "@sg 0, wg " + std::to_string(together_ ? 0 : t) + ", qf 0";
    rows = std::max(rows, litmus_[t].size());
  }
  out += " ;\n";
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t t = 0; t < threads_; ++t)
      out += (t == 0 ? " " : " | ") + (row < litmus_[t].size() ? litmus_[t][row] : std::string());
    out += " ;\n";
  }
  return out + "forall (" + condition(true) + ")\n";
}

std::string Twins::spirv() const {
  std::string inputs = "; @Input: %x = {0}, %y = {0}";
  std::string variables = "%x = OpVariable %to_Box StorageBuffer\n%y = OpVariable %to_Box StorageBuffer\n";
  for (std::size_t i = 0; i < results_; ++i) {
    inputs += ", %" + name(i) + " = {9}";
    variables += "%" + name(i) + " = OpVariable %to_Box StorageBuffer\n";
  }
  const std::string many = std::to_string(threads_);
  std::string places;
  auto place = [&, binding = 0](const std::string& variable) mutable {
    places += "OpDecorate %" + variable + " DescriptorSet 0\nOpDecorate %" + variable + " Binding " +
              std::to_string(binding++) + "\n";
  };
  place("x");
  place("y");
  for (std::size_t i = 0; i < results_; ++i) place(name(i));
  std::string out = inputs + "\n; @Output: forall (" + condition(false) +
                    ")\n; @Config: " + (together_ ? many + ", 1, 1" : "1, 1, " + many) +
                    "\nOpCapability Shader\nOpMemoryModel Logical Vulkan\nOpEntryPoint GLCompute %main \"main\" %id\n"
                    "OpDecorate %id BuiltIn GlobalInvocationId\nOpMemberDecorate %Box 0 Offset 0\n" +
                    places +
                    "%void = OpTypeVoid\n%kernel = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n"
                    "%uint3 = OpTypeVector %uint 3\n%Box = OpTypeStruct %uint\n"
                    "%to_Box = OpTypePointer StorageBuffer %Box\n%to_uint = OpTypePointer StorageBuffer %uint\n"
                    "%to_uint3 = OpTypePointer Input %uint3\n%id = OpVariable %to_uint3 Input\n";
  for (const int each : constants_)
    out += "%c" + std::to_string(each) + " = OpConstant %uint " + std::to_string(each) + "\n";
  out += "%barrier = OpConstant %uint " + std::to_string(kBarrier) + "\n" + variables +
         "%main = OpFunction %void None %kernel\n%start = OpLabel\n%where = OpLoad %uint3 %id\n"
         "%n = OpCompositeExtract %uint %where 0\n";
  const auto part = [&](const std::vector<std::string>& codes, const std::string& prefix) {
    out += "OpSelectionMerge %" + prefix + "end None\nOpSwitch %n %" + prefix + "end";
    for (std::size_t t = 0; t < threads_; ++t) out += " " + std::to_string(t) + " %" + prefix + std::to_string(t);
    out += "\n";
    for (std::size_t t = 0; t < threads_; ++t)
      out += "%" + prefix + std::to_string(t) + " = OpLabel\n" + codes[t] + "OpBranch %" + prefix + "end\n";
    out += "%" + prefix + "end = OpLabel\n";
  };
  part(before_, "before");
  if (meet_) {
    out += "OpControlBarrier %c2 %c2 %barrier\n";
    part(behind_, "behind");
  }
  return out + "OpReturn\nOpFunctionEnd\n";
}

Outcomes outcomes_of(const Ran& ran, const Answer& answer) {
  Outcomes out;
  for (const Row& row : answer.rows) {
    std::map<std::string, std::int64_t> outcome;
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      const std::string& spelled = ran.question.observables[i].name;
      outcome[spelled.substr(1, spelled.find('[') - 1)] = static_cast<std::int64_t>(row.values[i]);
    }
    out.insert(outcome);
  }
  return out;
}

Outcomes outcomes_of(const heddle::litmus::Test& test, const heddle::litmus::Answer& answer) {
  Outcomes out;
  for (const heddle::litmus::OutcomeRow& row : answer.outcomes) {
    std::map<std::string, std::int64_t> outcome;
    for (std::size_t i = 0; i < row.values.size(); ++i) outcome[test.observables[i].name] = row.values[i];
    out.insert(outcome);
  }
  return out;
}

/// Executes one line, and says what it got; nothing if it reads nothing.
template <typename Invocation, typename Reference>
std::optional<std::uint32_t> execute(Invocation& inv, const KernelLine& line, const Reference& at) {
  using Kind = KernelLine::Kind;
  using heddle::dynamic;
  using heddle::MemoryOperands;
  const auto scope = dynamic(line.scope);
  const auto semantics = dynamic(line.semantics);
  const auto operands = [&](MemoryOperands makes) {
    return dynamic(line.makes ? MemoryOperands::NonPrivatePointer | makes : MemoryOperands::None);
  };
  const auto made = dynamic(line.makes ? line.scope : heddle::Scope::Invocation);
  switch (line.kind) {
    case Kind::Load:
      return inv.load(at, operands(MemoryOperands::MakePointerVisible), made);
    case Kind::AtomicLoad:
      return inv.atomic_load(at, scope, semantics);
    case Kind::Add:
      return inv.atomic_i_add(at, scope, semantics, line.value);
    case Kind::Store:
      inv.store(at, line.value, operands(MemoryOperands::MakePointerAvailable), made);
      return std::nullopt;
    case Kind::AtomicStore:
      inv.atomic_store(at, scope, semantics, line.value);
      return std::nullopt;
    case Kind::Fence:
      inv.memory_barrier(scope, semantics);
      return std::nullopt;
    case Kind::Barrier:
      inv.control_barrier(heddle::Scope::Workgroup, scope, semantics);
      return std::nullopt;
  }
  return std::nullopt;
}

/// All executions of the kernel in C++.
heddle::KernelExecutions explored(const Twins& twins) {
  heddle::KernelBounds bounds;
  bounds.subgroup_size = twins.local();
  bounds.print_to = nullptr;
  return heddle::explore_kernel(
      [&](heddle::KernelExploration& exploration) {
        auto x = exploration.device().buffer<std::uint32_t>({0}, "x");
        auto y = exploration.device().buffer<std::uint32_t>({0}, "y");
        auto out = exploration.device().buffer(std::vector<std::uint32_t>(twins.results() + 1, 9), "out");
        const auto kernel = [&twins](auto& inv, auto one, auto other, auto results) {
          if constexpr (std::remove_reference_t<decltype(inv)>::kEmulated) {
            for (const KernelLine& line : twins.kernel()[inv.global_invocation_id().x]) {
              const auto got = line.variable == 0 ? execute(inv, line, one[0]) : execute(inv, line, other[0]);
              if (got) results[line.result] = *got;
            }
          }
        };
        return exploration.dispatch(kernel, twins.groups(), twins.local(), x, y, out);
      },
      bounds);
}

/// The outcomes of the kernel, with the names that the module has.
Outcomes outcomes_of(const Twins& twins, const heddle::KernelExecutions& found) {
  Outcomes out;
  for (const std::vector<std::uint64_t>& row : found.outcomes) {
    const auto value_of = [&](const std::string& name, std::int64_t unwritten) {
      const std::size_t index = found.index_of(name);
      return index == found.names.size() ? unwritten : static_cast<std::int64_t>(row[index]);
    };
    std::map<std::string, std::int64_t> outcome{{"x", value_of("x[0]", 0)}, {"y", value_of("y[0]", 0)}};
    for (std::size_t i = 0; i < twins.results(); ++i)
      outcome[twins.name(i)] = value_of("out[" + std::to_string(i) + "]", 9);
    out.insert(outcome);
  }
  return out;
}

/// What one run of a twin on a device leaves, and whether it had a race.
std::pair<std::map<std::string, std::int64_t>, bool> run_on_device(const Twins& twins, const std::string& file,
                                                                   const char* policy, std::uint64_t seed) {
  heddle::DeviceOptions options;
  options.mode = heddle::Mode::Emulated;
  options.memory = heddle::memory_policy(policy);
  options.seed = seed;
  options.races = true;
  options.subgroup_size = twins.local();
  heddle::Device device(options);
  heddle::ModuleOptions size;
  size.local = heddle::Extent(twins.local());
  heddle::Module module(device, file, size);
  std::vector<std::string> names{"x", "y"};
  for (std::size_t i = 0; i < twins.results(); ++i) names.push_back(twins.name(i));
  std::vector<heddle::Buffer<std::uint32_t>> buffers;
  std::vector<heddle::BoundBuffer> bound;
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    buffers.push_back(device.buffer<std::uint32_t>({i < 2 ? 0U : 9U}, names[i]));
    bound.push_back(heddle::bound(0, i, buffers.back()));
  }
  module.dispatch(twins.groups(), bound);
  std::map<std::string, std::int64_t> outcome;
  for (std::size_t i = 0; i < names.size(); ++i) outcome[names[i]] = buffers[i].read()[0];
  return {outcome, !device.races().empty()};
}

}  // namespace

TEST_CASE("on a device random modules do nothing that the explorer does not list, and race only where it says so",
          "[nightly]") {
  const std::uint64_t first = heddle::first_seed();
  const std::uint64_t count = heddle::how_many("HEDDLE_SPIRV_ON_DEVICE", 60, 5000);
  const std::string file = "random_twins_test." + std::to_string(getpid()) + ".spvasm";
  std::uint64_t racy = 0;
  std::uint64_t found = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Twins twins(seed);
    INFO("seed " << seed << '\n' << twins.spirv());
    std::ofstream(file) << twins.spirv();
    const Ran ran(twins.spirv());
    const Answer answer = ran.ask(false);
    const Outcomes allowed = outcomes_of(ran, answer);
    bool seen = false;
    for (const char* policy : {"sequential", "random", "adversarial", "write-back"}) {
      for (std::uint64_t run = 0; run < 3; ++run) {
        const auto [outcome, race] = run_on_device(twins, file, policy, run);
        INFO(policy << ", seed " << run);
        CHECK(allowed.count(outcome) == 1);
        if (race) REQUIRE(answer.racy);
        seen = seen || race;
      }
    }
    racy += answer.racy ? 1 : 0;
    found += seen ? 1 : 0;
  }
  std::remove(file.c_str());
  // Twelve runs show most of the races that there are.
  CHECK(10 * found >= 7 * racy);
}

TEST_CASE("random programs have the same outcomes, races and executions as litmus tests and as modules", "[nightly]") {
  const std::uint64_t first = heddle::first_seed();
  const std::uint64_t count = heddle::how_many("HEDDLE_SPIRV_TWINS", 300, 20000);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Twins twins(seed);
    INFO("seed " << seed << '\n' << twins.litmus() << '\n' << twins.spirv());
    const auto parsed = heddle::litmus::parse_vulkan(twins.litmus());
    if (!parsed.errors.empty()) INFO(parsed.errors[0].message);
    REQUIRE(parsed.test);
    const heddle::litmus::Answer expected = heddle::litmus::answer(*parsed.test, {});
    const Ran ran(twins.spirv());
    const Answer own = ran.ask(false);
    REQUIRE(own.racy == expected.racy);
    REQUIRE(own.executions == expected.executions);
    REQUIRE(outcomes_of(ran, own) == outcomes_of(*parsed.test, expected));
    const Answer verdict = ran.ask(true);
    REQUIRE(verdict.racy == own.racy);
    REQUIRE(verdict.complete);
  }
}

TEST_CASE("random programs have the same outcomes and races as modules and as kernels in C++", "[nightly]") {
  const std::uint64_t first = heddle::first_seed();
  const std::uint64_t count = heddle::how_many("HEDDLE_SPIRV_KERNEL_TWINS", 100, 20000);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Twins twins(seed);
    INFO("seed " << seed << '\n' << twins.spirv());
    const Ran ran(twins.spirv());
    const Answer module = ran.ask(false);
    const heddle::KernelExecutions kernel = explored(twins);
    REQUIRE(module.complete);
    REQUIRE(kernel.complete);
    REQUIRE(module.racy == !kernel.races.empty());
    REQUIRE(module.executions == kernel.executions);
    REQUIRE(outcomes_of(ran, module) == outcomes_of(twins, kernel));
  }
}
