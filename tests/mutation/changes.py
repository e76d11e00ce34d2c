"""Small changes of meaning in C++ sources that clang-format has formatted."""

import dataclasses
import re

# What is not to be changed: what a compiler or a preprocessor alone reads, and checks of heddle itself.
LEFT_ALONE = re.compile(r"^\s*(#|//|static_assert|using |namespace |template|HEDDLE_CHECK)")
STRING = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'')
FUNCTION = re.compile(r"^(  )?(?!.*\b(if|for|while|switch|return|else|namespace|struct|class|enum)\b)"
                      r"(?P<type>[\w:<>,&* ]+?) [\w:~]+\(.*\)( const)?( override)?( noexcept)? \{$")
STATEMENT = re.compile(r"^\s+(\+\+|--)?[a-z_][\w.]*((->|\.|\[|\()[^=]*| [+|&-]?= .*);$")
NO_STATEMENT = re.compile(r"^\s+(return|break|continue|throw|delete|goto|co_\w+)\b")

SWAPS = {
    "swap && and ||": [(" && ", " || "), (" || ", " && ")],
    "move a boundary": [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > ")],
    "turn a comparison": [(" == ", " != "), (" != ", " == ")],
    "turn a result": [("return true;", "return false;"), ("return false;", "return true;")],
    "swap break and continue": [(" break;", " continue;"), (" continue;", " break;")],
    "swap + and -": [(" + ", " - "), (" - ", " + "), (" += ", " -= "), (" -= ", " += ")],
}


@dataclasses.dataclass(frozen=True, order=True)
class Change:
    """One line of a file that is replaced by another one."""

    file: str
    line: int  # from 1 on
    operator: str
    before: str
    after: str

    def __str__(self):
        return f"{self.file}:{self.line}: {self.operator}\n  - {self.before.strip()}\n  + {self.after.strip()}"

    def made_in(self, text):
        lines = text.split("\n")
        assert lines[self.line - 1] == self.before
        lines[self.line - 1] = self.after
        return "\n".join(lines)


def blanked(line):
    """The line with blanks for what is in quotes and comments: as long as the line."""
    line = STRING.sub(lambda found: '"' + "_" * (len(found[0]) - 2) + '"', line)
    comment = line.find("//")
    return line if comment < 0 else line[:comment] + " " * (len(line) - comment)


def closing(line, opening):
    """Where the parenthesis is closed that is opened at a place; -1 if on another line."""
    depth = 0
    for at in range(opening, len(line)):
        depth += {"(": 1, ")": -1}.get(line[at], 0)
        if depth == 0:
            return at
    return -1


def changed_lines(line, before):
    """Pairs of an operator and the line as that leaves it; `before` is the line before it."""
    code = blanked(line)
    for operator, pairs in SWAPS.items():
        for old, new in pairs:
            at = code.find(old)
            while at >= 0:
                yield operator, line[:at] + new + line[at + len(old):]
                at = code.find(old, at + 1)
    for found in re.finditer(r"\b(if|while) (constexpr )?\(", code):
        end = closing(code, found.end() - 1)
        # A condition may declare what it tests.
        if end > 0 and not found[2] and " = " not in code[found.end():end] and ";" not in code[found.end():end]:
            yield "negate a condition", f"{line[:found.end()]}!({line[found.end():end]}){line[end:]}"
    for found in re.finditer(r"(?<![\w.'\"<\[])(\d+)(?![\w.'\]>])", code):
        for other in (int(found[1]) + 1, int(found[1]) - 1):
            if other >= 0:
                yield "a constant off by one", line[:found.start()] + str(other) + line[found.end():]
    begins = before.strip() == "" or before.rstrip().endswith((";", "{", "}", ")", "else", ":"))
    if begins and STATEMENT.match(code) and not NO_STATEMENT.match(code):
        yield "drop a statement", line[:len(line) - len(line.lstrip())] + "{}"
    function = FUNCTION.match(code)
    if function:
        yield "return at once", line + (" return;" if function["type"].endswith("void") else " return {};")


def changes_of(file, text):
    """All changes of a file, in its order."""
    found = []
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if LEFT_ALONE.match(line):
            continue
        for operator, after in changed_lines(line, lines[number - 2] if number > 1 else ""):
            found.append(Change(file, number, operator, line, after))
    return found


def read_equivalents(page):
    """What EQUIVALENT.md lists: pairs of a file, and of a line before and after, without blanks around."""
    known = set()
    file = ""
    for line in page.split("\n"):
        if line.startswith("## "):
            file = line[3:].strip()
        found = re.match(r"- `(.+?)` becomes `(.+?)`:", line)
        if found and file:
            known.add((file, found[1].strip(), found[2].strip()))
    return known
