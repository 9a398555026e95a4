#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ir/enums.h"
#include "ir/property.h"
#include "support/result.h"

namespace sdfg {

/// One option of a pass, for help texts: "tile-sizes", "64,8", "elements per dimension".
struct OptionInfo {
  std::string name, default_value, doc;
};

namespace detail {
// One overload per type that an option may have. A parser's error says what was expected.
Status parse_option(std::string_view text, bool& value);
Status parse_option(std::string_view text, std::int64_t& value);
Status parse_option(std::string_view text, double& value);
Status parse_option(std::string_view text, std::string& value);
Status parse_option(std::string_view text, std::vector<std::int64_t>& value);
Status parse_option(std::string_view text, std::vector<std::string>& value);
std::string print_option(bool value);
std::string print_option(std::int64_t value);
std::string print_option(double value);
std::string print_option(const std::string& value);
std::string print_option(const std::vector<std::int64_t>& value);
std::string print_option(const std::vector<std::string>& value);
Status unknown_word(std::string_view what, std::string_view word,
                    std::vector<std::string_view> known);

template <NamedEnum E>
Status parse_option(std::string_view text, E& value) {
  const std::optional<E> found = from_text<E>(text);
  if (!found) return unknown_word("value", text, {names<E>.begin(), names<E>.end()});
  value = *found;
  return Ok{};
}
template <NamedEnum E>
std::string print_option(E value) {
  return std::string(to_text(value));
}

struct KeyValue {
  std::string_view key, value;
  bool has_value;
};
/// "a=1 b 'c=x y'" in words; a quoted value may hold spaces.
Result<std::vector<KeyValue>> split_options(std::string_view text);

template <class O>
concept HasProperties = requires { O::properties; };
}  // namespace detail

/// Reads "name=value other flag" into the options of a pass. A switch may stand alone. The error
/// names the option and what it takes.
template <class O>
Result<O> parse_options(std::string_view text) {
  O options;
  SDFG_TRY(const auto words, detail::split_options(text));
  for (const detail::KeyValue& word : words) {
    bool found = false;
    Status status = Ok{};
    std::vector<std::string_view> known;
    if constexpr (detail::HasProperties<O>)
      for_each_property(options, [&](const auto& property, auto& field) {
        known.push_back(property.name);
        if (property.name != word.key) return;
        found = true;
        if (word.has_value || std::is_same_v<std::remove_cvref_t<decltype(field)>, bool>)
          status = detail::parse_option(word.has_value ? word.value : "true", field);
        else
          status = Diagnostic{{}, "it needs a value", "write " + std::string(word.key) + "=VALUE"};
      });
    if (!found) return detail::unknown_word("option", word.key, known).error();
    if (!status) {
      Diagnostic error = status.error();
      error.message = "option '" + std::string(word.key) + "': " + error.message;
      return error;
    }
  }
  return options;
}

/// The options that differ from their defaults, in the form parse_options reads.
template <class O>
std::string print_options(const O& options) {
  std::string out;
  if constexpr (detail::HasProperties<O>) {
    const O defaults;
    for_each_property(options, [&](const auto& property, const auto& field) {
      if (field == defaults.*(property.member)) return;
      if (!out.empty()) out += ' ';
      const std::string value = detail::print_option(field);
      const bool quote = value.empty() || value.find(' ') != std::string::npos;
      out += std::string(property.name) + '=' + (quote ? "'" + value + "'" : value);
    });
  }
  return out;
}

template <class O>
std::vector<OptionInfo> describe_options() {
  std::vector<OptionInfo> all;
  if constexpr (detail::HasProperties<O>) {
    const O defaults;
    for_each_property(defaults, [&](const auto& property, const auto& field) {
      all.push_back({std::string(property.name), detail::print_option(field),
                     std::string(property.doc)});
    });
  }
  return all;
}

}  // namespace sdfg
