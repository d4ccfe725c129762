#include "store/sqlite/mark.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "store/lines.h"
#include "store/sha256.h"

namespace spoor::store::sqlite {
namespace {

constexpr std::string_view kFirstLine = "spoor mark 1\n";

std::string body_of(const Mark& mark) {
  Oid padded;
  std::ranges::copy(mark.log.salts, padded.bytes.begin());
  const std::string salts = padded.hex(2 * mark.log.salts.size());
  return fmt::format("{}operation {} {}\nlog {} {}\ndurability {}\n", kFirstLine, mark.number,
                     mark.name.hex(), salts, mark.log.frames, mark.is_synced ? "full" : "normal");
}

Error damaged() {
  return corrupt("the store's mark is damaged", "the next commit writes it again");
}

Error failed(const std::string& path, std::string_view why) {
  return io_error(fmt::format("cannot write '{}': {}", path, why));
}

// Splits a line's value into its two words.
std::optional<std::array<std::string_view, 2>> words_of(std::optional<std::string_view> value) {
  const std::size_t space = value ? value->find(' ') : std::string_view::npos;
  if (space == std::string_view::npos) return std::nullopt;
  return std::array{value->substr(0, space), value->substr(space + 1)};
}

bool read_salts(std::string_view digits, std::array<unsigned char, 8>& salts) {
  const auto padded = Oid::from_hex(std::string(digits) + std::string(48, '0'));
  if (!padded || digits.size() != 2 * salts.size()) return false;
  std::copy_n(padded->bytes.begin(), salts.size(), salts.begin());
  return true;
}

// Parses a text made by serialize(). For other texts, the result is arbitrary.
std::optional<Mark> read_lines(std::string_view text) {
  text = text.substr(0, text.find("\n\n") + 1);
  LineReader lines(text);
  lines.take("spoor");
  const auto operation = words_of(lines.take("operation"));
  const auto log = words_of(lines.take("log"));
  const auto durability = lines.take("durability");
  if (!operation || !log || !durability) return std::nullopt;

  Mark mark;
  const auto number = parse_integer((*operation)[0]);
  const auto name = Oid::from_hex((*operation)[1]);
  const auto frames = parse_integer((*log)[1]);
  const bool is_read = number && name && frames && *frames <= UINT32_MAX;
  if (!is_read || !read_salts((*log)[0], mark.log.salts)) return std::nullopt;
  mark.number = *number;
  mark.name = *name;
  mark.log.frames = static_cast<std::uint32_t>(*frames);
  mark.is_synced = *durability == "full";
  return mark;
}

}  // namespace

std::string serialize(const Mark& mark) {
  std::string text = body_of(mark);
  text += fmt::format("hash {}\n", sha256(text).hex());
  text.resize(kMarkSize, '\n');
  return text;
}

Result<Mark> parse_mark(std::string_view text) {
  const auto mark = read_lines(text);
  if (!mark || serialize(*mark) != text) return damaged();
  return *mark;
}

std::string mark_path(const std::string& store_path) { return store_path + "-mark"; }

Result<std::optional<Mark>> read_mark(const std::string& store_path) {
  const std::string path = mark_path(store_path);
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0 && errno == ENOENT) return std::optional<Mark>();
  std::array<char, kMarkSize + 1> bytes{};
  const ssize_t size = file < 0 ? -1 : pread(file, bytes.data(), bytes.size(), 0);
  const int number = errno;
  if (file >= 0) close(file);
  if (size < 0) {
    return io_error(fmt::format("cannot read '{}': {}", path, std::strerror(number)));
  }
  if (size == 0) return std::optional<Mark>();  // Created right before a power failure.
  return std::optional(TRY(parse_mark({bytes.data(), static_cast<std::size_t>(size)})));
}

sqlite3_file* MarkFile::file() const { return reinterpret_cast<sqlite3_file*>(file_.get()); }

MarkFile::~MarkFile() { close_file(); }

void MarkFile::close_file() {
  if (std::exchange(is_open_, false)) file()->pMethods->xClose(file());
}

// Opens the file through SQLite's VFS, like all other files of a store that are written.
Result<void> MarkFile::open() {
  if (is_open_ && access(path_.c_str(), F_OK) == 0) return {};
  close_file();  // It was deleted.
  constexpr int kNew = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  const int made = ::open(path_.c_str(), kNew, permissions_);
  if (made >= 0) {
    fchmod(made, permissions_);  // Overrides the umask: store writers may write it.
    close(made);
  }
  sqlite3_vfs* system = sqlite3_vfs_find(nullptr);
  file_ = std::make_unique<char[]>(static_cast<std::size_t>(system->szOsFile));
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MASTER_JOURNAL;
  int flags = 0;
  const int code = system->xOpen(system, path_.c_str(), file(), kFlags, &flags);
  if (code != SQLITE_OK) return failed(path_, sqlite3_errstr(code));
  is_open_ = true;
  return {};
}

Result<void> MarkFile::write(const Mark& mark) {
  TRY(open());
  std::string text = serialize(mark);
  written_.clear();
  const int code = file()->pMethods->xWrite(file(), text.data(), static_cast<int>(text.size()), 0);
  if (code != SQLITE_OK) return failed(path_, sqlite3_errstr(code));
  written_ = std::move(text);
  return {};
}

bool MarkFile::is_as_written() {
  if (!is_open_ || written_.empty()) return false;
  std::string text(kMarkSize, '\0');
  const int code = file()->pMethods->xRead(file(), text.data(), static_cast<int>(text.size()), 0);
  return code == SQLITE_OK && text == written_;
}

Result<void> MarkFile::sync() {
  if (!is_open_) return {};
  const int code = file()->pMethods->xSync(file(), SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
  if (code != SQLITE_OK) return failed(path_, sqlite3_errstr(code));
  return {};
}

}  // namespace spoor::store::sqlite
