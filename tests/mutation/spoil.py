"""Random changes to a program in the text form, of the kinds that passes have to look out for.

Most results are valid SDFGs; few of them mean something. They show which conditions of a check nobody
has tried: other kinds of containers, storages, schedules, subsets, attributes, statements of loops.
"""

import re

DATA = ["storage = GPU_Global", "storage = Register", "storage = CPU_Heap", "lifetime = Persistent",
        "lifetime = Global", "lifetime = External", "offset = [1]", "start_offset = 1", "may_alias = true",
        "pool = true", "strides = [2]", "strides = [1, N]", "total_size = 100", "optional = true"]
DECLARATION = re.compile(r"(\w+): (view |stream |reference )?(\w+)(\[[^\]]*\])?( \{[^{}]*\})?")
NODES = {
    "access": ["setzero = true", "instrument = Save"],
    "map": ["instrument = Timer", "schedule = GPU_Device", "schedule = Sequential", "schedule = MPI",
            "schedule = CPU_Multicore", "schedule = GPU_ThreadBlock", "gpu_block_size = [32, 1, 1]"],
    "tasklet": ["instrument = Timer", "side_effects = true", 'code_init = CPP "x();"',
                'code_exit = CPP "x();"', 'code_global = CPP "int x;"', 'state_fields = ["int a;"]'],
    "nested_sdfg": ["instrument = Timer", "no_inline = true"],
    "library": ["instrument = Timer", "schedule = GPU_Device"],
}
RANGES = ["0:N:2", "0:N:2:2", "2:N", "0:N", "0:4", "1:N + 1", "N", "0:M", "3"]
MEMLETS = ["dynamic = true", 'wcr = "lambda x, y: x + y"', 'wcr = "lambda x, y: max(x, y)"',
           "allow_oob = true", "volume = 3"]
INDICES = ["0", "1", "i", "i + 1", "i - 1", "0:N", "1:N", "k", "N - 1", "0:2", "2:N:2", "j", "0:N:1:2"]
# (pattern, what replaces it)
CODE = [(r': "', ': CPP "'), (r'(\w+) = (.*)"', r'\1 = \2 + N"'), (r'(\w+) = (.*)"', r'\1 += \2"'),
        (r'(\w+) = (.*)"', r'if \2:\\n  \1 = 1"'), (r'(\w+) = (.*)"', r'\1 = \2 + i"'),
        (r'(\w+) = (.*)"', r'\1 = A[0]"'), (r'"(\w+) = ', r'"\1 = k; \1 = ')]
LOOP = [(r' from "[^"]*"', ""), (r' next "[^"]*"', ""), (" < ", " != "), (" < ", " <= "),
        (r'next "(\w+) = \w+ \+ 1"', r'next "\1 = \1 + 2"'), (r'next "(\w+) = \w+ \+ 1"', r'next "\1 = \1 * 2"'),
        (r'next "(\w+) = \w+ \+ 1"', r'next "\1 = \1 - 1"'), (r'from "(\w+) = \w+"', r'from "\1 = \1 + 1"'),
        ("$", " {inverted = true}")]
CONDITION = [(r'if ".*?"', 'if "N > 3"'), (r'if ".*?"', 'if "A[0] > 1"'), (r' if ".*?"', "")]
BETWEEN = [' if "N > 3"', ' if "A[0] > 1"', " set zz = 1", " set N = 3", " set i = 2", " set k = k + 1"]
STATES = ["instrument = Timer", "symbol_instrument = Save", 'location = {"a": "b"}']


def with_attribute(line, attribute):
    """The line with one more entry in its trailing list."""
    if line.endswith("}") and " {" in line:
        return f"{line[:-1]}, {attribute}}}"
    return f"{line} {{{attribute}}}"


def declaration(draw, found):
    """A declaration of a container with something changed."""
    name, kind, dtype, shape, attributes = (part or "" for part in found.groups())
    what = draw.random()
    if what < 0.25:
        kind = draw.choice(["view ", "stream ", "reference ", ""])
    elif what < 0.4:
        dtype = draw.choice(["float32", "int32", "int64", "bool", "float64"])
    elif what < 0.5:
        shape = draw.choice(["", "[1]", "[N]", shape.replace("N", "N + 1"), shape.replace("[", "[1, ")])
    else:
        attributes = with_attribute(attributes, draw.choice(DATA))
    return f"{name}: {kind}{dtype}{shape}{attributes}"


def node(draw, kind, line):
    if kind == "map" and draw.random() < 0.5:
        return re.sub(r"in \[([^,\]]*)", "in [" + draw.choice(RANGES), line, count=1)
    if kind == "map" and draw.random() < 0.3:
        return re.sub(r"\(\w+", "(" + draw.choice(["i", "j", "k", "N", "A", "t"]), line, count=1)
    if kind == "tasklet" and draw.random() < 0.5:
        return re.sub(*draw.choice(CODE), line, count=1)
    return with_attribute(line, draw.choice(NODES[kind])) if kind in NODES else line


def edge(draw, line):
    what = draw.random()
    if what < 0.5:
        return with_attribute(line, draw.choice(MEMLETS))
    if what < 0.6:
        return re.sub(r" : .*", "", line)
    if what < 0.7:
        return line + "\n" + line
    if what < 0.95:
        return re.sub(r"\[([^,\]]*)", "[" + draw.choice(INDICES), line, count=draw.choice([1, 2]))
    return re.sub(r" -> \[.*?\]", "", line)


def spoiled_line(draw, line):
    words = line.split() + [""]
    found = list(DECLARATION.finditer(line)) if words[0] in ("sdfg", "transient", "data") else []
    if found:
        one = draw.choice(found)
        return line[:one.start()] + declaration(draw, one) + line[one.end():]
    if defined := re.match(r"\s*n\d+ = (\w+)", line):
        return node(draw, defined.group(1), line)
    if " -> " in line:
        return edge(draw, line) if re.match(r"\s*n\d+", line) else line + draw.choice(BETWEEN)
    if words[0] == "state":
        return with_attribute(line, draw.choice(STATES))
    if words[0] == "loop":
        return re.sub(*draw.choice(LOOP), line, count=1)
    if words[0] == "branch":
        return re.sub(*draw.choice(CONDITION), line, count=1)
    if words[0] == "symbol":
        return draw.choice(["", *(line.replace("int64", t) for t in ("int32", "float64", "bool"))])
    return line


def spoil(program, draw):
    """The program with one to three lines changed."""
    lines = program.split("\n")
    for _ in range(draw.choice([1, 1, 1, 2, 3])):
        at = draw.randrange(len(lines))
        lines[at] = spoiled_line(draw, lines[at])
    return "\n".join(lines)
