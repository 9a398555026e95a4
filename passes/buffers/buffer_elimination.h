#pragma once

#include "passes/transformation.h"

namespace sdfg {

// The array eliminations. All ask one question (passes/buffers/shared_storage.h: may this container
// live in that one?) and rewrite in one way; each is about the containers that its picture shows.
// The names are those under which DaCe's and GT4Py's users know them. `redundant-array-elimination`
// is about all of them, and explains what is refused.

/// Options of all of them.
struct BufferOptions {
  bool assume_pointwise = false;
  static constexpr auto properties = property_list(
      property("assume_pointwise", &BufferOptions::assume_pointwise,
               "where a map or a nested SDFG reads and writes one container, and it cannot be told "
               "which elements, it does so element by element, but in gathers"));
};

struct RedundantArrayElimination {
  static constexpr PassInfo info{
      .name = "redundant-array-elimination",
      .summary = "let copied containers live in what they are copied to or from",
      .details = R"(
    map -> T -> G[5:15]        =>   map -> G[5:15]
    G[5:15] -> T -> map        =>   G[5:15] -> map
    G -> T -> map -> T -> G    =>   G -> map -> G

A transient T that is copied to a part of G, or from it, may live there: its accesses become accesses
of G, in every state, through maps, views and nested SDFGs, and the copies go. Copies of a container
onto itself go, too. Unit dimensions may come and go; containers that are copied as a whole or in part,
to the caller's containers or among transients, in one state or over branches and loops, are one case:
T and G may be one as long as they never hold different values that are both still needed. The order
of the nodes in a state counts; where edges leave the order of a read and a write open, an empty memlet
is added. A map that writes one value to the same element of both writes it once. A transient G that
ends before T does gets longer in one dimension, where T fills it in the others.

Refused when G is written while T's values are still read; when G is read, or seen by the caller,
after T is written and before that is copied; when parts of T lie beyond what is copied and may not
exist in G; when a map reads one and writes the other, and not certainly each point the element that
it writes; when element types, storages or lifetimes differ, the copy changes the order of elements, or
one is a view, a reference or read by name; when T is one value that others read, too, and G an argument
(they would read memory, not a register); and when what a library node, a C++ tasklet or a view sees
would have other dimensions or strides than it is made for.)",
  };
  struct Options {
    bool assume_pointwise = false, keep_versions = false;
    static constexpr auto properties = property_list(
        property("assume_pointwise", &Options::assume_pointwise,
                 "element p of an argument depends on no other element of it, but in gathers"),
        property(
            "keep_versions", &Options::keep_versions,
            "no container gets a second version in a state, no transient is composed of others: "
            "splitting can take them apart"));
  };

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

struct CopyChainElimination {
  static constexpr PassInfo info{
      .name = "copy-chain-elimination",
      .summary = "shorten chains of copies within a state",
      .details = R"(
    map -> A -> B -> C[3:13]    =>   map -> C[3:13]
    C[3:13] -> A -> B -> map    =>   C[3:13] -> map

redundant-array-elimination for transients that one state uses and that are copied in one direction:
to what they may live in, or from it.)",
  };
  using Options = BufferOptions;

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

struct MapBufferElimination {
  static constexpr PassInfo info{
      .name = "map-buffer-elimination",
      .summary = "let maps write where their results are copied to",
      .details = R"(
    map -> T -> G    =>   map -> G

redundant-array-elimination for transients that one map writes and one copy reads.)",
  };
  using Options = BufferOptions;

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

/// Which copies of a container onto itself, directly or through a transient, are looked for.
enum class SelfCopies : std::uint8_t { Direct, State, Program };
template <>
inline constexpr std::array<std::string_view, 3> names<SelfCopies>{"direct", "state", "program"};

struct SelfCopyElimination {
  static constexpr PassInfo info{
      .name = "self-copy-elimination",
      .summary = "remove copies that give a container its own values",
      .details = R"(
    G -> G                      =>
    G -> T -> G                 =>
    a: G -> T    b: T -> G      =>   a:    b:

Copies of elements onto themselves; with `reach=state`, those by way of a transient in one state; with
`reach=program`, by way of a transient at any distance. What else reads or writes the transient reads or
writes G, as in redundant-array-elimination.)",
  };
  struct Options {
    SelfCopies reach = SelfCopies::Program;
    bool assume_pointwise = false;
    static constexpr auto properties =
        property_list(property("reach", &Options::reach, "direct, state or program"),
                      property("assume_pointwise", &Options::assume_pointwise,
                               "as in redundant-array-elimination"));
  };

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

struct WriteBackElimination {
  static constexpr PassInfo info{
      .name = "write-back-elimination",
      .summary = "let transients live where a later state copies them",
      .details = R"(
    a: map -> T -> map    b: T -> G    =>   a: map -> G -> map    b:

redundant-array-elimination for transients that are written in other states than the one that copies
them, and read by others, too.)",
  };
  using Options = BufferOptions;

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

struct DistributedBufferRelocation {
  static constexpr PassInfo info{
      .name = "distributed-buffer-relocation",
      .summary = "write results of branches where they are copied to behind them",
      .details = R"(
    if c { map -> T } else { map -> T }    =>   if c { map -> G } else { map -> G }
    T -> G

redundant-array-elimination for transients that other states write and that are read by the copy only.)",
  };
  using Options = BufferOptions;

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

struct AccessNodeCopyElimination {
  static constexpr PassInfo info{
      .name = "access-node-copy-elimination",
      .summary = "work in place on containers that are copied out and back",
      .details = R"(
    G -> T1 -> map -> T1 -> T2 -> G    =>   G -> map -> G

redundant-array-elimination for transients on a way of copies from a container of the caller back to
it within a state, as in the solvers of ICON4Py.)",
  };
  using Options = BufferOptions;

  static Result<Changed> run(Sdfg& sdfg, const Options& options, PassContext& context);
};

}  // namespace sdfg
