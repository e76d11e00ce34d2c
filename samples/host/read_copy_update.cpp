// Read-copy-update: a writer publishes a new version of a configuration, readers follow the
// pointer. A CONSUME load orders what is read through its value, and costs nothing on processors
// that keep dependencies. The wrong form reads through a plain copy of the pointer, from which no
// dependency comes (kill_dependency).

#include "demonstration.h"

using namespace heddle::threads;

namespace {

template <typename M>
struct Configuration {
  explicit Configuration(int both) : threads(both), tasks(both) {}
  typename M::template Plain<int> threads;
  typename M::template Plain<int> tasks;
};

template <bool follows>
constexpr auto updates = [](auto host) {
  using M = decltype(host);
  using Version = Configuration<M>;
  Version first(1);
  typename M::template Atomic<Version*> current{&first, "current"};
  // Old versions live until all readers have ended: the simplest grace period there is.
  std::unique_ptr<Version> second;
  typename M::Thread writer([&] {
    second = std::make_unique<Version>(2);
    second->threads.write(3);
    second->tasks.write(3);
    current.store(second.get(), release);
  });
  typename M::Thread reader([&] {
    for (int i = 0; i < 3; ++i) {
      const auto version = current.load(consume);
      int threads = 0;
      int tasks = 0;
      if constexpr (follows) {
        threads = version.read(&Version::threads);
        tasks = version.read(&Version::tasks);
      } else {
        Version* const copy = version;
        threads = copy->threads.read();
        tasks = copy->tasks.read();
      }
      M::require(threads == tasks && threads != 2, "a version is seen whole");
    }
  });
  writer.join();
  reader.join();
};

}  // namespace

int main(int argc, char** argv) {
  return demonstrate(argc, argv, "read-copy-update", updates<true>, updates<false>);
}
