"""How gdb shows heddle's buffers, arrays, references, vectors and pointers, in either mode; and `step` does not go into heddle.

The library carries this text in its section .debug_gdb_scripts, from where gdb loads it if `auto-load safe-path` has the
program. Of emulated memory the bytes are shown that the device has: what an invocation has written, and a weak memory
holds back, is not among them.
"""
import gdb
import gdb.printing
import gdb.xmethod
import re


def string_view(view):
    return view["_M_str"].string(length=int(view["_M_len"])) if view["_M_str"] else ""


class Elements:
    """An array: `size` elements of a type, from an address on."""

    def __init__(self, title, element, address, size):
        self.title, self.element, self.address, self.size = title, element, address, size

    def to_string(self):
        return self.title

    def children(self):
        if not self.address:
            return
        pointer = gdb.Value(self.address).cast(self.element.unqualified().pointer())
        for i in range(self.size):
            yield "[%d]" % i, pointer[i]

    def display_hint(self):
        return "array"


class Text:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return str(self.value)


def address_of_place(place):
    binding = place["binding"]
    return int(binding["allocation"]["bytes"]) + int(binding["offset_bytes"]) + int(place["offset_bytes"])


def at(address, type_):
    return gdb.Value(address).cast(type_.unqualified().pointer()).dereference()


def named(name, what):
    return "%s '%s'" % (what, name) if name else what


def owned(value):
    """The allocation of a buffer or an image; None if there is none."""
    shared = value["owner_"]["shared_"]
    return shared["allocation"].dereference() if shared else None


def buffer(value):
    allocation = owned(value)
    if allocation is None:
        return Text("buffer that was never made, or was moved from")
    title = named(allocation["name"].format_string().strip('"'), "buffer")
    if allocation["freed"]:
        return Text(title + ", freed")
    size = int(value["size_"])
    return Elements("%s of %d" % (title, size), value.type.template_argument(0), int(allocation["bytes"]), size)


def image(value):
    allocation = owned(value)
    if allocation is None:
        return Text("image that was never made, or was moved from")
    extent = [int(value["extent_"][c]) for c in "xyz"]
    title = named(allocation["name"].format_string().strip('"'), "image") + " of %d x %d x %d" % tuple(extent)
    if allocation["freed"]:
        return Text(title + ", freed")
    size = extent[0] * extent[1] * extent[2]
    return Elements(title, value.type.template_argument(0), int(allocation["bytes"]), size)


def native_array(value):
    size = int(value["size_"])
    return Elements("%d elements" % size, value.type.template_argument(0), int(value["memory_"]), size)


def emulated_array(value):
    place = value["place_"]
    size = int(value["size_"])
    title = named(string_view(place["binding"]["name"]), "array") + " of %d" % size
    return Elements(title, value.type.template_argument(0), address_of_place(place), size)


def native_reference(value):
    return Text(at(int(value["memory_"]), value.type.template_argument(0)))


def emulated_reference(value):
    return Text(at(address_of_place(value["place_"]), value.type.template_argument(0)))


def reference(value):
    """A variable or an element: a reference with operators."""
    while re.match(r"heddle::detail::(Variable|Element|WithMembers|Fields)<", value.type.strip_typedefs().unqualified().tag):
        first = value.type.fields()[0]
        value = value.cast(first.type) if first.is_base_class else value["whole_"]["ref"]
    tag = value.type.strip_typedefs().unqualified().tag
    return emulated_reference(value) if tag.startswith("heddle::emulated::") else native_reference(value)


def native_pointer(value):
    return Text(value["memory_"])


def emulated_pointer(value):
    return Text(gdb.Value(int(value["address_"])).cast(value.type.template_argument(0).pointer()))


class Vector:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        n = int(self.value.type.template_argument(1))
        return "(" + ", ".join(str(self.value[c]) for c in "xyzw"[:n]) + ")"


def printer(value):
    type_ = value.type.strip_typedefs().unqualified()
    tag = type_.tag or ""
    for pattern, make in printer.makers:
        if pattern.match(tag):
            try:
                return make(value)
            except gdb.error as error:
                # Optimized out, say.
                return Text("<%s>" % error)
    return None


printer.makers = [(re.compile("^heddle::" + pattern), make) for pattern, make in [
    (r"vectors::Vec<.*>$", Vector),
    (r"Buffer<.*>$", buffer),
    (r"Image<.*>$", image),
    (r"detail::(Variable|Element)<.*>$", reference),
    (r"native::Array<.*>$", native_array),
    (r"emulated::Array<.*>$", emulated_array),
    (r"native::Ref<.*>$", native_reference),
    (r"emulated::Ref<.*>$", emulated_reference),
    (r"native::Pointer<.*>$", native_pointer),
    (r"emulated::Pointer<.*>$", emulated_pointer),
]]

# --- x[700] ---


class ElementWorker(gdb.xmethod.XMethodWorker):
    """One element of a buffer, an array or an image, in the expressions of gdb."""

    def __init__(self, make):
        self.make = make

    def get_arg_types(self):
        return gdb.lookup_type("long")

    def elements_of(self, value):
        if value.type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            value = value.referenced_value()
        elif value.type.code == gdb.TYPE_CODE_PTR:
            value = value.dereference()
        return self.make(value)

    def get_result_type(self, value, index):
        return self.elements_of(value).element

    def __call__(self, value, index):
        elements = self.elements_of(value)
        if not isinstance(elements, Elements) or not elements.address:
            raise gdb.GdbError("it has no elements now")
        if not 0 <= int(index) < elements.size:
            raise gdb.GdbError("element %d of %s" % (int(index), elements.title))
        return gdb.Value(elements.address).cast(elements.element.unqualified().pointer())[int(index)]


class ElementMatcher(gdb.xmethod.XMethodMatcher):
    def __init__(self):
        super().__init__("heddle")
        self.methods = [gdb.xmethod.XMethod("elements")]

    def match(self, class_type, name):
        if name != "operator[]":
            return None
        tag = class_type.strip_typedefs().unqualified().tag or ""
        for pattern, make in printer.makers:
            if make in (buffer, native_array, emulated_array) and pattern.match(tag):
                return ElementWorker(make)
        return None


# --- Which invocation it is ---


def is_users(symtab):
    """Whether a file is none of heddle's headers, of its library, or of the standard library."""
    path = symtab.fullname()
    return not re.search(r"/include/(heddle|c\+\+|x86_64|aarch64)|/heddle/detail/|/runtime/[a-z_]+\.(cpp|h)$|/usr/", path)


def invocation_in(frame):
    """The invocation that a frame has as a variable, which kernels call `inv`, mostly; None if it has none."""
    try:
        block = frame.block()
    except RuntimeError:
        return None
    while block and not block.is_global and not block.is_static:
        for symbol in block:
            if not (symbol.is_argument or symbol.is_variable):
                continue
            type_ = symbol.type.strip_typedefs()
            if type_.code == gdb.TYPE_CODE_REF:
                type_ = type_.target().strip_typedefs()
            if re.match("heddle::(native|emulated)::Invocation$", type_.unqualified().tag or ""):
                try:
                    value = frame.read_var(symbol, block)
                    if value.type.code == gdb.TYPE_CODE_REF:
                        value = value.referenced_value()
                    value.fetch_lazy()
                    return value
                except (gdb.error, RuntimeError):
                    # Optimized out.
                    pass
        block = block.superblock
    return None


def running_invocation():
    frame = gdb.selected_frame()
    for _ in range(64):
        if frame is None:
            return None
        found = invocation_in(frame)
        if found is not None:
            return found
        frame = frame.older()
    return None


class IsInvocation(gdb.Function):
    """Whether the invocation that runs is the one of these global coordinates: $heddle_is(3), $heddle_is(3, 1, 0).

    For the condition of a breakpoint: break kernel.cpp:12 if $heddle_is(3, 1)"""

    def __init__(self):
        super().__init__("heddle_is")

    def invoke(self, x, y=0, z=0):
        found = running_invocation()
        try:
            running = [int(found["global_"][c]) for c in "xyz"] if found is not None else None
        except gdb.error:
            # Optimized out.
            running = None
        return (running or gdb.heddle_running()) == [int(x), int(y), int(z)]


# --- step and next ---


def stands_in_line_of_user(frame):
    symtab = frame.find_sal().symtab
    return symtab and is_users(symtab)


def line_of_user(frame):
    """The frame, or the innermost of its callers, that stands in a line of the user; None if none does."""
    while frame is not None and not stands_in_line_of_user(frame):
        frame = frame.older()
    return frame


def inlined_line_of_user(frame):
    """As line_of_user, of calls that were inlined alone: all is the code of one function."""
    while frame is not None and not stands_in_line_of_user(frame):
        frame = frame.older() if frame.type() == gdb.INLINE_FRAME else None
    return frame


def physical(frame):
    """The frame of the function that the frame's code is in, through all calls that were inlined."""
    while frame.type() == gdb.INLINE_FRAME:
        frame = frame.older()
    return frame


class StepStop(gdb.Breakpoint):
    """A place at which a step may have come to its end."""

    def __init__(self, address, step):
        super().__init__("*%d" % address, internal=True)
        self.silent = True
        self.step = step


class LineStop(StepStop):
    """Stops where the code of a step may come to another line of the user."""

    def stop(self):
        try:
            frame = gdb.newest_frame()
            if not self.step.is_on_stack(frame):
                return False
            frame = inlined_line_of_user(frame)
            return frame is not None and frame.find_sal().line != self.step.line
        except (gdb.error, RuntimeError):
            return False


class EndStop(StepStop):
    """Stops where the function of a step has returned to."""

    def stop(self):
        return 0 < int(gdb.newest_frame().read_register("sp")) - self.step.stack < KernelStep.kFrame


class KernelStep:
    """Where `step` and `next` go on to another invocation, or into heddle, this comes back to the one that was stepped.

    An invocation keeps its stack, and the function of its kernel the place in it: the stack pointer tells whose it is.
    Optimized code moves it a little, for the arguments of a call.
    """

    before = None
    event = None
    # What is to be done once the program stops. Where a person types, gdb goes on before that.
    then = None
    # What a frame may have at most, and what is pushed for a call.
    kFrame, kPushed = 1 << 16, 128
    # By the first address of a function: where other lines may begin.
    known = {}

    def __init__(self, frame):
        self.line = frame.find_sal().line
        frame = physical(frame)
        self.stack, self.pc = int(frame.read_register("sp")), frame.pc()
        self.block = frame.block()
        while self.block.function is None:
            self.block = self.block.superblock
        self.caller = frame.older().pc() if frame.older() else None

    @classmethod
    def stopped(cls, event):
        cls.event = event
        then, cls.then = cls.then, None
        if then is not None:
            gdb.post_event(lambda: then(event))

    @classmethod
    def begins(cls):
        cls.before = cls.event = None
        try:
            # The one that `heddle invocation` chose, or the running one, whatever caller of it is selected.
            frame = gdb.heddle_chosen.frame_to_step() or inlined_line_of_user(gdb.newest_frame())
            if frame is not None and cls.is_of_kernel(frame):
                cls.before = cls(frame)
        except (gdb.error, RuntimeError):
            pass

    @classmethod
    def ended(cls):
        step, cls.before = cls.before, None
        if step is None:
            return
        cls.once_stopped(step.finish)

    @classmethod
    def once_stopped(cls, then):
        if gdb.selected_thread() and gdb.selected_thread().is_running():
            cls.then = then
        else:
            then(cls.event)

    def finish(self, event):
        """Once the program has stopped, by `event`."""
        try:
            # A breakpoint or a signal of whoever it was is where a person wants to be.
            if isinstance(event, (gdb.BreakpointEvent, gdb.SignalEvent)):
                return
            if not gdb.selected_thread() or self.is_there():
                return
            if self.has_line():
                self.show()
            else:
                self.come_back()
        except (gdb.error, RuntimeError) as error:
            print("(heddle: %s)" % error)

    @staticmethod
    def show():
        if gdb.selected_thread():
            (inlined_line_of_user(gdb.newest_frame()) or gdb.newest_frame()).select()
            gdb.execute("frame")

    @staticmethod
    def is_of_kernel(frame):
        for _ in range(32):
            frame = frame.older()
            if frame is None:
                return False
            if re.match("heddle::(detail|runtime)::", frame.name() or ""):
                return True
        return False

    def is_there(self):
        """Whether the program stands in a line of the user: in that function, or in one that this calls."""
        frame = gdb.newest_frame()
        sal = frame.find_sal()
        if not sal.symtab or not is_users(sal.symtab):
            return False
        # Out of what was inlined for the line it may have come to the line itself.
        if self.is_on_stack(frame) and sal.line == self.line and self.block.start <= frame.pc() < self.block.end:
            return False
        return self.stack - self.kFrame <= int(frame.read_register("sp")) <= self.stack + self.kPushed

    def is_on_stack(self, frame):
        return abs(int(frame.read_register("sp")) - self.stack) <= self.kPushed

    def has_line(self):
        """Whether the program stands in what the compiler inlined for another line of the user."""
        frame = inlined_line_of_user(gdb.newest_frame())
        if frame is None or not self.is_on_stack(frame) or frame.find_sal().line == self.line:
            return False
        return self.block.start <= frame.pc() < self.block.end

    def come_back(self):
        stops = [LineStop(address, self) for address in self.beginnings_of_lines()]
        if self.caller:
            stops.append(EndStop(self.caller, self))
        def delete_stops():
            for stop in stops:
                if stop.is_valid():
                    stop.delete()

        def came_back(_event):
            delete_stops()
            self.show()

        try:
            gdb.execute("continue", to_string=True)
        except gdb.error:
            delete_stops()
            raise
        self.once_stopped(came_back)

    def beginnings_of_lines(self):
        if self.block.start not in self.known:
            self.known[self.block.start] = self.find_beginnings()
        return self.known[self.block.start]

    def find_beginnings(self):
        """Where, by address, the line of the user becomes another one, in the code of the function."""
        found = []
        for begin, end in self.ranges():
            address, before = begin, None
            while address < end:
                sal = gdb.find_pc_line(address)
                now = self.statement_at(address, sal)
                if now is not None and now != before:
                    found.append(address)
                before = now
                address = max(address + 1, (sal.last or address) + 1)
        return found

    def ranges(self):
        """Code that is rarely run stands elsewhere than the rest of its function."""
        text = gdb.execute("disassemble %d" % self.pc, to_string=True)
        found = re.findall(r"Address range (0x[0-9a-f]+) to (0x[0-9a-f]+)", text)
        return [(int(a, 16), int(b, 16)) for a, b in found] or [(self.block.start, self.block.end)]

    @staticmethod
    def statement_at(address, sal):
        """What of the user the code at an address is of: his line, or the call that was inlined there. None: nothing."""
        if sal.symtab and is_users(sal.symtab):
            return sal.line
        inner = None
        block = gdb.block_for_pc(address)
        while block is not None and not block.is_global and not block.is_static:
            if block.function is not None:
                if is_users(block.function.symtab):
                    return inner and (inner.start, inner.end)
                inner = block
            block = block.superblock
        return None


def hook_steps():
    for command in ("step", "next"):
        gdb.execute("define hook-%s\npython gdb.heddle_step.begins()\nend" % command, to_string=True)
        gdb.execute("define hookpost-%s\npython gdb.heddle_step.ended()\nend" % command, to_string=True)


if not hasattr(gdb, "heddle_is_loaded"):
    gdb.heddle_is_loaded = True
    gdb.pretty_printers.append(printer)
    gdb.xmethod.register_xmethod_matcher(None, ElementMatcher())
    IsInvocation()
    gdb.heddle_step = KernelStep
    gdb.events.stop.connect(KernelStep.stopped)
    hook_steps()
    for functions in ("^heddle::", "^std::(basic_string_view|char_traits|__is_constant_evaluated)"):
        gdb.execute("skip -rfunction " + functions, to_string=True)
