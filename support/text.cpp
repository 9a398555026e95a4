#include "support/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace sdfg {

std::string_view trim(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i) out += separator;
    out += parts[i];
  }
  return out;
}

bool is_valid_name(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (text == "True" || text == "False" || text == "None") return false;
  bool begins = true;  // a part between dots
  for (char c : text) {
    if (c == '.' ? begins : !letter(c) && (begins || c < '0' || c > '9')) return false;
    begins = c == '.';
  }
  return !begins;
}

namespace {
/// Edits (insert, erase, replace, swap neighbours) from one word to the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] =
          std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}
}  // namespace

std::size_t find_outside_braces(std::string_view text, std::string_view characters) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (depth == 0 && characters.find(text[at]) != characters.npos) return at;
    if (text[at] == '{') ++depth;
    if (text[at] == '}' && depth > 0) --depth;
  }
  return text.npos;
}

bool has_word(std::string_view text, std::string_view word) {
  const auto in_word = [&](std::size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
  };
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
    if (!(at > 0 && in_word(at - 1)) && !in_word(at + word.size())) return true;
  return false;
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  if (word.size() > 100) return best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (std::string_view candidate : candidates) {
    if (candidate.size() > 100) continue;
    const std::size_t d = distance(word, candidate);
    if (d < best_distance) best = candidate, best_distance = d;
  }
  if (!best.empty() || word.size() < 4) return best;
  // An abbreviation, if it can mean one candidate only.
  for (std::string_view candidate : candidates) {
    if (!candidate.starts_with(word)) continue;
    if (!best.empty()) return {};
    best = candidate;
  }
  return best;
}

std::string python_float(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  // Python switches to exponents below 1e-4 and from 1e16 on.
  const double size = std::abs(value);
  const bool scientific = size != 0 && (size < 1e-4 || size >= 1e16);
  char buffer[64];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value,
                    scientific ? std::chars_format::scientific : std::chars_format::fixed)
          .ptr;
  std::string text(buffer, end);
  if (!scientific && text.find('.') == std::string::npos) text += ".0";
  return text;
}

}  // namespace sdfg
