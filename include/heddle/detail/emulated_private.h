#pragma once

/// \file
/// Private variables in emulated mode: memory of one invocation, whose initialization is checked.

#include <heddle/detail/emulated.h>
#include <heddle/detail/private_operators.h>

#include <cstring>
#include <string>
#include <string_view>

namespace heddle::emulated {

/// The storage and the checks of private variables.
template <typename T>
class PrivateStorage {
 public:
  PrivateStorage(Invocation& invocation, std::string_view name, SourceLocation where)
      : declared_(where),
        invocation_(&invocation),
        name_(name.empty() ? "private variable of line " + std::to_string(where.line) : std::string(name)) {
    initialized_.track(sizeof(T));
  }

 protected:
  template <typename E>
  E get(std::uint64_t index, SourceLocation where) const {
    check(index, sizeof(E), where);
    if (initialized_.first_missing(index * sizeof(E), sizeof(E), value_bytes<E>()) != sizeof(E)) {
      const emulation::Binding binding = this->binding();
      emulation::raise(invocation_->agent(), FindingKind::UninitializedRead,
                       "element " + std::to_string(index) + " of " + name_ + " was never written", &binding, index,
                       where);
    }
    E value;
    std::memcpy(&value, bytes_ + index * sizeof(E), sizeof(E));
    return value;
  }
  template <typename E>
  void set(std::uint64_t index, const E& value, SourceLocation where) {
    check(index, sizeof(E), where);
    initialized_.mark(index * sizeof(E), sizeof(E));
    std::memcpy(bytes_ + index * sizeof(E), &value, sizeof(E));
  }

  /// The place for accesses that cannot tell theirs: conversions and assignments.
  SourceLocation declared_;

 private:
  void check(std::uint64_t index, std::uint64_t element_bytes, SourceLocation where) const {
    if (index >= sizeof(T) / element_bytes) {
      emulation::raise_out_of_bounds(invocation_->agent(), binding(), index, sizeof(T) / element_bytes, where);
    }
  }
  /// For findings.
  emulation::Binding binding() const {
    emulation::Binding made;
    made.storage_class = StorageClass::Private;
    made.name = name_;
    return made;
  }
  Invocation* invocation_;
  std::string name_;
  detail::InitializedBytes initialized_;
  alignas(T) std::byte bytes_[sizeof(T)];
};

template <typename T>
class PrivateVariable : public PrivateStorage<T> {
  using E = std::remove_extent_t<T>;

  class Ref {
   public:
    using value_type = E;
    static constexpr StorageClass kStorageClass = StorageClass::Private;
    static constexpr bool kWritable = true;
    Ref(PrivateVariable& variable, Index i) : variable_(&variable), index_(i) {}
    E load() const { return variable_->template get<E>(index_.value, index_.where); }
    void store(const E& v) const { variable_->set(index_.value, v, index_.where); }

   private:
    PrivateVariable* variable_;
    Index index_;
  };

 public:
  using PrivateStorage<T>::PrivateStorage;
  auto operator[](Index i) { return detail::ElementFor<Ref>(Ref(*this, i)); }
  static constexpr std::uint64_t size() { return std::extent_v<T>; }
};

template <typename T>
requires(!std::is_array_v<T>) class PrivateVariable<T> : public PrivateStorage<T> {
 public:
  using PrivateStorage<T>::PrivateStorage;
  using value_type = T;
  static constexpr StorageClass kStorageClass = StorageClass::Private;
  static constexpr bool kWritable = true;
  T load(SourceLocation where = SourceLocation::current()) const { return this->template get<T>(0, where); }
  void store(detail::Given<T> v, SourceLocation where = SourceLocation::current()) { this->set(0, v, where); }
  T load_used_at(const SourceLocation& where) const { return load(where); }
  T load_as_declared() const { return load(this->declared_); }
  [[gnu::always_inline]] operator T() const { return load(detail::CodePlace::here(this->declared_)); }
  T operator=(const Located<T>& v) {
    store(v, v.where());
    return v;
  }
  HEDDLE_PRIVATE_OPERATORS
};

}  // namespace heddle::emulated
