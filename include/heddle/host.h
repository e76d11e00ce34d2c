#pragma once

/// \file
/// The host's side: devices, buffers, images, dispatches.

#include <heddle/buffer.h>
#include <heddle/buffer_view.h>
#include <heddle/device.h>
#include <heddle/device_options.h>
#include <heddle/dispatch.h>
#include <heddle/image.h>
