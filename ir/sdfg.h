#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/control_flow.h"
#include "ir/data.h"
#include "ir/memlet.h"
#include "support/by_name.h"
#include "support/ordered_map.h"

namespace sdfg {

/// A compile-time value: its descriptor and its value as JSON text (a number, bool or string, or
/// {"type": "ndarray", …}).
struct Constant {
  Data data;
  std::string value;
  bool operator==(const Constant&) const = default;
};

/// A program: containers, symbols, and control flow over dataflow states. A value: copying copies
/// everything, `==` compares everything (but for where it came from), nothing points up.
struct Sdfg : Region {
  std::string name;
  std::vector<std::string> arg_names;  ///< order of positional arguments in Python calls
  OrderedMap<Constant> constants;
  OrderedMap<Data> arrays;
  ByName<Type> symbols;
  Instrumentation instrument = Instrumentation::None;
  std::map<std::string, Code> global_code, init_code, exit_code;  ///< key: "frame", "cuda", …
  bool openmp_sections = false;
  std::optional<DebugInfo> debuginfo;
  std::map<std::string, std::string> callback_mapping;
  bool using_explicit_control_flow = false;
  bool is_collapsed = false;
  std::string guid;
  Extras extras;

  // Of the file, on the root only.
  std::string dace_version;                 ///< as read; empty when made here
  std::optional<Dialect> dialect;           ///< of the file; none when made here
  Extras root_extras;                       ///< unknown keys beside `type`, and `error`
  std::shared_ptr<const SourceText> source; ///< what `keep` copies from; not compared
  Origin origin;

  /// A container by name; dotted names reach members of structures. Null when there is none.
  const Data* find_data(std::string_view name) const;
  Data* find_data(std::string_view name);
  /// `base`, or `base_0`, `base_1`, … : the first that is no container, symbol or constant here. A
  /// pass that must keep clear of loop variables and tasklets' connectors, too, or that asks often,
  /// has TakenNames (passes/common/taken_names.h).
  std::string fresh_name(std::string_view base) const;

  static constexpr auto properties = property_list(
      property("name", &Sdfg::name), property("arg_names", &Sdfg::arg_names),
      property("symbols", &Sdfg::symbols, "symbols that the caller or the program defines"),
      property("instrument", &Sdfg::instrument), property("global_code", &Sdfg::global_code),
      property("init_code", &Sdfg::init_code), property("exit_code", &Sdfg::exit_code),
      property("openmp_sections", &Sdfg::openmp_sections), property("debuginfo", &Sdfg::debuginfo),
      property("callback_mapping", &Sdfg::callback_mapping),
      property("using_explicit_control_flow", &Sdfg::using_explicit_control_flow),
      property("is_collapsed", &Sdfg::is_collapsed), property("guid", &Sdfg::guid));

  Sdfg();
  Sdfg(const Sdfg&);
  Sdfg(Sdfg&&) noexcept;
  Sdfg& operator=(const Sdfg&);
  Sdfg& operator=(Sdfg&&) noexcept;
  ~Sdfg();
  bool operator==(const Sdfg& other) const;
};

}  // namespace sdfg
