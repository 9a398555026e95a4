"""Random programs in DaCe's Python: text(seed) is a module whose function `program` NumPy can run, too.

All numbers are small integers, whatever their type, and what is assigned is cut off at LIMIT: each order of
additions gives the same bits. What has no meaning without an order is left out: a map writes the elements of its
own iteration only, or adds to others; views are not read after a write of what they show.
"""

import random

SIZES = {"N": 7, "M": 5, "K": 4}
LIMIT = 64
FLOAT, INT = "float64", "int64"


class Array:
    """`dtype`: what expressions of it are; `narrow`: stored in 32 bits, where sums would not stay exact."""

    def __init__(self, name, dims, dtype, written=True, narrow=False):
        self.name, self.dims, self.dtype, self.writable, self.narrow = name, dims, dtype, written, narrow

    def stored(self):
        return self.dtype.replace("64", "32") if self.narrow else self.dtype


def lies_together(access):
    """Does `a[i, :, :]` have its whole dimensions last?"""
    parts = access.partition("[")[2].rstrip("]").split(", ")
    return ":" not in parts or all(p == ":" for p in parts[parts.index(":"):])


class Loop:
    """An integer that runs over low <= variable < dim - high."""

    def __init__(self, name, dim, low, high):
        self.name, self.dim, self.low, self.high = name, dim, low, high


class Function:
    def __init__(self, rng, name, arrays, helpers=()):
        self.rng, self.name, self.helpers = rng, name, helpers
        self.parameters = list(arrays)
        self.arrays, self.scalars, self.loops = list(arrays), [], []
        self.lines, self.depth, self.count, self.in_map, self.budget = [], 1, 0, None, 0

    # Small tools.
    def flip(self, chance):
        return self.rng.random() < chance

    def fresh(self, stem):
        self.count += 1
        return f"{stem}{self.count}"

    def line(self, text):
        self.lines.append("    " * self.depth + text)

    def minus(self, dim, n):
        return f"{dim} - {n}" if n else dim

    # Accesses.
    def slice(self, dim, cut):
        """A part of a dimension that is `cut` shorter. (DaCe lowers those with a step wrongly.)"""
        low = self.rng.randint(0, cut)
        high = cut - low
        if not cut:
            return ":"
        begin, end = str(low) if low or self.flip(0.3) else "", f"-{high}" if high else ""
        if self.flip(0.5) and high:
            end = self.minus(dim, high)
        return f"{begin}:{end}"

    def index(self, dim):
        """One index into a dimension, in bounds."""
        rng, size = self.rng, SIZES[dim]
        fitting = [l for l in self.loops if l.dim == dim]
        if fitting and self.flip(0.85):
            loop = rng.choice(fitting)
            low, high = -min(loop.low, 1), min(loop.high, 1)
            offset = rng.choice([0, 0, rng.randint(low, high)])
            # Of loops inside maps, DaCe takes the first element for the lowest.
            mapped = any(l.name.startswith("m") for l in self.loops)
            if self.flip(0.08) and (not mapped or loop.name.startswith("m")):
                return f"{self.minus(dim, 1)} - {loop.name}"
            return loop.name + (f" + {offset}" if offset > 0 else f" - {-offset}" if offset else "")
        data = [a for a in self.arrays if a.name.startswith("ind") and a.dims[0] == dim]
        if data and fitting and self.flip(0.5):
            return f"{data[0].name}[{fitting[0].name}]"
        return rng.choice(["0", "1", "-1", str(rng.randrange(size - 1)), self.minus(dim, rng.randint(1, 2))])

    def access(self, array, dims):
        """`array` with some dimensions cut to `dims` (pairs of a symbol and how much is cut off); None if it has not got them."""
        wanted, parts = list(dims), []
        if not array.dims:
            return None if dims else array.name
        for position, dim in enumerate(array.dims):
            left = len(array.dims) - position
            if wanted and wanted[0][0] == dim and (left <= len(wanted) or self.flip(0.7)):
                parts.append(self.slice(dim, wanted.pop(0)[1]))
            else:
                parts.append(self.index(dim))
        if wanted:
            return None
        if all(p == ":" for p in parts) and self.flip(0.8):
            return array.name
        return f"{array.name}[{', '.join(parts)}]"

    # Expressions.
    def leaf(self, dims, dtype):
        rng = self.rng
        if dims and self.flip(0.15):
            return self.leaf(dims[1:], dtype)  # broadcast
        options = []
        for array in self.arrays:
            if array.dtype != dtype or self.in_map and array in self.in_map[1] or array.name.startswith("ind"):
                continue
            for _ in range(2):
                found = self.access(array, dims)
                if found:
                    options.append(found)
        if self.in_map and self.flip(0.3):
            options += self.in_map[2]
        if not dims:
            options += [s for s, t in self.scalars if t == dtype]
            if dtype == INT:
                options += [l.name for l in self.loops] + [rng.choice(list(SIZES))]
        if options and self.flip(0.85 if dims or self.loops else 0.7):
            return rng.choice(options)
        value = rng.randint(-5, 5)
        return str(value) if dtype == INT else f"{value}.0"

    def whole(self, dims, dtype):
        """An expression that surely has these dimensions."""
        options = [found for array in self.arrays if array.dtype == dtype and not array.name.startswith("ind")
                   for found in [self.access(array, dims)] if found]
        return self.rng.choice(options) if options else None

    def expression(self, dims, dtype, depth=2):
        rng = self.rng
        if depth == 0 or self.flip(0.2):
            return self.leaf(dims, dtype)
        def inner():
            return self.expression(dims, dtype, depth - 1)
        kind = rng.randrange(10)
        if kind < 4:
            return f"({inner()} {rng.choice('+-')} {inner()})"
        if kind < 6:
            return f"({self.leaf(dims, dtype)} * {self.leaf(dims, dtype)})"
        if kind == 6:
            name = rng.choice(["np.minimum", "np.maximum"]) if dims else rng.choice(["min", "max"])
            return f"{name}({inner()}, {inner()})"
        if kind == 7:
            return f"{'np.abs' if dims else 'abs'}({inner()})" if self.flip(0.5) else f"(-{inner()})"
        if kind == 8:
            if dims:
                condition = self.condition(dims)
                whole = self.whole(dims, dtype)  # DaCe takes the dimensions of the choices
                return f"np.where({condition}, {whole}, {inner()})" if condition and whole else inner()
            return inner()
        if dtype == FLOAT:
            other = self.whole(dims, INT)
            if other and dims:
                return f"{other}.astype(np.float64)" if self.flip(0.5) else f"({other} + {inner()})"
        return inner()

    def condition(self, dims):
        rng = self.rng
        dtype = rng.choice([FLOAT, INT])
        left = self.whole(dims, dtype) if dims else self.leaf(dims, dtype)
        if left is None:
            return None
        text = f"{left} {rng.choice(['<', '>', '<=', '>=', '==', '!='])} {self.leaf(dims, dtype)}"
        if not dims and self.flip(0.15):
            text = f"({text} {rng.choice(['and', 'or'])} {self.leaf((), INT)} > {rng.randint(-3, 3)})"
        return text

    def bounded(self, dims, dtype, whole=False):
        """`whole`: surely with all of the dimensions; DaCe does not broadcast what it adds to a part."""
        text = self.expression(dims, dtype, self.rng.choice([1, 2, 2, 3]))
        point = ".0" if dtype == FLOAT else ""
        first = self.whole(dims, dtype) if dims and whole else None
        if first:
            text = f"{first} {self.rng.choice('+-')} {text}"
        if dims:
            return f"np.minimum(np.maximum({text}, -{LIMIT}{point}), {LIMIT}{point})"
        return f"min(max({text}, -{LIMIT}{point}), {LIMIT}{point})"

    # Statements.
    def some_dims(self):
        array = self.rng.choice([a for a in self.arrays if a.dims])
        return tuple((d, self.rng.choice([0, 0, 0, 1, 2])) for d in array.dims if self.flip(0.85))

    def writable(self, dtype=None):
        return [a for a in self.arrays if a.writable and a.dims and (dtype is None or a.dtype == dtype)]

    def assign(self):
        target = self.rng.choice(self.writable())
        chance = 0.3 if self.loops else 0.85
        dims = tuple((d, self.rng.choice([0, 0, 1, 1, 2])) for d in target.dims if self.flip(chance))
        place = self.access(target, dims)
        if place is None:
            return self.assign()
        operator = "+=" if self.flip(0.2) and not target.narrow else "="
        if place == target.name:
            place += "[:]"  # the name alone would become another array's
        self.line(f"{place} {operator} {self.bounded(dims, target.dtype, operator == '+=')}")

    def temporary(self):
        rng = self.rng
        dims = tuple((d, 0) for d, _ in self.some_dims())
        dtype = rng.choice([FLOAT, FLOAT, INT])
        source = self.whole(dims, dtype)
        if not dims or source is None:
            return self.scalar()
        name = self.fresh("t")
        kind = rng.randrange(5)
        shape = "[" + ", ".join(d for d, _ in dims) + "]"
        if kind == 0:
            self.line(f"{name} = np.zeros({shape}, dtype=np.{dtype})")
        elif kind == 1:
            self.line(f"{name} = {source}.copy()" if "[" not in source else f"{name} = {source} + 0")
        elif kind == 2:
            self.line(f"{name} = np.empty({shape}, dtype=np.{dtype})")
            self.line(f"{name}[:] = {self.bounded(dims, dtype)}")
        else:
            # np.minimum keeps the dimensions even where the rest is a number.
            self.line(f"{name} = np.minimum({source}, {self.bounded(dims, dtype)})")
        # Of a copy or a minimum, the source may be a narrow one: then it is not added to.
        self.arrays.append(Array(name, tuple(d for d, _ in dims), dtype, True, kind not in (0, 2)))

    def scalar(self):
        dtype = self.rng.choice([FLOAT, INT])
        known = [s for s, t in self.scalars if t == dtype]
        if known and self.flip(0.5):
            name = self.rng.choice(known)
            operator = self.rng.choice(["=", "+="])
            self.line(f"{name} {operator} {self.bounded((), dtype, operator == '+=')}")
        else:
            name = self.fresh("s")
            self.line(f"{name} = {self.bounded((), dtype)}")
            self.scalars.append((name, dtype))

    def block(self, most):
        """An indented body; what it defines is not known behind it."""
        arrays, scalars = len(self.arrays), len(self.scalars)
        self.depth += 1
        for _ in range(self.rng.randint(1, most)):
            self.statement()
        self.depth -= 1
        del self.arrays[arrays:], self.scalars[scalars:]

    def loop(self):
        rng = self.rng
        dim = rng.choice(list(SIZES))
        low, high, name = rng.choice([0, 1, 1]), rng.choice([0, 1]), self.fresh("i")
        kind = rng.randrange(7)
        bounds = [s for s, t in self.scalars if t == INT] + [p.name for p in self.parameters if (p.dims, p.dtype) == ((), INT)]
        if kind == 6 and bounds:
            self.line(f"for {name} in range({low}, min({rng.choice(bounds)}, {self.minus(dim, high)})):")
        elif kind == 0:
            self.line(f"for {name} in range({self.minus(dim, high + 1)}, {low - 1}, -1):")
        elif kind == 1:
            self.line(f"for {name} in range({low}, {self.minus(dim, high)}, 2):")
        elif kind == 2 and any(l.dim == dim for l in self.loops):
            outer = next(l for l in self.loops if l.dim == dim)
            low, high = outer.low, outer.high
            self.line(f"for {name} in range({outer.name}, {self.minus(dim, high)}):")
        else:
            self.line(f"for {name} in range({low}, {self.minus(dim, high)}):")
        self.loops.append(Loop(name, dim, low, high))
        arrays, scalars = len(self.arrays), len(self.scalars)
        self.depth += 1
        if self.flip(0.12):
            self.line(f"if {self.condition(())}:")
            self.line(f"    {rng.choice(['break', 'continue'])}")
        for _ in range(rng.randint(1, 3)):
            self.statement()
        self.depth -= 1
        del self.arrays[arrays:], self.scalars[scalars:]
        self.loops.pop()

    def while_loop(self):
        name = self.fresh("w")
        self.line(f"{name} = 0")
        more = f" and {self.condition(())}" if self.flip(0.3) else ""
        self.line(f"while {name} < {self.rng.choice(['2', '3', 'K'])}{more}:")
        self.loops.append(Loop(name, "K", 0, 0))
        self.block(2)
        self.loops.pop()
        self.line(f"    {name} = {name} + 1")

    def branch(self):
        self.line(f"if {self.condition(())}:")
        self.block(2)
        if self.flip(0.5):
            if self.flip(0.3):
                self.line(f"elif {self.condition(())}:")
                self.block(2)
            self.line("else:")
            self.block(2)

    def map(self):
        """Writes the elements of each iteration, or adds to those around them or to what lacks one of its dimensions."""
        rng = self.rng
        targets = [a for a in self.writable() if len(set(a.dims)) == len(a.dims)]
        if not targets:
            return self.assign()
        first = rng.choice(targets)
        if self.helpers and self.flip(0.15):
            return self.map_of_calls()
        own = [Loop(self.fresh("m"), d, rng.choice([0, 0, 1]), rng.choice([0, 0, 1])) for d in first.dims]
        loops = list(own)
        sums = self.flip(0.25) and not first.narrow
        around = not sums and self.flip(0.2) and not first.narrow
        if around:
            own = loops = [Loop(l.name, l.dim, 1, 1) for l in own]
        if sums:
            loops.insert(rng.randrange(len(loops) + 1), Loop(self.fresh("m"), rng.choice(list(SIZES)), 0, 0))
        names = ", ".join(l.name for l in loops)
        ranges = ", ".join(f"{l.low}:{self.minus(l.dim, l.high)}" for l in loops)
        self.line(f"for {names} in dace.map[{ranges}]:")
        outer, self.loops, scalars = self.loops, self.loops + loops, len(self.scalars)
        self.depth += 1
        element = ", ".join(l.name for l in own)
        if sums:
            self.in_map = (loops, [first], [])
            place = element if self.flip(0.8) else ", ".join("0" for _ in own)
            self.line(f"{first.name}[{place}] += {self.bounded((), first.dtype, True)}")
        elif around:
            self.in_map = (loops, [first], [])
            moved = rng.choice(own)
            for shift in rng.sample(["", " - 1", " + 1"], rng.choice([2, 3])):
                place = ", ".join(l.name + shift if l is moved else l.name for l in own)
                self.line(f"{first.name}[{place}] += {self.bounded((), first.dtype, True)}")
        else:
            others = [a for a in self.writable() if a.dims == first.dims and a is not first]
            written = [first] + rng.sample(others, min(len(others), rng.choice([0, 0, 1])))
            for array in written:
                mine = [f"{a.name}[{element}]" for a in written if a.dtype == array.dtype]
                self.in_map = (loops, written, mine)
                asked = f"{rng.choice(written).name}[{element}]"
                self.write_element(f"{array.name}[{element}]", array, asked)
        self.in_map = None
        self.loops = outer
        del self.scalars[scalars:]
        self.depth -= 1

    def write_element(self, place, array, asked):
        """One iteration's statements for one array; `asked`: an element that a branch may depend on."""
        if self.flip(0.3):
            name = self.fresh("s")
            self.line(f"{name} = {self.bounded((), array.dtype)}")
            self.scalars.append((name, array.dtype))
        if self.flip(0.2):
            self.line(f"if {asked} > {self.leaf((), INT)}:")
            self.line(f"    {place} = {self.bounded((), array.dtype)}")
            if self.flip(0.5):
                self.line("else:")
                self.line(f"    {place} = {self.bounded((), array.dtype)}")
        elif self.flip(0.15) and not array.narrow:
            self.inner_loop()
            self.line(f"    {place} += {self.bounded((), array.dtype, True)}")
            self.loops.pop()
        elif self.flip(0.15):
            name = self.fresh("s")
            self.line(f"{name} = {self.leaf((), array.dtype)}")
            self.inner_loop()
            self.scalars.append((name, array.dtype))
            self.line(f"    {name} = {self.bounded((), array.dtype)}")
            if self.flip(0.3):
                self.line(f"    if {self.condition(())}:")
                self.line(f"        {name} = {self.bounded((), array.dtype)}")
            self.loops.pop()
            self.line(f"{place} = {name}")
        else:
            operator = "=" if array.narrow else self.rng.choice(["=", "=", "+="])
            self.line(f"{place} {operator} {self.bounded((), array.dtype, operator == '+=')}")

    def map_of_calls(self):
        """Each iteration calls a helper for parts of its own."""
        rng, helper = self.rng, self.rng.choice(self.helpers)
        x, y = helper.parameters
        outer = rng.choice([d for d in SIZES if d not in x.dims] or [None])
        def whole_parts(p, written):
            return [a for a in self.arrays if a.dtype == p.dtype and not a.narrow and
                    a.dims == (outer, *p.dims) and (a.writable or not written)]
        targets = whole_parts(y, True)
        sources = [a for a in whole_parts(x, False) if len(targets) > 1 or a not in targets]
        if not targets or not sources:
            return self.assign()
        target = rng.choice(targets)
        sources = [a for a in sources if a is not target]
        if not sources:
            return self.assign()
        name = self.fresh("m")
        part = lambda a: f"{a.name}[{', '.join(name if d == outer else ':' for d in a.dims)}]"
        self.line(f"for {name} in dace.map[0:{outer}]:")
        self.line(f"    {helper.name}({part(rng.choice(sources))}, {part(target)})")

    def inner_loop(self):
        dim, name = self.rng.choice(list(SIZES)), self.fresh("i")
        self.line(f"for {name} in range({dim}):")
        self.loops = self.loops + [Loop(name, dim, 0, 0)]

    def reduction(self):
        rng = self.rng
        array = rng.choice([a for a in self.arrays if a.dims and not a.name.startswith("ind")])
        call = rng.choice(["np.sum", "np.max", "np.min"])
        if len(array.dims) > 1 and self.flip(0.7):
            axis = rng.randrange(len(array.dims))
            dims = tuple(d for i, d in enumerate(array.dims) if i != axis)
            name = self.fresh("t")
            self.line(f"{name} = {call}({array.name}, axis={axis})")
            self.arrays.append(Array(name, dims, array.dtype, True, array.narrow))
            return
        name = self.fresh("s")
        self.line(f"{name} = {call}({array.name})")
        # What is added up grows.
        limit = f"{LIMIT}.0" if array.dtype == FLOAT else str(LIMIT)
        self.line(f"{name}b = min({name}, {limit})")
        self.scalars.append((name + "b", array.dtype))

    def product(self):
        pairs = [(a, b) for a in self.arrays for b in self.arrays
                 if len(a.dims) == 2 and len(b.dims) in (1, 2) and a.stored() == b.stored() == FLOAT and a.dims[1] == b.dims[0]]
        if not pairs:
            return self.temporary()
        a, b = self.rng.choice(pairs)
        name = self.fresh("t")
        self.line(f"{name} = np.minimum({a.name} @ {b.name}, {LIMIT}.0)")
        self.arrays.append(Array(name, a.dims[:1] + b.dims[1:], FLOAT))

    def view(self):
        """A part under another name; nothing is written below it while it is used."""
        arrays = [a for a in self.arrays if len(a.dims) > 1 and not a.name.startswith("ind")]
        if not arrays:
            return self.assign()
        array = self.rng.choice(arrays)
        position = self.rng.randrange(len(array.dims))
        parts = [":"] * len(array.dims)
        parts[position] = self.index(array.dims[position])
        name = self.fresh("v")
        self.line(f"{name} = {array.name}[{', '.join(parts)}]")
        dims = tuple(d for i, d in enumerate(array.dims) if i != position)
        view = Array(name, dims, array.dtype, False, array.narrow)
        kept, self.arrays = self.arrays, [a for a in self.arrays if a is not array] + [view]
        if self.writable():
            for _ in range(self.rng.randint(1, 2)):
                self.assign()
        self.arrays = kept

    def masked(self):
        array = self.rng.choice(self.writable())
        value = self.rng.randint(-9, 9)
        point = ".0" if array.dtype == FLOAT else ""
        self.line(f"{array.name}[{array.name} {self.rng.choice(['<', '>', '=='])} {self.rng.randint(-5, 5)}] = {value}{point}")

    def transposed(self):
        arrays = [a for a in self.arrays if len(a.dims) == 2 and not a.name.startswith("ind")]
        if not arrays:
            return self.temporary()
        array, name = self.rng.choice(arrays), self.fresh("t")
        self.line(f"{name} = np.transpose({array.name}) + {'0.0' if array.dtype == FLOAT else 0}")
        self.arrays.append(Array(name, array.dims[::-1], array.dtype, True, array.narrow))

    def gather(self):
        pairs = [(a, i) for a in self.arrays for i in self.arrays
                 if i.name.startswith("ind") and len(a.dims) == 1 and a.dims == i.dims and a is not i]
        if not pairs:
            return self.assign()
        array, index = self.rng.choice(pairs)
        name = self.fresh("t")
        self.line(f"{name} = {array.name}[{index.name}]")
        self.arrays.append(Array(name, array.dims, array.dtype, True, array.narrow))

    def call(self):
        """With arrays, or parts that lie together: DaCe's views of others inside get wrong strides."""
        if not self.helpers:
            return self.loop()
        helper = self.rng.choice(self.helpers)
        given = []
        for p in helper.parameters:
            fitting = [a for a in self.arrays if (a.dims, a.stored()) == (p.dims, p.dtype) and a.writable]
            parts = [self.access(a, tuple((d, 0) for d in p.dims)) for a in self.arrays
                     if a.stored() == p.dtype and len(a.dims) > len(p.dims) and a.writable
                     and not any(g.split("[")[0] == a.name for g in given)]
            options = [a.name for a in fitting if not any(g.split("[")[0] == a.name for g in given)]
            options += [x for x in parts if x and "ind" not in x and lies_together(x)]
            if not options:
                return self.assign()
            given.append(self.rng.choice(options))
        self.line(f"{helper.name}({', '.join(given)})")

    def statement(self):
        self.budget -= 1
        kinds = [(6, self.assign), (2, self.scalar), (1, self.view)]
        if self.budget > 0 and self.depth < 4:
            kinds += [(4, self.loop), (3, self.branch), (4, self.map), (1, self.while_loop), (2, self.call)]
        if self.depth < 3:
            kinds += [(3, self.temporary), (2, self.reduction), (1, self.product), (1, self.gather),
                      (1, self.transposed), (1, self.masked)]
        total = self.rng.randrange(sum(weight for weight, _ in kinds))
        for weight, make in kinds:
            total -= weight
            if total < 0:
                return make()

    def body(self, statements, budget):
        self.budget = budget
        for _ in range(statements):
            self.statement()

    def text(self):
        parameters = ", ".join(f"{a.name}: dace.{a.stored()}[{', '.join(a.dims)}]" if a.dims else f"{a.name}: dace.{a.stored()}"
                               for a in self.parameters)
        return f"@dace.program\ndef {self.name}({parameters}):\n" + "\n".join(self.lines) + "\n"


def functions(seed):
    rng = random.Random(seed)
    helpers = []
    for number in range(rng.choice([0, 1, 1, 2])):
        dims = tuple(rng.sample(list(SIZES), rng.randint(1, 2)))
        helper = Function(rng, f"helper{number}", [Array("x", dims, FLOAT, False), Array("y", dims, FLOAT)])
        helper.body(rng.randint(1, 3), 4)
        helpers.append(helper)
    arrays = []
    for number in range(rng.randint(3, 6)):
        dims = tuple(rng.sample(list(SIZES), rng.choice([1, 1, 2, 2, 3])))
        arrays.append(Array(f"a{number}", dims, rng.choice([FLOAT, FLOAT, FLOAT, INT]), number < 1 or rng.random() < 0.6,
                            rng.random() < 0.15))
    for dim in SIZES:
        if rng.random() < 0.4:
            arrays.append(Array(f"ind{dim}", (dim,), INT, False))
    for number in range(rng.randint(0, 2)):
        arrays.append(Array(f"p{number}", (), rng.choice([FLOAT, INT]), False))
    program = Function(rng, "program", arrays, helpers)
    program.body(rng.randint(3, 9), 12)
    kept = [a for a in program.arrays if a.name.startswith("t") and not a.narrow]
    if kept and rng.random() < 0.3:
        program.line(f"return {rng.choice(kept).name}")
    return helpers + [program]


def text(seed, sizes=False):
    """The module; `sizes`: with numbers for symbols and plain functions, for NumPy."""
    parts = ["import dace", "import numpy as np", ""]
    parts += [f"{n} = {v}" if sizes else f"{n} = dace.symbol('{n}')" for n, v in SIZES.items()]
    out = "\n".join(parts) + "\n\n\n" + "\n\n".join(f.text() for f in functions(seed))
    return out.replace("@dace.program\n", "") if sizes else out


def arguments(seed):
    """What it is called with: arrays and numbers by name."""
    import numpy as np

    rng = np.random.default_rng(seed)
    out = {}
    for a in functions(seed)[-1].parameters:
        shape = tuple(SIZES[d] for d in a.dims)
        if a.name.startswith("ind"):
            out[a.name] = rng.integers(0, SIZES[a.dims[0]], shape)
        else:
            values = rng.integers(-9, 10, shape).astype(a.stored())
            out[a.name] = values if a.dims else values.item()
    return out
