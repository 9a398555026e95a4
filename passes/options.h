#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
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

/// What is done with the value of an option, by its type.
struct OptionType {
  Status (*parse)(std::string_view text, void* value);
  std::string (*print)(const void* value);
  bool (*same)(const void* a, const void* b);
  bool is_switch;  ///< "name" alone means "name=true"
};
template <class V>
concept OptionValue = requires(std::string_view text, V& value, const V& known) {
  { parse_option(text, value) } -> std::same_as<Status>;
  { print_option(known) } -> std::same_as<std::string>;
};
template <class V>
inline constexpr OptionType option_type{
    [](std::string_view text, void* value) { return parse_option(text, *static_cast<V*>(value)); },
    [](const void* value) { return print_option(*static_cast<const V*>(value)); },
    [](const void* a, const void* b) {
      return *static_cast<const V*>(a) == *static_cast<const V*>(b);
    },
    std::is_same_v<V, bool>};

/// A field of an options struct. There are a hundred such structs; the work is done here, once.
struct OptionField {
  std::string_view name, doc;
  const OptionType* type;
  void* value;
};
/// The fields of `options`; through those of const options nobody writes.
template <class O>
auto option_fields(const O& options) {
  if constexpr (requires { O::properties; })
    return O::properties([&]<class... C, class... V>(const Property<C, V>&... p) {
      static_assert((OptionValue<V> && ...),
                    "an option is a bool, std::int64_t, double, std::string, a vector of "
                    "std::int64_t or of std::string, or an enum with sdfg::names");
      return std::array<OptionField, sizeof...(p)>{OptionField{
          p.name, p.doc, &option_type<V>, const_cast<V*>(&(options.*(p.member)))}...};
    });
  else
    return std::array<OptionField, 0>{};
}
using OptionFields = std::span<const OptionField>;
Status parse_options(std::string_view text, OptionFields fields);
std::string print_options(OptionFields fields, OptionFields defaults);
std::vector<OptionInfo> describe_options(OptionFields defaults);
}  // namespace detail

/// Reads "name=value other flag" into the options of a pass. A switch may stand alone. The error
/// names the option and what it takes.
template <class O>
Result<O> parse_options(std::string_view text) {
  O options;
  if (Status status = detail::parse_options(text, detail::option_fields(options)); !status)
    return status.error();
  return options;
}

/// The options that differ from their defaults, in the form parse_options reads.
template <class O>
std::string print_options(const O& options) {
  return detail::print_options(detail::option_fields(options), detail::option_fields(O()));
}

template <class O>
std::vector<OptionInfo> describe_options() {
  return detail::describe_options(detail::option_fields(O()));
}

}  // namespace sdfg
