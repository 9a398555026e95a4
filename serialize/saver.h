#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/sdfg.h"
#include "serialize/content_hash.h"
#include "serialize/save.h"
#include "support/json_tree.h"

namespace sdfg::detail {

class Loader;

/// Writes one SDFG. Everything is appended to `out`.
///
/// With profile `keep` each element that its content hash shows unchanged is copied from the
/// source. A changed one is merged with what the file says about it: a member keeps its text unless
/// our own writing of the element as it was then differs from our writing of it now.
class Saver {
 public:
  std::string out;
  bool keep = false;
  /// compat's conventions: PLAIN text, five-key debug information.
  bool plain = false;
  Dialect from = Dialect::Typed, to = Dialect::Typed;  ///< of carried text; of what is written
  std::uint64_t source_tag = 0;

  // ---- For `keep`.
  const std::vector<ContentHash>* hashes = nullptr;
  const json::Tree* source = nullptr;
  Loader* loader = nullptr;  ///< reads elements of the source once more
  /// The element's place in the source, if it came from there.
  json::Value original(const Origin& origin) const;
  /// Copies the element if it did not change.
  bool copy_unchanged(const Origin& origin, std::size_t record);
  std::size_t end_of(std::size_t record) const {
    return hashes ? (*hashes)[record].end : record + 1;
  }

  /// Symbols that the file declares for the SDFG being written and that it has no more. The file's
  /// words may name them all the same, as in `N + i - i`; such words do not stay.
  struct Lost {
    SymbolSet names;
    std::uint64_t lengths = 0;  ///< bit n % 64: a name has n characters

    void insert(std::string name) {
      lengths |= std::uint64_t(1) << name.size() % 64;
      names.insert(std::move(name));
    }
    bool contains(std::string_view word) const {
      return (lengths >> word.size() % 64 & 1) != 0 && names.contains(word);
    }
  };
  Lost lost;
  bool names_lost(std::string_view text) const;

  /// Leaves out what stands for itself: graphs, containers, ids. True for the base of a merge.
  bool own_only = false;
  bool head() const { return !keep && !plain; }
  /// A saver of the same conventions for the base of a merge.
  Saver for_base() const;

  std::int64_t next_cfg = 0;  ///< the number of the next control-flow graph
  bool index_files = false;   ///< debug information names files by their place in `files`
  std::vector<std::string> files;
  std::int64_t index_of_file(const std::string& name);

  void text(std::string_view t) { json::append_string(out, t); }
  void raw(std::string_view t) { out.append(t); }
  void integer(std::int64_t v) { json::append_int(out, v); }
  void quoted_integer(std::int64_t v) { json::append_int(out, v, true); }
  void symbolic(const Expr& e);
  std::string symbolic_text(const Expr& e) { return print_symbolic(e, to); }
  /// JSON that we carry: symbolic text in it changes dialect, white space goes.
  void carried(std::string_view key, std::string_view json);

 private:
  std::map<std::string, std::int64_t> file_index_;
  // Look-ups only: what was printed for an expression, by its hash. The savers of bases share it.
  using Printed = std::unordered_map<std::size_t, std::vector<std::pair<Expr, std::string>>>;
  std::shared_ptr<Printed> printed_ = std::make_shared<Printed>();
};

/// What was written for an object: where the members' values lie in the text, and the members of
/// those that are objects. Names belong to what was written.
struct Written {
  std::string_view name;
  std::size_t begin = 0, end = 0;
  std::vector<Written> members{};
};

/// The members of one object, between braces. With an `original` they are merged with it; `base` is
/// what we would have written for the original, whose text is `base_text`.
class Members {
 public:
  explicit Members(Saver& to) : to_(to) { to_.out += '{'; }
  Members(Saver& to, Written& record) : Members(to) { record_ = &record; }
  Members(Saver& to, json::Value original, const Written* base, std::string_view base_text)
      : Members(to) {
    original_ = original, base_ = base, base_text_ = base_text;
  }
  /// Writes what is left of the original, then the brace.
  void close();

  template <class F>
  void put(std::string_view name, F write_value) {
    const std::size_t before = to_.out.size();
    const bool was_first = first_;
    begin(name);
    const std::size_t at = to_.out.size();
    write_value();
    if (record_) record_->members.push_back({name, at, to_.out.size()});
    if (original_.valid()) merge(name, before, at, was_first);
  }
  /// A member that is written whatever the original has.
  template <class F>
  void put_always(std::string_view name, F write_value) {
    begin(name);
    const std::size_t at = to_.out.size();
    write_value();
    if (record_) record_->members.push_back({name, at, to_.out.size()});
    mark(name);
  }
  /// A member that is an object, merged in its turn.
  template <class F>
  void put_object(std::string_view name, F put_members) {
    begin(name);
    Members inner(to_, find_original(name), find_base(name), base_text_);
    Written written{name, to_.out.size() - 1};
    if (record_) inner.record_ = &written;
    put_members(inner);
    inner.close();
    written.end = to_.out.size();
    if (record_) record_->members.push_back(std::move(written));
    mark(name);
  }
  /// An id: the original's spelling stays when it is the same number.
  void put_index(std::string_view name, std::optional<std::uint32_t> value, bool as_text);
  /// Drops what the original has under that name.
  void drop(std::string_view name) { mark(name); }
  bool original_has(std::string_view name) { return find_original(name).valid(); }
  json::Value original() const { return original_; }
  Saver& saver() { return to_; }

 private:
  void begin(std::string_view name) {
    json::append_key(to_.out, name, first_);
    first_ = false;
  }
  void merge(std::string_view name, std::size_t before, std::size_t at, bool was_first);
  /// The member of the original or the base, if there is such.
  json::Value find_original(std::string_view name);
  const Written* find_base(std::string_view name);
  void mark(std::string_view name) {
    if (original_.valid()) done_.push_back(name);
  }

  Saver& to_;
  json::Value original_;
  const Written* base_ = nullptr;
  std::string_view base_text_;
  std::size_t next_base_ =
      0;  ///< members come in one order, so that the next one asked for is here
  Written* record_ = nullptr;
  bool first_ = true;
  std::vector<std::string_view> done_;  ///< names that were put, which outlive the object's writing
  std::unordered_map<std::string, json::Value> by_name_;  ///< of an original with many members
};

// ---- Values.
void write_value(Saver& to, bool v);
void write_value(Saver& to, std::int64_t v);
void write_value(Saver& to, const std::string& v);
void write_value(Saver& to, const Expr& v);
void write_value(Saver& to, const Type& v);
void write_value(Saver& to, const Code& v);
void write_value(Saver& to, const DebugInfo& v);
void write_value(Saver& to, const Range& v);
void write_value(Saver& to, const std::vector<Range>& v);
void write_value(Saver& to, const Subset& v);
void write_value(Saver& to, const OrderedMap<Expr>& v);
template <NamedEnum E>
void write_value(Saver& to, E v) {
  to.text(to_text(v));
}
template <Optional O>
void write_value(Saver& to, const O& v) {
  if (v)
    write_value(to, *v);
  else
    to.raw("null");
}
template <class T, class Default>
void write_value(Saver& to, const Rare<T, Default>& v) {
  write_value(to, *v);
}
template <class T>
void write_value(Saver& to, const std::vector<T>& v) {
  to.out += '[';
  bool first = true;
  for (const T& item : v) {
    if (!first) to.out += ',';
    first = false;
    write_value(to, item);
  }
  to.out += ']';
}
template <class T, class Less>
void write_value(Saver& to, const std::map<std::string, T, Less>& v) {
  to.out += '{';
  bool first = true;
  for (const auto& [name, value] : v) {
    if (!first) to.out += ',';
    first = false;
    to.text(name);
    to.out += ':';
    write_value(to, value);
  }
  to.out += '}';
}

// ---- Enumeration members that DaCe 2 no longer has: it cannot read a file with them.
inline bool gone(Storage v) { return v >= Storage::FpgaGlobal && v <= Storage::FpgaShiftRegister; }
inline bool gone(Schedule v) { return v >= Schedule::Unrolled && v <= Schedule::FpgaMultiPumped; }
inline bool gone(Instrumentation v) { return v == Instrumentation::Fpga; }
template <class V>
bool gone(const V&) {
  return false;
}

/// Is there a carried text for the attribute?
const std::string* find_extra(const Extras& extras, std::string_view name);

/// Writes a property unless it has its default; `always` even then. A carried value of that name
/// (one the field could not hold) wins over the default.
template <class P, class V>
void put_property(Members& members, const P& p, const V& value, const V& fallback,
                  const Extras& extras, bool always = false) {
  if (members.saver().head() && gone(value)) return;
  if (value == fallback && (!always || find_extra(extras, p.name))) return;
  members.put(p.name, [&] { write_value(members.saver(), value); });
}
template <class T>
void put_properties(Members& members, const T& object, const Extras& extras) {
  [[maybe_unused]] static const T fallback{};
  for_each_property(object, [&](const auto& p, const auto& value) {
    put_property(members, p, value, fallback.*(p.member), extras);
  });
}
/// Does the object have a property of that name that is not at its default?
template <class T>
bool is_set(const T& object, std::string_view name) {
  [[maybe_unused]] static const T fallback{};
  bool set = false;
  if constexpr (requires { T::properties; })
    for_each_property(object, [&](const auto& p, const auto& value) {
      set |= p.name == name && !(value == fallback.*(p.member));
    });
  return set;
}
inline constexpr auto never = [](std::string_view) { return false; };
/// The carried attributes, but those whose field has been written; positional ones if asked for.
template <class Written>
void put_extras(Members& members, const Extras& extras, std::string_view prefix, Written written) {
  for (const auto& [key, value] : extras) {
    if (key.empty() || key.starts_with('/') != !prefix.empty() || !key.starts_with(prefix))
      continue;
    const std::string_view name = std::string_view(key).substr(prefix.size());
    if (prefix == "/" && name.starts_with('/')) continue;
    if (written(name)) continue;
    members.put(name, [&] { members.saver().carried(name, value); });
  }
}

// ---- Elements. `record` is the element's place among the content hashes.
void save_data(Saver& to, const Data& data, std::size_t record);
void save_state(Members& members, const State& state, std::size_t record);
/// `index` is nothing for the region of a conditional's branch.
void save_block(Saver& to, const Block& block, std::optional<std::uint32_t> index,
                std::size_t record);
/// `root` says that it is not nested.
void save_sdfg(Saver& to, const Sdfg& sdfg, std::size_t record, bool root);

/// Positions of live ids in their graph: what JSON calls ids.
template <class Graph>
std::vector<std::uint32_t> positions(const Graph& graph) {
  std::vector<std::uint32_t> out(graph.id_bound(), ~0u);
  std::uint32_t next = 0;
  for (const auto id : graph.nodes()) out[id.value] = next++;
  return out;
}

/// Writes an element as an object: `put(members, element)`. If it comes from the source it is
/// merged with what stands there, which `read` reads once more.
template <class T, class Read, class Put>
void save_merged(Saver& to, const T& element, const Origin& origin, Read read, Put put) {
  if (const json::Value original = to.original(origin); original.valid()) {
    T old{};
    if (read(original, old)) {
      Saver base = to.for_base();
      Written written;
      Members members(base, written);
      put(members, old);
      members.close();
      Members merged(to, original, &written, base.out);
      put(merged, element);
      merged.close();
      return;
    }
  }
  Members members(to);
  put(members, element);
  members.close();
}

}  // namespace sdfg::detail
