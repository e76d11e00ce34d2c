#pragma once

/// \file
/// Dependencies between commands of queues: stages, accesses and barriers, as synchronization2 of Vulkan names them.

#include <heddle/buffer.h>
#include <heddle/image.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace heddle {

/// A set of pipeline stages (VkPipelineStageFlags2).
enum class PipelineStage2 : std::uint16_t {
  None = 0,
  /// The read of the parameters of an indirect dispatch. It is logically earlier than ComputeShader.
  DrawIndirect = 1,
  ComputeShader = 2,
  Copy = 4,
  /// Fills, updates and clears.
  Clear = 8,
  AllTransfer = Copy | Clear,
  Host = 16,
  /// All stages of a queue, and the transfer of ownership, but not Host.
  AllCommands = DrawIndirect | ComputeShader | AllTransfer | 32,
};

/// A set of kinds of accesses (VkAccessFlags2).
enum class Access2 : std::uint16_t {
  None = 0,
  ShaderStorageRead = 1,
  ShaderStorageWrite = 2,
  UniformRead = 4,
  TransferRead = 8,
  TransferWrite = 16,
  IndirectCommandRead = 32,
  HostRead = 64,
  HostWrite = 128,
  ShaderRead = ShaderStorageRead | UniformRead,
  ShaderWrite = ShaderStorageWrite,
  /// All reads, and all writes, of the stages that are named beside it.
  MemoryRead = ShaderRead | TransferRead | IndirectCommandRead | HostRead,
  MemoryWrite = ShaderWrite | TransferWrite | HostWrite,
};

constexpr PipelineStage2 operator|(PipelineStage2 a, PipelineStage2 b) {
  return static_cast<PipelineStage2>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr Access2 operator|(Access2 a, Access2 b) {
  return static_cast<Access2>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

/// No queue family: nothing passes from family to family (VK_QUEUE_FAMILY_IGNORED).
inline constexpr std::uint32_t kQueueFamilyIgnored = ~std::uint32_t{0};
/// To the end (VK_WHOLE_SIZE).
inline constexpr std::uint64_t kWholeSize = ~std::uint64_t{0};

template <typename T>
class BufferView;

/// A buffer, a view of one, or an image, whatever its elements are.
class AnyBuffer {
 public:
  AnyBuffer() = default;
  template <typename T>
  AnyBuffer(const Buffer<T>& buffer)  // NOLINT: as an argument
      : owner_(buffer.owner()), reference_(buffer.reference()), size_(buffer.size() * sizeof(T)) {}
  /// The view counts as a buffer of its own length.
  template <typename T>
  AnyBuffer(const BufferView<T>& view)  // NOLINT: as an argument
      : owner_(view.owner()),
        reference_(view.reference()),
        begin_(view.offset_bytes()),
        size_(view.size() * sizeof(T)) {}
  template <typename T, ImageDim dim>
  AnyBuffer(const Image<T, dim>& image)  // NOLINT: as an argument
      : owner_(image.owner()), reference_(image.reference()), size_(image.size() * sizeof(T)) {}

  const detail::Owner& owner() const { return owner_; }
  ReferenceId reference() const { return reference_; }
  /// Where it begins in its memory, and how long it is; bytes.
  std::uint64_t begin() const { return begin_; }
  std::uint64_t size() const { return size_; }

 private:
  detail::Owner owner_;
  ReferenceId reference_{};
  std::uint64_t begin_ = 0;
  std::uint64_t size_ = 0;
};

/// A dependency of all memory (VkMemoryBarrier2). With no accesses it is an execution dependency alone.
struct MemoryBarrier2 {
  PipelineStage2 src_stage_mask = PipelineStage2::None;
  Access2 src_access_mask = Access2::None;
  PipelineStage2 dst_stage_mask = PipelineStage2::None;
  Access2 dst_access_mask = Access2::None;
};

/// A dependency of a range of a buffer, or of an image (VkBufferMemoryBarrier2, VkImageMemoryBarrier2: images have no
/// layouts here). With two different families it is half of a transfer of ownership: a release on a queue of the source
/// family, an acquire on one of the destination family.
struct BufferMemoryBarrier2 {
  PipelineStage2 src_stage_mask = PipelineStage2::None;
  Access2 src_access_mask = Access2::None;
  PipelineStage2 dst_stage_mask = PipelineStage2::None;
  Access2 dst_access_mask = Access2::None;
  AnyBuffer buffer;
  std::uint32_t src_queue_family_index = kQueueFamilyIgnored;
  std::uint32_t dst_queue_family_index = kQueueFamilyIgnored;
  /// In bytes.
  std::uint64_t offset = 0;
  std::uint64_t size = kWholeSize;
};
using ImageMemoryBarrier2 = BufferMemoryBarrier2;

/// Several barriers, each by itself (VkDependencyInfo).
struct DependencyInfo {
  std::vector<MemoryBarrier2> memory_barriers = {};
  std::vector<BufferMemoryBarrier2> buffer_memory_barriers = {};
  std::vector<ImageMemoryBarrier2> image_memory_barriers = {};
};

}  // namespace heddle
