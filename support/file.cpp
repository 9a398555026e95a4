#include "support/file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

#include <fcntl.h>
#include <libdeflate.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace sdfg {
namespace {

std::string reason() { return std::strerror(errno); }

struct Descriptor {
  int fd = -1;
  ~Descriptor() {
    if (fd > 2) ::close(fd);
  }
};

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(std::size_t(n));
  }
  return true;
}

/// Room for the content: its length modulo 2^32 is in the last four bytes, unless the file is cut
/// short or has several parts; so what they say is believed within reason.
std::size_t unpacked_size(std::string_view gzipped) {
  std::size_t size = 0;
  for (std::size_t i = 1; i <= 4 && i <= gzipped.size(); ++i)
    size = size << 8 | static_cast<unsigned char>(gzipped[gzipped.size() - i]);
  return std::clamp<std::size_t>(size, 4096, std::max<std::size_t>(gzipped.size() * 8, 1 << 24));
}

/// The content of a file that is one whole member of at most `limit` bytes, as nearly every one is.
std::optional<std::string> unpack_one_member(std::string_view bytes, std::size_t limit) {
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor(
      ::libdeflate_alloc_decompressor(), ::libdeflate_free_decompressor);
  if (!decompressor) return std::nullopt;
  std::string out;
  out.resize(std::min(limit, unpacked_size(bytes)));
  std::size_t read = 0, written = 0;
  const auto status =
      ::libdeflate_gzip_decompress_ex(decompressor.get(), bytes.data(), bytes.size(), out.data(),
                                      out.size(), &read, &written);
  if (status != LIBDEFLATE_SUCCESS || read != bytes.size()) return std::nullopt;
  out.resize(written);
  return out;
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  Descriptor file;
  file.fd = path == "-" ? 0 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file.fd < 0) return Diagnostic{path, "cannot be opened: " + reason()};
  struct stat info {};
  if (::fstat(file.fd, &info) == 0 && S_ISDIR(info.st_mode))
    return Diagnostic{path, "is a folder", "name a file"};
  std::string bytes;
  std::size_t used = 0;
  bytes.resize(info.st_size > 0 ? std::size_t(info.st_size) + 1 : 65536);
  for (;;) {
    if (used == bytes.size()) bytes.resize(2 * used);
    const ssize_t n = ::read(file.fd, bytes.data() + used, bytes.size() - used);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Diagnostic{path, "cannot be read: " + reason()};
    if (n == 0) break;
    used += std::size_t(n);
  }
  bytes.resize(used);
  return bytes;
}

Status write_file(const std::string& path, std::string_view bytes) {
  if (path == "-") {
    if (!write_all(1, bytes))
      return Diagnostic{"standard output", "cannot be written: " + reason()};
    return Ok{};
  }
  // A device or pipe cannot be replaced by a rename.
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    Descriptor file;
    file.fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file.fd < 0 || !write_all(file.fd, bytes))
      return Diagnostic{path, "cannot be written: " + reason()};
    return Ok{};
  }
  std::string temporary = path + ".XXXXXX";
  Descriptor file;
  file.fd = ::mkstemp(temporary.data());
  if (file.fd < 0) return Diagnostic{path, "cannot be written: " + reason()};
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (!write_all(file.fd, bytes) || ::fchmod(file.fd, 0666 & ~mask) != 0 ||
      std::rename(temporary.c_str(), path.c_str()) != 0) {
    const Diagnostic error{path, "cannot be written: " + reason()};
    ::unlink(temporary.c_str());
    return error;
  }
  return Ok{};
}

bool is_gzip(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

Result<std::string> gunzip(std::string_view bytes, std::size_t limit) {
  if (auto content = unpack_one_member(bytes, limit)) return std::move(*content);
  // zlib goes through all else in small steps, and can say what is wrong.
  z_stream stream{};
  if (::inflateInit2(&stream, 15 + 16) != Z_OK) return Diagnostic{"", "zlib cannot be started"};
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, ::inflateEnd);
  std::string out;
  out.resize(std::min(limit, unpacked_size(bytes)));
  std::size_t used = 0;
  std::string_view rest = bytes;
  for (;;) {
    constexpr std::size_t most = 1u << 30;  // zlib counts in 32 bits
    const std::size_t given = std::min(rest.size(), most);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
    stream.avail_in = uInt(given);
    if (used == out.size()) {
      if (out.size() >= limit)
        return Diagnostic{
            "", "the compressed data unpacks to more than " + std::to_string(limit) + " bytes"};
      out.resize(std::min(limit, out.size() * 2));
    }
    const std::size_t room = std::min(out.size() - used, most);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + used);
    stream.avail_out = uInt(room);
    const int status = ::inflate(&stream, Z_NO_FLUSH);
    rest.remove_prefix(given - stream.avail_in);
    used += room - stream.avail_out;
    if (status == Z_STREAM_END) {
      if (rest.empty()) break;
      if (!is_gzip(rest))
        return Diagnostic{"byte " + std::to_string(bytes.size() - rest.size()),
                          "something that is not gzip follows the compressed data"};
      ::inflateReset(&stream);
      continue;
    }
    if (status == Z_BUF_ERROR || (status == Z_OK && rest.empty() && stream.avail_out != 0))
      return Diagnostic{"byte " + std::to_string(bytes.size()), "the compressed data is cut short",
                        "copy the file again"};
    if (status != Z_OK)
      return Diagnostic{"byte " + std::to_string(bytes.size() - rest.size()),
                        "the compressed data is corrupt: " +
                            std::string(stream.msg ? stream.msg : "unknown zlib error")};
  }
  out.resize(used);
  return out;
}

std::string gzip(std::string_view bytes) {
  // A level that packs twice as fast as zlib does by default, for a sixth more bytes.
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      ::libdeflate_alloc_compressor(4), ::libdeflate_free_compressor);
  SDFG_ASSERT(compressor);
  std::string out;
  out.resize(::libdeflate_gzip_compress_bound(compressor.get(), bytes.size()));
  out.resize(::libdeflate_gzip_compress(compressor.get(), bytes.data(), bytes.size(), out.data(),
                                        out.size()));
  return out;
}

}  // namespace sdfg
