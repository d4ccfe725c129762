#pragma once

#include "api/json_writer.h"
#include "cli/git/line_blame.h"

namespace spoor::cli {

/// Prints a line of text for each line of the file, as `git blame` does.
void print_blame(Session& session, const FileBlame& blame);

void write_file_blame(api::JsonWriter& json, const FileBlame& blame);

/// Prints all that is known of one line: the request, the reasoning, the change, and the tests that
/// ran after it. `line` is one of `blame.lines`.
Result<void> print_line_reason(Session& session, const FileBlame& blame, const BlamedLine& line);

Result<void> write_line_reason(api::JsonWriter& json, Session& session, const FileBlame& blame,
                               const BlamedLine& line);

}  // namespace spoor::cli
