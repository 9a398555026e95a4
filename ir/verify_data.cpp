#include <algorithm>

#include "ir/analysis/free_symbols.h"
#include "ir/verify_context.h"
#include "support/text.h"

namespace sdfg::detail {
namespace {

bool is_undefined(const Expr& expr) {
  if (expr.is(Op::Constant) && expr.name() == "?") return true;
  for (const Expr& arg : expr.args())
    if (is_undefined(arg)) return true;
  return false;
}

/// The rules for one descriptor, by itself: a container or a member of a structure.
class Descriptor {
 public:
  /// `outer`: the structure that it is a member of, if it is one.
  Descriptor(const Data& data, const std::string& name, const Descriptor* outer, Findings& findings)
      : data_(data), name_(name), outer_(outer), findings_(findings) {}

  void verify() {
    if (!data_.dtype.known() && !data_.is_structure())
      findings_.error(where(), "has no element type");
    if (data_.storage == Storage::Undefined)
      findings_.warning(where(), "has a storage that is not known here, so it cannot be run");
    if (data_.lifetime == Lifetime::Undefined)
      findings_.warning(where(), "has a lifetime that is not known here, so it cannot be run");
    if (data_.lifetime == Lifetime::Persistent || data_.lifetime == Lifetime::External)
      if (data_.storage == Storage::Register)
        findings_.error(where(),
                        "a container of lifetime " + std::string(to_text(data_.lifetime)) +
                            " cannot be stored in a Register",
                        "choose another storage");
    if (data_.role() != Role::Plain && data_.lifetime != Lifetime::Scope)
      findings_.error(
          where(), (data_.as_array() && std::holds_alternative<Array>(data_.kind) ? "an " : "a ") +
                      data_.json_type() + " must have lifetime Scope, found " +
                      std::string(to_text(data_.lifetime)));
    sizes("shape", data_.shape, 0);
    if (const Array* array = data_.as_array()) this->array(*array);
    if (const auto* stream = std::get_if<Stream>(&data_.kind)) rank("offset", stream->offset);
    if (const auto* structure = std::get_if<Structure>(&data_.kind)) this->structure(*structure);
    if (data_.is_scalar() && !(data_.shape == std::vector<Expr>{Expr(1)}))
      findings_.error(where(), "a Scalar must have shape [1]");
    if (const auto* other = std::get_if<OtherData>(&data_.kind))
      findings_.warning(where(), "containers of kind " + other->type +
                                    " are only carried: the program cannot be run");
  }

 private:
  Place where() const {
    return outer_ ? outer_->where().in("member '" + name_ + "'") : Place().data(name_);
  }
  void rank(std::string_view what, const std::vector<Expr>& list) {
    if (list.size() != data_.shape.size())
      findings_.error(where(), "has " + counted(data_.shape.size(), "dimension") + " but " +
                                  counted(list.size(), what));
  }
  void sizes(std::string_view what, const std::vector<Expr>& list, std::int64_t least) {
    for (std::size_t d = 0; d < list.size(); ++d) {
      const auto entry = [&] { return std::string(what) + "[" + std::to_string(d) + "]"; };
      if (const auto value = list[d].as_integer(); value && *value < least)
        findings_.error(where(),
                        entry() + " must not be negative, found " + std::to_string(*value));
      if (data_.transient && is_undefined(list[d]))
        findings_.error(where(), entry() + " is undefined (?), but needed to allocate memory");
    }
  }
  void array(const Array& array) {
    rank("stride", array.strides);
    rank("offset", array.offset);
    sizes("strides", array.strides, 0);
    sizes("total_size", {array.total_size}, 0);
    if (data_.transient)
      for (const Expr& e : array.offset)
        if (is_undefined(e))
          findings_.error(where(), "an offset is undefined (?), but needed to allocate memory");
  }
  void structure(const Structure& structure) {
    for (const auto& [name, member] : structure.members) {
      const auto here = [&] { return where().in("member '" + name + "'"); };
      if (!is_valid_name(name)) findings_.error(here(), "the name is not valid");
      if (structure.role == Role::Reference && name == "set")
        findings_.error(here(), "a structure that is referenced cannot have a member named 'set'",
                        "rename the member: the connector that sets references has this name");
      if (const auto* inner = std::get_if<Box<Data>>(&member))
        Descriptor(**inner, name, this, findings_).verify();
    }
  }

  const Data& data_;
  const std::string& name_;
  const Descriptor* outer_;
  Findings& findings_;
};

/// Sizes may read a container, but only one whose own sizes read none: so none needs itself.
void verify_sizes_end(const SdfgScope& scope, Findings& findings) {
  const auto& arrays = scope.sdfg.arrays;
  const auto is_data = [&](const std::string& name) { return arrays.contains(name); };
  if (std::ranges::none_of(scope.size_symbols, is_data)) return;
  std::map<std::string, SymbolSet> read;  // by container
  for (const auto& [name, data] : arrays) {
    SymbolSet symbols;
    collect_symbols(data, symbols);
    std::erase_if(symbols, [&](const std::string& symbol) { return !is_data(symbol); });
    if (!symbols.empty()) read.emplace(name, std::move(symbols));
  }
  for (const auto& [name, containers] : read)
    for (const std::string& container : containers)
      if (read.contains(container))
        findings.error(Place().data(name),
                       "its sizes read '" + container + "', whose own sizes read " +
                           quoted_list({read[container].begin(), read[container].end()}),
                       "a size may read containers of known size only");
}

}  // namespace

void verify_data(const SdfgScope& scope, Findings& findings) {
  for (const auto& [name, data] : scope.sdfg.arrays) {
    const auto where = [&] { return Place().data(name); };
    if (!is_valid_name(name))
      findings.error(where(), "the name is not valid",
                     "use letters, digits and underscores, not starting with a digit");
    if (!scope.outer && data.is_scalar() && !data.transient && name.starts_with("__return"))
      findings.error(where(), "a return value of the program cannot be a Scalar",
                     "use an Array of shape [1]");
    Descriptor(data, name, nullptr, findings).verify();
  }
  verify_sizes_end(scope, findings);
}

}  // namespace sdfg::detail
