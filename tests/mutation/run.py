#!/usr/bin/env python3
"""Changes the product at random lines, one change at a time, and lists what no test notices."""

import argparse
import os
import pathlib
import random
import re
import sys
import time

import changes
import tree

HERE = pathlib.Path(__file__).resolve().parent
ROOMS = ["judge", "explore", "memory", "race", "advice", "mu", "runtime", "litmus"]


def options():
    parser = argparse.ArgumentParser(prog="tests/run.sh --preset mutation --", description=__doc__)
    parser.add_argument("--changes", type=int, default=40, metavar="N", help="how many are tried (40)")
    parser.add_argument("--seed", type=int, default=int(time.time() / 86400), metavar="N",
                        help="which ones; without it others every day")
    parser.add_argument("--rooms", default=",".join(ROOMS), metavar="LIST", help=f"where ({','.join(ROOMS)})")
    parser.add_argument("--files", default="", metavar="REGEX", help="only in files whose path has this")
    parser.add_argument("--tests", default="", metavar="REGEX", help="ask only test programs whose path has this")
    parser.add_argument("--longest", type=int, default=60, metavar="S",
                        help="leave out test programs that take longer, in seconds (60)")
    parser.add_argument("--minutes", type=float, default=240, metavar="M", help="begin no change after so long (240)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="of the build (one a processor)")
    parser.add_argument("--copy", default=str(HERE.parents[1] / "build-mutation" / "tree"), metavar="DIR",
                        help="where the sources are changed (build-mutation/tree)")
    parser.add_argument("--configure-preset", default="mutation", metavar="NAME", help="how they are built (mutation)")
    parser.add_argument("--list", action="store_true", help="only print the changes that would be tried")
    return parser.parse_args()


def drawn(asked, made_in):
    """All changes that may be tried, in the order of the seed."""
    equivalent = changes.read_equivalents((HERE / "EQUIVALENT.md").read_text())
    possible = []
    for file in made_in.sources(asked.rooms.split(",")):
        if re.search(asked.files, file):
            possible += changes.changes_of(file, (made_in.copy / file).read_text())
    known = {(change.file, change.before.strip(), change.after.strip()) for change in possible}
    if not asked.files and asked.rooms == ",".join(ROOMS):
        for file, before, _ in sorted(equivalent - known):
            print(f"EQUIVALENT.md: {file} has no such line any more: {before}")
    possible = [c for c in possible if (c.file, c.before.strip(), c.after.strip()) not in equivalent]
    # Each operator as often as the others: there are many more constants than conditions.
    by_operator = {}
    for change in possible:
        by_operator.setdefault(change.operator, []).append(change)
    dice = random.Random(asked.seed)
    for of_one in by_operator.values():
        dice.shuffle(of_one)
    while any(by_operator.values()):
        operator = dice.choice(sorted(name for name, left in by_operator.items() if left))
        yield by_operator[operator].pop()


def programs_of(change, programs):
    """Test programs that have the file in them, those of its room first, and then the quick ones."""
    room = "/".join(pathlib.PurePath(change.file).parts[:2]).replace("emulator/", "tests/").replace("runtime/", "tests/runtime")
    asked = [name for name, files in programs.items() if change.file in files]
    return sorted(asked, key=lambda name: not name.startswith(room + "/"))


def who_notices(change, made_in, programs, quick_first):
    """The test program that fails, "" if none does; None if the change does not compile."""
    asked = programs_of(change, programs)
    for program in sorted((p for p in quick_first if p in asked), key=asked.index):
        made, _ = made_in.make(program)
        if not made:
            return None
        if not made_in.passes(program, 20 + 10 * made_in.seconds[program]):
            return program
    return ""


def main():
    asked = options()
    begun = time.monotonic()
    made_in = tree.Tree(HERE.parents[1], asked.copy, asked.configure_preset, asked.jobs)
    made_in.prepare()
    candidates = drawn(asked, made_in)
    if asked.list:
        for _, change in zip(range(asked.changes), candidates):
            print(change)
        return 0
    programs = {name: files for name, files in made_in.programs().items() if re.search(asked.tests, name)}
    touched = set(made_in.sources(asked.rooms.split(",")))
    quick_first = made_in.measure(sorted(name for name, files in programs.items() if files & touched), asked.longest)
    survived, noticed = [], 0
    for change in candidates:
        if noticed + len(survived) == asked.changes or time.monotonic() - begun > 60 * asked.minutes:
            break
        by = made_in.with_change(change, lambda: who_notices(change, made_in, programs, quick_first))
        if by is None:
            continue
        noticed += 1 if by else 0
        survived += [] if by else [change]
        print(f"{'noticed by ' + by if by else 'SURVIVED'}: {change}", flush=True)
    made_in.make(*quick_first)
    tried = noticed + len(survived)
    print(f"\nseed {asked.seed}: {noticed} of {tried} changes were noticed")
    for change in survived:
        print(f"survived: {change}")
    return 0 if tried > 0 and 10 * noticed >= 9 * tried else 1


if __name__ == "__main__":
    sys.exit(main())
