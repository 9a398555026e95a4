#include "ir/builder.h"

#include <algorithm>

#include "ir/subset.h"
#include "support/text.h"

namespace sdfg {

// ---- Control flow.

std::string RegionBuilder::fresh_label(std::string_view base, std::string label) const {
  if (!label.empty()) return label;
  return std::string(base) + "_" + std::to_string(region_->id_bound());
}

Block& RegionBuilder::append(Block block, InterstateEdge edge) {
  const BlockId id = region_->add(std::move(block));
  if (last_)
    region_->connect(last_, id, std::move(edge));
  else
    region_->start_block = id;
  last_ = id;
  return (*region_)[id];
}

StateBuilder RegionBuilder::state(std::string label) {
  Block& block = append(Block{fresh_label("state", std::move(label)), State{}});
  return StateBuilder(*sdfg_, *block.as<State>());
}

RegionBuilder RegionBuilder::loop(const std::string& variable, std::string_view init,
                                  std::string_view condition, std::string_view next,
                                  std::string label) {
  sdfg_->using_explicit_control_flow = true;
  LoopRegion loop;
  loop.loop_variable = variable;
  loop.init_statement = Code(variable + " = " + std::string(init));
  loop.loop_condition = Code(std::string(condition));
  loop.update_statement = Code(variable + " = " + std::string(next));
  sdfg_->symbols.try_emplace(variable, BaseType::Int64);
  Block& block = append(Block{fresh_label("for_" + variable, std::move(label)), std::move(loop)});
  return RegionBuilder(*sdfg_, *block.region());
}

RegionBuilder RegionBuilder::while_loop(std::string_view condition, std::string label) {
  sdfg_->using_explicit_control_flow = true;
  LoopRegion loop;
  loop.loop_condition = Code(std::string(condition));
  Block& block = append(Block{fresh_label("while", std::move(label)), std::move(loop)});
  return RegionBuilder(*sdfg_, *block.region());
}

ConditionalBuilder RegionBuilder::conditional(std::string label) {
  sdfg_->using_explicit_control_flow = true;
  return ConditionalBuilder(*sdfg_,
                            append(Block{fresh_label("if", std::move(label)), ConditionalBlock{}}));
}

void RegionBuilder::assign(const std::vector<std::pair<std::string, std::string>>& assignments) {
  if (!last_) state();
  InterstateEdge edge;
  for (const auto& [symbol, value] : assignments) {
    edge.assignments.set(symbol, *parse_python(value));
    sdfg_->symbols.try_emplace(symbol, BaseType::Int64);
  }
  append(Block{fresh_label("assigned"), State{}}, std::move(edge));
}

RegionBuilder ConditionalBuilder::add(std::optional<Code> condition) {
  std::vector<Branch>& branches = block_->as<ConditionalBlock>()->branches;
  const std::string label = block_->label + "_branch_" + std::to_string(branches.size());
  branches.push_back({std::move(condition), Block{label, ControlFlowRegion{}}});
  return RegionBuilder(*sdfg_, branches.back().region());
}

RegionBuilder ConditionalBuilder::branch(std::string_view condition) {
  return add(Code(std::string(condition)));
}

RegionBuilder ConditionalBuilder::otherwise() { return add(std::nullopt); }

// ---- Containers.

Builder::Builder(std::string name) : Builder(std::make_unique<Sdfg>()) {
  owned_->name = std::move(name);
}

Builder::Builder(std::unique_ptr<Sdfg> owned)
    : RegionBuilder(*owned, *owned), owned_(std::move(owned)) {}

void Builder::symbol(const std::string& name, Type type) {
  owned_->symbols[name] = std::move(type);
}

Data& Builder::add(const std::string& name, Data data) {
  SDFG_ASSERT(!owned_->arrays.contains(name)) << "container '" << name << "' is declared twice";
  return owned_->arrays.set(name, std::move(data));
}

namespace {
std::vector<Expr> parse_shape(std::string_view text) {
  const Subset parsed = *parse_subset(text);
  std::vector<Expr> shape;
  for (const Range& r : parsed.ranges) {
    SDFG_ASSERT(r.is_index()) << "shape '" << std::string(text) << "'";
    shape.push_back(r.begin);
  }
  return shape;
}
}  // namespace

Data& Builder::array(const std::string& name, Type type, std::string_view shape) {
  return add(name, Data::array(std::move(type), parse_shape(shape)));
}
Data& Builder::transient(const std::string& name, Type type, std::string_view shape) {
  return add(name, Data::array(std::move(type), parse_shape(shape), true));
}
Data& Builder::scalar(const std::string& name, Type type, bool transient) {
  return add(name, Data::scalar(std::move(type), transient));
}
void Builder::constant(const std::string& name, Data data, std::string value) {
  owned_->constants.set(name, Constant{std::move(data), std::move(value)});
}

}  // namespace sdfg
