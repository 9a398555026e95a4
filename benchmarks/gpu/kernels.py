"""Times of our kernels one by one, beside what a plain kernel of the same class needs for the same bytes.

prepare.py writes each program a second time with `timers = on` (events around each kernel), run.py calls it after the
timed rounds and reads the report that it leaves. A kernel that runs several times a call, or whose bytes were not
counted, has no row of its own.
"""
import json, os

LEAST_BYTES = 100e6  # the bound is asked of kernels that move at least this


def kernel_times(program, calls, report, synchronize):
    """{kernel: (median device microseconds, launches a call)}; the report is written when the program is closed."""
    os.environ["SDFG_REPORT"] = str(report)
    report.unlink(missing_ok=True)
    program.call(calls)
    synchronize()
    program.close()
    times = {}
    for event in json.loads(report.read_text())["traceEvents"]:
        times.setdefault(event["name"].removeprefix("Map "), []).append(event["dur"])
    return {kernel: (sorted(us)[len(us) // 2], len(us) / calls) for kernel, us in times.items()}


def kernel_rows(name, moved, times, bound_us):
    """[(program, kernel, kind, MB, us, bound us)] of the kernels that move LEAST_BYTES or more; `bound_us(kind, bytes)`."""
    rows = []
    for kernel in moved["kernels"]:
        us, launches = times.get(kernel["name"], (0, 0))
        if kernel["bytes"] >= LEAST_BYTES and launches == 1:
            rows.append((name, kernel["name"], kernel["kind"], kernel["bytes"] / 1e6, us, bound_us(kernel["kind"], kernel["bytes"])))
    return rows


def kernel_table(rows):
    """Markdown, the smallest share first."""
    lines = ["| program | kernel | class | MB | us | bound us | share |", "|---|---|---|---|---|---|---|"]
    for program, kernel, kind, megabytes, us, bound in sorted(rows, key=lambda row: row[5] / row[4]):
        lines.append(f"| {program} | {kernel} | {kind} | {megabytes:.1f} | {us:.1f} | {bound:.1f} | {100 * bound / us:.0f} % |")
    return "\n".join(lines) + "\n"
