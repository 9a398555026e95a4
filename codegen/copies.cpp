// Copies between containers: canonical dimensions first (unit dimensions dropped, neighbours that
// are contiguous on both sides merged), then an assignment, memcpy or a loop nest.

#include <algorithm>

#include "codegen/sdfg_function.h"

namespace sdfg {

namespace {

bool is_one(const Expr& e) { return e.as_integer() == 1; }

/// The dimensions of a subset, in order; where it consists of tiles they have two, one that counts
/// the tiles and one inside them.
struct Extents {
  std::vector<Expr> sizes, strides;  ///< strides in elements of the container
};
Extents extents_of(const Data& data, const Subset& subset) {
  Extents out;
  const auto add = [&](const Expr& size, const Expr& stride) {
    out.sizes.push_back(size);
    out.strides.push_back(stride);
  };
  const Array* array = data.as_array();
  for (std::size_t d = 0; d < subset.rank(); ++d) {
    const Range& r = subset[d];
    const Expr stride = array && d < array->strides.size() ? array->strides[d] : Expr(1);
    const Expr step = is_one(r.step) ? stride : stride * r.step;
    if (is_one(r.tile)) {
      add(r.size(), step);
    } else {
      add(Range{r.begin, r.end, r.step, 1}.size(), step);
      add(r.tile, stride);
    }
  }
  return out;
}

/// A dimension of what is copied; strides in elements.
struct CopyDimension {
  Expr size, source_stride, target_stride;
};

bool is_contiguous(const CopyDimension& d) {
  return is_one(d.source_stride) && is_one(d.target_stride);
}

/// Merges a dimension into the one that follows when both sides step over exactly its extent, and
/// puts the one that is contiguous inside.
void make_canonical(std::vector<CopyDimension>& dims) {
  for (std::size_t d = dims.size(); d-- > 1;) {
    CopyDimension &outer = dims[d - 1], &inner = dims[d];
    if (outer.source_stride == inner.source_stride * inner.size &&
        outer.target_stride == inner.target_stride * inner.size) {
      outer = {outer.size * inner.size, inner.source_stride, inner.target_stride};
      dims.erase(dims.begin() + std::ptrdiff_t(d));
    }
  }
  for (std::size_t d = 0; d + 1 < dims.size(); ++d)
    if (is_contiguous(dims[d]) && !is_contiguous(dims.back())) {
      std::rotate(dims.begin() + std::ptrdiff_t(d), dims.begin() + std::ptrdiff_t(d) + 1,
                  dims.end());
      break;
    }
}

/// The dimensions with more than one element.
std::vector<std::size_t> wide(const std::vector<Expr>& sizes) {
  std::vector<std::size_t> dims;
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (!is_one(sizes[d])) dims.push_back(d);
  return dims;
}

}  // namespace

/// Prints the copy along one edge between access nodes.
class SdfgFunction::CopyEmitter {
 public:
  CopyEmitter(SdfgFunction& function, At& at, EdgeId edge)
      : f_(function), at_(at), out_(at.out), edge_(edge), memlet_(at.state[edge].memlet),
        place_(at.edge_place(edge)) {}
  void emit(NodeId source, NodeId target);

 private:
  std::string text(const Expr& e) const { return f_.print(e, place_); }
  void emit_streams();
  bool check_filled(NodeId source);
  std::string odometer(const std::string& name, const std::vector<Expr>& sizes,
                       const std::vector<Expr>& strides) const;
  void emit_element();
  void emit_box();
  void emit_reshaped();
  void emit_far(std::vector<CopyDimension> dims);
  void emit_loops(const std::vector<CopyDimension>& dims);
  bool same_shape() const;
  std::string converted(const std::string& value) const {
    return same_type_ ? value : type_ + "(" + value + ")";
  }
  std::string store(const std::string& left, const std::string& value) {
    if (memlet_.wcr) return f_.update(at_, edge_, to_, write_, "&" + left, value);
    return left + " = " + converted(value) + ";";
  }
  void emit_converted(const std::string& value, const std::string& left);
  void arrive();
  void refuse_conversion();

  SdfgFunction& f_;
  At& at_;
  Writer& out_;
  EdgeId edge_;
  const Memlet& memlet_;
  Place place_;
  Binding from_, to_;
  Subset read_, write_;
  std::string type_;        ///< of the target's elements, in C++
  bool same_type_ = false;
  bool far_ = false;        ///< the host starts it and the device takes part
  // emit_box and what it calls
  Extents reads_, writes_;                           ///< all dimensions
  std::vector<std::size_t> read_dims_, write_dims_;  ///< they correspond in order
  std::string source_, target_;                      ///< pointers to the first elements
};

void SdfgFunction::emit_copy(At& at, EdgeId edge, NodeId source, NodeId target) {
  CopyEmitter(*this, at, edge).emit(source, target);
}

void SdfgFunction::CopyEmitter::emit(NodeId source, NodeId target) {
  // Either end may be named through a member of a structure.
  const auto end = [&](NodeId node, bool is_data) {
    const std::string& name = at_.state.get<AccessNode>(node).data;
    const bool member = is_data && memlet_.data.starts_with(name + ".");
    return f_.end_binding(at_, node, member ? memlet_.data : name);
  };
  from_ = end(source, memlet_.data_is_src);
  to_ = end(target, !memlet_.data_is_src);
  if (!from_.data || !to_.data) return;
  if (const auto variable = at_.code_variables.find(edge_); variable != at_.code_variables.end())
    from_ = {Binding::Value, variable->second + "[0]", from_.data};  // a consume scope popped it
  if (from_.kind == Binding::Struct && to_.kind == Binding::Struct)
    return out_.line("*" + to_.text + " = *" + from_.text + ";");

  const bool streams = from_.kind == Binding::Stream || to_.kind == Binding::Stream;
  read_ = f_.subset_or_whole(memlet_.src_subset, *from_.data);
  write_ = f_.subset_or_whole(memlet_.dst_subset, *to_.data);
  // A missing side has as many elements as the other, from the origin on.
  const auto fit = [](Subset& missing, const Subset& given) {
    if (missing.rank() == given.rank())
      for (std::size_t d = 0; d < missing.rank(); ++d) missing[d] = {0, given[d].size() - 1};
  };
  if (!streams && memlet_.src_subset && !memlet_.dst_subset) fit(write_, read_);
  if (!streams && memlet_.dst_subset && !memlet_.src_subset) fit(read_, write_);
  type_ = f_.type_name(to_.data->dtype, place_);
  same_type_ = from_.data->dtype == to_.data->dtype;
  far_ = f_.program_.target.gpu && !f_.on_device_ && (from_.device || to_.device);
  if (streams && far_)
    return f_.fail(place_, "a stream of the host takes no elements of memory of the GPU",
                   "run --gpu-transformation, which copies them to the host first");
  if (streams) {
    if (check_filled(source)) emit_streams();
    return;
  }

  if (far_ && memlet_.wcr)
    return f_.fail(place_, "the copy updates memory of the GPU, which no call does",
                   "run --gpu-transformation, which makes it a kernel");
  if (from_.kind == Binding::Value || to_.kind == Binding::Value) return emit_element();
  reads_ = extents_of(*from_.data, read_), writes_ = extents_of(*to_.data, write_);
  const bool one =
      std::ranges::all_of(reads_.sizes, is_one) || std::ranges::all_of(writes_.sizes, is_one);
  one ? emit_element() : emit_box();
}

/// One element of another type: in a kernel, or by the host.
void SdfgFunction::CopyEmitter::emit_converted(const std::string& value, const std::string& left) {
  if (from_.device && to_.device)
    return out_.line("sdfg::gpu::copy(__state->gpu, &" + left + ", &" + value +
                     ", sdfg::gpu::Box<1>{{1}, {1}, {1}});");
  if (from_.device)
    out_.line(store(left, "sdfg::gpu::read(__state->gpu, &" + value + ")"));
  else
    out_.line("sdfg::gpu::write(__state->gpu, &" + left + ", " + converted(value) + ");");
  Program::add_once(f_.program_.waits, place_.text() + ": a copy that converts");
}

/// The host may look at it from here on.
void SdfgFunction::CopyEmitter::arrive() {
  if (!far_ || to_.device) return;
  out_.line("sdfg::gpu::wait(__state->gpu);");
  Program::add_once(f_.program_.waits, place_.text() + ": a copy to the host");
}

void SdfgFunction::CopyEmitter::refuse_conversion() {
  f_.fail(place_,
          "the copy converts '" + from_.data->dtype.text() + "' to '" + to_.data->dtype.text() +
              "' between the host and the GPU",
          "convert in a map");
}

/// DaCe pushes as many elements of an array as a stream has put there before; nobody counts them
/// here.
bool SdfgFunction::CopyEmitter::check_filled(NodeId source) {
  if (from_.kind == Binding::Stream || to_.kind != Binding::Stream) return true;
  for (EdgeId e : at_.state.in(source)) {
    const auto* writer = at_.state[at_.state.source(e)].as<AccessNode>();
    const Data* data = writer ? f_.sdfg_.find_data(writer->data) : nullptr;
    if (!data || !data->is_stream() || at_.state[e].memlet.empty()) continue;
    f_.fail(place_,
            "'" + at_.state.get<AccessNode>(source).data +
                "' is pushed as far as the stream '" + writer->data +
                "' has filled it, which generated code does not count",
            "copy one stream to the other");
    return false;
  }
  return true;
}

void SdfgFunction::CopyEmitter::emit_streams() {
  const bool pops = from_.kind == Binding::Stream, pushes = to_.kind == Binding::Stream;
  const std::string count = text(num_elements(pops ? write_ : read_));
  if (pops && pushes) {
    const std::string a = f_.stream_element(from_, read_, place_),
                      b = f_.stream_element(to_, write_, place_);
    const NameScope names(f_.used_names_, f_.on_device_);
    const std::string value = f_.local_name("value");
    out_.open("for (" + f_.type_name(from_.data->dtype, place_) + " " + value + "; " + a +
              ".try_pop(" + value + ");)");
    out_.line(b + ".push(" + value + ");");
    out_.close();
    return;
  }
  const std::string stream = pops ? f_.stream_element(from_, read_, place_)
                                  : f_.stream_element(to_, write_, place_);
  const Binding& memory = pops ? to_ : from_;
  if (memory.kind == Binding::Value)
    return out_.line(pops ? memory.text + " = " + stream + ".pop();"
                          : stream + ".push(" + memory.text + ");");
  const Subset& box = pops ? write_ : read_;
  const std::string at = f_.pointer(memory, box, place_);
  const Extents extents = extents_of(*memory.data, box);
  std::vector<CopyDimension> dims;
  for (std::size_t d : wide(extents.sizes))
    dims.push_back({extents.sizes[d], extents.strides[d], extents.strides[d]});
  if (dims.empty()) dims.push_back({1, 1, 1});
  const bool row = dims.size() == 1 && is_contiguous(dims[0]);
  if (pops && row && same_type_) return out_.line(stream + ".pop(" + at + ", " + count + ");");
  const NameScope names(f_.used_names_, f_.on_device_);
  if (!pops && row) {
    const std::string i = f_.local_name("i");
    out_.open("for (int64_t " + i + " = 0; " + i + " < " + count + "; ++" + i + ")");
    out_.line(stream + ".push((" + at + ")[" + i + "]);");
    return out_.close();
  }
  const std::string walk = f_.local_name("place"), value = f_.local_name("value");
  std::vector<Expr> sizes, strides;
  for (const CopyDimension& d : dims)
    sizes.push_back(d.size), strides.push_back(d.source_stride);
  out_.open("");
  out_.line(odometer(walk, sizes, strides));
  if (pops) {
    out_.open("for (" + f_.type_name(from_.data->dtype, place_) + " " + value + "; " + walk +
              ".more() && " + stream + ".try_pop(" + value + "); " + walk + ".next())");
    out_.line("(" + at + ")[" + walk + ".at] = " + converted(value) + ";");
  } else {
    out_.open("for (; " + walk + ".more(); " + walk + ".next())");
    out_.line(stream + ".push((" + at + ")[" + walk + ".at]);");
  }
  out_.close();
  out_.close();
}

void SdfgFunction::CopyEmitter::emit_element() {
  const std::string value = f_.on_device_ ? f_.load(at_, edge_, from_, read_, place_)
                                          : f_.element(from_, read_, place_),
                    left = f_.element(to_, write_, place_);
  if (far_) {
    if (!same_type_) return emit_converted(value, left);
    out_.line("sdfg::gpu::copy<" + type_ + ">(__state->gpu, &" + left + ", &" + value + ", 1);");
    return arrive();
  }
  if (!memlet_.wcr && f_.on_device_ && at_.pending.erase(to_.text))
    out_.line((f_.is_final(at_, edge_) ? "const " : "") + type_ + " " + store(left, value));
  else if (memlet_.wcr || value != left)
    out_.line(store(left, value));
}

void SdfgFunction::CopyEmitter::emit_box() {
  read_dims_ = wide(reads_.sizes), write_dims_ = wide(writes_.sizes);
  if (read_dims_.size() != write_dims_.size() && reads_.sizes.size() == writes_.sizes.size()) {
    read_dims_.clear();
    for (std::size_t d = 0; d < reads_.sizes.size(); ++d) read_dims_.push_back(d);
    write_dims_ = read_dims_;
  }
  source_ = f_.pointer(from_, read_, place_);
  target_ = f_.pointer(to_, write_, place_);
  if (!same_shape()) return emit_reshaped();

  std::vector<CopyDimension> dims;
  for (std::size_t d = 0; d < read_dims_.size(); ++d) {
    const Expr &in = reads_.sizes[read_dims_[d]], &out = writes_.sizes[write_dims_[d]];
    dims.push_back({in.as_integer() ? in : out, reads_.strides[read_dims_[d]],
                    writes_.strides[write_dims_[d]]});
  }
  make_canonical(dims);
  if (dims.empty()) return;
  if (!far_) return emit_loops(dims);
  emit_far(std::move(dims));
  arrive();
}

/// The counts are equal, so that sizes which may differ in one dimension alone do not.
bool SdfgFunction::CopyEmitter::same_shape() const {
  if (read_dims_.size() != write_dims_.size()) return false;
  int open = 0;
  for (std::size_t d = 0; d < read_dims_.size(); ++d) {
    const Expr &a = reads_.sizes[read_dims_[d]], &b = writes_.sizes[write_dims_[d]];
    if (a == b) continue;
    if ((a.as_integer() && b.as_integer()) || (equal(a, b) != Truth::Yes && ++open > 1))
      return false;
  }
  return true;
}

/// The declaration of what walks over a box.
std::string SdfgFunction::CopyEmitter::odometer(const std::string& name,
                                                const std::vector<Expr>& sizes,
                                                const std::vector<Expr>& strides) const {
  const auto list = [&](const std::vector<Expr>& values) {
    std::string out;
    for (const Expr& value : values) out += (out.empty() ? "" : ", ") + text(value);
    return out;
  };
  return "sdfg::Odometer<" + std::to_string(sizes.size()) + "> " + name + "{{" + list(sizes) +
         "}, {" + list(strides) + "}};";
}

/// Different shapes with equal counts: element by element in row-major order of each.
void SdfgFunction::CopyEmitter::emit_reshaped() {
  if (far_)
    return f_.fail(place_, "the copy changes the shape of what it moves, which no call does",
                   "run --gpu-transformation, which makes it a kernel");
  const auto of = [](const std::vector<Expr>& values, const std::vector<std::size_t>& dims) {
    std::vector<Expr> some;
    for (std::size_t d : dims) some.push_back(values[d]);
    return some;
  };
  const NameScope names(f_.used_names_, f_.on_device_);
  const std::string from = f_.local_name("from"), to = f_.local_name("to");
  out_.open("");
  out_.line(odometer(from, of(reads_.sizes, read_dims_), of(reads_.strides, read_dims_)));
  out_.line(odometer(to, of(writes_.sizes, write_dims_), of(writes_.strides, write_dims_)));
  out_.open("for (; " + from + ".more() && " + to + ".more(); " + from + ".next(), " + to +
            ".next())");
  out_.line(store("(" + target_ + ")[" + to + ".at]", "(" + source_ + ")[" + from + ".at]"));
  out_.close();
  out_.close();
}

/// One piece, or rows, or a kernel.
void SdfgFunction::CopyEmitter::emit_far(std::vector<CopyDimension> dims) {
  const CopyDimension& last = dims.back();
  const bool contiguous = is_contiguous(last);
  const std::string call = "sdfg::gpu::copy", gpu = "(__state->gpu, ";
  if (contiguous && same_type_ && dims.size() == 1)
    return out_.line(call + gpu + target_ + ", " + source_ + ", " + text(last.size) + ");");
  if (from_.device && to_.device) {
    std::string size, write, read;
    for (const CopyDimension& d : dims) {
      const std::string comma = size.empty() ? "" : ", ";
      size += comma + text(d.size), write += comma + text(d.target_stride),
          read += comma + text(d.source_stride);
    }
    return out_.line(call + gpu + target_ + ", " + source_ + ", sdfg::gpu::Box<" +
                     std::to_string(dims.size()) + ">{{" + size + "}, {" + write + "}, {" + read +
                     "}});");
  }
  if (!same_type_) return refuse_conversion();
  // Between host and device: rows, in loops over the dimensions that are left.
  if (!contiguous) dims.push_back({1, 1, 1});
  const CopyDimension row = dims.back(), rows = dims[dims.size() - 2];
  dims.resize(dims.size() - 2);
  std::string read = source_, write = target_;
  const NameScope names(f_.used_names_, f_.on_device_);
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const std::string i = f_.local_name("i" + std::to_string(d));
    out_.open("for (int64_t " + i + " = 0; " + i + " < " + text(dims[d].size) + "; ++" + i + ")");
    read += " + (" + text(dims[d].source_stride) + ") * " + i;
    write += " + (" + text(dims[d].target_stride) + ") * " + i;
  }
  out_.line("sdfg::gpu::copy_rows" + gpu + write + ", " + text(rows.target_stride) + ", " + read +
            ", " + text(rows.source_stride) + ", " + text(row.size) + ", " + text(rows.size) +
            ");");
  for (std::size_t d = 0; d < dims.size(); ++d) out_.close();
}

void SdfgFunction::CopyEmitter::emit_loops(const std::vector<CopyDimension>& dims) {
  const bool block = !memlet_.wcr && same_type_ && is_contiguous(dims.back());
  if (block && dims.size() == 1)
    return out_.line("sdfg::copy(" + target_ + ", " + source_ + ", " + text(dims[0].size) + ");");
  out_.open("");
  const NameScope names(f_.used_names_, f_.on_device_);
  const std::string from = f_.local_name("from"), to = f_.local_name("to");
  out_.line("const auto* const " + from + " = " + source_ + ";");
  out_.line("auto* const " + to + " = " + target_ + ";");
  std::string read_at, write_at;
  const CppExpr printer = f_.symbolic();
  const std::size_t loops = block ? dims.size() - 1 : dims.size();
  if (!at_.where.parallel && !at_.where.in_scope && f_.program_.target.openmp && loops > 0 &&
      !memlet_.wcr)
    out_.flush_left("#pragma omp parallel for");
  for (std::size_t d = 0; d < loops; ++d) {
    const std::string i = f_.local_name("i" + std::to_string(d));
    out_.open("for (int64_t " + i + " = 0; " + i + " < " + text(dims[d].size) + "; ++" + i + ")");
    const auto add = [&](std::string& sum, const Expr& stride) {
      sum +=
          (sum.empty() ? "" : " + ") + (is_one(stride) ? i : printer.operand(stride) + " * " + i);
    };
    add(read_at, dims[d].source_stride);
    add(write_at, dims[d].target_stride);
  }
  if (block)
    out_.line("sdfg::copy(" + to + " + " + write_at + ", " + from + " + " + read_at + ", " +
              text(dims.back().size) + ");");
  else
    out_.line(store(to + "[" + write_at + "]", from + "[" + read_at + "]"));
  for (std::size_t d = 0; d < loops; ++d) out_.close();
  out_.close();
}

}  // namespace sdfg
