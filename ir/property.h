#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace sdfg {

/// One field of a described type: its name in JSON (DaCe's name), the member, and what it means
/// when the name does not say it. JSON, text, hashing, documentation and the viewer read these.
template <class T, class M>
struct Property {
  using type = M;
  std::string_view name;
  M T::*member;
  std::string_view doc;
};

template <class T, class M>
constexpr Property<T, M> property(std::string_view name, M T::*member, std::string_view doc = {}) {
  return {name, member, doc};
}

/// A list of properties: a function that hands all of them to another, `list(f)` is `f(p...)`. (A
/// std::tuple would do, at a quarter of what the compiler spends on the IR's headers.)
template <class... P>
constexpr auto property_list(P... p) {
  return [=](auto&& f) -> decltype(auto) { return f(p...); };
}

/// The properties of a list and some more.
template <class List, class... P>
constexpr auto extended(List list, P... more) {
  return list([&](auto... p) { return property_list(p..., more...); });
}

namespace detail {
struct Any {
  template <class T>
  operator T() const;
};
template <class T, std::size_t... I>
consteval bool takes(std::index_sequence<I...>) {
  return requires { T{((void)I, Any{})...}; };
}
template <class T, std::size_t N = 0>
consteval std::size_t field_count() {
  if constexpr (takes<T>(std::make_index_sequence<N + 1>{}))
    return field_count<T, N + 1>();
  else
    return N;
}
/// Fields that are deliberately no properties (structure rather than attributes).
template <class T>
consteval std::size_t structural_fields() {
  if constexpr (requires { T::structural; })
    return T::structural;
  else
    return 0;
}
}  // namespace detail

/// A type whose every field is listed in `properties`, apart from `structural` ones that the
/// serializers treat by hand.
template <class T>
concept Described = detail::field_count<T>() ==
                    T::properties([](const auto&... p) { return sizeof...(p); }) +
                        detail::structural_fields<T>();

/// Calls `visit(property, object.*member)` for each property, in order.
template <class T, class F>
constexpr void for_each_property(T& object, F&& visit) {
  std::remove_const_t<T>::properties(
      [&](const auto&... p) { (visit(p, object.*(p.member)), ...); });
}

}  // namespace sdfg
