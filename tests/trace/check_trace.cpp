#include "tests/trace/check_trace.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "emulator/trace/file_reader.h"

namespace heddle::trace {
namespace {

void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "a trace told of %s\n", what);
  std::abort();
}

class Checker final : public Listener {
 public:
  void agent_begins(AgentId agent, const model::Place&) override {
    must(static_cast<std::uint32_t>(agent) >= agents_, "an agent out of turn");
    agents_ = static_cast<std::uint32_t>(agent) + 1;
  }
  void agent_ends(AgentId agent) override { begun(agent); }
  void system_synchronizes(AgentId first, AgentId second) override {
    begun(first);
    begun(second);
  }
  void dependency(bool) override {}
  void dispatched(const Dispatch& dispatch) override {
    must(dispatch.subgroup_size > 0, "empty subgroups");
    must(dispatch.group_size() > 0, "empty workgroups");
    must(dispatch.positions.empty() || dispatch.positions.size() == dispatch.group_size(), "positions of others");
    for (const std::uint32_t position : dispatch.positions)
      must(position < dispatch.group_size(), "a position beyond its workgroup");
  }
  void named(const NamedBytes& bytes) override {
    must(bytes.name.size() <= 4096, "a name that is too long");
    must(bytes.offset_bytes + bytes.size_bytes >= bytes.offset_bytes, "bytes past the end");
  }
  void operation(OperationIndex index, const Operation& operation, Value, Value,
                 std::span<const Source> sources) override {
    must(index == operations_, "an operation out of turn");
    begun(operation.agent);
    if (operation.is_access())
      must(operation.locations.size_bytes > 0 && operation.locations.size_bytes <= 8, "its size");
    for (const Source& source : sources) {
      if (source.write != model::kInitialValue) told(source.write);
      must(source.bytes.offset_bytes - operation.locations.offset_bytes + source.bytes.size_bytes <=
               operation.locations.size_bytes,
           "a source beyond its read");
    }
    ++operations_;
  }
  void passes(OperationIndex arrival, std::span<const OperationIndex> synchronizing) override {
    told(arrival);
    for (const OperationIndex one : synchronizing) told(one);
  }
  void late(OperationIndex read, OperationIndex before) override {
    told(read);
    told(before);
  }
  void placed(OperationIndex write) override { told(write); }
  void moved(OperationIndex write, const Locations&, AgentId agent, CacheLevel from, CacheLevel to,
             MoveReason) override {
    told(write);
    begun(agent);
    must(name(from) != "?" && name(to) != "?", "levels that there are not");
  }
  void stale(OperationIndex read, OperationIndex, CacheLevel) override { told(read); }

 private:
  void begun(AgentId agent) const { must(static_cast<std::uint32_t>(agent) < agents_, "an agent that is not there"); }
  void told(OperationIndex index) const { must(index < operations_, "an operation that is not there"); }

  std::uint32_t agents_ = 0;
  OperationIndex operations_ = 0;
};

}  // namespace

bool check_trace(const std::string& bytes) {
  std::istringstream in(bytes);
  Checker checker;
  try {
    read_trace(in, "fuzz", checker);
    return true;
  } catch (const TraceFileError&) {
    return false;
  }
}

}  // namespace heddle::trace
