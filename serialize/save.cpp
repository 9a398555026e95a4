#include "serialize/save.h"

#include "serialize/loader.h"
#include "serialize/saver.h"
#include "support/deep_stack.h"

namespace sdfg {

Result<std::string> save(const Sdfg& sdfg, const SaveOptions& options) {
  detail::Saver to;
  const bool keep = options.profile == SaveProfile::Keep && sdfg.dialect.has_value();
  to.keep = keep;
  to.from = sdfg.dialect.value_or(Dialect::Typed);
  to.to = keep                                      ? to.from
          : options.profile == SaveProfile::Compat ? Dialect::Plain
                                                    : Dialect::Typed;
  to.plain = to.to == Dialect::Plain;
  to.index_files = !keep && !to.plain;

  if (sdfg.source) to.out.reserve(sdfg.source->text.size());

  // Only for `keep`: what has changed since the file was read, and the file.
  std::vector<ContentHash> hashes;
  detail::Loader loader;
  with_deep_stack([&] {
    if (keep && sdfg.source) {
      hashes = content_hashes(sdfg);
      to.hashes = &hashes;
      to.source_tag = sdfg.source->tag;
      const bool unchanged =
          sdfg.origin.source == sdfg.source->tag && hashes.front().value == sdfg.origin.hash;
      if (unchanged) {
        to.out.assign(sdfg.source->text, sdfg.origin.begin, sdfg.origin.end - sdfg.origin.begin);
        return;
      }
      const auto& source = detail::ReadSource::of(*sdfg.source);
      to.source = loader.tree = &source.tree;
      if (source.dialect == to.from) loader.before = &source.known;
      loader.source_tag = 0;
      loader.dialect = to.from;
      loader.shallow = true;
      if (const auto files = source.tree.root().find("source_files"); files.valid())
        (void)detail::read_value(loader, files, loader.source_files);
      to.loader = &loader;
      // An SDFG that was cut out of another starts with another number.
      if (const auto number = source.tree.root().find("cfg_list_id"); number.valid())
        to.next_cfg = detail::read_index(number, ~0u).value_or(0);
    }
    detail::save_sdfg(to, sdfg, 0, true);
  });
  return std::move(to.out);
}

}  // namespace sdfg
