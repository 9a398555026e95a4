#include "codegen/interpreter/unit.h"

#include "codegen/interpreter/counter.h"
#include "ir/walk.h"

namespace sdfg::interpreter {
namespace {

constexpr int in_control_flow = 1 << 20;

bool is_persistent(const Data& data) {
  return data.lifetime == Lifetime::Persistent || data.lifetime == Lifetime::Global ||
         data.lifetime == Lifetime::External;
}

/// "s" of "s.m": what is declared.
std::string_view root_of(std::string_view name) { return name.substr(0, name.find('.')); }

}  // namespace

Unit::Unit(Machine& machine, const Sdfg& sdfg, const Where* place, Unit* outer, bool in_kernel)
    : machine_(machine), sdfg_(sdfg), place_(place), outer_(outer), in_kernel_(in_kernel),
      types_(symbol_types(sdfg)) {
  names_.on_demand = [this](std::string_view name) { return find_name(name); };
  count_uses();
}

Executable Unit::compile() {
  Executable executable;
  // The caller binds every argument, whether the code mentions it or not.
  for (const auto& [name, data] : sdfg_.arrays)
    if (!data.transient) executable.arguments[name] = container(name);
  executable.body = compile_region(sdfg_, place_);
  // Members of structures that are passed in, too.
  for (const auto& [name, c] : containers_)
    if (!is_transient(name)) executable.arguments[name] = c;
  executable.symbols = symbols_;
  executable.assigned = assigned_;
  executable.owned = owned_;
  return executable;
}

Executable compile_sdfg(Machine& machine, const Sdfg& sdfg, const Where* place, Unit* outer,
                        bool in_kernel) {
  return Unit(machine, sdfg, place, outer, in_kernel).compile();
}

void Unit::count_uses() {
  const auto use_from_control_flow = [&](const SymbolSet& names) {
    for (const std::string& name : names) uses_[name] = in_control_flow;
  };
  for_each_interstate_edge(sdfg_, [&](const InterstateEdge& edge) {
    SymbolSet names;
    collect_symbols(edge.condition, {}, names);
    for (const auto& [symbol, value] : edge.assignments) collect_symbols(value, names);
    use_from_control_flow(names);
  });
  for_each_block(sdfg_, [&](const Block& block) {
    SymbolSet names;
    if (const auto* loop = block.as<LoopRegion>()) {
      for (const auto* code :
           {&loop->init_statement, &loop->loop_condition, &loop->update_statement})
        if (*code) collect_symbols(**code, {}, names);
    } else if (const auto* conditional = block.as<ConditionalBlock>()) {
      for (const Branch& branch : conditional->branches)
        if (branch.condition) collect_symbols(*branch.condition, {}, names);
    } else if (const auto* state = block.as<State>()) {
      std::set<std::string_view> here;
      for (NodeId id : state->nodes())
        if (const auto* access = (*state)[id].as<AccessNode>()) {
          here.insert(root_of(access->data));
          if (access->setzero) zeroed_.insert(access->data);
        }
      for (EdgeId id : state->edges()) here.insert(root_of((*state)[id].memlet.data));
      for (std::string_view name : here) ++uses_[std::string(name)];
    }
    use_from_control_flow(names);
  });
}

/// Members belong to who owns the structure.
bool Unit::is_transient(std::string_view name) const {
  const Data* data = sdfg_.find_data(root_of(name));
  return data && data->transient;
}

bool Unit::is_local_to_state(std::string_view name) const {
  const Data* data = sdfg_.find_data(name);
  const auto uses = uses_.find(root_of(name));
  return data && data->transient && !data->is_reference() && !sdfg_.constants.contains(name) &&
         uses != uses_.end() && uses->second == 1 &&
         (data->lifetime == Lifetime::Scope || data->lifetime == Lifetime::State);
}

Container* Unit::new_container(std::string_view name, const Data& data) {
  Container& c = machine_.containers.emplace_back();
  c.name = name;
  c.data = &data;
  // Queues keep values, and a structure's would go with the memory it lies in.
  const Type type = data.dtype;
  c.record = data.is_stream() ? nullptr : machine_.record(type);
  c.type = c.record                  ? BaseType::Struct
           : is_supported(type.base()) ? type.base()
                                       : BaseType::Unknown;
  c.element_size = c.record ? c.record->size : type.bytes().value_or(8);
  if (c.element_size <= 0) c.element_size = 1;
  if (c.type != BaseType::Unknown) c.load = loader(c.type);
  if (c.type != BaseType::Unknown && !c.record) c.store = storer(c.type);
  return &c;
}

std::function<void()> Unit::layout_of(Container* container, const Context& context) {
  struct Layout {
    std::vector<Index> shape, strides, offset;
    Index start_offset;
  };
  Layout layout;
  for (const Expr& e : container->data->shape) layout.shape.push_back(compile_index(e, context));
  if (const Array* array = container->data->as_array()) {
    for (const Expr& e : array->strides) layout.strides.push_back(compile_index(e, context));
    for (const Expr& e : array->offset) layout.offset.push_back(compile_index(e, context));
    layout.start_offset = compile_index(array->start_offset, context);
  }
  const std::size_t rank = layout.shape.size();
  layout.offset.resize(rank);
  if (layout.strides.size() != rank) {
    layout.strides.clear();
    for (const Expr& e : c_strides(container->data->shape))
      layout.strides.push_back(compile_index(e, context));
  }
  return [container, layout = std::move(layout)] {
    const auto values = [](const std::vector<Index>& from, std::vector<std::int64_t>& to) {
      to.resize(from.size());
      for (std::size_t d = 0; d < from.size(); ++d) to[d] = from[d]();
    };
    values(layout.shape, container->shape);
    values(layout.strides, container->strides);
    values(layout.offset, container->offset);
    container->start_offset = layout.start_offset();
  };
}

void Unit::prepare_plain(Container* c, const Names& names) {
  const Where* place = machine_.new_place(place_, "data '" + c->name + "'");
  const Context context{machine_, names, place};
  auto layout = layout_of(c, context);
  const bool own = is_transient(c->name) && !c->data->is_reference();
  if (!own) {
    c->prepare = [c, layout = std::move(layout)] {
      layout();
      c->ready = true;
    };
    return;
  }
  if (c->is_stream()) {
    c->prepare = [c, layout = std::move(layout)] {
      layout();
      std::size_t count = 1;
      for (std::int64_t extent : c->shape) count *= std::size_t(std::max<std::int64_t>(extent, 0));
      if (!c->allocated) c->own_queues.assign(count, {});
      c->queues = c->own_queues.data();
      c->ready = c->allocated = true;
    };
    return;
  }
  const Array* array = c->data->as_array();
  Index total = compile_index(array ? array->total_size : Expr(1), context);
  const bool zero = zeroed_.contains(c->name);
  Counter* counter = c->in_kernel ? nullptr : machine_.counter;
  c->prepare = [machine = &machine_, c, zero, counter, layout = std::move(layout),
                total = std::move(total)] {
    layout();
    // A size that has grown with a loop variable needs new memory; its content is new, too.
    const std::int64_t elements = total();
    if (!c->allocated || elements * c->element_size > std::int64_t(c->own.bytes.size())) {
      allocate(*machine, *c, elements, zero);
      if (counter) counter->watch(*c);
    }
    c->ready = c->allocated = true;
  };
}

Container* Unit::container(std::string_view name) {
  if (const auto found = containers_.find(name); found != containers_.end()) return found->second;
  const Data* data = sdfg_.find_data(name);
  if (!data) throw Stop("there is no data container '" + std::string(name) + "'");
  // A container of a constant's name stands for the constant.
  if (data->transient)
    if (const auto value = constant(name); value && value->window)
      return containers_.emplace(std::string(name), value->window->container).first->second;
  if (data->is_view())
    throw Stop("the view '" + std::string(name) + "' is used without an access node");
  Container* c = new_container(name, *data);
  containers_.emplace(std::string(name), c);
  c->in_kernel = in_kernel_ && !is_persistent(*data);
  prepare_plain(c, names_);
  if (is_transient(name) && !is_persistent(*data) && !data->is_reference()) owned_.push_back(c);
  return c;
}

Container* Unit::local_container(std::string_view name, const Names& names, bool in_kernel) {
  Container* c = new_container(name, *sdfg_.find_data(name));
  c->in_kernel = in_kernel;
  prepare_plain(c, names);
  return c;
}

std::shared_ptr<Window> Unit::whole(Container* container, const Where* place) {
  auto window = std::make_shared<Window>();
  window->machine = &machine_;
  window->container = container;
  const std::size_t rank = container->data->shape.size();
  window->begin.resize(rank);
  window->step.resize(rank);
  for (Index& step : window->step) step.constant = 1;
  if (!container->data->is_scalar())
    for (std::size_t d = 0; d < rank; ++d) window->wide.push_back(d);
  window->place = place;
  return window;
}

Binding Unit::symbol(const std::string& name) {
  if (const auto found = symbols_.find(name); found != symbols_.end()) return found->second;
  const auto type = types_.find(name);
  const bool known = type != types_.end() && is_supported(type->second.base());
  const Binding binding{known ? type->second.base() : BaseType::Int64, machine_.new_slot(),
                        nullptr};
  symbols_.emplace(name, binding);
  names_.set(name, binding);
  return binding;
}

std::optional<Binding> Unit::find_name(std::string_view name) {
  if (auto value = constant(name)) return value;
  if (const Data* data = sdfg_.find_data(name)) {
    if (data->is_view()) return std::nullopt;
    Container* c = container(name);
    return Binding{c->type, nullptr, whole(c, nullptr)};  // whoever reads it says where
  }
  if (types_.contains(name) || sdfg_.symbols.contains(name)) return symbol(std::string(name));
  return std::nullopt;
}

std::vector<Container*> Unit::containers_shaped_by(std::string_view symbol) {
  if (!shaped_by_) {
    shaped_by_.emplace();
    for (const auto& [name, data] : sdfg_.arrays) {
      SymbolSet names;
      if (!data.is_view()) collect_symbols(data, names);
      for (const std::string& used : names) (*shaped_by_)[used].push_back(name);
    }
  }
  std::vector<Container*> shaped;
  if (const auto found = shaped_by_->find(symbol); found != shaped_by_->end())
    for (const std::string& name : found->second)
      if (!is_local_to_state(name)) shaped.push_back(container(name));
  return shaped;
}

}  // namespace sdfg::interpreter
