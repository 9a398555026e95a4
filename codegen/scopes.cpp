#include <algorithm>

#include "codegen/sdfg_function.h"
#include "ir/analysis/memlet_path.h"

namespace sdfg {

void SdfgFunction::emit_state(Writer& out, const State& state, const std::string& label,
                              const Place& place) {
  const StatePlan& plan = *plan_of_.at(&state);
  if (plan.order.empty()) return;
  out.line("// state ", label);
  out.open("");
  At at{out, state, plan, place, surroundings_, {}, {}, {}, {}, {}, {}, {}, 0};
  for (const std::string& name : plan.sized_here)
    if (const auto late = late_.find(name); late != late_.end())
      for (const std::string& line : late->second) out.line(line);
  declare_scope(at, NodeId());
  emit_children(at, NodeId());
  out.close();
  // What the state declared ends with it.
  for (const auto& [scope, names] : plan.declared)
    for (const std::string& name : names) bindings_.erase(name);
}

namespace {
/// The tasklet that alone writes an access node, with certainty and as a whole, or the node itself
/// when `copies` count and it is copied to; else none.
NodeId only_writer(const State& state, NodeId access, bool copies) {
  if (state.in(access).size() != 1) return {};
  const EdgeId e = state.in(access)[0];
  const Memlet& memlet = state[e].memlet;
  if (memlet.wcr || memlet.dynamic || memlet.empty()) return {};
  if (copies && (state[state.source(e)].is<AccessNode>() || state[state.source(e)].is_entry()))
    return access;
  return state[state.source(e)].is<Tasklet>() ? state.source(e) : NodeId();
}
}  // namespace

void SdfgFunction::declare_scope(At& at, NodeId entry) {
  if (const auto here = at.plan.declared.find(entry); here != at.plan.declared.end())
    for (const std::string& name : here->second) {
      const Data& data = *sdfg_.find_data(name);
      // A scalar that is written once, by a tasklet right here, is declared where it is written.
      if (data.is_scalar() && data.lifetime == Lifetime::Scope) {
        const auto nodes = at.plan.accesses.find(name);
        const NodeId writer = nodes != at.plan.accesses.end() && nodes->second.size() == 1
                                  ? only_writer(at.state, nodes->second[0], on_device_)
                                  : NodeId();
        if (writer && at.plan.tree.parent_of(writer) == entry) {
          at.pending.insert(cpp_name(name));
          bindings_[name] = {Binding::Value, cpp_name(name), &data};
          bindings_[name].own = on_device_;
          type_name(data.dtype, at.place);
          continue;
        }
      }
      declare(at.out, name, at.place, at.where);
      if (data.lifetime == Lifetime::Scope) bindings_[name].private_to = at.parallel_params;
    }
  declare_views(at, entry);
}

void SdfgFunction::declare_views(At& at, NodeId entry) {
  // A view of a view needs the other one first: repeat until nothing is left to bind.
  std::vector<NodeId> waiting;
  for (NodeId id : at.plan.inside(entry)) {
    const auto* access = at.state[id].as<AccessNode>();
    if (!access) continue;
    const Data* data = sdfg_.find_data(access->data);
    if (data && data->is_view()) waiting.push_back(id);
  }
  while (!waiting.empty()) {
    std::vector<NodeId> later;
    for (NodeId id : waiting) {
      const std::string& name = at.state.get<AccessNode>(id).data;
      const Data& data = *sdfg_.find_data(name);
      const auto edge = viewed_edge(sdfg_, at.state, id);
      if (!edge) {
        fail(at.node_place(id), "it cannot be told what the view '" + name + "' shows");
        continue;
      }
      const bool incoming = at.state.target(*edge) == id;
      const NodeId shown = incoming ? path_source(at.state, *edge) : path_target(at.state, *edge);
      const auto* target = at.state[shown].as<AccessNode>();
      if (!target) {
        fail(at.node_place(id), "the view '" + name + "' shows no container");
        continue;
      }
      const Data* target_data = sdfg_.find_data(target->data);
      if (target_data && target_data->is_view() && !at.views.contains(shown)) {
        later.push_back(id);
        continue;
      }
      const Memlet& memlet = at.state[*edge].memlet;
      const auto& end_subset = incoming ? memlet.src_subset : memlet.dst_subset;
      const std::string container =
          memlet.data == name || memlet.empty() ? target->data : memlet.data;
      const Binding base = end_binding(at, shown, container);
      if (!base.data) continue;
      const std::optional<Subset> subset =
          container == memlet.data ? memlet.subset() : end_subset;
      const Place place = at.node_place(id);
      // An element of an array of containers is the address of what the view shows.
      const Type& shown_type = base.data->dtype;
      const bool element_shown =
          shown_type.is_pointer() && base.kind == Binding::Pointer &&
          (data.is_structure() ? shown_type == data.dtype : shown_type.element() == data.dtype);
      const Subset part = subset_or_whole(subset, *base.data);
      std::string address =
          element_shown ? element(base, part, place) : pointer(base, part, place);
      if (data.is_structure()) {
        if (address.find_first_of("& ") != std::string::npos) address = "(" + address + ")";
        at.views[id] = {Binding::Struct, address, &data, base.shared, base.aliased, base.memory(),
                        base.device, base.own};
        continue;
      }
      const std::string type = type_name(data.dtype, place);
      if (!(data.dtype == shown_type) && !element_shown)
        address = "reinterpret_cast<" + type + "*>(" + address + ")";
      if (data.is_scalar()) {
        at.views[id] = {Binding::Value, "(*(" + address + "))", &data, base.shared,
                        base.aliased, base.memory(), base.device, base.own};
        continue;
      }
      // One name per target: two nodes of one view may show different places.
      std::string text = cpp_name(name);
      if (!at.view_names.insert(text).second)
        at.view_names.insert(text = local_name(text + "_view"));
      at.out.line("[[maybe_unused]] " + (on_device_ ? "auto" : type) + "* const " + text + " = " +
                  address + ";");
      at.views[id] = {Binding::Pointer, text,          &data,       base.shared,
                      base.aliased,     base.memory(), base.device, base.own};
    }
    if (later.size() == waiting.size()) {
      fail(at.node_place(later[0]), "views that show each other in a circle");
      return;
    }
    waiting = std::move(later);
  }
}

void SdfgFunction::emit_children(At& at, NodeId entry) {
  for (NodeId id : at.plan.inside(entry)) emit_node(at, id);
}

void SdfgFunction::emit_node(At& at, NodeId id) {
  const Node& node = at.state[id];
  if (node.is_exit()) return;
  if (at.where.shared_block && for_one_thread(at, id)) {
    // All threads of the block come here; one of them does it, before the others go on.
    at.out.open("if (threadIdx.x + threadIdx.y + threadIdx.z == 0)");
    at.where.shared_block = false;
    emit_node(at, id);
    at.where.shared_block = true;
    at.out.close();
    return at.out.line("__syncthreads();");
  }
  if (node.is<AccessNode>()) return emit_access(at, id);
  if (node.is<Tasklet>()) return emit_tasklet(at, id);
  if (node.is<MapEntry>()) return emit_map(at, id);
  if (node.is<ConsumeEntry>()) return emit_consume(at, id);
  if (node.is<NestedSdfg>()) return emit_nested(at, id);
  if (node.is<LibraryNode>()) return emit_library(at, id);
  fail(at.node_place(id), "no code for nodes of kind " + std::string(node.kind_name()));
}

void SdfgFunction::emit_access(At& at, NodeId id) {
  const State& state = at.state;
  const auto viewing = [&](NodeId node, EdgeId edge) {
    const auto* access = state[node].as<AccessNode>();
    const Data* data = access ? sdfg_.find_data(access->data) : nullptr;
    return data && data->is_view() && viewed_edge(sdfg_, state, node) == edge;
  };
  const auto reference = [&](EdgeId e) { return state[e].dst_connector == "set"; };
  // Copies into this node; those that leave the scope through its exit are made at their source.
  for (EdgeId e : state.in(id)) {
    const Memlet& memlet = state[e].memlet;
    if (memlet.empty() || state[state.source(e)].is_exit()) continue;
    const NodeId source = path_source(state, e);
    if (!state[source].is<AccessNode>()) continue;
    if (reference(e)) {
      // A member, where the source is a structure.
      const std::string& node = state.get<AccessNode>(source).data;
      const bool member = memlet.data.starts_with(node + ".");
      const Binding from = end_binding(at, source, member ? memlet.data : node);
      const Binding to = end_binding(at, id, state.get<AccessNode>(id).data);
      if (from.data)
        at.out.line(
            to.text + " = " +
            pointer(from, subset_or_whole(memlet.src_subset, *from.data), at.edge_place(e)) + ";");
      continue;
    }
    if (viewing(id, e) || viewing(source, e)) continue;
    emit_copy(at, e, source, id);
  }
  for (EdgeId e : state.out(id)) {
    if (state[e].memlet.empty() || !state[state.target(e)].is_exit()) continue;
    const NodeId target = path_target(state, e);
    if (!state[target].is<AccessNode>() || viewing(id, e)) continue;
    emit_copy(at, e, id, target);
  }
}

/// A connector may be called like a container, its own or another connector's: values that mention
/// a name declared here by then are read before the names are.
void SdfgFunction::read_dynamic_inputs(At& at, NodeId id) {
  struct Input {
    std::string type, name, value;
  };
  std::vector<Input> inputs;
  for (EdgeId e : at.state.in(id)) {
    const Edge& edge = at.state[e];
    if (edge.dst_connector.empty() || edge.dst_connector.starts_with("IN_") || edge.memlet.empty())
      continue;
    const Binding from = end_binding(at, path_source(at.state, e), edge.memlet.data);
    if (!from.data) continue;
    const Place place = at.edge_place(e);
    const Subset subset = subset_or_whole(edge.memlet.subset(), *from.data);
    input_types_.insert_or_assign(edge.dst_connector, from.data->dtype);
    inputs.push_back(
        {symbol_type(from.data->dtype), cpp_name(edge.dst_connector),
         on_device_ ? element(from, subset, place) : load(at, e, from, subset, place)});
  }
  for (auto input = inputs.begin(); input != inputs.end(); ++input) {
    const Words words(input->value);
    if (std::none_of(inputs.begin(), input + 1,
                     [&](const Input& other) { return words.contains(other.name); }))
      continue;
    const std::string outer = local_name(input->name + "_outer");
    at.out.line("const " + input->type + " " + outer + " = " + input->value + ";");
    input->value = outer;
  }
  for (const Input& input : inputs)
    at.out.line("[[maybe_unused]] const " + input.type + " " + input.name + " = " + input.value +
                ";");
}

void SdfgFunction::emit_consume(At& at, NodeId id) {
  const ConsumeEntry& consume = at.state.get<ConsumeEntry>(id);
  const Place place = at.node_place(id);
  if (on_device_) return fail(place, "no code for consume scopes in kernels", "run it on the host");
  NodeId source;
  std::optional<Subset> queue;
  for (EdgeId e : at.state.in(id))
    if (at.state[e].dst_connector == "IN_stream")
      source = path_source(at.state, e), queue = at.state[e].memlet.subset();
  const auto* access = source ? at.state[source].as<AccessNode>() : nullptr;
  if (!access) return fail(place, "the consume scope has no stream at IN_stream");
  const Binding stream = end_binding(at, source, access->data);
  if (stream.kind != Binding::Stream) return fail(place, "'" + access->data + "' is no stream");
  // Elements may be taken in any order by any number of workers: one worker, until none is left.
  at.out.line("// consume " + consume.label);
  at.out.open("");
  read_dynamic_inputs(at, id);
  const std::string type = type_name(stream.data->dtype, place);
  const std::string value = local_name(cpp_name(access->data) + "_element");
  const std::string count = local_name(cpp_name(access->data) + "_count");
  const std::string chunk = std::to_string(std::max<std::int64_t>(consume.chunksize, 1));
  at.out.line("[[maybe_unused]] constexpr int64_t " + cpp_name(consume.pe_index) + " = 0;");
  at.out.open("for (;;)");
  if (consume.condition && !consume.condition->empty())
    at.out.line("if (" + condition(*consume.condition, place) + ") break;");
  at.out.line(type + " " + value + "[" + chunk + "]{};");
  at.out.line("const int64_t " + count + " = " +
              stream_element(stream, subset_or_whole(queue, *stream.data), place) + ".pop(" +
              value + ", " + chunk + ");");
  at.out.line("if (" + count + " == 0) break;");
  // The name under which DaCe lets the body know how many elements there are.
  at.out.line("[[maybe_unused]] const int64_t __dace_cons_numelems = " + count + ";");
  const Surroundings outer = at.where;
  at.where.in_scope = true;
  for (EdgeId e : at.state.out(id))
    if (at.state[e].src_connector == "OUT_stream")
      for (EdgeId leaf : path_leaves(at.state, e)) at.code_variables[leaf] = value;
  declare_scope(at, id);
  emit_children(at, id);
  at.where = outer;
  at.out.close();
  at.out.close();
}

}  // namespace sdfg
