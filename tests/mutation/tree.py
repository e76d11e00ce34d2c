"""A copy of the sources with a build of its own: the tree that is worked on is never changed."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time


def linked(listed):
    """The programs of tests in what `ninja -t targets all` lists, without what is made along with them."""
    return re.findall(r"^(tests/\S+)(?<!\.cmake): CXX_EXECUTABLE_LINKER", listed, re.M)


class Tree:
    def __init__(self, root, copy, preset, jobs):
        self.root = pathlib.Path(root)
        self.copy = pathlib.Path(copy)
        self.preset = preset
        self.jobs = jobs
        self.build = None
        self.seconds = {}  # of each test program, unchanged

    def prepare(self):
        """Brings the copy to what the tree has, whatever was left of it, and configures it."""
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=self.root,
                                check=True, capture_output=True, text=True).stdout
        wanted = {name for name in listed.split("\0") if name and (self.root / name).is_file()}
        self.copy.mkdir(parents=True, exist_ok=True)
        for name in wanted:
            source, target = self.root / name, self.copy / name
            if target.is_file() and target.read_bytes() == source.read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            # With a new time, so that it is built again.
            shutil.copyfile(source, target)
            shutil.copymode(source, target)
        configured = subprocess.run(["cmake", "--preset", self.preset], cwd=self.copy, capture_output=True, text=True)
        if configured.returncode != 0:
            raise SystemExit(configured.stdout + configured.stderr)
        self.build = pathlib.Path(re.search(r"Build files have been written to: (.*)", configured.stdout)[1])

    def sources(self, rooms):
        """The files of the rooms, sorted: those of folders within a room, too."""
        found = []
        for room in rooms:
            base = self.copy / ("runtime" if room == "runtime" else f"emulator/{room}")
            if not base.is_dir():
                raise SystemExit(f"tests/mutation: there is no room {room}")
            found += [path for path in base.rglob("*") if path.suffix in (".cpp", ".h")]
        return sorted(str(path.relative_to(self.copy)) for path in found)

    def ninja(self, *arguments):
        return subprocess.run(["ninja", "-C", str(self.build), *arguments], capture_output=True, text=True)

    def programs(self):
        """The test programs, and of each the sources of which it is made, with all that these include."""
        names = linked(self.ninja("-t", "targets", "all").stdout)
        return {name: self.included(self.inputs(name)) for name in names if self.has_main_of_tests(name)}

    def inputs(self, name):
        found = self.ninja("-t", "inputs", name).stdout.split("\n")
        paths = [path if os.path.isabs(path) else str(self.build / path) for path in found]
        prefix = str(self.copy) + "/"
        return {path[len(prefix):] for path in paths if path.startswith(prefix) and path.endswith(".cpp")}

    def has_main_of_tests(self, name):
        return "tests/test_main.cpp" in self.inputs(name)

    def included(self, files):
        all_files, left = set(), list(files)
        while left:
            file = left.pop()
            if file in all_files or not (self.copy / file).is_file():
                continue
            all_files.add(file)
            text = (self.copy / file).read_text()
            for header in re.findall(r'^#include [<"]([\w/.]+)[>"]', text, re.M):
                left += [header, f"include/{header}"]
        return all_files

    def make(self, *targets):
        """Whether they could be built, and what was said."""
        made = self.ninja(f"-j{self.jobs}", *targets)
        return made.returncode == 0, made.stdout + made.stderr

    def passes(self, program, seconds):
        """Whether the program's tests pass within the time."""
        with subprocess.Popen([str(self.build / program), "--abort"], cwd=(self.build / program).parent,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as running:
            try:
                return running.wait(seconds) == 0
            except subprocess.TimeoutExpired:
                return False
            finally:
                # It may have started others.
                try:
                    os.killpg(running.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass

    def measure(self, programs, longest):
        """Builds and runs the programs unchanged; returns those that pass within `longest` seconds, the quick ones first."""
        made, said = self.make(*programs)
        if not made:
            raise SystemExit(said)
        memory = self.build / "mutation_seconds.json"
        known = json.loads(memory.read_text()) if memory.is_file() else {}
        for program in programs:
            stamp = (self.build / program).stat().st_mtime_ns
            if known.get(program, [0])[0] != stamp:
                begun = time.monotonic()
                passed = self.passes(program, longest)
                known[program] = [stamp, time.monotonic() - begun if passed else None]
            if known[program][1] is None:
                print(f"{program} is left out: unchanged, it fails or takes more than {longest} s", flush=True)
            else:
                self.seconds[program] = known[program][1]
        memory.write_text(json.dumps(known))
        return sorted((program for program in programs if program in self.seconds), key=self.seconds.get)

    def with_change(self, change, look):
        """What `look()` returns while the change is made in the copy."""
        path = self.copy / change.file
        text = path.read_text()
        path.write_text(change.made_in(text))
        try:
            return look()
        finally:
            path.write_text(text)
