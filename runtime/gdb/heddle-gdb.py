"""How gdb shows heddle's buffers, arrays, references, vectors and pointers, in either mode; and `step` does not go into heddle.

The library carries this text in its section .debug_gdb_scripts, from where gdb loads it if `auto-load safe-path` has the
program. Of emulated memory the bytes are shown that the device has: what an invocation has written, and a weak memory
holds back, is not among them.
"""
import gdb
import gdb.printing
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

if not hasattr(gdb, "heddle_is_loaded"):
    gdb.heddle_is_loaded = True
    gdb.pretty_printers.append(printer)
    gdb.execute("skip -rfunction ^heddle::", to_string=True)
