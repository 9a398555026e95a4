#include <algorithm>
#include <set>

#include "ir/analysis/free_symbols.h"
#include "ir/analysis/memlet_path.h"
#include "ir/verify_context.h"
#include "support/text.h"

namespace sdfg::detail {
namespace {

/// The rules for one node, by kind.
class NodeRules {
 public:
  NodeRules(const StateScope& s, NodeId id, Findings& findings)
      : s_(s), id_(id), node_(s.state[id]), findings_(findings) {}

  void verify() {
    if (s_.state.kind_of(id_) != node_.fixed_kind())
      error("the node was added as another kind", "erase it and add a node of the new kind");
    std::visit(*this, node_.kind);
    if (node_.is_entry()) exit_is_reached();
  }

  void operator()(const AccessNode& access) {
    const Data* data = s_.find_data(access.data);
    if (!data) {
      error("there is no container '" + access.data + "'", suggestion(access.data));
      return;
    }
    if (data->is_view() && !viewed_edge(s_.sdfg.sdfg, s_.state, id_))
      error("it is open what the view looks at",
            "connect it to another access node on one side only, or use a connector named 'views'");
    if (data->is_reference()) reference(access);
    written_first(access, *data);
    if (s_.sdfg.call && !data->transient) argument(access);
  }

  void operator()(const Tasklet& tasklet) {
    label(tasklet.label);
    connector_names();
    if (tasklet.code.language() != Language::Python ||
        !verify_syntax(tasklet.code, here(), "the code", findings_))
      return;
    SymbolSet used;
    collect_code_symbols(node_, used);
    used.erase("__dace_cons_numelems");  // how many elements a consume scope has popped
    // A container by name, as on an edge: passes leave such ones alone (Accesses::is_named).
    std::erase_if(used, [&](const std::string& name) { return s_.find_data(name); });
    undefined(used, s_.tree.parent_of(id_), "the code uses");
    if (const Statements* statements = tasklet.code.statements()) subscripts(*statements);
  }

  void operator()(const MapEntry& map) {
    label(map.label);
    if (map.params.empty()) error("the map has no parameters");
    if (map.params.size() != map.ranges.size())
      error("the map has " + counted(map.params.size(), "parameter") + " but " +
            counted(map.ranges.size(), "range"));
    for (std::size_t i = 0; i < map.params.size(); ++i) {
      if (!is_valid_name(map.params[i]))
        error("parameter '" + map.params[i] + "' is no valid name");
      if (std::find(map.params.begin(), map.params.begin() + std::ptrdiff_t(i), map.params[i]) !=
          map.params.begin() + std::ptrdiff_t(i))
        error("parameter '" + map.params[i] + "' occurs twice");
    }
    // A range may use the parameters before it, as nested loops can.
    SymbolSet missing;
    for (std::size_t i = 0; i < map.ranges.size(); ++i) {
      const Range& range = map.ranges[i];
      Hasher key;
      add(range, key);
      findings_.unless_verified(key.value(), [&] { this->range(range); });
      SymbolSet here;
      for (const Expr* e : {&range.begin, &range.end, &range.step, &range.tile})
        s_.add_undefined(*e, s_.tree.parent_of(id_), here);
      for (std::size_t j = 0; j < std::min(i, map.params.size()); ++j) here.erase(map.params[j]);
      missing.merge(here);
    }
    for (const auto& [name, type] : node_.in_connectors)
      if (!name.starts_with("IN_")) missing.erase(name);
    report_undefined(missing, "the range uses");
    for (const std::string& param : map.params)
      if (s_.sdfg.size_symbols.contains(param)) hidden_size(param);
    unknown_schedule(map.schedule);
  }

  void operator()(const ConsumeEntry& consume) {
    label(consume.label);
    if (!node_.in_connectors.contains("IN_stream"))
      error("a consume scope must have an in connector 'IN_stream'");
    if (!node_.out_connectors.contains("OUT_stream"))
      error("a consume scope must have an out connector 'OUT_stream'");
    if (!is_valid_name(consume.pe_index))
      error("the processing element's index '" + consume.pe_index + "' is no valid name");
    if (consume.condition) verify_syntax(*consume.condition, here(), "the condition", findings_);
    SymbolSet used;
    collect_symbolic(consume.num_pes, used);
    undefined(used, s_.tree.parent_of(id_), "the number of processing elements uses");
    unknown_schedule(consume.schedule);
  }

  void operator()(const MapExit&) {}
  void operator()(const ConsumeExit&) {}
  void operator()(const NestedSdfg& nested) {
    label(nested.label);
    connector_names();
    verify_nested(s_, id_, findings_);
  }
  void operator()(const LibraryNode&) { verify_library_node(s_, id_, findings_); }
  void operator()(const OtherNode& other) {
    error("nodes of kind " + other.type + " are not known, so this cannot be run");
  }

 private:
  Place here() const { return Place().node(s_.state, id_); }
  void error(std::string message, std::string hint = {}) {
    findings_.error(here(), std::move(message), std::move(hint));
  }
  void warning(std::string message, std::string hint = {}) {
    findings_.warning(here(), std::move(message), std::move(hint));
  }
  /// Who walks over a scope goes from its entry to its exit.
  void exit_is_reached() {
    const NodeId exit = s_.tree.exit_of(id_);
    if (!exit) return error("the scope has no exit");
    if (s_.state.in(exit).empty())
      error("nothing in the scope leads to its exit, node " + std::to_string(exit.value),
            "connect them, by an empty memlet if need be");
  }
  void label(const std::string& label) {
    if (!is_valid_name(label)) error("the label '" + label + "' is no valid name");
  }
  void connector_names() {
    for (const auto* connectors : {&node_.in_connectors, &node_.out_connectors})
      for (const auto& [name, type] : *connectors)
        if (!is_valid_name(name)) error("connector '" + name + "' is no valid name");
  }
  void unknown_schedule(Schedule schedule) {
    if (schedule == Schedule::Undefined)
      warning("has a schedule that is not known here, so it cannot be run");
  }
  std::string suggestion(std::string_view name) const {
    std::vector<std::string_view> names;
    for (const auto& [candidate, data] : s_.sdfg.sdfg.arrays) names.push_back(candidate);
    const std::string_view near = nearest(name, names);
    return near.empty() ? "" : "did you mean '" + std::string(near) + "'?";
  }

  void undefined(const SymbolSet& used, NodeId scope, std::string what) {
    SymbolSet missing;
    for (const std::string& name : used)
      if (!s_.defines(name, scope)) missing.insert(name);
    report_undefined(missing, std::move(what));
  }
  void report_undefined(const SymbolSet& missing, std::string what) {
    if (!missing.empty())
      error(std::move(what) + " " + quoted_list({missing.begin(), missing.end()}) +
                s_.which_are_undefined(missing),
            "declare a symbol, or read the data through a connector");
  }

  void range(const Range& range) {
    if (const auto step = range.step.as_integer(); step && *step <= 0)
      error("the step of range " + to_text(range) + " must be positive, found " +
                std::to_string(*step),
            "write the range in ascending order");
    else if (const auto size = range.size().as_integer(); size && *size <= 0)
      warning("the range " + to_text(range) + " is empty, so the map does nothing");
  }

  /// Inside the scope the name is the parameter, in the descriptor of what comes in or goes out it
  /// is the symbol. (A container that only the scope knows may well be as large as a parameter.)
  void hidden_size(const std::string& param) {
    const NodeId exit = s_.tree.exit_of(id_);
    std::set<std::string_view> reported;
    for (const auto edges : {s_.state.in(id_), exit ? s_.state.out(exit) : s_.state.in(id_)})
      for (EdgeId e : edges) {
        const Memlet& memlet = s_.state[e].memlet;
        const Data* data = memlet.empty() ? nullptr : s_.find_data(memlet.data);
        if (!data) continue;
        SymbolSet symbols;
        collect_symbols(*data, symbols);
        if (symbols.contains(param) && reported.insert(memlet.data).second)
          error("parameter '" + param + "' has the name of a symbol in the descriptor of '" +
                    memlet.data + "', which is used inside",
                "give the parameter another name");
      }
  }

  void reference(const AccessNode& access) {
    for (EdgeId e : s_.state.in(id_))
      if (s_.state[e].dst_connector == "set") return;
    if (!s_.sdfg.flow.may_be_defined("set:" + access.data, s_.point))
      error("reference '" + access.data + "' is used before it is set",
            "set it with an edge into a connector named 'set' of its access node");
  }

  void written_first(const AccessNode& access, const Data& data) {
    if (!data.transient || data.role() != Role::Plain || data.is_stream() || access.setzero) return;
    if (!s_.state.in(id_).empty() || s_.state.out(id_).empty()) return;
    const std::string_view root = root_of(access.data);
    if (s_.sdfg.written.contains(root) || s_.sdfg.constants->contains(root)) return;
    bool reads = false;
    for (EdgeId e : s_.state.out(id_)) {
      // A view, or a reference, of it may be what writes it.
      const Data* reader = s_.data_of(s_.path_target[e.value]);
      if (reader && reader->role() != Role::Plain) return;
      reads = reads || !s_.state[e].memlet.empty();
    }
    if (reads)
      warning("transient '" + access.data + "' is read but never written",
              "write it first, or set `setzero`");
  }

  /// A non-transient inside a nested SDFG is what a connector of the nested SDFG's node brings.
  void argument(const AccessNode& access) {
    const std::string_view root = root_of(access.data);
    const Node& call = *s_.sdfg.call;
    if (!call.in_connectors.contains(root) && !call.out_connectors.contains(root)) {
      error("'" + std::string(root) +
                "' is not transient, but the nested SDFG has no connector for it",
            "add a connector, or make it transient");
      return;
    }
    if (call.out_connectors.contains(root)) return;
    for (EdgeId e : s_.state.in(id_))
      if (!s_.state[e].memlet.empty()) {
        error("writes '" + std::string(root) + "', which the nested SDFG gets as an input only",
              "add an out connector of that name");
        return;
      }
  }

  // ---- Subscripts of connectors: one index per dimension of the memlet that is not one element
  // wide.
  void subscripts(const Statements& statements) {
    for (const Statement& statement : statements)
      std::visit(
          [&](const auto& s) {
            using S = std::remove_cvref_t<decltype(s)>;
            if constexpr (std::is_same_v<S, Assign>) subscripts(s.target), subscripts(s.value);
            if constexpr (std::is_same_v<S, ExprStatement>) subscripts(s.value);
            if constexpr (std::is_same_v<S, IfStatement>)
              subscripts(s.condition), subscripts(s.then), subscripts(s.otherwise);
            if constexpr (std::is_same_v<S, WhileStatement>)
              subscripts(s.condition), subscripts(s.body);
            if constexpr (std::is_same_v<S, ForStatement>)
              subscripts(s.iterable), subscripts(s.body);
            if constexpr (std::is_same_v<S, ReturnStatement>)
              if (s.value) subscripts(*s.value);
          },
          statement.kind);
  }
  void subscripts(const Expr& expr) {
    for (const Expr& arg : expr.args()) subscripts(arg);
    if (!expr.is(Op::Subscript) || !expr.arg(0).is(Op::Symbol)) return;
    const Memlet* memlet = memlet_of(expr.arg(0).name());
    if (!memlet || !memlet->subset()) return;
    const Data* data = s_.find_data(memlet->data);
    if (!data || !data->as_array()) return;
    const std::size_t given = expr.args().size() - 1, wide = dimensions_inside(*memlet->subset());
    if (given != wide)
      error("'" + print_python(expr) + "' has " + std::to_string(given) +
            (given == 1 ? " index" : " indices") + ", but the memlet " + memlet->data + "[" +
            to_text(*memlet->subset()) + "] has " + counted(wide, "dimension") +
            " of more than one element");
  }
  static std::size_t dimensions_inside(const Subset& subset) {
    std::size_t n = 0;
    for (const Range& range : subset.ranges) {
      if (range.begin != range.end) ++n;
      if (range.tile != Expr(1)) ++n;
    }
    return n;
  }
  const Memlet* memlet_of(const std::string& connector) const {
    for (EdgeId e : s_.state.out(id_))
      if (s_.state[e].src_connector == connector) return &s_.state[e].memlet;
    for (EdgeId e : s_.state.in(id_))
      if (s_.state[e].dst_connector == connector) return &s_.state[e].memlet;
    return nullptr;
  }

  const StateScope& s_;
  NodeId id_;
  const Node& node_;
  Findings& findings_;
};

}  // namespace

void verify_node(const StateScope& scope, NodeId node, Findings& findings) {
  NodeRules(scope, node, findings).verify();
}

}  // namespace sdfg::detail
