#include "serialize/loader.h"

namespace sdfg::detail {

using json::Value;

namespace {

struct Spelling {
  std::string_view type;
  Role role;
  bool old = false;
};
constexpr Spelling arrays[] = {{"Array", Role::Plain},
                               {"ArrayView", Role::View},
                               {"ArrayReference", Role::Reference},
                               {"View", Role::View, true},
                               {"Reference", Role::Reference, true},
                               {"ParameterArray", Role::Plain}};
constexpr Spelling container_arrays[] = {{"ContainerArray", Role::Plain},
                                         {"ContainerView", Role::View},
                                         {"ContainerArrayReference", Role::Reference},
                                         {"StructArray", Role::Plain, true}};
constexpr Spelling structures[] = {{"Structure", Role::Plain},
                                   {"StructureView", Role::View},
                                   {"StructureReference", Role::Reference}};

template <std::size_t N>
const Spelling* find(const Spelling (&all)[N], std::string_view type) {
  for (const Spelling& s : all)
    if (s.type == type) return &s;
  return nullptr;
}

void set_kind(Loader& in, Value element, std::string_view type, Data& out) {
  const Spelling* found = nullptr;
  if ((found = find(arrays, type))) {
    auto& array = out.kind.emplace<Array>();
    array.role = found->role;
    array.is_parameter = type == "ParameterArray";
  } else if ((found = find(container_arrays, type))) {
    out.kind.emplace<ContainerArray>().array.role = found->role;
  } else if ((found = find(structures, type))) {
    out.kind.emplace<Structure>().role = found->role;
  } else if (type == "Scalar") {
    out.kind.emplace<Scalar>();
  } else if (type == "Stream") {
    out.kind.emplace<Stream>();
  } else {
    out.kind.emplace<OtherData>().type = std::string(type);
  }
  if (found && found->old)
    in.note_once(element, "containers of type " + std::string(type) + " become " + out.json_type());
}

bool read_members(Loader& in, Value v, Structure& out) {
  if (!v.is_array() && !v.is_object()) return in.fail(v, "an array of pairs");
  for (Value item : v) {
    Value value = item;
    std::string name;
    if (v.is_array()) {
      if (!item.is_array() || item.size() != 2)
        return in.fail(item, "a pair of name and container");
      auto at = item.begin();
      if (!read_value(in, *at, name)) return in.fail(*at, "a member's name");
      value = *++at;
    } else {
      name = item.key();
    }
    if (value.is_object() && value.find("type").valid()) {
      Data member;
      if (!read_data(in, value, member)) return false;
      out.members.emplace_back(std::move(name), Box<Data>(std::move(member)));
    } else {
      Expr member;
      if (!read_value(in, value, member)) return in.fail(value, "a container or an expression");
      out.members.emplace_back(std::move(name), std::move(member));
    }
  }
  return true;
}

/// One attribute that belongs to the kind alone.
bool read_own(Loader& in, Value member, Data& out, bool& found) {
  if (auto* structure = std::get_if<Structure>(&out.kind)) {
    if (member.raw_key() == "members") {
      found = true;
      return read_members(in, member, *structure);
    }
    if (member.raw_key() == "name" && member.is_string()) {
      found = true;
      structure->name = member.string();
    }
    return true;
  }
  if (auto* array = out.as_array()) {
    if (member.raw_key() == "stype" && std::holds_alternative<ContainerArray>(out.kind)) {
      found = true;
      if (member.is_null()) return true;
      Data stype;
      if (!read_data(in, member, stype)) return false;
      std::get<ContainerArray>(out.kind).stype = Box<Data>(std::move(stype));
      return true;
    }
    found = read_property(in, member, *array, out.extras);
  } else if (auto* scalar = std::get_if<Scalar>(&out.kind)) {
    found = read_property(in, member, *scalar, out.extras);
  } else if (auto* stream = std::get_if<Stream>(&out.kind)) {
    found = read_property(in, member, *stream, out.extras);
  }
  return true;
}

/// What DaCe assumes where an array says nothing.
void complete(Data& data) {
  Array* array = data.as_array();
  if (auto* stream = std::get_if<Stream>(&data.kind))
    if (stream->offset.empty()) stream->offset.assign(data.shape.size(), Expr(0));
  if (!array) return;
  if (array->strides.empty()) array->strides = c_strides(data.shape);
  if (array->offset.empty()) array->offset.assign(data.shape.size(), Expr(0));
  // DaCe's reductions on GPUs merge dimensions and leave their offsets, which it does not look at.
  while (array->offset.size() > data.shape.size() && array->offset.back() == Expr(0))
    array->offset.pop_back();
  if (array->total_size == Expr(0)) {
    array->total_size = 1;
    for (const Expr& extent : data.shape) array->total_size = array->total_size * extent;
  }
}

}  // namespace

bool read_data(Loader& in, Value element, Data& out) {
  Value attributes;
  if (!in.require(element, "attributes", json::Kind::Object, attributes)) return false;
  const std::string_view type = element_type(element);
  if (type.empty()) return in.fail_with(element, "a container needs the key 'type'");
  set_kind(in, element, type, out);
  for (Value member : element)
    if (member.raw_key() != "type" && member.raw_key() != "attributes")
      carry_positional(out.extras, member);
  for (Value member : attributes) {
    bool found = false;
    if (!read_own(in, member, out, found)) return false;
    if (!found && !read_property(in, member, out, out.extras)) carry(out.extras, member);
  }
  complete(out);
  out.origin = in.origin(element);
  return !in.error;
}

}  // namespace sdfg::detail
