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

  /// A line of C++, of parts that follow each other; beyond 100 columns it goes on in further
  /// lines, four spaces deeper.
  template <std::convertible_to<std::string_view>... Parts>
  void line(const Parts&... parts) {
    const std::size_t begin = begin_line();
    (text_.append(parts), ...);
    end_line(begin);
  }
  void blank();
  /// "text {" and one level deeper.
  template <std::convertible_to<std::string_view>... Parts>
  void open(const Parts&... parts) {
    (std::string_view(parts).empty() && ...) ? line("{") : line(parts..., " {");
    ++depth_;
  }
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
  /// Where a line starts: what is appended from here on becomes lines in the end.
  std::size_t begin_line();
  void end_line(std::size_t start);
  void append(std::size_t indent, std::string_view text);

  std::string text_;
  int depth_;
};

}  // namespace sdfg
