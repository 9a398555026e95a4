#include <algorithm>

#include "codegen/interpreter/operands.h"
#include "codegen/interpreter/state.h"
#include "ir/pointwise.h"

namespace sdfg::interpreter {
namespace {

const Operands::Operand& find(const ByName<Operands::Operand>& all,
                              std::string_view name) {
  const auto found = all.find(name);
  if (found == all.end()) throw Stop("nothing is connected to '" + std::string(name) + "'");
  return found->second;
}

/// To the next element in row-major order.
void advance(std::vector<std::int64_t>& index, const std::vector<std::int64_t>& shape) {
  for (std::size_t d = index.size(); d-- > 0;) {
    if (++index[d] < shape[d]) break;
    index[d] = 0;
  }
}

struct Dispatch {
  const LibraryOperation& all;
  const Operands& operands;
  Step operator()(const Reduce& r) const { return compile_reduce(r, operands); }
  Step operator()(const ReduceWithSkipValues& r) const {
    return compile_reduce_skip(r, operands);
  }
  Step operator()(const CopyNode&) const { return compile_copy_node(operands); }
  Step operator()(const Fill& f) const { return compile_fill(f, operands); }
  Step operator()(const Pointwise& p) const { return compile_pointwise(p, operands); }
  Step operator()(const Cholesky&) const { return compile_factorization(all, operands); }
  Step operator()(const Inv&) const { return compile_factorization(all, operands); }
  Step operator()(const Solve&) const { return compile_factorization(all, operands); }
  template <class Product>
  Step operator()(const Product&) const {
    return compile_contraction(all, operands);
  }
};

}  // namespace

const Operands::Operand& Operands::input(std::string_view name) const { return find(inputs, name); }
const Operands::Operand& Operands::output(std::string_view name) const {
  return find(outputs, name);
}
const Operands::Operand& Operands::only_input() const {
  if (inputs.empty()) throw Stop("the library node has no input");
  return inputs.begin()->second;
}
const Operands::Operand& Operands::only_output() const {
  if (outputs.empty()) throw Stop("the library node has no output");
  return outputs.begin()->second;
}

Step StateCompiler::compile_library(NodeId id, Scope& scope) {
  const auto operation = library_operation(state_[id]);
  if (!operation) throw Stop(operation.error().message, operation.error().hint);
  Operands operands{context(scope, place_of(id)), {}, {}};
  const auto add = [&](auto& to, EdgeId e, const std::string& connector, bool output) {
    const Memlet& memlet = state_[e].memlet;
    if (memlet.empty()) return;
    const Where* place = place_of(e);
    const Context c = context(scope, place);
    Container* element = popped(e);
    Container* container = element ? element : of_memlet(e);
    if (container->type == BaseType::Unknown || container->record)
      throw Stop("values of '" + container->name +
                 "' are of a type that the interpreter cannot compute with");
    const std::optional<Subset> subset = element ? std::nullopt : memlet.subset();
    Operands::Operand operand{compile_side(container, subset, c),
                              subset ? sizes(*subset) : container->data->shape, place, {}};
    if (output && memlet.wcr) operand.combine = compile_reduction(*memlet.wcr, *container, c);
    to.insert_or_assign(connector, std::move(operand));
  };
  for (EdgeId e : state_.in(id)) add(operands.inputs, e, state_[e].dst_connector, false);
  for (EdgeId e : state_.out(id)) add(operands.outputs, e, state_[e].src_connector, true);
  Step step = std::visit(Dispatch{*operation, operands}, *operation);
  const std::string& path = state_.get<LibraryNode>(id).classpath;
  return counted(kernel(scope, path.substr(path.rfind('.') + 1), place_of(id)), std::move(step));
}

Step compile_reduce(const Reduce& reduce, const Operands& operands) {
  const auto in = operands.only_input(), out = operands.only_output();
  const BaseType type = out.side.container->type;
  Combine combine = compile_reduction(reduce.wcr, *out.side.container, operands.context);
  Eval identity;
  if (reduce.identity) identity = compile_as(*reduce.identity, type, operands.context);
  Machine* machine = &operands.context.machine;
  return [machine, in, out, type, combine = std::move(combine), identity = std::move(identity),
          axes = reduce.axes] {
    const Gathered values = gather(*machine, in.side, in.place);
    const std::size_t rank = values.shape.size();
    std::vector<bool> reduced(rank, !axes.has_value());
    if (axes)
      for (std::int64_t axis : *axes) {
        if (axis < 0) axis += std::int64_t(rank);
        if (axis < 0 || axis >= std::int64_t(rank)) throw Stop("a reduction axis is out of range");
        reduced[std::size_t(axis)] = true;
      }
    // Strides of the result, in which reduced dimensions do not count.
    std::vector<std::size_t> stride(rank, 0);
    std::size_t count = 1;
    for (std::size_t d = rank; d-- > 0;)
      if (!reduced[d]) {
        stride[d] = count;
        count *= std::size_t(values.shape[d]);
      }
    std::vector<Number> result;
    if (identity)
      result.assign(count, identity());
    else
      result = gather(*machine, out.side, out.place).values;
    if (result.size() != count) throw Stop("a reduction's output has another shape than its input");
    const BaseType from = in.side.container->type;
    std::vector<std::int64_t> index(rank, 0);
    for (const Number& value : values.values) {
      std::size_t at = 0;
      for (std::size_t d = 0; d < rank; ++d) at += std::size_t(index[d]) * stride[d];
      result[at] = combine(result[at], convert(value, from, type));
      advance(index, values.shape);
    }
    scatter(*machine, out.side, result, out.combine, out.place);
  };
}

Step compile_reduce_skip(const ReduceWithSkipValues& reduce, const Operands& operands) {
  const auto in = operands.input(reduce.input_conn), out = operands.output(reduce.output_conn),
             mask = operands.input(reduce.mask_conn);
  const BaseType type = out.side.container->type;
  Combine combine = compile_reduction(reduce.wcr, *out.side.container, operands.context);
  if (!reduce.identity && !reduce.init) throw Stop("a reduction without an identity");
  Eval begin = compile_as(reduce.init ? *reduce.init : *reduce.identity, type, operands.context);
  Machine* machine = &operands.context.machine;
  return [machine, in, out, mask, type, combine = std::move(combine), begin = std::move(begin)] {
    const Gathered values = gather(*machine, in.side, in.place),
                   table = gather(*machine, mask.side, mask.place);
    if (values.values.size() != table.values.size())
      throw Stop("a reduction's input and its neighbour table differ in size");
    Number result = begin();
    for (std::size_t i = 0; i < values.values.size(); ++i)
      if (table.values[i].i != -1)
        result = combine(result, convert(values.values[i], in.side.container->type, type));
    scatter(*machine, out.side, {&result, 1}, out.combine, out.place);
  };
}

Step compile_copy_node(const Operands& operands) {
  const auto in = operands.only_input(), out = operands.only_output();
  Copy copy{&operands.context.machine, out.place, in.side, out.side, out.combine};
  return [copy = std::move(copy)] { copy.run(); };
}

namespace {

/// An input of a pointwise operation while it runs.
struct Source {
  Gathered given;
  std::vector<std::size_t> stride;  ///< of each dimension of the result
  std::optional<std::size_t> rotated;  ///< dimension of the result, beside others
  std::int64_t size = 1, along = 1;    ///< of the rotated dimension, and its stride

  const Number& at(const std::vector<std::int64_t>& index, std::int64_t shift) const {
    std::size_t element = 0;
    for (std::size_t d = 0; d < index.size(); ++d) element += std::size_t(index[d]) * stride[d];
    if (rotated) {
      const std::int64_t from = (index[*rotated] + shift) % size;
      element += std::size_t((from < 0 ? from + size : from) * along);
    }
    return given.values.at(element);
  }
};

Source source(Gathered given, const Pointwise& operation, const std::vector<std::int64_t>& shape) {
  const auto exprs = [](const std::vector<std::int64_t>& numbers) {
    return std::vector<Expr>(numbers.begin(), numbers.end());
  };
  const auto read = pointwise_read(operation, exprs(given.shape), exprs(shape));
  if (!read) throw Stop(read.error().message);
  Source out{std::move(given), std::vector<std::size_t>(shape.size(), 0), {}};
  std::int64_t stride = 1;
  for (std::size_t d = out.given.shape.size(); d-- > 0; stride *= out.given.shape[d]) {
    if (!read->follows[d]) continue;
    if (read->rotated == d)
      out.rotated = read->follows[d], out.size = out.given.shape[d], out.along = stride;
    else
      out.stride[*read->follows[d]] = std::size_t(stride);
  }
  return out;
}

}  // namespace

Step compile_pointwise(const Pointwise& pointwise, const Operands& operands) {
  const auto out = operands.output(pointwise.output);
  std::vector<Operands::Operand> in;
  for (const std::string& name : pointwise.inputs) in.push_back(operands.input(name));
  Eval shift = compile_as(pointwise.shift, BaseType::Int64, operands.context);
  Machine* machine = &operands.context.machine;
  return [machine, out, in, pointwise, shift = std::move(shift)] {
    const BaseType type = out.side.container->type;
    const std::vector<std::int64_t> shape = shape_of(out.side);
    std::vector<Source> sources;
    for (const Operands::Operand& operand : in)
      sources.push_back(source(gather(*machine, operand.side, operand.place), pointwise, shape));
    const std::int64_t by = shift().i;
    std::size_t count = 1;
    for (std::int64_t extent : shape) count *= std::size_t(std::max<std::int64_t>(extent, 0));
    std::vector<std::int64_t> index(shape.size(), 0);
    std::vector<Number> values;
    for (std::size_t k = 0; k < count; ++k) {
      std::size_t chosen = 0;
      if (sources.size() == 3) {
        const BaseType mask = in[0].side.container->type;
        chosen = convert(sources[0].at(index, by), mask, BaseType::Bool).i ? 1 : 2;
      }
      const BaseType from = in[chosen].side.container->type;
      values.push_back(convert(sources[chosen].at(index, by), from, type));
      advance(index, shape);
    }
    scatter(*machine, out.side, values, out.combine, out.place);
  };
}

Step compile_fill(const Fill& fill, const Operands& operands) {
  const auto out = operands.only_output();
  Machine* machine = &operands.context.machine;
  const BaseType type = out.side.container->type;
  Eval value;
  if (!operands.inputs.empty()) {
    const auto in = operands.only_input();
    value = [machine, in, type] {
      const Gathered given = gather(*machine, in.side, in.place);
      if (given.values.size() != 1) throw Stop("a fill value is not one element");
      return convert(given.values[0], in.side.container->type, type);
    };
  } else {
    value = compile_as(fill.value, type, operands.context);
  }
  return [machine, out, value = std::move(value)] {
    std::int64_t count = 1;
    for (std::int64_t extent : shape_of(out.side)) count *= extent;
    const std::vector<Number> values(std::size_t(count), value());
    scatter(*machine, out.side, values, out.combine, out.place);
  };
}

}  // namespace sdfg::interpreter
