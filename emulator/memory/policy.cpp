#include "emulator/memory/policy.h"

#include <array>

#include "emulator/memory/machine.h"
#include "emulator/memory/sequential.h"
#include "runtime/text/refuse_name.h"

namespace heddle {
namespace {

constexpr MemoryPolicy sequential() {
  MemoryPolicy p;
  p.name = "sequential";
  p.description = "sequentially consistent: nothing is delayed, nothing is stale";
  p.sequential = true;
  return p;
}

constexpr MemoryPolicy random() {
  MemoryPolicy p;
  p.name = "random";
  p.description =
      "writes wait or go on, copies are kept or given up, reads are answered at once or late, by the "
      "toss of a coin";
  p.delay = 128;
  p.rest = 64;
  p.eviction_interval = 4;
  p.stale = 128;
  p.late_reads = 64;
  return p;
}

constexpr MemoryPolicy adversarial() {
  MemoryPolicy p;
  p.name = "adversarial";
  p.description =
      "nothing moves before it must: writes wait for an availability operation, reads take the "
      "oldest copy that the memory model allows";
  p.delay = 256;
  p.rest = 256;
  p.stale = 256;
  p.oldest = true;
  p.late_reads = 128;
  return p;
}

// AMD GCN's vector L1, NVIDIA's L1 before Volta: one write-through L1 for each compute unit, which
// no agent keeps coherent; the L2 behind it is the device's.
constexpr MemoryPolicy incoherent_l1() {
  MemoryPolicy p;
  p.name = "incoherent-l1";
  p.description =
      "imitates a write-through L1 for each workgroup that nothing keeps coherent, before a coherent "
      "L2: writes arrive at once, reads may hit a line that is out of date until it is invalidated";
  p.stale = 256;
  p.oldest = true;
  p.shared_copies = true;
  return p;
}

// A write-back L1 for each workgroup, as in some embedded GPUs and in scoped-synchronization designs
// (QuickRelease): dirty lines stay until a release of wider scope.
constexpr MemoryPolicy write_back() {
  MemoryPolicy p;
  p.name = "write-back";
  p.description =
      "imitates a write-back cache for each workgroup: what is written stays there until it is made "
      "available to more, and lines that were read stay until they are made visible";
  p.first_scope = Scope::Workgroup;
  p.rest = 256;
  p.stale = 256;
  p.oldest = true;
  p.shared_copies = true;
  return p;
}

// Sewell et al., x86-TSO (2010): a FIFO store buffer for each agent, coherent memory behind it.
constexpr MemoryPolicy store_buffer() {
  MemoryPolicy p;
  p.name = "store-buffer";
  p.description =
      "imitates a first-in first-out store buffer for each invocation before coherent memory, as "
      "x86 processors have it";
  p.delay = 224;
  p.eviction_interval = 8;
  p.in_order = true;
  return p;
}

// A coherent hierarchy with stores that overtake each other, and loads that were done early.
constexpr MemoryPolicy reordering() {
  MemoryPolicy p;
  p.name = "reordering";
  p.description =
      "imitates a processor that reorders what it may before coherent memory: stores overtake each "
      "other, loads may have been done early or late";
  p.delay = 160;
  p.eviction_interval = 6;
  p.stale = 64;
  p.late_reads = 96;
  return p;
}

constexpr std::array kPolicies{sequential(), random(),       adversarial(), incoherent_l1(),
                               write_back(), store_buffer(), reordering()};

// A policy that remembers every write.
constexpr MemoryPolicy with_all(MemoryPolicy policy, std::string_view name) {
  policy.name = name;
  policy.record_all = true;
  return policy;
}

constexpr std::array kPoliciesWithAll{with_all(random(), "random:all"),
                                      with_all(adversarial(), "adversarial:all"),
                                      with_all(incoherent_l1(), "incoherent-l1:all"),
                                      with_all(write_back(), "write-back:all"),
                                      with_all(store_buffer(), "store-buffer:all"),
                                      with_all(reordering(), "reordering:all")};

}  // namespace

std::span<const MemoryPolicy> memory_policies() {
  return kPolicies;
}

const MemoryPolicy* memory::find_policy(std::string_view name) {
  for (const MemoryPolicy& policy : kPolicies)
    if (policy.name == name) return &policy;
  for (const MemoryPolicy& policy : kPoliciesWithAll)
    if (policy.name == name) return &policy;
  return nullptr;
}

MemoryPolicy memory_policy(std::string_view name) {
  if (const MemoryPolicy* policy = memory::find_policy(name)) return *policy;
  text::refuse_name("the name of the memory policy", name, kPolicies);
}

std::unique_ptr<memory::Memory> memory::make_memory(const MemoryPolicy& policy, Choice& choice, ClockLimits limits) {
  if (policy.sequential) return std::make_unique<SequentialMemory>();
  return std::make_unique<Machine>(policy, choice, limits);
}

}  // namespace heddle
