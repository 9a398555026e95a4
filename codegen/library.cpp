// Library nodes as loops. Each is printed where it stands, from what its connectors are bound to.

#include "codegen/library.h"

#include <algorithm>

#include "codegen/sdfg_function.h"
#include "ir/analysis/memlet_path.h"
#include "ir/pointwise.h"

namespace sdfg {

namespace {
bool is_one(const Expr& e) { return e.as_integer() == 1; }
}  // namespace

std::vector<std::size_t> LibraryPort::wide() const {
  std::vector<std::size_t> out;
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (!is_one(sizes[d])) out.push_back(d);
  return out;
}

LibraryPort SdfgFunction::library_port(At& at, EdgeId edge, bool input) {
  const Memlet& memlet = at.state[edge].memlet;
  const NodeId end = input ? path_source(at.state, edge) : path_target(at.state, edge);
  const Place place = at.edge_place(edge);
  LibraryPort port;
  port.edge = edge;
  port.input = input;
  port.binding = at.state[end].is<AccessNode>() ? end_binding(at, end, memlet.data)
                                                : binding(memlet.data, place);
  if (!port.binding.data) return port;
  const Data& data = *port.binding.data;
  port.subset = subset_or_whole(memlet.subset(), data);
  port.type = type_name(data.dtype, place);
  port.pointer = pointer(port.binding, port.subset, place);
  const Array* array = data.as_array();
  for (std::size_t d = 0; d < port.subset.rank(); ++d) {
    port.sizes.push_back(port.subset[d].size());
    const Expr stride = array && d < array->strides.size() ? array->strides[d] : Expr(1);
    port.strides.push_back(is_one(port.subset[d].step) ? stride : stride * port.subset[d].step);
  }
  return port;
}

std::string SdfgFunction::strided(const std::vector<Expr>& strides,
                                  const std::vector<std::string>& index) const {
  const CppExpr printer = symbolic();
  std::string out;
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (index[d].empty()) continue;
    out += (out.empty() ? "" : " + ") +
           (is_one(strides[d]) ? index[d] : printer.operand(strides[d]) + " * " + index[d]);
  }
  return out.empty() ? "0" : out;
}

void SdfgFunction::emit_reduce(At& at, NodeId id, const Reduce& reduce) {
  const Place place = at.node_place(id);
  const auto ins = at.state.in(id), outs = at.state.out(id);
  if (ins.empty() || outs.empty()) return fail(place, "a reduction needs an input and an output");
  const LibraryPort in = library_port(at, ins[0], true), out = library_port(at, outs[0], false);
  if (!in.binding.data || !out.binding.data) return;

  std::vector<bool> reduced(in.sizes.size(), !reduce.axes);
  if (reduce.axes)
    for (std::int64_t axis : *reduce.axes) {
      if (axis < 0) axis += std::int64_t(in.sizes.size());
      if (axis < 0 || axis >= std::int64_t(in.sizes.size()))
        return fail(place, "the reduction names axis " + std::to_string(axis) + " of " +
                               std::to_string(in.sizes.size()));
      reduced[std::size_t(axis)] = true;
    }
  // Dimensions that stay correspond in order to those of the output.
  std::vector<std::size_t> kept, kept_wide;
  for (std::size_t d = 0; d < in.sizes.size(); ++d)
    if (!reduced[d]) {
      kept.push_back(d);
      if (!is_one(in.sizes[d])) kept_wide.push_back(d);
    }
  std::vector<std::size_t> out_dims = out.wide();
  if (kept_wide.size() == out_dims.size()) {
    kept = kept_wide;
  } else if (kept.size() == out.sizes.size()) {
    out_dims.clear();
    for (std::size_t d = 0; d < kept.size(); ++d) out_dims.push_back(d);
  } else {
    return fail(place, "the reduction leaves " + std::to_string(kept.size()) +
                           " dimensions, its output has " + std::to_string(out_dims.size()));
  }

  if (in.binding.device && !on_device_) {
    std::vector<std::size_t> gone;
    for (std::size_t d = 0; d < in.sizes.size(); ++d)
      if (reduced[d] && !is_one(in.sizes[d])) gone.push_back(d);
    return emit_far_reduce(at, id, reduce, in, out, {kept, out_dims, gone});
  }
  at.out.line("// reduce " + std::string(at.state[id].label()));
  at.out.open("");
  const NameScope names(used_names_, on_device_);
  std::vector<std::string> in_index(in.sizes.size()), out_index(out.sizes.size());
  const bool parallel =
      !at.where.parallel && !at.where.in_scope && program_.target.openmp && !kept.empty();
  if (parallel) at.out.flush_left("#pragma omp parallel for");
  int loops = 0;
  const auto loop = [&](const std::string& i, const Expr& size) {
    at.out.open("for (int64_t " + i + " = 0; " + i + " < " + print(size, place) + "; ++" + i + ")");
    ++loops;
  };
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const std::string i = local_name("o" + std::to_string(k));
    loop(i, in.sizes[kept[k]]);
    in_index[kept[k]] = i;
    out_index[out_dims[k]] = i;
  }
  const std::string target = "(" + out.pointer + ")[" + strided(out.strides, out_index) + "]";
  const std::string initial =
      reduce.identity ? out.type + "(" + print_code(*reduce.identity, place) + ")" : target;
  const std::string result = local_name("result");
  at.out.line(out.type + " " + result + " = " + initial + ";");
  int inner = 0;
  for (std::size_t d = 0; d < in.sizes.size(); ++d) {
    if (!reduced[d] || is_one(in.sizes[d])) continue;
    const std::string i = local_name("i" + std::to_string(inner));
    loop(i, in.sizes[d]);
    in_index[d] = i;
    ++inner;
  }
  at.out.line("sdfg::update(&" + result + ", " + out.type + "((" + in.pointer + ")[" +
              strided(in.strides, in_index) + "]), " +
              reduction_operator(reduce.wcr, out.binding.data->dtype, place) + ");");
  for (int k = 0; k < inner; ++k, --loops) at.out.close();
  const Memlet& memlet = at.state[outs[0]].memlet;
  if (memlet.wcr)
    at.out.line(update(at, outs[0], out.binding, out.subset, "&" + target, result));
  else
    at.out.line(target + " = " + result + ";");
  while (loops-- > 0) at.out.close();
  at.out.close();
}

void SdfgFunction::emit_reduce_skip(At& at, NodeId id, const ReduceWithSkipValues& reduce,
                                    const LibraryPorts& in, const LibraryPorts& out) {
  const Place place = at.node_place(id);
  const auto values = in.find(reduce.input_conn), table = in.find(reduce.mask_conn);
  const auto target = out.find(reduce.output_conn);
  if (values == in.end() || table == in.end() || target == out.end())
    return fail(place, "a sum over neighbours needs values, a table and an output");
  const LibraryPort& to = target->second;
  if (!values->second.binding.data || !table->second.binding.data || !to.binding.data) return;
  const auto over = values->second.wide(), neighbors = table->second.wide();
  const std::optional<Expr>& initial = reduce.init ? reduce.init : reduce.identity;
  if (over.size() > 1 || over.size() != neighbors.size() || !to.wide().empty())
    return fail(place,
                "a sum over neighbours goes over one dimension, of the table as of the values");
  if (!initial) return fail(place, "a sum over neighbours without an identity");
  const NameScope names(used_names_, on_device_);
  const std::string i = local_name("i0"), result = local_name("result");
  const auto at_neighbor = [&](const LibraryPort& port) {
    std::vector<std::string> index(port.sizes.size());
    for (std::size_t d : port.wide()) index[d] = i;
    return "(" + port.pointer + ")[" + strided(port.strides, index) + "]";
  };
  at.out.line("// reduce " + std::string(at.state[id].label()));
  at.out.open("");
  at.out.line(to.type + " " + result + " = " + to.type + "(" + print_code(*initial, place) + ");");
  const std::string count = over.empty() ? "1" : print(values->second.sizes[over[0]], place);
  at.out.open("for (int64_t " + i + " = 0; " + i + " < " + count + "; ++" + i + ")");
  at.out.line("if (" + at_neighbor(table->second) + " != -1) sdfg::update(&" + result + ", " +
              to.type + "(" + at_neighbor(values->second) + "), " +
              reduction_operator(reduce.wcr, to.binding.data->dtype, place) + ");");
  at.out.close();
  if (at.state[to.edge].memlet.wcr)
    at.out.line(update(at, to.edge, to.binding, to.subset, to.pointer, result));
  else
    at.out.line("*(" + to.pointer + ") = " + result + ";");
  at.out.close();
}

void SdfgFunction::emit_pointwise(At& at, NodeId id, const Pointwise& pointwise,
                                  const LibraryPorts& in, const LibraryPorts& out) {
  const Place place = at.node_place(id);
  const auto target = out.find(pointwise.output);
  if (target == out.end())
    return fail(place, "nothing is connected to '" + pointwise.output + "'");
  const LibraryPort& to = target->second;
  for (const LibraryPorts* ports : {&in, &out})
    for (const auto& [name, port] : *ports)
      if (!port.binding.data) return;
  at.out.line("// " + std::string(at.state[id].label()));
  at.out.open("");
  const NameScope names(used_names_, on_device_);
  if (!at.where.parallel && !at.where.in_scope && program_.target.openmp && !to.sizes.empty())
    at.out.flush_left("#pragma omp parallel for");
  std::vector<Expr> point;
  for (std::size_t d = 0; d < to.sizes.size(); ++d) {
    const std::string i = local_name("i" + std::to_string(d));
    at.out.open("for (int64_t " + i + " = 0; " + i + " < " + print(to.sizes[d], place) + "; ++" +
                i + ")");
    point.push_back(Expr::symbol(i));
  }
  const auto element = [&](const LibraryPort& port, const std::vector<Expr>& index) {
    Expr offset = 0;
    for (std::size_t d = 0; d < index.size(); ++d) offset = offset + index[d] * port.strides[d];
    return "(" + port.pointer + ")[" + print(offset, place) + "]";
  };
  std::vector<std::string> values;
  for (const std::string& name : pointwise.inputs) {
    const auto found = in.find(name);
    if (found == in.end()) return fail(place, "nothing is connected to '" + name + "'");
    const auto read = pointwise_read(pointwise, found->second.sizes, to.sizes);
    if (!read) return fail(place, "'" + name + "': " + read.error().message);
    values.push_back(element(found->second, read->index(found->second.sizes, point)));
  }
  std::string value = to.type + "(" + values.back() + ")";
  if (values.size() == 3)
    value = values[0] + " ? " + to.type + "(" + values[1] + ") : " + value;
  const std::string result = element(to, point);
  if (at.state[to.edge].memlet.wcr)
    at.out.line(update(at, to.edge, to.binding, to.subset, "&" + result, value));
  else
    at.out.line(result + " = " + value + ";");
  for (std::size_t d = 0; d < to.sizes.size(); ++d) at.out.close();
  at.out.close();
}

std::string SdfgFunction::print_code(const Expr& expr, const Place& place) const {
  CppExpr printer = between_states(place);
  std::string text = printer.print(expr);
  if (!printer.problem.empty()) program_.fail(place, printer.problem);
  return text;
}

void SdfgFunction::emit_library(At& at, NodeId id) {
  const Node& node = at.state[id];
  const Place place = at.node_place(id);
  const auto operation = library_operation(node);
  if (!operation) return fail(place, operation.error().message, operation.error().hint);
  ByName<LibraryPort> in, out;
  for (EdgeId e : at.state.in(id))
    if (!at.state[e].memlet.empty()) in[at.state[e].dst_connector] = library_port(at, e, true);
  for (EdgeId e : at.state.out(id))
    if (!at.state[e].memlet.empty()) out[at.state[e].src_connector] = library_port(at, e, false);
  if (!library_runs_here(*operation, in, out, place)) return;
  if (const auto* reduce = std::get_if<Reduce>(&*operation)) return emit_reduce(at, id, *reduce);
  const auto emit = [&] {
    if (const auto* skip = std::get_if<ReduceWithSkipValues>(&*operation))
      return emit_reduce_skip(at, id, *skip, in, out);
    if (const auto* pointwise = std::get_if<Pointwise>(&*operation))
      return emit_pointwise(at, id, *pointwise, in, out);
    emit_linear_algebra(at, id, *operation, in, out);
  };
  const auto far = [](const auto& entry) { return entry.second.binding.device; };
  const bool copied = !on_device_ && !has_device_code(*operation) &&
                      (std::ranges::any_of(in, far) || std::ranges::any_of(out, far));
  if (!copied) return emit();
  at.out.open("");
  for (LibraryPorts* ports : {&in, &out})
    for (auto& [connector, port] : *ports) {
      const std::string copy = local_name("on_host");
      const Expr extent = elements_spanned(port.sizes, port.strides);
      at.out.line("sdfg::gpu::HostCopy<" + port.type + "> " + copy + "(__state->gpu, " +
                  port.pointer + ", " + print(extent, place) + ", " +
                  (port.input ? "false" : "true") + ");");
      program_.waits_for(at.state[port.edge].memlet.data, at.edge_place(port.edge));
      port.pointer = copy + ".data";
      port.binding.device = false;
    }
  emit();
  at.out.close();
}

}  // namespace sdfg
