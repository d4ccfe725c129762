#pragma once

#include <memory>

#include "agent/builtin/builtin.h"
#include "agent/builtin/root.h"

namespace spoor::agent::builtin {

/// The state shared by the tools of one make_tools().
struct Base {
  Settings settings;
  Root root;
};

using SharedBase = std::shared_ptr<const Base>;  // Shared by tools, which may be copied.

// Each in its own file.
Tool make_read_file(SharedBase base);
Tool make_write_file(SharedBase base);
Tool make_edit_file(SharedBase base);
Tool make_list(SharedBase base);
Tool make_grep(SharedBase base);
Tool make_run_command(SharedBase base);
Tool make_http_get(SharedBase base);

}  // namespace spoor::agent::builtin
