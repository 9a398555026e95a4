"""GT4Py's own tests with sdfg_gt4py in place of GT4Py's DaCe backend.

A plugin for pytest. The tests are not in GT4Py's package; in the folder tests/ of its sources, of the version that
is installed:

  PYTHONPATH=.:…/tests/programs:…/python python -m pytest -p gt4py_upstream --sdfg-opt=…/tools/sdfg-opt \\
      -c ../pyproject.toml -k dace_cpu next_tests/integration_tests

Tests with run_dace_cpu then run what sdfg-opt makes of a program, and those with run_dace_cpu_noopt what it generates
without optimizing. CXX is left to CMake, too, which takes one word only (no `ccache c++`). Works with pytest-xdist.
"""


def pytest_addoption(parser):
    group = parser.getgroup("sdfg-opt")
    group.addoption("--sdfg-opt", metavar="PATH", help="the tool; without it GT4Py's own backend runs")


def pytest_configure(config):
    if tool := config.getoption("--sdfg-opt"):
        import gt4py.next.program_processors.runners.dace as runners
        import sdfg_gt4py
        for name, optimized in (("run_dace_cpu", True), ("run_dace_cpu_noopt", False)):
            setattr(runners, name, sdfg_gt4py.make_backend(device="cpu", tool=tool, auto_optimize=optimized))
