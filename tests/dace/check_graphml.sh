#!/usr/bin/env bash
# networkx reads our GraphML: random programs of all kinds
# Called by scripts/test as: check_graphml.sh BUILD PYTHON PART
set -euo pipefail
cd "$(dirname "$0")/../.."
tools=$1/tools python=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for kind in branch-nest branches chain conditionals copies loops mixed nest states wide; do
  "$tools/sdfg-gen" --kind="$kind" --size=300 -o "$folder/$kind.graphml" 2>/dev/null
done
"$python" tests/dace/read_graphml.py "$folder"/*.graphml
