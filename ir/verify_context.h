#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/analysis/scope_tree.h"
#include "ir/analysis/symbol_flow.h"
#include "ir/place.h"
#include "ir/sdfg.h"
#include "ir/verify.h"
#include "support/by_name.h"
#include "support/hash.h"

// What the parts of the verifier share. Each verify_*.cpp holds the rules for one kind of place;
// docs/ir.md lists them all.
namespace sdfg::detail {

/// Collects findings. The way down to the current place is kept as a stack, so that nothing is put
/// into words before something is found.
class Findings {
 public:
  /// Adds a part to the place for as long as it lives.
  class Level {
   public:
    /// `part` is called when something is found.
    Level(Findings& findings, std::function<std::string()> part) : findings_(findings) {
      findings_.parts_.push_back(std::move(part));
    }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ~Level() { findings_.parts_.pop_back(); }

   private:
    Findings& findings_;
  };

  explicit Findings(Verified& before) : before_(before) {}

  /// Does the work unless it found nothing before; `key` tells all that it depends on.
  template <class Work>
  void unless_verified(std::uint64_t key, Work work) {
    if (before_.contains(key)) return;
    const std::size_t found = all_.size();
    work();
    if (all_.size() == found) before_.insert(key);
  }

  /// What lies here may not run, for as long as it lives.
  class Maybe {
   public:
    explicit Maybe(Findings& findings, bool maybe = true) : findings_(findings), maybe_(maybe) {
      findings_.maybe_ += maybe_;
    }
    Maybe(const Maybe&) = delete;
    Maybe& operator=(const Maybe&) = delete;
    ~Maybe() { findings_.maybe_ -= maybe_; }

   private:
    Findings& findings_;
    const bool maybe_;
  };
  bool may_not_run() const { return maybe_ > 0; }

  void error(const Place& where, std::string message, std::string hint = {}) {
    add(Severity::Error, where, std::move(message), std::move(hint));
  }
  void warning(const Place& where, std::string message, std::string hint = {}) {
    add(Severity::Warning, where, std::move(message), std::move(hint));
  }
  Diagnostics take() { return std::move(all_); }

 private:
  void add(Severity severity, const Place& where, std::string message, std::string hint);

  Verified& before_;
  std::vector<std::function<std::string()>> parts_;
  std::size_t maybe_ = 0;
  Diagnostics all_;
};

/// One SDFG being verified, and what is known about names in it.
struct SdfgScope {
  const Sdfg& sdfg;
  const SdfgScope* outer;   ///< the SDFG around; null at the top
  const Node* call;         ///< the node in it that calls this one
  bool in_gpu = false;      ///< inside a scope that runs on a GPU
  bool in_default = false;  ///< inside a scope whose schedule is not chosen yet
  std::set<std::string_view> own_constants;
  const std::set<std::string_view>* constants;   ///< visible here: own, else those around
  std::unordered_set<std::string> size_symbols;  ///< that descriptors mention
  /// Where symbols are assigned; and, as "set:NAME", where references are set.
  SymbolFlow flow;
  NameSet written;  ///< containers that some state writes
  /// By connector of `call`: the container behind it in the outermost SDFG that has it, and how
  /// many SDFGs that one is inside of. Empty at the top.
  using Origin = std::pair<std::size_t, std::string>;
  ByName<Origin> read_from, written_to;
  std::size_t depth = 0;
  /// By connector of `call`: GPU memory that it is given, where its own descriptor chooses none.
  /// Empty inside of scopes that run, or may still run, on a GPU.
  ByName<Storage> given_on_gpu;
  /// Where the container lies, as far as is known here.
  Storage storage(std::string_view name, const Data& data) const {
    const auto given = given_on_gpu.empty() ? given_on_gpu.end() : given_on_gpu.find(name);
    return given == given_on_gpu.end() ? data.storage : given->second;
  }
  /// What subsets of a container depend on, by container; filled when asked for.
  mutable std::unordered_map<const Data*, std::uint64_t> data_hash;

  SdfgScope(const Sdfg& sdfg, const SdfgScope* outer, const Node* call);
  /// Is it a symbol or constant of the whole SDFG, or a member of a container?
  bool knows_symbol(std::string_view name) const;
  /// A hash of what subsets of the container depend on.
  std::uint64_t hash_of(const Data& data) const;
  bool defines_symbol(std::string_view name, const SymbolFlow::Point& at) const {
    return knows_symbol(name) || flow.may_be_defined(name, at);
  }
  /// Between states, containers have values, too.
  bool defines(std::string_view name, const SymbolFlow::Point& at) const {
    return sdfg.arrays.contains(name) || defines_symbol(name, at);
  }

 private:
  void find_references(const Region& region, SymbolFlow::RegionIndex index);
};

/// One state being verified.
struct StateScope {
  const SdfgScope& sdfg;
  const State& state;
  SymbolFlow::Point point;
  ScopeTree tree;
  /// By edge id: the ends of its memlet path. Equal to the edge's own ends when it touches no
  /// scope.
  std::vector<NodeId> path_source, path_target;
  /// By node id of an entry: what ranges_around() gives for the nodes inside; 0 where not known
  /// yet.
  mutable std::vector<std::uint64_t> range_hash;
  mutable std::unordered_set<std::uint64_t>
      defined;  ///< expressions whose names are, with the scope

  const Data* find_data(std::string_view name) const { return sdfg.sdfg.find_data(name); }
  /// The container of an access node; null when it is another kind of node or there is none.
  const Data* data_of(NodeId node) const;
  /// Is the name a symbol in the scope (none: at the top level of the state)? A container is none:
  /// in a state its value is what an access node holds at some time, and only a memlet reads it.
  bool defines(std::string_view name, NodeId scope) const;
  /// The names that the expression reads and that are no symbols in the scope.
  void add_undefined(const Expr& expr, NodeId scope, SymbolSet& out) const;
  /// What is wrong with such names ("J", "K"): ", which are not defined here".
  std::string which_are_undefined(const SymbolSet& names) const;
  /// A hash of parameters and ranges of the scopes around the node.
  std::uint64_t ranges_around(NodeId node) const;
};

// ---- The rules, from the outside in. Each reports all it finds.

void verify_sdfg(const SdfgScope& scope, Findings& findings);
void verify_data(const SdfgScope& scope, Findings& findings);
void verify_region(const SdfgScope& scope, const Region& region, SymbolFlow::RegionIndex index,
                   bool in_loop, Findings& findings);
void verify_state(const SdfgScope& scope, const State& state, const SymbolFlow::Point& point,
                  Findings& findings);
/// What the node demands by itself: `scope` has a tree, and the state no cycle.
void verify_node(const StateScope& scope, NodeId node, Findings& findings);
void verify_connectors(const SdfgScope& scope, const State& state, NodeId node, Findings& findings);
void verify_memlet(const StateScope& scope, EdgeId edge, Findings& findings);
/// Accesses out of bounds that are certain whenever they happen: errors where control is certain to
/// come, warnings in branches and loops, which a condition may guard.
void verify_bounds(const StateScope& scope, EdgeId edge, Findings& findings);
void verify_nested(const StateScope& scope, NodeId node, Findings& findings);
void verify_library_node(const StateScope& scope, NodeId node, Findings& findings);

// ---- Helpers.

void add(const Range& range, Hasher& hash);
/// What is added to each index; null for kinds that have none.
const std::vector<Expr>* offset_of(const Data& data);

/// Reports code that does not parse. Other languages are taken as they are.
bool verify_syntax(const Code& code, const Place& where, std::string_view what, Findings& findings);
/// The container of a dotted name: "a" of "a.b.c".
std::string_view root_of(std::string_view name);
/// "'a', 'b' and 'c'"
std::string quoted_list(const std::vector<std::string>& names);
/// "1 range", "2 ranges"
std::string counted(std::size_t n, std::string_view what);
bool is_gpu(Schedule schedule);
bool is_gpu(Storage storage);
const Schedule* scope_schedule(const Node& node);

}  // namespace sdfg::detail
