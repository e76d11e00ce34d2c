"""`heddle invocations` says where the invocations of the running workgroups stand; `heddle invocation 3 1` chooses one.

Loaded after heddle-gdb.py. What is read is the runtime's: the worker of each thread, its workgroups, their slots or ring.
Nothing is written: the frames of the chosen invocation are shown as the callers of the outermost frame of its thread, and
no longer once the program goes on.
"""
import gdb
import gdb.unwinder
import re


def coordinates_text(xyz):
    return "(%d,%d,%d)" % tuple(xyz)


def of_vector(value):
    return [int(value[c]) for c in "xyz"]


def place_text(where):
    file = where["file"].string() if where["file"] else "?"
    return "%s:%d" % (file.rsplit("/", 1)[-1], int(where["line"]))


class Stand:
    """Where an invocation stands: its state, in words, and its suspended stack, if it has one."""

    def __init__(self, state, stack=0, place=""):
        self.state, self.stack, self.place = state, stack, place


class RunningWorkgroup:
    """A workgroup that is resident on a thread."""

    # The words for a WaitKind.
    waits = {"WorkgroupBarrier": "waiting at a barrier", "NamedBarrier": "waiting at a named barrier",
             "Subgroup": "waiting at a subgroup operation", "Round": "waiting at a round barrier", "Poll": "polling", "Preempted": "may go on"}

    def __init__(self, thread, worker, group):
        self.thread, self.worker, self.group = thread, worker, group
        self.id = of_vector(group["id"])
        grid = group["grid"].dereference()
        self.groups, self.local = of_vector(grid["groups"]), of_vector(grid["local"])
        self.base = of_vector(grid["base"])
        self.size = int(group["size"])
        self.is_running = int(worker["now_"]["group"]) == int(group.address)

    def global_of(self, index):
        x, y, _ = self.local
        local = (index % x, index // x % y, index // (x * y))
        return [i * n + l for i, n, l in zip(self.id, self.local, local)]

    def index_of(self, xyz):
        """The index of the invocation of these global coordinates; None if it is none of this workgroup."""
        if [g // n for g, n in zip(xyz, self.local)] != self.id:
            return None
        x, y, z = [g % n for g, n in zip(xyz, self.local)]
        return x + self.local[0] * (y + self.local[1] * z)

    def range_text(self):
        return "%s to %s" % (coordinates_text(self.global_of(0)), coordinates_text(self.global_of(self.size - 1)))

    def running_index(self):
        """The index of the invocation that the thread is in; None where that is not known, or there is none."""
        noted = self.noted_index()
        if noted is not None or not self.is_running or self.group["waited"]:
            return noted
        found = invocation_among(frames_of_thread())
        return int(found["index_"]) if found is not None else None

    def noted_index(self):
        """As running_index, as far as the runtime keeps note of it."""
        if not self.is_running:
            return None
        if self.group["in_ring"]:
            ring = self.worker["turns_"]["ring_"]
            return int(ring["current"] - ring["begin"])
        if self.group["waited"]:
            slot = self.worker["now_"]["slot"]
            return int(slot - self.group["begin"]) if slot else None
        # Plain calls, one after the other: natively nobody counts them.
        noted = int(self.group["running"])
        return noted if noted < self.size else None

    def stand_of(self, index):
        running = self.running_index()
        if index == running:
            return Stand("running")
        if not self.group["waited"]:
            if running is None:
                return Stand("at its beginning, or at its end")
            return Stand("ended" if index < running else "not begun")
        return self.stand_in_ring(index, running) if self.group["in_ring"] else self.stand_of_slot(index)

    def stand_in_ring(self, index, running):
        ring = self.worker["turns_"]["ring_"]
        came = index < running if int(ring["step"]) > 0 else index > running
        line = int(ring["line"])
        if came and line in (0, 0x7fffffff):
            return Stand("ended")
        if not came and self.group["first_turn"]:
            return Stand("not begun")
        stack = int(ring["begin"][index])
        if not came:
            return Stand("may go on", stack)
        what = "Subgroup" if line >> 31 else "WorkgroupBarrier"
        file = ring["file"].string().rsplit("/", 1)[-1] if ring["file"] else "?"
        return Stand(self.waits[what], stack, "%s:%d" % (file, line & 0x7fffffff))

    def stand_of_slot(self, index):
        slot = self.group["begin"][index]
        state = str(slot["state"]).rsplit("::", 1)[-1]
        if state != "Started":
            return Stand("ended" if state == "Finished" else "not begun")
        stack = int(slot["context"])
        barrier = self.group["barrier"]
        if int(slot["phase"]) == int(barrier["phase"].address):
            if int(slot["seen"]) != int(barrier["phase"]):
                return Stand("may go on", stack, place_text(barrier["where"]))
            return Stand(self.waits["WorkgroupBarrier"], stack, place_text(barrier["where"]))
        wait = str(slot["wait"]).rsplit("::", 1)[-1]
        can_go_on = int(slot["phase"].dereference()) != int(slot["seen"])
        words = "may go on" if can_go_on and wait != "Poll" else self.waits.get(wait, "waiting")
        return Stand(words, stack, place_text(slot["where"]) if int(slot["where"]["line"]) else "")


def of_std_vector(vector):
    begin, end = vector["_M_impl"]["_M_start"], vector["_M_impl"]["_M_finish"]
    return [begin[i] for i in range(int(end - begin))]


def frames_of_thread():
    """The frames of the selected thread, without those of a chosen invocation."""
    frame = gdb.newest_frame()
    while frame is not None and not ChosenInvocation.begins_at(frame):
        yield frame
        frame = frame.older()


def invocation_among(frames):
    for _, frame in zip(range(64), frames):
        found = invocation_in(frame)
        if found is not None:
            return found
    return None


def worker_here():
    """The worker of the selected thread, if it is in a dispatch."""
    # In quotes: what the name means must not depend on the code that the thread is in.
    worker = gdb.parse_and_eval("'heddle::runtime::worker_of_thread'")
    return worker if int(worker) and int(worker["now_"]["dispatch"]) else None


def running_coordinates():
    """The global coordinates of the invocation that the selected thread is in, as far as the runtime keeps note of it."""
    worker = worker_here()
    if worker is None or not int(worker["now_"]["group"]):
        return None
    group = RunningWorkgroup(gdb.selected_thread(), worker, worker["now_"]["group"].dereference())
    index = group.noted_index()
    return group.global_of(index) if index is not None else None


def running_workgroups():
    """The workgroups of all threads that run kernels, those of the selected thread first."""
    here = gdb.selected_thread()
    if here is None:
        raise gdb.GdbError("The program is not being run.")
    frame = gdb.selected_frame()
    found = []
    try:
        for thread in sorted(gdb.selected_inferior().threads(), key=lambda t: (t.num != here.num, t.num)):
            thread.switch()
            worker = worker_here()
            if worker is not None:
                for group in of_std_vector(worker["residents_"]["all_"]):
                    found.append(RunningWorkgroup(thread, worker, group.dereference()))
    finally:
        here.switch()
        frame.select()
    if not found:
        raise gdb.GdbError("No kernel runs.")
    return found


# --- The frames of a stack that is suspended ---


class FrameId:
    def __init__(self, sp, pc):
        self.sp, self.pc = sp, pc


class ChosenInvocation(gdb.unwinder.Unwinder):
    """Shows the stack of a suspended invocation behind the outermost frame of the thread that keeps it."""

    # Of the chosen one: (thread, workgroup, index); the frame it is shown behind; its registers where it will go on.
    chosen = None
    behind = None
    registers = None

    def __init__(self):
        super().__init__("heddle-invocation")

    def __call__(self, pending):
        if self.registers is None or gdb.selected_thread().num != self.chosen[0]:
            return None
        pc, sp = pending.read_register("rip"), pending.read_register("rsp")
        if (int(sp), int(pc)) != self.behind:
            return None
        info = pending.create_unwind_info(FrameId(sp, pc))
        for name, number in self.registers.items():
            info.add_saved_register(name, gdb.Value(number).cast(pending.read_register(name).type))
        return info

    @classmethod
    def begins_at(cls, frame):
        return cls.registers is not None and int(frame.read_register("rsp")) == cls.registers["rsp"]

    @classmethod
    def forget(cls, *_):
        if cls.chosen is not None:
            cls.chosen = cls.behind = cls.registers = None
            gdb.invalidate_cached_frames()

    @classmethod
    def choose(cls, workgroup, index, stack):
        """Selects the frame of the innermost line of the user on that stack."""
        cls.forget()
        workgroup.thread.switch()
        cls.behind = cls.outermost()
        registers = cls.saved(stack)
        registers["rbx"] = int(workgroup.worker["turns_"]["ring_"].address)
        cls.chosen = (workgroup.thread.num, workgroup.id, index)
        cls.registers = registers
        gdb.invalidate_cached_frames()
        first = cls.first_frame()
        if first is None:
            cls.forget()
            raise gdb.GdbError("gdb cannot show the stack of this invocation")
        (line_of_user(first) or first).select()

    @classmethod
    def first_frame(cls):
        frame = gdb.newest_frame()
        while frame is not None and not cls.begins_at(frame):
            frame = frame.older()
        return frame

    @classmethod
    def frame_to_step(cls):
        """The frame of the chosen invocation that `step` goes on from; None if none is chosen, or a frame of the thread is."""
        first = cls.first_frame() if cls.registers is not None else None
        return line_of_user(first) if first is not None and gdb.selected_frame().level() >= first.level() else None

    @staticmethod
    def outermost():
        """The last frame behind which gdb looks for more: not so `main`, and where the stack of a fiber has its end."""
        frame, last = gdb.newest_frame(), gdb.newest_frame()
        while frame is not None and frame.name() != "main" and frame.pc() != 0:
            if frame.type() != gdb.INLINE_FRAME:
                last = frame
            frame = frame.older()
        return int(last.read_register("rsp")), int(last.read_register("rip"))

    @staticmethod
    def saved(stack):
        """What swap_context (heddle/detail/switch.h) has pushed, and the stack pointer when all that is popped."""
        word = gdb.lookup_type("unsigned long").pointer()
        words = gdb.Value(stack).cast(word)
        pc = int(words[0])
        if "heddle_switch_keeping" in gdb.execute("info symbol %d" % pc, to_string=True):
            names = ("rbp", "r12", "r13", "r14", "r15", "rip")
            registers = {name: int(words[i + 1]) for i, name in enumerate(names)}
            return dict(registers, rsp=stack + 56)
        # The next instruction pops rbp, which the debug information of the function around does not know.
        pops = gdb.selected_inferior().read_memory(pc, 1)[0] == b"\x5d"
        return {"rip": pc + 1, "rbp": int(words[1]), "rsp": stack + 16} if pops else {"rip": pc, "rsp": stack + 8}


class FromTheChosenOn:
    """A backtrace begins with the chosen invocation."""

    name, priority, enabled = "heddle-invocation", 100, True

    def filter(self, frames):
        if ChosenInvocation.registers is None:
            return frames
        frames = list(frames)
        levels = [i for i, one in enumerate(frames) if ChosenInvocation.begins_at(one.inferior_frame())]
        return iter(frames[levels[0]:] if levels else frames)


# --- The commands ---


class HeddleCommand(gdb.Command):
    """Where the invocations of heddle's kernels stand."""

    def __init__(self):
        super().__init__("heddle", gdb.COMMAND_STACK, gdb.COMPLETE_NONE, True)


def needs_x86_64():
    if "x86-64" not in gdb.selected_frame().architecture().name():
        raise gdb.GdbError("invocations can be chosen on x86-64 alone")


def named_workgroup(group):
    return "workgroup %s" % coordinates_text(group.id)


class InvocationCommand(gdb.Command):
    """Chooses an invocation that waits, by its global coordinates: heddle invocation 3 1

    Its frame is the selected one: print, info locals, up and backtrace are about it. y and z are 0 if they are not said.
    Without coordinates: says which invocation is the selected one. Once the program goes on, it is the running one again."""

    def __init__(self):
        super().__init__("heddle invocation", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        words = gdb.string_to_argv(argument)
        groups = running_workgroups()
        if not words:
            return self.say(groups)
        try:
            xyz = [int(gdb.parse_and_eval(word)) for word in words]
        except gdb.error as error:
            raise gdb.GdbError("global coordinates are one to three numbers: heddle invocation 3 1 (%s)" % error)
        if len(xyz) > 3:
            raise gdb.GdbError("global coordinates are one to three numbers: heddle invocation 3 1")
        needs_x86_64()
        self.choose(groups, xyz + [0] * (3 - len(xyz)))

    @staticmethod
    def choose(groups, xyz):
        first = [b * l for b, l in zip(groups[0].base, groups[0].local)]
        end = [i + n * l for i, n, l in zip(first, groups[0].groups, groups[0].local)]
        if any(not f <= i < n for f, i, n in zip(first, xyz, end)):
            raise gdb.GdbError("there is no invocation %s: this dispatch has %s to %s" %
                               (coordinates_text(xyz), coordinates_text(first), coordinates_text([n - 1 for n in end])))
        for group in groups:
            index = group.index_of(xyz)
            if index is None:
                continue
            stand = group.stand_of(index)
            if stand.state == "running":
                ChosenInvocation.forget()
                group.thread.switch()
                (line_of_user(gdb.newest_frame()) or gdb.newest_frame()).select()
            elif not stand.stack:
                raise gdb.GdbError("invocation %s has no stack now: %s. `heddle invocations` says where the others stand" %
                                   (coordinates_text(xyz), stand.state))
            else:
                ChosenInvocation.choose(group, index, stand.stack)
            return show_selected(group, index, stand)
        raise gdb.GdbError("invocation %s is in a workgroup that does not run now; these do: %s" %
                           (coordinates_text(xyz), ", ".join(group.range_text() for group in groups)))

    @staticmethod
    def say(groups):
        if ChosenInvocation.chosen is not None:
            thread, id_, index = ChosenInvocation.chosen
            if thread == gdb.selected_thread().num:
                for group in groups:
                    if group.thread.num == thread and group.id == id_:
                        return show_selected(group, index, group.stand_of(index), False)
        for group in groups:
            if group.thread.num == gdb.selected_thread().num and group.running_index() is not None:
                return show_selected(group, group.running_index(), Stand("running"), False)
        print("This thread is in no invocation, or in one that the compiler has left no trace of.")


def show_selected(group, index, stand, with_frame=True):
    print("Invocation %s of %s, %s" % (coordinates_text(group.global_of(index)), named_workgroup(group), stand.state))
    if with_frame:
        gdb.execute("frame")


class InvocationsCommand(gdb.Command):
    """Where the invocations of the workgroups that run now stand: one line for all that stand at one place."""

    def __init__(self):
        super().__init__("heddle invocations", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        groups = running_workgroups()
        selected = gdb.selected_frame()
        for group in groups:
            thread = ", thread %d" % group.thread.num if len(gdb.selected_inferior().threads()) > 1 else ""
            print("%s: %s%s" % (named_workgroup(group), group.range_text(), thread))
            at = {}
            for index in range(group.size):
                stand = group.stand_of(index)
                at.setdefault((stand.state, stand.place), []).append(index)
            for (state, place), indices in at.items():
                print("  %4d %s%s: %s" % (len(indices), state, ", " + place if place else "", self.ranges(group, indices)))
        selected.select()

    @staticmethod
    def ranges(group, indices):
        ranges = []
        for index in indices:
            if ranges and ranges[-1][1] == index - 1:
                ranges[-1][1] = index
            else:
                ranges.append([index, index])
        texts = [coordinates_text(group.global_of(first)) +
                 (" to " + coordinates_text(group.global_of(last)) if last != first else "") for first, last in ranges[:8]]
        return ", ".join(texts) + (", and more" if len(ranges) > 8 else "")


if not hasattr(gdb, "heddle_invocations_are_loaded"):
    gdb.heddle_invocations_are_loaded = True
    gdb.unwinder.register_unwinder(None, ChosenInvocation(), True)
    gdb.frame_filters["heddle-invocation"] = FromTheChosenOn()
    gdb.heddle_running = running_coordinates
    gdb.heddle_chosen = ChosenInvocation
    gdb.events.cont.connect(ChosenInvocation.forget)
    gdb.events.exited.connect(ChosenInvocation.forget)
    HeddleCommand()
    InvocationCommand()
    InvocationsCommand()
