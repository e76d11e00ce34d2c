#pragma once

/// \file
/// Command buffers: commands that are recorded now and executed by a queue later, as vkCmd... records them.

#include <heddle/detail/queue_engine.h>
#include <heddle/device.h>

#include <concepts>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle {

namespace detail {

template <typename Kernel, typename... Bound>
class DispatchRecord final : public RecordedDispatch {
 public:
  template <typename... Args>
  DispatchRecord(const Kernel& kernel, Extent groups, Extent local, const Args&... arguments)
      : kernel_(kernel), groups_(groups), local_(local), arguments_(arguments...) {}

  void run(Device& device, const uvec3& base, const Extent* groups) const override {
    device.submit([&](Commands& commands) {
      commands.base_ = base;
      std::apply(
          [&](auto&... arguments) {
            commands.dispatch(kernel_, groups ? *groups : groups_, local_, static_cast<Bound&>(arguments)...);
          },
          arguments_);
    });
  }
  std::vector<emulation::Binding> bindings() const override {
    return std::apply(
        [](auto&... arguments) { return std::vector<emulation::Binding>{Argument<Bound>::bind(arguments)...}; },
        arguments_);
  }
  std::vector<Owner> owners() const override {
    std::vector<Owner> out;
    const auto add = [&](const Owner* owner) {
      if (owner && *owner) out.push_back(*owner);
    };
    std::apply([&](auto&... arguments) { (add(Argument<Bound>::owner(arguments)), ...); }, arguments_);
    return out;
  }
  std::pair<Extent, Extent> shape() const override { return {groups_, local_}; }
  bool has_all() const override {
    const auto is_there = [](const auto& argument, const Owner* owner) {
      using A = std::remove_cvref_t<decltype(argument)>;
      return owner || (std::is_trivially_copyable_v<A> && !std::is_pointer_v<A>);
    };
    // What a kernel captures may be references.
    return std::is_empty_v<Kernel> &&
           std::apply(
               [&](auto&... arguments) { return (is_there(arguments, Argument<Bound>::owner(arguments)) && ...); },
               arguments_);
  }

 private:
  Kernel kernel_;
  Extent groups_;
  Extent local_;
  // A dispatch takes its arguments as they were given, and only a buffer that was const stays so.
  mutable std::tuple<std::remove_const_t<Bound>...> arguments_;
};

}  // namespace detail

/// An event (VkEvent): an execution dependency in two halves.
class Event {
 public:
  Event(std::shared_ptr<detail::QueueEngine> engine, std::shared_ptr<detail::EventState> state)
      : engine_(std::move(engine)), state_(std::move(state)) {}
  /// vkSetEvent: the call, and what happened before it, for a wait at stage Host of a later submission.
  void set(SourceLocation where = SourceLocation::current()) const { engine_->set(*state_, true, where); }
  void reset(SourceLocation where = SourceLocation::current()) const { engine_->set(*state_, false, where); }

  // For command buffers.
  const std::shared_ptr<detail::EventState>& state() const { return state_; }

 private:
  std::shared_ptr<detail::QueueEngine> engine_;
  std::shared_ptr<detail::EventState> state_;
};

/// An event that a command waits for, and the dependency with which it was set.
struct EventWait {
  EventWait(Event e, const MemoryBarrier2& barrier)
      : event(std::move(e)), dependency(DependencyInfo{.memory_barriers = {barrier}}) {}
  EventWait(Event e, DependencyInfo info) : event(std::move(e)), dependency(std::move(info)) {}
  Event event;
  DependencyInfo dependency;
};

/// What vkCmdCopyBuffer copies (VkBufferCopy2); bytes.
struct BufferCopy {
  std::uint64_t src_offset = 0;
  std::uint64_t dst_offset = 0;
  std::uint64_t size = kWholeSize;
};

/// What vkCmdCopyImage copies (VkImageCopy2): a box of texels. Layers of an array are the last dimension.
struct ImageCopy {
  uvec3 src_offset{0, 0, 0};
  uvec3 dst_offset{0, 0, 0};
  uvec3 extent{1, 1, 1};
};

/// What vkCmdCopyBufferToImage and vkCmdCopyImageToBuffer copy (VkBufferImageCopy2): a box of texels of the image,
/// which lie one behind the other in the buffer.
struct BufferImageCopy {
  std::uint64_t buffer_offset = 0;
  uvec3 image_offset{0, 0, 0};
  uvec3 image_extent{1, 1, 1};
};

/// How many workgroups, and where in the source that is said.
struct RecordedExtent {
  template <typename E>
  requires std::is_convertible_v<E, Extent> RecordedExtent(const E& e, SourceLocation w = SourceLocation::current())
      : extent(e), where(w) {}
  RecordedExtent(std::initializer_list<std::uint32_t> e, SourceLocation w = SourceLocation::current())
      : extent(e.size() > 0 ? e.begin()[0] : 1, e.size() > 1 ? e.begin()[1] : 1, e.size() > 2 ? e.begin()[2] : 1),
        where(w) {}
  Extent extent;
  SourceLocation where;
};

/// Where an indirect dispatch reads how many workgroups there are: three 32-bit numbers.
struct IndirectParameters {
  template <typename B>
  requires std::is_convertible_v<B, AnyBuffer> IndirectParameters(const B& b, std::uint64_t offset = 0,
                                                                  SourceLocation w = SourceLocation::current())
      : buffer(b), offset_bytes(offset), where(w) {}
  AnyBuffer buffer;
  std::uint64_t offset_bytes;
  SourceLocation where;
};

/// Commands (VkCommandBuffer). Copies are the same command buffer. Each command throws std::logic_error outside of
/// `begin` and `end`. Ordering: submission order alone orders no two commands; barriers, events and semaphores do.
class CommandBuffer {
 public:
  explicit CommandBuffer(std::shared_ptr<detail::CommandBufferState> state) : state_(std::move(state)) {}

  /// Forgets what was recorded. Throws std::logic_error while it is pending.
  void begin();
  void end();

  /// vkCmdDispatch; arguments as those of Device::dispatch, of which it keeps copies.
  template <typename Kernel, typename... Args>
  requires detail::Takes<Kernel, detail::BoundArgument<Args>...>
  void dispatch(const Kernel& kernel, const RecordedExtent& groups, Extent local, Args&&... arguments) {
    add({.kind = detail::CommandKind::Dispatch,
         .where = groups.where,
         .call = "dispatch",
         .dispatch = record(kernel, groups.extent, local, arguments...)});
  }
  /// vkCmdDispatch of what was made ready beforehand: a SPIR-V module with its buffers (heddle/module.h).
  void dispatch(std::unique_ptr<detail::RecordedDispatch> ready, SourceLocation where = SourceLocation::current()) {
    add({.kind = detail::CommandKind::Dispatch, .where = where, .call = "dispatch", .dispatch = std::move(ready)});
  }
  /// vkCmdDispatchBase: `groups` workgroups, whose ids begin at `base`, and with them global invocation ids;
  /// num_workgroups is `groups`. Throws std::logic_error where a global invocation id would not fit in 32 bits.
  template <typename Kernel, typename... Args>
  requires detail::Takes<Kernel, detail::BoundArgument<Args>...>
  void dispatch_base(const Kernel& kernel, const uvec3& base, const RecordedExtent& groups, Extent local,
                     Args&&... arguments) {
    dispatch_base(record(kernel, groups.extent, local, arguments...), base, groups.where);
  }
  /// vkCmdDispatchBase of what was made ready beforehand, as `dispatch` has it.
  void dispatch_base(std::unique_ptr<detail::RecordedDispatch> ready, const uvec3& base,
                     SourceLocation where = SourceLocation::current());
  /// vkCmdDispatchIndirect.
  template <typename Kernel, typename... Args>
  requires detail::Takes<Kernel, detail::BoundArgument<Args>...>
  void dispatch_indirect(const Kernel& kernel, const IndirectParameters& groups, Extent local, Args&&... arguments) {
    constexpr std::uint64_t kBytes = 3 * sizeof(std::uint32_t);
    add({.kind = detail::CommandKind::DispatchIndirect,
         .where = groups.where,
         .call = "dispatch_indirect",
         .dispatch = record(kernel, Extent(1), local, arguments...),
         .from = groups.buffer,
         .from_offset = groups.buffer.begin() + groups.offset_bytes,
         .size = detail::checked_bytes("dispatch_indirect", groups.buffer, groups.offset_bytes, kBytes)});
  }
  /// vkCmdCopyBuffer of one region. Throws std::logic_error for a range outside of a buffer.
  void copy_buffer(const AnyBuffer& from, const AnyBuffer& to, const BufferCopy& region = {},
                   SourceLocation where = SourceLocation::current()) {
    copy_buffer(from, to, std::vector<BufferCopy>{region}, where);
  }
  /// vkCmdCopyBuffer of several regions.
  void copy_buffer(const AnyBuffer& from, const AnyBuffer& to, const std::vector<BufferCopy>& regions,
                   SourceLocation where = SourceLocation::current());
  /// vkCmdCopyImage. Throws std::logic_error for a box outside of an image.
  template <typename T, ImageDim dim>
  void copy_image(const Image<T, dim>& from, const Image<T, dim>& to, const std::vector<ImageCopy>& regions,
                  SourceLocation where = SourceLocation::current()) {
    std::vector<detail::CopiedBoxes> boxes;
    for (const ImageCopy& one : regions)
      boxes.push_back({{from.extent(), one.src_offset}, {to.extent(), one.dst_offset}, one.extent});
    copy_boxes("copy_image", from, to, boxes, sizeof(T), where);
  }
  /// vkCmdCopyBufferToImage.
  template <typename T, ImageDim dim>
  void copy_buffer_to_image(const AnyBuffer& from, const Image<T, dim>& to, const std::vector<BufferImageCopy>& regions,
                            SourceLocation where = SourceLocation::current()) {
    std::vector<detail::CopiedBoxes> boxes;
    for (const BufferImageCopy& one : regions)
      boxes.push_back({{one.image_extent, {}, one.buffer_offset}, {to.extent(), one.image_offset}, one.image_extent});
    copy_boxes("copy_buffer_to_image", from, to, boxes, sizeof(T), where);
  }
  /// vkCmdCopyImageToBuffer.
  template <typename T, ImageDim dim>
  void copy_image_to_buffer(const Image<T, dim>& from, const AnyBuffer& to, const std::vector<BufferImageCopy>& regions,
                            SourceLocation where = SourceLocation::current()) {
    std::vector<detail::CopiedBoxes> boxes;
    for (const BufferImageCopy& one : regions)
      boxes.push_back({{from.extent(), one.image_offset}, {one.image_extent, {}, one.buffer_offset}, one.image_extent});
    copy_boxes("copy_image_to_buffer", from, to, boxes, sizeof(T), where);
  }
  /// vkCmdFillBuffer; bytes, multiples of four.
  void fill_buffer(const AnyBuffer& to, std::uint64_t offset, std::uint64_t size, std::uint32_t data,
                   SourceLocation where = SourceLocation::current());
  /// vkCmdUpdateBuffer: writes the values that are there now.
  template <typename T>
  void update_buffer(const AnyBuffer& to, std::uint64_t first, std::span<const T> values,
                     SourceLocation where = SourceLocation::current()) {
    clear("update_buffer", to, first * sizeof(T), values.size_bytes(), std::as_bytes(values), where);
  }
  /// vkCmdClearColorImage: all texels.
  template <typename T, ImageDim dim>
  void clear_color_image(const Image<T, dim>& to, const T& texel, SourceLocation where = SourceLocation::current()) {
    clear("clear_color_image", to, 0, kWholeSize, std::as_bytes(std::span(&texel, 1)), where);
  }

  /// vkCmdPipelineBarrier2.
  void pipeline_barrier2(DependencyInfo dependency, SourceLocation where = SourceLocation::current());
  void pipeline_barrier2(const MemoryBarrier2& barrier, SourceLocation where = SourceLocation::current()) {
    pipeline_barrier2(DependencyInfo{.memory_barriers = {barrier}}, where);
  }
  // A list in braces is a MemoryBarrier2.
  template <std::same_as<BufferMemoryBarrier2> Barrier>
  void pipeline_barrier2(const Barrier& barrier, SourceLocation where = SourceLocation::current()) {
    pipeline_barrier2(DependencyInfo{.buffer_memory_barriers = {barrier}}, where);
  }
  /// vkCmdSetEvent2, vkCmdWaitEvents2 of one event, vkCmdResetEvent2. A wait for an event that the host sets has stage
  /// Host in its source. Both are given the same dependency. Where one submission resets an event, or sets it again,
  /// commands of `stages` that have a dependency in between are behind what was done with it before: without one the
  /// submission throws std::logic_error.
  void set_event2(const Event& event, const MemoryBarrier2& dependency,
                  SourceLocation where = SourceLocation::current()) {
    set_event2(event, DependencyInfo{.memory_barriers = {dependency}}, where);
  }
  void set_event2(const Event& event, DependencyInfo dependency, SourceLocation where = SourceLocation::current());
  void wait_event2(const Event& event, const MemoryBarrier2& dependency,
                   SourceLocation where = SourceLocation::current()) {
    wait_event2(event, DependencyInfo{.memory_barriers = {dependency}}, where);
  }
  void wait_event2(const Event& event, DependencyInfo dependency, SourceLocation where = SourceLocation::current());
  /// vkCmdWaitEvents2: each event with its dependency.
  void wait_events2(const std::vector<EventWait>& waits, SourceLocation where = SourceLocation::current());
  void reset_event2(const Event& event, PipelineStage2 stages = PipelineStage2::AllCommands,
                    SourceLocation where = SourceLocation::current());
  /// vkCmdExecuteCommands: the commands of secondary command buffers stand here.
  void execute_commands(const CommandBuffer& secondary, SourceLocation where = SourceLocation::current());

  void execute_commands(const std::vector<CommandBuffer>& secondaries,
                        SourceLocation where = SourceLocation::current());

  // For queues.
  const std::shared_ptr<detail::CommandBufferState>& state() const { return state_; }

 private:
  template <typename Kernel, typename... Args>
  static std::unique_ptr<detail::RecordedDispatch> record(const Kernel& kernel, Extent groups, Extent local,
                                                          Args&... arguments) {
    return std::make_unique<detail::DispatchRecord<Kernel, detail::BoundArgument<Args&>...>>(kernel, groups, local,
                                                                                             arguments...);
  }
  void add(detail::Command command) {
    if (state_->stage != detail::CommandBufferState::Stage::Recording) [[unlikely]]
      detail::refuse_call(command.call, state_->name, "it is not between begin and end");
    state_->commands.push_back(std::move(command));
  }
  void copy_boxes(const char* call, const AnyBuffer& from, const AnyBuffer& to,
                  const std::vector<detail::CopiedBoxes>& boxes, std::uint64_t texel_bytes,
                  const SourceLocation& where);
  void clear(const char* call, const AnyBuffer& to, std::uint64_t offset, std::uint64_t size,
             std::span<const std::byte> data, const SourceLocation& where);

  std::shared_ptr<detail::CommandBufferState> state_;
};

}  // namespace heddle
