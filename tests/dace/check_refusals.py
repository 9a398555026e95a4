#!/usr/bin/env python3
"""What DaCe refuses, we refuse: recorded programs, each damaged in one place, go to both verifiers.

The damage is drawn from a list of kinds with a fixed seed. Damaged programs that DaCe cannot load
are skipped; for the others, an InvalidSDFGError (or whatever DaCe's validation raises) must have a
counterpart among our errors. The opposite is only counted: we report more than DaCe does.

Needs Python with dace.
"""

import argparse
import collections
import gzip
import json
import os
import pathlib
import random
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import oracle  # noqa: E402

# Refusals that are mistakes of DaCe, or no business of ours: (part of its message, why).
MISTAKES = [
    ("'str' object has no attribute 'free_symbols'", "structure members may be expressions"),
]


def walk(value, kind, found):
    """All elements of a JSON type, SDFGs with their nested ones."""
    if isinstance(value, dict):
        if value.get("type") == kind:
            found.append(value)
        for inner in value.values():
            walk(inner, kind, found)
    elif isinstance(value, list):
        for inner in value:
            walk(inner, kind, found)
    return found


class Damage:
    def __init__(self, root, rng):
        self.root, self.rng = root, rng

    def one(self, kind, wanted=lambda x: True):
        found = [x for x in walk(self.root, kind, []) if wanted(x)]
        return self.rng.choice(found) if found else None

    def sdfg(self):
        return self.one("SDFG", lambda s: s["attributes"].get("_arrays")) or self.root

    def state(self):
        return self.one("SDFGState", lambda s: s["nodes"])

    def edge(self):
        state = self.one("SDFGState", lambda s: s["edges"])
        return (state, self.rng.choice(state["edges"])) if state else (None, None)

    def memlet(self):
        return self.one("Memlet", lambda m: m["attributes"].get("data"))

    # Each method makes one change and says so, or returns None when there is nothing to change.

    def memlet_names_another_container(self):
        sdfg, memlet = self.sdfg(), self.memlet()
        if memlet and sdfg["attributes"]["_arrays"]:
            memlet["attributes"]["data"] = self.rng.choice(list(sdfg["attributes"]["_arrays"]))
            return True

    def subset_loses_a_dimension(self):
        memlet = self.one("Memlet", lambda m: (m["attributes"].get("subset") or {}).get("ranges"))
        if memlet:
            memlet["attributes"]["subset"]["ranges"].pop()
            return True

    def subset_is_shifted(self):
        memlet = self.one("Memlet", lambda m: (m["attributes"].get("subset") or {}).get("ranges"))
        if memlet:
            dimension = self.rng.choice(memlet["attributes"]["subset"]["ranges"])
            by = self.rng.choice(["-1000000", "1000000"])
            for end in ("start", "end"):
                dimension[end] = f"({dimension[end]}) + {by}" if by[0] != "-" else f"({dimension[end]}) - 1000000"
            return True

    def copy_sizes_differ(self):
        memlet = self.one("Memlet", lambda m: (m["attributes"].get("other_subset") or {}).get("ranges"))
        if memlet:
            dimension = self.rng.choice(memlet["attributes"]["other_subset"]["ranges"])
            dimension["end"] = dimension["start"]
            return True

    def edge_is_lost(self):
        state, edge = self.edge()
        if state:
            state["edges"].remove(edge)
            return True

    def edge_is_doubled(self):
        state, edge = self.edge()
        if state:
            state["edges"].append(json.loads(json.dumps(edge)))
            return True

    def edge_goes_backward(self):
        state, edge = self.edge()
        if state:
            edge["src"], edge["dst"] = edge["dst"], edge["src"]
            edge["src_connector"], edge["dst_connector"] = edge["dst_connector"], edge["src_connector"]
            return True

    def edge_ends_elsewhere(self):
        state, edge = self.edge()
        if state:
            edge[self.rng.choice(["src", "dst"])] = str(self.rng.randrange(len(state["nodes"])))
            return True

    def edge_loses_its_connector(self):
        state, edge = self.edge()
        if state:
            edge[self.rng.choice(["src_connector", "dst_connector"])] = None
            return True

    def edge_names_an_unknown_connector(self):
        state, edge = self.edge()
        if state:
            edge[self.rng.choice(["src_connector", "dst_connector"])] = "zzz"
            return True

    def memlet_becomes_empty(self):
        memlet = self.memlet()
        if memlet:
            memlet["attributes"].update(data=None, subset=None, other_subset=None)
            return True

    def node_gets_a_connector(self):
        state = self.state()
        if state:
            node = self.rng.choice(state["nodes"])
            node["attributes"].setdefault(self.rng.choice(["in_connectors", "out_connectors"]), {})["zzz"] = None
            return True

    def scope_gets_a_connector(self):
        node = self.one(self.rng.choice(["MapEntry", "MapExit"]))
        if node:
            side = self.rng.choice(["in", "out"])
            node["attributes"].setdefault(side + "_connectors", {})[side.upper() + "_zzz"] = None
            return True

    def label_is_invalid(self):
        node = self.one(self.rng.choice(["Tasklet", "MapEntry", "NestedSDFG"]))
        if node:
            node["attributes"]["label"] = self.rng.choice(["1a", "a b", ""])
            return True

    def map_has_another_parameter(self):
        node = self.one("MapEntry")
        if node:
            node["attributes"]["params"].append("zzz")
            return True

    def map_goes_backward(self):
        node = self.one("MapEntry", lambda n: n["attributes"]["range"]["ranges"])
        if node:
            node["attributes"]["range"]["ranges"][0]["step"] = "-1"
            return True

    def access_node_names_another_container(self):
        sdfg, node = self.sdfg(), self.one("AccessNode")
        if node and sdfg["attributes"]["_arrays"]:
            node["attributes"]["data"] = self.rng.choice(list(sdfg["attributes"]["_arrays"]))
            return True

    def access_node_stands_alone(self):
        state, sdfg = self.state(), self.root
        if state and sdfg["attributes"]["_arrays"]:
            name = self.rng.choice(list(sdfg["attributes"]["_arrays"]))
            state["nodes"].append({"type": "AccessNode", "label": name, "id": len(state["nodes"]),
                                   "scope_entry": None, "scope_exit": None,
                                   "attributes": {"data": name, "in_connectors": {}, "out_connectors": {}}})
            return True

    def container_flips_transient(self):
        sdfg = self.sdfg()
        if sdfg["attributes"]["_arrays"]:
            data = sdfg["attributes"]["_arrays"][self.rng.choice(list(sdfg["attributes"]["_arrays"]))]
            data["attributes"]["transient"] = not data["attributes"].get("transient", False)
            return True

    def container_has_an_invalid_name(self):
        sdfg = self.sdfg()
        sdfg["attributes"]["_arrays"]["a b"] = {"type": "Scalar", "attributes": {
            "dtype": "int32", "shape": ["1"], "transient": True}}
        return True

    def container_persists_in_a_register(self):
        sdfg = self.sdfg()
        if sdfg["attributes"]["_arrays"]:
            data = sdfg["attributes"]["_arrays"][self.rng.choice(list(sdfg["attributes"]["_arrays"]))]
            data["attributes"].update(lifetime="Persistent", storage="Register")
            return True

    def symbol_has_a_container_s_name(self):
        sdfg = self.sdfg()
        if sdfg["attributes"]["_arrays"]:
            sdfg["attributes"].setdefault("symbols", {})[self.rng.choice(list(sdfg["attributes"]["_arrays"]))] = "int32"
            return True

    def symbol_is_undeclared(self):
        sdfg = self.sdfg()
        if sdfg["attributes"].get("symbols"):
            sdfg["attributes"]["symbols"].pop(self.rng.choice(list(sdfg["attributes"]["symbols"])))
            return True

    def interstate(self):
        return self.one("InterstateEdge")

    def edge_assigns_to_a_container(self):
        edge = self.interstate()
        if edge and self.root["attributes"]["_arrays"]:
            edge["attributes"].setdefault("assignments", {})[self.rng.choice(list(self.root["attributes"]["_arrays"]))] = "1"
            return True

    def edge_reads_an_undefined_symbol(self):
        edge = self.interstate()
        if edge:
            edge["attributes"].setdefault("assignments", {})["zz1"] = "zz2 + 1"
            return True

    def edge_assigns_with_a_race(self):
        edge = self.interstate()
        if edge:
            edge["attributes"].setdefault("assignments", {}).update({"zz1": "1", "zz2": "zz1 + 1"})
            return True

    def edge_assigns_to_an_invalid_name(self):
        edge = self.interstate()
        if edge:
            edge["attributes"].setdefault("assignments", {})["1z"] = "1"
            return True

    def block_labels_are_equal(self):
        region = self.one("SDFG", lambda s: len(s["nodes"]) > 1)
        if region:
            region["nodes"][0]["label"] = region["nodes"][1]["label"]
            return True

    def state_label_is_invalid(self):
        state = self.state()
        if state:
            state["label"] = "1 a"
            return True

    def mapping_lacks_a_symbol(self):
        node = self.one("NestedSDFG", lambda n: n["attributes"].get("symbol_mapping"))
        if node:
            node["attributes"]["symbol_mapping"].pop(self.rng.choice(list(node["attributes"]["symbol_mapping"])))
            return True

    def copy_has_a_negative_size(self):
        memlet = self.one("Memlet", lambda m: (m["attributes"].get("subset") or {}).get("ranges"))
        if memlet:
            dimension = self.rng.choice(memlet["attributes"]["subset"]["ranges"])
            dimension["start"], dimension["end"] = "5", "1"
            return True

    def gpu_storage(self):
        sdfg = self.sdfg()
        if sdfg["attributes"]["_arrays"]:
            data = sdfg["attributes"]["_arrays"][self.rng.choice(list(sdfg["attributes"]["_arrays"]))]
            data["attributes"]["storage"] = "GPU_Global"
            return True

    def subscript_in_a_tasklet(self):
        node = self.one("Tasklet", lambda n: n["attributes"].get("in_connectors")
                        and n["attributes"]["code"].get("language") == "Python")
        if node:
            name = self.rng.choice(list(node["attributes"]["in_connectors"]))
            node["attributes"]["code"]["string_data"] += f"\nzzz = {name}[0, 0, 0, 0, 0]"
            return True


def read(path):
    data = pathlib.Path(path).read_bytes()
    return json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", help="the sdfg-inspect program")
    parser.add_argument("corpus", help="a folder with SDFG files")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=4, help="damaged programs per kind of damage")
    parser.add_argument("--max-bytes", type=int, default=12000, help="take programs up to this size")
    parser.add_argument("--keep", help="a folder for the damaged programs")
    parser.add_argument("--cache", help="a file that keeps DaCe's answers")
    parser.add_argument("--show-stricter", action="store_true", help="show what only we refuse")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    files = [f for f in oracle.corpus_files(options.corpus, options.max_bytes) if "not_loadable" not in f]
    kinds = [k for k in vars(Damage) if not k.startswith("_")
             and k not in ("one", "sdfg", "state", "edge", "memlet", "interstate")]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(options.keep or scratch)
        folder.mkdir(exist_ok=True)
        made = []
        for kind in kinds:
            left, tries = options.rounds, 0
            while left and tries < 20 * options.rounds:
                tries += 1
                root = read(rng.choice(files))
                if getattr(Damage(root, rng), kind)():
                    left -= 1
                    path = folder / f"{kind}_{left}.sdfg"
                    path.write_text(json.dumps(root))
                    made.append(str(path))
        ours = oracle.inspect_all(options.tool, made)
        theirs = oracle.ask_all(made, options.jobs, options.cache)
    counts, problems = collections.Counter(), 0
    for path in made:
        name, mine, dace = pathlib.Path(path).name, ours[path], theirs[path]
        refused = mine.get("errors") or [mine["error"]] if "error" in mine or mine.get("errors") else []
        mistake = any(part in dace.get("validate", "") for part, why in MISTAKES)
        if "load" in dace or mistake:
            counts["that DaCe cannot load"] += 1
        elif "validate" in dace and not refused:
            problems += 1
            print(f"{name}: DaCe refuses it, we do not: {dace['validate']}")
        elif "validate" in dace:
            counts["refused by both"] += 1
        elif refused:
            counts["refused by us only"] += 1
            if options.show_stricter:
                print(f"{name}: only we refuse it: {refused[0]}")
        else:
            counts["accepted by both"] += 1
    print(f"{len(made)} damaged programs: " + ", ".join(f"{n} {what}" for what, n in sorted(counts.items()))
          + f", {problems} refused by DaCe only")
    return 1 if problems or not counts["refused by both"] else 0


if __name__ == "__main__":
    sys.exit(main())
