// Two relaxed atomics on one location: who is atomic with whom.
//
// Reasoning. Two atomics are mutually ordered if and only if each agent is inside the other's scope
// instance. Then they do not race, two writes are ordered in one of two ways, and two increments
// count to two. Otherwise they are as good as non-atomic to each other: they race, no order exists
// between two writes (either is the final value of the one execution there is), and two increments
// may both start from the initial value; that one takes its value from the other remains possible,
// and both from each other does not, because each would have to be one more than the other.

#include <algorithm>

#include "tests/litmus/families/library_test.h"

namespace heddle::litmus::library {
namespace {

const char* const kScopes[] = {"sg", "wg", "qf", "dv"};
/// Where P1 is, so that the scope of the same index is the narrowest one that contains both.
const Where kPlaces[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

struct Shape {
  std::string name;
  std::string first;
  std::string second;
  std::string condition;
  std::vector<std::string> ordered;
  std::vector<std::string> unordered;
  int ordered_executions;
  int unordered_executions;
};

const Shape kShapes[] = {
    {"WR",
     "st.atom.SCOPE.sc0 x, 1",
     "ld.atom.SCOPE.sc0 r0, x",
     "P1:r0 == 1",
     {"P1:r0=0", "P1:r0=1"},
     {"P1:r0=0", "P1:r0=1"},
     2,
     2},
    {"WW", "st.atom.SCOPE.sc0 x, 1", "st.atom.SCOPE.sc0 x, 2", "x == 1", {"x=1", "x=2"}, {"x=1", "x=2"}, 2, 1},
    {"UU",
     "rmw.atom.SCOPE.sc0.add r0, x, 1",
     "rmw.atom.SCOPE.sc0.add r0, x, 1",
     "P0:r0 == 0 /\\ P1:r0 == 0",
     {"P0:r0=0 P1:r0=1", "P0:r0=1 P1:r0=0"},
     {"P0:r0=0 P1:r0=0", "P0:r0=0 P1:r0=1", "P0:r0=1 P1:r0=0"},
     2,
     3},
};

std::string with_scope(std::string text, const std::string& scope) {
  return text.replace(text.find("SCOPE"), 5, scope);
}

std::string name_of(const Shape& shape, int first, int second, int place) {
  return "Atomic" + shape.name + '+' + kScopes[first] + '-' + kScopes[second] + "-in-" + kScopes[place];
}

/// Where the same two are mutually ordered, or not any more, by a change of the place or of one
/// scope.
std::string twin_of(const Shape& shape, int first, int second, int place) {
  const int narrower = std::min(first, second);
  if (narrower < place) return name_of(shape, first, second, narrower);
  if (place > 0) return name_of(shape, place - 1, second, place);
  if (narrower < 3) return name_of(shape, first, second, narrower + 1);
  // Device scope in one subgroup: no single change takes the order away.
  return name_of(shape, 0, second, 1);
}

LibraryTest make(const Shape& shape, int first, int second, int place) {
  const bool ordered = first >= place && second >= place;
  LibraryTest out;
  out.name = name_of(shape, first, second, place);
  out.declarations = {"x=0"};
  out.threads = {{{}, {with_scope(shape.first, kScopes[first])}},
                 {kPlaces[place], {with_scope(shape.second, kScopes[second])}}};
  out.assertion = "exists (" + shape.condition + ")";
  out.verdict.holds = !(shape.name == "UU" && ordered);
  out.verdict.racy = !ordered;
  out.verdict.executions = ordered ? shape.ordered_executions : shape.unordered_executions;
  out.verdict.outcomes = ordered ? shape.ordered : shape.unordered;
  out.clause = "vk:memory-model-atomic-operation";
  out.reason = ordered         ? "each is inside the other's scope instance: mutually ordered"
               : first < place ? "P1 is outside P0's scope instance: as good as non-atomic"
                               : "P0 is outside P1's scope instance: as good as non-atomic";
  out.twin = twin_of(shape, first, second, place);
  return out;
}

}  // namespace

Family scopes_of_atomics() {
  Family out;
  for (const Shape& shape : kShapes) {
    for (int place = 0; place < 4; ++place) {
      for (int first = 0; first < 4; ++first) {
        for (int second = 0; second < 4; ++second) {
          out.push_back(make(shape, first, second, place));
        }
      }
    }
  }
  return out;
}

}  // namespace heddle::litmus::library
