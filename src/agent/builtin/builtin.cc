#include "agent/builtin/builtin.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "agent/builtin/background.h"
#include "agent/builtin/base.h"
#include "agent/builtin/environment.h"

namespace spoor::agent::builtin {
namespace {

constexpr std::size_t kLeastCap = 1'000;

constexpr std::array kAll = {
    Description{"read_file", "read a text file, its lines numbered"},
    Description{"write_file", "make a file or write it anew"},
    Description{"edit_file", "replace an exact piece of a file"},
    Description{"patch_file", "change a file by a unified diff"},
    Description{"list", "list files and folders"},
    Description{"glob", "find files by their names"},
    Description{"grep", "find lines of files that hold a text"},
    Description{"run_command", "run a program, confined to the root folder"},
    Description{"start_command", "start a program that runs meanwhile, confined likewise"},
    Description{"read_command", "read what a started program prints"},
    Description{"stop_command", "end a started program"},
    Description{"http_get", "fetch a page from hosts that were allowed"},
};

using Make = Tool (*)(SharedBase);
constexpr std::array<Make, kAll.size()> kMakers = {
    make_read_file, make_write_file,  make_edit_file, make_patch_file, make_list, make_glob,
    make_grep,      make_run_command, nullptr,        nullptr,         nullptr,   make_http_get,
};  // Null: made together.

std::string names_of_all() {
  std::string names;
  for (const Description& tool : kAll) {
    names += names.empty() ? "" : ", ";
    names += tool.name;
  }
  return names;
}

Result<void> check(std::span<const std::string> names, const Settings& settings) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i)) {
      return invalid(fmt::format("the tool '{}' is named twice", names[i]));
    }
    if (names[i] == "http_get" && settings.transport == nullptr) {
      return invalid("http_get needs a transport");
    }
  }
  return {};
}

Result<void> check(const Settings& settings) {
  if (settings.output_cap < kLeastCap || settings.attach_cap < settings.output_cap) {
    return invalid(
        fmt::format("caps of {} and {} bytes are not possible", settings.output_cap,
                    settings.attach_cap),
        fmt::format(
            "use at least {} bytes for a result's text, and at least as many for its attachment",
            kLeastCap));
  }
  for (const std::string& name : settings.pass_variables) {
    if (is_secret_name(name)) {
      return invalid(fmt::format("the variable '{}' looks like a secret", name),
                     "commands that a model writes must not get keys");
    }
  }
  return {};
}

}  // namespace

std::span<const Description> all_tools() { return kAll; }

Result<SharedBase> open_base(const Settings& settings) {
  TRY(check(settings));
  Root root = TRY(Root::open(settings.root,
                             {StoreGuard(settings.store), ProtectedPaths(settings.write_allowed)}));
  return SharedBase(std::make_shared<const Base>(Base{settings, std::move(root)}));
}

Result<std::vector<Tool>> make_tools(std::span<const std::string> names, const Settings& settings) {
  TRY(check(names, settings));
  return make_tools(names, TRY(open_base(settings)));
}

Result<std::vector<Tool>> make_tools(std::span<const std::string> names, const SharedBase& base) {
  TRY(check(names, base->settings));
  std::vector<Tool> tools;
  std::vector<Tool> background;
  for (const std::string& name : names) {
    const auto found =
        std::find_if(kAll.begin(), kAll.end(), [&](const auto& tool) { return tool.name == name; });
    if (found == kAll.end()) {
      return not_found(fmt::format("no built-in tool named '{}'", name),
                       "use one of " + names_of_all());
    }
    if (const Make make = kMakers[static_cast<std::size_t>(found - kAll.begin())]) {
      tools.push_back(make(base));
      continue;
    }
    if (background.empty()) background = make_background_tools(base);
    tools.push_back(*std::find_if(background.begin(), background.end(),
                                  [&](const Tool& tool) { return tool.id == name; }));
  }
  return tools;
}

}  // namespace spoor::agent::builtin
