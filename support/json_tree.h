#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace sdfg::json {

enum class Kind : std::uint8_t { Null, False, True, Number, String, Array, Object };

class Value;

/// A JSON document as an ordered tree of slices of its text, which must outlive it. Numbers stay
/// tokens and strings stay escaped, so nothing is lost or copied. Python's NaN, Infinity and
/// -Infinity count as numbers.
class Tree {
 public:
  /// Checks the whole grammar. The error's place is "line:column".
  static Result<Tree> parse(std::string_view text);

  std::string_view text() const { return text_; }
  Value root() const;
  /// Levels of nesting; 1 for a scalar.
  std::size_t depth() const { return depth_; }
  /// "nodes[3].attributes.label", for messages; "" for the root.
  std::string path(Value value) const;
  /// The outermost value that begins at the offset; check with valid().
  Value at_offset(std::uint32_t begin) const;

 private:
  friend class Value;
  friend class Builder;
  // Values in the order of the text: the first child of a value is the next one, its sibling is
  // at `skip`.
  struct Node {
    std::uint32_t begin, end;  // of the value in the text
    std::uint32_t key = 0;     // where the member's key begins, behind its quote; 0: an item
    std::uint32_t key_size : 31 = 0, key_escaped : 1 = 0;
    std::uint32_t skip = 0;
    std::uint32_t count : 28 = 0, escaped : 1 = 0, kind : 3 = 0;
  };

  std::string_view text_;
  std::vector<Node> nodes_;
  std::size_t depth_ = 0;
};

/// One value of a tree, which must outlive it.
class Value {
 public:
  Value() = default;
  Kind kind() const { return Kind(node().kind); }
  bool is(Kind kind) const { return this->kind() == kind; }
  bool is_null() const { return is(Kind::Null); }
  bool is_string() const { return is(Kind::String); }
  bool is_number() const { return is(Kind::Number); }
  bool is_bool() const { return is(Kind::True) || is(Kind::False); }
  bool is_array() const { return is(Kind::Array); }
  bool is_object() const { return is(Kind::Object); }
  /// The text of the value, verbatim.
  std::string_view raw() const { return slice(node().begin, node().end); }
  std::uint32_t begin_offset() const { return node().begin; }
  std::uint32_t end_offset() const { return node().end; }

  /// The key of an object's member, as written; compare it only when it has no escapes.
  std::string_view raw_key() const { return slice(node().key, node().key + node().key_size); }
  bool key_is(std::string_view name) const {
    return node().key_escaped ? key() == name : raw_key() == name;
  }
  std::string key() const;

  /// Of a string: what stands between the quotes.
  std::string_view raw_string() const { return slice(node().begin + 1, node().end - 1); }
  bool has_escapes() const { return node().escaped; }
  bool string_is(std::string_view text) const {
    return is_string() && (has_escapes() ? string() == text : raw_string() == text);
  }
  std::string string() const;

  /// Items or members.
  std::size_t size() const { return node().count; }
  class Iterator;
  Iterator begin() const;
  Iterator end() const;
  /// The last member of that name, as Python reads duplicates; check with valid().
  Value find(std::string_view name) const;
  bool valid() const { return tree_ != nullptr; }
  bool operator==(const Value&) const = default;

 private:
  friend class Tree;
  friend class Iterator;
  Value(const Tree* tree, std::uint32_t at) : tree_(tree), at_(at) {}
  const Tree::Node& node() const { return tree_->nodes_[at_]; }
  std::string_view slice(std::uint32_t begin, std::uint32_t end) const {
    return tree_->text_.substr(begin, end - begin);
  }
  const Tree* tree_ = nullptr;
  std::uint32_t at_ = 0;
};

class Value::Iterator {
 public:
  Iterator(const Tree* tree, std::uint32_t at) : tree_(tree), at_(at) {}
  Value operator*() const { return {tree_, at_}; }
  Iterator& operator++() {
    at_ = tree_->nodes_[at_].skip;
    return *this;
  }
  bool operator==(const Iterator&) const = default;

 private:
  const Tree* tree_;
  std::uint32_t at_;
};

inline Value Tree::root() const { return {this, 0}; }
inline Value::Iterator Value::begin() const {
  const bool has_children = is_array() || is_object();
  return {tree_, has_children ? at_ + 1 : node().skip};
}
inline Value::Iterator Value::end() const { return {tree_, node().skip}; }

/// Resolves the escapes of a JSON string's content. Lone surrogates become U+FFFD.
std::string unescape(std::string_view raw);
/// The next byte from there on that is not a printable ASCII character, or is a quote or a
/// backslash; else the text's size.
std::size_t next_special(std::string_view text, std::size_t at);
/// The length of the UTF-8 character that begins there, or 0: no overlong forms, no surrogates,
/// nothing above U+10FFFF.
std::size_t utf8_length(std::string_view text, std::size_t at);
/// Appends a JSON string, in ASCII as Python writes it. A byte that is not UTF-8 becomes U+FFFD.
void append_string(std::string& out, std::string_view text);
/// A member's key with the comma before it, unless it is the first, and the colon behind it.
void append_key(std::string& out, std::string_view key, bool first);
inline std::string quoted(std::string_view text) {
  std::string out;
  append_string(out, text);
  return out;
}
/// In decimal; between quotes if asked for.
void append_int(std::string& out, std::int64_t value, bool quotes = false);
/// "a number", "the string 'abc'", … for messages.
std::string describe(Value value);

}  // namespace sdfg::json
