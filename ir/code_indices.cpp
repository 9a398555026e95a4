#include "ir/code_indices.h"

#include <algorithm>

namespace sdfg {

void CodeIndices::add(State& state) {
  for (NodeId n : state.nodes_of<Tasklet>()) {
    const Code& code = state.get<Tasklet>(n).code;
    if (code.text().find('[') == std::string::npos || !code.statements()) continue;
    const auto add = [&](EdgeId e, const std::string& connector) {
      if (const auto& subset = state[e].memlet.subset())
        indexed_.push_back({&state, n, e, connector, wide_dimensions(*subset)});
    };
    for (EdgeId e : state.in(n)) add(e, state[e].dst_connector);
    for (EdgeId e : state.out(n)) add(e, state[e].src_connector);
  }
}

void CodeIndices::settle() const {
  for (const Indexed& each : indexed_) drop_indices(each);
}

void CodeIndices::drop_indices(const Indexed& indexed) {
  State& state = *indexed.state;
  const auto wide = wide_dimensions(*state[indexed.edge].memlet.subset());
  if (wide.size() == indexed.dimensions.size()) return;
  Tasklet& tasklet = state.get<Tasklet>(indexed.tasklet);
  tasklet.code = rewrite(tasklet.code, [&](const Expr& e) {
    if (!e.is(Op::Subscript) || !e.arg(0).is_symbol(indexed.connector) ||
        e.args().size() != indexed.dimensions.size() + 1)
      return e;
    std::vector<Expr> left{e.arg(0)};
    for (std::size_t i = 0; i < indexed.dimensions.size(); ++i)
      if (std::ranges::find(wide, indexed.dimensions[i]) != wide.end())
        left.push_back(e.arg(i + 1));
    return left.size() == 1 ? e.arg(0) : Expr::make(Op::Subscript, std::move(left));
  });
  if (!wide.empty()) return;
  for (Connectors* connectors :
       {&state[indexed.tasklet].in_connectors, &state[indexed.tasklet].out_connectors})
    if (const auto found = connectors->find(indexed.connector);
        found != connectors->end() && found->second.is_pointer())
      found->second = found->second.element();
}

}  // namespace sdfg
