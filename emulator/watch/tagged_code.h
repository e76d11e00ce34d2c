#pragma once

/// \file
/// Whether a program has kernels with tags, which is known before its first dispatch.

namespace heddle::watch {

/// Whether code with tags was compiled into this program (or into a library that it has loaded).
bool has_tagged_code();

}  // namespace heddle::watch
