#include "tools/common/html.h"

#include "support/file.h"

namespace sdfg {
namespace {

constexpr std::string_view marker = "<!-- sdfg-files -->";

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = group << 8 | (at + i < bytes.size() ? std::uint8_t(bytes[at + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i)
      out += at + i <= bytes.size() ? digits[group >> (18 - 6 * i) & 63] : '=';
  }
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else if (c == '<') out += "&lt;";
    else out += c;
  }
  return out;
}

}  // namespace

Result<std::string> to_html(std::span<const ViewedFile> files) {
  const std::string_view page = viewer_page();
  const std::size_t at = page.find(marker);
  if (at == page.npos)
    return Diagnostic{"html", "this library was built without the viewer's page",
                      "build viewer/ first, then the library again"};
  std::string out(page.substr(0, at));
  for (const ViewedFile& file : files)
    out += "<script type=\"text/plain\" class=\"sdfg-file\" data-name=\"" + escaped(file.name) +
           "\">" + base64(gzip(file.bytes)) + "</script>\n";
  return out += page.substr(at + marker.size());
}

}  // namespace sdfg
