#include "store/trusted_stores.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <unistd.h>

#include <fmt/format.h>

#include "base/files.h"
#include "base/os/file_birth.h"
#include "base/random.h"
#include "store/sqlite/files.h"
#include "store/sqlite/sqlite_store.h"

namespace spoor::store {
namespace {

constexpr std::string_view kId = "id";  // The local fact with a store's id.
constexpr std::size_t kIdDigits = 32;
constexpr unsigned kOwnerOnly = 0600;
constexpr std::size_t kMostGone = 1'000;  // A longer list loses the stores that left their path.

Result<os::FileBirth> about(const std::string& path) {
  os::FileBirth found;
  if (os::look_at_birth(path.c_str(), found) == 0) return found;
  return io_error(fmt::format("cannot look at '{}': {}", path, std::strerror(errno)));
}

// Parses a line of the list. An invalid line names no store.
TrustedStore parse(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t second = line.find(' ', first + 1);
  TrustedStore read;
  if (first != kIdDigits || second == std::string_view::npos) return read;
  const char* end = line.data() + second;
  const auto inode = std::from_chars(line.data() + first + 1, end, read.inode);
  if (inode.ec != std::errc() || inode.ptr == end || *inode.ptr != '-') return read;
  const auto born = std::from_chars(inode.ptr + 1, end, read.born);
  if (born.ec != std::errc() || born.ptr != end) return read;
  read.id = line.substr(0, first);
  read.path = line.substr(second + 1);
  return read;
}

std::string line_of(const TrustedStore& store) {
  std::string path = store.path;
  std::replace(path.begin(), path.end(), '\n', '?');
  return fmt::format("{} {}-{} {}\n", store.id, store.inode, store.born, path);
}

bool is_same(const TrustedStore& one, const TrustedStore& other) {
  return one.id == other.id && one.inode == other.inode && one.born == other.born;
}

bool is_among(const std::vector<TrustedStore>& all, const TrustedStore& store) {
  return std::any_of(all.begin(), all.end(),
                     [&](const TrustedStore& each) { return is_same(each, store); });
}

// Returns the store's entry for the list; without an id if the store has none.
Result<TrustedStore> named(const Store& store, const std::string& path) {
  const os::FileBirth found = TRY(about(path));
  return TrustedStore{TRY(store.property(kId)).value_or(""), found.inode, found.born, path};
}

std::string list_in(const std::string& home) { return home.empty() ? home : home + "/trusted"; }

}  // namespace

TrustedStores::TrustedStores(const std::string& home)
    : file_(list_in(home)), makers_(file_ + "-lock", kOwnerOnly) {}

Result<std::optional<WriterLock::Hold>> TrustedStores::hold() {
  if (file_.empty()) return std::optional<WriterLock::Hold>();
  TRY(make_folder(folder_of_list()));
  return std::optional(TRY(makers_.take({})));
}

Result<std::vector<TrustedStore>> TrustedStores::list() const {
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

Result<bool> TrustedStores::is_trusted(const Store& store, const std::string& path) const {
  return is_among(TRY(list()), TRY(named(store, path)));
}

Result<std::string> TrustedStores::objection(const Store& store, const std::string& path) {
  if (TRY(is_trusted(store, path))) return std::string();
  const auto owner = TRY(about(path)).owner;
  if (owner != ::geteuid()) return fmt::format("belongs to another user ({})", owner);
  return std::string(file_.empty() ? "" : "was not made here, or has been copied since");
}

Result<void> TrustedStores::add(Store& store, const std::string& file, const std::string& path) {
  if (file_.empty()) {
    return not_found("no folder for the list of trusted stores", "set HOME");
  }
  const auto held = TRY(hold());
  if (!TRY(store.property(kId))) TRY(store.set_property(kId, TRY(random_id())));
  TrustedStore added = TRY(named(store, file));
  added.path = path;
  std::vector<TrustedStore> all = TRY(list());
  if (is_among(all, added)) return {};
  if (all.size() >= kMostGone) {
    std::erase_if(all, [](const TrustedStore& each) { return !about(each.path); });
  }
  all.push_back(std::move(added));
  return write(all);
}

Result<void> TrustedStores::create(const std::string& path) {
  const auto without_list = [](Error error) {
    error.hint = "new stores are listed there; set XDG_DATA_HOME to a folder of yours";
    return error;
  };
  const auto held = hold();
  if (!held) return without_list(held.error());
  return sqlite::create_store_file(path, [&](const std::string& draft) -> Result<void> {
    if (!*held) return {};
    const auto added = add(*TRY(SqliteStore::open(draft)), draft, path);
    return added ? added : without_list(added.error());
  });
}

Result<bool> TrustedStores::remove(const Store& store, const std::string& path) {
  const auto held = TRY(hold());
  const TrustedStore removed = TRY(named(store, path));
  std::vector<TrustedStore> all = TRY(list());
  const auto is_it = [&](const TrustedStore& each) { return is_same(each, removed); };
  if (std::erase_if(all, is_it) == 0) return false;
  TRY(write(all));
  return true;
}

Result<void> TrustedStores::write(const std::vector<TrustedStore>& all) const {
  std::string text;
  for (const TrustedStore& each : all) text += line_of(each);
  return write_file(file_, text, kOwnerOnly);
}

}  // namespace spoor::store
