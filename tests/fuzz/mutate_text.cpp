// Feeds damaged SDFG texts to the parser. What it accepts is printed, read back and compared, and
// written as DOT and GraphML; nothing may crash, and the second text must say what the first says.
//
//   mutate_text [--seconds=N] [--seed=S] [FILE...]
//
// Without files it starts from generated programs. The same seed and files give the same mutants.
// The text that went wrong is printed.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "ir/parse.h"
#include "ir/print.h"
#include "serialize/dot.h"
#include "support/deep_stack.h"
#include "support/file.h"
#include "tools/common/generate.h"
#include "tools/common/random.h"

namespace sdfg {
namespace {

constexpr std::array fragments{
    "\"",         "{",      "}",    "[",         "]",       "(",        ")",
    "\n",         "  ",     "@99 ", "opaque \"", "none",    "n1",       "#0",
    "4294967295", "-1",     ":",    "<",         " = ",     "{id = 5}", "in_order = [1, 0]",
    "|",          "raw \"", "not ", "?",         "struct(", "\\x",      "start = none",
    ", ",         "**",     "//"};

void damage(std::string& text, const std::string& other, Random& random) {
  const std::size_t at = random.below(text.size());
  switch (random.below(6)) {
    case 0:
      text[at] = char(random.below(256));
      break;
    case 1:
      text.erase(at, random.below(20));
      break;
    case 2:
      text.insert(at, text.substr(random.below(text.size()), random.below(40)));
      break;
    case 3:
      text.insert(at, other.substr(random.below(other.size()), random.below(60)));
      break;
    case 4:
      text.insert(at, fragments[random.below(fragments.size())]);
      break;
    case 5: {  // a line goes, or moves
      const std::size_t begin = text.rfind('\n', at), end = text.find('\n', at);
      if (begin == text.npos || end == text.npos) break;
      const std::string line = text.substr(begin, end - begin);
      text.erase(begin, end - begin);
      const std::size_t to = text.find('\n', random.below(text.size()));
      if (random.chance(50) && to != text.npos) text.insert(to, line);
    }
  }
}

/// What is wrong with the second reading of a text that was accepted; empty: nothing.
std::string check(const Sdfg& sdfg) {
  const std::string printed = print(sdfg);
  const Result<Sdfg> again = parse(printed);
  if (!again) return "the printed text is refused: " + again.error().text();
  if (!(*again == sdfg)) return "the printed text says something else:\n" + printed;
  (void)to_dot(sdfg), (void)to_graphml(sdfg);
  return {};
}

int run(int count, char** words) {
  std::uint64_t seed = 1, seconds = 10;
  std::vector<std::string> texts;
  for (int i = 1; i < count; ++i) {
    if (std::strncmp(words[i], "--seconds=", 10) == 0) {
      seconds = std::strtoull(words[i] + 10, nullptr, 10);
    } else if (std::strncmp(words[i], "--seed=", 7) == 0) {
      seed = std::strtoull(words[i] + 7, nullptr, 10);
    } else if (Result<std::string> text = read_file(words[i]); text && !text->empty()) {
      texts.push_back(*std::move(text));
    }
  }
  for (std::uint64_t s = 1; texts.empty() || s <= 40; ++s)
    texts.push_back(print(generate({Shape(s % shape_names.size()), 40, s, 4})));

  Random random(seed);
  std::size_t accepted = 0, refused = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (std::chrono::steady_clock::now() < end) {
    std::string text = texts[random.below(texts.size())];
    for (std::size_t n = 1 + random.below(3); n > 0 && !text.empty(); --n)
      damage(text, texts[random.below(texts.size())], random);
    const Result<Sdfg> parsed = parse(text);
    ++(parsed ? accepted : refused);
    if (!parsed) continue;
    if (const std::string wrong = check(*parsed); !wrong.empty()) {
      std::printf("%s\n---\n%s\n", wrong.c_str(), text.c_str());
      return 1;
    }
  }
  std::printf("%zu damaged texts refused, %zu accepted and the same after printing\n", refused,
              accepted);
  return 0;
}

}  // namespace
}  // namespace sdfg

int main(int count, char** words) {
  int status = 1;
  sdfg::with_deep_stack([&] { status = sdfg::run(count, words); });
  return status;
}
