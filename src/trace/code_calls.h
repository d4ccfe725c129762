#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spoor::trace {

/// A tool that a program calls, with the arguments that stand there.
struct CodeCall {
  std::string tool;
  std::string arguments;  ///< JSON, or a text as it is
};

struct CodeCalls {
  std::vector<CodeCall> calls;
  bool is_whole = true;  ///< false: it may do more than these
};

/// The calls of tools in a program of Codex, whose JavaScript can do nothing but call them:
/// `await tools.NAME({…})`. Arguments are read where they are literals, or names of constants that
/// are. Of a program that may do anything else `is_whole` is false. Linear in its length.
CodeCalls read_codex_javascript(std::string_view code);

/// Those in Python of OpenHands that edit a file: `edit_file_by_replace('…', …)` and its like, as
/// calls of `edit_file`. A program of such calls, and of those that only look, is whole.
CodeCalls read_openhands_python(std::string_view code);

}  // namespace spoor::trace
