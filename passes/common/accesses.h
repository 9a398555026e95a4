#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/sdfg.h"
#include "support/by_name.h"
#include "support/name_index.h"

namespace sdfg {

/// An access node and the state it is in.
struct AccessSite {
  State* state;
  NodeId node;
  bool operator==(const AccessSite&) const = default;
};

/// Where one SDFG touches each of its containers; nested SDFGs, to which a container is passed
/// through an access node, are not entered. Kept up to date by whoever changes the graph, so that
/// asking costs nothing.
///
/// Building it is linear in the SDFG; what expressions name is collected when somebody asks, which
/// most do not. A dotted name (`s.m`) counts for its root. The SDFG must outlive it.
class Accesses {
 public:
  explicit Accesses(Sdfg& sdfg);

  /// Access nodes in the order of states (for_each_state) and ids; those added later come last.
  std::span<const AccessSite> sites(std::string_view container) const;
  /// Is it, or a view of it, one of containers_read_by_name (ir/analysis/used_names.h), or does a
  /// memlet from code to code name it, which no access node shows?
  bool is_named(std::string_view container) const;
  /// Is a reference set to it in some state? Then it is used wherever that is.
  bool is_referenced(std::string_view container) const;
  /// One access node, and never read by name: whoever sees that node sees all uses (GT4Py's
  /// "single-use data").
  bool is_single_use(std::string_view container) const {
    return sites(container).size() == 1 && !is_named(container);
  }

  /// The access node has been added to the state, or is about to be erased or renamed.
  void add(State& state, NodeId node);
  void remove(const State& state, NodeId node);
  /// These states, which use no other containers than these, have changed or are gone; those that
  /// are left are to be added anew.
  void forget(std::span<const State* const> states, const SymbolSet& containers);
  /// The container's name is now read in an expression.
  void add_name(std::string_view container);

 private:
  static std::string_view root(std::string_view name) { return name.substr(0, name.find('.')); }
  NameSet find_named() const;
  NameSet find_referenced() const;
  /// The sites of a root, or null.
  const std::vector<AccessSite>* find(std::string_view root) const;
  std::vector<AccessSite>* find(std::string_view root) {
    return const_cast<std::vector<AccessSite>*>(std::as_const(*this).find(root));
  }

  struct Container {
    std::string name;
    std::vector<AccessSite> sites;
  };
  Sdfg& sdfg_;
  std::vector<Container> containers_;
  NameIndex index_;  ///< of containers_
  mutable std::optional<NameSet> named_, referenced_;
};

}  // namespace sdfg
