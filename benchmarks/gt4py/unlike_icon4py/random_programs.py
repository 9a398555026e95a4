"""Random field-view programs: random_program(seed) defines the case r<seed>.

What can go out of bounds or depends on an order is left out: a vertical shift reaches as many levels as input
fields have beyond the domain at most, and a statement does not read what it writes. So is what GT4Py lowers
wrongly: the result of a scan is not shifted in the vertical, and its parts are not needed on different domains.
Texts are linecache's, so that GT4Py finds the source of functions that are in no file.
"""

import linecache
import random
import re
import types

import common
from common import *

REACH = 4  # levels of fields beyond the domain on either side
LOCATIONS = {"C": C, "E": E, "V": V}
# Offset, its local dimension, where it leads from and to, neighbours.
NEIGHBOURS = [("C2E", "C", "E", 3), ("C2V", "C", "V", 3), ("C2E2C", "C", "C", 3), ("C2E2CO", "C", "C", 4),
              ("E2C", "E", "C", 2), ("E2V", "E", "V", 2), ("E2C2V", "E", "V", 4), ("V2C", "V", "C", 6),
              ("V2E", "V", "E", 6)]
FLOAT, INT, BOOL = "float64", "int32", "bool"


def annotated(dims, dtype):
    return f"gtx.Field[gtx.Dims[{', '.join(dims)}], {dtype}]" if dims else dtype


@dataclasses.dataclass
class Value:
    """An expression, often a name, with what it is; `reach`: levels that are read above or below (all of them by
    results of scans)."""

    name: str
    dims: tuple
    dtype: str
    reach: int = 0


class Body:
    """The statements of one field operator over fields at several locations."""

    def __init__(self, rng, number, limited):
        self.rng, self.name, self.limited = rng, f"_op{number}", limited
        self.main = rng.choice("CEV")
        self.parameters = []
        self.values = []
        self.statements = []  # the names that each defines, and its text
        self.scans = []
        self.temporaries = 0

    def flip(self, chance):
        return self.rng.random() < chance

    def parameter(self, dims, dtype, kind="in"):
        """A parameter of this type, perhaps one that is there."""
        fitting = [v for v in self.parameters if (v.dims, v.dtype) == (dims, dtype) and v.name[:len(kind)] == kind]
        if fitting and self.flip(0.75 if dims or dtype != "bool" else 0.4):
            return self.rng.choice(fitting)
        value = Value(f"{kind}{len(self.parameters)}", dims, dtype)
        self.parameters.append(value)
        return value

    def leaf(self, dims, dtype, most):
        """A value whose dimensions are among `dims`."""
        found = [v for v in self.values if v.dtype == dtype and set(v.dims) <= set(dims) and v.reach <= most]
        if found and self.flip(0.6):
            return self.rng.choice(found[-6:])
        part = dims if self.flip(0.75) or not dims else tuple(d for d in dims if self.flip(0.5))
        return self.parameter(part, dtype)

    def whole(self, dims, dtype, most):
        """A value with just these dimensions, which can be shifted."""
        found = [v for v in self.values if (v.dims, v.dtype) == (dims, dtype) and v.reach <= most]
        return self.rng.choice(found[-5:]) if found and self.flip(0.7) else self.parameter(dims, dtype)

    def number(self, dims, most, depth):
        """An expression of floating-point numbers over some of `dims` that reaches at most so far."""
        rng = self.rng
        horizontal = [d for d in dims if d in LOCATIONS]
        choices = ["leaf"] * (3 if depth <= 0 else 1) + ["literal"]
        if depth > 0:
            choices += ["binary"] * 5 + ["extremum", "where", "function", "power", "cast"]
            if "K" in dims and most > 0:
                choices += ["shift"] * 3 + ["concat"] * 2 + ["offset"]
            if horizontal:
                choices += ["sum"] * 3 + ["neighbour"] * 2 + ["regions"]
        kind = rng.choice(choices)
        if kind == "leaf":
            return self.leaf(dims, FLOAT, most)
        if kind == "literal":
            return Value(rng.choice(["0.5", "1.0", "2.0", "0.25", "-1.5", "3.0"]), (), FLOAT)
        if kind == "function":
            a = self.number(dims, most, depth - 1)
            form = rng.choice(["abs({})", "sqrt(abs({}))", "sin({})", "(1.0 / (1.5 + abs({})))"])
            return self.join(form.format(a.name), a)
        if kind == "power":
            a = self.leaf(dims, FLOAT, most)
            return self.join(f"({a.name} ** 2)", a)
        if kind == "cast":
            a = self.leaf(dims, INT, most)
            return self.join(f"astype({a.name}, float64)", a)
        if kind == "shift":
            by = rng.choice([1, 1, 1, 2])
            value = self.whole(dims, FLOAT, most - by)
            return Value(f"{value.name}(K {rng.choice('+-')} {by})", dims, FLOAT, value.reach + by)
        if kind == "offset":
            if most < 2:
                return self.number(dims, most, 0)
            by = self.parameter(dims, INT, "off")  # GT4Py takes parameters only
            return Value(f"{self.parameter(dims, FLOAT).name}(as_offset(Koff, {by.name}))", dims, FLOAT, 2)
        if kind in ("sum", "neighbour"):
            return self.neighbours(dims, horizontal[0], most, kind)
        a, b = self.number(dims, most, depth - 1), self.number(dims, most, depth - 2)
        if kind == "binary":
            return self.join(f"({a.name} {rng.choice('+-**')} {b.name})", a, b)
        if kind == "extremum":
            return self.join(f"{rng.choice(['minimum', 'maximum'])}({a.name}, {b.name})", a, b)
        branches = f"{self.spread(dims, a)}, {b.name}"
        if kind == "where":
            c = self.condition(dims, most, depth - 2)
            return Value(f"where({c.name}, {branches})", dims, FLOAT, max(a.reach, b.reach, c.reach))
        if kind == "concat":
            bound = self.parameter((), INT, "lev").name
            test = rng.choice([f"K < {bound}", f"K >= {bound}", f"K == {bound}", f"(K >= {bound}) & (K < {bound} + 3)"])
        else:
            test = f"{horizontal[0]} {rng.choice(['<', '>='])} {self.parameter((), INT, 'pos').name}"
        return Value(f"concat_where({test}, {branches})", dims, FLOAT, max(a.reach, b.reach))

    def neighbours(self, dims, here, most, kind):
        offset, _, there, many = self.rng.choice([n for n in NEIGHBOURS if n[1] == here])
        beyond = tuple(there if d == here else d for d in dims)
        value = self.whole(beyond, FLOAT, most)
        if kind == "neighbour":
            which = 0 if self.limited else self.rng.randrange(many)
            return Value(f"{value.name}({offset}[{which}])", dims, FLOAT, value.reach)
        term = f"{value.name}({offset})"
        if self.flip(0.5):
            term = f"{term} * {self.parameter((here, offset + 'Dim'), FLOAT).name}"
        if self.flip(0.2):
            term = f"{term} * {self.whole(beyond, FLOAT, value.reach).name}({offset})"
        function = self.rng.choice(["neighbor_sum"] * 3 + ["max_over", "min_over"])
        return Value(f"{function}({term}, axis={offset}Dim)", dims, FLOAT, value.reach)

    def join(self, text, *parts):
        """An expression of these: it has their dimensions and reaches as far."""
        dims = {d for part in parts for d in part.dims}
        return Value(text, tuple(sorted(dims)), FLOAT, max(part.reach for part in parts))

    def spread(self, dims, value):
        """The text of a value with all dimensions. GT4Py fails on some broadcasts that are needed in part only."""
        if set(value.dims) == set(dims):
            return value.name
        if self.flip(0.1):
            return f"broadcast({value.name}, ({', '.join(dims)},))"
        return f"{value.name} {self.rng.choice('+*')} {self.parameter(dims, FLOAT).name}"

    def condition(self, dims, most, depth):
        if depth > 0 and self.flip(0.3):
            a, b = self.condition(dims, most, depth - 1), self.condition(dims, most, depth - 1)
            return self.join(f"({a.name} {self.rng.choice('&|')} {b.name})", a, b)
        if self.flip(0.25):
            return self.parameter(dims, BOOL)
        a, b = self.leaf(dims, FLOAT, most), self.number(dims, most, depth)
        return self.join(f"({self.spread(dims, a)} {self.rng.choice(['<', '>', '<=', '>='])} {self.spread(dims, b)})", a, b)

    def assign(self):
        """Statements that make new values."""
        here = self.main if self.flip(0.6) else self.rng.choice("CEV")
        dims = (here,) if self.flip(0.15) else (here, "K")
        chance = self.rng.random()
        if chance < 0.15 and "K" in dims:
            return self.scan(dims)
        if chance < 0.3:
            return self.branches(dims)
        value = self.number(dims, REACH, 3)
        (name,) = self.new_names(1)
        self.statements.append(([name], f"    {name} = {self.spread(dims, value)}"))
        self.values.append(Value(name, dims, FLOAT, value.reach))

    def new_names(self, count):
        self.temporaries += count
        return [f"t{i}" for i in range(self.temporaries - count, self.temporaries)]

    def branches(self, dims):
        flag = self.parameter((), BOOL, "flag").name
        sides = [[self.number(dims, REACH, 3) for _ in range(2)] for _ in range(2)]
        names = self.new_names(2)
        lines = []
        for head, side in zip((f"if {flag}:", "else:"), sides):
            lines.append(f"    {head}")
            lines += [f"        {n} = {self.spread(dims, value)}" for n, value in zip(names, side)]
        self.statements.append((names, "\n".join(lines)))
        reach = max(value.reach for side in sides for value in side)
        self.values += [Value(n, dims, FLOAT, reach) for n in names]

    def scan(self, dims):
        rng = self.rng
        name = f"_scan{self.name[3:]}_{len(self.scans)}"
        width, inputs = rng.choice([1, 2, 2, 3]), rng.choice([1, 2, 3])
        carry = [f"c{i}" for i in range(width)]
        args = [f"x{i}" for i in range(inputs)]
        known = carry + args + ["0.5", "1.25"]

        def scalar(depth):
            if depth == 0 or rng.random() < 0.2:
                return rng.choice(known)
            kind = rng.choice(["+", "-", "*", "+", "minimum", "maximum", "if"])
            if kind == "if":
                return f"({scalar(depth - 1)} if {scalar(depth - 1)} > {scalar(depth - 1)} else {scalar(depth - 1)})"
            a, b = scalar(depth - 1), scalar(depth - 1)
            return f"{kind}({a}, {b})" if kind[0] == "m" else f"({a} {kind} {b})"

        tuple_of = lambda parts: f"({', '.join(parts)})" if len(parts) > 1 else parts[0]
        types = f"tuple[{', '.join(['float'] * width)}]" if width > 1 else "float"
        lines = [f"@gtx.scan_operator(axis=K, forward={rng.random() < 0.5}, init={tuple_of(['0.25'] * width)})",
                 f"def {name}(carry: {types}, {', '.join(f'{a}: float' for a in args)}) -> {types}:"]
        lines.append(f"    {', '.join(carry)} = carry" if width > 1 else "    c0 = carry")
        new = [f"n{i}" for i in range(width)]
        if self.flip(0.4):
            lines.append(f"    if {scalar(1)} > {scalar(1)}:")
            lines += [f"        {n} = {scalar(2)}" for n in new] + ["    else:"]
            lines += [f"        {n} = {scalar(2)}" for n in new]
        else:
            lines += [f"    {n} = {scalar(2)}" for n in new]
        # Bounded, so that rounding and not growth decides differences.
        lines.append(f"    return {tuple_of([f'maximum(-4.0, minimum(4.0, {n}))' for n in new])}")
        self.scans.append((name, "\n".join(lines)))
        given = [self.number(dims, REACH, 2) for _ in args]
        call = f"{name}({', '.join(value.name for value in given)})"
        names = self.new_names(width)
        self.statements.append((names, f"    {', '.join(names)} = {call}"))
        if width > 1:  # as one value, so that all parts are needed on the same domain
            (together,) = self.new_names(1)
            self.statements.append(([together], f"    {together} = {' + 0.5 * '.join(names)}"))
            names = [together]
        self.values += [Value(n, dims, FLOAT, REACH) for n in names]

    def text(self, dims, results):
        for _ in range(self.rng.choice([1, 2, 3, 4, 5, 7])):
            self.assign()
        texts = []
        for _ in range(results):
            own = [v for v in self.values if v.dims == dims and v.dtype == FLOAT]
            value = self.number(dims, REACH, 2)
            if own:
                last = self.rng.choice(own[-4:])
                value = self.join(f"{last.name} + {value.name}", last, value)
            texts.append(self.spread(dims, value))
        result = f"    return {', '.join(texts)}"
        # GT4Py fails on some of what nobody needs.
        later = result
        for names, text in reversed(self.statements):
            needed = [n for n in names if mentions(later, n)]
            if needed:
                of_others = tuple(f"        {n} =" for n in names if n not in needed)
                text = "\n".join(line for line in text.split("\n") if not line.startswith(of_others))
                later = f"{text}\n{later}"
        self.parameters = [p for p in self.parameters if mentions(later, p.name)]
        if not self.parameters:
            later = f"    return {', '.join([self.parameter(dims, FLOAT).name] * results)}"
        kind = annotated(dims, FLOAT)
        parameters = ", ".join(f"{p.name}: {annotated(p.dims, p.dtype)}" for p in self.parameters)
        kinds = kind if results == 1 else f"tuple[{', '.join([kind] * results)}]"
        scans = [text for name, text in self.scans if name in later]
        return "\n".join([*scans, "@gtx.field_operator", f"def {self.name}({parameters}) -> {kinds}:", later])


def mentions(text, name):
    return re.search(rf"\b{name}\b", text) is not None


def field(g, dims, dtype):
    """An argument; fields over levels have more of them on both sides."""
    named = {"K": K} | LOCATIONS | {o + "Dim": OFFSETS[o].target[1] for o in OFFSETS}
    at = [named[d] for d in dims]
    numpy_type = {FLOAT: np.float64, INT: np.int32, BOOL: bool}[dtype]
    low, high = (-2, 2) if dtype == INT else (-1, 1)
    start = tuple(-REACH if d == "K" else 0 for d in dims)
    return g(*at, dtype=numpy_type, low=low, high=high, start=start, more={K: 2 * REACH})


def random_source(seed):
    """The text of a program, and what makes its arguments."""
    rng = random.Random(seed)
    operators, statements, parameters, makers = [], [], {}, {}
    written = []  # names, with dimensions
    limited = rng.random() < 0.3
    for number in range(rng.choice([1, 1, 2, 3, 4])):
        body = Body(rng, number, limited)
        dims = (body.main, "K") if rng.random() < 0.9 else (body.main,)
        results = rng.choice([1, 1, 2, 3])
        operators.append(body.text(dims, results))
        given, outputs = [], []
        for p in body.parameters:
            same = [n for n, d in written if d == p.dims and p.dtype == FLOAT]
            own = "_".join([p.name, *p.dims, p.dtype[0]] if p.dims else [p.name, str(number)])
            name = rng.choice(same) if same and rng.random() < 0.5 else own
            given.append(name)
            parameters[name] = annotated(p.dims, p.dtype)
            makers.setdefault(name, (p.dims, p.dtype))
        for i in range(results):
            earlier = [n for n, d in written if d == dims and n not in given and n not in outputs]
            name = rng.choice(earlier) if earlier and rng.random() < 0.2 else f"out{number}_{i}"
            outputs.append(name)
            parameters[name] = annotated(dims, FLOAT)
            makers.setdefault(name, (dims, FLOAT))
            written.append((name, dims))
        where = rng.choice(dims[0])
        bounds = {where: (f"{where}_from{number if rng.random() < 0.3 else ''}", f"{where}_to{number if rng.random() < 0.3 else ''}")}
        if "K" in dims:
            bounds["K"] = (rng.choice(["0", "K_from", f"K_from{number}"]), rng.choice(["nlev", "nlev", f"K_to{number}", "nlev - 1"]))
        for pair in bounds.values():
            for bound in pair:
                if bound != "0":
                    parameters[bound.removesuffix(" - 1")] = "int32"
        domain = ", ".join(f"{d}: ({a}, {b})" for d, (a, b) in bounds.items())
        out = outputs[0] if results == 1 else f"({', '.join(outputs)})"
        statements.append(f"    {body.name}({', '.join(given)}, out={out}, domain={{{domain}}})")
    head = f"def r{seed}({', '.join(f'{n}: {t}' for n, t in parameters.items())}):"
    source = "\n".join([*operators, "@gtx.program", head, *statements]) + "\n"

    def scalar(g, name):
        kind = name.split("_")[0].rstrip("0123456789")
        if name.startswith("nlev"):
            return np.int32(g.nk)
        if name[1:].startswith("_from"):
            return np.int32(rng.choice([0, 0, 1, 2, 3]))
        if name[1:].startswith("_to"):
            size = g.size[{"K": K, **LOCATIONS}[name[0]]]
            return np.int32(size - rng.choice([0, 0, 1, 4, size - 3]))
        return {"flag": lambda: rng.random() < 0.5, "lev": lambda: np.int32(rng.choice([0, 1, 3, 5, g.nk - 1, g.nk])),
                "pos": lambda: np.int32(rng.choice([0, 7, 20, 40]))}.get(kind, lambda: None)()

    def arguments(g):
        out = {}
        for name, kind in parameters.items():
            dims, dtype = makers.get(name, ((), "int32"))
            if dims:
                out[name] = field(g, dims, dtype)
            else:
                value = scalar(g, name)
                if value is None:
                    value = {FLOAT: np.float64(rng.uniform(-1, 1)), INT: np.int32(rng.randint(-2, 2)), BOOL: rng.random() < 0.5}[dtype]
                out[name] = value
        return out

    # GT4Py cannot lower some programs whose bounds are static.
    static = [n for n, (dims, _) in makers.items() if not dims and not n.startswith(("lev", "pos"))]
    static = tuple(n for n in static if rng.random() < 0.6) if rng.random() < 0.25 else ()
    return source, arguments, static, limited


def random_program(seed):
    name = f"r{seed}"
    if name in CASES:
        return
    source, arguments, static, limited = random_source(seed)
    file = f"<{name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    module = sys.modules[name] = types.ModuleType(name)
    vars(module).update(globals())
    exec(compile(source, file, "exec"), vars(module))

    def make(g):
        return P(getattr(module, name), arguments(g), static=static, embedded=False)

    make.__name__ = name
    make.grid = {"limited": limited}
    case(make)


if __name__ == "__main__":
    for seed in sys.argv[1:]:
        print(random_source(int(seed))[0])
