#!/usr/bin/env python3
"""Does the net hold? Switches off each condition of each check, in turn, and runs the text cases.

    tests/mutation/check.py --build build/dev [--sources passes/maps] [--only REGEX] [--fuzz 200]
    tests/mutation/check.py --build build/dev --predicates --since HEAD~20

A site is one condition under which a pass refuses: an operand of `||` in an `if` before `return "…"`,
or a refusal that no `if` guards. With --predicates it is one on which a predicate or a loop decides: an
operand of `||` in an `if` before `return false`, any other constant, or `continue`, or an operand of a
returned `||` or `&&`. With --since, only lines count that differ from a revision.

Copies of the sources, in BUILD/mutation or BUILD/mutation-predicates, ask before each site whether it
is off (SDFG_MUTATION=NUMBER in the environment); they are linked over the library of BUILD, whose own
sources know nothing of this. A site is caught when a text case fails, or, with --fuzz, when
tests/random/pipelines.py finds a fault in that many programs. Only the cases of files in which the condition
holds somewhere run; survivors are printed with their place and with how many these are.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOOK = """\
#pragma once
#include <cstdio>
#include <cstdlib>
#include <set>
namespace sdfg_mutation {
/// Writes down, once, that a condition holds, when SDFG_MUTATION_HITS names a file.
inline void hit(int site) {
  static const char* const path = std::getenv("SDFG_MUTATION_HITS");
  static std::set<int> known;
  if (!path || !known.insert(site).second) return;
  if (std::FILE* file = std::fopen(path, "a")) {
    std::fprintf(file, "%d\\n", site);
    std::fclose(file);
  }
}
/// The number of the first site of a source.
int first_of(const char* source);
inline const int off = std::getenv("SDFG_MUTATION") ? std::atoi(std::getenv("SDFG_MUTATION")) : -1;
inline bool holds(int site, bool condition) {
  if (condition) hit(site);
  return condition && site != off;
}
}
"""
FIRST = """\
#include <map>
#include <string>
#include "mutation.h"
int sdfg_mutation::first_of(const char* source) {
  static const std::map<std::string, int> first{%s};
  return first.at(source);
}
"""
COMMON = """\
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "ir/analysis/memlet_path.h"
#include "ir/replace.h"
#include "ir/walk.h"
#include "mutation.h"
#include "passes/transformation.h"
"""
# Literals are masked before matching: a string is "xxx" of the same length.
REFUSALS = re.compile(r"""\breturn\s+(?!\{)[^;{]*"[^;]*;        # return "…" + …;
                        | \breturn\s+Diagnostic\{
                        | \b(?:return\s+)?\w+(?:\.|->)refused\([^;]*"[^;]*;
                        | \b[\w.]*(?:refusal|unfit|why)\s*=\s*[^;=]*"[^;]*;""", re.X)
ANSWERS = re.compile(r"""\breturn\s+(?:false|true|std::nullopt|nullptr|\{\}|(?:\w+::)+[A-Z]\w*)\s*;
                       | \bcontinue\s*;""", re.X)
RETURN = re.compile(r"\breturn\b")
DECLARES = re.compile(r"^\s*(?:const\s+)?(?:auto\b|[A-Z]\w*\b|std::)[\w:<>\s]*[&*\s]\s*(\w+)\s*=(?!=)")
RETURNS_REFUSAL = re.compile(r"^(?:static |inline )*Refusal [\w:]+\(|-> Refusal\s*$")
RETURNS_DECISION = re.compile(r"^(?:static |inline )*(?:Refusal|Status|Result<.*>|std::optional<.*>|std::string"
                              r"|Plan|bool|void) [\w:]+\(|\]\s*(?:\([^)]*\))?[^;]*$")


def masked(text):
    """Strings, characters and comments without what could be taken for code, at the same places."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((.*?)\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)

    def blank(found):
        word = found.group()
        if word.startswith("/"):
            return re.sub(r"[^\n]", " ", word)
        return word[0].replace("R", '"') + re.sub(r"[^\n]", "x", word[1:-1]) + word[-1]
    return token.sub(blank, text)


def closing(code, at):
    """The place behind the bracket that closes the one at a place."""
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] in "([{") - (code[i] in ")]}")
        if depth == 0:
            return i + 1
    return len(code)


def opening(code, end):
    """The place of the bracket that the one at a place closes."""
    depth = 0
    for i in range(end, -1, -1):
        depth += (code[i] in ")]}") - (code[i] in "([{")
        if depth == 0:
            return i
    return 0


def enclosing(code, at):
    """The place of the brace around a place, or -1."""
    depth = 0
    for i in range(at - 1, -1, -1):
        depth += (code[i] in "}") - (code[i] in "{")
        if depth < 0:
            return i
    return -1


def header(code, brace):
    """What stands before a brace, back to the end of the statement before."""
    i, depth = brace - 1, 0
    while i >= 0:
        depth += (code[i] in ")]") - (code[i] in "([")
        if depth == 0 and code[i] in ";{}":
            break
        if depth < 0:
            break
        i -= 1
    return i + 1, code[i + 1:brace].strip()


def guard(code, at):
    """(begin, end) of the condition of the `if` that leads to a statement, or nothing."""
    before = code[:at].rstrip()
    if before.endswith(")"):
        begin = opening(code, len(before) - 1)
        word = re.search(r"\b(\w+)\s*$", code[:begin])
        if word and word.group(1) == "if":
            return begin + 1, len(before) - 1
        return None
    brace = enclosing(code, at)
    if brace < 0:
        return None
    start, text = header(code, brace)
    if re.match(r"(?:else\s+)?if\s*\(", text):
        begin = code.index("(", start)
        return begin + 1, closing(code, begin) - 1
    return None


def function_header(code, at):
    """The header of the function or lambda around a place."""
    brace = enclosing(code, at)
    while brace >= 0:
        _, text = header(code, brace)
        text = re.sub(r"^(?:private|protected|public):\s*", "", text)
        if text and not re.match(r"(?:else\b|if\b|for\b|while\b|switch\b|do\b|namespace\b)", text):
            return re.sub(r"\s+", " ", text)
        brace = enclosing(code, brace)
    return ""


def statement_end(code, at):
    """The place of the semicolon that ends the statement at a place."""
    while code[at] != ";":
        at = closing(code, at) if code[at] in "([{" else at + 1
    return at


def operands(code, begin, end, operator="||"):
    """The places of the operands of an operator at the top level."""
    parts, depth, start = [], 0, begin
    for i in range(begin, end):
        depth += (code[i] in "([{") - (code[i] in ")]}")
        if depth == 0 and code[i] == "?":
            return [(begin, end)]
        if depth == 0 and code.startswith(operator, i):
            parts.append((start, i))
            start = i + len(operator)
    return parts + [(start, end)]


def guarding(code, at):
    """The conditions of the `if` that leads to a statement."""
    if not (condition := guard(code, at)):
        return
    begin, end = operands(code, *condition, ";")[-1]
    if declared := DECLARES.match(code[begin:end]):
        yield begin, (end, end), f"; sdfg_mutation::holds(@, bool({declared.group(1)}))", ""
        return
    for first, last in operands(code, begin, end):
        yield first, (first, last), "sdfg_mutation::holds(@, bool(", "))"


def unguarded(code, at):
    """A refusal that no `if` leads to."""
    if code.startswith("return", at) and not guard(code, at):
        begin, end = at + len("return"), code.index(";", at)
        yield at, (begin, end), " !sdfg_mutation::holds(@, true) ? Refusal() : Refusal(", ")"


def returned(code, at):
    """The operands of a returned `||`, or else of a returned `&&`: one that is off decides nothing."""
    begin, end = at + len("return"), statement_end(code, at)
    for operator, negated in ("||", ""), ("&&", "!"):
        parts = operands(code, begin, end, operator)
        if len(parts) > 1:
            for first, last in parts:
                yield first, (first, last), f" {negated}sdfg_mutation::holds(@, {negated}bool(", "))"
            return


# (kind, statements, functions that these count in, conditions that end there). What several rows find
# is of the first one's kind: `why = "…"; return false;` is a refusal.
ENDS = [
    ("refusals", REFUSALS, RETURNS_DECISION, guarding),
    ("refusals", REFUSALS, RETURNS_REFUSAL, unguarded),
    ("predicates", ANSWERS, None, guarding),
    ("predicates", RETURN, None, returned),
]


def sites(text, kind):
    """[(place, (begin, end), text before, text after)]: how to switch each condition of a kind off. In
    the texts, @ is the number of the site within its source."""
    code, found = masked(text), {}
    for of, statements, functions, conditions in ENDS:
        for statement in statements.finditer(code):
            at = statement.start()
            if not functions or functions.search(function_header(code, at)):
                for site in conditions(code, at):
                    found.setdefault(site[1][0], (of, site))
    return sorted((site for of, site in found.values() if of == kind), key=lambda s: s[1])


def mutated(name, text, kind):
    """The text of a source with every site switchable, and what each site is: (line, condition, last
    line). Sites count from the source's first one, so that a source stays the same when others change."""
    insertions, what = [], []
    for place, (begin, end), before, after in sites(text, kind):
        insertions += [(begin, before.replace("@", f"first_site + {len(what)}")), (end, after)]
        line = text.count("\n", 0, place + len(text[place:]) - len(text[place:].lstrip())) + 1
        shown = text[place:end] if end > place else text[begin:end]
        what.append((line, re.sub(r"\s+", " ", shown.strip())[:110], text.count("\n", 0, end) + 1))
    out, at = f'static const int first_site = sdfg_mutation::first_of("{name}");\n', 0
    for place, inserted in sorted(insertions, key=lambda insertion: insertion[0]):
        out += text[at:place] + inserted
        at = place
    return out + text[at:], what


def changed_lines(revision):
    """{file: numbers of its lines that differ from a revision}."""
    diff = subprocess.run(["git", "-C", ROOT, "diff", "--no-prefix", "--unified=0", revision, "--"],
                          capture_output=True, text=True)
    if diff.returncode:
        sys.exit(diff.stderr.strip())
    changed = {}
    for file, first, count in re.findall(r"^\+\+\+ (.+)|^@@ \S+ \+(\d+)(?:,(\d+))? @@", diff.stdout, re.M):
        if file:
            lines = changed.setdefault(file, set())
        else:
            lines.update(range(int(first), int(first) + int(count or 1)))
    return changed


def folder_of(arguments):
    """Where the mutated sources and tools are."""
    return arguments.build.resolve() / ("mutation" if arguments.kind == "refusals" else "mutation-predicates")


def take_predicates(parser, help):
    parser.add_argument("--predicates", dest="kind", action="store_const", const="predicates", default="refusals",
                        help=help)


def sources(path):
    return [path] if path.is_file() else path.rglob("*.cpp")


def build(arguments, folder, changed):
    """Writes the mutated sources, compiles them, links the tools; the list of sites. Sources without
    changed lines are left out."""
    folder.mkdir(parents=True, exist_ok=True)
    commands = {c["file"]: c for c in json.loads((arguments.build / "compile_commands.json").read_text())}
    # What nearly every source includes is compiled once.
    common = folder / "common.h"
    write(folder / "mutation.h", HOOK)
    write(common, COMMON)
    # Objects know nothing of the headers that they were made from.
    headers = max(header.stat().st_mtime for top in (ROOT / "ir", ROOT / "support", ROOT / "passes", folder)
                  for header in top.rglob("*.h"))

    def is_old(made, source):
        return not made.exists() or made.stat().st_mtime < max(headers, source.stat().st_mtime)
    if is_old(common.with_suffix(".h.gch"), common):
        words = shlex.split(next(iter(commands.values()))["command"])
        words = words[:words.index("-o")] + ["-O0", f"-I{folder}", "-x", "c++-header", str(common), "-o",
                                              str(common) + ".gch"]
        subprocess.run(words, cwd=arguments.build, check=True)
    listed, jobs, objects, first = [], [], [], {}

    def compile_later(copy, text, command):
        compiled = copy.with_suffix(".o")
        objects.append(str(compiled))
        write(copy, text)
        if is_old(compiled, copy):
            words = shlex.split(command)
            jobs.append(words[:words.index("-o")] + ["-O0", "-w", "-include", str(common), f"-I{folder}",
                                                      "-o", str(compiled), "-c", str(copy)])
    for source in sorted(source for name in arguments.sources for source in sources(ROOT / name)):
        name = str(source.relative_to(ROOT))
        if changed is not None and name not in changed:
            continue
        text, what = mutated(name, source.read_text(), arguments.kind)
        if what:
            first[name] = len(listed)
            listed += [(name, *w) for w in what]
            compile_later(folder / name.replace("/", "@"), text, commands[str(source)]["command"])
    table = ", ".join(f'{{"{name}", {number}}}' for name, number in first.items())
    compile_later(folder / "first.cpp", FIRST % table, commands[str(source)]["command"])
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for words, done in zip(jobs, pool.map(lambda w: subprocess.run(w, cwd=arguments.build), jobs)):
            if done.returncode:
                pathlib.Path(words[words.index("-o") + 1]).unlink(missing_ok=True)
                sys.exit(f"does not compile: {words[-1]}")
    for tool in ("tests/text_test", "tools/sdfg-opt"):
        lines = subprocess.run(["ninja", "-C", arguments.build, "-t", "commands", tool],
                               capture_output=True, text=True).stdout.splitlines()
        link = next(w for w in lines[-1].split("&&") if " -o " in w)
        words = shlex.split(link)
        words[words.index("-o") + 1] = str(folder / pathlib.Path(tool).name)
        words[words.index("libsdfg.a"):words.index("libsdfg.a")] = objects
        subprocess.run(words, cwd=arguments.build, check=True)
    return listed


def write(path, text):
    """Leaves a file of the same text alone, with its time."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def run_cases(folder, cases, **environment):
    """Do the text cases pass?"""
    try:
        done = subprocess.run([folder / "text_test", "--gtest_fail_fast", "--gtest_brief=1",
                               "--gtest_filter=" + ":".join(cases)], cwd=folder, capture_output=True,
                              env={**os.environ, **environment}, timeout=120)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def cases_by_site(folder, jobs):
    """({site: text cases of the files in which its condition holds}, cases that fail with nothing
    switched off). Only the former can notice that a condition is switched off, and the latter never do."""
    lines = subprocess.run([folder / "text_test", "--gtest_list_tests"], capture_output=True,
                           text=True).stdout.splitlines()
    files = {}
    for line in lines:
        if line.startswith("  Shows/"):
            case = "*." + line.split()[0]
            files.setdefault(case.split("__")[0], []).append(case)

    def look(cases):
        with tempfile.TemporaryDirectory() as scratch:
            hits = pathlib.Path(scratch) / "hits"
            passes = run_cases(folder, cases, SDFG_MUTATION_HITS=str(hits))
            return passes, list(map(int, hits.read_text().split() if hits.exists() else []))
    by_site, failing = {}, []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for cases, (passes, held) in zip(files.values(), pool.map(look, files.values())):
            if not passes:
                alone = [case for case in cases if look([case])[0]]
                failing += [case for case in cases if case not in alone]
                cases, held = alone, look(alone)[1] if alone else []
            for site in held:
                by_site.setdefault(site, []).extend(cases)
    return by_site, failing


def caught_by(folder, arguments, site, cases):
    """What notices that a site is switched off, or nothing."""
    batches = [cases[i:i + 300] for i in range(0, len(cases), 300)]  # a command line has its limits
    if not all(run_cases(folder, batch, SDFG_MUTATION=str(site)) for batch in batches):
        return "a text case"
    if arguments.fuzz and fails_a_seed(folder, arguments, site):
        return "random pipelines"
    return None


def fails_a_seed(folder, arguments, site):
    environment = {**os.environ, "SDFG_MUTATION": str(site)}
    done = subprocess.run([ROOT / "tests/random/pipelines.py", "--tools", folder, "--seed", str(1000 * site),
                           "--count", str(arguments.fuzz), "--jobs", "1"],
                          env=environment, capture_output=True, text=True)
    return done.returncode == 1 and " 0 faults" not in done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/dev", help="a build of everything")
    parser.add_argument("--sources", nargs="+", default=["passes"], help="files and folders to switch off conditions in")
    take_predicates(parser, "conditions of predicates and loops instead of refusals")
    parser.add_argument("--since", metavar="REV", help="only sites on lines that differ from this revision")
    parser.add_argument("--only", default="", help="sites whose file and condition match")
    parser.add_argument("--fuzz", type=int, default=0, help="random programs for each site that no case catches")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--built", action="store_true", help="what was built the last time")
    parser.add_argument("--list", action="store_true", help="print the sites and end")
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    folder = folder_of(arguments)
    changed = changed_lines(arguments.since) if arguments.since else None
    sites_file = folder / "sites.json"
    if arguments.built:
        listed = json.loads(sites_file.read_text())
    else:
        listed = build(arguments, folder, changed)
        write(sites_file, json.dumps(listed))
    chosen = [n for n, (name, line, condition, last) in enumerate(listed)
              if re.search(arguments.only, f"{name}: {condition}")
              and (changed is None or not changed.get(name, set()).isdisjoint(range(line, last + 1)))]
    if arguments.list:
        print("\n".join(f"{n} {listed[n][0]}:{listed[n][1]}: {listed[n][2]}" for n in chosen))
        return
    cases, failing = cases_by_site(folder, arguments.jobs)
    for case in failing:
        print(f"left out, because it fails anyway: {case}")
    if not (folder / "sdfg-gen").exists():
        (folder / "sdfg-gen").symlink_to(arguments.build / "tools/sdfg-gen")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        by_cases, survivors = 0, []
        for n, found in zip(chosen, pool.map(
                lambda n: caught_by(folder, arguments, n, cases.get(n, [])), chosen)):
            by_cases += found == "a text case"
            if not found:
                survivors.append(n)
                print(f"SURVIVES {n} {listed[n][0]}:{listed[n][1]}: {listed[n][2]}  "
                      f"({len(cases.get(n, []))} cases)", flush=True)
    caught = len(chosen) - len(survivors)
    print(f"{caught} of {len(chosen)} conditions ({100 * caught / max(1, len(chosen)):.1f} %) are caught when "
          f"switched off: {by_cases} by text cases, {caught - by_cases} by random pipelines")


if __name__ == "__main__":
    main()
