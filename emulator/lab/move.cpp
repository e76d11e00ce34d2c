#include "emulator/lab/move.h"

namespace heddle::lab {

std::string id_of(const Move& move, const Played& played) {
  switch (move.kind) {
    case MoveKind::Go: {
      std::string id = 't' + std::to_string(move.thread);
      if (move.served)
        return id + (*move.served == model::kInitialValue ? ".init" : ".w" + std::to_string(*move.served));
      for (const std::uint32_t answer : move.answers) id += '.' + std::to_string(answer);
      return id;
    }
    case MoveKind::Deliver:
      return 'w' + std::to_string(move.write);
    case MoveKind::Invalidate:
      return 'i' + std::to_string(move.thread) + '.' + played.variables()[move.variable].name;
    case MoveKind::Finish:
      return move.which == 0 ? "end" : "end." + std::to_string(move.which);
  }
  return "";
}

}  // namespace heddle::lab
