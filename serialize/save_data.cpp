#include "serialize/loader.h"
#include "serialize/saver.h"

namespace sdfg::detail {

namespace {

void save_inner_data(Saver& to, const Data& data);

void put_array(Members& m, const Array& array, const Extras& extras) {
  static const Array fallback{};
  for_each_property(array, [&](const auto& p, const auto& value) {
    using V = std::remove_cvref_t<decltype(value)>;
    // DaCe always writes the layout.
    constexpr bool layout = std::is_same_v<V, std::vector<Expr>>;
    if constexpr (std::is_same_v<V, Expr>) {
      if (p.name == "start_offset") {
        if (value == Expr(0)) return;
        return m.put(p.name, [&] {
          if (const auto integer = value.as_integer())
            m.saver().integer(*integer);
          else
            m.saver().symbolic(value);
        });
      }
      put_property(m, p, value, fallback.*(p.member), extras, true);
    } else {
      put_property(m, p, value, fallback.*(p.member), extras, layout);
    }
  });
}

void put_kind(Members& m, const Data& data) {
  Saver& to = m.saver();
  if (const auto* array = std::get_if<Array>(&data.kind)) {
    put_array(m, *array, data.extras);
  } else if (const auto* scalar = std::get_if<Scalar>(&data.kind)) {
    put_properties(m, *scalar, data.extras);
  } else if (const auto* stream = std::get_if<Stream>(&data.kind)) {
    m.put("offset", [&] { write_value(to, stream->offset); });
    m.put("buffer_size", [&] { write_value(to, stream->buffer_size); });
  } else if (const auto* container = std::get_if<ContainerArray>(&data.kind)) {
    m.put("stype", [&] {
      if (container->stype)
        save_inner_data(to, **container->stype);
      else
        to.raw("null");
    });
    put_array(m, container->array, data.extras);
  } else if (const auto* structure = std::get_if<Structure>(&data.kind)) {
    if (!structure->members.empty())
      m.put("members", [&] {
        to.out += '[';
        bool first = true;
        for (const auto& [name, member] : structure->members) {
          to.raw(first ? "[" : ",[");
          first = false;
          to.text(name);
          to.out += ',';
          if (const auto* inner = std::get_if<Box<Data>>(&member))
            save_inner_data(to, **inner);
          else
            to.symbolic(std::get<Expr>(member));
          to.out += ']';
        }
        to.out += ']';
      });
    m.put("name", [&] { to.text(structure->name); });
  }
}

void put_data(Members& m, const Data& data) {
  Saver& to = m.saver();
  m.put("type", [&] { to.text(data.json_type()); });
  m.put_object("attributes", [&](Members& a) {
    static const Data fallback{};
    const bool other = std::holds_alternative<OtherData>(data.kind);
    if (other) put_extras(a, data.extras, "", never);
    put_kind(a, data);
    for_each_property(data, [&](const auto& p, const auto& value) {
      put_property(a, p, value, fallback.*(p.member), data.extras, p.name == "shape");
    });
    if (!other)
      put_extras(a, data.extras, "", [&](std::string_view name) {
        const Array* array = data.as_array();
        return is_set(data, name) || (array && is_set(*array, name));
      });
  });
  put_extras(m, data.extras, "/", never);
}

void save_inner_data(Saver& to, const Data& data) {
  Members m(to);
  put_data(m, data);
  m.close();
}

}  // namespace

void save_data(Saver& to, const Data& data, std::size_t record) {
  if (to.copy_unchanged(data.origin, record)) return;
  save_merged(
      to, data, data.origin,
      [&](json::Value original, Data& old) {
        return read_data(*to.loader, original, old) && old.json_type() == data.json_type();
      },
      [](Members& m, const Data& d) { put_data(m, d); });
}

}  // namespace sdfg::detail
