#include <heddle/choice.h>

#include "tests/mu/brute_force.h"

namespace heddle::litmus {
namespace {

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : choice_(seed) {}
  std::string text();

 private:
  std::uint32_t below(std::uint32_t bound) { return choice_.below(bound, ChoicePoint::Memory); }
  template <std::size_t N>
  std::string any(const char* const (&names)[N]) {
    return names[below(N)];
  }
  std::string location() { return any({"x", "x", "y"}); }
  std::string operation();

  SeededChoice choice_;
  int registers_ = 0;
};

std::string Writer::operation() {
  const std::string load_order = any({"RELAXED", "RELAXED", "ACQUIRE", "CONSUME", "SEQ_CST"});
  const std::string store_order = any({"RELAXED", "RELAXED", "RELEASE", "SEQ_CST"});
  const std::string last = "r" + std::to_string(registers_ - 1);
  const std::string value = registers_ > 0 && below(4) == 0 ? last : std::to_string(1 + below(2));
  const std::string store = "atomic_store_explicit(" + location() + ", " + value + ", " + store_order + ");";
  switch (below(10)) {
    case 0:
      return "atomic_thread_fence(" + any({"ACQUIRE", "RELEASE", "ACQ_REL", "SEQ_CST", "SEQ_CST"}) + ");";
    case 1:
      return "int r" + std::to_string(registers_++) + " = atomic_fetch_add_explicit(" + location() + ", 1, " +
             any({"RELAXED", "ACQUIRE", "RELEASE", "ACQ_REL", "SEQ_CST"}) + ");";
    case 2:
      return "*z = 1;";
    case 3:
      return "int r" + std::to_string(registers_++) + " = *z;";
    case 4:
      if (registers_ > 0) return "if (" + last + " == 1) { " + store + " }";
      return store;
    case 5:
    case 6:
    case 7: {
      const std::string address =
          registers_ > 0 && below(3) == 0 ? location() + " + (" + last + " - " + last + ")" : location();
      return "int r" + std::to_string(registers_++) + " = atomic_load_explicit(" + address + ", " + load_order + ");";
    }
    default:
      return store;
  }
}

std::string Writer::text() {
  std::string out = "Mu random\n{}\n";
  std::string condition;
  const std::uint32_t threads = 2 + below(2);
  for (std::uint32_t t = 0; t < threads; ++t) {
    registers_ = 0;
    out += "P" + std::to_string(t) + " (int* x, int* y, int* z) {\n";
    const std::uint32_t operations = threads == 2 ? 2 + below(2) : 1 + below(2);
    for (std::uint32_t i = 0; i < operations; ++i) out += "  " + operation() + "\n";
    out += "}\n";
    for (int r = 0; r < registers_; ++r)
      condition += (condition.empty() ? "" : " /\\ ") + std::to_string(t) + ":r" + std::to_string(r) + "=0";
  }
  return out + (condition.empty() ? "" : "exists (" + condition + ")\n");
}

}  // namespace

std::string random_test(std::uint64_t seed) {
  return Writer(seed).text();
}

}  // namespace heddle::litmus
