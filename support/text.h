#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sdfg {

std::string_view trim(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);
/// `[A-Za-z_][A-Za-z0-9_]*`, dots joining several; not True, False or None (DaCe's rule for names).
bool is_valid_name(std::string_view text);
/// Where the first of these characters is that no pair of braces encloses, which may nest; npos
/// when there is none. A closing brace without its opening one may be such a character.
std::size_t find_outside_braces(std::string_view text, std::string_view characters);
/// Does the word stand in the text, not as a part of a longer word of letters, digits and `_`?
bool has_word(std::string_view text, std::string_view word);
/// The candidate nearest to a misspelled word, or the only one that starts with it; "" when none is
/// near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);
/// The shortest decimal text that reads back as the same double, in Python's form: "1.0", "1e-07",
/// "1e+16", "inf", "nan".
std::string python_float(double value);

}  // namespace sdfg
