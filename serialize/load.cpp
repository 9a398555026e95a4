#include "serialize/load.h"

#include "ir/dace_version.h"
#include "serialize/content_hash.h"
#include "serialize/loader.h"
#include "serialize/loop_variables.h"
#include "serialize/whole_containers.h"
#include "support/deep_stack.h"
#include "support/file.h"
#include "support/hash.h"

namespace sdfg {
namespace {

using detail::Loader;
using json::Value;

constexpr std::string_view last_alpha = "2.0.0a10";  ///< of DaCe 2

/// Is there a `$name`, as only TYPED symbolic text has it?
bool has_typed_symbols(std::string_view text) {
  for (std::size_t at = text.find('$'); at != std::string_view::npos; at = text.find('$', at + 1)) {
    const char next = at + 1 < text.size() ? text[at + 1] : ' ';
    const char before = at > 0 ? text[at - 1] : ' ';
    const bool name = (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') || next == '_';
    // Behind a letter it is part of some other language's identifier.
    const bool starts = before == '"' || before == ' ' || before == '(' || before == '*' ||
                        before == '-' || before == '+' || before == '/' || before == ',';
    if (name && starts) return true;
  }
  return false;
}

void choose_dialect(Loader& in, Value root, Sdfg& sdfg) {
  const Value version = root.find("dace_version");
  const bool typed_text = has_typed_symbols(in.tree->text());
  std::optional<DaceVersion> parsed;
  if (version.valid() && version.is_string()) {
    sdfg.dace_version = version.string();
    parsed = parse_dace_version(sdfg.dace_version);
  }
  if (parsed) {
    const bool typed = *parsed >= DaceVersion::alpha(4);
    in.dialect = typed || typed_text ? Dialect::Typed : Dialect::Plain;
    if (!typed && typed_text)
      in.note(version, "the file says version " + sdfg.dace_version +
                           " but marks symbols with '$', as 2.0.0a4 and later do; read as such",
              Severity::Warning);
  } else {
    in.dialect = typed_text ? Dialect::Typed : Dialect::Plain;
    in.note(version.valid() ? version : root,
            std::string(version.valid() ? "'dace_version' is not a version" : "no 'dace_version'") +
                "; symbolic text is read as DaCe " + (typed_text ? "2.0.0a4 and later" : "1.0") +
                " writes it",
            version.valid() ? Severity::Warning : Severity::Note);
  }
  sdfg.dialect = in.dialect;
}

Diagnostic not_json(std::string_view text) {
  const auto starts = [&](std::string_view head) { return text.starts_with(head); };
  std::string found = "something that is not JSON";
  std::string hint;
  if (text.empty()) {
    found = "an empty file";
  } else if (text[0] == '\x80') {
    found = "a Python pickle";
    hint = "pickles run code when they are read; save the SDFG as JSON with DaCe";
  } else if (starts("PK\x03\x04")) {
    found = "a zip archive (or .npz)";
  } else if (starts("\x93NUMPY")) {
    found = "a NumPy array";
  } else if (starts("BZh") || starts("\xfd" "7zXZ") || starts("\x28\xb5\x2f\xfd")) {
    found = "a file compressed with something else than gzip";
  } else if (text.find('\n') == std::string_view::npos && text.size() < 300 &&
             (text.ends_with(".sdfg") || text.ends_with(".sdfgz"))) {
    found = "the path of another file, '" + std::string(text) + "'";
    hint = "a symbolic link that was stored as text; read the file it names";
  } else if (starts("[") || starts("\"")) {
    found = "JSON that is no object";
    hint = "an SDFG begins with {";
  } else if (starts("<")) {
    found = "a document that begins with '<' (HTML or XML)";
  } else if (starts("sdfg ")) {
    found = "the text form of an SDFG";
  }
  return {"", "expected SDFG JSON, found " + found, std::move(hint)};
}

std::uint64_t tag_of(std::string_view text) {
  const std::uint64_t tag = Hasher().add(text).value();
  return tag ? tag : 1;
}

/// Whoever reads the SDFG after us, from memory or from what we write, takes it for one of the last
/// version before nested SDFGs were given whole containers.
void read_as_before_beta(Loaded& loaded) {
  std::string& version = loaded.sdfg.dace_version;
  if (!(parse_dace_version(version) >= DaceVersion::beta(1))) return;
  const std::string written_by = std::exchange(version, std::string(last_alpha));
  if (!detail::cover_whole_containers(loaded.sdfg)) return;
  loaded.notes.push_back({"", "DaCe " + written_by +
                                  " gives nested SDFGs whole containers: memlets at their "
                                  "connectors cover these now, and the SDFG counts as one of "
                                  "DaCe " + version,
                          "--refine-nested-access finds out what is used of them",
                          Severity::Note});
}

void read_root(Loader& in, Value root, Result<Loaded>& out) {
  Loaded& loaded = *out;
  choose_dialect(in, root, loaded.sdfg);
  if (const Value files = root.find("source_files"); files.valid())
    (void)detail::read_value(in, files, in.source_files);
  if (!detail::read_sdfg(in, root, loaded.sdfg)) {
    out = *std::move(in.error);
    return;
  }
  // What stands beside `type` at the root is the file's, not the program's.
  Extras own;
  for (auto& [key, value] : loaded.sdfg.extras)
    (key.starts_with('/') ? loaded.sdfg.root_extras : own)
        .emplace_back(key.starts_with('/') ? key.substr(1) : key, std::move(value));
  loaded.sdfg.extras = std::move(own);
  store_content_hashes(loaded.sdfg);
  detail::declare_loop_variables(loaded.sdfg);
  read_as_before_beta(loaded);
  loaded.notes.insert(loaded.notes.end(), in.notes.begin(), in.notes.end());
}

}  // namespace

Result<Loaded> load(std::string bytes) {
  Loaded loaded;
  if (is_gzip(bytes)) {
    SDFG_TRY(std::string plain, gunzip(bytes));
    bytes = std::move(plain);
  }
  std::size_t skip = 0;
  if (bytes.starts_with("\xef\xbb\xbf")) skip = 3;
  while (skip < bytes.size() &&
         std::string_view(" \n\r\t").find(bytes[skip]) != std::string_view::npos)
    ++skip;
  if (skip > 0 && skip < bytes.size()) {
    loaded.notes.push_back({"1:1",
                            "DaCe reads no file that does not begin with '{'; the byte order "
                            "mark or white space before it is dropped",
                            "", Severity::Note});
  }
  if (skip == bytes.size() || bytes[skip] != '{')
    return not_json(std::string_view(bytes).substr(skip));
  if (skip > 0) bytes.erase(0, skip);

  auto source = std::make_shared<detail::ReadSource>();
  source->text = std::move(bytes);
  source->tag = tag_of(source->text);
  Loader in;
  in.source_tag = source->tag;
  SDFG_TRY(source->tree, json::Tree::parse(source->text));
  const json::Tree& tree = source->tree;
  in.tree = &tree;
  loaded.sdfg.source = source;
  Result<Loaded> out = std::move(loaded);
  // Each nested SDFG takes a few frames, whichever thread calls us.
  constexpr std::size_t shallow = 200;
  if (tree.depth() <= shallow)
    read_root(in, tree.root(), out);
  else
    with_deep_stack([&] { read_root(in, tree.root(), out); });
  source->dialect = in.dialect;
  source->known = std::move(in.known);
  return out;
}

}  // namespace sdfg
