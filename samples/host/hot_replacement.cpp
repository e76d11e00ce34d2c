// A function is replaced while others call it. A call is a RELAXED load of its version: a thread
// that has learnt in another way that the new one is there may call the old one still, unless that
// way synchronizes.

#include "demonstration.h"

using namespace heddle::threads;

namespace {

template <bool synchronizes>
constexpr auto replacement = [](auto host) {
  using M = decltype(host);
  typename M::template Function<int(int)> pack([](int n) { return n + 1; }, "pack");
  typename M::template Function<int(int)> unpack([](int n) { return n - 1; }, "unpack");
  typename M::template Atomic<int> loaded{0, "loaded"};
  typename M::Thread loader([&] {
    // One bundle: the two belong together.
    M::define(
        pack, [](int n) { return n * 2; }, unpack, [](int n) { return n / 2; });
    if constexpr (synchronizes)
      loaded.store(1, release);
    else
      loaded.store(1, relaxed);
  });
  for (int i = 0; i < 4; ++i) {
    const bool is_new = loaded.load(acquire) == 1;
    if (!is_new) continue;
    M::require(pack(21) == 42, "who knows of the new version calls it");
    M::require(unpack(pack(21)) == 21, "both functions are of one version");
  }
};

}  // namespace

int main(int argc, char** argv) {
  return demonstrate(argc, argv, "hot function replacement", replacement<true>, replacement<false>);
}
