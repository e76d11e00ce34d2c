#pragma once

/// \file
/// What host threads on the weak machine ask of it to dispatch kernels. Not for users; see heddle/host_device.h. Every
/// function is called by a thread of the machine.

#include <heddle/detail/host_machine.h>
#include <heddle/device.h>
#include <heddle/source_location.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace heddle::threads::detail {

/// Memory that host threads and kernels share.
using MappedNumber = NumberOfRun;
using DispatchNumber = NumberOfRun;

/// An emulated device. The machine hears every access of its kernels, and its seed and memory policy are the machine's
/// where the options have none.
std::shared_ptr<Device> machine_device(DeviceOptions options);
MappedNumber add_mapped(const Device& device, const heddle::detail::Owner& memory, std::uint64_t element_bytes);
/// A host thread is about to access so many bytes. The access does not take place if this returns false.
bool access_mapped(MappedNumber mapped, std::uint64_t offset_bytes, std::uint32_t size_bytes, bool writes,
                   SourceLocation where);
/// `dispatch` runs a kernel on the device once, at any moment until `wait_for_dispatch` returns. What happens before
/// the submission happens before the kernel.
DispatchNumber submit(const Device& device, Extent groups, Extent local, std::function<void()> dispatch,
                      SourceLocation where);
/// The kernel happens before what follows. `quietly`: in a destructor, where a kernel of another run has ended.
void wait_for_dispatch(DispatchNumber dispatch, bool quietly, SourceLocation where);

}  // namespace heddle::threads::detail
