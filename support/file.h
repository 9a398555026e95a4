#pragma once

#include <string>
#include <string_view>

#include "support/result.h"

namespace sdfg {

/// Reads a whole file; "-" is standard input.
Result<std::string> read_file(const std::string& path);
/// Writes a whole file through a temporary neighbour and a rename, so that readers never see half
/// of it; "-" is standard output.
Status write_file(const std::string& path, std::string_view bytes);

bool is_gzip(std::string_view bytes);
/// Unpacks one or more gzip members. The error tells a truncated stream from a corrupt one, and
/// stops at `limit` bytes of output: no reader here takes more than 4 GiB.
Result<std::string> gunzip(std::string_view bytes, std::size_t limit = std::size_t(4) << 30);
/// Packs without a time stamp or a name, so that the same bytes give the same bytes.
std::string gzip(std::string_view bytes);

}  // namespace sdfg
