#include "codegen/block_locals.h"

#include <utility>
#include <vector>

namespace sdfg {
namespace {

class Finder {
 public:
  SymbolSet found;

  void walk(const Statements& statements) {
    for (const Statement& s : statements) std::visit([this](const auto& k) { walk(k); }, s.kind);
  }
  /// What is read in the first values of those found has to be there, too.
  void close() {
    for (auto first = first_values_.rbegin(); first != first_values_.rend(); ++first)
      if (found.contains(first->first))
        for (const std::string& name : free_symbols(*first->second))
          if (inner_.contains(name)) found.insert(name);
  }

 private:
  void read(const Expr& e) {
    for (const std::string& name : free_symbols(e))
      if (assigned_.contains(name) && !visible_.contains(name)) found.insert(name);
  }
  void assign(const std::string& name) {
    assigned_.insert(name);
    if (!visible_.insert(name).second) return;
    if (depth_ > 0) inner_.insert(name);
    in_block_.push_back(name);
  }
  void block(const Statements& body) {
    const std::size_t outer = in_block_.size();
    ++depth_;
    walk(body);
    --depth_;
    for (; in_block_.size() > outer; in_block_.pop_back()) visible_.erase(in_block_.back());
  }
  /// The next iteration reads what this one has assigned.
  void loop(const Statements& body) {
    for (const Statement& s : body)
      for_each_target(s, [&](const std::string& name) { assigned_.insert(name); });
    block(body);
  }

  void walk(const Assign& a) {
    if (!a.only_declares()) read(a.value);
    if (a.augmented || a.target.is(Op::Subscript) || a.target.is(Op::Attribute)) read(a.target);
    for_each_target(a.target, [&](const std::string& name) {
      if (a.annotation) found.insert(name);
      if (!assigned_.contains(name)) first_values_.emplace_back(name, &a.value);
      assign(name);
    });
  }
  void walk(const ExprStatement& e) { read(e.value); }
  void walk(const IfStatement& i) {
    read(i.condition);
    block(i.then);
    block(i.otherwise);
  }
  void walk(const WhileStatement& w) {
    read(w.condition);
    loop(w.body);
  }
  void walk(const ForStatement& f) {
    read(f.iterable);
    const std::size_t outer = in_block_.size();
    ++depth_;
    for_each_target(f.target, [&](const std::string& name) { assign(name); });
    loop(f.body);
    --depth_;
    for (; in_block_.size() > outer; in_block_.pop_back()) visible_.erase(in_block_.back());
  }
  void walk(const ReturnStatement& r) {
    if (r.value) read(*r.value);
  }
  void walk(const PassStatement&) {}
  void walk(const BreakStatement&) {}
  void walk(const ContinueStatement&) {}

  SymbolSet assigned_;                ///< so far, anywhere
  SymbolSet inner_;                   ///< in an inner block
  SymbolSet visible_;                 ///< in this block and those around it
  std::vector<std::string> in_block_; ///< what became visible, in order
  std::vector<std::pair<std::string, const Expr*>> first_values_;
  int depth_ = 0;
};

}  // namespace

void for_each_target(const Expr& target, const NameSink& visit) {
  if (target.is(Op::Symbol)) visit(target.name());
  if (target.is(Op::Tuple) || target.is(Op::List))
    for (const Expr& part : target.args()) for_each_target(part, visit);
}

void for_each_target(const Statement& statement, const NameSink& visit) {
  const auto all = [&](const Statements& body) {
    for (const Statement& s : body) for_each_target(s, visit);
  };
  if (const auto* a = std::get_if<Assign>(&statement.kind)) {
    for_each_target(a->target, visit);
  } else if (const auto* i = std::get_if<IfStatement>(&statement.kind)) {
    all(i->then), all(i->otherwise);
  } else if (const auto* w = std::get_if<WhileStatement>(&statement.kind)) {
    all(w->body);
  } else if (const auto* f = std::get_if<ForStatement>(&statement.kind)) {
    for_each_target(f->target, visit), all(f->body);
  }
}

SymbolSet locals_of_all_blocks(const Statements& code) {
  Finder finder;
  finder.walk(code);
  finder.close();
  return std::move(finder.found);
}

}  // namespace sdfg
