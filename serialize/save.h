#pragma once

#include <string>

#include "ir/sdfg.h"

namespace sdfg {

/// keep: as the file was; what did not change is copied verbatim. For an SDFG without a file: head.
/// head: as DaCe 2.0.0a6 writes (TYPED symbols). compat: most widely accepted (PLAIN, "1.0.0").
enum class SaveProfile : std::uint8_t { Keep, Head, Compat };

struct SaveOptions {
  SaveProfile profile = SaveProfile::Keep;
};

/// JSON without white space (profile keep: unchanged parts with the white space they had). The
/// error names what the profile cannot express.
Result<std::string> save(const Sdfg& sdfg, const SaveOptions& options = {});

}  // namespace sdfg
