#pragma once

#include <array>
#include <span>
#include <string_view>

namespace sdfg {

/// A piece of a random program. In its texts $s is what it reads and $d what it writes, both
/// float64[N], and $p begins the names of its own. Control enters at block $p_in and leaves at
/// $p_out.
struct Pattern {
  std::string_view passes;  ///< those that look for this, with blanks between
  std::string_view data, blocks;
  std::string_view edges = "$p_in -> $p_out";
  /// What $1, $2, … stand for: one of the texts between '|', drawn anew for each piece.
  std::array<std::string_view, 5> choices = {};
};

/// What passes look for: in what lies on both sides of a conditional, a loop or a state, in the
/// containers and the maps of states, in how control goes, in operators on fields as GT4Py lowers
/// them, in loops of all forms, in places that tables, windows and data tell, in containers with
/// two names, in those of other types than their values, and in what is written now and then only;
/// and what they must leave alone or get right beside it: library nodes, names that change their
/// meaning, streams and what consumes them, structures, views of views, and combining writes.
std::span<const Pattern> across_patterns();
std::span<const Pattern> alias_patterns();
std::span<const Pattern> container_patterns();
std::span<const Pattern> control_flow_patterns();
std::span<const Pattern> field_patterns();
std::span<const Pattern> library_patterns();
std::span<const Pattern> loop_patterns();
std::span<const Pattern> map_patterns();
std::span<const Pattern> name_patterns();
std::span<const Pattern> place_patterns();
std::span<const Pattern> stream_patterns();
std::span<const Pattern> structure_patterns();
std::span<const Pattern> type_patterns();
std::span<const Pattern> view_patterns();
std::span<const Pattern> write_patterns();

}  // namespace sdfg
