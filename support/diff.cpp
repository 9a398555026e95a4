#include "support/diff.h"

#include <algorithm>
#include <span>
#include <vector>

#include "support/text.h"

namespace sdfg {
namespace {

using Lines = std::span<const std::string_view>;

/// One line of the result: ' ' in both, '-' before only, '+' after only.
struct Step {
  char sign;
  std::string_view line;
};
using Script = std::vector<Step>;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines = split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

void append(Script& script, char sign, Lines lines) {
  for (std::string_view line : lines) script.push_back({sign, line});
}

// Myers' greedy algorithm. front[d] holds, for each diagonal k = -d, -d+2, …, d, how far into
// `before` d edits can get; walking the fronts backwards gives the script.
constexpr std::ptrdiff_t max_edits = 2000;

void shortest_script(Script& script, Lines before, Lines after) {
  const auto n = std::ptrdiff_t(before.size()), m = std::ptrdiff_t(after.size());
  std::vector<std::vector<std::ptrdiff_t>> fronts;
  const auto reach = [&](std::ptrdiff_t d, std::ptrdiff_t k) -> std::ptrdiff_t {
    return k < -d || k > d ? -1 : fronts[std::size_t(d)][std::size_t((k + d) / 2)];
  };
  const auto step_down = [&](std::ptrdiff_t d, std::ptrdiff_t k) {  // came by inserting a line
    return k == -d || (k != d && reach(d - 1, k - 1) < reach(d - 1, k + 1));
  };

  for (std::ptrdiff_t d = 0;; ++d) {
    if (d > max_edits) {
      append(script, '-', before);
      append(script, '+', after);
      return;
    }
    std::vector<std::ptrdiff_t> front;
    bool done = false;
    for (std::ptrdiff_t k = -d; k <= d && !done; k += 2) {
      std::ptrdiff_t x = 0;
      if (d > 0) x = step_down(d, k) ? reach(d - 1, k + 1) : reach(d - 1, k - 1) + 1;
      while (x < n && x - k < m && x - k >= 0 &&
             before[std::size_t(x)] == after[std::size_t(x - k)])
        ++x;
      front.push_back(x);
      done = x >= n && x - k >= m;
    }
    front.resize(std::size_t(d + 1), -1);
    fronts.push_back(std::move(front));
    if (done) break;
  }

  Script reversed;
  std::ptrdiff_t x = n, y = m;
  for (auto d = std::ptrdiff_t(fronts.size()) - 1; d >= 0; --d) {
    const std::ptrdiff_t k = x - y;
    const bool down = d > 0 && step_down(d, k);
    const std::ptrdiff_t before_x =
        d == 0 ? 0 : down ? reach(d - 1, k + 1) : reach(d - 1, k - 1) + 1;
    while (x > before_x) --x, --y, reversed.push_back({' ', before[std::size_t(x)]});
    if (d == 0) break;
    if (down)
      reversed.push_back({'+', after[std::size_t(--y)]});
    else
      reversed.push_back({'-', before[std::size_t(--x)]});
  }
  script.insert(script.end(), reversed.rbegin(), reversed.rend());
}

}  // namespace

std::string diff_lines(std::string_view before_text, std::string_view after_text,
                       std::size_t context) {
  const std::vector<std::string_view> before = lines_of(before_text), after = lines_of(after_text);
  const std::size_t shorter = std::min(before.size(), after.size());
  std::size_t head = 0, tail = 0;
  while (head < shorter && before[head] == after[head]) ++head;
  while (tail < shorter - head &&
         before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
    ++tail;

  Script script;
  append(script, ' ', Lines(before).first(head));
  shortest_script(script, Lines(before).subspan(head, before.size() - head - tail),
                  Lines(after).subspan(head, after.size() - head - tail));
  append(script, ' ', Lines(before).last(tail));

  std::vector<char> shown(script.size(), 0);
  for (std::size_t i = 0; i < script.size(); ++i)
    if (script[i].sign != ' ')
      for (std::size_t j = i - std::min(i, context); j <= std::min(i + context, script.size() - 1);
           ++j)
        shown[j] = 1;
  std::string out;
  bool gap = false;
  for (std::size_t i = 0; i < script.size(); ++i) {
    if (!shown[i]) {
      gap = !out.empty();
      continue;
    }
    if (gap && context > 0) out += "...\n";
    gap = false;
    out += script[i].sign;
    out += script[i].line;
    out += '\n';
  }
  return out;
}

}  // namespace sdfg
