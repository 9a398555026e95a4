// NumPy's .npz: a zip archive of .npy files. Of zip we read what NumPy and ordinary tools write:
// one volume, members stored or deflated, sizes and offsets of 64 bits. Sizes come from the
// central directory, so that members written as a stream (sizes behind the data) read as well.

#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "codegen/array.h"
#include "support/text.h"

namespace sdfg {
namespace {

constexpr std::uint64_t size_limit = std::uint64_t(16) << 30;  // of one unpacked member

struct Member {
  std::string name;
  std::uint64_t packed_size = 0, size = 0, offset = 0;
  std::uint32_t crc = 0;
  unsigned method = 0;
  bool encrypted = false;
};

/// A little-endian number of `width` bytes. The caller has checked that it is there.
std::uint64_t number_at(std::string_view bytes, std::uint64_t at, int width) {
  std::uint64_t value = 0;
  for (int i = width; i-- > 0;) value = value << 8 | std::uint8_t(bytes[at + std::uint64_t(i)]);
  return value;
}

bool has(std::string_view bytes, std::uint64_t at, std::uint64_t size) {
  return at <= bytes.size() && size <= bytes.size() - at;
}

Diagnostic broken(std::string_view what) {
  return {"", "not a readable .npz file: " + std::string(what),
          "expected a zip archive of .npy files as numpy.savez writes it"};
}

/// Where the central directory is and how many members it lists.
struct Directory {
  std::uint64_t offset, count;
};

Result<Directory> find_directory(std::string_view bytes) {
  constexpr std::size_t end_size = 22;
  const std::size_t end = bytes.rfind(std::string_view("PK\5\6", 4));
  if (end == std::string_view::npos || !has(bytes, end, end_size))
    return broken("the end of the archive's directory is missing (a truncated file?)");
  Directory directory{number_at(bytes, end + 16, 4), number_at(bytes, end + 10, 2)};
  // Zip64: a locator right before the end record names the place of the larger record.
  if (end >= 20 && bytes.substr(end - 20, 4) == std::string_view("PK\6\7", 4)) {
    const std::uint64_t at = number_at(bytes, end - 20 + 8, 8);
    if (!has(bytes, at, 56) || bytes.substr(at, 4) != std::string_view("PK\6\6", 4))
      return broken("the zip64 record is not where the archive says");
    directory = {number_at(bytes, at + 48, 8), number_at(bytes, at + 32, 8)};
  }
  return directory;
}

/// Sizes and offset that do not fit 32 bits stand in an extra field, only those, in this order.
void read_zip64_extra(std::string_view extra, Member& member) {
  while (extra.size() >= 4) {
    const std::uint64_t id = number_at(extra, 0, 2), size = number_at(extra, 2, 2);
    if (!has(extra, 4, size)) return;
    if (id == 1) {
      std::uint64_t at = 4;
      for (std::uint64_t* field : {&member.size, &member.packed_size, &member.offset})
        if (*field == 0xffffffff && at + 8 <= 4 + size) {
          *field = number_at(extra, at, 8);
          at += 8;
        }
    }
    extra.remove_prefix(4 + size);
  }
}

Result<std::vector<Member>> list_members(std::string_view bytes) {
  SDFG_TRY(const Directory directory, find_directory(bytes));
  std::vector<Member> members;
  std::uint64_t at = directory.offset;
  for (std::uint64_t i = 0; i < directory.count; ++i) {
    if (!has(bytes, at, 46) || bytes.substr(at, 4) != std::string_view("PK\1\2", 4))
      return broken("entry " + std::to_string(i) + " of the directory is damaged");
    const std::uint64_t name = number_at(bytes, at + 28, 2), extra = number_at(bytes, at + 30, 2),
                        comment = number_at(bytes, at + 32, 2);
    if (!has(bytes, at + 46, name + extra + comment))
      return broken("entry " + std::to_string(i) + " of the directory is cut off");
    Member member;
    member.name = bytes.substr(at + 46, name);
    member.encrypted = number_at(bytes, at + 8, 2) & 1;
    member.method = unsigned(number_at(bytes, at + 10, 2));
    member.crc = std::uint32_t(number_at(bytes, at + 16, 4));
    member.packed_size = number_at(bytes, at + 20, 4);
    member.size = number_at(bytes, at + 24, 4);
    member.offset = number_at(bytes, at + 42, 4);
    read_zip64_extra(bytes.substr(at + 46 + name, extra), member);
    members.push_back(std::move(member));
    at += 46 + name + extra + comment;
  }
  return members;
}

Result<std::string> inflate_member(std::string_view packed, std::uint64_t size) {
  std::string out;
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return broken("zlib does not start");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = uInt(packed.size());
  std::array<char, 1 << 16> chunk;
  int status = Z_OK;
  // Grows with what is there, so that a small file that declares a large size costs nothing.
  while (status == Z_OK && out.size() <= size) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = uInt(chunk.size());
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(chunk.data(), chunk.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END || out.size() != size) return broken("its compressed data is damaged");
  return out;
}

Result<std::string> unpack(std::string_view bytes, const Member& member) {
  if (member.encrypted) return broken("it is encrypted");
  if (member.size > size_limit || member.packed_size > 0xffffffff)
    return broken("it is larger than we read");
  if (!has(bytes, member.offset, 30) ||
      bytes.substr(member.offset, 4) != std::string_view("PK\3\4", 4))
    return broken("its data is not where the directory says");
  const std::uint64_t begin = member.offset + 30 + number_at(bytes, member.offset + 26, 2) +
                              number_at(bytes, member.offset + 28, 2);
  if (!has(bytes, begin, member.packed_size)) return broken("its data is cut off");
  const std::string_view packed = bytes.substr(begin, member.packed_size);
  std::string out;
  if (member.method == 0) {
    out = packed;
  } else if (member.method == 8) {
    SDFG_TRY(out, inflate_member(packed, member.size));
  } else {
    return broken("it is packed by method " + std::to_string(member.method) +
                  ", we know 0 (stored) and 8 (deflated)");
  }
  if (crc32(0, reinterpret_cast<const Bytef*>(out.data()), uInt(out.size())) != member.crc)
    return broken("its checksum is wrong");
  return out;
}

// ---- .npy

/// Typecode and width as NumPy spells them, without the byte order.
struct NumpyType {
  std::string_view code;
  BaseType type;
};
constexpr NumpyType numpy_types[] = {
    {"b1", BaseType::Bool},      {"i1", BaseType::Int8},      {"i2", BaseType::Int16},
    {"i4", BaseType::Int32},     {"i8", BaseType::Int64},     {"u1", BaseType::UInt8},
    {"u2", BaseType::UInt16},    {"u4", BaseType::UInt32},    {"u8", BaseType::UInt64},
    {"f2", BaseType::Float16},   {"f4", BaseType::Float32},   {"f8", BaseType::Float64},
    {"c8", BaseType::Complex64}, {"c16", BaseType::Complex128},
};

/// The text of a value in the header's Python dictionary: what follows `'key':`.
std::string_view header_value(std::string_view header, std::string_view key) {
  const std::size_t at = header.find("'" + std::string(key) + "':");
  return at == std::string_view::npos ? "" : trim(header.substr(at + key.size() + 3));
}

Result<Type> parse_descr(std::string_view text) {
  const char quote = text.empty() ? ' ' : text[0];
  const std::size_t end = text.find(quote, 1);
  if ((quote == '\'' || quote == '"') && end != std::string_view::npos && end >= 3) {
    const std::string_view descr = text.substr(1, end - 1);
    const bool native = descr[0] == '<' || descr[0] == '|' || descr[0] == '=';
    for (const NumpyType& t : numpy_types)
      if (native && descr.substr(1) == t.code) return Type(t.type);
    return broken("its type '" + std::string(descr) +
                  "' is neither a little-endian number nor a bool");
  }
  return broken("its type is not a plain one: " + std::string(text.substr(0, 40)));
}

Result<std::vector<std::int64_t>> parse_shape(std::string_view text) {
  const std::size_t end = text.find(')');
  if (text.empty() || text[0] != '(' || end == std::string_view::npos)
    return broken("its header has no shape");
  std::vector<std::int64_t> shape;
  for (std::string_view part : split(text.substr(1, end - 1), ',')) {
    part = trim(part);
    if (part.empty()) continue;
    if (part.ends_with('L')) part.remove_suffix(1);  // written by Python 2
    std::int64_t extent = 0;
    const auto [rest, error] = std::from_chars(part.data(), part.data() + part.size(), extent);
    if (error != std::errc() || rest != part.data() + part.size() || extent < 0)
      return broken("its shape has the entry '" + std::string(part) + "'");
    shape.push_back(extent);
  }
  return shape;
}

Result<NdArray> parse_npy(std::string_view bytes) {
  if (bytes.size() < 10 || bytes.substr(0, 6) != "\x93NUMPY")
    return broken("it does not begin as a .npy file");
  const int version = bytes[6];
  if (version < 1 || version > 3)
    return broken("its .npy version is " + std::to_string(version) + ", we know 1 to 3");
  const std::uint64_t width = version == 1 ? 2 : 4;
  if (!has(bytes, 8, width)) return broken("its header is cut off");
  const std::uint64_t length = number_at(bytes, 8, int(width));
  if (!has(bytes, 8 + width, length)) return broken("its header is cut off");
  const std::string_view header = bytes.substr(8 + width, length);
  const std::string_view data = bytes.substr(8 + width + length);

  NdArray array;
  SDFG_TRY(array.type, parse_descr(header_value(header, "descr")));
  SDFG_TRY(array.shape, parse_shape(header_value(header, "shape")));
  const bool fortran = header_value(header, "fortran_order").starts_with("True");
  const std::size_t rank = array.shape.size();
  array.strides.assign(rank, 1);
  std::uint64_t elements = 1;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t d = fortran ? i : rank - 1 - i;
    array.strides[d] = std::int64_t(elements);
    if (array.shape[d] != 0 && elements > size_limit / std::uint64_t(array.shape[d]))
      return broken("its shape is larger than the file");
    elements *= std::uint64_t(array.shape[d]);
  }
  const std::uint64_t size = elements * std::uint64_t(*array.type.bytes());
  if (data.size() != size)
    return broken("its shape and type need " + std::to_string(size) + " bytes, it has " +
                  std::to_string(data.size()));
  array.bytes.resize(size);
  if (size) std::memcpy(array.bytes.data(), data.data(), size);
  return array;
}

// ---- Writing

void append_number(std::string& out, std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i) out.push_back(char(value >> (8 * i)));
}

/// Strides (in elements) of a dense array in Fortran order?
bool is_fortran_order(const NdArray& array) {
  std::int64_t expected = 1;
  for (std::size_t d = 0; d < array.shape.size(); ++d) {
    if (array.shape[d] != 1 && array.strides[d] != expected) return false;
    expected *= array.shape[d];
  }
  return true;
}

/// The elements one by one, the last dimension fastest (or the first, in Fortran order).
std::string dense_bytes(const NdArray& array, bool fortran) {
  const auto size = std::size_t(*array.type.bytes());
  const std::size_t rank = array.shape.size(), count = array.count();
  std::string out;
  out.reserve(count * size);
  std::vector<std::int64_t> index(rank, 0);
  for (std::size_t n = 0; n < count; ++n) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < rank; ++d) at += index[d] * array.strides[d];
    out.append(reinterpret_cast<const char*>(array.bytes.data()) + std::size_t(at) * size, size);
    for (std::size_t i = 0; i < rank; ++i) {
      const std::size_t d = fortran ? i : rank - 1 - i;
      if (++index[d] < array.shape[d]) break;
      index[d] = 0;
    }
  }
  return out;
}

std::string format_npy(const NdArray& array) {
  const bool fortran = array.shape.size() > 1 && is_fortran_order(array);
  std::string header = "{'descr': '";
  for (const NumpyType& t : numpy_types)
    if (array.type == Type(t.type)) {
      header += t.code.back() == '1' ? '|' : '<';
      header += t.code;
    }
  header += std::string("', 'fortran_order': ") + (fortran ? "True" : "False") + ", 'shape': (";
  for (std::size_t d = 0; d < array.shape.size(); ++d)
    header += (d ? " " : "") + std::to_string(array.shape[d]) + ",";
  if (array.shape.size() > 1) header.pop_back();
  header += "), }";
  // NumPy aligns the data to 64 bytes.
  header.append((64 - (10 + header.size() + 1) % 64) % 64, ' ');
  header += '\n';
  std::string out("\x93NUMPY\1\0", 8);
  append_number(out, header.size(), 2);
  return out + header + dense_bytes(array, fortran);
}

}  // namespace

Result<NamedArrays> read_npz(const std::string& bytes) {
  SDFG_TRY(const std::vector<Member> members, list_members(bytes));
  NamedArrays arrays;
  for (const Member& member : members) {
    std::string name = member.name;
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    const auto at_member = [&](Diagnostic d) {
      d.place = "entry '" + name + "'";
      return d;
    };
    auto unpacked = unpack(bytes, member);
    if (!unpacked) return at_member(unpacked.error());
    auto array = parse_npy(*unpacked);
    if (!array) return at_member(array.error());
    arrays.insert_or_assign(std::move(name), *std::move(array));
  }
  return arrays;
}

std::string write_npz(const NamedArrays& arrays) {
  // Stored, without times: the same arrays give the same bytes.
  constexpr std::uint16_t version = 45;
  constexpr std::uint16_t first_of_1980 = 0x21;
  std::string out, directory;
  for (const auto& [name, array] : arrays) {
    const std::string data = format_npy(array), file = name + ".npy";
    const std::uint64_t offset = out.size();
    const bool large = data.size() >= 0xffffffff || offset >= 0xffffffff;
    std::string common;
    append_number(common, version, 2);
    append_number(common, 0, 2);  // flags
    append_number(common, 0, 2);  // stored
    append_number(common, 0, 2);  // time
    append_number(common, first_of_1980, 2);
    append_number(common, crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size()), 4);
    append_number(common, large ? 0xffffffff : data.size(), 4);
    append_number(common, large ? 0xffffffff : data.size(), 4);
    append_number(common, file.size(), 2);
    std::string extra;
    if (large) {
      append_number(extra, 1, 2);
      append_number(extra, 24, 2);
      append_number(extra, data.size(), 8);
      append_number(extra, data.size(), 8);
      append_number(extra, offset, 8);
    }
    append_number(common, extra.size(), 2);
    out += "PK\3\4" + common + file + extra + data;

    directory += "PK\1\2";
    append_number(directory, version, 2);
    directory += common;
    append_number(directory, 0, 2);  // comment
    append_number(directory, 0, 2);  // disk
    append_number(directory, 0, 2);  // internal attributes
    append_number(directory, 0, 4);  // external attributes
    append_number(directory, large ? 0xffffffff : offset, 4);
    directory += file + extra;
  }
  const std::uint64_t at = out.size(), count = arrays.size();
  out += directory;
  const std::uint64_t end64 = out.size();
  if (at >= 0xffffffff || count >= 0xffff) {
    out += "PK\6\6";
    append_number(out, 44, 8);
    append_number(out, version, 2), append_number(out, version, 2);
    append_number(out, 0, 4), append_number(out, 0, 4);
    append_number(out, count, 8), append_number(out, count, 8);
    append_number(out, directory.size(), 8), append_number(out, at, 8);
    out += "PK\6\7";
    append_number(out, 0, 4), append_number(out, end64, 8), append_number(out, 1, 4);
  }
  out += "PK\5\6";
  append_number(out, 0, 4);  // disks
  append_number(out, std::min<std::uint64_t>(count, 0xffff), 2);
  append_number(out, std::min<std::uint64_t>(count, 0xffff), 2);
  append_number(out, std::min<std::uint64_t>(directory.size(), 0xffffffff), 4);
  append_number(out, std::min<std::uint64_t>(at, 0xffffffff), 4);
  append_number(out, 0, 2);
  return out;
}

}  // namespace sdfg
