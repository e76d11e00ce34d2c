#pragma once

/// \file
/// An invocation as an agent of the explorer and of the machine.

#include <heddle/choice.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "emulator/explore/program.h"
#include "emulator/spirv/board.h"
#include "emulator/spirv/facts.h"
#include "emulator/spirv/faults.h"
#include "emulator/spirv/tangle.h"

namespace heddle::spirv {

/// What becomes of an iteration that changes nothing.
enum class Idling : std::uint8_t {
  /// It counts like any other, and is one way to block: what there is to explore.
  Explored,
  /// It does not count: the invocation may go round until it is stopped.
  Endless,
  /// It is one way to block, and the invocation goes round no more: what a search for a verdict needs.
  Once,
  /// It is told like every other iteration: after each the invocation is Spinning, and goes on.
  Told,
};

/// Which arrivals at control barriers are of one dynamic instance: those of one group, at one command, in the same
/// iterations of all loops around it.
class Meetings {
 public:
  struct Meeting {
    std::uint64_t instance = 0;
    std::vector<AgentId> participants;
  };
  explicit Meetings(const Dispatch& dispatch) : dispatch_(dispatch) {}

  /// Those who are in one instance of the scope with the agent.
  const Meeting& of(std::uint32_t agent, Scope scope, std::uint32_t command,
                    const std::vector<std::uint64_t>& iterations);
  /// Those lanes of the agent's subgroup whose bits are set.
  const Meeting& of_lanes(std::uint32_t agent, std::uint64_t lanes, std::uint64_t command,
                          const std::vector<std::uint64_t>& iterations);
  /// The command of such lanes, or the end of a construct: all talks there have this number, whichever the iteration.
  std::uint64_t point_of(std::uint64_t instance) const { return points_.at(instance); }

 private:
  const Dispatch& dispatch_;
  std::map<std::vector<std::uint64_t>, Meeting> known_;
  std::map<std::uint64_t, std::uint64_t> points_;
  /// What is asked for just now.
  std::vector<std::uint64_t> key_;
};

/// What an invocation printed.
struct Print {
  std::uint32_t agent = 0;
  std::string text;
};

/// What the invocations of runs share beside memory.
struct RunShare {
  /// More than so many prints of one run are dropped.
  static constexpr std::size_t kMostPrints = 1000;

  explicit RunShare(Choice& chooses) : choice(chooses) {}
  /// Another run begins.
  void restart() {
    board.clear();
    undefined_branches.clear();
    prints.clear();
  }

  Board board;
  /// Chooses where nothing defines which way a branch goes.
  Choice& choice;
  /// Where it had to: the invocation, and the command.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> undefined_branches;
  std::vector<Print> prints;
};

/// What all runs of one invocation have in common.
struct InvocationCode {
  const Dispatch& dispatch;
  std::uint32_t agent = 0;
  /// Iterations of a loop, each time it is entered.
  std::uint64_t bound = 2;
  Idling idling = Idling::Explored;
  Meetings& meetings;
  std::vector<std::uint64_t> image;
  std::vector<std::vector<Slot>> live;
  std::vector<explore::ValueUse> uses;
  std::vector<bool> spins_alike;
  std::vector<bool> unread;
  /// For each command 0, or one more than the number of its choice (see choice_location).
  std::vector<std::uint32_t> choices;
  /// How commands are called: the text of where an operation is.
  const std::vector<std::string>& texts;
  /// The source of each.
  const std::vector<const char*>& files;
  std::unique_ptr<LaterAccesses> later;
  bool tells_later = true;
  /// What each invocation of the dispatch may do.
  const std::vector<std::vector<Reach>>& flows;
  /// Where lanes tell each other what they give; null if they do so through memory, as the explorer needs it.
  Board* board = nullptr;
  /// Null if nothing is run.
  RunShare* share = nullptr;
};

/// Where an invocation stands: in front of a step, with what its slots hold, how often each loop has begun anew, and
/// which lanes are with it.
struct Standpoint {
  std::uint32_t at = 0;
  std::vector<std::uint64_t> slots;
  std::vector<std::uint64_t> iterations;
  Tangle tangle;
};

/// One run of an invocation. The results of its last step are those of a Fault.
class Invocation : public explore::Agent {
 public:
  explicit Invocation(const InvocationCode& code);

  explore::Step next(explore::Value last_read) override;
  void advance(explore::Value last_read, explore::Step& step) override;
  bool restart() override;

  /// In front of the step that was told last; behind it, if it is no operation.
  Standpoint standpoint(const explore::Step& last) const;
  /// Goes on from there.
  void stand_at(const Standpoint& there);

 private:
  struct Round {
    std::uint64_t count = 0;
    std::uint64_t effects = 0;
    bool spun = false;
    std::vector<std::uint64_t> values;
  };

  std::uint32_t place_of(const explore::Step& last) const;
  // Whether there is a step now.
  bool perform(const Command& command, explore::Step& step);
  bool branch(const Command& command, explore::Step& step);
  bool repeat(const Command& command, explore::Step& step);
  void print(const PrintInfo& info);
  bool compute_scalar(const Command& command, explore::Step& step);
  bool index(const Command& command, explore::Step& step);
  bool access(const Command& command, explore::Step& step);
  bool access_slot(const Command& command, std::uint64_t pointer, explore::Step& step);
  void describe(const Command& command, const AccessInfo& info, std::uint64_t pointer, explore::Step& step);
  void describe_atomic(const Command& command, const AccessInfo& info, explore::Step& step);
  bool fence(const Command& command, explore::Step& step);
  std::vector<std::uint64_t> iterations(const std::vector<std::uint32_t>& loops) const;
  // What lanes do together (exchange.cpp):
  bool exchange(const Command& command, explore::Step& step);
  bool part(const Command& command, explore::Step& step);
  bool rejoin(const Command& command, explore::Step& step);
  bool leave_innermost(explore::Step& step);
  bool finish(explore::Step& step);
  bool talk(const Meetings::Meeting& meeting, Lanes lanes, const std::vector<std::uint64_t>& given,
            explore::Step& step);
  bool talk_through_memory(const Meetings::Meeting& meeting, Lanes lanes, const std::vector<std::uint64_t>& given,
                           explore::Step& step);
  bool come_to_end(bool there, Lanes& out, explore::Step& step);
  bool vote(const ExchangeInfo& info, explore::Step& step);
  std::optional<Lanes> known_vote(bool& others_go) const;
  void describe_exchange(OperationKind kind, std::uint64_t instance, std::uint32_t lane, std::size_t scalar,
                         explore::Step& step) const;
  /// Ends with undefined behaviour; the numbers are those of Fault.
  bool fault(FaultKind kind, explore::Step& step, std::vector<std::uint64_t> numbers = {}) const;
  std::vector<std::uint64_t> coordinates(const Command& command) const;
  void end(explore::StepKind kind, explore::Step& step) const;

  void enter(std::uint32_t loop);
  void remember(std::uint32_t loop);
  bool spins(std::uint32_t loop) const;
  std::vector<std::uint32_t> spent() const;
  Scope scope_in(Slot slot) const;

  const InvocationCode& code_;
  const std::vector<Command>& commands_;
  std::vector<std::uint64_t> slots_;
  std::uint32_t at_ = 0;
  /// Where the value of the last read goes, and how wide it is.
  Slot pending_ = kNoSlot;
  std::uint32_t pending_bytes_ = 0;
  /// What a compare-exchange compares with: if it reads another value it wrote nothing.
  std::optional<std::uint64_t> pending_comparator_;
  /// The branch that waits for its choice.
  bool choosing_ = false;
  std::uint64_t effects_ = 0;
  std::vector<Round> rounds_;
  Tangle tangle_;
  /// How far a talk of lanes has come, and what was learned.
  std::size_t exchanged_ = 0;
  std::vector<std::uint64_t> learned_;
};

}  // namespace heddle::spirv
