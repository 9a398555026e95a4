#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/sdfg.h"

namespace sdfg {

/// Parts with " / " between them, outermost first; of more than 40, the middle ones are only
/// counted.
std::string place_text(std::span<const std::string> parts);

/// Says where something is: "state main / node 3 (map outer)". Built while walking down. Nobody
/// asks for the text of most places: blocks, nodes, edges and names are only referred to, and have
/// to stay as they are until then.
class Place {
 public:
  Place() = default;
  Place in(std::string part) const { return {extended({}, std::move(part)), {}}; }
  /// "state main", "loop for_k"
  Place block(const Block& block) const { return {extended(&block), {}}; }
  /// "node 3 (map outer)"
  Place node(const StateGraph& state, NodeId id) const { return {outer(), NodeIn{&state, id}}; }
  /// "edge n1.OUT_A -> n2.a"
  Place edge(const StateGraph& state, EdgeId id) const { return {outer(), EdgeIn{&state, id}}; }
  /// "edge guard -> body"
  Place edge(const RegionGraph& region, InterstateEdgeId id) const {
    return {outer(), InterstateEdgeIn{&region, id}};
  }
  /// "data 'A'"
  Place data(std::string_view name) const { return {outer(), name}; }
  std::string text() const;

 private:
  struct NodeIn {
    const StateGraph* state;
    NodeId id;
  };
  struct EdgeIn {
    const StateGraph* state;
    EdgeId id;
  };
  struct InterstateEdgeIn {
    const RegionGraph* region;
    InterstateEdgeId id;
  };
  using Thing = std::variant<std::monostate, const Block*, NodeIn, EdgeIn, InterstateEdgeIn,
                             std::string_view>;
  // A chain, innermost first: going one level down costs the same at every depth.
  struct Part {
    std::shared_ptr<const Part> outer;
    Thing thing;
    std::string text;  ///< if there is no thing
  };
  Place(std::shared_ptr<const Part> around, Thing thing)
      : around_(std::move(around)), thing_(thing) {}

  static std::string text_of(const Thing& thing);
  std::shared_ptr<const Part> extended(Thing thing, std::string text = {}) const {
    return std::make_shared<const Part>(Part{outer(), thing, std::move(text)});
  }
  /// What a part of this place lies in.
  std::shared_ptr<const Part> outer() const {
    if (std::holds_alternative<std::monostate>(thing_)) return around_;
    return std::make_shared<const Part>(Part{around_, thing_, {}});
  }

  std::shared_ptr<const Part> around_;
  Thing thing_;  ///< the innermost part, unless it is in the chain
};

/// The diagnostic with the place put before its own. Deep walks build places so, on the way out:
/// keeping them on the way down would cost the depth at each level.
Diagnostic inside(const Place& place, Diagnostic error);

}  // namespace sdfg
