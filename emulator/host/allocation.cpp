#include "emulator/host/device_state.h"
#include "emulator/host/emulator.h"
#include "emulator/host/no_memory.h"
#include "emulator/host/set_aside.h"
#include "emulator/report/member_text.h"
#include "emulator/report/source_text.h"
#include "emulator/watch/parallel_memory.h"
#include "runtime/bits_hash.h"
#include "runtime/counted.h"
#include "runtime/red_zone.h"
#include "runtime/text/readable.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>

namespace heddle::detail {

namespace {

// How much freed memory an emulated device keeps, so that stale addresses still name their buffer.
constexpr std::uint64_t kKeptFreedBytes = std::uint64_t{64} << 20;
// What each allocation takes beside its bytes.
constexpr std::uint64_t kBytesOfAllocation = 320;

// Large buffers lie in huge pages where the system has them on request: streaming through one costs
// fewer page faults and fewer misses of the TLB.
constexpr std::uint64_t kHugePageBytes = std::uint64_t{2} << 20;

// Where AddressSanitizer is in the process: how far outside of a buffer it notices an access, at the least. An index
// that is wrong by some elements does not come to the next buffer.
constexpr std::uint64_t kZoneElements = 8;
constexpr std::uint64_t kLeastZoneBytes = 256;
constexpr std::uint64_t kMostZoneBytes = std::uint64_t{1} << 20;

/// The most bytes of an allocation: a difference of two addresses has a sign.
constexpr std::uint64_t kMostBytes = std::numeric_limits<std::int64_t>::max();

[[noreturn]] void refuse(const std::string& name, std::uint64_t count, std::uint64_t element_bytes) {
  throw NoMemory(
      fmt::format("no memory for '{}': {} elements of {} bytes", text::readable(name), count, element_bytes));
}

// What is known of each byte of emulated memory, a bit, has to have room itself. (To ask for more than there is aborts
// the process, or makes it swap without end.)
bool has_room_for_bits(std::uint64_t size_bytes) {
  const auto memory =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return size_bytes / 8 <= memory / 2;
}

// Null if there is no room. `zeroed`: an old value that a weak read may give is then the same in every run, written or
// not. (Pages that no access touches are not touched here either.)
std::byte* allocate_bytes(std::uint64_t size_bytes, bool zeroed, std::uint64_t element_bytes) {
  const bool large = size_bytes >= 2 * kHugePageBytes && !runtime::has_red_zones();
  const std::uint64_t alignment = large ? kHugePageBytes : kAllocationAlignment;
  const std::uint64_t zone_bytes = std::clamp(kZoneElements * element_bytes, kLeastZoneBytes, kMostZoneBytes);
  auto* bytes = static_cast<std::byte*>(runtime::take_in_red_zones(size_bytes, alignment, zeroed, zone_bytes));
  if (!bytes) return nullptr;
  // A wish: where it is refused, the pages are small.
  if (large) ::madvise(bytes, size_bytes / kHugePageBytes * kHugePageBytes, MADV_HUGEPAGE);
  return bytes;
}

std::uint64_t kept_bytes(const Allocation& allocation) {
  return allocation.size_bytes + kBytesOfAllocation;
}

std::uint64_t address_of(const Allocation& allocation) {
  return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(allocation.bytes));
}

}  // namespace

void Allocation::note_undefined(UndefinedBytes left) {
  initialized.unmark(left.offset_bytes, left.size_bytes, size_bytes);
  undefined.push_back(std::move(left));
}

const Finding* Allocation::undefined_at(std::uint64_t offset_bytes) const {
  for (const UndefinedBytes& left : undefined)
    if (offset_bytes - left.offset_bytes < left.size_bytes) return left.finding.get();
  return nullptr;
}

std::shared_ptr<const Finding> Allocation::first_undefined() const {
  for (const UndefinedBytes& left : undefined)
    if (initialized.first_missing(left.offset_bytes, left.size_bytes, nullptr) != left.size_bytes) return left.finding;
  return nullptr;
}

std::uint64_t texels_of(const uvec3& extent, std::uint64_t texel_bytes, const std::string& name) {
  std::uint64_t texels = std::uint64_t{extent.x} * extent.y;
  std::uint64_t bytes = 0;
  if (!__builtin_mul_overflow(texels, extent.z, &texels) && !__builtin_mul_overflow(texels, texel_bytes, &bytes) &&
      bytes <= kMostBytes)
    return texels;
  throw NoMemory(fmt::format("no memory for {}: {} x {} x {} texels of {} bytes, and an image has less than 2^63 bytes",
                             name.empty() ? "an image" : "'" + text::readable(name) + "'", extent.x, extent.y, extent.z,
                             texel_bytes));
}

namespace {

void add_to(memory::Memory& memory, const Allocation& allocation) {
  memory.add(allocation.id, {allocation.bytes, allocation.size_bytes});
  memory.note_initialized(allocation.id, allocation.initialized);
}

}  // namespace

void DeviceState::add_all_to(memory::Memory& other) {
  const std::lock_guard lock(mutex_);
  for (const auto& [address, allocation] : by_address_)
    if (!allocation->freed) add_to(other, *allocation);
}

std::shared_ptr<Allocation> DeviceState::allocate(std::uint64_t count, std::uint64_t element_bytes, std::string name) {
  auto made = std::make_shared<Allocation>();
  {
    const std::lock_guard lock(mutex_);
    made->name = name.empty() ? fmt::format("buffer {}", made_allocations_) : std::move(name);
    made->id = number_of_freed_or_new();
  }
  if (element_bytes != 0 && count > kMostBytes / element_bytes) refuse(made->name, count, element_bytes);
  made->size_bytes = count * element_bytes;
  const bool tracks_initialization = mode == Mode::Emulated;
  if (tracks_initialization && !has_room_for_bits(made->size_bytes)) refuse(made->name, count, element_bytes);
  // At least one byte, so that every buffer has an address of its own.
  made->bytes = allocate_bytes(std::max<std::uint64_t>(made->size_bytes, 1), mode == Mode::Emulated, element_bytes);
  if (!made->bytes) refuse(made->name, count, element_bytes);
  if (tracks_initialization) fill_undefined({made->bytes, made->size_bytes}, static_cast<std::uint32_t>(made->id));
  try {
    if (tracks_initialization) made->initialized.track(made->size_bytes);
    if (memory) add_to(*memory, *made);
    for (SetAside* const one : set_aside) add_to(one->memory(), *made);
    const std::lock_guard lock(mutex_);
    by_address_[address_of(*made)] = made;
  } catch (const std::bad_alloc&) {
    runtime::give_in_red_zones(made->bytes);
    refuse(made->name, count, element_bytes);
  }
  return made;
}

void DeviceState::fill_undefined(std::span<std::byte> bytes, std::uint64_t number) const {
  // Pages of large ones that nobody writes take no memory.
  constexpr std::uint64_t kMostFilledBytes = std::uint64_t{64} << 20;
  if (options.undefined == UndefinedValues::Zero || bytes.size() > kMostFilledBytes) return;
  SeededChoice seeded(seed() * 0x9e3779b97f4a7c15u + number);
  const auto draw = [&] { return seeded.below(~std::uint32_t{0}, ChoicePoint::Memory); };
  const std::uint64_t word = std::uint64_t{draw()} << 32 | draw();
  for (std::size_t at = 0; at < bytes.size(); at += sizeof word)
    std::memcpy(&bytes[at], &word, std::min(sizeof word, bytes.size() - at));
}

// A listener must not take one allocation for another.
void DeviceState::renew(AllocationId id) {
  watchers.replace_buffer(id);
  for (SetAside* const one : set_aside) one->watchers().replace_buffer(id);
  if (parallel) parallel->replace(id);
}

AllocationId DeviceState::number_of_freed_or_new() {
  if (spare_ids_.empty()) return number_of_new();
  const AllocationId id = spare_ids_.back();
  spare_ids_.pop_back();
  ++made_allocations_;
  renew(id);
  return id;
}

void DeviceState::reuse_freed() {
  const std::lock_guard lock(mutex_);
  spare_ids_.insert(spare_ids_.end(), ids_freed_in_submission_.begin(), ids_freed_in_submission_.end());
  ids_freed_in_submission_.clear();
  freed_in_submission_.store(false, std::memory_order_relaxed);
}

void DeviceState::free(Allocation& allocation) {
  const std::lock_guard lock(mutex_);
  if (allocation.freed) return;
  allocation.freed = true;
  if (memory) memory->remove(allocation.id);
  for (SetAside* const one : set_aside) one->memory().remove(allocation.id);
  // What a submission did to it is remembered as long as that runs.
  const bool in_submission = submitting.is_held();
  (in_submission ? ids_freed_in_submission_ : spare_ids_).push_back(allocation.id);
  if (in_submission) freed_in_submission_.store(true, std::memory_order_relaxed);
  freed_.push_back(address_of(allocation));
  freed_bytes_ += kept_bytes(allocation);
  const std::uint64_t kept = mode == Mode::Emulated ? kKeptFreedBytes : 0;
  while (!freed_.empty() && (freed_bytes_ > kept || kept == 0)) forget_oldest();
}

void DeviceState::forget_oldest() {
  const auto found = by_address_.find(freed_.front());
  freed_.pop_front();
  freed_bytes_ -= kept_bytes(*found->second);
  runtime::give_in_red_zones(found->second->bytes);
  by_address_.erase(found);
}

std::shared_ptr<Allocation> DeviceState::at(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  auto after = by_address_.upper_bound(address);
  if (after == by_address_.begin()) return nullptr;
  const std::shared_ptr<Allocation>& found = std::prev(after)->second;
  return address < address_of(*found) + found->size_bytes ? found : nullptr;
}

std::string DeviceState::describe(const void* address) {
  const auto number = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address));
  const std::shared_ptr<Allocation> found = at(number);
  if (!found) return "";
  return report::place_text(text::readable(found->name), found->component, number - address_of(*found));
}

std::uint64_t DeviceState::contents() {
  const std::lock_guard lock(mutex_);
  std::uint64_t number = 0;
  for (const auto& [address, allocation] : by_address_)
    if (!allocation->freed) runtime::add_bytes(number, {allocation->bytes, allocation->size_bytes});
  return number;
}

/// What owners share, and how many they are.
struct SharedOwnership final : Ownership {
  SharedOwnership(std::shared_ptr<DeviceState> of, std::shared_ptr<Allocation> what)
      : Ownership{what.get(), of.get()}, kept_device(std::move(of)), kept_allocation(std::move(what)) {}
  std::shared_ptr<DeviceState> kept_device;
  std::shared_ptr<Allocation> kept_allocation;
  std::atomic<std::uint64_t> owners{1};
};

Owner first_owner(std::shared_ptr<DeviceState> device, std::shared_ptr<Allocation> allocation) {
  return Owner(new SharedOwnership(std::move(device), std::move(allocation)));
}

void Owner::share() const {
  static_cast<SharedOwnership*>(shared_)->owners.fetch_add(1, std::memory_order_relaxed);
}

void Owner::leave() {
  auto* const shared = static_cast<SharedOwnership*>(shared_);
  if (shared->owners.fetch_sub(1, std::memory_order_acq_rel) != 1 || runtime::process_ends_in_kernel()) return;
  shared->device->free(*shared->allocation);
  delete shared;
}

void Owner::free() {
  if (!shared_) refuse("free");
  shared_->device->free(*shared_->allocation);
}

void Owner::check_undefined() const {
  const std::shared_ptr<const Finding> wrong = shared_->allocation->first_undefined();
  if (!wrong) {
    shared_->allocation->undefined.clear();
    return;
  }
  Finding finding = *wrong;
  shared_->device->emulator->dispatch_is_wrong(finding);
  throw KernelError(std::move(finding));
}

void Owner::require_written(std::uint64_t element_bytes, const unsigned char* value_bytes,
                            const SourceLocation& where) const {
  check_readable("require_written");
  const Allocation& of = *shared_->allocation;
  std::uint64_t missing = 0;
  while (missing < of.size_bytes && of.initialized.first_missing(missing, element_bytes, value_bytes) == element_bytes)
    missing += element_bytes;
  if (missing >= of.size_bytes) return;
  const std::optional<std::uint64_t> index = report::element_at(of.component, missing).index;
  Finding finding;
  finding.kind = FindingKind::UninitializedRead;
  finding.object = of.name;
  finding.index = index.value_or(0);
  finding.message = fmt::format("{} of '{}' was never written: neither a kernel nor the host has",
                                index ? report::element_text(of.component, *index) : fmt::format("byte {}", missing),
                                text::readable(of.name));
  finding.where = where;
  finding.invocation = Coordinates::of_host_thread(0);
  if (shared_->device->dispatches != 0) shared_->device->emulator->dispatch_is_wrong(finding);
  throw KernelError(std::move(finding));
}

void Owner::refuse_write(std::uint64_t count, std::uint64_t size, const SourceLocation& where) const {
  const Allocation& to = *shared_->allocation;
  const bool is_image = to.component.dimensions != 0;
  throw std::out_of_range(fmt::format(
      "heddle: a write of {} to {} '{}', which has {} ({})",
      is_image ? runtime::counted(count, "texel", "texels") : runtime::counted(count, "element", "elements"),
      is_image ? "image" : "buffer", text::readable(to.name), size, report::place(where)));
}

void Owner::refuse(const char* what) const {
  throw std::logic_error(shared_ ? fmt::format("heddle: {} of buffer '{}', which was freed", what,
                                               text::readable(shared_->allocation->name))
                                 : fmt::format("heddle: {} of a buffer that was never made, or was moved from", what));
}

void Owner::refuse_argument(std::size_t number, const DeviceState& device) const {
  const std::string argument = fmt::format("heddle: argument {} of a dispatch", number);
  if (!shared_) throw std::logic_error(argument + " is a buffer or an image that was never made, or was moved from");
  if (shared_->device == &device)
    throw std::logic_error(fmt::format("{}, '{}', was freed", argument, text::readable(shared_->allocation->name)));
  throw std::invalid_argument(fmt::format("{}, '{}', belongs to another device ({}) than the one that dispatches ({})",
                                          argument, text::readable(shared_->allocation->name),
                                          shared_->device->description(), device.description()));
}

ReferenceId Owner::new_reference() const {
  if (!shared_) refuse("alias");
  return shared_->device->new_reference();
}

}  // namespace heddle::detail
