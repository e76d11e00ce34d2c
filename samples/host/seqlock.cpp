// A sequence lock: the writer makes the number odd while it writes, a reader tries again if the
// number has changed. The reader's loads of the data must stay before its second load of the
// number. A fence keeps them there; making that load an acquire operation, the wrong form, does
// not, for it holds back what follows it. H.-J. Boehm, "Can Seqlocks Get Along With Programming
// Language Memory Models?" (2012).

#include "demonstration.h"

using namespace heddle::threads;

namespace {

template <bool with_fence>
constexpr auto readings = [](auto host) {
  using M = decltype(host);
  typename M::template Atomic<unsigned> number{0, "number"};
  typename M::template Atomic<int> low{0, "low"};
  typename M::template Atomic<int> high{0, "high"};
  typename M::Thread writer([&] {
    for (int value = 1; value <= 3; ++value) {
      const unsigned before = number.load(relaxed);
      number.store(before + 1, relaxed);
      M::fence(release);
      low.store(value, relaxed);
      high.store(value, relaxed);
      number.store(before + 2, release);
    }
  });
  for (int tries = 0; tries < 8; ++tries) {
    const unsigned before = number.load(acquire);
    const int a = low.load(relaxed);
    const int b = high.load(relaxed);
    unsigned after = 0;
    if constexpr (with_fence) {
      M::fence(acquire);
      after = number.load(relaxed);
    } else {
      after = number.load(acquire);
    }
    if (before == after && before % 2 == 0) M::require(a == b, "a reading is of one write");
  }
};

}  // namespace

int main(int argc, char** argv) {
  return demonstrate(argc, argv, "seqlock", readings<true>, readings<false>, 5000);
}
