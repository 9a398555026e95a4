// Copies between containers: canonical dimensions first (unit dimensions dropped, neighbours that
// are contiguous on both sides merged), then an assignment, memcpy or a loop nest.

#include "codegen/sdfg_function.h"

namespace sdfg {

namespace {

/// Strides of the subset's dimensions in elements of the container.
std::vector<Expr> strides_of(const Data& data, const Subset& subset) {
  std::vector<Expr> out;
  const Array* array = data.as_array();
  for (std::size_t d = 0; d < subset.rank(); ++d) {
    const Expr stride = array && d < array->strides.size() ? array->strides[d] : Expr(1);
    out.push_back(subset[d].step.as_integer() == 1 ? stride : stride * subset[d].step);
  }
  return out;
}

bool is_one(const Expr& e) { return e.as_integer() == 1; }

}  // namespace

/// A copy that the host starts and the device takes part in: one piece, or rows, or a kernel.
void SdfgFunction::emit_far_copy(Writer& out, std::vector<CopyDimension> dims, const Binding& from,
                                 const Binding& to, const std::string& source,
                                 const std::string& target, const Place& place) {
  const auto text = [&](const Expr& e) { return print(e, place); };
  const CopyDimension last = dims.back();
  const bool contiguous = is_one(last.source_stride) && is_one(last.target_stride);
  const bool same_type = from.data->dtype == to.data->dtype;
  const std::string call = "sdfg::gpu::copy", gpu = "(__state->gpu, ";
  if (contiguous && same_type && dims.size() == 1)
    return out.line(call + gpu + target + ", " + source + ", " + text(last.size) + ");");
  if (from.device && to.device) {
    std::string size, write, read;
    for (const CopyDimension& d : dims) {
      const std::string comma = size.empty() ? "" : ", ";
      size += comma + text(d.size), write += comma + text(d.target_stride),
          read += comma + text(d.source_stride);
    }
    return out.line(call + gpu + target + ", " + source + ", sdfg::gpu::Box<" +
                    std::to_string(dims.size()) + ">{{" + size + "}, {" + write + "}, {" + read +
                    "}});");
  }
  if (!same_type)
    return fail(place,
                "the copy converts '" + from.data->dtype.text() + "' to '" + to.data->dtype.text() +
                    "' between the host and the GPU",
                "convert in a map");
  // Between host and device: rows, in loops over the dimensions that are left.
  if (!contiguous) dims.push_back({1, 1, 1});
  const CopyDimension row = dims.back(), rows = dims[dims.size() - 2];
  dims.resize(dims.size() - 2);
  std::string read = source, write = target;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const std::string i = "i" + std::to_string(d);
    out.open("for (int64_t " + i + " = 0; " + i + " < " + text(dims[d].size) + "; ++" + i + ")");
    read += " + (" + text(dims[d].source_stride) + ") * " + i;
    write += " + (" + text(dims[d].target_stride) + ") * " + i;
  }
  out.line("sdfg::gpu::copy_rows" + gpu + write + ", " + text(rows.target_stride) + ", " + read +
           ", " + text(rows.source_stride) + ", " + text(row.size) + ", " + text(rows.size) + ");");
  for (std::size_t d = 0; d < dims.size(); ++d) out.close();
}

void SdfgFunction::emit_copy(At& at, EdgeId edge_id, NodeId source, NodeId target) {
  const Memlet& memlet = at.state[edge_id].memlet;
  const Place place = at.edge_place(edge_id);
  // Either end may be named through a member of a structure.
  const std::string& source_node = at.state.get<AccessNode>(source).data;
  const std::string& target_node = at.state.get<AccessNode>(target).data;
  const auto name_of = [&](const std::string& node, bool is_data) {
    return is_data && memlet.data.starts_with(node + ".") ? memlet.data : node;
  };
  const Binding from = end_binding(at, source, name_of(source_node, memlet.data_is_src));
  const Binding to = end_binding(at, target, name_of(target_node, !memlet.data_is_src));
  if (!from.data || !to.data) return;

  if (from.kind == Binding::Struct && to.kind == Binding::Struct)
    return at.out.line("*" + to.text + " = *" + from.text + ";");

  const bool streams = from.kind == Binding::Stream || to.kind == Binding::Stream;
  Subset read = subset_or_whole(memlet.src_subset, *from.data);
  Subset write = subset_or_whole(memlet.dst_subset, *to.data);
  // A missing side has as many elements as the other, from the origin on.
  const auto fit = [](Subset& missing, const Subset& given) {
    if (missing.rank() == given.rank())
      for (std::size_t d = 0; d < missing.rank(); ++d)
        missing[d] = {0, given[d].size() - 1};
  };
  if (!streams && memlet.src_subset && !memlet.dst_subset) fit(write, read);
  if (!streams && memlet.dst_subset && !memlet.src_subset) fit(read, write);

  const std::string type = type_name(to.data->dtype, place);
  const bool same_type = from.data->dtype == to.data->dtype;

  if (streams) {
    const auto count = print(num_elements(from.kind == Binding::Stream ? write : read), place);
    if (from.kind == Binding::Stream && to.kind == Binding::Stream) {
      const std::string a = stream_element(from, read, place), b = stream_element(to, write, place);
      at.out.open("for (" + type + " value; " + a + ".try_pop(value);)");
      at.out.line(b + ".push(value);");
      at.out.close();
    } else if (from.kind == Binding::Stream) {
      const std::string stream = stream_element(from, read, place);
      if (to.kind == Binding::Value)
        at.out.line(to.text + " = " + stream + ".pop();");
      else
        at.out.line(stream + ".pop(" + pointer(to, write, place) + ", " + count + ");");
    } else {
      const std::string stream = stream_element(to, write, place);
      if (from.kind == Binding::Value) return at.out.line(stream + ".push(" + from.text + ");");
      at.out.open("for (int64_t i = 0; i < " + count + "; ++i)");
      at.out.line(stream + ".push((" + pointer(from, read, place) + ")[i]);");
      at.out.close();
    }
    return;
  }

  const bool far = program_.target.gpu && !on_device_ && (from.device || to.device);
  if (far && memlet.wcr)
    return fail(place, "the copy updates what is there, which no kernel does",
                "run --copy-to-map and --gpu-transformation");
  const auto arrive = [&] {  // the host may look at it now
    if (!far || to.device) return;
    at.out.line("sdfg::gpu::wait(__state->gpu);");
    Program::add_once(program_.waits, place.text() + ": a copy to the host");
  };

  // One element.
  const bool one = from.kind == Binding::Value || to.kind == Binding::Value ||
                   is_one_element(read) || is_one_element(write);
  if (one) {
    const std::string value = on_device_ ? load(at, edge_id, from, read, place)
                                         : element(from, read, place),
                      left = element(to, write, place);
    if (far) {
      if (!same_type)
        return fail(place,
                    "the copy converts '" + from.data->dtype.text() + "' to '" +
                        to.data->dtype.text() + "' between the host and the GPU",
                    "convert in a map");
      at.out.line("sdfg::gpu::copy<" + type + ">(__state->gpu, &" + left + ", &" + value + ", 1);");
      return arrive();
    }
    if (memlet.wcr)
      at.out.line(update(at, edge_id, to, write, "&" + left, value));
    else if (on_device_ && at.pending.erase(to.text))
      at.out.line((is_final(at, edge_id) ? "const " : "") + type + " " + left + " = " +
                  (same_type ? value : type + "(" + value + ")") + ";");
    else if (value != left)
      at.out.line(left + " = " + (same_type ? value : type + "(" + value + ")") + ";");
    return;
  }

  // Same number of wide dimensions: they correspond in order.
  const auto wide = [](const Subset& s) {
    std::vector<std::size_t> dims;
    for (std::size_t d = 0; d < s.rank(); ++d)
      if (!is_one(s[d].size())) dims.push_back(d);
    return dims;
  };
  std::vector<std::size_t> read_dims = wide(read), write_dims = wide(write);
  if (read_dims.size() != write_dims.size() && read.rank() == write.rank()) {
    read_dims.clear();
    for (std::size_t d = 0; d < read.rank(); ++d) read_dims.push_back(d);
    write_dims = read_dims;
  }
  const std::vector<Expr> read_strides = strides_of(*from.data, read);
  const std::vector<Expr> write_strides = strides_of(*to.data, write);
  const std::string source_pointer = pointer(from, read, place);
  const std::string target_pointer = pointer(to, write, place);

  const auto store = [&](const std::string& left, const std::string& value) {
    if (memlet.wcr) return update(at, edge_id, to, write, "&" + left, value);
    return left + " = " + (same_type ? value : type + "(" + value + ")") + ";";
  };

  bool same_shape = read_dims.size() == write_dims.size();
  if (same_shape)
    for (std::size_t d = 0; d < read_dims.size(); ++d) {
      const auto a = read[read_dims[d]].size().as_integer();
      const auto b = write[write_dims[d]].size().as_integer();
      same_shape &= !(a && b && *a != *b);
    }
  if (!same_shape && far)
    return fail(place, "the copy changes the shape of what it moves",
                "run --copy-to-map and --gpu-transformation");
  if (!same_shape) {
    // Different shapes with equal counts: element by element in row-major order of each.
    const auto list = [&](const Subset& s, const std::vector<std::size_t>& dims,
                          const std::vector<Expr>& strides) {
      std::string sizes, steps;
      for (std::size_t d : dims) {
        sizes += (sizes.empty() ? "" : ", ") + print(s[d].size(), place);
        steps += (steps.empty() ? "" : ", ") + print(strides[d], place);
      }
      return std::pair{sizes, steps};
    };
    const auto [sizes, steps] = list(read, read_dims, read_strides);
    const auto [to_sizes, to_steps] = list(write, write_dims, write_strides);
    at.out.open("");
    at.out.line("sdfg::Odometer<" + std::to_string(read_dims.size()) + "> from{{" + sizes + "}, {" +
                steps + "}};");
    at.out.line("sdfg::Odometer<" + std::to_string(write_dims.size()) + "> to{{" + to_sizes +
                "}, {" + to_steps + "}};");
    at.out.open("for (; from.more() && to.more(); from.next(), to.next())");
    at.out.line(store("(" + target_pointer + ")[to.at]", "(" + source_pointer + ")[from.at]"));
    at.out.close();
    at.out.close();
    return;
  }

  std::vector<CopyDimension> dims;
  for (std::size_t d = 0; d < read_dims.size(); ++d) {
    const Expr in = read[read_dims[d]].size(), out = write[write_dims[d]].size();
    dims.push_back(
        {in.as_integer() ? in : out, read_strides[read_dims[d]], write_strides[write_dims[d]]});
  }
  // Merge a dimension into the one that follows when both sides step over exactly its extent.
  for (std::size_t d = dims.size(); d-- > 1;) {
    CopyDimension &outer = dims[d - 1], &inner = dims[d];
    if (outer.source_stride == inner.source_stride * inner.size &&
        outer.target_stride == inner.target_stride * inner.size) {
      outer = {outer.size * inner.size, inner.source_stride, inner.target_stride};
      dims.erase(dims.begin() + std::ptrdiff_t(d));
    }
  }
  // The dimension that is contiguous goes inside.
  for (std::size_t d = 0; d + 1 < dims.size(); ++d)
    if (is_one(dims[d].target_stride) && is_one(dims[d].source_stride) &&
        !(is_one(dims.back().target_stride) && is_one(dims.back().source_stride))) {
      std::rotate(dims.begin() + std::ptrdiff_t(d), dims.begin() + std::ptrdiff_t(d) + 1,
                  dims.end());
      break;
    }
  if (dims.empty()) return;

  if (far) {
    emit_far_copy(at.out, {dims.begin(), dims.end()}, from, to, source_pointer, target_pointer,
                  place);
    return arrive();
  }
  const bool contiguous = is_one(dims.back().source_stride) && is_one(dims.back().target_stride);
  const bool block = !memlet.wcr && same_type && contiguous;
  if (block && dims.size() == 1)
    return at.out.line("sdfg::copy(" + target_pointer + ", " + source_pointer + ", " +
                       print(dims[0].size, place) + ");");

  at.out.open("");
  at.out.line("const auto* const from = " + source_pointer + ";");
  at.out.line("auto* const to = " + target_pointer + ";");
  std::string read_at, write_at;
  const CppExpr printer = symbolic();
  const std::size_t loops = block ? dims.size() - 1 : dims.size();
  if (!at.where.parallel && !at.where.in_scope && program_.target.openmp && loops > 0 &&
      !memlet.wcr)
    at.out.flush_left("#pragma omp parallel for");
  for (std::size_t d = 0; d < loops; ++d) {
    const std::string i = "i" + std::to_string(d);
    at.out.open("for (int64_t " + i + " = 0; " + i + " < " + print(dims[d].size, place) + "; ++" +
                i + ")");
    const auto add = [&](std::string& text, const Expr& stride) {
      text +=
          (text.empty() ? "" : " + ") + (is_one(stride) ? i : printer.operand(stride) + " * " + i);
    };
    add(read_at, dims[d].source_stride);
    add(write_at, dims[d].target_stride);
  }
  if (block)
    at.out.line("sdfg::copy(to + " + write_at + ", from + " + read_at + ", " +
                print(dims.back().size, place) + ");");
  else
    at.out.line(store("to[" + write_at + "]", "from[" + read_at + "]"));
  for (std::size_t d = 0; d < loops; ++d) at.out.close();
  at.out.close();
}

}  // namespace sdfg
