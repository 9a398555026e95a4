#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/analysis/order.h"
#include "ir/sdfg.h"
#include "passes/common/side_effects.h"
#include "support/by_name.h"

namespace sdfg {

/// A pair of connectors of a map's entry or exit, IN_name and OUT_name.
struct Port {
  EdgeId outer;               ///< the edge outside of the scope
  std::vector<EdgeId> inner;  ///< the edges inside
  NodeId node;                ///< the node outside: an access node, or an end of the scope around
  std::string container;      ///< what is read or written; behind a view, what it looks at
  bool direct = true;         ///< subsets are those of `container`: no view lies between
  /// The first dimension in which the edge outside names one literal index, and that index. Ports
  /// with the same dimension and another index have nothing in common.
  std::optional<std::pair<std::size_t, std::int64_t>> row{};
};

/// Names of the ports to one container.
class PortNames {
 public:
  void add(const std::string& name, const Port& port);
  void remove(const std::string& name, const Port& port);
  bool empty() const { return all_.empty(); }
  const NameSet& all() const { return all_; }
  /// Visits those that may touch what the port touches.
  template <class F>
  void for_each_near(const Port& port, F&& visit) const {
    if (!port.row) return for_each(all_, visit);
    for_each(others_, visit);
    for (const auto& [dimension, rows] : rows_)
      if (dimension != port.row->first)
        for (const auto& [index, names] : rows) for_each(names, visit);
      else if (const auto same = rows.find(port.row->second); same != rows.end())
        for_each(same->second, visit);
  }

 private:
  template <class F>
  static void for_each(const NameSet& names, F&& visit) {
    for (const std::string& name : names) visit(name);
  }
  NameSet& home(const Port& port) {
    return port.row ? rows_[port.row->first][port.row->second] : others_;
  }
  NameSet all_, others_;
  std::map<std::size_t, std::map<std::int64_t, NameSet>> rows_;  ///< by dimension and index
};

/// A map as fusion sees it: what it reads and writes, by connector and by container. Kept up to
/// date while maps join, so that looking at a map again costs nothing.
struct FusionMap {
  NodeId entry, exit;
  std::size_t size = 0;  ///< nodes and scopes directly inside
  ByName<Port> in, out;
  ByName<PortNames> reads, writes;  ///< by container
  ByName<EdgeId> dynamic;  ///< connector of a dynamic range input: edge
  std::vector<EdgeId> waits;  ///< empty memlets into the entry; some may be gone
  SymbolSet inside;           ///< containers with access nodes in the scope, at any depth
  bool side_effects = false;  ///< to take something out of a stream is one
  std::string unfit;          ///< why it cannot join any other map; empty: it can

  /// A port name that is free on that side: the wish, or the wish with a number.
  std::string free_name(bool input, std::string_view wish) const;
  void add(bool input, const std::string& name, Port port);
  void remove(bool input, const std::string& name);
};

/// Takes a port away that nothing inside uses any more: the edge outside, the connectors, and what
/// the map knows of it.
void drop_port(State& state, FusionMap& map, bool input, const std::string& name);

/// The port through which a map reads what another map reads or writes through `port`, outside of
/// both an access node: one that it has, or a new one with that memlet and a name like `wish`.
std::string input_for(State& state, Order& order, FusionMap& map, const std::string& wish,
                      const Port& port, Memlet memlet);

/// Does all that leads to the node, data or order, come from the map?
bool comes_after_only(const State& state, NodeId node, const FusionMap& map);

/// See Port::row.
void find_row(const State& state, Port& port);

/// Does a map take something out of a stream that comes from outside of it?
bool takes_from_stream(const Sdfg& sdfg, const State& state, NodeId entry);

/// In time linear in the scope.
FusionMap fusion_map(const Sdfg& sdfg, const State& state, const Order& order,
                     SideEffects& effects, NodeId entry);

/// The container behind an access node, through any number of views; nothing when it cannot be
/// told.
std::optional<std::string> viewed_container(const Sdfg& sdfg, const State& state, NodeId node);

}  // namespace sdfg
