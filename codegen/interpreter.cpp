#include "codegen/interpreter.h"

#include <algorithm>
#include <bit>

#include "codegen/interpreter/counter.h"
#include "codegen/interpreter/unit.h"
#include "ir/analysis/connector_types.h"
#include "ir/analysis/defaults.h"
#include "ir/control_views.h"

namespace sdfg {
namespace {

using namespace interpreter;
using Environment = ByName<std::int64_t>;

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::int64_t extent : shape) text += (text == "[" ? "" : ", ") + std::to_string(extent);
  return text + "]";
}

[[noreturn]] void wrong_argument(const std::string& name, std::string message,
                                 std::string hint = {}) {
  Stop stop(std::move(message), std::move(hint));
  stop.why.place = "argument '" + name + "'";
  throw stop;
}

/// Calls visit(offset in a, offset in b) for all points of a shape, the last dimension fastest.
template <class F>
void for_each_point(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& a,
                    const std::vector<std::int64_t>& b, F&& visit) {
  if (std::ranges::find(shape, 0) != shape.end()) return;
  std::vector<std::int64_t> index(shape.size(), 0);
  for (;;) {
    std::int64_t at_a = 0, at_b = 0;
    for (std::size_t d = 0; d < shape.size(); ++d)
      at_a += index[d] * a[d], at_b += index[d] * b[d];
    visit(at_a, at_b);
    std::size_t d = shape.size();
    while (d > 0 && ++index[d - 1] == shape[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

/// One call of a program: its arguments go in, it runs, they come out.
class Call {
 public:
  Call(const Sdfg& sdfg, NamedArrays arguments, const InterpreterOptions& options)
      : sdfg_(sdfg), arguments_(std::move(arguments)), step_limit_(options.step_limit) {
    machine_.steps_left = options.step_limit;
    machine_.adverse = options.adverse;
    machine_.check_windows = options.check_windows;
    if (options.count) machine_.counter = &counter_.emplace(uses_device(sdfg));
  }

  Execution run() {
    Executable program = compile_sdfg(machine_, sdfg_, machine_.new_place(nullptr, ""));
    infer_sizes();
    for (const auto& [name, binding] : program.symbols) {
      // A symbol that the program assigns need not be given.
      if (!arguments_.contains(name) && !program.assigned.contains(name))
        wrong_argument(name, "the program uses this symbol, but it is not given",
                       "add in:" + name + " to the data, or --set=" + name + "=VALUE");
      set_symbol(name, binding);
    }
    for (const auto& [name, container] : program.arguments) pass_in(name, *container);
    program.run();
    for (const auto& [name, container] : program.arguments) pass_out(name, *container);
    Execution done{std::move(arguments_), std::move(machine_.warnings), std::move(arbitrary_)};
    done.steps = step_limit_ - machine_.steps_left;
    if (counter_) done.counts = counter_->finish();
    return done;
  }

 private:
  /// Symbols that are not given but stand alone as an extent or a stride of a given array.
  void infer_sizes() {
    for (const auto& [name, data] : sdfg_.arrays) {
      const auto given = arguments_.find(name);
      if (data.transient || given == arguments_.end() ||
          given->second.shape.size() != data.shape.size())
        continue;
      const auto infer = [&](const Expr& e, std::int64_t value) {
        if (!e.is(Op::Symbol) || arguments_.contains(e.name())) return;
        NdArray number = NdArray::zeros(BaseType::Int64, {});
        storer(BaseType::Int64)(number.bytes.data(), Number(value));
        arguments_.emplace(e.name(), std::move(number));
      };
      for (std::size_t d = 0; d < data.shape.size(); ++d) {
        infer(data.shape[d], given->second.shape[d]);
        if (const Array* array = data.as_array(); array && d < array->strides.size())
          infer(array->strides[d], given->second.strides[d]);
      }
    }
  }

  void set_symbol(const std::string& name, const Binding& binding) {
    const auto given = arguments_.find(name);
    if (given == arguments_.end()) return;
    const NdArray& value = given->second;
    if (value.count() != 1)
      wrong_argument(name, "a symbol needs one value, found the shape " + shape_text(value.shape));
    const Number number = loader(value.type.base())(value.bytes.data());
    *binding.slot = convert(number, value.type.base(), binding.type);
    const double before = convert(number, value.type.base(), BaseType::Float64).f64;
    if (Type(binding.type).is_integer() &&
        convert(*binding.slot, binding.type, BaseType::Float64).f64 != before)
      wrong_argument(name, "its value does not fit in the type " + Type(binding.type).text());
    environment_[name] = convert(*binding.slot, binding.type, BaseType::Int64).i;
  }

  void pass_in(const std::string& name, Container& c) {
    c.make_ready();
    if (c.is_stream()) return pass_stream(name, c);
    auto given = arguments_.find(name);
    if (given == arguments_.end()) {
      const Array* array = c.data->as_array();
      if (array && array->optional.value_or(false)) return;
      if (c.data->is_structure()) return;
      if (!name.starts_with("__return"))
        wrong_argument(name, "the program needs it, but it is not given",
                       "add in:" + name + " to the data" +
                           (c.data->is_scalar() ? ", or --set=" + name + "=VALUE" : ""));
      given = arguments_.emplace(name, NdArray::zeros(Type(c.type), c.shape)).first;
    }
    NdArray& value = given->second;
    if (c.type == BaseType::Unknown || c.record)
      wrong_argument(name, "its type " + c.data->dtype.text() + " cannot be passed");
    if (value.type.base() != c.type)
      wrong_argument(name, "expected values of type " + Type(c.type).text() + ", found " +
                               value.type.text());
    std::int64_t elements = 1, last = c.start_offset;
    for (std::size_t d = 0; d < c.shape.size(); ++d) {
      elements *= c.shape[d];
      last += (c.shape[d] - 1) * c.strides[d];
    }
    if (std::int64_t(value.count()) != elements)
      wrong_argument(name, "expected the shape " + shape_text(c.shape) + ", found " +
                               shape_text(value.shape));
    std::int64_t total = elements == 0 ? 0 : last + 1;
    if (const Array* array = c.data->as_array())
      total = std::max(total, evaluate(array->total_size, environment_).value_or(0));
    constexpr std::int64_t limit = std::int64_t(1) << 36;
    if (total < 0 || total > limit) wrong_argument(name, "its layout needs too much memory");
    c.own.bytes.assign(std::size_t(total * c.element_size), std::byte{0});
    c.own.granule_shift = unsigned(std::countr_zero(std::uint64_t(c.element_size)));
    c.own.written.assign(c.own.bytes.size() >> c.own.granule_shift, 1);
    c.own.of_argument = true;
    c.buffer = &c.own;
    if (counter_) counter_->watch(c, true);
    move_elements(c, value, true);
  }

  void pass_out(const std::string& name, Container& c) {
    const auto given = arguments_.find(name);
    if (given == arguments_.end()) return;
    if (c.is_stream()) return take_stream(c, given->second);
    if (!c.buffer) return;
    move_elements(c, given->second, false);
    if (std::ranges::find(c.own.written, 0) != c.own.written.end()) note_arbitrary(name, c);
  }

  /// Between the caller's layout and the declared one.
  void move_elements(Container& c, NdArray& value, bool in) {
    const bool same_shape = value.shape == c.shape;
    const auto size = std::size_t(c.element_size);
    const std::int64_t first = origin(c);
    const auto move = [&](std::int64_t inside, std::int64_t outside) {
      std::byte* a = c.own.bytes.data() + std::size_t(first + inside) * size;
      std::byte* b = value.bytes.data() + std::size_t(outside) * size;
      in ? std::copy_n(b, size, a) : std::copy_n(a, size, b);
    };
    if (same_shape) return for_each_point(c.shape, c.strides, value.strides, move);
    // Another shape with as many elements: both in row-major order.
    std::vector<std::int64_t> inside;
    const std::vector<std::int64_t> zero(std::max(c.shape.size(), value.shape.size()), 0);
    for_each_point(c.shape, c.strides, zero, [&](std::int64_t at, std::int64_t) {
      inside.push_back(at);
    });
    std::size_t next = 0;
    for_each_point(value.shape, value.strides, zero,
                   [&](std::int64_t at, std::int64_t) { move(inside[next++], at); });
  }

  void note_arbitrary(const std::string& name, const Container& c) {
    NdArray flags = NdArray::zeros(BaseType::Bool, arguments_[name].shape);
    flags.strides = arguments_[name].strides;
    if (flags.shape != c.shape) return;
    for_each_point(c.shape, c.strides, flags.strides, [&](std::int64_t inside, std::int64_t at) {
      const std::int64_t offset = (origin(c) + inside) * c.element_size;
      flags.bytes[std::size_t(at)] =
          std::byte(!c.own.written[std::size_t(offset >> c.own.granule_shift)]);
    });
    arbitrary_.emplace(name, std::move(flags));
  }

  /// The position of the first element, whose index is -offset.
  static std::int64_t origin(const Container& c) { return c.start_offset; }

  /// A stream's content is a one-dimensional array.
  void pass_stream(const std::string& name, Container& c) {
    c.own_queues.assign(1, {});
    c.queues = c.own_queues.data();
    const auto given = arguments_.find(name);
    if (given == arguments_.end()) return;
    const NdArray& value = given->second;
    const Load load = loader(value.type.base());
    const auto size = std::size_t(value.type.bytes().value_or(1));
    for (std::size_t i = 0; i < value.count(); ++i)
      c.own_queues[0].push_back(
          convert(load(value.bytes.data() + i * size), value.type.base(), c.type));
  }
  void take_stream(Container& c, NdArray& value) {
    const std::deque<Number>& queue = c.own_queues[0];
    value = NdArray::zeros(Type(c.type), {std::int64_t(queue.size())});
    std::byte* at = value.bytes.data();
    for (const Number& s : queue) c.store(at, s), at += c.element_size;
  }

  const Sdfg& sdfg_;
  NamedArrays arguments_;
  std::uint64_t step_limit_;
  Machine machine_;
  std::optional<Counter> counter_;
  Environment environment_;
  NamedArrays arbitrary_;
};

}  // namespace

Result<Execution> interpret(const Sdfg& sdfg, NamedArrays arguments,
                            const InterpreterOptions& options) {
  // Connectors without a type get one; what stays unknown is judged where it is used.
  Sdfg typed = sdfg;
  if (const auto referred = refer_to_views(typed); !referred) return referred.error();
  (void)infer_connector_types(typed);
  // Whether something runs on the device may be left to DaCe's defaults.
  if (options.count && uses_device(typed))
    if (const Status set = set_defaults(typed); !set) return set.error();
  try {
    return Call(typed, std::move(arguments), options).run();
  } catch (const Stop& stop) {
    return stop.why;
  }
}

}  // namespace sdfg
