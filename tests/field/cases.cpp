#include "tests/field/field.h"

namespace heddle::field {

std::vector<Case> cases(bool right) {
  std::vector<Case> out;
  for (const std::vector<Case>& some : {messages(), shared_data(), in_workgroup()})
    for (const Case& one : some)
      if (one.right == right) out.push_back(one);
  return out;
}

}  // namespace heddle::field
