#!/usr/bin/env bash
# What the compiler says of classes that are no passes: tests/package/check_wrong_passes.sh PREFIX
set -euo pipefail
include=$1/include/sdfg
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# expect MESSAGE: a class W on standard input; registering it must not compile, and say this.
expect() {
  {
    echo '#include "passes/registry.h"'
    echo 'using namespace sdfg;'
    cat
    echo 'constexpr Registered made = entry<W>();'
  } >"$work/wrong.cpp"
  if c++ -std=c++20 -fsyntax-only -I "$include" "$work/wrong.cpp" 2>"$work/said"; then
    echo "a class that is no pass compiles: expected '$1'" >&2
    exit 1
  fi
  grep -q -- "$1" "$work/said" || { cat "$work/said"; echo "expected '$1'" >&2; exit 1; }
}

info='static constexpr PassInfo info{"w", "", ""};'
expect 'a pass needs `static constexpr sdfg::PassInfo info' <<<"struct W { struct Options {}; };"
expect 'a pass needs `struct Options' <<<"struct W { $info };"
expect 'a pass needs Match, check and apply' <<<"struct W { $info struct Options {}; };"
expect 'check is `static Refusal check' <<<"struct W { $info struct Options {};
  using Match = Path<Tasklet>;
  static bool check(const Sdfg&, const State&, const Match&, const Options&);
  static void apply(Sdfg&, State&, const Match&, const Options&); };"
expect 'run is `static Result<Changed> run' <<<"struct W { $info struct Options {};
  static Changed run(Sdfg&, const Options&, PassContext&); };"
expect 'an option is a bool, std::int64_t' <<<"struct W { $info struct Options {
    float factor = 1;
    static constexpr auto properties = property_list(property(\"factor\", &Options::factor, \"\"));
  };
  static Result<Changed> run(Sdfg&, const Options&, PassContext&); };"
echo "wrong passes: the compiler says what is missing"
