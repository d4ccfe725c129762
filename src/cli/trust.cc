#include "cli/trust.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "cli/files.h"
#include "cli/keys.h"

namespace spoor::cli {
namespace {

constexpr std::string_view kId = "id";  // The local fact that holds a store's id.
constexpr std::size_t kIdDigits = 32;
constexpr unsigned kOwnerOnly = 0600;

Result<struct stat> about(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0) return found;
  return store::io_error(fmt::format("cannot look at '{}': {}", path, std::strerror(errno)));
}

// A line that cannot be read names no store.
TrustedStore parse(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t second = line.find(' ', first + 1);
  TrustedStore read;
  if (first != kIdDigits || second == std::string_view::npos) return read;
  const char* end = line.data() + second;
  const auto [stop, problem] = std::from_chars(line.data() + first + 1, end, read.inode);
  if (problem != std::errc() || stop != end) return read;
  read.id = line.substr(0, first);
  read.path = line.substr(second + 1);
  return read;
}

std::string line_of(const TrustedStore& store) {
  std::string path = store.path;
  std::replace(path.begin(), path.end(), '\n', '?');
  return fmt::format("{} {} {}\n", store.id, store.inode, path);
}

bool is_same(const TrustedStore& one, const TrustedStore& other) {
  return one.id == other.id && one.inode == other.inode;
}

bool is_among(const std::vector<TrustedStore>& all, const TrustedStore& store) {
  return std::any_of(all.begin(), all.end(),
                     [&](const TrustedStore& each) { return is_same(each, store); });
}

// The store as the list would name it; without an id where it has none.
Result<TrustedStore> named(const store::Store& store, const std::string& path) {
  return TrustedStore{TRY(store.local(kId)).value_or(""), TRY(about(path)).st_ino, path};
}

}  // namespace

Trust::Trust(const Environment& environment) {
  if (const std::string home = data_home(environment); !home.empty()) file_ = home + "/trusted";
}

Result<std::vector<TrustedStore>> Trust::list() const {
  std::vector<TrustedStore> all;
  const auto text = file_.empty() ? std::nullopt : TRY(read_file(file_));
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (TrustedStore read = parse(rest.substr(0, end)); !read.id.empty()) all.push_back(read);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return all;
}

Result<std::string> Trust::objection(const store::Store& store, const std::string& path) const {
  if (is_among(TRY(list()), TRY(named(store, path)))) return std::string();
  const auto owner = TRY(about(path)).st_uid;
  if (owner != ::geteuid()) return fmt::format("belongs to another user ({})", owner);
  return std::string(file_.empty() ? "" : "was not made here, or has been copied since");
}

Result<void> Trust::add(store::Store& store, const std::string& path) const {
  if (file_.empty()) {
    return store::not_found("there is no place to write down which stores are trusted", "set HOME");
  }
  if (!TRY(store.local(kId))) TRY(store.set_local(kId, TRY(new_id())));
  const TrustedStore added = TRY(named(store, path));
  if (is_among(TRY(list()), added)) return {};
  return append_file(file_, line_of(added), kOwnerOnly);
}

Result<bool> Trust::remove(const store::Store& store, const std::string& path) const {
  const TrustedStore removed = TRY(named(store, path));
  std::string text;
  bool is_removed = false;
  for (const TrustedStore& each : TRY(list())) {
    if (is_same(each, removed)) {
      is_removed = true;
    } else {
      text += line_of(each);
    }
  }
  if (is_removed) TRY(write_file(file_, text, kOwnerOnly));
  return is_removed;
}

}  // namespace spoor::cli
