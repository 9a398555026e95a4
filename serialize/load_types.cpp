// Element types: names of scalars, and objects for pointers, vectors, structures and callbacks.

#include "serialize/loader.h"

namespace sdfg::detail {

using json::Value;

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

bool read_struct_type(Loader& in, Value v, Type& out) {
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
  if (kind == "struct") return read_struct_type(in, v, out);
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

}  // namespace sdfg::detail
