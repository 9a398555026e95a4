#!/usr/bin/env python3
"""Our verifier and DaCe's validation agree on recorded programs.

What DaCe loads and validates must verify without errors; what DaCe refuses in validation must have
an error. Files that DaCe cannot load are skipped. Prints a line per disagreement and a closing line.

Needs Python with dace.
"""

import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import oracle  # noqa: E402

# Refusals that are mistakes of DaCe: (part of its message, why).
MISTAKES = [
    ("'str' object has no attribute 'free_symbols'", "structure members may be expressions"),
]


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
    ours = oracle.inspect_all(options.tool, files)
    theirs = oracle.ask_all(files, options.jobs, options.cache)
    agree = problems = skipped = 0
    for file in files:
        name, mine, dace = os.path.relpath(file, options.corpus), ours[file], theirs[file]
        mistake = any(part in dace.get("validate", "") for part, why in MISTAKES)
        if "load" in dace or mistake:
            skipped += 1
        elif "error" in mine:
            problems += 1
            print(f"{name}: DaCe loads it, we do not: {mine['error']}")
        elif "validate" in dace:
            if mine["errors"]:
                agree += 1
            else:
                problems += 1
                print(f"{name}: DaCe refuses it, we do not: {dace['validate']}")
        else:
            errors = mine["errors"]
            if errors:
                problems += 1
                print(f"{name}: DaCe accepts it, we do not: {errors[0]}"
                      + (f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""))
            else:
                agree += 1
    print(f"{len(files)} files: {agree} agree, {problems} disagree, {skipped} that DaCe cannot load")
    return 1 if problems or not agree else 0


if __name__ == "__main__":
    sys.exit(main())
