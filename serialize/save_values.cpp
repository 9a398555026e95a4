#include <algorithm>

#include "serialize/loader.h"
#include "serialize/saver.h"

namespace sdfg::detail {

using json::Value;

Value Saver::original(const Origin& origin) const {
  if (!source || origin.source != source_tag || origin.end <= origin.begin) return {};
  const Value found = source->at_offset(origin.begin);
  return found.valid() && found.end_offset() == origin.end ? found : Value();
}

bool Saver::copy_unchanged(const Origin& origin, std::size_t record) {
  if (!hashes || origin.source != source_tag || origin.end <= origin.begin) return false;
  const ContentHash& now = (*hashes)[record];
  if (now.value != origin.hash) return false;
  const std::string_view text = source->text().substr(origin.begin, origin.end - origin.begin);
  if (names_lost(text)) return false;
  out.append(text);
  next_cfg += now.graphs;
  return true;
}

bool Saver::names_lost(std::string_view text) const {
  if (lost.names.empty()) return false;
  const auto is_of_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (auto at = text.begin(); at != text.end();) {
    const auto begin = std::find_if(at, text.end(), is_of_word);
    at = std::find_if_not(begin, text.end(), is_of_word);
    if (lost.contains(std::string_view(begin, at))) return true;
  }
  return false;
}

Saver Saver::for_base() const {
  Saver base;
  base.keep = keep, base.plain = plain, base.from = from, base.to = to;
  base.own_only = true;
  base.printed_ = printed_;
  return base;
}

void Saver::symbolic(const Expr& e) {
  if (const auto integer = e.as_integer()) return quoted_integer(*integer);
  auto& known = (*printed_)[e.hash()];
  for (const auto& [expr, text] : known)
    if (expr.same(e) || expr == e) return raw(text);
  known.emplace_back(e, json::quoted(symbolic_text(e)));
  raw(known.back().second);
}

// ---- Carried text.

namespace {

/// Attributes, of elements that we carry, whose strings are symbolic expressions.
bool is_symbolic_attribute(std::string_view key) {
  constexpr std::string_view keys[] = {
      "a",         "alpha",       "beta",        "buffer_size", "end",         "exact_grid",
      "executions", "factor",     "index_ordering", "k",        "m",           "m_tile_size",
      "n",         "n_tile_size", "num_accesses", "num_pes",    "offset",      "root",
      "shape",     "size",        "start",       "start_offset", "step",       "strides",
      "subshape",  "symbol_mapping", "tensor_shape", "tile",    "total_size",  "value_count",
      "volume"};
  return std::ranges::binary_search(keys, key);
}

void write_converted(Saver& to, Value v, bool symbolic) {
  switch (v.kind()) {
    case json::Kind::String:
      if (symbolic) {
        if (const auto parsed = parse_symbolic(v.string(), to.from)) return to.symbolic(*parsed);
      }
      return to.raw(v.raw());
    case json::Kind::Array: {
      to.out += '[';
      bool first = true;
      for (Value item : v) {
        if (!first) to.out += ',';
        first = false;
        write_converted(to, item, symbolic);
      }
      to.out += ']';
      return;
    }
    case json::Kind::Object: {
      to.out += '{';
      bool first = true;
      for (Value member : v) {
        if (!first) to.out += ',';
        first = false;
        to.out += '"';
        to.raw(member.raw_key());
        to.raw("\":");
        write_converted(to, member,
                        to.from != to.to && (symbolic || is_symbolic_attribute(member.raw_key())));
      }
      to.out += '}';
      return;
    }
    default: return to.raw(v.raw());
  }
}

}  // namespace

void Saver::carried(std::string_view key, std::string_view json) {
  if (keep || (from == to && json.find('\n') == std::string_view::npos)) return raw(json);
  const auto tree = json::Tree::parse(json);
  if (!tree) return raw(json);
  write_converted(*this, tree->root(), from != to && is_symbolic_attribute(key));
}

const std::string* find_extra(const Extras& extras, std::string_view name) {
  for (const auto& [key, value] : extras)
    if (key == name) return &value;
  return nullptr;
}

// ---- Members.

namespace {
/// From here on it pays to make an order to search in.
constexpr std::size_t many_members = 32;
}  // namespace

Value Members::find_original(std::string_view name) {
  if (!original_.valid() || !original_.is_object()) return {};
  if (original_.size() < many_members) return original_.find(name);
  if (by_name_.empty())
    for (Value member : original_) by_name_.insert_or_assign(member.key(), member);
  const auto found = by_name_.find(std::string(name));
  return found == by_name_.end() ? Value() : found->second;
}

const Written* Members::find_base(std::string_view name) {
  const std::size_t count = base_ ? base_->members.size() : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = (next_base_ + i) % count;
    if (base_->members[at].name != name) continue;
    next_base_ = at + 1;
    return &base_->members[at];
  }
  return nullptr;
}

void Members::merge(std::string_view name, std::size_t before, std::size_t at, bool was_first) {
  mark(name);
  const Written* was = find_base(name);
  if (!was ||
      base_text_.substr(was->begin, was->end - was->begin) != std::string_view(to_.out).substr(at))
    return;
  // Nothing changed here, so the file's own words stay, or its silence.
  const Value original = find_original(name);
  const std::string_view now = std::string_view(to_.out).substr(at);
  if (original.valid() && (original.raw() == now || to_.names_lost(original.raw()))) return;
  if (original.valid()) {
    to_.out.resize(at);
    to_.raw(original.raw());
  } else {
    to_.out.resize(before);
    first_ = was_first;
  }
}

void Members::put_index(std::string_view name, std::optional<std::uint32_t> value, bool as_text) {
  if (to_.own_only) return;
  begin(name);
  const Value original = find_original(name);
  mark(name);
  if (original.valid() && read_index(original, ~0u) == value &&
      (value || original.is_null()))
    return to_.raw(original.raw());
  if (!value) return to_.raw("null");
  as_text ? to_.quoted_integer(*value) : to_.integer(*value);
}

void Members::close() {
  if (original_.valid()) {
    const bool many = done_.size() >= many_members;
    if (many) std::ranges::sort(done_);
    for (Value member : original_) {
      const std::string key = member.key();
      const bool done = many ? std::ranges::binary_search(done_, key)
                             : std::ranges::find(done_, key) != done_.end();
      // What we would have written then and do not now was taken away.
      if (done || find_base(key)) continue;
      begin(key);
      to_.raw(member.raw());
    }
  }
  to_.out += '}';
}

// ---- Values.

void write_value(Saver& to, bool v) { to.raw(v ? "true" : "false"); }
void write_value(Saver& to, std::int64_t v) { to.integer(v); }
void write_value(Saver& to, const std::string& v) { to.text(v); }
void write_value(Saver& to, const Expr& v) { to.symbolic(v); }

namespace {
void write_json_texts(Saver& to, const std::vector<std::string>& texts) {
  to.out += '[';
  bool first = true;
  for (const std::string& text : texts) {
    if (!first) to.out += ',';
    first = false;
    to.carried("", text);
  }
  to.out += ']';
}
}  // namespace

void write_value(Saver& to, const Type& v) {
  switch (v.base()) {
    case BaseType::Unknown: return to.raw("null");
    case BaseType::String: return to.raw("{\"type\":\"string\"}");
    case BaseType::Named: return to.text(v.compound().name);
    case BaseType::Pointer:
      to.raw("{\"type\":\"pointer\",\"dtype\":");
      write_value(to, v.compound().element);
      break;
    case BaseType::Vector:
      to.raw("{\"type\":\"vector\",\"dtype\":");
      write_value(to, v.compound().element);
      to.raw(",\"elements\":");
      to.text(v.compound().length);
      break;
    case BaseType::Opaque:
      to.raw("{\"type\":\"opaque\",\"ctype\":");
      to.text(v.compound().name);
      break;
    case BaseType::Struct: {
      const CompoundType& c = v.compound();
      to.raw("{\"type\":\"struct\",\"name\":");
      to.text(c.name);
      to.raw(",\"data\":[");
      bool first = true;
      for (const auto& [name, type] : c.members) {
        to.raw(first ? "[" : ",[");
        first = false;
        to.text(name);
        to.out += ',';
        write_value(to, type);
        to.out += ']';
      }
      to.raw("],\"length\":[");
      first = true;
      for (const auto& [name, length] : c.lengths) {
        to.raw(first ? "[" : ",[");
        first = false;
        to.text(name);
        to.out += ',';
        to.text(length);
        to.out += ']';
      }
      to.raw("],\"bytes\":");
      to.integer(c.bytes);
      break;
    }
    case BaseType::Callback:
      to.raw("{\"type\":\"callback\",\"arguments\":");
      write_json_texts(to, v.compound().arguments);
      to.raw(",\"returntypes\":");
      write_json_texts(to, v.compound().results);
      break;
    default: return to.text(v.text());
  }
  to.out += '}';
}

void write_value(Saver& to, const Code& v) {
  to.raw("{\"string_data\":");
  to.text(v.text());
  to.raw(",\"language\":");
  to.text(to_text(v.language()));
  to.out += '}';
}

void write_value(Saver& to, const DebugInfo& v) {
  to.raw("{\"type\":\"DebugInfo\"");
  const auto put = [&](std::string_view name, std::int64_t value) {
    to.raw(",\"");
    to.raw(name);
    to.raw("\":");
    to.integer(value);
  };
  if (to.plain) {
    // DaCe before version 2 needs all five.
    put("start_line", v.start_line.value_or(0));
    put("end_line", v.end_line.value_or(v.start_line.value_or(0)));
    put("start_column", v.start_column.value_or(0));
    put("end_column", v.end_column.value_or(0));
    to.raw(",\"filename\":");
    v.filename.empty() ? to.raw("null") : to.text(v.filename);
  } else {
    if (v.start_line) put("start_line", *v.start_line);
    if (v.end_line && v.end_line != v.start_line) put("end_line", *v.end_line);
    if (v.start_column.value_or(0) != 0) put("start_column", *v.start_column);
    if (v.end_column.value_or(0) != 0 && v.end_column != v.start_column)
      put("end_column", *v.end_column);
    if (!v.filename.empty()) {
      if (to.index_files) {
        put("file_index", to.index_of_file(v.filename));
      } else {
        to.raw(",\"filename\":");
        to.text(v.filename);
      }
    }
  }
  to.out += '}';
}

std::int64_t Saver::index_of_file(const std::string& name) {
  const auto [it, added] = file_index_.try_emplace(name, std::int64_t(files.size()));
  if (added) files.push_back(name);
  return it->second;
}

void write_value(Saver& to, const Range& v) {
  to.raw("{\"start\":");
  to.symbolic(v.begin);
  to.raw(",\"end\":");
  to.symbolic(v.end);
  to.raw(",\"step\":");
  to.symbolic(v.step);
  to.raw(",\"tile\":");
  to.symbolic(v.tile);
  to.out += '}';
}

void write_value(Saver& to, const std::vector<Range>& v) {
  to.raw("{\"type\":\"Range\",\"ranges\":[");
  bool first = true;
  for (const Range& range : v) {
    if (!first) to.out += ',';
    first = false;
    write_value(to, range);
  }
  to.raw("]}");
}

void write_value(Saver& to, const Subset& v) { write_value(to, v.ranges); }

void write_value(Saver& to, const OrderedMap<Expr>& v) {
  to.out += '{';
  bool first = true;
  for (const auto& [name, value] : v) {
    if (!first) to.out += ',';
    first = false;
    to.text(name);
    to.out += ':';
    to.text(value.is(Op::Opaque) ? value.name() : print_python(value));
  }
  to.out += '}';
}

}  // namespace sdfg::detail
