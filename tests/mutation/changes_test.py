"""Whether changes of meaning are what their operators say."""

import os
import pathlib
import tempfile
import unittest

import changes
import tree

SOURCE = """\
#include <vector>
// if (a && b) return true;
bool is_last(int i, int count) {
  HEDDLE_CHECK(i >= 0, "a && b");
  if (i + 1 == count && text() != "a < b") return true;  // i < 3
  while (next(i)) {
    note(i);
    if (i < 7) break;
  }
  return false;
}
"""


class ChangesTest(unittest.TestCase):
    def changed(self, operator):
        return [change.after.strip() for change in changes.changes_of("a.cpp", SOURCE) if change.operator == operator]

    def test_each_operator_changes_one_place_of_code_and_none_of_comments_strings_and_checks(self):
        condition = 'if (i + 1 == count && text() != "a < b") return true;  // i < 3'
        self.assertEqual(self.changed("swap && and ||"), [condition.replace("&&", "||")])
        self.assertEqual(self.changed("turn a comparison"),
                         [condition.replace("==", "!="), condition.replace("!=", "==")])
        self.assertEqual(self.changed("swap + and -"), [condition.replace("+", "-")])
        self.assertEqual(self.changed("turn a result"), [condition.replace("true", "false"), "return true;"])
        self.assertEqual(self.changed("move a boundary"), ["if (i <= 7) break;"])
        self.assertEqual(self.changed("swap break and continue"), ["if (i < 7) continue;"])
        self.assertEqual(self.changed("drop a statement"), ["{}"])
        self.assertEqual(self.changed("negate a condition"),
                         ['if (!(i + 1 == count && text() != "a < b")) return true;  // i < 3',
                          "while (!(next(i))) {", "if (!(i < 7)) break;"])
        self.assertEqual(self.changed("return at once"), ["bool is_last(int i, int count) { return {};"])
        self.assertEqual(self.changed("a constant off by one"),
                         [condition.replace("+ 1", "+ 2"), condition.replace("+ 1", "+ 0"), "if (i < 8) break;",
                          "if (i < 6) break;"])

    def test_a_change_is_of_its_line_alone(self):
        for change in changes.changes_of("a.cpp", SOURCE):
            before, after = SOURCE.split("\n"), change.made_in(SOURCE).split("\n")
            different = [i + 1 for i in range(len(before)) if before[i] != after[i]]
            self.assertEqual((len(before), different), (len(after), [change.line]))

    def test_what_the_page_lists_is_read_with_its_file(self):
        page = "# T\n\n## a/b.cpp\n\n- `if (a) b();` becomes `if (!(a)) b();`: why.\n"
        self.assertEqual(changes.read_equivalents(page), {("a/b.cpp", "if (a) b();", "if (!(a)) b();")})

    def test_what_is_made_along_with_a_test_program_is_none(self):
        listed = ("tests/a/a_tests: CXX_EXECUTABLE_LINKER__a_Quick\ntests/a/a_tests_tests-1.cmake: CXX_EXECUTABLE_LINKER__a_Quick\n"
                  "tests/a/a.cpp.o: CXX_COMPILER__a_Quick\n")
        self.assertEqual(tree.linked(listed), ["tests/a/a_tests"])

    def test_a_changed_file_is_as_it_was_whatever_happens_while_it_is_changed(self):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / "a.cpp"
            path.write_text(SOURCE)
            made_in = tree.Tree(directory, directory, "", 1)
            change = changes.changes_of("a.cpp", SOURCE)[0]

            def fail():
                self.assertEqual(path.read_text(), change.made_in(SOURCE))
                raise KeyboardInterrupt

            with self.assertRaises(KeyboardInterrupt):
                made_in.with_change(change, fail)
            self.assertEqual(path.read_text(), SOURCE)

    def test_a_program_that_does_not_end_passes_no_test(self):
        with tempfile.TemporaryDirectory() as directory:
            for name, text in {"ends": "exit 0", "fails": "exit 1", "hangs": "sleep 100"}.items():
                path = pathlib.Path(directory) / name
                path.write_text(f"#!/bin/sh\n{text}\n")
                os.chmod(path, 0o755)
            made_in = tree.Tree(directory, directory, "", 1)
            made_in.build = pathlib.Path(directory)
            self.assertEqual([made_in.passes("ends", 60), made_in.passes("fails", 60), made_in.passes("hangs", 0.2)],
                             [True, False, False])


if __name__ == "__main__":
    unittest.main()
