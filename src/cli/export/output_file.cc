#include "cli/export/output_file.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "base/files.h"

namespace spoor::cli {

namespace fs = std::filesystem;

Result<void> write_output(Session& session, const std::string& path, const std::string& text) {
  if (path == "-") {
    Output& out = session.out();
    out.is_tty() ? out.print(text) : out.verbatim(text);
    return {};
  }
  std::error_code problem;
  const fs::path absolute = fs::absolute(path, problem);
  const fs::path real = fs::canonical(absolute, problem);
  const std::string target = problem ? absolute.string() : real.string();
  const Error failed = io_error(fmt::format("cannot write '{}'", path));
  if (!fs::is_directory(fs::path(target).parent_path(), problem)) {
    return io_error(failed.message, "name a file in a folder that exists");
  }
  if (!fs::exists(target, problem) || fs::is_regular_file(target, problem)) {
    constexpr unsigned kMode = 0644;
    return write_file(target, text, kMode);
  }
  std::ofstream file(target, std::ios::binary);
  file << text;
  file.close();
  if (!file) return failed;
  return {};
}

}  // namespace spoor::cli
