#pragma once

/// \file
/// What the headers need of the language: where a compiler is told to go without, its first error says so.

#if __cplusplus < 202002L
#error "heddle needs C++20: compile with -std=c++20, or a later standard"
#endif
#ifndef __cpp_exceptions
#error "heddle needs exceptions, which carry what is found wrong with a kernel: compile without -fno-exceptions"
#endif
