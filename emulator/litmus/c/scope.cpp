#include "emulator/litmus/c/scope.h"

#include <algorithm>
#include <array>

namespace heddle::litmus::c {

std::int32_t Declarations::array(std::string_view name) {
  const auto found = numbers.find(name);
  if (found != numbers.end()) return found->second;
  const auto number = static_cast<std::int32_t>(arrays.size());
  numbers.emplace(name, number);
  arrays.emplace_back(name);
  cells.push_back({Value::number(0)});
  return number;
}

std::uint32_t ThreadScope::reg(std::string_view name) {
  const auto found = registers.find(name);
  if (found != registers.end()) return found->second;
  const auto index = static_cast<std::uint32_t>(code.registers.size());
  code.registers.emplace_back(name);
  registers.emplace(name, index);
  return index;
}

void ThreadScope::number_registers() {
  const auto named = static_cast<std::uint32_t>(code.registers.size());
  code.register_count = named + (nameless_ - kFirstNameless);
  for (mu::Instruction& i : code.code)
    if ((i.op == mu::Op::Get || i.op == mu::Op::Set) && i.index >= kFirstNameless)
      i.index = named + (i.index - kFirstNameless);
  code.initial.resize(code.register_count, Value::number(0));
}

bool is_type_word(std::string_view name) {
  static constexpr std::array<std::string_view, 44> kWords{"int",
                                                           "unsigned",
                                                           "signed",
                                                           "long",
                                                           "short",
                                                           "char",
                                                           "void",
                                                           "const",
                                                           "volatile",
                                                           "_Atomic",
                                                           "bool",
                                                           "_Bool",
                                                           "size_t",
                                                           "ptrdiff_t",
                                                           "intptr_t",
                                                           "uintptr_t",
                                                           "int8_t",
                                                           "int16_t",
                                                           "int32_t",
                                                           "int64_t",
                                                           "uint8_t",
                                                           "uint16_t",
                                                           "uint32_t",
                                                           "uint64_t",
                                                           "atomic_int",
                                                           "atomic_uint",
                                                           "atomic_long",
                                                           "atomic_ulong",
                                                           "atomic_short",
                                                           "atomic_ushort",
                                                           "atomic_char",
                                                           "atomic_uchar",
                                                           "atomic_schar",
                                                           "atomic_llong",
                                                           "atomic_ullong",
                                                           "atomic_bool",
                                                           "atomic_size_t",
                                                           "atomic_intptr_t",
                                                           "atomic_uintptr_t",
                                                           "atomic_ptrdiff_t",
                                                           "atomic_int32_t",
                                                           "atomic_int64_t",
                                                           "atomic_uint32_t",
                                                           "atomic_uint64_t"};
  return std::find(kWords.begin(), kWords.end(), name) != kWords.end();
}

}  // namespace heddle::litmus::c
