#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/analysis/memlet_path.h"
#include "ir/analysis/scope_tree.h"
#include "passes/common/order_edge.h"
#include "passes/common/removal.h"
#include "passes/common/viewed.h"
#include "passes/pass.h"
#include "support/name_index.h"

// The parts of dead-dataflow-elimination. One walk from the end of the program to its start, in
// which `Reads` says what is read behind the place that it has come to; so time is linear. A loop's
// reads are added before its body is walked, and each is taken out when the walk comes to it.

namespace sdfg::dead_dataflow {

/// Containers are numbered per SDFG.
using Container = std::uint32_t;
constexpr Container none = NameIndex::none;

/// How many access nodes behind the place of the walk read each container.
class Reads {
 public:
  struct Change {
    Container container;
    int by;
  };
  explicit Reads(std::size_t containers) : count_(containers) {}

  bool any(Container c) const { return c != none && count_[c] > 0; }
  void change(Container c, int by);

  /// While one of these lives, changes can be taken back.
  class Logging {
   public:
    explicit Logging(Reads& reads) : reads_(reads), was_(reads.logging_) { reads.logging_ = true; }
    ~Logging() {
      reads_.logging_ = was_;
      if (!was_) reads_.log_.clear();
    }
    Logging(const Logging&) = delete;
    Logging& operator=(const Logging&) = delete;

   private:
    Reads& reads_;
    bool was_;
  };
  std::size_t mark() const { return log_.size(); }
  std::vector<Change> take_back(std::size_t mark);

 private:
  std::vector<int> count_;
  std::vector<Change> log_;
  bool logging_ = false;
};

/// Containers that an SDFG uses, in the end, by number.
struct Uses {
  std::vector<bool> mentioned, written;
  bool anything = false;  ///< there are references
};

/// The walk through one SDFG.
class Program {
 public:
  /// `promised`: applications decided and not announced yet, in the SDFGs around this one, too.
  Program(Sdfg& sdfg, SideEffects& effects, LazyAliases& aliases, PassContext& context,
          std::size_t& promised);
  /// `needed_outside`: arguments whose values somebody wants afterwards; null: all.
  Changed run(const SymbolSet* needed_outside, const Trail& trail);
  // After the run, of a container or what was one.
  bool uses_anything() const { return uses_.anything; }
  bool mentions(std::string_view name) const { return is_in(uses_.mentioned, name); }
  bool writes(std::string_view name) const { return is_in(uses_.written, name); }

 private:
  friend class Sweep;

  Container container(std::string_view data) const;
  bool is_in(const std::vector<bool>& containers, std::string_view name) const {
    const Container c = container(name);
    return c != none && containers[c];
  }
  void pin(Container c) {
    if (c != none) pinned_[c] = true;
  }
  void pin_all() { pinned_.assign(pinned_.size(), true); }
  void pin_declared(const SymbolSet* needed_outside);
  void pin_named();
  void pin_in_state(const State& state);
  std::size_t measure(const Region& region);

  void on_region(Region& region, const Trail& trail);
  void on_block(Block& block, const Trail& trail);
  void on_conditional(ConditionalBlock& conditional, const Trail& trail);
  void on_state(State& state, const Trail& trail);
  void add_reads(const Block& block);
  std::vector<Container> counted(const State& state, NodeId access) const;
  std::vector<Container> reads_of(const State& state) const;
  Uses find_uses() const;
  void remove_containers(const Trail& trail);

  /// Limits count what has been announced and what will be.
  bool may_drop() const { return context_.may_apply(promised_ + 1); }
  bool needed(Container c) const { return c == none || pinned_[c] || reads_.any(c); }

  Sdfg& sdfg_;
  SideEffects& effects_;
  LazyAliases& aliases_;
  PassContext& context_;
  std::size_t& promised_;
  std::vector<std::string> names_;  ///< of the containers that there were
  NameIndex index_;                 ///< of names_
  std::unordered_map<const Region*, std::size_t> sizes_;  ///< looked up, never iterated
  std::vector<bool> pinned_;  ///< always needed
  NameSet named_;             ///< containers read by name, before anything changed
  Reads reads_;
  Uses uses_;
  bool has_streams_ = false;
  bool in_loop_ = false;  ///< reads of what is around are counted already
  Changed changed_ = Changed::No;
};

/// The walk through one state: marks what lives, from the last node to the first, then removes the
/// rest. A read counts from its consumer on: what a map reads through a node without a way to it
/// from the write may have been written between the two.
class Sweep {
 public:
  Sweep(Program& program, State& state, const ScopeTree& tree, const std::vector<NodeId>& order,
        const Trail& trail);
  Changed run();

 private:
  void find_empty_scopes();
  std::optional<std::string> zeroed_by(NodeId exit) const;
  bool may_drop() const { return program_.may_drop(); }
  void drop(NodeId node, std::string what);
  void mark(NodeId node);
  void mark_access(NodeId node);
  void mark_exit(NodeId exit);
  void mark_entry(NodeId entry);
  void mark_code(NodeId node);
  void mark_inputs(NodeId node, const SymbolSet& unneeded);
  bool must_live(NodeId node) const;
  SymbolSet shorten_tasklet(NodeId node, const std::vector<EdgeId>& dead);
  SymbolSet shorten_nested(NodeId node, const std::vector<EdgeId>& dead);
  SymbolSet aliased_outputs(NodeId node) const;
  void drop_unwritten(NodeId node, const Program& inside);
  void keep(EdgeId edge);
  void set_live(EdgeId edge);
  void set_alive(NodeId node);
  bool moves_nothing(EdgeId copy) const;
  bool is_read_between(NodeId access, const std::vector<EdgeId>& writes);
  bool pops(EdgeId edge) const;
  void announce();
  Changed remove();

  Program& program_;
  const Sdfg& sdfg_;
  State& state_;
  const ScopeTree& tree_;
  const std::vector<NodeId>& order_;
  const Trail& trail_;
  std::vector<bool> live_;   ///< by edge: moves data that counts
  std::vector<bool> alive_;  ///< by node
  std::vector<bool> read_;   ///< by access node: an edge that reads there is live
  std::vector<bool> inside_alive_;  ///< by entry: something in the scope is alive
  std::vector<bool> never_;         ///< by node: in a scope without iterations, or its entry
  std::vector<bool> consumed_;      ///< by node: in a consume scope
  std::vector<std::size_t> position_;  ///< by node, in order_; found when asked for
  /// Where those are that read each container; found with it, and sorted.
  std::unordered_map<Container, std::vector<std::size_t>> readers_;  ///< looked up, never iterated
  std::map<NodeId, std::string> dropped_;  ///< what to say about nodes that go, if they do
  std::map<NodeId, std::string> kept_;     ///< and about those that had to stay
  Changed changed_ = Changed::No;
};

/// Does anything read through the access node, other than what a view hands on?
bool is_read(const Sdfg& sdfg, const State& state, NodeId access);
/// The edge by which a view hands on what is written to it; nothing for other nodes.
std::optional<EdgeId> viewing_out_edge(const Sdfg& sdfg, const State& state, NodeId access);

}  // namespace sdfg::dead_dataflow
