#!/usr/bin/env bash
# Packs what GT4Py programs need on a machine without a network.
#
# usage: pack.sh SDFG_OPT DIR
#
# DIR gets GT4Py, DaCe and what they need as wheels for Python 3.12 on x86-64 (21 MB), sdfg-opt, the
# package sdfg_gt4py, tests/programs and these benchmarks. The machine brings a compiler (nvcc and
# CuPy for a GPU) and the common packages that are not in the list below. There:
#   . DIR/enter && tests/programs/check.py --device cuda --tool ./sdfg-opt --jobs 8
set -euo pipefail
tool=$(realpath "$1") out=$2
cd "$(dirname "$0")/../.."
mkdir -p "$out/wheels"
strip -o "$out/sdfg-opt" "$tool"
rm -rf "$out"/{python,tests,benchmarks,codegen}
mkdir -p "$out/tests" "$out/benchmarks" "$out/codegen"
cp -r python "$out"
cp -r tests/programs "$out/tests"
cp -r benchmarks/gt4py "$out/benchmarks"
cp -r codegen/runtime "$out/codegen"
find "$out" -name __pycache__ -prune -exec rm -r {} +
.venv/bin/python -m pip wheel --quiet --no-deps --wheel-dir "$out/wheels" \
  gt4py==1.2.1 dace==2.0.0a6 array-api-compat asttokens==2.4.1 astunparse boltons cached-property \
  cachebox cytoolz deepdiff devtools dill executing factory_boy Faker fparser frozendict \
  gridtools-cpp lark Mako networkx==3.5 ordered-set orderly-set platformdirs ply pybind11 \
  pytokens toolz versioningit black
cat > "$out/enter" <<'ENTER'
cd "$(dirname "${BASH_SOURCE[0]}")"
[ -d site ] || python3 -m pip install -q --no-index --no-deps --no-compile --target site wheels/*.whl
export PYTHONPATH=$PWD/site:$PWD/python
ENTER
du -sh "$out"
