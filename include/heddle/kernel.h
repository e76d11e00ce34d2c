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
/// What `inv` offers is in heddle/invocation.h, class InvocationApi; with tags, in heddle/tagged_invocation.h.

#include <heddle/invocation.h>
#include <heddle/members.h>
#include <heddle/reference.h>
#include <heddle/semantics.h>
#include <heddle/spirv.h>
#include <heddle/subgroup.h>
#include <heddle/tagged_invocation.h>
#include <heddle/vector.h>
#include <heddle/views.h>
#include <heddle/workgroup.h>
#include <heddle/workgroup_size.h>
