#pragma once

/// \file
/// What a kernel is written with. A kernel is anything that can be called with an invocation and
/// its parameters, generic over the invocation:
///
///     auto saxpy = [](auto& inv, float a, StorageBuffer<const float> auto x,
///                     StorageBuffer<float> auto y) {
///       const auto i = inv.global_invocation_id().x;
///       if (i < y.size()) y[i] = a * x[i] + y[i];
///     };
///
/// What `inv` offers is in heddle/detail/invocation.h, class InvocationApi.

#include <heddle/detail/invocation.h>
#include <heddle/reference.h>
#include <heddle/semantics.h>
#include <heddle/spirv.h>
#include <heddle/subgroup.h>
#include <heddle/vector.h>
