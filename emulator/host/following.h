#pragma once

/// \file
/// What undefined values of a dispatch decide, as findings.

#include <heddle/detail/emulation.h>
#include <heddle/report.h>

#include "emulator/host/twin.h"

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace heddle::emulation {

/// Follows the undefined values of one dispatch after the other. From the first one on it is to be told of every
/// access; a value that depends on one may be moved about, and is a finding where it decides something.
class Following {
 public:
  /// A dispatch begins: nothing is undefined. Its undefined values are drawn from `seed`.
  void begin(std::uint64_t seed);
  bool runs() const { return twin_.runs(); }
  /// What emulation::make_undefined does.
  bool make(const Agent& agent, const UndefinedResult& result, void* value, std::uint32_t size_bytes);
  // The agent is about to access, or has accessed as an atomic. `value` as `hashed` says.
  void read(const Agent& agent, const Access& access) { follow(agent, access, detail::Twin::Event::Read, 0); }
  void write(const Agent& agent, const Access& access, std::uint64_t value);
  void atomic(const Agent& agent, const Access& access, std::uint64_t value) {
    follow(agent, access, detail::Twin::Event::Atomic, value);
  }
  void condition(const Agent& agent, bool holds, const SourceLocation& where);
  /// The process that only follows is alive.
  void beat() {
    if (twin_.is_second()) twin_.beat();
  }
  /// The dispatch fails for a reason that another run need not have. (The process that only follows ends here.)
  void fails();
  /// The dispatch fails by a finding of its kernel. Where that depends on an undefined value, it becomes a finding
  /// which says so. (The process that only follows ends here.)
  void fails_by(Finding& finding);
  /// The dispatch has ended. What is wrong with that, if anything is: it would have gone on with another value. What is
  /// undefined in buffers is noted there. (The process that only follows ends here.)
  std::optional<Finding> end();

  /// Bytes of a value as one number.
  static std::uint64_t hashed(const void* value, std::uint32_t size_bytes, const unsigned char* value_bytes,
                              std::uint64_t before = 0xcbf29ce484222325u);

 private:
  /// What a plain write left, if it depends on an undefined value.
  struct Left {
    const Binding* binding;
    std::uint32_t size_bytes;
    Finding finding;
  };
  void follow(const Agent& agent, const Access& access, detail::Twin::Event event, std::uint64_t value);
  void note_write(const Agent& agent, const Access& access, bool depends);
  std::string origin(AgentId agent) const;
  std::string origin(const Coordinates& invocation) const;

  detail::Twin twin_;
  bool has_begun_ = false;
  std::uint64_t seed_ = 0;
  std::uint64_t made_ = 0;
  /// The last one that each agent was given, and the last one of all.
  using Given = std::pair<Coordinates, UndefinedResult>;
  std::unordered_map<AgentId, Given> results_;
  std::optional<Given> last_;
  /// By allocation and byte, in buffers.
  std::map<std::pair<detail::Allocation*, std::uint64_t>, Left> left_;
};

}  // namespace heddle::emulation
