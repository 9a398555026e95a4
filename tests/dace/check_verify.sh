#!/usr/bin/env bash
# our verifier and DaCe agree on recorded programs
# Arguments: build folder, Python with dace, ci or full.
set -euo pipefail
[[ -d "${SDFG_CORPUS:-}" ]] || { echo "SDFG_CORPUS names no folder: skipped"; exit 0; }
sample=(--every 12 --max-bytes 40000)
[[ "$3" == full ]] && sample=()
exec "$2" "$(dirname "$0")/check_verify.py" "$1/tests/sdfg-inspect" "$SDFG_CORPUS" "${sample[@]}"
