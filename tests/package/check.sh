#!/usr/bin/env bash
# Installs the library into an empty folder, builds examples/vector_add against it with nothing but
# find_package, and runs what it writes: tests/package/check.sh BUILD_FOLDER
set -euo pipefail
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
launcher=()
if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi

cmake --install "$build" --prefix "$work/prefix" >/dev/null
cmake -S examples/vector_add -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" \
  "${launcher[@]}" >/dev/null
cmake --build "$work/build"
(cd "$work" && build/vector_add)
"$work/prefix/bin/sdfg-opt" "$work/vector_add.sdfg" --verify-only
for tool in sdfg-gen sdfg-reduce; do "$work/prefix/bin/$tool" --help >/dev/null; done
tests/package/check_wrong_passes.sh "$work/prefix"
tests/package/new_pass.sh
python3 tests/package/writing_a_pass.py "$work/prefix" "${launcher[@]}"
echo "package: the installed library builds and runs examples/vector_add"
