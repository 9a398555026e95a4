#include "ir/print_value.h"

namespace sdfg::detail {

void TextWriter::type(const Type& t) {
  const auto strings = [&](const std::vector<std::string>& texts) {
    list('[', ']', texts, [&](const std::string& s) { json(s); });
  };
  switch (t.base()) {
    case BaseType::Unknown:
      out_ += '?';
      break;
    case BaseType::Pointer:
      out_ += "pointer(";
      type(t.compound().element);
      out_ += ')';
      break;
    case BaseType::Vector:
      out_ += "vector(";
      type(t.compound().element);
      out_ += ", ";
      quoted(t.compound().length);
      out_ += ')';
      break;
    case BaseType::Opaque:
      out_ += "opaque(";
      quoted(t.compound().name);
      out_ += ')';
      break;
    case BaseType::Named:
      out_ += "named(";
      quoted(t.compound().name);
      out_ += ')';
      break;
    case BaseType::Struct:
      out_ += "struct(";
      name(t.compound().name);
      out_ += ", ";
      list('{', '}', t.compound().members,
           [&](const auto& m) { entry(m.first, [&] { type(m.second); }); });
      out_ += ", ";
      list('{', '}', t.compound().lengths,
           [&](const auto& l) { entry(l.first, [&] { quoted(l.second); }); });
      out_ += ", ";
      value(t.compound().bytes);
      out_ += ')';
      break;
    case BaseType::Callback:
      out_ += "callback(";
      strings(t.compound().arguments);
      out_ += ", ";
      strings(t.compound().results);
      out_ += ')';
      break;
    default:
      out_ += t.text();
  }
}

void TextWriter::data(const Data& d, bool transient) {
  const Data defaults = default_data(d);
  if (const Array* a = d.as_array(); a && a->is_parameter) out_ += "parameter ";
  if (d.is_view()) out_ += "view ";
  if (d.is_reference()) out_ += "reference ";

  if (d.is_stream()) out_ += "stream ";
  if (std::holds_alternative<ContainerArray>(d.kind)) out_ += "container_array ";
  if (const auto* other = std::get_if<OtherData>(&d.kind)) {
    out_ += "other ";
    quoted(other->type);
    out_ += ' ';
  }
  if (const auto* s = std::get_if<Structure>(&d.kind)) {
    out_ += "structure ";
    name(s->name);
    list('(', ')', s->members, [&](const Structure::Member& m) {
      name(m.first);
      if (const auto* member = std::get_if<Box<Data>>(&m.second)) {
        out_ += ": ";
        data(**member, false);
      } else {
        out_ += " = ";
        expr(std::get<Expr>(m.second));
      }
    });
    out_ += " of ";
  }
  type(d.dtype);
  if (!d.is_scalar()) value(d.shape);
  if (const auto* c = std::get_if<ContainerArray>(&d.kind); c && c->stype) {
    out_ += " of (";
    data(**c->stype, false);
    out_ += ')';
  }

  const auto scope = trailing();
  if (d.transient != transient) field("transient", [&] { value(d.transient); });
  fields(d, defaults, data_fields, {"dtype", "transient"});
  const Array* array = d.as_array();
  if (array) fields(*array, *defaults.as_array(), Array::properties);
  if (const auto* s = std::get_if<Scalar>(&d.kind)) fields(*s, Scalar{}, Scalar::properties);
  if (const auto* s = std::get_if<Stream>(&d.kind))
    fields(*s, std::get<Stream>(defaults.kind), Stream::properties);
}

}  // namespace sdfg::detail
