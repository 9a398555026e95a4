#include <charconv>

#include "ir/analysis/memlet_path.h"
#include "ir/verify_context.h"

namespace sdfg::detail {
namespace {

bool is_polynomial(const Expr& expr) {
  switch (expr.op()) {
    case Op::Integer:
    case Op::Symbol:
      return true;
    case Op::Pow:
      return is_polynomial(expr.arg(0)) && expr.arg(1).as_integer().value_or(-1) >= 0;
    case Op::Add:
    case Op::Mul:
    case Op::Neg:
    case Op::Sub:
      for (const Expr& arg : expr.args())
        if (!is_polynomial(arg)) return false;
      return true;
    default:
      return false;
  }
}

Expr vector_length(const Type& type) {
  if (type.base() != BaseType::Vector) return 1;
  const std::string& text = type.compound().length;
  std::int64_t value = 1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// The rules for one memlet and the ends of its path.
class MemletRules {
 public:
  MemletRules(const StateScope& s, EdgeId id, Findings& findings)
      : s_(s),
        id_(id),
        edge_(s.state[id]),
        memlet_(edge_.memlet),
        source_(s.path_source[id.value]),
        target_(s.path_target[id.value]),
        findings_(findings) {}

  void verify() {
    if (memlet_.empty()) return empty();
    const Data* data = s_.find_data(memlet_.data);
    if (!data) {
      error("there is no container '" + memlet_.data + "'");
      return;
    }
    border();
    ends();
    symbols();
    if (memlet_.wcr) wcr();
    if (!memlet_.subset())
      error("names container '" + memlet_.data + "' but no subset of it");
    else
      subset(*memlet_.subset(), memlet_.data, *data);
    const Data* other = other_data();
    if (memlet_.other_subset() && other) subset(*memlet_.other_subset(), other_name(), *other);
    host_access(*data);
    findings_.unless_verified(key(*data, other), [&] {
      negative_sizes();
      if (ranks_fit_ && !memlet_.allow_oob) {
        element_counts();
        verify_bounds(s_, id_, findings_);
      }
    });
  }

 private:
  /// What sizes and bounds of the subsets depend on.
  std::uint64_t key(const Data& data, const Data* other) const {
    Hasher hash;
    hash.add(s_.ranges_around(s_.state.target(id_)));
    for (const auto* subset : {&memlet_.src_subset, &memlet_.dst_subset}) {
      hash.add(*subset ? (*subset)->rank() : ~std::uint64_t(0));
      if (*subset)
        for (const Range& range : (*subset)->ranges) add(range, hash);
    }
    for (const Data* of : {&data, other, s_.data_of(source_), s_.data_of(target_)})
      hash.add(of ? s_.sdfg.hash_of(*of) : 0);
    const auto is_access = [&](NodeId n) { return s_.state[n].is<AccessNode>(); };
    hash.add(is_access(s_.state.source(id_)) * 2 + is_access(s_.state.target(id_)));
    return hash.add(memlet_.data_is_src * 4 + ranks_fit_ * 2 + memlet_.allow_oob)
        .add(edge_.dst_connector == "set")
        .value();
  }

  Place here() const { return Place().edge(s_.state, id_); }
  void error(std::string message, std::string hint = {}) {
    findings_.error(here(), std::move(message), std::move(hint));
  }
  const Node& source() const { return s_.state[source_]; }
  const Node& target() const { return s_.state[target_]; }
  NodeId other_end() const { return memlet_.data_is_src ? target_ : source_; }
  const Data* other_data() const { return s_.data_of(other_end()); }
  const std::string& other_name() const { return s_.state[other_end()].as<AccessNode>()->data; }

  /// Without data, an edge only orders; a connector that code reads or writes needs data.
  void empty() {
    const bool scope_connector =
        edge_.src_connector.starts_with("OUT_") || edge_.dst_connector.starts_with("IN_");
    const std::vector<EdgeId> path =
        scope_connector ? memlet_path(s_.state, id_) : std::vector<EdgeId>{id_};
    if (path.size() == 1 && source().is<Tasklet>() && target().is<Tasklet>()) return;
    const std::string hint = "give the memlet data, or remove the connector";
    const std::string& into = s_.state[path.back()].dst_connector;
    const std::string& out_of = s_.state[path.front()].src_connector;
    const auto user = [](const Node& node) {
      return node.is<Tasklet>()      ? "a tasklet"
             : node.is<NestedSdfg>() ? "a nested SDFG"
             : node.is_entry()       ? "a scope"  // a dynamic range: IN_ leads on
                                     : nullptr;
    };
    if (const char* reader = user(target()); reader && !into.empty() && !into.starts_with("IN_"))
      error("an empty memlet leads to connector '" + into + "' of " + reader, hint);
    if (const char* writer = user(source());
        writer && !out_of.empty() && !out_of.starts_with("OUT_"))
      error("an empty memlet comes from connector '" + out_of + "' of " + writer, hint);
  }

  /// Data passes the border of a scope from an IN_ to its OUT_ connector, or ends at an entry as
  /// a dynamic range.
  void border() {
    const NodeId from = s_.state.source(id_), to = s_.state.target(id_);
    const auto is_border = [&](NodeId n) {
      return s_.state[n].is_entry() || s_.state[n].is_exit();
    };
    if (is_border(from) && edge_.src_connector.empty())
      error("brings data out of " + name_of(from) + " without a connector",
            "use an OUT_ connector");
    if (is_border(to) && edge_.dst_connector.empty())
      error("brings data to " + name_of(to) + " without a connector", "use an IN_ connector");
  }

  void ends() {
    const auto* from = source().as<AccessNode>();
    const auto* to = target().as<AccessNode>();
    if (source().is<NestedSdfg>() && !to)
      error("data of a nested SDFG must go to an access node, found " + name_of(target_));
    if (target().is<NestedSdfg>() && !from)
      error("data for a nested SDFG must come from an access node, found " + name_of(source_));
    const auto structure = [&](NodeId end) {
      const Data* data = s_.data_of(end);
      return data && data->is_structure();
    };
    if (structure(source_) || structure(target_) || (!from && !to)) return;
    const std::string& name = memlet_.data;
    if (from && (name == from->data || name == edge_.src_connector)) return;
    if (to && (name == to->data || name == edge_.dst_connector)) return;
    error("names container '" + name + "', but leads from " + name_of(source_) + " to " +
              name_of(target_),
          "name the container at one of the ends");
  }
  std::string name_of(NodeId node) const { return Place().node(s_.state, node).text(); }

  void symbols() {
    SymbolSet missing;
    const NodeId scope = s_.tree.parent_of(s_.state.target(id_));
    for (const auto* subset : {&memlet_.src_subset, &memlet_.dst_subset})
      if (*subset)
        for (const Range& range : (*subset)->ranges)
          for (const Expr* e : {&range.begin, &range.end, &range.step, &range.tile})
            s_.add_undefined(*e, scope, missing);
    if (missing.empty()) return;
    std::string message = "the subset uses " + quoted_list({missing.begin(), missing.end()}) +
                          s_.which_are_undefined(missing);
    // What passes the border of a scope is a summary of the memlets inside, which alone count.
    if (leaf())
      error(std::move(message), "declare a symbol, or use one of the scope's parameters");
    else
      findings_.warning(here(), std::move(message));
  }
  bool leaf() const {
    return !(s_.state[s_.state.source(id_)].is_exit() && edge_.src_connector.starts_with("OUT_")) &&
           !(s_.state[s_.state.target(id_)].is_entry() && edge_.dst_connector.starts_with("IN_"));
  }

  void wcr() {
    if (!verify_syntax(*memlet_.wcr, here(), "the write-conflict resolution", findings_)) return;
    const Expr* lambda = memlet_.wcr->expr();
    if (!lambda || !lambda->is(Op::Lambda) || lambda->args().size() != 3)
      error("the write-conflict resolution must be a lambda of the old and the new value, found '" +
            memlet_.wcr->text() + "'");
  }

  void subset(const Subset& subset, const std::string& name, const Data& data) {
    if (subset.rank() != data.shape.size()) {
      ranks_fit_ = false;
      error("the subset [" + to_text(subset) + "] has " + counted(subset.rank(), "dimension") +
            ", but '" + name + "' has " + std::to_string(data.shape.size()));
      return;
    }
    for (const Range& range : subset.ranges)
      if (range.step.as_integer() == 0) error("the step of range " + to_text(range) + " is 0");
  }

  void negative_sizes() {
    if (!s_.state[s_.state.source(id_)].is<AccessNode>() ||
        !s_.state[s_.state.target(id_)].is<AccessNode>())
      return;
    for (const auto* subset : {&memlet_.src_subset, &memlet_.dst_subset}) {
      if (!*subset) continue;
      for (const Range& range : (*subset)->ranges) {
        if (range.step.as_integer() == 0) continue;
        if (const auto size = range.size().as_integer(); size && *size < 0)
          error("copies a range of negative size: " + to_text(range));
      }
    }
  }

  /// Code on the host cannot touch single elements in GPU memory. Where it is in a scope without a
  /// schedule, or a path enters one, the schedule may still be chosen to fit.
  void host_access(const Data& data) {
    const Storage storage = s_.sdfg.storage(memlet_.data, data);
    if (!is_gpu(storage) || s_.sdfg.in_gpu || s_.sdfg.in_default) return;
    const Node& to = s_.state[s_.state.target(id_)];
    if (!s_.state[s_.state.source(id_)].is<Tasklet>() && !to.is<Tasklet>() && !to.is<MapEntry>())
      return;
    for (NodeId at = s_.tree.parent_of(s_.state.target(id_)); at; at = s_.tree.parent_of(at))
      if (const Schedule* schedule = scope_schedule(s_.state[at]); schedule && is_gpu(*schedule))
        return;
    if (!one_value()) return;
    for (EdgeId e : memlet_path(s_.state, id_))
      for (NodeId end : {s_.state.source(e), s_.state.target(e)}) {
        const NodeId entry = s_.state[end].is_exit() ? s_.tree.parent_of(end) : end;
        const Schedule* schedule = scope_schedule(s_.state[entry]);
        if (schedule && (is_gpu(*schedule) || *schedule == Schedule::Default)) return;
      }
    error("accesses '" + memlet_.data + "' on the host, but it is stored in " +
              std::string(to_text(storage)),
          "copy it to host memory first");
  }
  bool one_value() const {
    const auto pointer = [](const Connectors& connectors, const std::string& name) {
      const auto found = connectors.find(name);
      return found != connectors.end() && found->second.is_pointer();
    };
    if (pointer(s_.state[s_.state.source(id_)].out_connectors, edge_.src_connector) ||
        pointer(s_.state[s_.state.target(id_)].in_connectors, edge_.dst_connector))
      return false;
    if (memlet_.dynamic && (memlet_.volume == Expr(0) || memlet_.volume == Expr(-1))) return false;
    return memlet_.subset() && num_elements(*memlet_.subset()).as_integer() == 1;
  }

  /// A copy moves as many elements as it gets.
  void element_counts() {
    if (!memlet_.src_subset || !memlet_.dst_subset) return;
    const Data* from = s_.data_of(source_);
    const Data* to = s_.data_of(target_);
    if (!from || !to || from->is_stream() || to->is_stream() || edge_.dst_connector == "set")
      return;
    if (vector_length(from->dtype) == vector_length(to->dtype) &&
        sizes(*memlet_.src_subset) == sizes(*memlet_.dst_subset))
      return;
    const Expr read = num_elements(*memlet_.src_subset) * vector_length(from->dtype);
    const Expr written = num_elements(*memlet_.dst_subset) * vector_length(to->dtype);
    if (read == written) return;
    const Truth same = equal(read, written);
    if (same == Truth::Yes) return;
    std::string message = "copies " + to_text(read) + " elements of '" +
                          source().as<AccessNode>()->data + "' into " + to_text(written) + " of '" +
                          target().as<AccessNode>()->data + "'";
    const bool viewing = (from->is_view() && viewed_edge(s_.sdfg.sdfg, s_.state, source_) == id_) ||
                         (to->is_view() && viewed_edge(s_.sdfg.sdfg, s_.state, target_) == id_);
    // Two different polynomials differ for almost all sizes, which is as wrong as for all.
    if (!viewing && (same == Truth::No || (is_polynomial(read) && is_polynomial(written))))
      error(std::move(message), "make the two subsets the same size");
    else
      findings_.warning(here(), std::move(message));
  }

  const StateScope& s_;
  EdgeId id_;
  const Edge& edge_;
  const Memlet& memlet_;
  NodeId source_, target_;
  Findings& findings_;
  bool ranks_fit_ = true;
};

}  // namespace

void verify_memlet(const StateScope& scope, EdgeId edge, Findings& findings) {
  MemletRules(scope, edge, findings).verify();
}

}  // namespace sdfg::detail
