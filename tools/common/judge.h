#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codegen/array.h"
#include "passes/pipeline.h"
#include "support/result.h"
#include "tools/common/check_semantics.h"

namespace sdfg {

/// Does a program show the fault that is looked for?
using Judge = std::function<Result<bool>(const Sdfg&)>;

/// Writes the program to a temporary file and runs the command with its path in place of `{}`, or
/// as the last word. A status other than 0 is the fault. The error says that the command could not
/// be started or the file not be written.
Judge command_judge(std::vector<std::string> command);

/// The fault is that the program is not valid, does not run, or gives other results than
/// `reference` on the same arguments: those given, made ones for the others. The error says why the
/// reference itself does not run.
Result<Judge> semantics_judge(const Sdfg& reference, CompareOptions compare);

/// The fault is that the pipeline makes of the program something that is not valid, or that gives
/// other results than the program itself. A program that does not run by itself is none, and one
/// that leaves its results open is none unless the first one that is asked about does.
Judge pipeline_judge(Pipeline pipeline, RunOptions options, NamedArrays given, double tolerance);

}  // namespace sdfg
