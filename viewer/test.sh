#!/bin/sh
# Checks the viewer: types, unit tests, that the built page is current, that no package is known to be
# unsafe, and the page in Chromium.
# Installs the npm packages when they are missing. SDFG_CORPUS names the folder of real programs.
set -eu
cd "$(dirname "$0")"

case "${1:-}" in
  -h|--help) echo "usage: viewer/test.sh [--no-browser]"; exit 0 ;;
esac

if ! command -v npm >/dev/null 2>&1; then
  echo "[SKIP] viewer: npm is not installed"
  exit 0
fi
# The lock file that npm wrote into node_modules tells whether what is there is what is asked for.
if [ ! -f node_modules/.stamp ] || ! cmp -s package-lock.json node_modules/.stamp; then
  npm ci --no-audit --no-fund --loglevel=error
  cp package-lock.json node_modules/.stamp
fi

npm run --silent check
npm run --silent test

# The committed page must be what the sources give, byte for byte.
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
npx vite build --outDir "$fresh" --emptyOutDir --logLevel error
if ! cmp -s "$fresh/index.html" dist/index.html; then
  echo "viewer: dist/index.html is not what the sources give; run 'npm run build' in viewer/ and commit it"
  exit 1
fi

# Known weaknesses of the packages, where the registry answers that question.
audit=$(npm audit --json 2>/dev/null || true)
case "$audit" in
  *'"vulnerabilities"'*)
    if ! npm audit >/dev/null 2>&1; then
      npm audit
      exit 1
    fi ;;
  *) echo "[SKIP] viewer: the registry answers no audits" ;;
esac

if [ "${1:-}" = --no-browser ]; then
  exit 0
fi
if [ -n "${CHROMIUM:-}" ] || command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1; then
  npm run --silent test:browser
else
  echo "[SKIP] viewer: no Chromium found; install the package chromium or set CHROMIUM"
fi
