// Decides where each container lives, before anything is printed: a container that several states
// or control flow touch belongs to the function; one that a single state uses belongs to the
// innermost scope around all its access nodes. Memory of the whole program comes from the state
// struct and only grows; what several threads need each for themselves is local to the scope.

#include <algorithm>

#include "codegen/sdfg_function.h"
#include "ir/analysis/assigned_symbols.h"
#include "ir/walk.h"

namespace sdfg {

namespace {

/// Arrays up to this size live on the stack when they may.
constexpr std::int64_t stack_limit = 65536;
/// At the top of a program a slot in the state costs nothing, so only small arrays do.
constexpr std::int64_t top_stack_limit = 4096;
/// All of them that are there at the same time: threads may have stacks of 2 MB.
constexpr std::int64_t whole_stack_limit = 1048576;

bool on_device(const Data& data) {
  return data.storage == Storage::GpuGlobal || data.storage == Storage::GpuShared;
}

std::string root_name(const Sdfg& sdfg, const std::string& name) {
  if (sdfg.arrays.contains(name)) return name;
  for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1))
    if (sdfg.arrays.contains(name.substr(0, dot))) return name.substr(0, dot);
  return name;
}

void collect(const RareOptional<Code>& code, SymbolSet& out) {
  if (code) collect_symbols(*code, {}, out);
}

/// The members of a structure that get memory of their own.
std::vector<std::pair<std::string, const Data*>> owned_members(const Data& data) {
  std::vector<std::pair<std::string, const Data*>> members;
  const auto* structure = std::get_if<Structure>(&data.kind);
  if (!structure) return members;
  for (const auto& [member, value] : structure->members) {
    const auto* inner = std::get_if<Box<Data>>(&value);
    if (inner && (*inner)->as_array() && !(*inner)->is_reference() && !(*inner)->is_view())
      members.emplace_back(member, &**inner);
  }
  return members;
}

struct Use {
  StatePlan* plan = nullptr;     ///< of the only state, so far
  bool many_states = false;
  std::vector<NodeId> around;    ///< scopes around all uses, outermost first
  std::vector<StatePlan*> accessed_in;  ///< states with an access node of it
};

}  // namespace

bool belongs_to_program(const Data& data) {
  return data.lifetime == Lifetime::Persistent || data.lifetime == Lifetime::Global ||
         data.lifetime == Lifetime::External;
}

Binding::Kind kind_of(const Data& data) {
  return data.is_structure() ? Binding::Struct
         : data.is_stream()  ? Binding::Stream
         : data.is_scalar()  ? Binding::Value
                             : Binding::Pointer;
}

void SdfgFunction::plan_state(const State& state, const Place& place) {
  note_instrumentation(state.symbol_instrument, place);
  const Dataflow& flow = program_.flows.at(&state);
  StatePlan& plan = plans_.emplace_back(state, flow.order, flow.tree);
  plan_of_.emplace(&state, &plan);
  plan.children.resize(state.id_bound() + 1);
  for (NodeId id : plan.order) {
    const NodeId parent = plan.tree.parent_of(id);
    plan.children[parent ? parent.value : state.id_bound()].push_back(id);
    if (const auto* access = state[id].as<AccessNode>()) {
      plan.accesses[access->data].push_back(id);
      if (access->setzero) zeroed_.insert(access->data);
      if (access->instrument != DataInstrumentation::None)
        note_instrumentation(access->instrument, place.node(state, id));
    }
  }
  plan_updates(plan);
}

void SdfgFunction::note_instrumentation(DataInstrumentation kind, const Place& place) {
  if (kind == DataInstrumentation::Save)
    program_.warn(place, "generated code does not save data that is instrumented");
  if (kind == DataInstrumentation::Restore)
    fail(place, "generated code cannot restore data from a file",
         "take the instrumentation away, or let DaCe compile it");
}

void SdfgFunction::plan_region(const Region& region, const Place& place) {
  for (InterstateEdgeId id : region.edges()) {
    const InterstateEdge& edge = region[id];
    collect_symbols(edge.condition, {}, control_reads_);
    for (const auto& [symbol, value] : edge.assignments) collect_symbols(value, control_reads_);
  }
  for (BlockId id : region.nodes()) {
    const Block& block = region[id];
    const Place here = place.block(block);
    if (const auto* state = block.as<State>()) {
      plan_state(*state, here);
    } else if (const auto* conditional = block.as<ConditionalBlock>()) {
      for (const Branch& branch : conditional->branches) {
        collect(branch.condition, control_reads_);
        plan_region(branch.region(), here.in("branch " + branch.block.label));
      }
    } else if (const Region* deeper = block.region()) {
      if (const auto* loop = block.as<LoopRegion>()) {
        collect(loop->loop_condition, control_reads_);
        collect(loop->init_statement, control_reads_);
        collect(loop->update_statement, control_reads_);
      }
      plan_region(*deeper, here);
    }
  }
}

bool SdfgFunction::is_late(const Data& data) const {
  SymbolSet symbols;
  if (const Array* array = data.as_array()) collect_symbols(array->total_size, symbols);
  for (const Expr& extent : data.shape) collect_symbols(extent, symbols);
  for (const auto& [member, inner] : owned_members(data))
    collect_symbols(inner->as_array()->total_size, symbols);
  for (const std::string& symbol : symbols)
    if (assigned_.contains(symbol)) return true;
  return false;
}

void SdfgFunction::place_containers() {
  ByName<Use> uses;
  for (StatePlan& plan : plans_) {
    const State& state = plan.state;
    if (plan.order.empty()) continue;
    const auto use = [&](const std::string& name, NodeId node) -> Use& {
      std::vector<NodeId> around = plan.tree.enclosing(node);
      std::reverse(around.begin(), around.end());
      auto [found, is_new] = uses.try_emplace(root_name(sdfg_, name));
      Use& use = found->second;
      if (is_new) {
        use.plan = &plan;
        use.around = std::move(around);
        return use;
      }
      use.many_states |= use.plan != &plan;
      std::size_t common = 0;
      while (common < std::min(around.size(), use.around.size()) &&
             around[common] == use.around[common])
        ++common;
      use.around.resize(common);
      return use;
    };
    for (const auto& [name, nodes] : plan.accesses)
      for (NodeId id : nodes) {
        std::vector<StatePlan*>& in = use(std::string(name), id).accessed_in;
        if (in.empty() || in.back() != &plan) in.push_back(&plan);
      }
    // Data between two tasklets may name a container that has no access node.
    const auto is_tasklet = [&](NodeId id) {
      return state.kind_of(id) == Node::number_of<Tasklet>;
    };
    for (EdgeId id : state.edges())
      if (is_tasklet(state.source(id)) && is_tasklet(state.target(id)) &&
          !state[id].memlet.empty())
        use(state[id].memlet.data, state.target(id));
  }

  for (const auto& [name, data] : sdfg_.arrays) {
    if (!data.transient || data.is_view() || bindings_.contains(name)) continue;
    const auto used = uses.find(name);
    const bool in_control = control_reads_.contains(name);
    if (used == uses.end() && !in_control && !belongs_to_program(data)) continue;
    if (used == uses.end() || used->second.many_states || in_control ||
        data.lifetime != Lifetime::Scope || data.is_reference()) {
      if (data.lifetime == Lifetime::State && used != uses.end() && !used->second.many_states) {
        used->second.plan->declared[NodeId()].push_back(name);
        continue;
      }
      function_level_.push_back(name);
      if (used != uses.end() && is_late(data))
        for (StatePlan* plan : used->second.accessed_in) plan->sized_here.insert(name);
      continue;
    }
    std::vector<NodeId> around = used->second.around;
    if (program_.target.gpu && !on_device_ && data.storage == Storage::GpuGlobal) {
      // Memory of the device is declared by the host: at the kernel at the latest.
      const State& state = used->second.plan->state;
      const auto kernel = std::ranges::find_if(
          around, [&](NodeId n) { return program_.target.gpu->find(state, n); });
      if (kernel != around.end()) around.erase(kernel + 1, around.end());
    }
    const NodeId scope = around.empty() ? NodeId() : around.back();
    used->second.plan->declared[scope].push_back(name);
  }
}

void SdfgFunction::plan() {
  for (const auto& [name, constant] : sdfg_.constants)
    bindings_[name] = {constant.data.is_scalar() ? Binding::Value : Binding::Pointer,
                       cpp_name(name), &constant.data};
  assigned_ = assigned_symbols(sdfg_);
  plan_region(sdfg_, place_);
  place_containers();
}

std::string SdfgFunction::memory_for(const std::string& name, const Place&, bool local) {
  if (local) return local_name(cpp_name(name) + "_memory");
  const std::string field = program_.fresh_name(name_ + "_" + name);
  program_.state_fields.push_back("sdfg::Scratch " + field + ";");
  return "__state->" + field;
}

void SdfgFunction::declare_in_state_struct(Writer& out, const std::string& name,
                                           const Place& place) {
  const Data& data = *sdfg_.find_data(name);
  const std::string type = type_name(data.dtype, place), text = cpp_name(name);
  const std::string field = program_.fresh_name("__0_" + name);
  const bool device = program_.target.gpu && on_device(data);
  if (data.is_scalar() && !device) {
    program_.state_fields.push_back(type + " " + field + "{};");
    bindings_[name] = {Binding::Value, "__state->" + field, &data};
    return;
  }
  const Array* array = data.as_array();
  if (!array && !data.is_scalar()) return fail(place, "only arrays and scalars may outlive a call");
  program_.state_pointers.push_back(type + "* " + field + " = nullptr;");
  const std::string count = array ? print(array->total_size, place) : "1";
  if (data.lifetime == Lifetime::External) {
    program_.externals.push_back({data.storage, field, type, count});
    out.line(type + "* const " + text + " = __state->" + field + ";");
  } else {
    const std::string memory = memory_for(name, place, false);
    if (device) {
      std::string& declared = program_.state_fields.back();
      declared.replace(0, declared.find(' '), "sdfg::gpu::Arena");
      program_.device_memory.push_back(memory.substr(memory.find("->") + 2));
    }
    const std::string allocate =
        device ? "__state->" + field + " = " + memory + ".get<" + type + ">(__state->gpu, " +
                     count + ");"
               : "__state->" + field + " = " + memory + ".get<" + type + ">(" + count + ");";
    if (is_late(data)) {
      out.line(type + "* " + text + " = nullptr;");
      late_[name] = {allocate, text + " = __state->" + field + ";"};
    } else {
      out.line(allocate);
      out.line(type + "* const " + text + " = __state->" + field + ";");
    }
    // Grown again at each call, in case that sizes are larger than at the first.
    if (&sdfg_ == &program_.root && !is_late(data)) {
      program_.init_lines.push_back(allocate);
      if (has_setzero(name) && device)
        program_.init_lines.push_back("sdfg::gpu::zero(__state->gpu, __state->" + field + ", " +
                                      count + ");");
      else if (has_setzero(name))
        program_.init_lines.push_back("memset(__state->" + field + ", 0, size_t(" + count +
                                      ") * sizeof(" + type + "));");
    }
  }
  bindings_[name] = {data.is_scalar() ? Binding::Value : Binding::Pointer,
                     data.is_scalar() ? "(*" + text + ")" : text, &data};
  bindings_[name].device = device;
  bindings_[name].row = device && !data.is_scalar();
}

/// Room for the elements once the size is known; new ones are zero where an access node says so.
void SdfgFunction::declare_late(Writer& out, const std::string& name, const std::string& memory,
                                bool device, const Place& place) {
  const Data& data = *sdfg_.find_data(name);
  const std::string count = print(data.as_array()->total_size, place);
  const std::string type = type_name(data.dtype, place), text = cpp_name(name);
  const std::string gpu = device ? "__state->gpu, " : "";
  std::vector<std::string>& lines = late_[name];
  out.line(type + "* " + text + " = nullptr;");
  lines.push_back(text + " = " + memory + ".get<" + type + ">(" + gpu + count + ");");
  if (device) lines.push_back("if (!" + text + ") return;");
  if (!has_setzero(name)) return;
  const std::string zeroed = local_name(text + "_zeroed");
  out.line("int64_t " + zeroed + " = 0;");
  lines.push_back("if (" + zeroed + " < int64_t(" + count + ")) sdfg::" +
                  (device ? "gpu::" : "") + "zero(" + gpu + text + ", " + zeroed + " = " + count +
                  ");");
}

void SdfgFunction::declare(Writer& out, const std::string& name, const Place& where_place,
                           Surroundings& where) {
  const Place place = where_place.data(name);
  const Data& data = *sdfg_.find_data(name);
  if (bindings_.contains(name)) return;  // a constant, or an argument
  if (on_device_) return declare_in_kernel(out, name, place);
  if (program_.target.gpu && on_device(data) && !belongs_to_program(data))
    return declare_on_device(out, name, place);
  if (belongs_to_program(data)) return declare_in_state_struct(out, name, place);
  const std::string text = cpp_name(name);
  Binding bound{kind_of(data), text, &data};
  // The size is not known yet: each state that uses it makes sure that there is room.
  const bool late =
      is_late(data) && std::ranges::find(function_level_, name) != function_level_.end();

  if (const auto* structure = std::get_if<Structure>(&data.kind)) {
    const std::string type = program_.structure_type(*structure, place);
    const std::string value = local_name(text + "_value");
    out.line(type + " " + value + "{};");
    out.line(type + "* const " + text + " = &" + value + ";");
    for (const auto& [field, inner] : owned_members(data)) {
      const std::string memory = memory_for(name + "_" + field, place, where.parallel);
      if (where.parallel) out.line("sdfg::Scratch " + memory + ";");
      const std::string count = print(inner->as_array()->total_size, place);
      const std::string allocate = value + "." + cpp_name(field) + " = " + memory + ".get<" +
                                   type_name(inner->dtype, place) + ">(" + count + ");";
      late ? late_[name].push_back(allocate) : out.line(allocate);
    }
    bindings_[name] = bound;
    return;
  }
  const std::string type = type_name(data.dtype, place);
  if (data.is_stream()) {
    if (data.shape.size() == 1 && data.shape[0].as_integer() == 1) {
      out.line("sdfg::Stream<" + type + "> " + text + ";");
    } else {
      Expr count = 1;
      for (const Expr& extent : data.shape) count = count * extent;
      const std::string memory = local_name(text + "_streams");
      const std::string room = print(count, place);
      out.line("sdfg::StreamArray<" + type + "> " + memory + "(" + (late ? "0" : room) + ");");
      out.line("auto*" + std::string(late ? " " : " const ") + text + " = " + memory + ".data();");
      if (late) late_[name].push_back(text + " = " + memory + ".data(" + room + ");");
    }
    bindings_[name] = bound;
    return;
  }
  if (data.is_scalar()) {
    out.line(type + " " + text + "{};");
    bindings_[name] = bound;
    return;
  }
  const Array* array = data.as_array();
  if (!array) return fail(place, "no code for containers of kind " + data.json_type());
  if (data.is_reference()) {
    out.line(type + "* " + text + " = nullptr;");
    bindings_[name] = bound;
    return;
  }
  const auto count = array->total_size.as_integer();
  const auto bytes = data.dtype.bytes();
  const bool local = where.parallel;
  const std::int64_t limit =
      local || data.storage == Storage::Register ? stack_limit : top_stack_limit;
  if (count && bytes && *count * *bytes <= std::min(limit, whole_stack_limit - where.stack) &&
      *count >= 0) {
    where.stack += *count * *bytes;
    out.line("alignas(64) " + type + " " + text + "[" +
             std::to_string(std::max<std::int64_t>(*count, 1)) + "]" +
             (has_setzero(name) || *count <= 4 ? "{}" : "") + ";");
    bindings_[name] = bound;
    return;
  }
  if (late) {
    const std::string memory = text + "_memory";
    used_names_.insert(memory);
    if (local)
      out.line("sdfg::Scratch " + memory + ";");
    else
      out.line("sdfg::Scratch& " + memory + " = " + memory_for(name, place, false) + ";");
    declare_late(out, name, memory, false, place);
    bindings_[name] = bound;
    return;
  }
  const std::string memory = memory_for(name, place, local);
  const std::string size = print(array->total_size, place);
  if (local) out.line("sdfg::Scratch " + memory + ";");
  out.line(type + "* const " + text + " = " + memory + ".get<" + type + ">(" + size + ");");
  if (has_setzero(name))
    out.line("sdfg::zero(" + text + ", " + size + ");");
  bindings_[name] = bound;
}

}  // namespace sdfg
