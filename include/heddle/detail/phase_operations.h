#pragma once

/// \file
/// The subgroup operations that groups of kernels in phases have: HEDDLE_PHASE_OPERATION(function, Concept, Op) is
/// said for each, by either mode with a meaning of its own.

#include <heddle/detail/subgroup.h>

#define HEDDLE_PHASE_OPERATIONS                                             \
  HEDDLE_PHASE_OPERATION(group_non_uniform_i_add, Integer, Add)             \
  HEDDLE_PHASE_OPERATION(group_non_uniform_f_add, FloatingPoint, Add)       \
  HEDDLE_PHASE_OPERATION(group_non_uniform_i_mul, Integer, Multiply)        \
  HEDDLE_PHASE_OPERATION(group_non_uniform_f_mul, FloatingPoint, Multiply)  \
  HEDDLE_PHASE_OPERATION(group_non_uniform_s_min, SignedInteger, Minimum)   \
  HEDDLE_PHASE_OPERATION(group_non_uniform_u_min, UnsignedInteger, Minimum) \
  HEDDLE_PHASE_OPERATION(group_non_uniform_f_min, FloatingPoint, Minimum)   \
  HEDDLE_PHASE_OPERATION(group_non_uniform_s_max, SignedInteger, Maximum)   \
  HEDDLE_PHASE_OPERATION(group_non_uniform_u_max, UnsignedInteger, Maximum) \
  HEDDLE_PHASE_OPERATION(group_non_uniform_f_max, FloatingPoint, Maximum)   \
  HEDDLE_PHASE_OPERATION(group_non_uniform_bitwise_and, Integer, And)       \
  HEDDLE_PHASE_OPERATION(group_non_uniform_bitwise_or, Integer, Or)         \
  HEDDLE_PHASE_OPERATION(group_non_uniform_bitwise_xor, Integer, Xor)       \
  HEDDLE_PHASE_OPERATION(group_non_uniform_logical_and, Boolean, And)       \
  HEDDLE_PHASE_OPERATION(group_non_uniform_logical_or, Boolean, Or)         \
  HEDDLE_PHASE_OPERATION(group_non_uniform_logical_xor, Boolean, Xor)
