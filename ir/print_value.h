#pragma once

// Writes the pieces of the text form: names, values, trailing lists, broken lines. Internal.

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "ir/text_form.h"

namespace sdfg::detail {

class TextWriter {
 public:
  std::string take() { return std::move(out_); }
  bool details = true;    ///< false leaves out debuginfo, guid and unknown attributes
  bool one_line = false;  ///< never break a line

  // ---- Lines.
  void begin_line(std::size_t indent);
  void end_line() { out_ += '\n'; }
  void text(std::string_view s) { out_ += s; }
  /// Could so much more stand on this line?
  bool fits(std::size_t characters) const;

  /// Writes items with ", " between them; an item that would leave the page starts a new line.
  template <class Items, class F>
  void list(char open, char close, const Items& items, F&& write_item) {
    out_ += open;
    bool first = true;
    for (const auto& item : items) {
      separate(first);
      open_items_.push_back(out_.size());
      write_item(item);
      end_item();
    }
    out_ += close;
  }

  // ---- Values.
  void name(std::string_view s);  ///< bare or quoted
  void quoted(std::string_view s);
  void integer(std::uint64_t i);
  void expr(const Expr& e, std::string_view stops = ",");
  void python(const Expr& e);  ///< as written
  void range(const Range& r);
  void subset(const Subset& s);
  void code(const Code& c);       ///< "text", or LANGUAGE "text"
  void json(std::string_view s);  ///< bare or raw "text"
  void type(const Type& t);
  /// `float64[N, M] {strides = …}`. `transient` is what the surrounding line already says.
  void data(const Data& d, bool transient);

  void value(bool b) { text(b ? "true" : "false"); }
  void value(std::int64_t i);
  void value(const std::string& s) { quoted(s); }
  void value(const Expr& e) { expr(e); }
  void value(const Code& c) { code(c); }
  void value(const Type& t) { type(t); }
  void value(const Range& r) { range(r); }
  void value(const Subset& s) { subset(s); }
  void value(Dialect d) { text(dialect_names[std::size_t(d)]); }
  void value(ControlFlowRegion::Flavor f) { text(flavor_names[std::size_t(f)]); }
  void value(const DebugInfo& d) {
    const ListScope scope(*this);
    static const DebugInfo defaults;
    fields(d, defaults, DebugInfo::properties);
  }
  void value(const Extras& extras) {
    list('{', '}', extras, [&](const auto& e) { entry(e.first, [&] { json(e.second); }); });
  }
  template <NamedEnum E>
  void value(E e) {
    text(to_text(e));
  }
  template <Optional O>
  void value(const O& o) {
    if (o)
      value(*o);
    else
      text("none");
  }
  template <class T, class Default>
  void value(const Rare<T, Default>& r) {
    value(*r);
  }
  template <class T>
  void value(const std::vector<T>& v) {
    list('[', ']', v, [&](const T& item) { value(item); });
  }
  template <class K, class V, class C>
  void value(const std::map<K, V, C>& m) {
    list('{', '}', m, [&](const auto& e) { entry(e.first, [&] { value(e.second); }); });
  }
  void value(const OrderedMap<Expr>& m) {
    list('{', '}', m, [&](const auto& e) { entry(e.first, [&] { python(e.second); }); });
  }

  // ---- Trailing lists: `{key = value, …}`, or nothing when it has no entries.
  /// While one lives, `field` adds to its list.
  class ListScope {
   public:
    /// Always prints braces.
    explicit ListScope(TextWriter& w) : ListScope(w, true) {}
    ~ListScope() {
      if (writer_.list_open_) writer_.out_ += '}';
      writer_.list_open_ = outer_open_, writer_.list_empty_ = outer_empty_;
    }
    ListScope(const ListScope&) = delete;
    ListScope& operator=(const ListScope&) = delete;

   private:
    friend class TextWriter;
    ListScope(TextWriter& w, bool braces)
        : writer_(w), outer_open_(w.list_open_), outer_empty_(w.list_empty_) {
      w.list_open_ = braces, w.list_empty_ = true;
      if (braces) w.out_ += '{';
    }
    TextWriter& writer_;
    bool outer_open_, outer_empty_;
  };
  /// Prints braces, after a blank, once there is a field.
  ListScope trailing() { return ListScope(*this, false); }

  template <class F>
  void field(std::string_view key, F&& write_value) {
    if (!list_open_) out_ += " {", list_open_ = true;
    separate(list_empty_);
    open_items_.push_back(out_.size());
    entry(key, write_value);
    end_item();
  }
  /// One entry for each field that differs from the default.
  template <class T, class Fields>
  void fields(const T& object, const T& defaults, const Fields& all,
              std::initializer_list<std::string_view> shown = {}) {
    const auto show = [&](const auto& p) {
      if (object.*(p.member) == defaults.*(p.member)) return;
      if (std::ranges::find(shown, p.name) != shown.end()) return;
      if (!details && is_detail(p.name)) return;
      field(p.name, [&] { value(object.*(p.member)); });
    };
    all([&](const auto&... p) { (show(p), ...); });
  }

 private:
  static bool is_detail(std::string_view key) {
    return key == "debuginfo" || key == "guid" || key == "extras" || key == "edge_extras" ||
           key == "root_extras" || key == "dace_version" || key == "dialect";
  }
  template <class F>
  void entry(std::string_view key, F&& write_value) {
    name(key);
    out_ += " = ";
    write_value();
  }
  void separate(bool& first) {
    if (!first) out_ += ", ";
    first = false;
  }
  /// Closes the innermost open item. When the line has become too long, it is broken before the
  /// outermost open item that began on it.
  void end_item();

  std::string out_;
  std::size_t line_start_ = 0;           ///< of the line being written
  std::size_t item_start_ = 0;           ///< where the line's first item may begin
  std::size_t indent_ = 0;               ///< of the line's continuations
  std::vector<std::size_t> open_items_;  ///< where they began, outermost first
  bool list_open_ = false, list_empty_ = true;
};

}  // namespace sdfg::detail
