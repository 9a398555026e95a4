#!/usr/bin/env python3
"""Puts the tables that run.py wrote into docs/benchmarks-gpu.md, and prints what its sentences say in numbers.

usage: page.py DIR

DIR holds table.md and kernels.md of one run.
"""
import math, pathlib, re, sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "benchmarks-gpu.md"
SETS = {"symbolic-45000": ("symbolic sizes, 45,000 cells", "## Symbolic sizes, 45,000 cells"),
        "typical-45000": ("the same, ours with a version for typical values",
                          "## Symbolic sizes with a version for typical values, 45,000 cells"),
        "symbolic-328050": ("symbolic sizes, 328,050 cells", "## Symbolic sizes, 328,050 cells"),
        "static-45000": ("known sizes, 45,000 cells", "## Known sizes, 45,000 cells")}


def rows(path):
    """{(program, set): cells} of a table whose first column is program@set."""
    found = []
    for line in path.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if "@" in cells[0]:
            found.append((*cells[0].split("@"), cells[1:]))
    return found


def mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


def percent(cell):
    return float(cell.rstrip(" %")) / 100


def replace_table(text, heading, lines):
    """The first table behind the heading gets other rows; its two lines of titles stay."""
    at = text.index(heading + "\n")
    table = re.compile(r"(\|[^\n]*\n\|[-|]+\n)((?:\|[^\n]*\n)*)").search(text, at)
    return text[:table.end(1)] + "".join(line + "\n" for line in lines) + text[table.end(2):]


def main():
    folder = pathlib.Path(sys.argv[1])
    table, kernels, page = rows(folder / "table.md"), rows(folder / "kernels.md"), PAGE.read_text()
    summary = []
    for name, (title, heading) in SETS.items():
        mine = sorted((program, cells) for program, where, cells in table if where == name)
        page = replace_table(page, heading, ["| " + " | ".join([program, *cells[:-1]]) + " |" for program, cells in mine])
        ratios = [float(cells[2]) for _, cells in mine]
        summary.append(f"| {title} | {mean(ratios):.2f} | {min(ratios):.2f} | {sum(r < 0.98 for r in ratios)} of "
                       f"{len(ratios)} | {mean(percent(cells[5]) for _, cells in mine):.0%} |".replace("%", " %"))
    page = re.sub(r"(\| \| geometric mean[^\n]*\n\|[-|]+\n)(?:\|[^\n]*\n)*", lambda m: m[1] + "\n".join(summary) + "\n", page)
    share = lambda cells: float(cells[-2]) / float(cells[-3])  # the last one is rounded
    slow = sorted((share(cells), f"| {program}@{where} | " + " | ".join(cells) + " |")
                  for program, where, cells in kernels if share(cells) < 0.85)
    page = replace_table(page, "## Where the aim is missed", [line for _, line in slow])
    PAGE.write_text(page)

    print("\n".join(summary))
    known = {program: float(cells[1]) for program, where, cells in table if where == "static-45000"}
    for name in ("symbolic-45000", "typical-45000"):
        beside = {p: known[p] / float(cells[0]) for p, where, cells in table if where == name}
        print(f"{name} beside DaCe's known sizes: {mean(beside.values()):.2f}, smallest "
              + ", ".join(f"{ratio:.2f} {program}" for program, ratio in sorted(beside.items(), key=lambda x: x[1])[:4]))
    print(f"{len(kernels) - len(slow)} of {len(kernels)} kernels at 85 %, "
          f"{mean(share(cells) for *_, cells in kernels):.0%} in the mean")
    print(f"{sum(cells[-1] == 'yes' for *_, cells in table)} of {len(table)} rows with the same bytes")


main()
