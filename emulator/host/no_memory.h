#pragma once

/// \file
/// A std::bad_alloc that says what there was no memory for.

#include <memory>
#include <new>
#include <string>
#include <utility>

namespace heddle::detail {

class NoMemory final : public std::bad_alloc {
 public:
  explicit NoMemory(std::string what) : what_(std::make_shared<const std::string>(std::move(what))) {}
  const char* what() const noexcept override { return what_->c_str(); }

 private:
  // Exceptions are copied without throwing.
  std::shared_ptr<const std::string> what_;
};

}  // namespace heddle::detail
