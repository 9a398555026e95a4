#pragma once

#include <string>
#include <vector>

#include "ir/analysis/signature.h"
#include "ir/sdfg.h"

namespace sdfg {

struct GeneratedFile {
  std::string name;  ///< relative: "NAME.cpp"
  std::string text;
};

/// Everything that generation gives: files and what the loader must know.
struct Bundle {
  std::string name;                 ///< of the program; names the entry points
  std::vector<GeneratedFile> files; ///< the first is the one to compile
  std::vector<Argument> arguments;  ///< of __program_NAME, in order (data pointers not set)
  std::vector<Argument> init_arguments;
  Diagnostics warnings;             ///< what the SDFG asks for and the code does not do
};

struct CpuOptions {
  bool openmp = true;
};

/// OpenMP C++ with DaCe's binary interface. Pure: the same SDFG and options give the same bytes.
/// What cannot be generated is a located error before the first line is written. The SDFG is used
/// up: who moves it in saves a copy, a fifth of the time.
Result<Bundle> generate_cpu(Sdfg sdfg, const CpuOptions& options = {});

/// The bundle as one file that compiles by itself: headers of the bundle stand where they are
/// first included.
std::string single_file(const Bundle& bundle);

}  // namespace sdfg
