#pragma once

#include <span>
#include <string>
#include <string_view>

#include "support/result.h"

namespace sdfg {

/// A file that the viewer shows: an SDFG or a history first, then reports
/// (viewer/docs/history-format.md).
struct ViewedFile {
  std::string name, bytes;
};

/// The viewer with the files in it: one page that opens without a server.
Result<std::string> to_html(std::span<const ViewedFile> files);

/// The page as `viewer/` builds it, embedded when the library was built.
std::string_view viewer_page();

}  // namespace sdfg
