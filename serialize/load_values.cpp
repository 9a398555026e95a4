#include <charconv>

#include "ir/subset.h"
#include "serialize/loader.h"

namespace sdfg::detail {

using json::Value;

std::string Loader::path(Value at) const {
  std::string own = tree->path(at);
  if (path_prefix.empty() || own.empty() || own.front() == '[') return path_prefix + own;
  return path_prefix + "." + own;
}

bool Loader::fail(Value at, std::string_view expected) {
  return fail_with(at, "expected " + std::string(expected) + ", found " + describe(at));
}

bool Loader::fail_with(Value at, std::string message, std::string hint) {
  if (!error) error = Diagnostic{path(at), std::move(message), std::move(hint)};
  return false;
}

void Loader::note(Value at, std::string message, Severity severity) {
  // A file can be wrong in a million places; the first hundred of a severity tell the story.
  constexpr std::size_t most = 100;
  std::size_t same = 0;
  for (const Diagnostic& d : notes) same += d.severity == severity;
  if (same == most) {
    notes.push_back({"", "further findings like these are not listed", "", severity});
  } else if (same < most) {
    notes.push_back({path(at), std::move(message), "", severity});
  }
}

void Loader::note_once(Value at, std::string_view what) {
  if (noted_.emplace(what, true).second) note(at, std::string(what));
}

bool Loader::require(Value object, std::string_view key, Value& out) {
  if (!object.is_object()) return fail(object, "an object");
  out = object.find(key);
  if (out.valid()) return true;
  return fail_with(object, "the key '" + std::string(key) + "' is missing");
}

bool Loader::require(Value object, std::string_view key, json::Kind kind, Value& out) {
  if (!require(object, key, out)) return false;
  if (out.kind() == kind) return true;
  return fail(out, kind == json::Kind::Array    ? "an array"
                   : kind == json::Kind::Object ? "an object"
                   : kind == json::Kind::String ? "a string"
                                                : "another value");
}

Expr Loader::symbolic_text(const std::string& text, Value at) {
  if (auto parsed = parse_symbolic(text, dialect)) return *std::move(parsed);
  const Dialect other = dialect == Dialect::Typed ? Dialect::Plain : Dialect::Typed;
  if (auto parsed = parse_symbolic(text, other)) {
    note_once(at, dialect == Dialect::Typed
                      ? "symbolic text without '$' in a file that says it is newer; read all the same"
                      : "symbolic text with '$' in a file that says it is older; read all the same");
    return *std::move(parsed);
  }
  note(at, "symbolic text that does not parse is kept as text: " + json::describe(at),
       Severity::Warning);
  return Expr::leaf(Op::Opaque, text);
}

namespace {
/// The text's value: known before, else known now, else made.
template <class T, class Make>
const T& look_up(const KnownTexts::Map<T>* before, KnownTexts::Map<T>& now, std::string_view text,
                 Make make) {
  if (before)
    if (const auto found = before->find(text); found != before->end()) return found->second;
  const auto [it, added] = now.try_emplace(text);
  if (added) it->second = make();
  return it->second;
}
}  // namespace

Expr Loader::symbolic(Value v) {
  return look_up(before ? &before->symbolic : nullptr, known.symbolic, v.raw_string(),
                 [&] { return symbolic_text(v.string(), v); });
}

Expr Loader::python(Value v) {
  return look_up(before ? &before->python : nullptr, known.python, v.raw_string(), [&] {
    std::string text = v.string();
    if (auto parsed = parse_python(text)) return *std::move(parsed);
    else note(v, "not a Python expression, kept as text: " + parsed.error().text(), Severity::Warning);
    return Expr::leaf(Op::Opaque, std::move(text));
  });
}

Code Loader::code(Value v, Language language) {
  const auto l = std::size_t(language);
  return look_up(before ? &before->code[l] : nullptr, known.code[l], v.raw_string(),
                 [&] { return Code(v.string(), language); });
}

const Type* Loader::cached_type(std::string_view raw) const {
  for (const KnownTexts* texts : {before, &known})
    if (texts)
      if (const auto found = texts->types.find(raw); found != texts->types.end())
        return &found->second;
  return nullptr;
}
void Loader::cache_type(std::string_view raw, Type type) {
  known.types.emplace(raw, std::move(type));
}

// ---- Values.

bool read_value(Loader&, Value v, bool& out) {
  if (!v.is_bool()) return false;
  out = v.is(json::Kind::True);
  return true;
}

bool read_value(Loader&, Value v, std::int64_t& out) {
  if (!v.is_number()) return false;
  const std::string_view t = v.raw();
  const auto [end, ec] = std::from_chars(t.data(), t.data() + t.size(), out);
  if (ec == std::errc() && end == t.data() + t.size()) return true;
  // DaCe accepts 2.0 for 2.
  double d = 0;
  const auto [end2, ec2] = std::from_chars(t.data(), t.data() + t.size(), d);
  if (ec2 != std::errc() || end2 != t.data() + t.size() || !(d > -9e15 && d < 9e15)) return false;
  out = std::int64_t(d);
  return double(out) == d;
}

bool read_value(Loader&, Value v, std::string& out) {
  if (!v.is_string()) return false;
  if (v.has_escapes())
    out = v.string();
  else
    out.assign(v.raw_string());
  return true;
}

bool read_value(Loader& in, Value v, Expr& out) {
  if (v.is_string()) {
    out = in.symbolic(v);
    return true;
  }
  if (v.is_number()) {
    std::int64_t value;
    if (v.raw().find_first_of(".eEN") == std::string_view::npos && read_value(in, v, value))
      out = Expr(value);
    else
      out = in.symbolic_text(std::string(v.raw()), v);
    return true;
  }
  // Before version 2: an exact bound beside a nicer one.
  const Value main = v.is_object() ? v.find("main") : Value();
  if (!main.valid() || main.is_object()) return false;
  in.note_once(v, "bounds with an approximation are read as their exact part");
  return read_value(in, main, out);
}

namespace {

bool read_pairs_of_types(Loader& in, Value v, std::vector<std::pair<std::string, Type>>& out) {
  for (Value item : v) {
    Value type = item;
    std::string name;
    if (v.is_array()) {
      if (!item.is_array() || item.size() != 2) return false;
      auto at = item.begin();
      if (!read_value(in, *at, name)) return false;
      type = *++at;
    } else {
      name = item.key();
    }
    Type member;
    if (!read_value(in, type, member)) return false;
    out.emplace_back(std::move(name), std::move(member));
  }
  return v.is_array() || v.is_object();
}

bool read_plain_text(Loader& in, Value v, std::string& out) {
  if (v.is_number()) {
    out = v.raw();
    return true;
  }
  return read_value(in, v, out);
}

bool read_pairs_of_texts(Loader& in, Value v,
                         std::vector<std::pair<std::string, std::string>>& out) {
  for (Value item : v) {
    Value text = item;
    std::string name, length;
    if (v.is_array()) {
      if (!item.is_array() || item.size() != 2) return false;
      auto at = item.begin();
      if (!read_value(in, *at, name)) return false;
      text = *++at;
    } else {
      name = item.key();
    }
    if (!read_plain_text(in, text, length)) return false;
    out.emplace_back(std::move(name), std::move(length));
  }
  return v.is_array() || v.is_object();
}

bool read_json_texts(Value v, std::vector<std::string>& out) {
  if (!v.valid()) return true;
  if (!v.is_array()) return false;
  for (Value item : v) out.emplace_back(item.raw());
  return true;
}

bool read_compound_type(Loader& in, Value v, Type& out) {
  const std::string_view kind = element_type(v);
  if (kind == "string") {
    out = BaseType::String;
    return true;
  }
  if (kind == "pointer" || kind == "vector") {
    Type element;
    const Value dtype = v.find("dtype");
    if (!dtype.valid() || !read_value(in, dtype, element)) return false;
    if (kind == "pointer") {
      out = Type::pointer(std::move(element));
      return true;
    }
    std::string length;
    const Value elements = v.find("elements");
    if (!elements.valid() || !read_plain_text(in, elements, length)) return false;
    out = Type::vector(std::move(element), std::move(length));
    return true;
  }
  if (kind == "opaque") {
    std::string ctype;
    const Value name = v.find("ctype");
    if (!name.valid() || !read_value(in, name, ctype)) return false;
    out = Type::opaque(std::move(ctype));
    return true;
  }
  if (kind == "struct") {
    std::string name;
    std::vector<std::pair<std::string, Type>> members;
    std::vector<std::pair<std::string, std::string>> lengths;
    std::int64_t bytes = 0;
    for (Value member : v) {
      const std::string_view key = member.raw_key();
      if (key == "name") {
        if (!read_value(in, member, name)) return false;
      } else if (key == "data") {
        if (member.is_object())
          in.note_once(member, "structure types with members as an object become pairs");
        if (!read_pairs_of_types(in, member, members)) return false;
      } else if (key == "length") {
        if (!read_pairs_of_texts(in, member, lengths)) return false;
      } else if (key == "bytes") {
        if (!read_value(in, member, bytes)) return false;
      } else if (key != "type") {
        return false;
      }
    }
    out = Type::structure(std::move(name), std::move(members), std::move(lengths), bytes);
    return true;
  }
  if (kind == "callback") {
    std::vector<std::string> arguments, results;
    if (!read_json_texts(v.find("arguments"), arguments)) return false;
    if (!read_json_texts(v.find("returntypes"), results)) return false;
    out = Type::callback(std::move(arguments), std::move(results));
    return true;
  }
  return false;
}

}  // namespace

bool read_value(Loader& in, Value v, Type& out) {
  if (v.is_null()) {
    out = BaseType::Unknown;
    return true;
  }
  if (!v.is_string() && !v.is_object()) return false;
  // Hashing the text of every inner type would cost the square of the depth.
  const bool look_up = v.is_string() || in.type_depth == 0;
  if (const Type* known = look_up ? in.cached_type(v.raw()) : nullptr) {
    out = *known;
    return true;
  }
  if (v.is_string()) {
    const std::string name = v.string();
    const auto scalar = Type::scalar_from_text(name);
    out = scalar ? *scalar : Type::named(name);
  } else {
    ++in.type_depth;
    const bool read = read_compound_type(in, v, out);
    --in.type_depth;
    if (!read) return false;
  }
  if (look_up) in.cache_type(v.raw(), out);
  return true;
}

bool read_value(Loader& in, Value v, Code& out) {
  if (v.is_string()) {
    out = in.code(v, Language::Python);
    return true;
  }
  if (!v.is_object()) return false;
  Value text;
  Language language = Language::Python;
  for (Value member : v) {
    const std::string_view key = member.raw_key();
    if (key == "string_data") {
      if (!member.is_string()) return false;
      text = member;
    } else if (key == "language") {
      // "Language.CPP" in old files.
      if (!member.is_string()) return false;
      const std::string_view name = member.raw_string();
      bool found = false;
      for (const std::string_view candidate : names<Language>)
        if (candidate != "Undefined" && name.ends_with(candidate)) {
          language = *from_text<Language>(candidate);
          found = true;
        }
      if (name.ends_with("sv")) language = Language::SystemVerilog, found = true;
      if (!found) return false;
    } else {
      return false;
    }
  }
  if (!text.valid()) return false;
  out = in.code(text, language);
  return true;
}

bool read_value(Loader& in, Value v, DebugInfo& out) {
  out = DebugInfo{};
  if (!v.is_object()) return false;
  for (Value member : v) {
    const std::string_view key = member.raw_key();
    if (key == "type") continue;
    if (key == "filename" && member.is_null()) continue;
    if (key == "file_index") {
      std::int64_t index = 0;
      if (!read_value(in, member, index)) return false;
      if (index < 0 || std::size_t(index) >= in.source_files.size()) return false;
      out.filename = in.source_files[std::size_t(index)];
      continue;
    }
    bool found = false, read = true;
    for_each_property(out, [&](const auto& p, auto& field) {
      if (key == p.name) found = true, read = read_value(in, member, field);
    });
    if (!found || !read) return false;
  }
  return true;
}

bool read_value(Loader& in, Value v, Range& out) {
  if (!v.is_object()) return false;
  int seen = 0;
  for (Value member : v) {
    const std::string_view key = member.raw_key();
    Expr* field = key == "start"  ? &out.begin
                  : key == "end"  ? &out.end
                  : key == "step" ? &out.step
                  : key == "tile" ? &out.tile
                                  : nullptr;
    if (!field || !read_value(in, member, *field)) return false;
    seen |= field == &out.begin ? 1 : field == &out.end ? 2 : 0;
  }
  return seen == 3;
}

bool read_value(Loader& in, Value v, std::vector<Range>& out) {
  out.clear();
  if (v.is_string()) {
    auto parsed = parse_subset(v.string());
    if (!parsed) return false;
    out = std::move(parsed->ranges);
    return true;
  }
  if (!v.is_object()) return false;
  Value ranges;
  bool indices = false;
  for (Value member : v) {
    const std::string_view key = member.raw_key();
    if (key == "ranges" || key == "indices") {
      ranges = member;
      indices = key == "indices";
    } else if (key != "type") {
      return false;
    }
  }
  if (!ranges.valid() || !ranges.is_array()) return false;
  if (indices) in.note_once(v, "subsets of type Indices become ranges");
  out.reserve(ranges.size());
  for (Value item : ranges) {
    Range range;
    if (indices) {
      if (!read_value(in, item, range.begin)) return false;
      range.end = range.begin;
    } else if (!read_value(in, item, range)) {
      return false;
    }
    out.push_back(std::move(range));
  }
  return true;
}

bool read_value(Loader& in, Value v, Subset& out) { return read_value(in, v, out.ranges); }

namespace {
template <class T>
bool read_list(Loader& in, Value v, std::vector<T>& out) {
  out.clear();
  if (!v.is_array()) return false;
  out.reserve(v.size());
  for (Value item : v)
    if (!read_value(in, item, out.emplace_back())) return out.clear(), false;
  return true;
}
}  // namespace

bool read_value(Loader& in, Value v, std::vector<Expr>& out) { return read_list(in, v, out); }
bool read_value(Loader& in, Value v, std::vector<std::string>& out) { return read_list(in, v, out); }
bool read_value(Loader& in, Value v, std::vector<std::int64_t>& out) {
  return read_list(in, v, out);
}

bool read_value(Loader& in, Value v, OrderedMap<Expr>& out) {
  out.clear();
  if (!v.is_object()) return false;
  for (Value member : v) {
    Expr value;
    if (member.is_string())
      value = in.python(member);
    else if (!member.is_number() || !read_value(in, member, value))
      return out.clear(), false;
    out.set(member.key(), std::move(value));
  }
  return true;
}

void carry(Extras& extras, Value member) {
  extras.emplace_back(member.key(), std::string(member.raw()));
}

void carry_unread(Loader& in, Extras& extras, Value member, bool enumeration) {
  if (enumeration && member.is_string())
    in.note(member, "'" + member.key() + "' has a value that is not known here, kept as it is: " +
                        describe(member));
  else if (!member.is_null())
    in.note(member, "'" + member.key() + "' cannot be " + describe(member), Severity::Error);
  carry(extras, member);
}

void carry_positional(Extras& extras, Value member) {
  extras.emplace_back("/" + member.key(), std::string(member.raw()));
}

std::optional<std::uint32_t> read_index(Value v, std::size_t bound) {
  const std::string_view text = v.is_string() ? v.raw_string() : v.is_number() ? v.raw() : "";
  std::uint32_t index = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (ec != std::errc() || end != text.data() + text.size() || text.empty() || index >= bound)
    return std::nullopt;
  return index;
}

std::string_view element_type(Value element) {
  const Value type = element.find("type");
  if (!type.valid() || !type.is_string()) return {};
  const std::string_view name = type.raw_string();
  return name.substr(0, name.find('.'));
}

}  // namespace sdfg::detail
