#include "ir/parse.h"

#include <algorithm>

#include "ir/parser.h"

namespace sdfg {
namespace detail {

Result<Sdfg> Parser::run() {
  if (!r_.peek("sdfg")) r_.expected("'sdfg'");
  Sdfg s = sdfg();
  if (r_.ok() && !r_.at_end()) r_.expected("the end of the text");
  if (!r_.ok()) return r_.error();
  return s;
}

std::uint32_t Parser::next_id(std::size_t at, std::size_t bound,
                              std::optional<std::uint32_t> given) {
  ++elements_;
  if (!given) return std::uint32_t(bound);
  // Erased ids cost memory, so a text may not invent too many of them.
  const std::size_t limit = (std::size_t(1) << 20) + 1024 * elements_;
  if (*given < bound)
    r_.fail(at, "id " + std::to_string(*given) + " is taken or not in order",
            "the next free id is " + std::to_string(bound));
  else if (*given > limit)
    r_.fail(at, "id " + std::to_string(*given) + " is too large");
  return *given;
}

// ---- SDFGs.

Sdfg Parser::sdfg() {
  const TextReader::Nesting nesting(r_);
  Sdfg s;
  if (!r_.ok()) return s;
  const std::size_t indent = r_.indent();
  r_.expect("sdfg");
  s.name = r_.name();
  r_.list("(", ")", [&] {
    const std::size_t at = r_.at();
    std::string name = r_.name();
    r_.expect(":");
    Data data = r_.data(false);
    if (r_.ok() && !s.arrays.insert(name, std::move(data)))
      r_.fail(at, "container '" + name + "' is declared twice");
  });
  Start start;
  r_.trailing([&](const std::string& key) {
    return start_field(key, start) || r_.field(key, s, sdfg_fields);
  });
  r_.end_line();
  sdfg_body(s, start, indent);
  return s;
}

void Parser::sdfg_body(Sdfg& s, const Start& start, std::size_t indent) {
  PendingRegion pending{s};
  while (r_.ok() && !r_.at_end() && r_.indent() > indent)
    if (!declaration(s)) region_item(pending);
  finish_region(pending, start);
}

bool Parser::declaration(Sdfg& s) {
  for (std::string_view keyword : {"symbol", "constant", "data", "transient"}) {
    if (!r_.peek(keyword)) continue;
    const TextReader::Mark mark = r_.mark();
    r_.expect(keyword);
    if (r_.peek("->")) {  // a block's label
      r_.go_back(mark);
      return false;
    }
    const std::size_t at = r_.at();
    std::string name = r_.name();
    const std::string quoted = "'" + name + "'";
    r_.expect(":");
    bool fresh = true;
    if (keyword == "symbol") {
      fresh = s.symbols.emplace(std::move(name), r_.type()).second;
    } else if (keyword == "constant") {
      Constant constant{r_.data(false), {}};
      r_.expect("=");
      constant.value = r_.json();
      fresh = s.constants.insert(std::move(name), std::move(constant));
    } else {
      fresh = s.arrays.insert(std::move(name), r_.data(keyword == "transient"));
    }
    if (r_.ok() && !fresh) r_.fail(at, std::string(keyword) + " " + quoted + " is declared twice");
    r_.end_line();
    return true;
  }
  return false;
}

// ---- Regions.

void Parser::region_body(Region& region, const Start& start, std::size_t indent) {
  const TextReader::Nesting nesting(r_);
  PendingRegion pending{region};
  while (r_.ok() && !r_.at_end() && r_.indent() > indent) region_item(pending);
  finish_region(pending, start);
}

void Parser::region_item(PendingRegion& pending) {
  for (std::string_view keyword :
       {"state", "region", "loop", "conditional", "break", "continue", "return", "block"}) {
    if (!r_.peek(keyword)) continue;
    const TextReader::Mark mark = r_.mark();
    r_.expect(keyword);
    if (!r_.peek("->")) return block(pending, keyword);
    r_.go_back(mark);
  }
  if (!r_.at_name() && !r_.peek("#")) return r_.expected("a block or an edge between blocks");
  transition(pending);
}

void Parser::finish_region(PendingRegion& pending, const Start& start) {
  if (!r_.ok()) return;
  Region& region = pending.region;
  for (BlockId id : region.nodes()) pending.labels.emplace(region[id].label, id);
  for (PendingTransition& t : pending.edges) {
    const BlockId from = resolve(pending, t.from), to = resolve(pending, t.to);
    const std::uint32_t id = next_id(t.from.at, region.edge_id_bound(), t.id);
    if (!r_.ok()) return;
    region.skip_edge_ids(id);
    region.connect(from, to, std::move(t.edge));
  }
  apply_orders(region, pending.orders);
  if (!start.given) {
    if (region.node_count()) region.start_block = *region.nodes().begin();
  } else if (start.block) {
    // The stored start may name a block that is not there: the verifier says so.
    region.start_block = start.block->id ? *start.block->id : resolve(pending, *start.block);
  }
}

BlockId Parser::resolve(const PendingRegion& pending, const BlockRef& ref) {
  if (!r_.ok()) return {};
  if (ref.id) {
    if (!pending.region.contains(*ref.id))
      r_.fail(ref.at, "there is no block #" + std::to_string(ref.id->value) + " in this region");
    return *ref.id;
  }
  const auto [begin, end] = pending.labels.equal_range(ref.label);
  if (begin == end)
    r_.fail(ref.at, "there is no block '" + ref.label + "' in this region");
  else if (std::next(begin) != end)
    r_.fail(ref.at, "several blocks are labelled '" + ref.label + "'",
            "say which by its number: #" + std::to_string(begin->second.value));
  return begin == end ? BlockId{} : begin->second;
}

Parser::BlockRef Parser::block_ref() {
  r_.at_line_end();  // skips blanks, so that the place is right
  BlockRef ref{r_.at(), {}, {}};
  if (r_.accept("#"))
    ref.id = BlockId{r_.number()};
  else
    ref.label = r_.name();
  return ref;
}

bool Parser::start_field(std::string_view key, Start& start) {
  if (key != "start") return false;
  start.given = true;
  if (!r_.accept("none")) start.block = block_ref();
  return true;
}

void Parser::block(PendingRegion& pending, std::string_view keyword) {
  const std::size_t indent = r_.indent(), at = r_.at();
  Block b;
  if (keyword == "region") b.kind = ControlFlowRegion{};
  if (keyword == "loop") b.kind = LoopRegion{};
  if (keyword == "conditional") b.kind = ConditionalBlock{};
  if (keyword == "break") b.kind = BreakBlock{};
  if (keyword == "continue") b.kind = ContinueBlock{};
  if (keyword == "return") b.kind = ReturnBlock{};
  if (keyword == "block") b.kind = OtherBlock{r_.string()};
  b.label = r_.name();
  if (auto* loop = b.as<LoopRegion>()) loop_head(*loop);
  // Other fields follow before the id is known, so orders get their node afterwards.
  std::optional<std::uint32_t> id;
  BlockOrders orders;
  finish_block(b, indent, [&](std::string_view key) {
    if (key == "id") {
      id = r_.number();
      return true;
    }
    return order_field(key, BlockId{}, orders);
  });
  const std::uint32_t number = next_id(at, pending.region.id_bound(), id);
  if (!r_.ok()) return;
  pending.region.skip_node_ids(number);
  const BlockId added = pending.region.add(std::move(b));
  for (auto& order : orders.all) {
    order.node = added;
    pending.orders.all.push_back(std::move(order));
  }
}

template <class F>
void Parser::finish_block(Block& b, std::size_t indent, F&& more) {
  Start start;
  r_.trailing([&](const std::string& key) {
    if (b.region() && start_field(key, start)) return true;
    if (r_.field(key, b, block_fields)) return true;
    const bool known = std::visit(
        [&](auto& kind) {
          return r_.field(key, kind, kind_fields<std::remove_cvref_t<decltype(kind)>>());
        },
        b.kind);
    return known || more(key);
  });
  r_.end_line();
  if (auto* state = b.as<State>()) return state_body(*state, indent);
  if (auto* conditional = b.as<ConditionalBlock>()) return conditional_body(*conditional, indent);
  if (Region* inner = b.region()) region_body(*inner, start, indent);
}

void Parser::loop_head(LoopRegion& loop) {
  if (r_.accept("(")) {
    loop.loop_variable = r_.name();
    r_.expect(")");
  }
  if (r_.accept("from")) loop.init_statement = r_.code();
  if (r_.accept("while")) loop.loop_condition = r_.code();
  if (r_.accept("next")) loop.update_statement = r_.code();
}

void Parser::conditional_body(ConditionalBlock& c, std::size_t indent) {
  const TextReader::Nesting nesting(r_);
  while (r_.ok() && !r_.at_end() && r_.indent() > indent) {
    const std::size_t branch_indent = r_.indent();
    r_.expect("branch");
    Branch branch{std::nullopt, Block{"", ControlFlowRegion{}}};
    branch.block.label = r_.name();
    if (r_.accept("if")) branch.condition = r_.code();
    finish_block(branch.block, branch_indent, [](std::string_view) { return false; });
    c.branches.push_back(std::move(branch));
  }
}

void Parser::transition(PendingRegion& pending) {
  PendingTransition t;
  const TextReader::Mark begin = r_.mark();
  t.from = block_ref();
  if (r_.ok() && !r_.peek("->")) {
    r_.go_back(begin);
    return r_.expected("a kind of block (state, region, loop, conditional, …) or an edge a -> b");
  }
  r_.expect("->");
  t.to = block_ref();
  if (r_.accept("if")) t.edge.condition = r_.code();
  if (r_.accept("set")) {
    do {
      std::string name = r_.name();
      r_.expect("=");
      t.edge.assignments.set(std::move(name), r_.python());
    } while (r_.ok() && r_.accept(","));
  }
  r_.trailing([&](const std::string& key) {
    if (key != "id") return r_.field(key, t.edge, interstate_fields);
    t.id = r_.number();
    return true;
  });
  r_.end_line();
  pending.edges.push_back(std::move(t));
}

}  // namespace detail

Result<Sdfg> parse(std::string_view text) {
  std::string lines;  // as they end on Windows
  for (std::size_t end; (end = text.find("\r\n")) != text.npos; text.remove_prefix(end + 1))
    lines += text.substr(0, end);
  if (!lines.empty()) text = lines += text;
  return detail::Parser(text).run();
}

}  // namespace sdfg
