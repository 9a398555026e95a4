#include <algorithm>
#include <utility>

#include "codegen/interpreter/copy.h"
#include "codegen/interpreter/counter.h"
#include "codegen/interpreter/state.h"
#include "ir/analysis/memlet_path.h"

namespace sdfg::interpreter {
namespace {

/// A map as nested loops, the first parameter outermost. Ranges may use the parameters before.
struct Loops {
  struct Dimension {
    Number* parameter;
    Index begin, end, step;
  };
  Machine* machine;
  std::vector<Dimension> dimensions;
  Body body;
  KernelCounts* kernel;  ///< whose points are counted; may be null
  bool backward = false;

  void run(std::size_t d = 0) const {
    if (d == dimensions.size()) {
      machine->step();
      if (kernel) ++kernel->points;
      return body.run();
    }
    const Dimension& dim = dimensions[d];
    std::int64_t begin = dim.begin(), end = dim.end(), step = dim.step();
    if (step == 0) throw Stop("a map has the step 0");
    if (backward && (step > 0 ? begin < end : begin > end)) {
      end = begin + (end - begin) / step * step;
      std::swap(begin, end), step = -step;
    }
    for (std::int64_t i = begin; step > 0 ? i <= end : i >= end; i += step) {
      dim.parameter->i = i;
      run(d + 1);
    }
  }
};

}  // namespace

std::vector<Step> StateCompiler::compile_dynamic_inputs(NodeId entry, Scope& outer, Scope& inner) {
  std::vector<Step> steps;
  for (EdgeId e : state_.in(entry)) {
    const std::string& connector = state_[e].dst_connector;
    if (connector.empty() || connector.starts_with("IN_") || state_[e].memlet.empty()) continue;
    const auto input = window_read(e, outer, place_of(e));
    Number* slot = machine_.new_slot();
    inner.names.set(connector, {input->container->type, slot, nullptr});
    steps.push_back([input, slot] {
      constexpr std::int64_t zero[16] = {};
      *slot = input->read({zero, input->wide.size()});
    });
  }
  return steps;
}

bool StateCompiler::is_kernel(Schedule schedule) const {
  return machine_.counter && machine_.counter->is_kernel(schedule);
}

Step StateCompiler::compile_map(NodeId id, Scope& outer) {
  const MapEntry& map = state_.get<MapEntry>(id);
  const Where* place = place_of(id);
  KernelCounts* launched = is_kernel(map.schedule) ? kernel(outer, "map", place) : nullptr;
  Scope& scope =
      scopes_.try_emplace(id, id, &outer.names, outer.in_kernel || launched).first->second;
  const std::vector<Step> inputs = compile_dynamic_inputs(id, outer, scope);
  Loops loops{&machine_, {}, {}, launched};
  if (map.params.size() != map.ranges.size())
    throw Stop("a map with " + std::to_string(map.params.size()) + " parameters and " +
               std::to_string(map.ranges.size()) + " ranges");
  for (std::size_t d = 0; d < map.params.size(); ++d) {
    const Range& r = map.ranges[d];
    const Context c = context(scope, place);
    Index begin = compile_index(r.begin, c), end = compile_index(r.end, c),
          step = compile_index(r.step, c);
    Number* slot = machine_.new_slot();
    scope.names.set(map.params[d], {BaseType::Int64, slot, nullptr});
    loops.dimensions.push_back({slot, std::move(begin), std::move(end), std::move(step)});
  }
  // Floating-point sums keep the order of their terms.
  loops.backward = machine_.adverse &&
                   std::ranges::none_of(state_.in(tree_.exit_of(id)), [&](EdgeId e) {
                     return state_[e].memlet.wcr.has_value();
                   });
  loops.body = compile_scope(scope);
  return [inputs, run = counted(launched, [loops = std::move(loops)] { loops.run(); })] {
    for (const Step& input : inputs) input();
    run();
  };
}

Step StateCompiler::compile_consume(NodeId id, Scope& outer) {
  const ConsumeEntry& consume = state_.get<ConsumeEntry>(id);
  const Where* place = place_of(id);
  KernelCounts* launched = is_kernel(consume.schedule) ? kernel(outer, "consume", place) : nullptr;
  Scope& scope =
      scopes_.try_emplace(id, id, &outer.names, outer.in_kernel || launched).first->second;
  if (consume.chunksize != 1)
    throw Stop("the interpreter consumes one element at a time, not chunks");
  const std::vector<Step> inputs = compile_dynamic_inputs(id, outer, scope);
  std::shared_ptr<Window> stream;
  for (EdgeId e : state_.in(id))
    if (state_[e].dst_connector == "IN_stream")
      stream = window(of_memlet(e), state_[e].memlet.subset(), outer, place_of(e));
  if (!stream) throw Stop("a consume scope without a stream");

  // The element has a place of its own, which whatever is inside reads.
  const Data& queue_data = *stream->container->data;
  Container* element = unit_.new_container(
      stream->container->name,
      machine_.declarations.emplace_back(Data::scalar(queue_data.dtype, true)));
  element->in_kernel = scope.in_kernel;
  element->prepare = [machine = &machine_, element,
                      layout = unit_.layout_of(element, context(scope, place))] {
    layout();
    allocate(*machine, *element, 1, false);
    element->ready = true;
  };
  popped_[id] = element;
  Number* index = machine_.new_slot();
  scope.names.set(consume.pe_index, {BaseType::Int64, index, nullptr});
  const Index elements = compile_index(consume.num_pes, context(outer, place_of(id)));
  Eval condition;
  if (consume.condition && !consume.condition->empty()) {
    const Expr* expr = consume.condition->expr();
    if (!expr) throw Stop("the condition of a consume scope is not Python code");
    condition = compile_as(*expr, BaseType::Bool, context(outer, place_of(id)));
  }
  Body body = compile_scope(scope);
  // The processing elements take turns.
  Step turns = [machine = &machine_, stream, to = unit_.whole(element, place), index, elements,
                launched,
                condition = std::move(condition), body = std::move(body)] {
    const std::int64_t count = std::max<std::int64_t>(elements(), 1);
    for (std::int64_t turn = 0;; ++turn) {
      machine->step();
      if (condition && condition().i) return;
      std::deque<Number>& queue = stream_queue(*stream);
      if (queue.empty()) return;
      to->write({}, queue.front());
      queue.pop_front();
      index->i = turn % count;
      if (launched) ++launched->points;
      body.run();
    }
  };
  return [inputs, run = counted(launched, std::move(turns))] {
    for (const Step& input : inputs) input();
    run();
  };
}

}  // namespace sdfg::interpreter
