"""Types commands to gdb in a terminal, as a person does.

usage: typed.py COMMAND REGEX [COMMAND REGEX ...] -- gdb ARGUMENTS...

Waits for a prompt, types a command, waits until what gdb prints from then on has REGEX, and so on. Prints all of it; ends
with 1 if gdb is at its end before, or says nothing for two minutes.
"""

import os
import pty
import re
import select
import sys

at = sys.argv.index("--")
words, program = sys.argv[1:at], sys.argv[at + 1:]
child, terminal = pty.fork()
if child == 0:
    os.environ["TERM"] = "dumb"
    os.execvp(program[0], program)


def wait_for(regex):
    said = ""
    while not re.search(regex, said):
        ready, _, _ = select.select([terminal], [], [], 120)
        try:
            bytes_read = os.read(terminal, 1 << 16) if ready else b""
        except OSError:
            bytes_read = b""
        if not bytes_read:
            print("\ntyped.py: waited in vain for: " + regex)
            os.kill(child, 9)
            sys.exit(1)
        text = bytes_read.decode(errors="replace").replace("\r", "")
        sys.stdout.write(text)
        said += text


wait_for(r"\(gdb\) ")
for command, regex in zip(words[::2], words[1::2]):
    os.write(terminal, (command + "\n").encode())
    wait_for(regex)
os.kill(child, 9)
