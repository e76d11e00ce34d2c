#include "emulator/mu/host/host_trace.h"

#include <fmt/format.h>

#include <cstdio>
#include <stdexcept>

#include "emulator/trace/file_error.h"

namespace heddle::mu::host {
namespace {

constexpr std::uint32_t kLocationBytes = 8;

Locations bytes_of(LocationIndex location) {
  return {static_cast<AllocationId>(location), 0, kLocationBytes};
}

/// The kind that says the most about it of those that traces have.
OperationKind kind_of(const HostOperation& operation) {
  if (operation.reads) return operation.writes ? OperationKind::ReadModifyWrite : OperationKind::Read;
  return operation.writes ? OperationKind::Write : OperationKind::MemoryBarrier;
}

MemorySemantics semantics_of(MemoryOrder order) {
  if (acquires(order)) return releases(order) ? MemorySemantics::AcquireRelease : MemorySemantics::Acquire;
  return releases(order) ? MemorySemantics::Release : MemorySemantics::Relaxed;
}

}  // namespace

HostTrace::HostTrace(const std::string& path) {
  try {
    writer_ = std::make_unique<trace::FileWriter>(path);
  } catch (const trace::TraceFileError& error) {
    throw std::invalid_argument(fmt::format("the trace cannot be written: {}", error.what()));
  }
}

HostTrace::~HostTrace() {
  tell([](trace::FileWriter& writer) { writer.close(); });
  if (!failure_.empty()) std::fprintf(stderr, "heddle: the trace is not whole: %s\n", failure_.c_str());
}

template <typename Tell>
void HostTrace::tell(const Tell& with_writer) {
  if (!failure_.empty()) return;
  try {
    with_writer(*writer_);
  } catch (const trace::TraceFileError& error) {
    failure_ = error.what();
  }
}

void HostTrace::thread_begins(ThreadIndex thread, std::string_view words) {
  if (thread < begun_) return;
  begun_ = thread + 1;
  tell([&](trace::FileWriter& writer) {
    writer.called(words);
    writer.agent_begins(static_cast<AgentId>(thread), model::Place::host());
  });
}

void HostTrace::location(LocationIndex location, std::string_view name) {
  trace::NamedBytes bytes;
  bytes.allocation = static_cast<AllocationId>(location);
  bytes.size_bytes = kLocationBytes;
  bytes.storage_class = StorageClass::StorageBuffer;
  bytes.name = name;
  tell([&](trace::FileWriter& writer) {
    writer.named(bytes, {trace::ComponentKind::Unsigned, kLocationBytes, kLocationBytes, {}});
  });
}

void HostTrace::operation(const HostOperation& told) {
  Operation operation;
  operation.kind = kind_of(told);
  operation.agent = static_cast<AgentId>(told.thread);
  operation.atomic = operation.is_access() && is_atomic(told.order);
  operation.scope = Scope::CrossDevice;
  operation.semantics = semantics_of(told.order);
  operation.where = told.where;
  if (operation.is_access()) operation.locations = bytes_of(told.location);
  const trace::Source source{operation.locations, told.source};
  tell([&](trace::FileWriter& writer) {
    writer.called(told.words);
    writer.operation(told_, operation, told.read, told.written, {&source, told.reads ? std::size_t{1} : 0});
  });
  ++told_;
}

}  // namespace heddle::mu::host
