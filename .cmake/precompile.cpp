// Nothing: see precompile.cmake.
