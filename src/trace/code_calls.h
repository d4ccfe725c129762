#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spoor::trace {

/// A tool that a program calls, with the arguments in the program's text.
struct CodeCall {
  std::string tool;
  std::string arguments;  ///< JSON, or the text unchanged
};

struct CodeCalls {
  std::vector<CodeCall> calls;
  bool is_whole = true;  ///< false: the program may do more than these calls
};

/// Returns the tool calls in a Codex program, whose JavaScript can only call tools: `await
/// tools.NAME({…})`. Arguments are read if they are literals or names of constants that are
/// literals. `is_whole` is false if the program may do anything else. Linear in the length of
/// `code`.
CodeCalls read_codex_javascript(std::string_view code);

/// Returns the calls in an OpenHands Python program that edit a file (`edit_file_by_replace('…',
/// …)` and similar), as calls of `edit_file`. A program of only such calls and read-only calls is
/// whole.
CodeCalls read_openhands_python(std::string_view code);

}  // namespace spoor::trace
