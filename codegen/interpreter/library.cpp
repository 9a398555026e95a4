#include <algorithm>

#include "codegen/interpreter/operands.h"
#include "codegen/interpreter/state.h"

namespace sdfg::interpreter {
namespace {

const Operands::Operand& find(const ByName<Operands::Operand>& all,
                              std::string_view name) {
  const auto found = all.find(name);
  if (found == all.end()) throw Stop("nothing is connected to '" + std::string(name) + "'");
  return found->second;
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
    Operands::Operand operand{
        compile_side(container, element ? std::nullopt : memlet.subset(), c), place, {}};
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
      for (std::size_t d = rank; d-- > 0;) {
        if (++index[d] < values.shape[d]) break;
        index[d] = 0;
      }
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
