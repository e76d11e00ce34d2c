#include "emulator/litmus/run/settled_outcome.h"

#include "emulator/litmus/vulkan/thread.h"

namespace heddle::litmus {

void settled_outcome(const TestProgram& program, const run::Runner& runner, Outcome& outcome) {
  const Test& test = program.test();
  outcome.resize(test.observables.size());
  for (std::size_t i = 0; i < outcome.size(); ++i) {
    const Observable& observable = test.observables[i];
    const explore::Value value = observable.kind == Observable::Kind::Register
                                     ? program.result(runner.ends(), observable.thread, observable.index)
                                     : runner.final_value(locations_of(test.variables[observable.index]));
    outcome[i] = static_cast<Integer>(value);
  }
}

}  // namespace heddle::litmus
