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
    note_once(at,
              dialect == Dialect::Typed
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
    else
      note(v, "not a Python expression, kept as text: " + parsed.error().text(), Severity::Warning);
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
    if (v.raw().find_first_of("NI") != std::string_view::npos) return false;  // NaN, Infinity
    if (v.raw().find_first_of(".eE") == std::string_view::npos && read_value(in, v, value))
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
      // A nested SDFG that DaCe saves alone counts in a list that stays with the outermost one.
      if (in.source_files.empty()) continue;
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
bool read_value(Loader& in, Value v, std::vector<std::string>& out) {
  return read_list(in, v, out);
}
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
    in.note(member,
            "'" + member.key() + "' has a value that is not known here, kept as it is: " +
                describe(member),
            Severity::Warning);
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
