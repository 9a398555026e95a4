#include "codegen/interpreter/state.h"

namespace sdfg::interpreter {
namespace {

struct Mapped {
  Number* slot;
  Eval value;
  Number result;
};
struct Bound {
  Container* inner;
  std::shared_ptr<Window> outer;
};

}  // namespace

Step StateCompiler::compile_nested(NodeId id, Scope& scope) {
  const NestedSdfg& nested = state_.get<NestedSdfg>(id);
  const Where* place = place_of(id);
  if (!nested.sdfg)
    throw Stop("the nested SDFG is in another file, which is not loaded");
  Executable inner = compile_sdfg(machine_, **nested.sdfg, place, &unit_, scope.in_kernel);

  std::vector<Mapped> mapped;
  const Context c = context(scope, place);
  for (const auto& [name, slot] : inner.symbols) {
    const auto given = nested.symbol_mapping.find(name);
    if (given != nested.symbol_mapping.end()) {
      // The mapping is symbolic text: integers in 64 bits, floats as they are.
      const bool integer = slot.type >= BaseType::Bool && slot.type <= BaseType::UInt64;
      Eval value;
      if (integer) {
        value = [index = compile_index(given->second, c), type = slot.type] {
          return convert(Number(index()), BaseType::Int64, type);
        };
      } else {
        value = compile_as(given->second, slot.type, c);
      }
      mapped.push_back({slot.slot, std::move(value), {}});
    } else if (inner.assigned.contains(name)) {
      continue;  // its own, whatever has that name outside
    } else if (const Binding* outer = scope.names.find(name); outer && outer->slot) {
      mapped.push_back({slot.slot, compile_as(Expr::symbol(name), slot.type, c), {}});
    } else {
      throw Stop("the nested SDFG uses the symbol '" + name + "', which is not mapped",
                 "add it to the node's symbol mapping");
    }
  }

  std::vector<Bound> bound;
  const auto bind = [&](EdgeId e, const std::string& connector) {
    if (connector.empty() || state_[e].memlet.empty()) return;
    const auto argument = inner.arguments.find(connector);
    if (argument == inner.arguments.end())
      throw Stop("connector '" + connector + "' is no argument of the nested SDFG");
    bound.push_back({argument->second, window_read(e, scope, place_of(e))});
    // A structure's members are containers of their own.
    const std::string prefix = connector + ".";
    for (auto m = inner.arguments.lower_bound(prefix);
         m != inner.arguments.end() && m->first.starts_with(prefix); ++m)
      bound.push_back({m->second, unit_.whole(named(state_[e].memlet.data +
                                                    m->first.substr(connector.size())),
                                              place_of(e))});
  };
  for (EdgeId e : state_.in(id)) bind(e, state_[e].dst_connector);
  for (EdgeId e : state_.out(id)) bind(e, state_[e].src_connector);
  return [machine = &machine_, mapped = std::move(mapped), bound = std::move(bound),
          inner = std::move(inner)]() mutable {
    machine->step();
    for (Mapped& m : mapped) m.result = m.value();
    for (const Mapped& m : mapped) *m.slot = m.result;
    for (const Bound& b : bound) {
      b.outer->bind(*b.inner);
      b.inner->ready = false;
    }
    inner.run();
  };
}

}  // namespace sdfg::interpreter
