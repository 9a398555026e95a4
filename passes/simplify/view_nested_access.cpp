#include "passes/simplify/view_nested_access.h"

#include <algorithm>
#include <map>

#include "ir/analysis/propagate.h"
#include "passes/common/same_layout.h"
#include "passes/common/walk_states.h"
#include "passes/simplify/inline_plan.h"

namespace sdfg {
namespace {

bool is_plain(const Data& data) {
  return data.is_scalar() || (std::holds_alternative<Array>(data.kind) && !data.is_reference());
}

bool is_single(const Data& data) {
  return data.is_scalar() || (data.shape.size() == 1 && data.shape.front() == Expr(1));
}

/// DaCe 2.0.0b1's `Data.is_equivalent`.
bool are_equivalent(const Data& a, const Data& b) {
  if (a.dtype != b.dtype) return false;
  if (a.is_scalar() || b.is_scalar()) return is_single(a) && is_single(b);
  return a.shape == b.shape && a.as_array()->strides == b.as_array()->strides;
}

/// A view, outside, that has the shape and strides of a plain container inside.
Data view_like(const Data& inside, const Substitution& values) {
  Data view = inside.is_scalar() ? Data::array(inside.dtype, {Expr(1)}) : inside;
  view.as_array()->role = Role::View;
  view.as_array()->optional = false;
  view.transient = true;
  view.lifetime = Lifetime::Scope;
  substitute(view, values);
  return view;
}

/// Edges that hand on a container to a connector of that name, and from it.
struct Passed {
  std::vector<EdgeId> in, out;
};

class StateViewer {
 public:
  StateViewer(Sdfg& sdfg, State& state, const Trail& trail, PassContext& context)
      : sdfg_(sdfg), state_(state), trail_(trail), context_(context) {}

  Changed run() {
    Changed changed = Changed::No;
    const auto all = state_.nodes_of<NestedSdfg>();
    for (NodeId n : std::vector<NodeId>(all.begin(), all.end()))
      if (const auto& nested = state_.get<NestedSdfg>(n); nested.sdfg)
        changed |= on_nested(n, nested);
    return changed;
  }

 private:
  Changed on_nested(NodeId node, const NestedSdfg& nested) {
    std::map<std::string, Passed> passed;
    for (EdgeId e : state_.in(node))
      if (!state_[e].memlet.empty()) passed[state_[e].dst_connector].in.push_back(e);
    for (EdgeId e : state_.out(node))
      if (!state_[e].memlet.empty()) passed[state_[e].src_connector].out.push_back(e);
    const Substitution values = symbol_values(nested, sdfg_);
    const Trail here = trail_.in(state_, node);
    Changed changed = Changed::No;
    for (const auto& [name, edges] : passed) {
      const Data& inside = (*nested.sdfg)->arrays.at(name);
      if (!is_plain(inside)) {
        context_.refused(here, "'" + name + "' is no array or scalar, which a view could look at");
        continue;
      }
      Data view = view_like(inside, values);
      if (is_whole(view, edges)) continue;
      Refusal why = check(name, edges);
      if (!why) why = check_names(view, **nested.sdfg);
      if (why) {
        context_.refused(here, why);
        continue;
      }
      if (!context_.may_apply()) return changed;
      const Memlet& part = first_of(edges);
      context_.applied(here, "'" + name + "' is a view of " + part.data + "[" +
                                 to_text(*part.subset()) + "]");
      view.storage = sdfg_.find_data(part.data)->storage;
      insert(sdfg_.fresh_name(name + "_view"), std::move(view), edges);
      changed = Changed::Yes;
    }
    return changed;
  }

  const Memlet& first_of(const Passed& edges) const {
    return state_[(edges.in.empty() ? edges.out : edges.in).front()].memlet;
  }
  template <class F>
  static bool all_of(const Passed& edges, const F& accepts) {
    return std::ranges::all_of(edges.in, accepts) && std::ranges::all_of(edges.out, accepts);
  }

  bool is_whole(const Data& view, const Passed& edges) const {
    return all_of(edges, [&](EdgeId e) {
      const Memlet& memlet = state_[e].memlet;
      const Data& outside = *sdfg_.find_data(memlet.data);
      return is_plain(outside) && are_equivalent(view, outside) && memlet.subset() &&
             is_origin(*memlet.subset());
    });
  }

  static Refusal check_names(const Data& view, const Sdfg& inner) {
    SymbolSet names;
    collect_symbols(view, names);
    for (const std::string& name : names)
      if (inner.constants.contains(name))
        return "the shape inside uses '" + name + "', a constant of the nested SDFG";
    return {};
  }
  Refusal check(const std::string& name, const Passed& edges) const {
    const Memlet& first = first_of(edges);
    if (sdfg_.find_data(first.data)->is_stream())
      return "'" + name + "' is an element of the stream '" + first.data +
             "', which a view cannot look at";
    for (const Expr& size : sizes(first.subset().value_or(Subset())))
      if (size.as_integer().value_or(0) < 0)
        return "'" + name + "' is [" + to_text(*first.subset()) + "], fewer elements than none";
    const auto is_same = [&](EdgeId e) {
      const Memlet& memlet = state_[e].memlet;
      return memlet.data == first.data && memlet.subset() && memlet.subset() == first.subset();
    };
    if (!all_of(edges, is_same)) return "different parts are read and written as '" + name + "'";
    return {};
  }

  void insert(const std::string& name, Data view, const Passed& edges) {
    const Subset whole = all_elements(view);
    sdfg_.arrays.set(name, std::move(view));
    for (EdgeId e : edges.in) {
      const NodeId looking = state_.add(Node{AccessNode{name}});
      state_[looking].in_connectors.emplace("views", Type());
      state_.connect(state_.source(e), looking,
                     Edge{state_[e].src_connector, "views", state_[e].memlet});
      state_.set_source(e, looking);
      state_[e] = Edge{"", state_[e].dst_connector, like(state_[e], Memlet::read(name, whole))};
    }
    for (EdgeId e : edges.out) {
      const NodeId looking = state_.add(Node{AccessNode{name}});
      state_[looking].out_connectors.emplace("views", Type());
      state_.connect(looking, state_.target(e),
                     Edge{"views", state_[e].dst_connector, state_[e].memlet});
      state_.set_target(e, looking);
      state_[e] = Edge{state_[e].src_connector, "", like(state_[e], Memlet::write(name, whole))};
    }
  }

  /// As much moves as along the edge.
  static Memlet like(const Edge& edge, Memlet memlet) {
    memlet.volume = edge.memlet.volume, memlet.dynamic = edge.memlet.dynamic;
    return memlet;
  }

  Sdfg& sdfg_;
  State& state_;
  const Trail& trail_;
  PassContext& context_;
};

}  // namespace

Result<Changed> ViewNestedAccess::run(Sdfg& sdfg, const Options&, PassContext& context) {
  Changed changed = Changed::No;
  walk_states(sdfg, {}, [&](Sdfg& each, State& state, const Trail& trail) {
    changed |= StateViewer(each, state, trail, context).run();
  });
  return changed;
}

}  // namespace sdfg
