#!/usr/bin/env python3
"""Which conditions check.py sees in a source, and how it makes them switchable."""

import subprocess
import unittest
import unittest.mock

import check

SOURCE = '''
Refusal fits(const Map& map) {
  if (map.empty() || name(map) == "a || b") return "it has no iterations";  // return false;
  if (const auto* outer = parent(map); outer && outer->collapsed) {
    return "it is collapsed: " + outer->label;
  }
  return "it is a map";
}

bool is_known(const Map& map) {
  if (const auto found = known.find(map); found != known.end()) return found->second;
  for (const Range& range : map.ranges)
    if (!range.step || is_one(*range.step)) continue;
  if (const auto* text = std::get_if<Text>(&map.label)) return false;
  if (std::ranges::any_of(map.params, [&](const auto& p) { return p.empty() || p == map.label; })) {
    return false;
  }
  return map.ranges.size() == 1 &&
         (map.first || map.last);
}

std::optional<int> depth(const Map& map) {
  if (map.top) {
    why = "it is at the top";
    return std::nullopt;
  }
  if constexpr (small) return {};
  if (map.order == Order::Any) return Truth::Unknown;
  return map.a || map.b ? 1 : 2;
}
'''


class Sites(unittest.TestCase):
    maxDiff = None

    def seen(self, kind):
        return [f"{line}: {condition}" for line, condition, _ in check.mutated("a.cpp", SOURCE, kind)[1]]

    def test_conditions_under_which_a_pass_refuses(self):
        self.assertEqual(self.seen("refusals"), [
            "3: map.empty()", '3: name(map) == "a || b"', "4: outer && outer->collapsed",
            '7: return "it is a map"', "23: map.top"])

    def test_conditions_of_predicates_and_loops(self):
        self.assertEqual(self.seen("predicates"), [
            "13: !range.step", "13: is_one(*range.step)", "14: const auto* text = std::get_if<Text>(&map.label)",
            "15: std::ranges::any_of(map.params, [&](const auto& p) { return p.empty() || p == map.label; })",
            "15: p.empty()", "15: p == map.label", "18: map.ranges.size() == 1", "19: (map.first || map.last)",
            "28: map.order == Order::Any"])

    def test_each_asks_whether_it_is_off(self):
        def switched(line, kind="predicates"):
            return check.mutated("a.cpp", SOURCE, kind)[0].splitlines()[line].replace("sdfg_mutation::", "")
        self.assertEqual(switched(7, "refusals"),
                         '  return !holds(first_site + 3, true) ? Refusal() : Refusal( "it is a map");')
        self.assertEqual(switched(13), "    if (holds(first_site + 0, bool(!range.step ))||"
                         "holds(first_site + 1, bool( is_one(*range.step)))) continue;")
        self.assertEqual(switched(14), "  if (const auto* text = std::get_if<Text>(&map.label)"
                         "; holds(first_site + 2, bool(text))) return false;")
        # An operand of `&&` that is off is true, one of `||` is false. Sites may lie in each other.
        self.assertEqual(switched(18), "  return !holds(first_site + 6, !bool( map.ranges.size() == 1 ))&&"
                         " !holds(first_site + 7, !bool(")
        self.assertEqual(switched(15), "  if (holds(first_site + 3, bool(std::ranges::any_of(map.params, "
                         "[&](const auto& p) { return holds(first_site + 4, bool( p.empty() ))||"
                         " holds(first_site + 5, bool( p == map.label)); })))) {")

    def test_lines_that_changed(self):
        diff = "--- a.cpp\n+++ a.cpp\n@@ -3 +3,2 @@ bool f() {\n-x\n+y\n+z\n@@ -9,2 +10,0 @@\n@@ -20 +20 @@\n-x\n+y\n"
        done = subprocess.CompletedProcess([], 0, diff, "")
        with unittest.mock.patch.object(subprocess, "run", return_value=done):
            self.assertEqual(check.changed_lines("HEAD"), {"a.cpp": {3, 4, 20}})


if __name__ == "__main__":
    unittest.main()
