#include "emulator/litmus/vulkan/notation.h"

#include <algorithm>
#include <iterator>

namespace heddle::litmus {
namespace {

using judge::Axiom;
using judge::RelationName;

constexpr NotationWord kWords[] = {
    {"ld", "load", WordKind::Instruction, "Loads a variable into a register."},
    {"st", "store", WordKind::Instruction, "Stores a number or a register into a variable."},
    {"rmw", "atomicExchange", WordKind::Instruction,
     "Reads a variable and writes it in one step that no other atomic comes between; the register gets the old value."},
    {"membar", "memoryBarrier", WordKind::Instruction,
     "A memory barrier, or fence: orders the accesses before it and behind it, together with an atomic beside it."},
    {"cbar", "controlBarrier", WordKind::Instruction,
     "A control barrier: no thread of the workgroup goes past it before all have come to it. With a memory order it is "
     "a "
     "memory barrier as well."},
    {"avdevice", "makeAvailableToDevice", WordKind::Instruction,
     "Makes what is available anywhere on the device available to the device domain."},
    {"visdevice", "makeVisibleFromDevice", WordKind::Instruction,
     "Makes what is available in the device domain visible to all of the device."},
    {"beginlock", "beginInvocationInterlock", WordKind::Instruction,
     "Begins code that overlapping fragments execute one after the other."},
    {"endlock", "endInvocationInterlock", WordKind::Instruction,
     "Ends code that overlapping fragments execute one after the other."},
    {"free", "free", WordKind::Instruction, "Ends the life of a variable: no access may come behind it."},
    {"coopld", "coopLoad", WordKind::Instruction,
     "Loads a cooperative matrix: one thread performs the access for all that come to it."},
    {"coopst", "coopStore", WordKind::Instruction,
     "Stores a cooperative matrix: one thread performs the access for all that come to it."},
    {"add", "+", WordKind::Instruction, "Adds two values into a register."},
    {"sub", "-", WordKind::Instruction, "Subtracts the second value from the first one."},
    {"mul", "*", WordKind::Instruction, "Multiplies two values."},
    {"div", "/", WordKind::Instruction, "Divides the first value by the second one."},
    {"and", "&", WordKind::Instruction, "Takes the bits that both values have."},
    {"or", "|", WordKind::Instruction, "Takes the bits that one of the values has."},
    {"xor", "^", WordKind::Instruction, "Takes the bits in which the values differ."},
    {"", "=", WordKind::Instruction, "Puts what stands behind it into the register before it."},
    {"", "atomicLoad", WordKind::Instruction,
     "A load that is atomic: it sees a whole write, and races with no other atomic."},
    {"", "atomicStore", WordKind::Instruction,
     "A store that is atomic: others see it as a whole, and it races with no other atomic."},

    {"beq", "if (a == b)", WordKind::Branch, "Goes on at a label if the two values are equal."},
    {"bne", "if (a != b)", WordKind::Branch, "Goes on at a label if the two values differ."},
    {"blt", "if (a < b)", WordKind::Branch, "Goes on at a label if the first value is less."},
    {"ble", "if (a <= b)", WordKind::Branch, "Goes on at a label if the first value is less or equal."},
    {"bgt", "if (a > b)", WordKind::Branch, "Goes on at a label if the first value is greater."},
    {"bge", "if (a >= b)", WordKind::Branch, "Goes on at a label if the first value is greater or equal."},
    {"goto", "goto", WordKind::Branch, "Goes on at a label."},

    {"atom", "", WordKind::Tag,
     "The access is atomic: others see it as a whole, and two atomics do not race within their scopes."},
    {"nonpriv", "NonPrivate", WordKind::Tag,
     "The access is non-private: other threads may be ordered with it. Without it, nothing hands the value over."},
    {"av", "MakeAvailable", WordKind::Tag,
     "The store makes its own value available to the scope behind it, without waiting for a release."},
    {"vis", "MakeVisible", WordKind::Tag,
     "The load makes what is available in the scope behind it visible to itself, without waiting for an acquire."},
    {"acq", "Acquire", WordKind::Tag,
     "What comes behind it in its thread sees what the thread of the release that it meets has done before."},
    {"rel", "Release", WordKind::Tag,
     "What its thread has done before comes before what follows the acquire that meets it."},
    {"acq_rel", "AcquireRelease", WordKind::Tag, "An acquire and a release in one."},
    {"", "Relaxed", WordKind::Tag, "The atomic orders nothing but accesses of its own variable."},
    {"sg", "Subgroup", WordKind::Tag,
     "The scope is the subgroup: the operation counts for threads of its own subgroup alone."},
    {"wg", "Workgroup", WordKind::Tag,
     "The scope is the workgroup: the operation counts for threads of its own workgroup alone."},
    {"qf", "QueueFamily", WordKind::Tag,
     "The scope is the queue family: the operation counts for all that run on queues of it."},
    {"dv", "Device", WordKind::Tag, "The scope is the device: the operation counts for every thread on it."},
    {"sh", "ShaderCall", WordKind::Tag, "The scope is the group of threads that a shader call relates."},
    {"fi", "FragmentInterlock", WordKind::Tag, "The scope is the group of fragments that overlap."},
    {"sc0", "buffer", WordKind::Tag, "The variable is in a storage buffer."},
    {"sc1", "shared", WordKind::Tag, "The variable is in the memory of the workgroup, which GLSL calls shared."},
    {"sc2", "image", WordKind::Tag, "The variable is a texel of an image."},
    {"sc3", "out", WordKind::Tag, "The variable is an output of the shader."},
    {"scin", "in", WordKind::Tag, "The variable is an input of the shader: what an earlier stage put out."},
    {"semsc0", "UniformMemory", WordKind::Tag, "The order is about storage buffers."},
    {"semsc1", "WorkgroupMemory", WordKind::Tag, "The order is about the memory of the workgroup."},
    {"semsc2", "ImageMemory", WordKind::Tag, "The order is about images."},
    {"semsc3", "OutputMemory", WordKind::Tag, "The order is about outputs of shaders."},
    {"semav", "MakeAvailable", WordKind::Tag,
     "The release makes available what its thread has written: it pushes the values out of the thread's own cache."},
    {"semvis", "MakeVisible", WordKind::Tag,
     "The acquire makes visible what is available: it drops old copies from the thread's own cache."},
    {"add", "atomicAdd", WordKind::Tag, "The update adds the value to the old one."},
    {"sub", "atomicSub", WordKind::Tag, "The update subtracts the value from the old one."},
    {"mul", "atomicMul", WordKind::Tag, "The update multiplies the old value by the value."},
    {"div", "atomicDiv", WordKind::Tag, "The update divides the old value by the value."},
    {"and", "atomicAnd", WordKind::Tag, "The update keeps the bits that old value and value have."},
    {"or", "atomicOr", WordKind::Tag, "The update adds the bits of the value to the old one."},
    {"xor", "atomicXor", WordKind::Tag, "The update turns the bits of the old value that the value has."},
    {"", "resource", WordKind::Tag, "The control barrier has the name behind it, and meets those of that name alone."},
    {"", "quorum", WordKind::Tag, "The control barrier opens when so many threads have come to it."},

    {"sg", "subgroup", WordKind::Place, "The subgroup of the thread: threads that the hardware runs together."},
    {"wg", "workgroup", WordKind::Place,
     "The workgroup of the thread: threads that share memory and can meet at a control barrier."},
    {"qf", "queueFamily", WordKind::Place, "The queue family on which the thread runs."},
    {"stage", "stage", WordKind::Place, "The stage of the pipeline that the thread belongs to."},
    {"compute", "compute", WordKind::Place, "The thread is an invocation of a compute shader."},
    {"vertex", "vertex", WordKind::Place, "The thread is an invocation of a vertex shader."},
    {"tesscontrol", "tesscontrol", WordKind::Place, "The thread is an invocation of a tessellation control shader."},
    {"fragment", "fragment", WordKind::Place, "The thread is an invocation of a fragment shader."},
    {"raytracing", "raytracing", WordKind::Place, "The thread is an invocation of a ray tracing shader."},
    {"call", "call", WordKind::Place, "Threads with equal numbers are related by a shader call."},
    {"overlap", "overlap", WordKind::Place, "Fragments with equal numbers overlap."},

    {"aliases", "aliases", WordKind::Declaration,
     "The variable is another name for the memory of a variable that is there already."},
    {"ssw", "ssw", WordKind::Declaration,
     "Everything that the first thread does comes before everything that the second one does."},
    {"interlock", "interlock", WordKind::Declaration,
     "The first of two overlapping fragments executes its locked code first."},
    {"feeds", "feeds", WordKind::Declaration, "What the first thread puts out is the input of the second one."},

    // Words of host tests (HOST.md).
    {"host", "", WordKind::Place, "The thread is one of the host's. It calls the API, and accesses mapped memory."},
    {"q", "", WordKind::Place, "The queue to which the batch of commands is submitted."},
    {"noncoherent", "", WordKind::Declaration,
     "The memory of the variable is not coherent: the host's cache is written back by a flush, and emptied by an "
     "invalidation."},
    {"uniform", "", WordKind::Declaration, "The variable is in a uniform buffer."},
    {"exclusive", "", WordKind::Declaration, "The variable is owned by one queue family at a time."},
    {"flush", "", WordKind::Instruction,
     "Writes the host's cache of this memory back: without it, nobody else need see what the host wrote."},
    {"invalidate", "", WordKind::Instruction,
     "Empties the host's cache of this memory: without it, the host may read what was there before."},
    {"submit", "", WordKind::Instruction,
     "Hands batches of commands to their queue. What the host wrote and flushed before comes before all of them."},
    {"wait", "", WordKind::Instruction,
     "Waits for a fence or a semaphore: what it stands for comes before what follows."},
    {"signal", "", WordKind::Instruction, "Signals a semaphore: what comes before is over for those who wait for it."},
    {"idle", "", WordKind::Instruction, "Waits until a queue, or all of them, have ended what they were given."},
    {"set", "", WordKind::Instruction, "Sets an event, for which commands may wait."},
    {"await", "", WordKind::Instruction, "The commands that follow wait for the event."},
    {"dispatch", "", WordKind::Instruction,
     "Runs the threads behind it. Without a dependency it may overlap with what the queue is given before and behind "
     "it."},
    {"copy", "", WordKind::Instruction, "Copies the second variable to the first one."},
    {"fill", "", WordKind::Instruction, "Writes a number to a variable, as a command of a queue."},
    {"update", "", WordKind::Instruction, "Writes a number to a variable, as a command of a queue."},
    {"dep", "", WordKind::Instruction,
     "A pipeline barrier: the first mask says what it waits for and makes available, the second one what waits for it "
     "and is to see it."},
    {"release", "", WordKind::Instruction, "Gives the variable to another queue family, which has to acquire it."},
    {"acquire", "", WordKind::Instruction, "Takes the variable over from the queue family that released it."},
    {"none", "", WordKind::Tag, "No stage: nothing waits."},
    {"indirect", "", WordKind::Tag, "The stage in which the parameters of an indirect dispatch are read."},
    {"compute", "", WordKind::Tag, "The stage of compute shaders."},
    {"copy", "", WordKind::Tag, "The stage of copies."},
    {"clear", "", WordKind::Tag, "The stage of fills and clears."},
    {"transfer", "", WordKind::Tag, "The stages of copies, fills and clears."},
    {"host", "", WordKind::Tag,
     "The host, as a stage: without it in the second mask of a barrier the host sees nothing new."},
    {"all", "", WordKind::Tag, "All stages of commands; the host is none of them."},
    {"storage_read", "", WordKind::Tag, "Reads of storage buffers by shaders."},
    {"storage_write", "", WordKind::Tag, "Writes to storage buffers by shaders."},
    {"uniform_read", "", WordKind::Tag, "Reads of uniform buffers by shaders."},
    {"shader_read", "", WordKind::Tag, "Reads by shaders."},
    {"shader_write", "", WordKind::Tag, "Writes by shaders."},
    {"transfer_read", "", WordKind::Tag, "Reads by copies."},
    {"transfer_write", "", WordKind::Tag, "Writes by copies, fills and clears."},
    {"indirect_read", "", WordKind::Tag, "Reads of the parameters of an indirect dispatch."},
    {"host_read", "", WordKind::Tag, "Reads by the host."},
    {"host_write", "", WordKind::Tag, "Writes by the host."},
    {"memory_read", "", WordKind::Tag, "All reads that the stages of the mask make."},
    {"memory_write", "", WordKind::Tag, "All writes that the stages of the mask make."},

    {"exists", "exists", WordKind::Condition, "The test asks whether some execution ends so."},
    {"forall", "forall", WordKind::Condition, "The test says that every execution ends so."},
    {"~", "~", WordKind::Condition,
     "Turns a condition round; before `exists` the test says that no execution ends so."},
    {"not", "not", WordKind::Condition, "Another word for `~`."},
    {"/\\", "/\\", WordKind::Condition, "Both conditions hold."},
    {"\\/", "\\/", WordKind::Condition, "One of the conditions holds, or both."},
    {"filter", "filter", WordKind::Condition,
     "The test asks about executions that end so alone: all others are left out."},
    {"locations", "locations", WordKind::Condition, "A list of what other tools are to print; it means nothing here."},
};

constexpr RelationWords kRelations[] = {
    {RelationName::ProgramOrder, "program order", "memory-model-program-order",
     "The first comes before the second in the code of their thread."},
    {RelationName::ReadsFrom, "reads-from", "memory-model-acyclicity", "The read takes its value from this write."},
    {RelationName::FromReads, "from-reads", "memory-model-acyclicity",
     "The read takes its value from something older than this write: it comes before the write."},
    {RelationName::ScopedModificationOrder, "scoped modification order", "memory-model-scoped-modification-order",
     "Of two atomic writes of one variable, this one comes first."},
    {RelationName::MutuallyOrdered, "mutually ordered", "memory-model-atomic-operation",
     "Two atomics of one variable whose scopes include each other's threads."},
    {RelationName::ReleaseSequence, "release sequence", "memory-model-release-sequence",
     "A release and the read-modify-writes that follow it: who reads from one of them meets the release."},
    {RelationName::HypotheticalReleaseSequence, "hypothetical release sequence", "memory-model-release-sequence",
     "The release sequence that an atomic behind a fence would have if it were a release."},
    {RelationName::SynchronizesWith, "synchronizes-with", "memory-model-synchronizes-with",
     "The release meets the acquire: scopes and storage classes fit, and the value was handed over."},
    {RelationName::SystemSynchronizesWith, "system-synchronizes-with", "memory-model-system-synchronizes-with",
     "Something outside of the shaders (a fence of the API, a pipeline barrier) puts the first before the second."},
    {RelationName::InterThreadHappensBefore, "inter-thread-happens-before", "memory-model-inter-thread-happens-before",
     "Synchronization between threads puts the first before the second."},
    {RelationName::HappensBefore, "happens-before", "memory-model-happens-before",
     "The first comes before the second, for these storage classes. Whether its value gets there is another matter."},
    {RelationName::LocationOrdered, "location-ordered", "memory-model-location-ordered",
     "The first comes before the second, and what it did to this memory has got there: it was made available, and "
     "visible."},
    {RelationName::VisibleTo, "visible-to", "memory-model-visible-to", "The read may take its value from this write."},
    {RelationName::DataRace, "data race", "memory-model-access-data-race",
     "Two accesses of one variable, of which one writes and one is not atomic, and nothing orders them."},
};

constexpr RuleWords kRules[] = {
    {Axiom::Acyclicity, "acyclicity", "acyclicity", "memory-model-acyclicity",
     "Nothing may come before itself, and here some operations come before each other in a circle."},
    {Axiom::ReadsHiddenWrite, "hidden_write", "a read of a hidden write", "memory-model-visible-to",
     "A read that is not atomic may not take its value from a write that another write hides from it."},
    {Axiom::Atomicity, "atomicity", "atomicity", "memory-model-scoped-modification-order-coherence",
     "No other atomic write may come between the read and the write of a read-modify-write."},
    {Axiom::SystemSynchronizationOrder, "schedule", "an impossible schedule", "memory-model-system-synchronizes-with",
     "What system-synchronizes-with says must not contradict program order or a control barrier."},
};

}  // namespace

std::string_view name(WordKind kind) {
  switch (kind) {
    case WordKind::Instruction:
      return "instruction";
    case WordKind::Tag:
      return "tag";
    case WordKind::Place:
      return "place";
    case WordKind::Declaration:
      return "declaration";
    case WordKind::Condition:
      return "condition";
    case WordKind::Branch:
      return "branch";
  }
  return "?";
}

std::span<const NotationWord> notation() {
  return kWords;
}

std::span<const RelationWords> relation_words() {
  return kRelations;
}

const RelationWords& words_of(RelationName relation) {
  return *std::find_if(std::begin(kRelations), std::end(kRelations),
                       [&](const RelationWords& words) { return words.relation == relation; });
}

std::span<const RuleWords> rule_words() {
  return kRules;
}

const RuleWords& words_of(Axiom axiom) {
  return *std::find_if(std::begin(kRules), std::end(kRules),
                       [&](const RuleWords& words) { return words.axiom == axiom; });
}

}  // namespace heddle::litmus
