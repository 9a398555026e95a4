// What a kernel may name, what it calls that, and which of it becomes a parameter.

#include <algorithm>

#include "codegen/constants.h"
#include "codegen/kernel_text.h"
#include "ir/analysis/memlet_path.h"
#include "ir/symbol_collector.h"

namespace sdfg {
namespace {

bool is_identifier(std::string_view text) {
  return !text.empty() && text.find_first_not_of(
                              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "0123456789_") == std::string_view::npos;
}

/// Sorts it, with each name once.
void make_set(std::vector<std::string_view>& names) {
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
}

/// The text without the `.x` of `threadIdx.x` and its kin, which are no names of the program.
std::string without_axes(std::string text) {
  for (std::size_t at = text.find('.'); at != text.npos; at = text.find('.', at + 1)) {
    const std::string_view before = std::string_view(text).substr(0, at);
    for (std::string_view word : {"threadIdx", "blockIdx", "blockDim", "gridDim"})
      if (before.ends_with(word) && at + 1 < text.size()) text[at + 1] = ' ';
  }
  return text;
}

}  // namespace

/// The containers that the kernel's nodes and edges name, and those in the sizes of these.
std::vector<std::string_view> SdfgFunction::named_in_kernel(const At& at, NodeId id,
                                                            std::vector<NodeId> nodes) const {
  const State& state = at.state;
  std::vector<std::string_view> names, sizes;
  const auto into = [&](std::vector<std::string_view>& out) {
    return [this, &out](std::string_view name) {
      if (!out.empty() && out.back() == name) return;
      if (const auto found = sdfg_.arrays.find(name); found != sdfg_.arrays.end())
        out.push_back(found->first);
    };
  };
  const auto note = into(names);
  SymbolCollector symbols(note), of_sizes(into(sizes));
  const auto words = [&](std::string_view text) {
    for_each_identifier(text, [&](std::string_view word, std::size_t) {
      note(word);
      return true;
    });
  };
  const auto container = [&](const std::string& name) {
    note(name);
    const std::size_t dot = name.find('.');
    if (dot == name.npos) return;
    note(name.substr(0, dot));
    if (const Data* member = sdfg_.find_data(name)) collect_symbols(*member, of_sizes);
  };
  const auto ranges = [&](const std::vector<Range>& all) {
    for (const Range& r : all)
      for (const Expr* e : {&r.begin, &r.end, &r.step, &r.tile})
        if (!e->is(Op::Integer)) symbols.add(*e);
  };
  const auto edge = [&](EdgeId e) {
    const Memlet& memlet = state[e].memlet;
    if (memlet.empty()) return;
    container(memlet.data);
    if (memlet.src_subset) ranges(memlet.src_subset->ranges);
    if (memlet.dst_subset) ranges(memlet.dst_subset->ranges);
    if (memlet.wcr) words(memlet.wcr->text());
  };
  nodes.push_back(id);
  for (NodeId n : nodes) {
    const Node& node = state[n];
    for (EdgeId e : state.in(n)) edge(e);
    if (const auto* access = node.as<AccessNode>()) container(access->data);
    if (const auto* map = node.as<MapEntry>()) ranges(map->ranges);
    if (const auto* consume = node.as<ConsumeEntry>()) symbols.add(consume->num_pes);
    if (const auto* tasklet = node.as<Tasklet>()) words(tasklet->code.text());
    if (const auto* nested = node.as<NestedSdfg>())
      for (const auto& [symbol, value] : nested->symbol_mapping) symbols.add(value);
    for (const auto& [key, text] : node.extras) words(text);
  }
  for (EdgeId e : state.out(at.plan.tree.exit_of(id))) edge(e);
  make_set(names);
  for (std::string_view name : names) collect_symbols(*sdfg_.arrays.get(name), of_sizes);
  names.insert(names.end(), sizes.begin(), sizes.end());
  make_set(names);
  return names;
}

/// Gives every container that the kernel may name a binding there.
void SdfgFunction::bind_for_kernel(At& at, NodeId id, KernelText& kernel) {
  const State& state = at.state;
  const auto writes = [&](const std::string& container, NodeId node) {
    const auto view = at.views.find(node);
    if (view != at.views.end()) kernel.written.insert(view->second.memory());
    if (const auto found = bindings_.find(container); found != bindings_.end()) {
      kernel.written.insert(found->second.memory());
      if (found->second.kind == Binding::Value && !found->second.device)
        fail(at.node_place(id), "the kernel writes '" + container + "', a scalar of the host",
             "give it the storage GPU_Global");
    }
  };
  for (EdgeId e : state.out(at.plan.tree.exit_of(id)))
    if (!state[e].memlet.empty()) {
      const NodeId target = path_target(state, e);
      const auto* access = state[target].as<AccessNode>();
      writes(access ? access->data : state[e].memlet.data, target);
    }
  for (NodeId node : kernel.nodes)
    if (const auto* access = state[node].as<AccessNode>();
        access && std::ranges::any_of(state.in(node),
                                      [&](EdgeId e) { return !state[e].memlet.empty(); }))
      writes(access->data, node);

  // A reference may lead to anything.
  const bool references = std::ranges::any_of(kernel.named, [&](std::string_view name) {
    const auto found = bindings_.find(name);
    return found != bindings_.end() && found->second.data && found->second.data->is_reference();
  });
  for (std::string_view container : kernel.named) {
    const std::string name(container);
    const auto found = bindings_.find(name);
    if (found == bindings_.end() || sdfg_.constants.find(name) != sdfg_.constants.end()) continue;
    if (references) bindings_[name].aliased = true;
    const std::string host = found->second.text;
    if (found->second.kind == Binding::Value && found->second.device) {
      Binding& bound = bindings_[name];
      const std::string pointer =
          host.starts_with("(*") ? host.substr(2, host.size() - 3) : "&" + host;
      if (!is_identifier(pointer)) {
        bound.root = cpp_name(name);
        kernel.arguments[bound.root] = pointer;
        bound.text = "(*" + bound.root + ")";
      } else {
        bound.root = pointer;
      }
      if (kernel.written.contains(host)) kernel.written.insert(bound.root);
    } else if (!is_identifier(host)) {
      const std::string inside = cpp_name(name);
      bindings_[name].text = inside;
      kernel.arguments[inside] = host;
    }
    const Binding& bound = found->second;
    if (!bound.device || bound.kind != Binding::Pointer || bound.own) continue;
    const auto other = kernel.arguments.find(bound.text);
    host_pointers_[bound.text] =
        other == kernel.arguments.end() ? bound.text : "(" + other->second + ")";
  }
}

/// The names of the host that the body uses become parameters.
void SdfgFunction::kernel_parameters(const At& at, KernelText& kernel, const std::string& body) {
  const std::string text = without_axes(body);
  if (names_.empty()) {
    for (const auto& [name, data] : sdfg_.arrays) names_.add(name, {name, false});
    for (const auto& [name, type] : types_) names_.add(cpp_name(name), {name, true});
    for (const std::string& name : assigned_)
      if (!types_.contains(name)) names_.add(cpp_name(name), {name, true});
  }
  Words used;
  std::vector<std::string_view> named = kernel.named, symbols;
  for_each_identifier(text, [&](std::string_view word, std::size_t hash) {
    if (used.insert(word, hash))
      for (const Name& name : names_.of(word, hash))
        (name.symbol ? symbols : named).push_back(name.name);
    return true;
  });
  make_set(named);
  make_set(symbols);
  kernel.declarations.reserve(200);
  kernel.passed.reserve(100);
  const auto add = [&](const std::string& declaration, const std::string& argument) {
    if (!kernel.declarations.empty()) kernel.declarations += ", ";
    kernel.declarations += declaration;
    kernel.passed.append(", ").append(argument);
  };
  std::set<std::string> done(kernel.map.params.begin(), kernel.map.params.end());
  const auto container = [&](std::string_view label, const Binding& bound) {
    const std::string& name =
        bound.kind == Binding::Value && bound.device ? bound.root : bound.text;
    if (!used.contains(name) || bound.own || !done.insert(name).second) return;
    const Place place = at.place.data(label);
    const auto other = kernel.arguments.find(name);
    const std::string argument = other == kernel.arguments.end() ? name : other->second;
    if (bound.kind == Binding::Struct || bound.kind == Binding::Stream)
      return fail(place, "kernels take no structures or streams, and '" + std::string(label) +
                             "' is one");
    const std::string type = type_name(bound.data->dtype, place);
    if (bound.kind == Binding::Value && !bound.device) return add(type + " " + name, argument);
    if (!bound.device) return void(reachable(bound, std::string(label), place));
    const std::string memory = bound.memory();
    // What goes by another name, too, may go on to a nested SDFG that changes it by that.
    const bool written = kernel.written.contains(memory) || kernel.written.contains(name) ||
                         program_.has_references || (bound.aliased && !kernel.written.empty());
    add(std::string(written ? "" : "const ") + type + "* " +
            (bound.aliased ? "" : "__restrict__ ") + name,
        argument);
  };
  for (std::string_view name : named)
    if (const auto found = bindings_.find(name);
        found != bindings_.end() && bindings_.is_outer(name) &&
        sdfg_.constants.find(name) == sdfg_.constants.end())
      container(name, found->second);
  for (const auto& [node, bound] : at.views)
    container(at.state[node].label(), bound);
  // A scope in the kernel may call a parameter like a symbol that the function is not given.
  const auto is_known = [&](std::string_view name, const std::string& identifier) {
    return parameters_.contains(identifier) || assigned_.contains(name) ||
           std::ranges::find(at.params, name) != at.params.end();
  };
  const auto symbol = [&](std::string_view name, const Type& type) {
    const std::string identifier = cpp_name(name);
    if (!used.contains(identifier) || bindings_.contains(name) || !done.insert(identifier).second)
      return;
    if (type.base() == BaseType::Callback)
      return fail(at.node_place(at.kernel),
                  "a kernel cannot call '" + std::string(name) + "' back",
                  "leave the program on the host (--backend=cpu)");
    if (type.is_bool() && kernel.plan.kind == KernelClass::Gather &&
        kernel.flags.size() < KernelText::most_flags)
      return kernel.flags.push_back(identifier);
    add(symbol_type(type) + " " + identifier, identifier);
  };
  for (std::string_view name : symbols)
    if (const auto type = types_.find(name);
        type != types_.end() && is_known(name, cpp_name(name)))
      symbol(name, type->second);
  for (std::string_view name : symbols)
    if (!types_.contains(name)) symbol(name, Type());
  for (const std::string& name : at.params) symbol(name, Type());
  for (const Parameter& value : kernel.values)
    if (used.contains(value.identifier)) add(value.declaration, value.argument);
  for (const auto& [connector, type] : at.state[at.kernel].in_connectors)
    if (!connector.starts_with("IN_")) symbol(connector, type);
}

}  // namespace sdfg
