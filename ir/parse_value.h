#pragma once

// Reads the pieces of the text form: lines, names, values, trailing lists. Internal.

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/text_form.h"

namespace sdfg::detail {

/// A cursor over the text. The first error sticks and moves the cursor to the end, so that every
/// loop stops and every read after it returns something empty: callers need not check.
class TextReader {
 public:
  explicit TextReader(std::string_view text) : text_(text) { next_line(); }

  // ---- Errors.
  bool ok() const { return !error_; }
  const Diagnostic& error() const { return *error_; }
  /// "expected EXPECTED, found …" at the cursor.
  void expected(std::string_view what);
  void fail(std::size_t at, std::string message, std::string hint = {});

  // ---- Lines. `indent` is that of the current line; it is 0 and `at_end` holds after the last.
  bool at_end() const { return at_ >= text_.size(); }
  std::size_t indent() const { return indent_; }
  std::size_t at() const { return at_; }
  /// Requires the end of the line and moves to the first character of the next that is not blank
  /// and no comment.
  void end_line();
  bool at_line_end();

  // ---- Tokens. Blanks before a token are skipped; inside brackets line ends are blanks.
  bool peek(std::string_view token);  ///< punctuation, or a whole word
  bool accept(std::string_view token);
  bool accept_prefix(char c);  ///< a character at the cursor, whatever follows
  /// A place to return to, for one token of look-ahead.
  using Mark = std::size_t;
  Mark mark() const { return at_; }
  void go_back(Mark mark) { at_ = mark; }
  void expect(std::string_view token);
  std::string_view word();  ///< letters, digits, `_`; may be empty
  bool at_name();
  std::string name();    ///< bare (dotted) or quoted
  std::string string();  ///< quoted
  std::uint32_t number();
  std::int64_t integer();
  /// `open item, item close`; the items may be none.
  template <class F>
  void list(std::string_view open, std::string_view close, F&& read_item) {
    expect(open);
    ++depth_;
    while (ok() && !peek(close)) {
      read_item();
      if (!peek(close) && !accept(",")) expected("',' or '" + std::string(close) + "'");
    }
    --depth_;
    expect(close);
  }
  /// `{key = value, …}`; read_value(key) reads the value and says whether it knows the key.
  template <class F>
  void entries(F&& read_value) {
    list("{", "}", [&] {
      const std::size_t start = skip();
      const std::string key = name();
      expect("=");
      if (ok() && !read_value(key)) unknown_key(start, key);
    });
  }
  /// The same, when there is one at all.
  template <class F>
  void trailing(F&& read_value) {
    if (peek("{")) entries(read_value);
  }

  // ---- Values.
  Expr expr(std::string_view stops = ",");
  Expr python();
  Range range();
  Subset subset();
  Code code();
  /// What follows a tasklet's colon up to its trailing list; true when the text comes after the
  /// line, to be read by here_block.
  bool code_head(Code& c, Language& language);
  /// Requires the end of the line, then reads the lines that start with "|".
  std::string here_block();
  std::string json();
  Type type();
  Data data(bool transient);
  Extras extras();

  void value(bool& b);
  void value(std::int64_t& i) { i = integer(); }
  void value(std::string& s) { s = string(); }
  void value(Expr& e) { e = expr(); }
  void value(Code& c) { c = code(); }
  void value(Type& t) { t = type(); }
  void value(Range& r) { r = range(); }
  void value(Subset& s) { s = subset(); }
  void value(Extras& e) { e = extras(); }
  void value(Dialect& d) { d = Dialect(one_of(dialect_names)); }
  void value(ControlFlowRegion::Flavor& f) { f = ControlFlowRegion::Flavor(one_of(flavor_names)); }
  void value(DebugInfo& d) {
    entries([&](std::string_view key) { return field(key, d, DebugInfo::properties); });
  }
  template <NamedEnum E>
  void value(E& e) {
    e = E(one_of(names<E>));
  }
  template <Optional O>
  void value(O& o) {
    o.reset();
    if (accept("none")) return;
    typename O::value_type inner{};
    value(inner);
    o = std::move(inner);
  }
  template <class T, class Default>
  void value(Rare<T, Default>& r) {
    T inner{};
    value(inner);
    r = std::move(inner);
  }
  template <class T>
  void value(std::vector<T>& v) {
    v.clear();
    list("[", "]", [&] { value(v.emplace_back()); });
  }
  template <class K, class V, class C>
  void value(std::map<K, V, C>& m) {
    m.clear();
    entries([&](const std::string& key) {
      value(m[key]);
      return true;
    });
  }
  void value(OrderedMap<Expr>& m) {
    entries([&](const std::string& key) {
      m.set(key, python());
      return true;
    });
  }

  /// Reads the value of the field with that name; false when there is none.
  template <class T, class Fields>
  bool field(std::string_view key, T& object, const Fields& all) {
    return all([&](const auto&... p) {
      return ((p.name == key ? (value(object.*(p.member)), known(p.name)) : known_not(p.name)) ||
              ...);
    });
  }

  /// Counts how deep what is being read is nested, and fails before the stack ends.
  class Nesting {
   public:
    explicit Nesting(TextReader& reader) : reader_(reader) {
      if (++reader_.nesting_ > max_nesting) reader_.fail(reader_.at_, "nested too deeply");
    }
    ~Nesting() { --reader_.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    TextReader& reader_;
  };

 private:
  static constexpr std::size_t max_nesting = 100'000;

  std::size_t skip();  ///< moves to the next token and returns its place
  void next_line();
  template <class Names>
  std::size_t one_of(const Names& all) {
    const std::size_t start = skip();
    const std::string_view found = word();
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] == found) return i;
    if (ok()) unknown_word(start, found, std::vector<std::string_view>(all.begin(), all.end()));
    return 0;
  }
  bool known(std::string_view) { return candidates_.clear(), true; }
  bool known_not(std::string_view key) { return candidates_.push_back(key), false; }
  void unknown_key(std::size_t at, std::string_view key);
  void unknown_word(std::size_t at, std::string_view word, std::vector<std::string_view> all);
  void quoted(std::string& out);
  Expr parsed(std::size_t at, std::string_view text, bool python);

  std::string_view text_;
  std::size_t at_ = 0, indent_ = 0;
  std::size_t depth_ = 0;  ///< of brackets: inside them line ends are blanks
  std::size_t nesting_ = 0;
  std::optional<Diagnostic> error_;
  std::vector<std::string_view> candidates_;                ///< keys that were tried in vain
  std::unordered_map<std::string_view, Expr> expressions_;  ///< texts already parsed
};

}  // namespace sdfg::detail
