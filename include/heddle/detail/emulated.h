#pragma once

/// \file
/// Emulated mode: every access goes through the emulation as an operation record.

#include <heddle/detail/emulated_invocation.h>

namespace heddle::emulated {

template <typename T, StorageClass storage_class>
auto Ref<T, storage_class>::load() const -> value_type {
  return place_.invocation->template read<value_type>(place_);
}

template <typename T, StorageClass storage_class>
void Ref<T, storage_class>::store(const value_type& v) const {
  place_.invocation->write(place_, v);
}

template <typename T, StorageClass storage_class>
void Array<T, storage_class>::out_of_bounds(Invocation* invocation, const emulation::Binding* binding, Index i,
                                            std::uint64_t size, std::uint64_t offset_bytes) {
  // The type of a view may leave some bytes over.
  const bool is_part = offset_bytes != 0 || binding->size_bytes / sizeof(T) != size;
  if (is_part)
    emulation::raise_outside_part(invocation->agent(), *binding, i.value, size, sizeof(T), offset_bytes, i.where);
  emulation::raise_out_of_bounds(invocation->agent(), *binding, i.value, size, i.where);
}

template <typename T>
auto Pointer<T>::element(std::uint64_t address, SourceLocation where) const
    -> detail::ElementFor<Ref<T, kStorageClass>> {
  Place place;
  place.invocation = invocation_;
  place.binding = emulation::buffer_at(invocation_->emulator(), invocation_->agent(), address, where);
  place.offset_bytes = address - reinterpret_cast<std::uintptr_t>(place.binding->allocation->bytes);
  place.qualifiers = qualifiers_;
  place.where = where;
  return detail::ElementFor<Ref<T, kStorageClass>>(Ref<T, kStorageClass>(place));
}

template <typename T, ImageDim dim>
Place Image<T, dim>::place_of(const Coordinate& c, SourceLocation where) const {
  const ivec3 v = detail::from_coordinate<dim>(c);
  Place place = place_;
  place.where = where;
  const bool inside = v.x >= 0 && v.y >= 0 && v.z >= 0 && static_cast<std::uint32_t>(v.x) < extent_.x &&
                      static_cast<std::uint32_t>(v.y) < extent_.y && static_cast<std::uint32_t>(v.z) < extent_.z;
  if (!inside) emulation::raise_no_texel(place.invocation->agent(), *place.binding, v, extent_, where);
  place.offset_bytes = detail::linear_texel(v, extent_) * sizeof(T);
  return place;
}

template <typename T, ImageDim dim>
T Image<T, dim>::read(Coordinate c, TexelReadOperands operands, MemoryScope visible, SourceLocation where) const {
  Place place = place_of(c, where);
  qualify(place.qualifiers, operands, ImageOperands::MakeTexelVisible, visible);
  return place.invocation->template read<T>(place);
}

template <typename T, ImageDim dim>
void Image<T, dim>::write(Coordinate c, detail::Given<T> value, TexelWriteOperands operands, MemoryScope available,
                          SourceLocation where) const {
  Place place = place_of(c, where);
  qualify(place.qualifiers, operands, ImageOperands::MakeTexelAvailable, available);
  place.invocation->write(place, value);
}

}  // namespace heddle::emulated

#include <heddle/detail/emulated_private.h>
