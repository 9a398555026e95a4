#!/usr/bin/env bash
# damaged programs that DaCe refuses have errors
# Arguments: build folder, Python with dace, ci or full.
set -euo pipefail
[[ -d "${SDFG_CORPUS:-}" ]] || { echo "SDFG_CORPUS names no folder: skipped"; exit 0; }
rounds=3
[[ "$3" == full ]] && rounds=20
exec "$2" "$(dirname "$0")/check_refusals.py" "$1/tests/sdfg-inspect" "$SDFG_CORPUS" --rounds "$rounds"
