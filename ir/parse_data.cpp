#include "ir/parse_value.h"

namespace sdfg::detail {

Type TextReader::type() {
  const Nesting nesting(*this);
  if (!ok()) return {};
  if (accept("?")) return {};
  const std::size_t start = skip();
  const std::string_view kind = word();
  if (const std::optional<Type> scalar = Type::scalar_from_text(kind)) return *scalar;
  const auto brackets = [&](auto&& read_parts) {
    expect("(");
    ++depth_;
    read_parts();
    --depth_;
    expect(")");
  };
  const auto jsons = [&](std::vector<std::string>& out) {
    list("[", "]", [&] { out.push_back(json()); });
  };
  Type result;
  if (kind == "pointer") {
    brackets([&] { result = Type::pointer(type()); });
  } else if (kind == "vector") {
    brackets([&] {
      const Type element = type();
      expect(",");
      result = Type::vector(element, string());
    });
  } else if (kind == "opaque") {
    brackets([&] { result = Type::opaque(string()); });
  } else if (kind == "named") {
    brackets([&] { result = Type::named(string()); });
  } else if (kind == "struct") {
    brackets([&] {
      const std::string name = this->name();
      std::vector<std::pair<std::string, Type>> members;
      std::vector<std::pair<std::string, std::string>> lengths;
      expect(",");
      entries([&](const std::string& key) {
        members.emplace_back(key, type());
        return true;
      });
      expect(",");
      entries([&](const std::string& key) {
        lengths.emplace_back(key, string());
        return true;
      });
      expect(",");
      result = Type::structure(name, std::move(members), std::move(lengths), integer());
    });
  } else if (kind == "callback") {
    brackets([&] {
      std::vector<std::string> arguments, results;
      jsons(arguments);
      expect(",");
      jsons(results);
      result = Type::callback(std::move(arguments), std::move(results));
    });
  } else if (ok()) {
    at_ = start;
    expected("a type");
  }
  return result;
}

Data TextReader::data(bool transient) {
  const Nesting nesting(*this);
  if (!ok()) return {};
  Data d;
  d.transient = transient;
  Array array;
  array.is_parameter = accept("parameter");
  array.role = accept("view") ? Role::View : accept("reference") ? Role::Reference : Role::Plain;
  if (accept("stream")) {
    d.kind = Stream{};
  } else if (accept("container_array")) {
    d.kind = ContainerArray{array, {}};
  } else if (accept("other")) {
    d.kind = OtherData{string()};
  } else if (accept("structure")) {
    Structure s{array.role, name(), {}};
    list("(", ")", [&] {
      std::string member = name();
      if (accept("="))
        s.members.emplace_back(std::move(member), expr());
      else
        expect(":"), s.members.emplace_back(std::move(member), Box<Data>(data(false)));
    });
    expect("of");
    d.kind = std::move(s);
  } else {
    d.kind = array;
  }

  d.dtype = type();
  if (peek("["))
    value(d.shape);
  else if (std::holds_alternative<Array>(d.kind))
    d.kind = Scalar{};
  else
    expected("a shape in '['");
  if (auto* c = std::get_if<ContainerArray>(&d.kind); c && accept("of")) {
    expect("(");
    ++depth_;
    c->stype = Box<Data>(data(false));
    --depth_;
    expect(")");
  }

  // What the list leaves out follows from type, shape and transient.
  const auto fill = [&] {
    Data defaults = default_data(d);
    if (Array* a = d.as_array()) *a = *defaults.as_array();
    if (d.is_stream()) d.kind = std::move(defaults.kind);
    if (d.is_scalar()) d.shape = std::move(defaults.shape);
  };
  fill();
  trailing([&](const std::string& key) {
    if (field(key, d, data_fields)) {
      if (key == "transient") fill();
      return true;
    }
    if (Array* a = d.as_array()) return field(key, *a, Array::properties);
    if (auto* s = std::get_if<Scalar>(&d.kind)) return field(key, *s, Scalar::properties);
    if (auto* s = std::get_if<Stream>(&d.kind)) return field(key, *s, Stream::properties);
    return false;
  });
  return d;
}

}  // namespace sdfg::detail
