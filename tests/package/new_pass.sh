#!/usr/bin/env bash
# What scripts/new-pass writes can be compiled, stands in the lists, and has a text case; in a copy of what it changes.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/passes/simplify" "$work/scripts" "$work/tests/text/passes"
cp scripts/new-pass "$work/scripts"
cp passes/CMakeLists.txt passes/registry.cpp "$work/passes"

"$work/scripts/new-pass" simplify/look-at-maps "look at maps" >/dev/null
"$work/scripts/new-pass" simplify/look-at-all "look at all" --whole-graph >/dev/null
for name in look_at_all look_at_maps; do
  grep -q "simplify/$name.cpp" "$work/passes/CMakeLists.txt"
  grep -q "^sdfg-opt --${name//_/-}$" "$work/tests/text/passes/${name//_/-}.test"
done
for source in registry.cpp simplify/look_at_all.cpp simplify/look_at_maps.cpp; do
  ${CXX:-c++} -std=c++20 -Wall -Wextra -Werror -Wno-missing-field-initializers -fsyntax-only \
    -I"$work" -I. "$work/passes/$source"
done
echo "package: passes written by scripts/new-pass compile"
