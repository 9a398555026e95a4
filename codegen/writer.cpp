#include "codegen/writer.h"

namespace sdfg {

void Writer::line(std::string_view text) {
  if (!text.empty()) text_.append(std::size_t(depth_) * 2, ' ').append(text);
  text_ += '\n';
}

void Writer::blank() {
  if (!text_.empty() && !text_.ends_with("\n\n") && !text_.ends_with("{\n")) text_ += '\n';
}

void Writer::open(std::string_view text) {
  line(text.empty() ? std::string("{") : std::string(text) + " {");
  ++depth_;
}

void Writer::close(std::string_view text) {
  --depth_;
  line(text);
}

void Writer::flush_left(std::string_view text) { text_.append(text).append("\n"); }

void Writer::verbatim(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    line(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
}

}  // namespace sdfg
