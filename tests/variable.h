#pragma once

/// \file
/// A variable of the environment, as long as a test needs it.

#include <cstdlib>
#include <string>
#include <utility>

namespace heddle::test {

/// Sets a variable that the environment does not have, and takes it away again.
class Variable {
 public:
  Variable(std::string name, const std::string& value) : name_(std::move(name)) {
    setenv(name_.c_str(), value.c_str(), 1);
  }
  ~Variable() { unsetenv(name_.c_str()); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  std::string name_;
};

}  // namespace heddle::test
