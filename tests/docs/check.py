#!/usr/bin/env python3
"""Runs the commands shown in README.md and docs/ and compares their output with what is shown.

A fenced block marked `console` is run: lines that start with `$ ` are commands, the lines below one
are its output, `…` on a line of its own stands for any lines, and `[…]` within a line for any text.
The blocks of one page run in order, in one folder that starts as a copy of examples/.
"""

import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def blocks(text):
    """(line number, lines) of each block marked `console`."""
    inside, start, lines = False, 0, []
    for number, line in enumerate(text.splitlines(), 1):
        if inside and line.startswith("```"):
            inside = False
            yield start, lines
        elif inside:
            lines.append(line)
        elif line.startswith("```console"):
            inside, start, lines = True, number, []


def commands(lines):
    """(command, expected lines); a command that ends in a backslash goes on in the next line."""
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif found and found[-1][0].endswith("\\") and not found[-1][1]:
            found[-1][0] = found[-1][0][:-1].rstrip() + " " + line.strip()
        elif found:
            found[-1][1].append(line)
    return found


def matches(expected, actual):
    """Lines equal one another, with the two kinds of ellipsis."""
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "…"
        else ".*?".join(re.escape(part) for part in line.split("[…]")) + r"\n"
        for line in expected)
    return re.fullmatch(pattern, "".join(line + "\n" for line in actual)) is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", required=True, help="folder with sdfg-opt")
    parser.add_argument("pages", nargs="*", help="default: README.md and docs/*.md")
    arguments = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    pages = [pathlib.Path(p) for p in arguments.pages] or [
        root / "README.md", root / "HACKING.md", *sorted((root / "docs").glob("*.md"))]
    # That page needs a tool of its own: tests/package/writing_a_pass.py does what it says.
    pages = [page for page in pages if page.name != "writing-a-pass.md"]
    tools = str(pathlib.Path(arguments.tools).resolve())
    environment = dict(os.environ, PATH=tools + os.pathsep + os.environ["PATH"], LC_ALL="C.UTF-8")
    ran = 0
    for page in pages:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(root / "examples", folder + "/examples")
            for number, lines in blocks(page.read_text()):
                for command, expected in commands(lines):
                    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment,
                                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                          timeout=600)
                    actual = done.stdout.decode().splitlines()
                    ran += 1
                    if matches(expected, actual):
                        continue
                    print(f"{page.name}:{number}: $ {command}\nshows another output than the page:")
                    print("\n".join(difflib.unified_diff(expected, actual, "page", "now",
                                                         lineterm="")))
                    return 1
    # docs/passes.md is generated.
    passes = subprocess.run([tools + "/sdfg-opt", "--list-passes=markdown"], check=True,
                            stdout=subprocess.PIPE).stdout
    if passes != (root / "docs/passes.md").read_bytes():
        print("docs/passes.md is not current; write it again with:\n"
              "  sdfg-opt --list-passes=markdown > docs/passes.md")
        return 1
    print(f"documents: {ran} commands show what the pages say; docs/passes.md is current")
    return 0


if __name__ == "__main__":
    sys.exit(main())
