#include "tests/spirv/message_passing.h"

#include <fmt/format.h>

namespace heddle::spirv {
namespace {

constexpr std::uint32_t kDevice = 1;
constexpr std::uint32_t kWorkgroup = 2;
constexpr std::uint32_t kSubgroup = 3;
constexpr std::uint32_t kInvocation = 4;
constexpr std::uint32_t kQueueFamily = 5;

std::uint32_t class_of(Home home) {
  return home == Home::Image ? 0x800 : home == Home::Workgroup ? 0x100 : 0x40;
}

std::uint32_t narrower(std::uint32_t scope) {
  if (scope == kWorkgroup) return kSubgroup;
  return scope == kSubgroup ? kInvocation : kWorkgroup;
}

/// Writes one program.
class Writer {
 public:
  explicit Writer(const MessageProgram& program) : p_(program) {}

  std::string run() {
    header();
    declarations();
    line("%main = OpFunction %void None %fn");
    line("%entry = OpLabel");
    line("%pi = OpAccessChain %in_uint %gid %uint_0");
    line("%i = OpLoad %uint %pi");
    line("%partner = OpBitwiseXor %uint %i %uint_1");
    line("%own = OpIAdd %uint %i %uint_1");
    line("%theirs = OpIAdd %uint %partner %uint_1");
    line(fmt::format("%mine = {} %{} %own", p_.wide ? "OpUConvert" : "OpCopyObject", element()));
    line(fmt::format("%wanted = {} %{} %theirs", p_.wide ? "OpUConvert" : "OpCopyObject", element()));
    if (p_.handing == Handing::Message) {
      message();
    } else {
      write_after_read();
    }
    line("OpReturn");
    line("OpFunctionEnd");
    return text_;
  }

 private:
  bool waits() const { return p_.handshake == Handshake::ControlBarrier; }
  std::uint32_t scope() const { return p_.weakness == Weakness::NarrowScope ? narrower(p_.scope) : p_.scope; }
  std::string element() const { return p_.wide ? "ulong" : "uint"; }
  void line(const std::string& text) { text_ += text + '\n'; }
  std::string fresh() { return "%x" + std::to_string(++ids_); }
  std::string word(std::uint32_t value) { return "%uint_" + std::to_string(value); }

  void header() {
    const auto zeros = [](Home home) { return home == Home::Buffer || home == Home::Address ? "{{0, 0}}" : "{0, 0}"; };
    line(fmt::format("; @Input: %payload = {}, %guard = {}, %failed = {{{{0, 0}}}}", zeros(p_.payload),
                     zeros(p_.guard)));
    line("; @Input: %addresses = {&%payload, &%guard}");
    line("; @Output: forall (%failed[0][0] == 0 and %failed[0][1] == 0)");
    line(fmt::format("; @Config: {}", p_.scope == kSubgroup    ? "2, 1, 1"
                                      : p_.scope == kWorkgroup ? "1, 2, 1"
                                                               : "1, 1, 2"));
  }

  void declarations() {
    for (const char* capability : {"Shader", "Int64", "Int64Atomics", "Image1D", "VulkanMemoryModel",
                                   "VulkanMemoryModelDeviceScope", "PhysicalStorageBufferAddresses", "Int64ImageEXT"})
      line(std::string("OpCapability ") + capability);
    line("OpMemoryModel PhysicalStorageBuffer64 Vulkan");
    line("OpEntryPoint GLCompute %main \"main\" %gid %payload %guard %failed %addresses");
    line("OpExecutionMode %main LocalSize 1 1 1");
    line("OpDecorate %gid BuiltIn GlobalInvocationId");
    for (const char* type : {"uint", "ulong"}) {
      line(fmt::format("OpDecorate %{}s ArrayStride {}", type, type[1] == 'l' ? 8 : 4));
      line(fmt::format("OpMemberDecorate %{}_block 0 Offset 0", type));
      line(fmt::format("OpDecorate %{}_block Block", type));
    }
    line("OpMemberDecorate %pushed 0 Offset 0");
    line("OpMemberDecorate %pushed 1 Offset 8");
    line("OpDecorate %pushed Block");
    int binding = 0;
    for (const char* variable : {"payload", "guard", "failed"}) {
      line(fmt::format("OpDecorate %{} DescriptorSet 0", variable));
      line(fmt::format("OpDecorate %{} Binding {}", variable, binding++));
    }
    line("%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%bool = OpTypeBool\n%uint = OpTypeInt 32 0");
    line("%ulong = OpTypeInt 64 0\n%v3 = OpTypeVector %uint 3\n%in_v3 = OpTypePointer Input %v3");
    line("%in_uint = OpTypePointer Input %uint\n%gid = OpVariable %in_v3 Input");
    for (std::uint32_t i = 0; i < 6; ++i) line(fmt::format("%uint_{} = OpConstant %uint {}", i, i));
    line("%zero_ulong = OpConstantNull %ulong\n%zero_uint = OpConstantNull %uint");
    for (const char* type : {"uint", "ulong"}) of_type(type);
    line("%pushed = OpTypeStruct %ulong %ulong\n%push_block = OpTypePointer PushConstant %pushed");
    line("%push_ulong = OpTypePointer PushConstant %ulong\n%addresses = OpVariable %push_block PushConstant");
    variable("payload", p_.payload, element());
    variable("guard", p_.guard, "uint");
    variable("failed", Home::Buffer, "uint");
    for (const std::uint32_t value : {release_word(), acquire_word(), barrier_word()}) semantics(value);
  }

  void of_type(const std::string& type) {
    const auto put = [&](const char* pattern) { line(fmt::format(fmt::runtime(pattern), fmt::arg("t", type))); };
    put("%v4{t} = OpTypeVector %{t} 4");
    put("%{t}s = OpTypeRuntimeArray %{t}");
    put("%{t}_pair = OpTypeArray %{t} %uint_2");
    put("%{t}_block = OpTypeStruct %{t}s");
    line(fmt::format("%{0}_image = OpTypeImage %{0} 1D 0 0 0 2 {1}", type, type == "uint" ? "R32ui" : "R64ui"));
    put("%{t}_of_buffer = OpTypePointer StorageBuffer %{t}");
    put("%{t}_block_of_buffer = OpTypePointer StorageBuffer %{t}_block");
    put("%{t}_of_address = OpTypePointer PhysicalStorageBuffer %{t}");
    put("%{t}_block_of_address = OpTypePointer PhysicalStorageBuffer %{t}_block");
    put("%{t}_of_group = OpTypePointer Workgroup %{t}");
    put("%{t}_pair_of_group = OpTypePointer Workgroup %{t}_pair");
    put("%{t}_of_image = OpTypePointer Image %{t}");
    put("%{t}_image_handle = OpTypePointer UniformConstant %{t}_image");
  }

  void variable(const std::string& name, Home home, const std::string& type) {
    if (home == Home::Image) {
      line(fmt::format("%{} = OpVariable %{}_image_handle UniformConstant", name, type));
    } else if (home == Home::Workgroup) {
      line(fmt::format("%{} = OpVariable %{}_pair_of_group Workgroup", name, type));
    } else {
      line(fmt::format("%{} = OpVariable %{}_block_of_buffer StorageBuffer", name, type));
    }
  }

  // Semantics:
  bool is_bulk() const { return p_.availability == Availability::Bulk; }
  std::uint32_t classes() const {
    const std::uint32_t guard = waits() ? 0 : class_of(p_.guard);
    return p_.weakness == Weakness::AnotherClass ? (waits() ? class_of(other()) : guard) : class_of(p_.payload) | guard;
  }
  Home other() const { return p_.payload == Home::Workgroup ? Home::Buffer : Home::Workgroup; }
  std::uint32_t release_word() const {
    if (p_.weakness == Weakness::NoOrder) return 0;
    return 0x4U | classes() | (is_bulk() && p_.weakness != Weakness::NeverAvailable ? 0x2000U : 0U);
  }
  std::uint32_t acquire_word() const { return 0x2U | classes() | (is_bulk() ? 0x4000U : 0U); }
  std::uint32_t barrier_word() const {
    if (p_.weakness == Weakness::NoOrder) return 0;
    return 0x8U | classes() | (is_bulk() ? 0x4000U : 0U) |
           (is_bulk() && p_.weakness != Weakness::NeverAvailable ? 0x2000U : 0U);
  }
  void semantics(std::uint32_t value) {
    if (value > 5 && text_.find(fmt::format("%uint_{} ", value)) == std::string::npos)
      line(fmt::format("%uint_{} = OpConstant %uint {}", value, value));
  }

  // Memory:
  std::string pointer(const std::string& name, Home home, const std::string& type, const std::string& index) {
    const std::string out = fresh();
    if (home == Home::Image) {
      line(fmt::format("{} = OpImageTexelPointer %{}_of_image %{} {} %uint_0", out, type, name, index));
    } else if (home == Home::Workgroup) {
      line(fmt::format("{} = OpAccessChain %{}_of_group %{} {}", out, type, name, index));
    } else if (home == Home::Buffer) {
      line(fmt::format("{} = OpAccessChain %{}_of_buffer %{} %uint_0 {}", out, type, name, index));
    } else {
      const std::string member = fresh();
      const std::string address = fresh();
      const std::string block = fresh();
      line(fmt::format("{} = OpAccessChain %push_ulong %addresses %uint_{}", member, name == "guard" ? 1 : 0));
      line(fmt::format("{} = OpLoad %ulong {}", address, member));
      line(fmt::format("{} = OpConvertUToPtr %{}_block_of_address {}", block, type, address));
      line(fmt::format("{} = OpAccessChain %{}_of_address {} %uint_0 {}", out, type, block, index));
    }
    return out;
  }

  std::string operands(bool store) {
    const bool image = p_.payload == Home::Image;
    const bool aligned = p_.payload == Home::Address;
    const std::string alignment = p_.wide ? " 8" : " 4";
    if (p_.weakness == Weakness::Private) return aligned ? "Aligned" + alignment : "";
    const bool makes = !is_bulk() && !(store && p_.weakness == Weakness::NeverAvailable);
    std::string bits = aligned ? "Aligned|" : "";
    const std::string what = image ? "Texel" : "Pointer";
    if (makes) bits += "Make" + what + (store ? "Available|" : "Visible|");
    bits += "NonPrivate" + what;
    return bits + (aligned ? alignment : "") + (makes ? ' ' + word(scope()) : "");
  }

  std::string load(const std::string& index) {
    const std::string out = fresh();
    if (p_.payload != Home::Image) {
      const std::string from = pointer("payload", p_.payload, element(), index);
      line(fmt::format("{} = OpLoad %{} {} {}", out, element(), from, operands(false)));
      return out;
    }
    const std::string texel = fresh();
    line(fmt::format("{} = OpImageRead %v4{} {} {} {}", texel, element(), handle(), index, operands(false)));
    line(fmt::format("{} = OpCompositeExtract %{} {} 0", out, element(), texel));
    return out;
  }

  void store(const std::string& index, const std::string& value) {
    if (p_.payload != Home::Image) {
      const std::string to = pointer("payload", p_.payload, element(), index);
      return line(fmt::format("OpStore {} {} {}", to, value, operands(true)));
    }
    const std::string texel = fresh();
    line(fmt::format("{0} = OpCompositeConstruct %v4{1} {2} {2} {2} {2}", texel, element(), value));
    line(fmt::format("OpImageWrite {} {} {} {}", handle(), index, texel, operands(true)));
  }

  std::string handle() {
    const std::string out = fresh();
    line(fmt::format("{} = OpLoad %{}_image %payload", out, element()));
    return out;
  }

  // The handshake:
  bool fence_releases() const {
    return p_.handshake == Handshake::FenceFence || p_.handshake == Handshake::FenceAtomic;
  }
  bool fence_acquires() const {
    return p_.handshake == Handshake::FenceFence || p_.handshake == Handshake::AtomicFence;
  }

  // Signals, and tells whether the partner did.
  std::string signal() {
    if (fence_releases()) line(fmt::format("OpMemoryBarrier {} {}", word(scope()), word(release_word())));
    const std::string own = pointer("guard", p_.guard, "uint", "%i");
    line(fmt::format("OpAtomicStore {} {} {} %uint_1", own, word(scope()),
                     fence_releases() ? "%uint_0" : word(release_word())));
    const std::string theirs = pointer("guard", p_.guard, "uint", "%partner");
    const std::string seen = fresh();
    line(fmt::format("{} = OpAtomicLoad %uint {} {} {}", seen, theirs, word(scope()),
                     fence_acquires() ? "%uint_0" : word(acquire_word())));
    const std::string out = fresh();
    line(fmt::format("{} = OpIEqual %bool {} %uint_1", out, seen));
    return out;
  }

  template <typename Then>
  void behind_handshake(Then then) {
    if (waits()) {
      line(fmt::format("OpControlBarrier {} {} {}", word(p_.scope), word(scope()), word(barrier_word())));
      return then();
    }
    const std::string seen = signal();
    line("OpSelectionMerge %behind None");
    line(fmt::format("OpBranchConditional {} %inside %behind", seen));
    line("%inside = OpLabel");
    if (fence_acquires()) line(fmt::format("OpMemoryBarrier {} {}", word(scope()), word(acquire_word())));
    then();
    line("OpBranch %behind");
    line("%behind = OpLabel");
  }

  void check(const std::string& value, const std::string& wanted) {
    line(fmt::format("%bad = OpINotEqual %bool {} {}", value, wanted));
    line("%result = OpSelect %uint %bad %uint_1 %uint_0");
    line("%presult = OpAccessChain %uint_of_buffer %failed %uint_0 %i");
    line("OpStore %presult %result");
  }

  void message() {
    store("%i", "%mine");
    behind_handshake([this] { check(load("%partner"), "%wanted"); });
  }

  void write_after_read() {
    const std::string value = load("%partner");
    behind_handshake([this] { store("%i", "%mine"); });
    check(value, "%zero_" + element());
  }

  const MessageProgram& p_;
  std::string text_;
  int ids_ = 0;
};

bool is_of_group(Home home) {
  return home == Home::Workgroup;
}

// A barrier that waits has no guard, and is of workgroups and subgroups.
bool makes_sense(const MessageProgram& p) {
  const bool near = p.scope == kWorkgroup || p.scope == kSubgroup;
  if (!near && (is_of_group(p.payload) || is_of_group(p.guard))) return false;
  return p.handshake != Handshake::ControlBarrier || (near && p.guard == Home::Buffer);
}

}  // namespace

std::vector<MessageProgram> message_programs() {
  std::vector<MessageProgram> out;
  const Home homes[] = {Home::Buffer, Home::Image, Home::Workgroup, Home::Address};
  for (const Home payload : homes)
    for (const Home guard : homes)
      for (const std::uint32_t scope : {kDevice, kQueueFamily, kWorkgroup, kSubgroup})
        for (const Handing handing : {Handing::Message, Handing::WriteAfterRead})
          for (const Handshake handshake : {Handshake::FenceFence, Handshake::FenceAtomic, Handshake::AtomicFence,
                                            Handshake::AtomicAtomic, Handshake::ControlBarrier})
            for (const Availability availability : {Availability::Accesses, Availability::Bulk})
              for (const bool wide : {false, true}) {
                const MessageProgram program{payload, guard, scope, handing, handshake, availability, wide};
                if (makes_sense(program)) out.push_back(program);
              }
  return out;
}

std::vector<MessageProgram> weak_twins(const MessageProgram& right) {
  std::vector<MessageProgram> out;
  const bool waits = right.handshake == Handshake::ControlBarrier;
  for (const Weakness weakness : {Weakness::NoOrder, Weakness::NarrowScope, Weakness::AnotherClass,
                                  Weakness::NeverAvailable, Weakness::Private}) {
    // What was read is nothing to be made available.
    if (weakness == Weakness::NeverAvailable && right.handing == Handing::WriteAfterRead) continue;
    if (weakness == Weakness::AnotherClass && !waits && class_of(right.payload) == class_of(right.guard)) continue;
    MessageProgram twin = right;
    twin.weakness = weakness;
    out.push_back(twin);
  }
  return out;
}

std::string text_of(const MessageProgram& program) {
  return Writer(program).run();
}

std::string name_of(const MessageProgram& p) {
  constexpr const char* kHomes[] = {"buffer", "image", "workgroup", "address"};
  constexpr const char* kHandshakes[] = {"fence-fence", "fence-atomic", "atomic-fence", "atomic-atomic", "barrier"};
  constexpr const char* kWeaknesses[] = {"right",         "no order",        "narrow scope",
                                         "another class", "never available", "private"};
  return fmt::format(
      "payload {}, guard {}, scope {}, {}, {}, {}, {} bits, {}", kHomes[static_cast<int>(p.payload)],
      kHomes[static_cast<int>(p.guard)], p.scope, p.handing == Handing::Message ? "message" : "write after read",
      kHandshakes[static_cast<int>(p.handshake)], p.availability == Availability::Bulk ? "bulk" : "accesses",
      p.wide ? 64 : 32, kWeaknesses[static_cast<int>(p.weakness)]);
}

}  // namespace heddle::spirv
