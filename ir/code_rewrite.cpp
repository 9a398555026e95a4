#include <algorithm>

#include "ir/analysis/expression_types.h"
#include "ir/analysis/free_symbols.h"
#include "ir/code.h"
#include "ir/replacer.h"
#include "ir/symbol_collector.h"

namespace sdfg {
namespace {

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool letter_or_digit(char c) { return letter(c) || (c >= '0' && c <= '9'); }

/// Calls on_word for the words of text that are not inside strings or comments, and on_other for
/// everything between. A word that follows a dot or an arrow is a member, not a name.
void for_each_piece(std::string_view text, const auto& on_word, const auto& on_other) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = at;
    if (letter(text[at])) {
      while (end < text.size() && letter_or_digit(text[end])) ++end;
      const bool member = (at > 0 && text[at - 1] == '.') ||
                          (at > 1 && text.substr(at - 2, 2) == "->") ||
                          (at > 1 && text.substr(at - 2, 2) == "::");
      if (member) on_other(text.substr(at, end - at));
      else on_word(text.substr(at, end - at));
    } else if (text[at] >= '0' && text[at] <= '9') {
      while (end < text.size() && (letter_or_digit(text[end]) || text[end] == '.')) ++end;
      on_other(text.substr(at, end - at));
    } else if (text[at] == '"' || text[at] == '\'') {
      for (++end; end < text.size() && text[end] != text[at]; ++end)
        if (text[end] == '\\') ++end;
      end = std::min(end + 1, text.size());
      on_other(text.substr(at, end - at));
    } else if (text.substr(at, 2) == "//") {
      end = std::min(text.find('\n', at), text.size());
      on_other(text.substr(at, end - at));
    } else if (text.substr(at, 2) == "/*") {
      const std::size_t close = text.find("*/", at + 2);
      end = close == std::string_view::npos ? text.size() : close + 2;
      on_other(text.substr(at, end - at));
    } else {
      on_other(text.substr(at, 1));
      end = at + 1;
    }
    at = end;
  }
}

// ---- Symbols that Python code reads.

class Reads {
 public:
  Reads(KnownNames known, const NameSink& sink) : known_(known), sink_(sink) {}

  void read(const Statements& all) {
    for (const Statement& s : all) std::visit([this](const auto& kind) { read(kind); }, s.kind);
  }

 private:
  using Names = std::set<std::string_view>;  ///< of the code's own strings

  void read(const Expr& e) {
    any_symbol(e, [&](const std::string& name) {
      if (!assigned_.contains(name)) sink_(name);
      return false;
    });
    called(e);
  }
  void called(const Expr& e) {
    if (detail::name_bits(e) == 0) return;
    if (e.is(Op::Call) && known_.find(e.name()) && !assigned_.contains(e.name()))
      sink_(e.name());
    for (const Expr& a : e.args()) called(a);
  }
  void assign(const Expr& target) {
    if (target.is(Op::Symbol)) {
      assigned_.insert(target.name());
    } else if (target.is(Op::Tuple) || target.is(Op::List)) {
      for (const Expr& t : target.args()) assign(t);
    } else {
      read(target);  // the container and its indices
    }
  }
  void read(const Assign& s) {
    if (s.only_declares()) return;
    read(s.value);
    if (s.augmented) read(s.target);
    assign(s.target);
  }
  void read(const ExprStatement& s) { read(s.value); }
  void read(const ReturnStatement& s) {
    if (s.value) read(*s.value);
  }
  void read(const IfStatement& s) {
    read(s.condition);
    const Names before = assigned_;
    read(s.then);
    const Names after_then = std::exchange(assigned_, before);
    read(s.otherwise);
    // Only what both sides assign is surely assigned.
    std::erase_if(assigned_, [&](std::string_view n) { return !after_then.contains(n); });
  }
  void read(const WhileStatement& s) {
    read(s.condition);
    loop_body(s.body);
  }
  void read(const ForStatement& s) {
    read(s.iterable);
    const Names before = assigned_;
    assign(s.target);
    read(s.body);
    assigned_ = before;
  }
  void loop_body(const Statements& body) {
    const Names before = assigned_;
    read(body);
    assigned_ = before;
  }
  void read(const PassStatement&) {}
  void read(const BreakStatement&) {}
  void read(const ContinueStatement&) {}

  KnownNames known_;
  const NameSink& sink_;
  Names assigned_;
};

// ---- Replacing.

void collect_assigned(const Statements& all, SymbolSet& out);
void collect_assigned(const Expr& target, SymbolSet& out) {
  if (target.is(Op::Symbol)) out.insert(target.name());
  if (target.is(Op::Tuple) || target.is(Op::List))
    for (const Expr& t : target.args()) collect_assigned(t, out);
}
void collect_assigned(const Statements& all, SymbolSet& out) {
  for (const Statement& s : all) {
    if (const auto* a = std::get_if<Assign>(&s.kind)) {
      collect_assigned(a->target, out);
    } else if (const auto* i = std::get_if<IfStatement>(&s.kind)) {
      collect_assigned(i->then, out);
      collect_assigned(i->otherwise, out);
    } else if (const auto* w = std::get_if<WhileStatement>(&s.kind)) {
      collect_assigned(w->body, out);
    } else if (const auto* f = std::get_if<ForStatement>(&s.kind)) {
      collect_assigned(f->target, out);
      collect_assigned(f->body, out);
    }
  }
}

class Replacer {
 public:
  /// `converted`: the values as they stand in arithmetic. `outputs`: names that have a type.
  Replacer(const Substitution& replacements, const Substitution& converted,
           const ByName<Type>* outputs)
      : replacements_(replacements), converted_(converted), outputs_(outputs) {}
  bool changed = false;

  void replace(Statements& all) {
    for (Statement& s : all) std::visit([this](auto& kind) { replace(kind); }, s.kind);
  }

 private:
  void replace(Expr& e) { set(e, in_arithmetic(e)); }
  void replace_as_is(Expr& e) { set(e, as_is(e)); }
  void set(Expr& e, Expr next) {
    changed |= !next.same(e);
    e = std::move(next);
  }
  Expr as_is(const Expr& e) const { return substitute_as_written(e, replacements_); }
  Expr in_arithmetic(const Expr& e) const {
    if (!outputs_ || e.args().empty() || e.is(Op::Lambda))
      return substitute_as_written(e, converted_);
    const bool cast = e.is(Op::Call) && conversion_type(e.name());
    if (cast || (e.is(Op::Call) && replacements_.contains(e.name()))) return as_is(e);
    std::vector<Expr> args;
    bool same = true;
    for (const Expr& arg : e.args()) {
      const bool index = e.is(Op::Subscript) && !args.empty();
      args.push_back(index ? as_is(arg) : in_arithmetic(arg));
      same = same && args.back().same(arg);
    }
    return same ? e : Expr::make(e.op(), std::move(args), e.name());
  }
  void replace(Assign& s) {
    const bool typed = outputs_ && s.target.is(Op::Symbol) && outputs_->contains(s.target.name());
    replace(s.target);
    typed && !s.augmented && s.value.is(Op::Symbol) ? replace_as_is(s.value) : replace(s.value);
    if (s.annotation) replace(*s.annotation);
  }
  void replace(ExprStatement& s) { replace(s.value); }
  void replace(ReturnStatement& s) {
    if (s.value) replace(*s.value);
  }
  void replace(IfStatement& s) {
    replace(s.condition);
    replace(s.then);
    replace(s.otherwise);
  }
  void replace(WhileStatement& s) {
    replace(s.condition);
    replace(s.body);
  }
  void replace(ForStatement& s) {
    replace(s.target);
    replace_as_is(s.iterable);
    replace(s.body);
  }
  void replace(PassStatement&) {}
  void replace(BreakStatement&) {}
  void replace(ContinueStatement&) {}

  const Substitution& replacements_;
  const Substitution& converted_;
  const ByName<Type>* outputs_;
};

/// Is the value in C++ what a symbol of the type would be? Small integers become `int` there.
bool has_type(const Expr& value, const Type& type, const ByName<Type>& mentioned) {
  const Type own = type_in_code(value, mentioned);
  if (!own.known() || !type.is_scalar() || own == type) return true;
  return value.is(Op::Integer) && type.is_integer() && *type.bytes() < 4 &&
         holds(type, value.value());
}

Substitution converted(const Substitution& replacements, const SymbolTypes& types) {
  Substitution out = replacements;
  for (auto& [name, value] : out)
    if (const auto type = types.replaced.find(name);
        type != types.replaced.end() && !has_type(value, type->second, types.mentioned))
      value = Expr::make(Op::Call, {value}, "dace." + type->second.text());
  return out;
}

std::string replaced_words(std::string_view text, const Substitution& replacements) {
  std::string out;
  for_each_piece(
      text,
      [&](std::string_view word) {
        const auto it = replacements.find(word);
        if (it == replacements.end()) {
          out += word;
        } else if (it->second.op() <= Op::Opaque && !it->second.is(Op::Integer)) {
          out += print_python(it->second);
        } else {
          out += '(' + print_python(it->second) + ')';
        }
      },
      [&](std::string_view other) { out += other; });
  return out;
}

}  // namespace

void collect_symbols(const Code& code, const SymbolSet& known, SymbolSet& out) {
  collect_symbols(code, known, into(out));
}
void collect_symbols(const Code& code, KnownNames known, const NameSink& sink) {
  if (const Statements* statements = code.statements()) return Reads(known, sink).read(*statements);
  for_each_piece(
      code.text(),
      [&](std::string_view word) {
        if (const std::string* name = known.find(word)) sink(*name);
      },
      [](std::string_view) {});
}

SymbolSet detail::assigned_names(const Statements& statements) {
  SymbolSet out;
  collect_assigned(statements, out);
  return out;
}

Substitution detail::occurring_in(std::string_view text, const Substitution& names) {
  Substitution out;
  sdfg::for_each_word(text, [&](std::string_view word) {
    if (const auto found = names.find(word); found != names.end()) out.insert(*found);
  });
  return out;
}

namespace {
Code substitute(const Code& code, const Substitution& replacements, const SymbolTypes* types,
                const ByName<Type>* outputs) {
  Substitution usable = detail::occurring_in(code.text(), replacements);
  if (usable.empty()) return code;
  const Statements* statements = code.statements();
  if (!statements) {
    std::string text = replaced_words(code.text(), usable);
    return text == code.text() ? code : Code(std::move(text), code.language());
  }
  // A name that the code assigns is its own; it can be renamed, but not become an expression.
  const SymbolSet assigned = detail::assigned_names(*statements);
  std::erase_if(usable, [&](const auto& entry) {
    return !entry.second.is(Op::Symbol) && assigned.contains(entry.first);
  });
  Statements copy = *statements;
  const Substitution typed = types ? converted(usable, *types) : usable;
  Replacer replacer(usable, typed, outputs);
  replacer.replace(copy);
  return replacer.changed ? Code::from(std::move(copy)) : code;
}
}  // namespace

Code substitute(const Code& code, const Substitution& replacements) {
  return substitute(code, replacements, nullptr, nullptr);
}
Code substitute(const Code& code, const Substitution& replacements, const SymbolTypes& types,
                const ByName<Type>& outputs) {
  return substitute(code, replacements, &types, &outputs);
}

namespace {

struct Rewriter {
  const std::function<Expr(const Expr&)>& rewrite;
  bool changed = false;

  void operator()(Expr& e) {
    std::vector<Expr> args(e.args().begin(), e.args().end());
    bool same = true;
    for (std::size_t i = 0; i < args.size(); ++i) {
      (*this)(args[i]);
      same = same && args[i].same(e.arg(i));
    }
    const Expr rebuilt = same ? e : Expr::make(e.op(), std::move(args), e.name());
    const Expr after = rewrite(rebuilt);
    changed = changed || !after.same(e);
    e = after;
  }
  void operator()(Statements& all) {
    for (Statement& s : all) std::visit(*this, s.kind);
  }
  void operator()(Assign& s) { (*this)(s.target), (*this)(s.value); }
  void operator()(ExprStatement& s) { (*this)(s.value); }
  void operator()(IfStatement& s) { (*this)(s.condition), (*this)(s.then), (*this)(s.otherwise); }
  void operator()(WhileStatement& s) { (*this)(s.condition), (*this)(s.body); }
  void operator()(ForStatement& s) { (*this)(s.target), (*this)(s.iterable), (*this)(s.body); }
  void operator()(ReturnStatement& s) {
    if (s.value) (*this)(*s.value);
  }
  void operator()(PassStatement&) {}
  void operator()(BreakStatement&) {}
  void operator()(ContinueStatement&) {}
};

}  // namespace

Code rewrite(const Code& code, const std::function<Expr(const Expr&)>& rewrite) {
  const Statements* statements = code.statements();
  if (!statements) return code;
  Statements copy = *statements;
  Rewriter rewriter{rewrite};
  rewriter(copy);
  return rewriter.changed ? Code::from(std::move(copy)) : code;
}

}  // namespace sdfg
