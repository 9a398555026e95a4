// Feeds damaged SDFG files to everything that reads input, and stops at the first thing that no
// input may cause: a crash, a sanitizer's finding, an internal error, more than ten seconds for one
// file, or a saved file that cannot be read back.
//
//   mutate [--seconds=N] [--seed=S] [--work=DIR] FILE...
//
// Seconds are those of the processor: on a busy machine no input looks slow. The file being tried
// lies in DIR/current.sdfg, so that a crash leaves its input behind. The same seed and files give
// the same mutants.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <random>

#include "ir/print.h"
#include "ir/verify.h"
#include "serialize/load.h"
#include "serialize/save.h"
#include "support/deep_stack.h"
#include "support/file.h"
#include "support/json_tree.h"

namespace sdfg {
namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t bound) { return bound ? random() % bound : 0; }

double processor_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

// ---- Damage.

void mutate_bytes(Random& random, std::string& text) {
  const std::size_t at = below(random, text.size());
  switch (below(random, 6)) {
    case 0: text[at] = char(random()); break;
    case 1: text.erase(at, 1 + below(random, 30)); break;
    case 2: text.insert(at, 1 + below(random, 5), char(random())); break;
    case 3: text.resize(at); break;
    case 4: text.insert(at, text.substr(below(random, text.size()), below(random, 200))); break;
    case 5: text[at] = "{}[]\",:0-\\"[below(random, 10)]; break;
  }
}

std::string strange_value(Random& random) {
  constexpr std::string_view values[] = {
      "null", "true", "false", "0", "-1", "1e400", "-0.0", "NaN", "Infinity", "4294967296",
      "99999999999999999999999999", "\"\"", "\"x\"", "\"$x\"", "\"-1\"", "\"4294967295\"", "[]",
      "{}", "[[]]", "[null]", "{\"type\":\"\"}", "{\"type\":\"SDFG\"}", "{\"type\":\"SDFGState\"}",
      "\"a.b.c\"", "\"\\ud800\"", "\"\\u0000\"", "\"((((((((\"", "\"x +\"", "\"1/0\"", "\"0**-1\"",
      "\"2**2**2**2**2**2\"", "\"A[i:j, ...]\"", "\"lambda x, y: x + y\"", "\"N % 0\"",
      "\"int_ceil(N, 0)\"", "\"9223372036854775807 + 1\"", "\"-9223372036854775808 * -1\""};
  if (below(random, 40) == 0) {
    const std::size_t depth = 1 + below(random, 5000);
    return std::string(depth, '[') + std::string(depth, ']');
  }
  if (below(random, 40) == 0) {
    const std::size_t depth = 1 + below(random, 5000);
    return "\"" + std::string(depth, '(') + "x" + std::string(depth, ')') + "\"";
  }
  return std::string(values[below(random, std::size(values))]);
}

/// All values of a document, in text order.
void collect(json::Value value, std::vector<json::Value>& out) {
  std::vector<json::Value> open{value};
  while (!open.empty()) {
    const json::Value v = open.back();
    open.pop_back();
    out.push_back(v);
    if (v.is_array() || v.is_object())
      for (json::Value child : v) open.push_back(child);
  }
}

/// Replaces, removes, repeats or exchanges values; the text stays JSON.
void mutate_values(Random& random, std::string& text) {
  const auto tree = json::Tree::parse(text);
  if (!tree) return;
  std::vector<json::Value> all;
  collect(tree->root(), all);
  const json::Value a = all[below(random, all.size())], b = all[below(random, all.size())];
  const auto slice = [&](json::Value v) { return std::string(v.raw()); };
  const std::size_t begin = a.begin_offset(), size = a.end_offset() - begin;
  switch (below(random, 5)) {
    case 0: text.replace(begin, size, strange_value(random)); break;
    case 1: text.replace(begin, size, slice(b)); break;
    case 2: {  // an item or member less
      std::size_t end = begin + size;
      std::size_t from = begin;
      while (from > 0 && text[from] != ',' && text[from] != '{' && text[from] != '[') --from;
      if (text[from] == ',') text.erase(from, end - from);
      break;
    }
    case 3:  // an item or member more
      if (a.is_array() && a.size() > 0)
        text.insert(begin + 1, slice(*a.begin()) + ",");
      else if (a.is_object())
        text.insert(begin + 1, a.size() ? "\"type\":" + strange_value(random) + ","
                                        : "\"x\":" + strange_value(random));
      break;
    case 4:
      if (a.is_number() || a.is_string()) {
        const std::string number = std::to_string(std::int64_t(below(random, 12)) - 1);
        text.replace(begin, size, a.is_string() ? "\"" + number + "\"" : number);
      }
      break;
  }
}

/// Changes the ends of edges and scopes, names of data and types: what gives a file its structure.
void mutate_structure(Random& random, std::string& text) {
  const auto tree = json::Tree::parse(text);
  if (!tree) return;
  constexpr std::string_view keys[] = {
      "src", "dst", "scope_entry", "scope_exit", "data", "type", "src_connector", "dst_connector",
      "params", "ranges", "label", "sdfg", "branches", "nodes", "edges", "attributes", "dtype",
      "shape", "condition", "code", "wcr", "subset", "other_subset", "start_block"};
  std::vector<json::Value> all, chosen;
  collect(tree->root(), all);
  const std::string_view key = keys[below(random, std::size(keys))];
  for (json::Value v : all)
    if (v.raw_key() == key) chosen.push_back(v);
  if (chosen.empty()) return;
  const json::Value a = chosen[below(random, chosen.size())];
  const json::Value b = chosen[below(random, chosen.size())];
  const std::string replacement =
      below(random, 3) ? std::string(b.raw()) : strange_value(random);
  text.replace(a.begin_offset(), a.end_offset() - a.begin_offset(), replacement);
}

// ---- What must hold.

/// Why the library misbehaves on this input; nothing when it does not.
std::optional<std::string> complaint(const std::string& bytes) {
  auto loaded = load(bytes);
  if (!loaded) {
    if (loaded.error().message.empty()) return "an error without a message";
    return std::nullopt;
  }
  const Sdfg& sdfg = loaded->sdfg;
  (void)verify(sdfg);
  (void)print(sdfg);
  const auto kept = save(sdfg);
  if (!kept) return "keep cannot save an unchanged file: " + kept.error().text();
  for (const SaveProfile profile : {SaveProfile::Keep, SaveProfile::Head, SaveProfile::Compat}) {
    Sdfg changed = sdfg;
    changed.guid += "x";
    const auto saved = save(changed, {profile});
    if (!saved) continue;
    const auto again = load(*saved);
    if (!again) return "a saved file cannot be read: " + again.error().text();
  }
  return std::nullopt;
}

int run(int argc, char** argv) {
  double seconds = 10;
  std::uint64_t seed = 1;
  std::string work = ".";
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with("--seconds="))
      seconds = std::atof(argument.c_str() + 10);
    else if (argument.starts_with("--seed="))
      seed = std::strtoull(argument.c_str() + 7, nullptr, 10);
    else if (argument.starts_with("--work="))
      work = argument.substr(7);
    else
      files.push_back(argument);
  }
  if (files.empty()) {
    std::fprintf(stderr, "usage: mutate [--seconds=N] [--seed=S] [--work=DIR] FILE...\n");
    return 2;
  }
  std::vector<std::string> originals;
  for (const std::string& file : files) {
    auto bytes = read_file(file);
    if (!bytes) {
      std::fprintf(stderr, "%s\n", bytes.error().text().c_str());
      return 2;
    }
    auto plain = is_gzip(*bytes) ? gunzip(*bytes) : std::move(bytes);
    if (plain) originals.push_back(*std::move(plain));
  }
  std::printf("seed %llu, %zu files, %g seconds\n", static_cast<unsigned long long>(seed),
              originals.size(), seconds);
  std::fflush(stdout);
  Random random(seed);
  const double start = processor_seconds();
  const std::string current = work + "/current.sdfg";
  std::size_t tried = 0, slowest_at = 0;
  double slowest = 0;
  while (processor_seconds() - start < seconds) {
    std::string text = originals[below(random, originals.size())];
    const std::size_t changes = 1 + below(random, 4);
    for (std::size_t i = 0; i < changes && !text.empty(); ++i) {
      switch (below(random, 4)) {
        case 0: mutate_bytes(random, text); break;
        case 1: mutate_structure(random, text); break;
        default: mutate_values(random, text);
      }
    }
    if (below(random, 50) == 0) {
      text = gzip(text);
      if (below(random, 2)) mutate_bytes(random, text);
    }
    if (const auto written = write_file(current, text); !written) {
      std::fprintf(stderr, "%s\n", written.error().text().c_str());
      return 2;
    }
    const double begin = processor_seconds();
    std::optional<std::string> problem;
    try {
      problem = complaint(text);
    } catch (const std::exception& error) {
      problem = std::string("an exception: ") + error.what();
    }
    const double took = processor_seconds() - begin;
    if (took > slowest) slowest = took, slowest_at = tried;
    if (took > 10) problem = "took " + std::to_string(took) + " s";
    if (problem) {
      std::printf("mutant %zu (seed %llu): %s\nits file: %s\n", tried,
                  static_cast<unsigned long long>(seed), problem->c_str(), current.c_str());
      return 1;
    }
    ++tried;
  }
  std::error_code ignored;
  std::filesystem::remove(current, ignored);
  std::printf("%zu mutants, slowest %.2f s (number %zu)\n", tried, slowest, slowest_at);
  return 0;
}

}  // namespace
}  // namespace sdfg

int main(int argc, char** argv) {
  int status = 3;
  sdfg::with_deep_stack([&] { status = sdfg::run(argc, argv); });
  return status;
}
