#include "passes/options.h"

#include <algorithm>
#include <charconv>

#include "support/text.h"

namespace sdfg::detail {
namespace {

template <class Number>
Status parse_number(std::string_view text, Number& value, const char* what) {
  Number parsed{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error != std::errc{} || end != text.data() + text.size())
    return Diagnostic{{}, "expected " + std::string(what) + ", found '" + std::string(text) + "'"};
  value = parsed;
  return Ok{};
}

template <class T>
Status parse_list(std::string_view text, std::vector<T>& values) {
  std::vector<T> parsed;
  for (bool more = true; more;) {
    const std::size_t comma = find_outside_braces(text, ",");
    const std::string_view part = trim(text.substr(0, comma));
    if (Status status = parse_option(part, parsed.emplace_back()); !status) return status;
    more = comma != text.npos;
    if (more) text.remove_prefix(comma + 1);
  }
  values = std::move(parsed);
  return Ok{};
}

template <class T>
std::string print_list(const std::vector<T>& values) {
  std::string out;
  for (const T& value : values) out += (out.empty() ? "" : ",") + print_option(value);
  return out;
}

struct KeyValue {
  std::string_view key, value;
  bool has_value;
};

/// "a=1 b c='x y' d=e{f g}" in words; a value may hold spaces in quotes or in braces.
Result<std::vector<KeyValue>> split_options(std::string_view text) {
  std::vector<KeyValue> words;
  while (!(text = trim(text)).empty()) {
    const std::size_t stop = text.find_first_of(" \t\n=");
    KeyValue word{text.substr(0, stop), {}, false};
    text.remove_prefix(word.key.size());
    if (word.key.empty())
      return Diagnostic{{}, "expected an option, found '" + std::string(text) + "'"};
    if (text.starts_with('=')) {
      text.remove_prefix(1);
      word.has_value = true;
      if (text.starts_with('\'')) {
        const std::size_t close = text.find('\'', 1);
        if (close == text.npos) return Diagnostic{{}, "a quote is not closed"};
        word.value = text.substr(1, close - 1);
        text.remove_prefix(close + 1);
      } else {
        word.value = text.substr(0, find_outside_braces(text, " \t\n"));
        text.remove_prefix(word.value.size());
      }
    }
    words.push_back(word);
  }
  return words;
}

}  // namespace

Status parse_option(std::string_view text, bool& value) {
  if (text != "true" && text != "false")
    return Diagnostic{{}, "expected true or false, found '" + std::string(text) + "'"};
  value = text == "true";
  return Ok{};
}
Status parse_option(std::string_view text, std::int64_t& value) {
  return parse_number(text, value, "a whole number");
}
Status parse_option(std::string_view text, double& value) {
  return parse_number(text, value, "a number");
}
Status parse_option(std::string_view text, std::string& value) {
  value = text;
  return Ok{};
}
Status parse_option(std::string_view text, std::vector<std::int64_t>& value) {
  return parse_list(text, value);
}
Status parse_option(std::string_view text, std::vector<std::string>& value) {
  return parse_list(text, value);
}

std::string print_option(bool value) { return value ? "true" : "false"; }
std::string print_option(std::int64_t value) { return std::to_string(value); }
std::string print_option(double value) { return python_float(value); }
std::string print_option(const std::string& value) { return value; }
std::string print_option(const std::vector<std::int64_t>& value) { return print_list(value); }
std::string print_option(const std::vector<std::string>& value) { return print_list(value); }

Status unknown_word(std::string_view what, std::string_view word,
                    std::vector<std::string_view> known) {
  Diagnostic error{{}, "unknown " + std::string(what) + " '" + std::string(word) + "'"};
  if (const std::string_view near = nearest(word, known); !near.empty())
    error.hint = "did you mean '" + std::string(near) + "'?";
  else if (known.empty())
    error.hint = "there are none";
  else
    error.hint =
        "expected one of " + join(std::vector<std::string>(known.begin(), known.end()), ", ");
  return error;
}

Status parse_options(std::string_view text, OptionFields fields) {
  SDFG_TRY(const auto words, split_options(text));
  for (const KeyValue& word : words) {
    const auto field = std::ranges::find(fields, word.key, &OptionField::name);
    if (field == fields.end()) {
      std::vector<std::string_view> known;
      for (const OptionField& f : fields) known.push_back(f.name);
      return unknown_word("option", word.key, known);
    }
    Status status = Ok{};
    if (std::ranges::count(words, word.key, &KeyValue::key) > 1)
      status = Diagnostic{{}, "it is given twice", "leave one out"};
    else if (word.has_value || field->type->is_switch)
      status = field->type->parse(word.has_value ? word.value : "true", field->value);
    else
      status = Diagnostic{{}, "it needs a value", "write " + std::string(word.key) + "=VALUE"};
    if (!status) {
      Diagnostic error = status.error();
      error.message = "option '" + std::string(word.key) + "': " + error.message;
      return error;
    }
  }
  return Ok{};
}

std::string print_options(OptionFields fields, OptionFields defaults) {
  std::string out;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const OptionField& field = fields[i];
    if (field.type->same(field.value, defaults[i].value)) continue;
    if (!out.empty()) out += ' ';
    const std::string value = field.type->print(field.value);
    const bool quote = value.empty() || value.find(' ') != std::string::npos;
    out += std::string(field.name) + '=' + (quote ? "'" + value + "'" : value);
  }
  return out;
}

std::vector<OptionInfo> describe_options(OptionFields defaults) {
  std::vector<OptionInfo> all;
  for (const OptionField& field : defaults)
    all.push_back(
        {std::string(field.name), field.type->print(field.value), std::string(field.doc)});
  return all;
}

}  // namespace sdfg::detail
