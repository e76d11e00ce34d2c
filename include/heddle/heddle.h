#pragma once

/// \file
/// Everything that a kernel and its caller need.

#include <heddle/block.h>
#include <heddle/choice.h>
#include <heddle/float16.h>
#include <heddle/host.h>
#include <heddle/kernel.h>
#include <heddle/matrix.h>
#include <heddle/operation.h>
#include <heddle/report.h>
#include <heddle/spirv.h>
#include <heddle/vector.h>
