/// \file
/// Writes the tables of SPIR-V's grammar as C++: make_tables OUTPUT CORE.json [SET=EXTENDED.json...]

#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using Json = nlohmann::json;

Json read(const std::string& name) {
  std::ifstream in(name);
  if (!in) throw std::runtime_error("cannot read " + name);
  return Json::parse(in);
}

std::uint64_t number(const Json& value) {
  return value.is_string() ? std::stoull(value.get<std::string>(), nullptr, 0) : value.get<std::uint64_t>();
}

std::string quoted(const Json& text) {
  return '"' + text.get<std::string>() + '"';
}

/// Collects the tables, each as the text of its rows.
class Tables {
 public:
  explicit Tables(const Json& core) {
    for (const Json& kind : core["operand_kinds"]) {
      const auto name = kind["kind"].get<std::string>();
      kinds_.emplace(name, kinds_.size());
      if (kind.contains("enumerants")) enums_.insert(name);
    }
    for (const Json& kind : core["operand_kinds"]) add_kind(kind);
    std::map<std::uint64_t, Json> by_number;
    for (const Json& instruction : core["instructions"]) by_number.emplace(instruction["opcode"], instruction);
    for (const auto& [opcode, instruction] : by_number) add_row(instruction, instructions_);
  }

  void add_set(const std::string& name, const Json& grammar) {
    const std::size_t first = extended_count_;
    for (const Json& instruction : grammar["instructions"]) {
      extended_ +=
          "  {" + quoted(instruction["opname"]) + ", " + std::to_string(number(instruction["opcode"])) + "},\n";
      ++extended_count_;
    }
    sets_ += "  {\"" + name + "\", " + std::to_string(first) + ", " + std::to_string(extended_count_ - first) + "},\n";
  }

  void write(std::ostream& out) const {
    out << "#include \"emulator/spirv/grammar_tables.h\"\n\nnamespace heddle::spirv::tables {\n";
    table(out, "OperandInfo", "operands", operands_);
    table(out, "Enumerant", "enumerants", enumerants_);
    table(out, "KindInfo", "kinds", kind_rows_);
    table(out, "InstructionInfo", "instructions", instructions_);
    table(out, "ExtendedInfo", "extended", extended_);
    table(out, "SetInfo", "sets", sets_);
    out << "}  // namespace heddle::spirv::tables\n";
  }

 private:
  static void table(std::ostream& out, const char* type, const char* name, const std::string& rows) {
    out << "namespace {\nconst " << type << " k_" << name << "[] = {\n"
        << rows << "};\n}\n"
        << "const std::span<const " << type << "> " << name << "(k_" << name << ");\n";
  }

  std::string category(const std::string& kind) const {
    static const std::map<std::string, std::string> kNames = {{"LiteralContextDependentNumber", "LiteralNumber"},
                                                              {"LiteralExtInstInteger", "LiteralExtended"},
                                                              {"LiteralSpecConstantOpInteger", "LiteralOpcode"},
                                                              {"IdMemorySemantics", "AnyId"},
                                                              {"IdScope", "AnyId"},
                                                              {"IdRef", "AnyId"},
                                                              {"PairLiteralIntegerIdRef", "PairLiteralId"},
                                                              {"PairIdRefLiteralInteger", "PairIdLiteral"},
                                                              {"PairIdRefIdRef", "PairIdId"}};
    const auto known = kNames.find(kind);
    if (known != kNames.end()) return known->second;
    return enums_.count(kind) != 0 ? "Enum" : kind;
  }

  std::pair<std::size_t, std::size_t> add_operands(const Json& owner, const char* member) {
    const std::size_t first = operand_count_;
    for (const Json& operand : owner.value(member, Json::array())) {
      const auto kind = operand["kind"].get<std::string>();
      const std::string quantifier = operand.value("quantifier", "");
      operands_ += "  {Category::" + category(kind) + ", " + std::to_string(kinds_.at(kind)) + ", Quantifier::" +
                   (quantifier == "*"   ? "Any"
                    : quantifier == "?" ? "Optional"
                                        : "One") +
                   "},\n";
      ++operand_count_;
    }
    return {first, operand_count_ - first};
  }

  void add_kind(const Json& kind) {
    const auto name = kind["kind"].get<std::string>();
    const auto category_name = kind["category"].get<std::string>();
    const bool bits = category_name == "BitEnum";
    const std::size_t first = enumerant_count_;
    for (const Json& each : kind.value("enumerants", Json::array())) {
      const auto [operand, count] = add_operands(each, "parameters");
      enumerants_ += "  {" + quoted(each["enumerant"]) + ", " + std::to_string(number(each["value"])) + ", " +
                     std::to_string(operand) + ", " + std::to_string(count) + "},\n";
      ++enumerant_count_;
    }
    kind_rows_ += "  {\"" + name + "\", " + (bits ? "true" : "false") + ", " + std::to_string(first) + ", " +
                  std::to_string(enumerant_count_ - first) + "},\n";
  }

  void add_row(const Json& instruction, std::string& rows) {
    const auto [first, count] = add_operands(instruction, "operands");
    rows += "  {" + quoted(instruction["opname"]) + ", " + std::to_string(number(instruction["opcode"])) + ", " +
            std::to_string(first) + ", " + std::to_string(count) + "},\n";
  }

  std::map<std::string, std::size_t> kinds_;
  std::set<std::string> enums_;
  std::string operands_;
  std::string enumerants_;
  std::string kind_rows_;
  std::string instructions_;
  std::string extended_;
  std::string sets_;
  std::size_t operand_count_ = 0;
  std::size_t enumerant_count_ = 0;
  std::size_t extended_count_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 3) throw std::runtime_error("usage: make_tables OUTPUT CORE.json [SET=EXTENDED.json...]");
    Tables tables(read(argv[2]));
    for (int i = 3; i < argc; ++i) {
      const std::string argument = argv[i];
      const std::size_t equals = argument.find('=');
      tables.add_set(argument.substr(0, equals), read(argument.substr(equals + 1)));
    }
    std::ofstream out(argv[1]);
    tables.write(out);
    if (!out.flush()) throw std::runtime_error(std::string("cannot write ") + argv[1]);
  } catch (const std::exception& error) {
    std::cerr << "make_tables: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
