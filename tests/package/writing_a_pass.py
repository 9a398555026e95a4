#!/usr/bin/env python3
"""Does what docs/writing-a-pass.md says: takes its files out of the page, builds them against the
installed library, and runs its commands with their output compared (tests/docs/check.py).

    tests/package/writing_a_pass.py PREFIX [CMAKE_ARGUMENT…]
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
page = root / "docs/writing-a-pass.md"
sys.path.insert(0, str(root / "tests/docs"))
import check  # noqa: E402


def main():
    prefix, arguments = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    text = page.read_text()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        files = re.findall(r"^```\w+ file=(\S+)\n(.*?)^```$", text, re.M | re.S)
        for name, body in files:
            (folder / name).write_text(body)
        subprocess.run(["cmake", "-S", folder, "-B", folder / "build", "-G", "Ninja",
                        f"-DCMAKE_PREFIX_PATH={prefix}", *arguments], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run(["cmake", "--build", folder / "build"], check=True)
        environment = dict(os.environ, PATH=f"{folder / 'build'}:{prefix / 'bin'}:{os.environ['PATH']}")
        wrong = count = 0
        for _, lines in check.blocks(text):
            for command, expected in check.commands(lines):
                count += 1
                done = subprocess.run(command, shell=True, cwd=folder, env=environment, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                if not check.matches(expected, done.stdout.splitlines()):
                    wrong += 1
                    print(f"docs/writing-a-pass.md: {command}\n{done.stdout}")
    if wrong or not count:
        sys.exit(f"writing a pass: {wrong} of {count} commands show something else")
    print(f"writing a pass: {len(files)} files built, {count} commands show what the page says")


if __name__ == "__main__":
    main()
