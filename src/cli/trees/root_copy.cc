#include "cli/trees/root_copy.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace spoor::cli {
namespace {

namespace fs = std::filesystem;

Error failed(const std::string& from, const std::error_code& why) {
  return io_error(fmt::format("cannot copy '{}' for an attempt: {}", from, why.message()),
                  "name a smaller folder with --root");
}

// Copies what is in one folder; links are not followed.
std::error_code copy_folder(const fs::path& from, const fs::path& to, const std::string& store,
                            const fs::path& skipped) {
  std::error_code error;
  fs::create_directories(to, error);
  if (error) return error;
  for (fs::directory_iterator entry(from, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path& path = entry->path();
    const bool is_of_store = !store.empty() && path.string().starts_with(store);
    if (is_of_store || path == skipped) continue;
    const fs::path target = to / path.filename();
    const fs::file_status status = entry->symlink_status(error);
    if (error) return error;
    if (fs::is_directory(status)) {
      error = copy_folder(path, target, store, skipped);
    } else if (fs::is_symlink(status)) {
      fs::copy_symlink(path, target, error);
    } else if (fs::is_regular_file(status)) {
      fs::copy_file(path, target, error);
    }
    if (error) return error;
  }
  if (!error) fs::permissions(to, fs::status(from).permissions(), error);
  return error;
}

}  // namespace

Result<void> copy_root(const std::string& from, const std::string& to, const std::string& store) {
  std::error_code error;
  if (fs::exists(to, error)) return {};
  const std::string parts = to + ".part";
  fs::remove_all(parts, error);
  error = copy_folder(fs::path(from).lexically_normal(), parts, store,
                      fs::path(to).parent_path().parent_path());
  if (error) return failed(from, error);
  fs::rename(parts, to, error);
  if (error) return failed(from, error);
  return {};
}

}  // namespace spoor::cli
