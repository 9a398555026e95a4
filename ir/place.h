#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/sdfg.h"

namespace sdfg {

/// Parts with " / " between them, outermost first; of more than 40, the middle ones are only
/// counted.
std::string place_text(std::span<const std::string> parts);

/// Says where something is: "state main / node 3 (map outer)". Built while walking down.
class Place {
 public:
  Place() = default;
  Place in(std::string part) const {
    Place deeper;
    deeper.last_ = std::make_shared<const Part>(Part{last_, std::move(part)});
    return deeper;
  }
  Place block(const Block& block) const;                             ///< "state main", "loop for_k"
  Place node(const StateGraph& state, NodeId id) const;              ///< "node 3 (map outer)"
  Place edge(const StateGraph& state, EdgeId id) const;              ///< "edge n1.OUT_A -> n2.a"
  Place edge(const RegionGraph& region, InterstateEdgeId id) const;  ///< "edge guard -> body"
  Place data(std::string_view name) const;                           ///< "data 'A'"
  std::string text() const;

 private:
  // A chain, innermost first: going one level down costs the same at every depth.
  struct Part {
    std::shared_ptr<const Part> outer;
    std::string text;
  };
  std::shared_ptr<const Part> last_;
};

/// The diagnostic with the place put before its own. Deep walks build places so, on the way out:
/// keeping them on the way down would cost the depth at each level.
Diagnostic inside(const Place& place, Diagnostic error);

}  // namespace sdfg
