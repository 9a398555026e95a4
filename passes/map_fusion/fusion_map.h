#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/analysis/order.h"
#include "ir/sdfg.h"

namespace sdfg {

/// A pair of connectors of a map's entry or exit, IN_name and OUT_name.
struct Port {
  EdgeId outer;               ///< the edge outside of the scope
  std::vector<EdgeId> inner;  ///< the edges inside
  NodeId node;                ///< the node outside: an access node, or an end of the scope around
  std::string container;      ///< what is read or written; behind a view, what it looks at
  bool direct = true;         ///< subsets are those of `container`: no view lies between
};

/// A map as fusion sees it: what it reads and writes, by connector and by container. Kept up to date
/// while maps join, so that looking at a map again costs nothing.
struct FusionMap {
  using Names = std::vector<std::string>;
  NodeId entry, exit;
  std::size_t size = 0;  ///< nodes and scopes directly inside
  std::map<std::string, Port, std::less<>> in, out;
  std::map<std::string, Names, std::less<>> reads, writes;  ///< container: names of ports
  std::map<std::string, EdgeId, std::less<>> dynamic;  ///< connector of a dynamic range input: edge
  SymbolSet inside;           ///< containers with access nodes in the scope, at any depth
  bool side_effects = false;
  std::string unfit;          ///< why it cannot join any other map; empty: it can

  /// A port name that is free on that side: the wish, or the wish with a number.
  std::string free_name(bool input, std::string_view wish) const;
  void add(bool input, const std::string& name, Port port);
  void remove(bool input, const std::string& name);
};

/// In time linear in the scope.
FusionMap fusion_map(const Sdfg& sdfg, const State& state, const Order& order, NodeId entry);

/// The container behind an access node, through any number of views; nothing when it cannot be told.
std::optional<std::string> viewed_container(const Sdfg& sdfg, const State& state, NodeId node);

}  // namespace sdfg
