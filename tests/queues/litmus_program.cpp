#include "tests/queues/litmus_program.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "emulator/litmus/vulkan/host_test.h"
#include "tests/queues/programs.h"

namespace queue_tests {

namespace litmus = heddle::litmus;

namespace {

/// "st x, 1" as st, x, 1.
std::vector<std::string> words_of(std::string cell) {
  for (char& c : cell)
    if (c == ',') c = ' ';
  std::istringstream in(cell);
  return {std::istream_iterator<std::string>(in), std::istream_iterator<std::string>()};
}

struct ShaderStep {
  bool writes = false;
  std::uint32_t variable = 0;
  bool is_register = false;
  std::uint32_t reg = 0;
  std::uint32_t value = 0;
};

constexpr std::uint32_t kMostVariables = 4;

/// A copy that reads what it writes, which queues refuse.
bool is_onto_itself(const litmus::Test& test, const litmus::BatchCommand& command) {
  return command.kind == litmus::CommandKind::Copy &&
         test.variables[command.source].location == test.variables[command.variable].location;
}

}  // namespace

bool is_understood(const litmus::Test& test) {
  if (!test.host || test.variables.size() > kMostVariables || !test.host->atoms.empty() || !test.host->uniform.empty())
    return false;
  std::uint32_t hosts = 0;
  for (const litmus::Thread& thread : test.threads) {
    if (thread.kind == litmus::ThreadKind::Batch) continue;
    hosts += thread.kind == litmus::ThreadKind::Host ? 1 : 0;
    for (const litmus::Instruction& instruction : thread.code) {
      const bool access =
          instruction.kind == litmus::InstructionKind::Load || instruction.kind == litmus::InstructionKind::Store;
      if (thread.kind == litmus::ThreadKind::Shader ? !access || instruction.operation.atomic
                                                    : instruction.operation.atomic)
        return false;
      if (thread.kind == litmus::ThreadKind::Host && !access && instruction.kind != litmus::InstructionKind::HostCall &&
          instruction.kind != litmus::InstructionKind::Free)
        return false;
    }
  }
  for (const litmus::Batch& batch : test.host->batches)
    for (const litmus::BatchCommand& command : batch.commands)
      if (command.threads.size() > 1 || is_onto_itself(test, command)) return false;
  return hosts == 1;
}

namespace {

PipelineStage2 stages_of(heddle::model::Stages stages) {
  // What a test calls all is what leaves nothing out, too, for semaphores.
  return stages == heddle::model::Stages::Everything ? PipelineStage2::AllCommands
                                                     : static_cast<PipelineStage2>(stages);
}
Access2 accesses_of(heddle::model::Accesses accesses) {
  return static_cast<Access2>(accesses);
}

}  // namespace

class LitmusRun::Program {
 public:
  Program(const litmus::Test& test, std::uint64_t seed) : test_(test), device_(options_of(test, seed)) {
    make_memory();
    for (const litmus::Batch& batch : test.host->batches) record(batch);
  }

  std::map<std::string, std::uint32_t> run();
  bool is_racy() const { return !device_.races().empty(); }
  bool has_undefined_contents() const {
    const std::vector<DataRace> races = device_.races();
    return std::any_of(races.begin(), races.end(),
                       [](const DataRace& race) { return race.second.operation == "invalidate"; });
  }

 private:
  static LogicalDeviceOptions options_of(const litmus::Test& test, std::uint64_t seed) {
    // A family for each queue that the test numbers: queue n is the n-th of its family.
    std::map<std::uint64_t, std::uint32_t> queues{{0, 1}};
    for (const litmus::Batch& batch : test.host->batches)
      queues[batch.family] = std::max<std::uint32_t>(queues[batch.family], static_cast<std::uint32_t>(batch.queue) + 1);
    std::vector<QueueFamily> families;
    for (std::uint64_t f = 0; f <= queues.rbegin()->first; ++f) families.push_back({std::max(queues[f], 1u)});
    LogicalDeviceOptions out = options(Mode::Emulated, seed, families);
    constexpr std::array kMemories = {"sequential", "random", "adversarial"};
    out.device.memory = memory_policy(kMemories[seed % kMemories.size()]);
    return out;
  }
  Queue queue_of(const litmus::Batch& batch) const {
    return device_.queue(static_cast<std::uint32_t>(batch.family), static_cast<std::uint32_t>(batch.queue));
  }
  void make_memory();
  void record(const litmus::Batch& batch);
  void record(const litmus::Batch& batch, const litmus::BatchCommand& command, CommandBuffer& commands,
              SubmitInfo2& info);
  void dispatch(const litmus::BatchCommand& command, CommandBuffer& commands);
  MemoryBarrier2 barrier_of(const litmus::BatchCommand& command) const {
    return {stages_of(command.first->stages), accesses_of(command.first->accesses), stages_of(command.second->stages),
            accesses_of(command.second->accesses)};
  }
  Semaphore semaphore(const std::string& name, bool timeline) {
    return semaphores_.try_emplace(name, timeline ? device_.timeline_semaphore(0, name) : device_.semaphore(name))
        .first->second;
  }
  Event event(const std::string& name) { return events_.try_emplace(name, device_.event(name)).first->second; }
  Fence fence(const std::string& name) { return fences_.try_emplace(name, device_.fence(name)).first->second; }
  std::uint32_t variable(const std::string& name) const {
    for (std::uint32_t v = 0; v < test_.variables.size(); ++v)
      if (test_.variables[v].name == name) return v;
    throw std::logic_error("no variable " + name);
  }
  void call(const std::vector<std::string>& words);
  void submit(const std::vector<std::string>& words);

  const litmus::Test& test_;
  LogicalDevice device_;
  std::vector<DeviceMemory<std::uint32_t>> memory_;
  std::vector<MappedMemory<std::uint32_t>> maps_;
  std::vector<Buffer<std::uint32_t>> buffers_;
  /// What shaders read: a word for each register.
  std::vector<std::uint32_t> registers_;
  std::map<std::string, Semaphore> semaphores_;
  std::map<std::string, Event> events_;
  std::map<std::string, Fence> fences_;
  std::vector<SubmitInfo2> batches_;
  std::map<std::string, std::uint32_t> found_;
};

void LitmusRun::Program::make_memory() {
  std::set<std::uint32_t> noncoherent;
  std::set<std::uint32_t> exclusive;
  for (const std::uint32_t v : test_.host->noncoherent) noncoherent.insert(test_.variables[v].location);
  for (const std::uint32_t v : test_.host->exclusive) exclusive.insert(test_.variables[v].location);
  for (std::uint32_t location = 0; location < test_.locations; ++location) {
    memory_.push_back(device_.allocate_memory<std::uint32_t>(
        3, noncoherent.count(location) != 0 ? MemoryProperty::HostVisible : MemoryProperty::HostCoherent,
        "location " + std::to_string(location),
        exclusive.count(location) != 0 ? SharingMode::Exclusive : SharingMode::Concurrent));
    maps_.push_back(memory_.back().map());
  }
  for (const litmus::Variable& one : test_.variables) {
    Buffer<std::uint32_t> buffer = memory_[one.location].buffer();
    // Parameters of a dispatch are three numbers, of which a test has one.
    const std::uint32_t initial[] = {static_cast<std::uint32_t>(one.initial), 1, 1};
    buffer.write(initial);
    buffers_.push_back(buffer);
  }
}

void LitmusRun::Program::dispatch(const litmus::BatchCommand& command, CommandBuffer& commands) {
  const std::uint32_t thread = command.threads.front();
  std::vector<ShaderStep> steps;
  for (const litmus::Instruction& instruction : test_.threads[thread].code)
    steps.push_back({instruction.kind == litmus::InstructionKind::Store, instruction.variable,
                     instruction.left.is_register,
                     instruction.left.is_register ? instruction.left.index : instruction.destination,
                     static_cast<std::uint32_t>(instruction.left.constant)});
  const auto kernel = [steps, thread, this](auto&, StorageBuffer<std::uint32_t> auto a,
                                            StorageBuffer<std::uint32_t> auto b, StorageBuffer<std::uint32_t> auto c,
                                            StorageBuffer<std::uint32_t> auto d) {
    std::map<std::uint32_t, std::uint32_t> registers;
    const auto access = [&](std::uint32_t number, auto with) {
      number == 0 ? with(a) : number == 1 ? with(b) : number == 2 ? with(c) : with(d);
    };
    for (const ShaderStep& step : steps) {
      access(step.variable, [&](auto& x) {
        if (step.writes) {
          x[0] = step.is_register ? registers[step.reg] : step.value;
        } else {
          registers[step.reg] = x[0];
        }
      });
    }
    for (const auto& [number, value] : registers)
      found_[test_.threads[thread].name() + ":" + test_.threads[thread].registers[number].name] = value;
  };
  const auto buffer = [&](std::size_t n) -> Buffer<std::uint32_t>& {
    return buffers_[std::min(n, buffers_.size() - 1)];
  };
  if (command.destination) {
    commands.dispatch_indirect(kernel, IndirectParameters(buffers_[command.variable]), {1}, buffer(0), buffer(1),
                               buffer(2), buffer(3));
  } else {
    commands.dispatch(kernel, {1}, {1}, buffer(0), buffer(1), buffer(2), buffer(3));
  }
}

void LitmusRun::Program::record(const litmus::Batch& batch) {
  SubmitInfo2 info;
  CommandBuffer commands = device_.command_buffer(test_.threads[batch.thread].name());
  commands.begin();
  for (const litmus::BatchCommand& command : batch.commands) record(batch, command, commands, info);
  commands.end();
  info.command_buffers.push_back(commands);
  batches_.push_back(info);
}

void LitmusRun::Program::record(const litmus::Batch& batch, const litmus::BatchCommand& command,
                                CommandBuffer& commands, SubmitInfo2& info) {
  using litmus::CommandKind;
  const BufferCopy word{0, 0, sizeof(std::uint32_t)};
  const auto transfer = [&](std::uint32_t from, std::uint32_t to) {
    BufferMemoryBarrier2 out{
        .buffer = buffers_[command.variable], .src_queue_family_index = from, .dst_queue_family_index = to};
    const litmus::Mask& mask = command.first ? *command.first : *command.second;
    (command.kind == CommandKind::Release ? out.src_stage_mask : out.dst_stage_mask) = stages_of(mask.stages);
    (command.kind == CommandKind::Release ? out.src_access_mask : out.dst_access_mask) = accesses_of(mask.accesses);
    commands.pipeline_barrier2(out);
  };
  const auto own = static_cast<std::uint32_t>(batch.family);
  const auto other = static_cast<std::uint32_t>(command.family);
  switch (command.kind) {
    case CommandKind::WaitSemaphore:
      info.wait_semaphores.push_back({semaphore(command.object, command.timeline.has_value()),
                                      command.timeline.value_or(0), stages_of(command.stages)});
      return;
    case CommandKind::SignalSemaphore:
      info.signal_semaphores.push_back({semaphore(command.object, command.timeline.has_value()),
                                        command.timeline.value_or(0), stages_of(command.stages)});
      return;
    case CommandKind::Dispatch:
      return dispatch(command, commands);
    case CommandKind::Copy:
      return commands.copy_buffer(buffers_[command.source], buffers_[command.variable], word);
    case CommandKind::Fill:
      return commands.fill_buffer(buffers_[command.variable], 0, sizeof(std::uint32_t),
                                  static_cast<std::uint32_t>(command.value));
    case CommandKind::Barrier: {
      if (command.variables.empty()) return commands.pipeline_barrier2(barrier_of(command));
      DependencyInfo dependency;
      const MemoryBarrier2 masks = barrier_of(command);
      for (const std::uint32_t v : command.variables)
        dependency.buffer_memory_barriers.push_back(
            {masks.src_stage_mask, masks.src_access_mask, masks.dst_stage_mask, masks.dst_access_mask, buffers_[v]});
      return commands.pipeline_barrier2(dependency);
    }
    case CommandKind::SetEvent:
      return commands.set_event2(event(command.object), barrier_of(command));
    case CommandKind::AwaitEvent: {
      const litmus::BatchCommand* masks = &command;
      for (const litmus::Batch& one : test_.host->batches)
        for (const litmus::BatchCommand& set : one.commands)
          if (set.kind == CommandKind::SetEvent && set.object == command.object) masks = &set;
      return commands.wait_event2(event(command.object), barrier_of(*masks));
    }
    case CommandKind::Release:
      return transfer(own, other);
    case CommandKind::Acquire:
      return transfer(other, own);
  }
}

void LitmusRun::Program::submit(const std::vector<std::string>& words) {
  std::vector<SubmitInfo2> infos;
  std::optional<Fence> with;
  std::optional<Queue> queue;
  for (std::size_t w = 1; w < words.size(); ++w) {
    bool is_batch = false;
    for (std::size_t b = 0; b < batches_.size(); ++b) {
      const litmus::Batch& batch = test_.host->batches[b];
      if (test_.threads[batch.thread].name() != words[w]) continue;
      infos.push_back(batches_[b]);
      queue = queue_of(batch);
      is_batch = true;
    }
    if (!is_batch) with = fence(words[w]);
  }
  queue->submit2(infos, with);
}

void LitmusRun::Program::call(const std::vector<std::string>& words) {
  const auto memory = [&](std::size_t w) { return test_.variables[variable(words[w])].location; };
  const std::string& what = words.front();
  if (what == "st") {
    const bool is_number = words[2].find_first_not_of("0123456789") == std::string::npos;
    maps_[memory(1)].write(0, is_number ? static_cast<std::uint32_t>(std::stoul(words[2])) : found_["H0:" + words[2]]);
  } else if (what == "ld") {
    found_["H0:" + words[1]] = maps_[memory(2)].read(0);
  } else if (what == "flush") {
    for (std::size_t w = 1; w < words.size(); ++w) memory_[memory(w)].flush();
  } else if (what == "invalidate") {
    for (std::size_t w = 1; w < words.size(); ++w) memory_[memory(w)].invalidate();
  } else if (what == "free") {
    for (std::size_t w = 1; w < words.size(); ++w) memory_[memory(w)].free();
  } else if (what == "submit") {
    submit(words);
  } else if (what == "wait") {
    words.size() == 2 ? fence(words[1]).wait() : semaphore(words[1], true).wait(std::stoull(words[2]));
  } else if (what == "signal") {
    semaphore(words[1], true).signal(std::stoull(words[2]));
  } else if (what == "set") {
    event(words[1]).set();
  } else if (what == "idle" && words.size() == 1) {
    device_.wait_idle();
  } else if (what == "idle") {
    for (const litmus::Batch& batch : test_.host->batches)
      if (std::to_string(batch.queue) == words[1]) return queue_of(batch).wait_idle();
  } else {
    throw std::logic_error("a call that is not understood: " + what);
  }
}

std::map<std::string, std::uint32_t> LitmusRun::Program::run() {
  for (const litmus::Thread& thread : test_.threads)
    if (thread.kind == litmus::ThreadKind::Host)
      for (const std::string& cell : thread.cells)
        if (const auto words = words_of(cell); !words.empty()) call(words);
  device_.wait_idle();
  return found_;
}

LitmusRun::LitmusRun(const litmus::Test& test, std::uint64_t seed) : program_(std::make_unique<Program>(test, seed)) {}
LitmusRun::~LitmusRun() = default;

std::map<std::string, std::uint32_t> LitmusRun::run() {
  return program_->run();
}

bool LitmusRun::has_undefined_contents() const {
  return program_->has_undefined_contents();
}

bool LitmusRun::is_racy() const {
  return program_->is_racy();
}

}  // namespace queue_tests
