#!/usr/bin/env python3
"""The arguments that we derive are DaCe's: names, order, types, by value or by address.

Compares signature() and init_signature() with SDFG.arglist() and the symbols of
SDFG.init_signature() for every recorded program that DaCe loads and validates.
Needs Python with dace.
"""

import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import oracle  # noqa: E402


def plain(arguments):
    """Callback types have no common spelling: the word is enough."""
    return [[name, "callback" if kind.startswith("callback") else kind, pointer]
            for name, kind, pointer in arguments]


def difference(mine, dace):
    if "arguments" not in mine:
        return f"verifier errors: {mine['errors'][0]}"
    if isinstance(dace["arguments"], str):  # DaCe cannot tell, which is an error
        return None if isinstance(mine["arguments"], dict) else f"DaCe: {dace['arguments']}, we have a signature"
    if isinstance(mine["arguments"], dict):
        return mine["arguments"]["error"]
    a, b = plain(mine["arguments"]), plain(dace["arguments"])
    init = dace["init"]
    # Ours count what library nodes need, as a call through DaCe does.
    if a != b and "called" in dace:
        b, init = plain(dace["called"]), dace["called_init"]
    if a != b:
        return f"ours only: {[x for x in a if x not in b]}, DaCe's only: {[x for x in b if x not in a]}"
    names = [name for name, kind, pointer in mine["init_arguments"]]
    return None if names == init else f"init: {names}, DaCe: {init}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", help="the sdfg-inspect program")
    parser.add_argument("corpus", help="a folder with SDFG files")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cache", help="a file that keeps DaCe's answers")
    parser.add_argument("--max-bytes", type=int, default=0, help="skip larger files")
    parser.add_argument("--every", type=int, default=1, help="take every n-th file only")
    options = parser.parse_args()
    files = oracle.corpus_files(options.corpus, options.max_bytes)[::options.every]
    theirs = oracle.ask_all(files, options.jobs, options.cache)
    files = [f for f in files if "arguments" in theirs[f]]
    ours = oracle.inspect_all(options.tool, files)
    problems = 0
    for file in files:
        found = ours[file].get("error") or difference(ours[file], theirs[file])
        if found:
            problems += 1
            print(f"{os.path.relpath(file, options.corpus)}: {found}")
    print(f"{len(files)} programs: {len(files) - problems} with DaCe's arguments, {problems} without")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
