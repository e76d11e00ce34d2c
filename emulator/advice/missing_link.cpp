#include "emulator/advice/missing_link.h"

#include <heddle/semantics.h>

#include <algorithm>

#include "emulator/advice/narrow_barrier.h"
#include "emulator/advice/operation_text.h"

namespace heddle::advice {
namespace {

using judge::MissingLink;
using model::OperationIndex;

std::string name_of(const model::Execution& execution, OperationIndex index, const char* file) {
  const Operation& op = execution.operations[index];
  return "the " + describe(op) + " in " + line_of(op, file);
}

std::string list(const model::Execution& execution, const std::vector<OperationIndex>& operations, const char* file) {
  std::vector<std::string> names;
  for (const OperationIndex index : operations) {
    std::string made = name_of(execution, index, file);
    bool known = false;
    for (const std::string& other : names) known = known || other == made;
    if (!known) names.push_back(std::move(made));
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : " and ") + names[i];
  return text;
}

const char* class_of(const Operation& op) {
  switch (op.storage_class) {
    case StorageClass::Workgroup:
      return "WorkgroupMemory";
    case StorageClass::Image:
      return "ImageMemory";
    default:
      return "UniformMemory";
  }
}

// Whether it releases, or a fence of its invocation before it does.
bool is_released(const model::Execution& e, OperationIndex write) {
  if (releases(e.operations[write].semantics)) return true;
  return std::any_of(e.operations.begin(), e.operations.begin() + write, [&](const Operation& op) {
    return op.agent == e.operations[write].agent && op.kind == OperationKind::MemoryBarrier && releases(op.semantics);
  });
}

// Whether it acquires, or a fence of its invocation between it and `before` does.
bool is_acquired(const model::Execution& e, OperationIndex read, OperationIndex before) {
  if (acquires(e.operations[read].semantics)) return true;
  return std::any_of(e.operations.begin() + read, e.operations.begin() + before, [&](const Operation& op) {
    return op.agent == e.operations[read].agent && op.kind == OperationKind::MemoryBarrier && acquires(op.semantics);
  });
}

// Whether an operation is of the invocation of an access, or, with `whole`, of its workgroup.
bool is_of(const model::Execution& e, OperationIndex operation, OperationIndex access, bool whole) {
  return e.operations[operation].agent == e.operations[access].agent ||
         (whole && model::same_instance(e.place(operation), e.place(access), Scope::Workgroup));
}

// The write of the side of an access that this one is, or goes on from by updates.
std::optional<OperationIndex> sent_by(const model::Execution& e, OperationIndex write, OperationIndex access,
                                      bool whole) {
  while (!is_of(e, write, access, whole)) {
    const auto from = std::find_if(e.reads_from.begin(), e.reads_from.end(),
                                   [&](const model::ReadsFrom& pair) { return pair.read == write; });
    if (from == e.reads_from.end() || from->write == model::kInitialValue) return std::nullopt;
    write = from->write;
  }
  return write;
}

// A message behind the first access, to the second invocation, or from workgroup to workgroup, one end of which orders
// nothing.
std::string half_made(const model::Execution& e, OperationIndex first, OperationIndex second, const char* file,
                      bool whole) {
  for (const model::ReadsFrom& from : e.reads_from) {
    if (from.write == model::kInitialValue || from.read > second || !is_of(e, from.read, second, whole)) continue;
    const std::optional<OperationIndex> sent = sent_by(e, from.write, first, whole);
    if (!sent || *sent <= first) continue;
    const bool acquired = is_acquired(e, from.read, second);
    const bool released = is_released(e, *sent);
    // (An update sends; that it receives as well may not be meant.)
    if (acquired == released || (!acquired && whole && e.operations[from.read].writes())) continue;
    const std::string read = "no synchronization: " + name_of(e, from.read, file);
    const std::string write = name_of(e, *sent, file);
    return acquired ? read + " acquires, and reads what " + write + " wrote, but that does not release"
                    : read + " reads what " + write + " releases, but it does not acquire";
  }
  return "";
}

// A message to the second invocation by another one of the first one's workgroup, which does not know of the access.
std::string from_neighbour(const model::Execution& e, OperationIndex first, OperationIndex second, const char* file) {
  for (const model::ReadsFrom& from : e.reads_from) {
    if (from.write == model::kInitialValue || from.read > second || !is_of(e, from.read, second, false)) continue;
    if (is_of(e, from.write, first, false) || !is_of(e, from.write, first, true)) continue;
    if (is_released(e, from.write) && is_acquired(e, from.read, second))
      return "no synchronization: another invocation of the workgroup releases, by " + name_of(e, from.write, file) +
             ", and no barrier of the workgroup orders " + name_of(e, first, file) + " before that";
  }
  return "";
}

// Where somebody releases, and what the second invocation reads of that is of no use to it.
std::string half_made(const model::Execution& e, OperationIndex first, OperationIndex second, const char* file) {
  if (const std::string exact = half_made(e, first, second, file, false); !exact.empty()) return exact;
  if (is_of(e, first, second, true)) return "";
  if (const std::string near = from_neighbour(e, first, second, file); !near.empty()) return near;
  return half_made(e, first, second, file, true);
}

// Where nothing synchronizes.
std::string not_synchronized(const model::Execution& e, OperationIndex first, OperationIndex second, const char* file) {
  const std::optional<OperationIndex> barrier = narrow_barrier_between(e, first, second);
  if (!barrier) return half_made(e, first, second, file);
  const Operation& op = e.operations[*barrier];
  return "no synchronization: " + name_of(e, *barrier, file) + " is between them, but its execution scope is " +
         std::string(name_of(op.execution_scope)) +
         ": invocations of other subgroups of the workgroup need not wait for each other there";
}

// Where the ends are synchronized, it is an availability or visibility operation that reaches too little.
std::string of_scopes(const model::Execution& e, const judge::MissingReason& reason, const std::string& culprits,
                      const char* file) {
  const auto all_of = [&](OperationIndex end) {
    return std::all_of(reason.culprits.begin(), reason.culprits.end(),
                       [&](OperationIndex i) { return e.operations[i].agent == e.operations[end].agent; });
  };
  const std::string only = " only in a scope that does not include both invocations";
  if (reason.synchronized && all_of(reason.from))
    return "they are synchronized, but " + culprits + " made the write available" + only;
  if (reason.synchronized && all_of(reason.to))
    return "they are synchronized, and the write is available, but " + culprits + " made it visible" + only;
  if (culprits == name_of(e, reason.culprits.front(), file))
    return "invocations meet by " + culprits + ", but its scope does not include both of them";
  return culprits + " meet, but their scopes do not include both invocations";
}

// Who would hand the write on; empty if nobody between the two does.
std::string in_semantics_of(const model::Execution& e, const judge::MissingReason& reason, const char* file) {
  return reason.lacking.empty() ? "" : " in the semantics of " + list(e, reason.lacking, file);
}

// Where the fences have the class of the memory: it is that of an atomic which they would synchronize through.
//= vk:memory-model-synchronizes-with
std::string class_of_another(const model::Execution& e, const judge::MissingReason& reason, MemorySemantics of_memory,
                             const char* file) {
  for (const OperationIndex culprit : reason.culprits)
    if (!has(e.operations[culprit].semantics, of_memory)) return "";
  for (OperationIndex i = 0; i < e.operations.size(); ++i) {
    const Operation& op = e.operations[i];
    if (!op.is_access() || !op.atomic) continue;
    for (const OperationIndex culprit : reason.culprits) {
      const Operation& fence = e.operations[culprit];
      if (fence.agent != op.agent || has(fence.semantics, semantic_of(op.storage_class))) continue;
      return std::string(class_of(op)) + ", the storage class of what " + name_of(e, i, file) +
             " accesses, is missing in the semantics of " + list(e, reason.culprits, file) +
             ", which would synchronize through it";
    }
  }
  return "";
}

bool of_control_barriers(const model::Execution& e, const judge::MissingReason& reason) {
  return std::all_of(reason.culprits.begin(), reason.culprits.end(), [&](OperationIndex culprit) {
    return e.operations[culprit].kind == OperationKind::ControlBarrier;
  });
}

std::string between_dispatches(const model::Execution& e) {
  return e.agent_system_synchronization.empty()
             ? "the accesses are in two dispatches of one submission with no dependency between "
               "them: "
               "the second need not wait for the first"
             : "between the two dispatches there is an execution dependency only: the second waits "
               "for "
               "the first, but what the first wrote becomes neither available nor visible";
}

std::string sentence(const model::Execution& e, const Neighbourhood& part, const judge::MissingReason& reason,
                     const char* file) {
  const Operation& x = e.operations[part.first];
  const std::string culprits = list(e, reason.culprits, file);
  switch (reason.link) {
    case MissingLink::NoSynchronization:
      return not_synchronized(e, part.first, part.second, file);
    case MissingLink::ScopesDoNotIncludeEachOther:
      // Control barriers meet within workgroups: between two of them it is a message that is half made.
      if (const std::string half = of_control_barriers(e, reason) ? half_made(e, part.first, part.second, file) : "";
          !half.empty())
        return half;
      return of_scopes(e, reason, culprits, file);
    case MissingLink::StorageClassMissing:
      if (const std::string other = class_of_another(e, reason, semantic_of(x.storage_class), file); !other.empty())
        return other;
      return "they are synchronized, but " + std::string(class_of(x)) +
             ", the storage class of this memory, is missing in the semantics of " + culprits;
    case MissingLink::PrivateAccess:
      return "they are synchronized, but " + culprits + (reason.culprits.size() == 1 ? " is private" : " are private") +
             ": only non-private accesses are ordered between invocations";
    case MissingLink::NeverMadeAvailable:
      return "they are synchronized, but what " + name_of(e, reason.from, file) +
             " wrote was never made available: MakeAvailable is missing" + in_semantics_of(e, reason, file);
    case MissingLink::NeverMadeVisible:
      return "they are synchronized, and the write is available, but it was never made visible "
             "to " +
             name_of(e, reason.to, file) + ": MakeVisible is missing" + in_semantics_of(e, reason, file);
    case MissingLink::IncompatibleTags:
      return "the tags of " + culprits + " leave program order out";
    case MissingLink::AnotherReference:
      return "they are synchronized, but " + culprits +
             " use different references to the same memory, which only a dependency between "
             "dispatches orders";
  }
  return "";
}

}  // namespace

//= vk:memory-model-location-ordered
std::optional<MissingLinkText> missing_link(const Neighbourhood& part, const std::vector<std::uint64_t>& dispatches,
                                            const judge::Options& options) {
  const model::Execution& e = part.execution;
  const Operation& x = e.operations[part.first];
  const Operation& y = e.operations[part.second];
  const char* file = y.where.file;
  const auto without_link = [](std::string text) { return MissingLinkText{{}, false, std::move(text)}; };
  if (dispatches[static_cast<std::size_t>(x.agent)] != dispatches[static_cast<std::size_t>(y.agent)])
    return without_link(between_dispatches(e));
  if (x.agent == y.agent)
    return without_link(
        "one invocation makes both accesses, but through two references to the same memory: "
        "program order counts only for accesses through one reference");
  //= vk:memory-model-atomic-operation
  if (x.atomic && y.atomic && x.locations == y.locations && x.reference == y.reference)
    return without_link(name_of(e, part.first, file) + " and " + name_of(e, part.second, file) +
                        " are not atomic for each other: their scopes do not include both invocations");
  const judge::Judgement judgement(e, options);
  const std::optional<judge::MissingReason> reason = judgement.why_unordered(part.first, part.second);
  if (!reason) return {};
  return MissingLinkText{reason->link, reason->synchronized, sentence(e, part, *reason, file)};
}

}  // namespace heddle::advice
