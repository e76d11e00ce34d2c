// A scheduler of tasks that are stacks: a worker takes a task from its own end of its deque, steals
// from the other end of another's, and swaps to the task's stack; a task that is not done swaps
// back and may go on with another worker. The deque is that of Chase and Lev with the orders of N.
// M. Lê, A. Pop, A. Cohen, F. Zappa Nardelli, "Correct and Efficient Work-Stealing for Weak Memory
// Models" (2013), of a fixed size. The wrong form has a weaker fence in `take`: both ends take the
// last task, and its stack is bound twice.

#include "demonstration.h"

#include <array>
#include <memory>
#include <vector>

using namespace heddle::threads;

namespace {

constexpr int kNone = -1;

template <typename M, bool right>
class Deque {
 public:
  Deque() {
    for (auto& one : tasks_)
      one = std::make_unique<typename M::template Atomic<int>>(kNone, "task");
  }
  /// By the owner.
  void push(int task) {
    const int bottom = bottom_.load(relaxed);
    tasks_[static_cast<std::size_t>(bottom) % kRoom]->store(task, relaxed);
    M::fence(release);
    bottom_.store(bottom + 1, relaxed);
  }
  /// By the owner: the youngest task.
  int take() {
    const int bottom = bottom_.load(relaxed) - 1;
    bottom_.store(bottom, relaxed);
    if constexpr (right)
      M::fence(seq_cst);
    else
      M::fence(acq_rel);
    int top = top_.load(relaxed);
    if (top > bottom) {
      bottom_.store(bottom + 1, relaxed);
      return kNone;
    }
    int task = tasks_[static_cast<std::size_t>(bottom) % kRoom]->load(relaxed);
    if (top < bottom) return task;
    // The last one: the thread that moves the top has it.
    if (!top_.compare_exchange(top, top + 1, seq_cst, relaxed)) task = kNone;
    bottom_.store(bottom + 1, relaxed);
    return task;
  }
  /// By anybody: the oldest task.
  int steal() {
    int top = top_.load(acquire);
    M::fence(seq_cst);
    const int bottom = bottom_.load(acquire);
    if (top >= bottom) return kNone;
    const int task = tasks_[static_cast<std::size_t>(top) % kRoom]->load(relaxed);
    return top_.compare_exchange(top, top + 1, seq_cst, relaxed) ? task : kNone;
  }

 private:
  static constexpr std::size_t kRoom = 16;
  typename M::template Atomic<int> top_{0, "top"};
  typename M::template Atomic<int> bottom_{0, "bottom"};
  std::array<std::unique_ptr<typename M::template Atomic<int>>, kRoom> tasks_;
};

template <bool right>
constexpr auto scheduler = [](auto host) {
  using M = decltype(host);
  using Stack = typename M::Stack;
  constexpr int kTasks = 3;
  constexpr int kSteps = 2;
  struct Task {
    typename M::template Plain<int> steps{0, "steps"};
    /// The stack of the worker that runs it.
    std::unique_ptr<Stack> worker;
    std::unique_ptr<Stack> stack;
  };
  std::array<Task, kTasks> tasks;
  std::array<Deque<M, right>, 2> deques;
  typename M::template Atomic<int> left{kTasks, "left"};
  for (Task& task : tasks)
    task.stack = std::make_unique<Stack>([&] {
      for (int i = 0; i < kSteps; ++i) {
        task.steps.write(task.steps.read() + 1);
        if (i + 1 < kSteps) M::swap_stack(*task.worker);
      }
      left.fetch_sub(1, acq_rel);
      M::swap_stack_and_kill(*task.worker);
    });
  const auto work = [&](std::size_t self) {
    const Stack own = M::current_stack();
    // Few turns: what is left is done by the other worker.
    for (int turn = 0; left.load(acquire) > 0 && turn < 60; ++turn) {
      int number = deques[self].take();
      if (number == kNone) number = deques[1 - self].steal();
      if (number == kNone) continue;
      Task& task = tasks[static_cast<std::size_t>(number)];
      task.worker = std::make_unique<Stack>(own);
      const int before = task.steps.read();
      M::swap_stack(*task.stack);
      if (before + 1 < kSteps) deques[self].push(number);
    }
  };
  for (int i = 0; i < kTasks; ++i) deques[0].push(i);
  typename M::Thread thief([&] { work(1); });
  work(0);
  thief.join();
  if (left.load(acquire) == 0)
    for (Task& task : tasks)
      M::require(task.steps.read() == kSteps, "every task has done all its steps");
};

}  // namespace

int main(int argc, char** argv) {
  return demonstrate(argc, argv, "work stealing", scheduler<true>, scheduler<false>, 3000);
}
