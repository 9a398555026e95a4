#pragma once

#include <string>
#include <vector>

#include "passes/transformation.h"

namespace sdfg {

/// The name under which a demoted field's descriptor waits to be restored.
inline constexpr std::string_view demoted_prefix = "__demoted_";
/// An argument again, after restore-fields, with the caller's shape.
inline bool is_demoted(const Sdfg& sdfg, const std::string& field) {
  return sdfg.arrays.contains(std::string(demoted_prefix) + field);
}

struct DemoteFields {
  static constexpr PassInfo info{
      .name = "demote-fields",
      .summary = "treat arguments as transients until restore-fields",
      .details = R"(
    program(A, tmp, B)   fields=tmp      =>     program(A, B, __demoted_tmp), transient tmp

The user's word that nobody outside needs what the program leaves in these fields, nor gives it
something in them: then they can be fused away like transients. Their descriptors stay arguments under
another name until restore-fields brings them back.

Refused for names that are no arrays among the arguments, for views, and for fields that the program
reads before it can have written them in the first state that uses them.)",
  };
  struct Options {
    std::vector<std::string> fields;
    static constexpr auto properties =
        property_list(property("fields", &Options::fields, "arguments that nobody needs outside"));
  };

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

struct RestoreFields {
  static constexpr PassInfo info{
      .name = "restore-fields",
      .summary = "make demoted fields arguments again",
      .details = R"(
    program(A, B, __demoted_tmp), transient tmp      =>     program(A, tmp, B)

The end of demote-fields. A field that nothing uses any more is an argument again that nobody touches,
so the caller need not change.

Refused, and the field stays a transient beside the argument's descriptor, when passes have given it
another type, shape or strides in the meantime.)",
  };
  struct Options {};

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
