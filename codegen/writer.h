#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

namespace sdfg {

/// Collects lines of C++ with two spaces of indentation per open block.
class Writer {
 public:
  explicit Writer(int depth = 0) : depth_(depth) {}

  /// A line of C++; beyond 100 columns it goes on in further lines, four spaces deeper.
  void line(std::string_view text);
  /// The same, of parts that follow each other.
  template <std::convertible_to<std::string_view>... Parts>
    requires(sizeof...(Parts) > 1)
  void line(const Parts&... parts) {
    line_.clear();
    (line_.append(parts), ...);
    line(line_);
  }
  void blank();
  /// "text {" and one level deeper.
  void open(std::string_view text);
  void close(std::string_view text = "}");
  void indent() { ++depth_; }
  /// Text that is indented already.
  void raw(std::string_view text) { text_.append(text); }
  /// Lines at column 0: preprocessor directives and labels.
  void flush_left(std::string_view text);
  /// Several lines of foreign text, each indented as it stands.
  void verbatim(std::string_view text);

  /// Where the next line goes, and lines put there later.
  std::size_t mark() const { return text_.size(); }
  void insert(std::size_t mark, std::string_view text) { text_.insert(mark, text); }

  void truncate(std::size_t mark) { text_.resize(mark); }

  int depth() const { return depth_; }
  const std::string& text() const { return text_; }
  std::string take() { return std::move(text_); }

 private:
  void append(std::size_t indent, std::string_view text);

  std::string text_;
  std::string line_;  ///< memory for a line of parts
  int depth_;
};

}  // namespace sdfg
