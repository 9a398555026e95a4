#include "passes/buffers/buffer_elimination.h"

#include <algorithm>
#include <set>

#include "passes/buffers/engine.h"

namespace sdfg {
namespace {

/// What the containers of a candidate have to do with each other.
struct Relation {
  bool to_there = false, from_there = false;  ///< copied in these directions
  bool one_state = false;
  std::size_t writes = 0, reads = 0;  ///< of `from`, copies included
  std::size_t other_reads = 0;        ///< that copy nothing to `to`
  bool written_by_maps = true;        ///< and by nothing else
  bool written_at_copy = false;       ///< in the state of the candidate's copy
};

Relation relation(BufferProgram& program, const Candidate& c) {
  Relation out;
  const auto& sites = program.nodes(c.from);
  out.one_state = sites.size() == 1;
  for (const auto& [point, nodes] : sites) {
    const State& state = *program.flow.state(point);
    const auto is_there = [&](NodeId n) {
      const auto* access = state[n].as<AccessNode>();
      return access && access->data == c.to;
    };
    for (NodeId n : nodes) {
      for (EdgeId e : state.in(n)) {
        if (state[e].memlet.empty()) continue;
        ++out.writes;
        out.from_there = out.from_there || is_there(state.source(e));
        out.written_by_maps = out.written_by_maps && state[state.source(e)].is<MapExit>();
        out.written_at_copy = out.written_at_copy || point == c.point;
      }
      for (EdgeId e : state.out(n)) {
        if (state[e].memlet.empty()) continue;
        ++out.reads;
        out.to_there = out.to_there || is_there(state.target(e));
        out.other_reads += !is_there(state.target(e));
      }
    }
  }
  return out;
}

/// The arguments at an access node, and those that copies lead to (or from), from there on.
std::vector<std::string_view> arguments_along(const Sdfg& sdfg, const State& state, NodeId from,
                                              bool forward) {
  std::vector<std::string_view> out;
  std::set<NodeId> seen{from};
  std::vector<NodeId> open{from};
  while (!open.empty() && seen.size() < 64) {
    const NodeId n = open.back();
    open.pop_back();
    for (EdgeId e : forward ? state.out(n) : state.in(n)) {
      const NodeId next = forward ? state.target(e) : state.source(e);
      if (state[next].is<AccessNode>() && !state[e].memlet.empty() && seen.insert(next).second)
        open.push_back(next);
    }
  }
  for (NodeId n : seen) {
    const std::string& name = state.get<AccessNode>(n).data;
    if (const Data* data = sdfg.find_data(name); data && !data->transient) out.push_back(name);
  }
  return out;
}

bool on_a_way_back(BufferProgram& program, const Candidate& c) {
  const State& state = *program.flow.state(c.point);
  const auto behind = arguments_along(program.sdfg, state, state.source(c.copy), false);
  if (behind.empty()) return false;
  const auto ahead = arguments_along(program.sdfg, state, state.target(c.copy), true);
  return std::ranges::find_first_of(ahead, behind) != ahead.end();
}

/// Without another way from the one node to the other: the container would stand for a value at the
/// first, and for a later one at the second.
bool one_version(BufferProgram& program, const Candidate& c) {
  const State& state = *program.flow.state(c.point);
  const NodeId from = state.source(c.copy), to = state.target(c.copy);
  return !program.order(c.point).reaches(from, to, [&](EdgeId e) {
    return state.source(e) != from || state.target(e) != to;
  });
}

/// `from` becomes a part of another transient, which may be composed of several.
bool composes_transient(BufferProgram& program, const Candidate& c) {
  const State& state = *program.flow.state(c.point);
  const Data& there = *program.sdfg.find_data(c.to);
  const auto& written = state[c.copy].memlet.dst_subset;
  if (!there.transient || state.get<AccessNode>(state.target(c.copy)).data != c.to) return false;
  Expr all = 1;
  for (const Expr& extent : there.shape) all = all * extent;
  return !written || num_elements(*written) != all;
}

/// A value that code keeps while it is stored should stay: others who read it would read memory.
Refusal kept_while_stored(BufferProgram& program, const Candidate& c) {
  const Data& value = *program.sdfg.find_data(c.from);
  if (!(num_elements(Subset::whole(value.shape)) == Expr(1))) return {};
  if (program.sdfg.find_data(c.to)->transient) return {};
  const Relation r = relation(program, c);
  if (!r.to_there || r.from_there || r.other_reads == 0) return {};
  return "'" + c.from + "' is one value that others read, too, and they would read memory";
}

}  // namespace

Result<Changed> RedundantArrayElimination::run(Sdfg& sdfg, const Options& options,
                                               PassContext& context) {
  const auto any = [](BufferProgram&, const Candidate&) { return true; };
  const auto separable = [](BufferProgram& program, const Candidate& c) {
    return one_version(program, c) && !composes_transient(program, c);
  };
  BufferSelection selection{any, true, true, options.assume_pointwise};
  selection.better_left = kept_while_stored;
  if (options.keep_versions) {
    selection.wanted = separable;
    selection.ordered_transients = selection.twins = false;
  }
  return eliminate_buffers(sdfg, selection, context);
}

Result<Changed> CopyChainElimination::run(Sdfg& sdfg, const Options& options,
                                          PassContext& context) {
  const auto wanted = [](BufferProgram& program, const Candidate& c) {
    const Relation r = relation(program, c);
    return r.one_state && !(r.to_there && r.from_there);
  };
  return eliminate_buffers(sdfg, {wanted, false, false, options.assume_pointwise}, context);
}

Result<Changed> MapBufferElimination::run(Sdfg& sdfg, const Options& options,
                                          PassContext& context) {
  const auto wanted = [](BufferProgram& program, const Candidate& c) {
    const Relation r = relation(program, c);
    return r.one_state && r.to_there && r.writes == 1 && r.written_by_maps && r.reads == 1;
  };
  return eliminate_buffers(sdfg, {wanted, false, false, options.assume_pointwise}, context);
}

Result<Changed> SelfCopyElimination::run(Sdfg& sdfg, const Options& options,
                                         PassContext& context) {
  const auto none = [](BufferProgram&, const Candidate&) { return false; };
  const auto in_state = [](BufferProgram& program, const Candidate& c) {
    const Relation r = relation(program, c);
    return r.one_state && r.to_there && r.from_there;
  };
  const auto anywhere = [](BufferProgram& program, const Candidate& c) {
    const Relation r = relation(program, c);
    return r.to_there && r.from_there;
  };
  BufferSelection selection{none, true, false, options.assume_pointwise};
  if (options.reach == SelfCopies::State) selection.wanted = in_state;
  if (options.reach == SelfCopies::Program) selection.wanted = anywhere;
  return eliminate_buffers(sdfg, selection, context);
}

Result<Changed> WriteBackElimination::run(Sdfg& sdfg, const Options& options,
                                          PassContext& context) {
  const auto wanted = [](BufferProgram& program, const Candidate& c) {
    const Relation r = relation(program, c);
    return r.to_there && !r.written_at_copy;
  };
  return eliminate_buffers(sdfg, {wanted, false, false, options.assume_pointwise}, context);
}

Result<Changed> DistributedBufferRelocation::run(Sdfg& sdfg, const Options& options,
                                                 PassContext& context) {
  const auto wanted = [](BufferProgram& program, const Candidate& c) {
    const Relation r = relation(program, c);
    return r.to_there && !r.written_at_copy && r.other_reads == 0;
  };
  return eliminate_buffers(sdfg, {wanted, false, false, options.assume_pointwise}, context);
}

Result<Changed> AccessNodeCopyElimination::run(Sdfg& sdfg, const Options& options,
                                               PassContext& context) {
  return eliminate_buffers(sdfg, {on_a_way_back, true, false, options.assume_pointwise}, context);
}

}  // namespace sdfg
