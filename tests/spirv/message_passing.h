#pragma once

/// \file
/// Programs of two invocations that hand values to each other, in the shape of the industry's tests of the memory
/// model: each writes a payload and a guard, and looks at those of its partner.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::spirv {

/// Where a payload or a guard lies.
enum class Home : std::uint8_t { Buffer, Image, Workgroup, Address };
/// What is handed over: a value, or the leave to overwrite what was read.
enum class Handing : std::uint8_t { Message, WriteAfterRead };
/// Which instructions release and acquire, in this order; a barrier does both, and waits.
enum class Handshake : std::uint8_t { FenceFence, FenceAtomic, AtomicFence, AtomicAtomic, ControlBarrier };
/// Who makes the payload available and visible: its own accesses, or the release and the acquire.
enum class Availability : std::uint8_t { Accesses, Bulk };
/// How a program is weaker than it has to be.
enum class Weakness : std::uint8_t { None, NoOrder, NarrowScope, AnotherClass, NeverAvailable, Private };

struct MessageProgram {
  Home payload = Home::Buffer;
  Home guard = Home::Buffer;
  std::uint32_t scope = 5;
  Handing handing = Handing::Message;
  Handshake handshake = Handshake::FenceFence;
  Availability availability = Availability::Accesses;
  bool wide = false;  ///< whether the payload has 64 bits
  Weakness weakness = Weakness::None;
};

/// All programs that are right.
std::vector<MessageProgram> message_programs();
/// The weak twins of one that is right.
std::vector<MessageProgram> weak_twins(const MessageProgram& right);
/// A program as the text of a module, with its header.
std::string text_of(const MessageProgram& program);
std::string name_of(const MessageProgram& program);

}  // namespace heddle::spirv
