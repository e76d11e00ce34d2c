#pragma once

/// \file
/// Where a conversion is written, for reports. C++ tells an operator nothing about the expression that it is in; so the
/// operator, which is inlined there, leaves the address of its code, and a report finds the line with the
/// debug information of the program (runtime/code_line.h). That address takes the place of the function's name, as a
/// text that stands in the code itself.

#include <heddle/source_location.h>

namespace heddle::detail {

#define HEDDLE_CODE_PLACE "(a conversion)"

class CodePlace {
 public:
  /// A place that is a declaration: its accesses are elsewhere.
  static constexpr SourceLocation declaration(SourceLocation where) {
    where.function = kDeclaration;
    return where;
  }
  static constexpr bool is_declaration(const SourceLocation& where) { return where.function == kDeclaration; }

  /// `declared`, the place to report if there is no debug information, with the address of this very code.
  [[gnu::always_inline]] static constexpr SourceLocation here(SourceLocation declared) {
#if defined(__x86_64__) && defined(__ELF__)
    if (!__builtin_is_constant_evaluated()) {
      const char* text = nullptr;
      // Volatile, so that two conversions are not made one: each one has its own text.
      asm volatile("leaq 1f(%%rip), %0\n\tjmp 2f\n1:\t.asciz \"" HEDDLE_CODE_PLACE "\"\n2:" : "=r"(text));
      declared.function = text;
    }
#elif defined(__aarch64__) && defined(__ELF__)
    if (!__builtin_is_constant_evaluated()) {
      const char* text = nullptr;
      // Instructions stand at multiples of four.
      asm volatile("adr %0, 1f\n\tb 2f\n1:\t.asciz \"" HEDDLE_CODE_PLACE "\"\n\t.balign 4\n2:" : "=r"(text));
      declared.function = text;
    }
#endif
    return declared;
  }

 private:
  static constexpr char kDeclaration[] = "";
};

}  // namespace heddle::detail
