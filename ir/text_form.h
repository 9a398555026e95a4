#pragma once

// What the printer and the parser of the text form share, so that it is said once. Internal.

#include <string>
#include <string_view>

#include "ir/sdfg.h"

namespace sdfg::detail {

/// Indentation deeper than this is written as a number: "@130 state s". Otherwise the text of a
/// program nested 10,000 levels deep would be mostly spaces.
inline constexpr std::size_t max_indentation = 120;

// Fields of trailing lists that stand beside the `properties` of the kinds. What a line shows in
// its own way is left out where it is printed.
inline constexpr auto node_fields =
    property_list(property("debuginfo", &Node::debuginfo), property("guid", &Node::guid),
                  property("extras", &Node::extras));
inline constexpr auto memlet_fields =
    extended(Memlet::properties, property("extras", &Memlet::extras));
inline constexpr auto edge_fields = property_list(property("edge_extras", &Edge::extras));
inline constexpr auto block_fields = property_list(
    property("is_collapsed", &Block::is_collapsed), property("debuginfo", &Block::debuginfo),
    property("guid", &Block::guid), property("extras", &Block::extras));
inline constexpr auto region_fields =
    property_list(property("flavor", &ControlFlowRegion::flavor),
                  property("arguments", &ControlFlowRegion::arguments));
inline constexpr auto interstate_fields =
    extended(InterstateEdge::properties, property("extras", &InterstateEdge::extras));
inline constexpr auto data_fields = extended(Data::properties, property("extras", &Data::extras));
inline constexpr auto sdfg_fields =
    extended(Sdfg::properties, property("extras", &Sdfg::extras),
             property("dace_version", &Sdfg::dace_version), property("dialect", &Sdfg::dialect),
             property("root_extras", &Sdfg::root_extras));

/// Fields of a kind of node or block; none for those without a list.
template <class K>
constexpr auto kind_fields() {
  if constexpr (std::is_same_v<K, ControlFlowRegion>)
    return region_fields;
  else if constexpr (requires { K::properties; })
    return K::properties;
  else
    return property_list();
}

inline constexpr std::array flavor_names{"Plain", "Unstructured", "Named", "FunctionCall"};
inline constexpr std::array dialect_names{"Plain", "Typed"};

/// May a name stand without quotes? Identifiers, dotted or not, that are no word of the grammar.
bool is_bare_name(std::string_view name);

/// Where the expression at `at` ends: before a line end, one of `stops` or a closing bracket that
/// is outside its own brackets and quotes, or any brace. Trailing blanks are left out.
std::size_t bare_end(std::string_view text, std::size_t at, std::string_view stops = ",");
/// Can an expression's text be read back by bare_end?
bool is_bare_expr(std::string_view text, std::string_view stops = ",");
/// Where the JSON value at `at` ends; `at` itself when there is none. Checks brackets and strings
/// only.
std::size_t json_end(std::string_view text, std::size_t at);
bool is_bare_json(std::string_view text);

/// The end of a memlet's path whose container it names when nothing else says so: what data flows
/// from (an access node, unless it is of another container and the target is of this one; an
/// entry), otherwise what it flows to.
bool names_source(const Node& source, const Node& target, std::string_view data);

/// Does the expression contain text that is in no dialect?
bool has_opaque(const Expr& expr);

/// The same container with every field that a trailing list can hold at its default for this type
/// and shape. Members and element types are left out.
Data default_data(const Data& like);

}  // namespace sdfg::detail
