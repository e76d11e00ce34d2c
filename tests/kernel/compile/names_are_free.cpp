#include "kernel_under_test.h"

// What a program may call its own beside `using namespace heddle`.
struct Element {
  int index;
};
struct Index {
  int value;
};
struct Variable {};
struct refused {};
const char* const name = "a name";
const int dot = 1, length = 2, all = 3, any = 4;

void test() {
  const Element element{RIGHT_OR_WRONG(0, name) + dot + length + all + any};
  const Index index{element.index};
  (void)index.value;
  (void)Variable{};
  (void)refused{};
  (void)name;
}
