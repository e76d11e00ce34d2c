#pragma once

/// \file
/// The environment of programs that are run.

#include <cstdlib>
#include <optional>
#include <string>

namespace heddle::cli {

/// A variable of the environment has this value as long as it lives; an empty one is as good as none.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_) {
      setenv(name_, before_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

inline bool is_set(const char* name) {
  const char* const value = std::getenv(name);
  return value && *value;
}

inline std::string value_or(const char* name, const std::string& otherwise) {
  return is_set(name) ? std::getenv(name) : otherwise;
}

}  // namespace heddle::cli
