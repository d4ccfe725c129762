#pragma once

#include <memory>

#include "agent/builtin/builtin.h"
#include "agent/builtin/confined.h"
#include "agent/builtin/root.h"

namespace spoor::agent::builtin {

/// The state shared by the tools of one open_base().
struct Base {
  Settings settings;
  Root root;
  std::unique_ptr<Confined> confined = std::make_unique<Confined>();
};

// Each in its own file.
Tool make_read_file(SharedBase base);
Tool make_write_file(SharedBase base);
Tool make_edit_file(SharedBase base);
Tool make_patch_file(SharedBase base);
Tool make_list(SharedBase base);
Tool make_glob(SharedBase base);
Tool make_grep(SharedBase base);
Tool make_run_command(SharedBase base);
Tool make_http_get(SharedBase base);

}  // namespace spoor::agent::builtin
