#include "agent/builtin/folder_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "base/json/writer.h"

namespace spoor::agent::builtin {
namespace {

struct Name {
  std::string text;
  Entry::Kind kind;
};

Entry::Kind kind_of(int folder, const dirent& entry) {
  auto mode = static_cast<mode_t>(DTTOIF(entry.d_type));
  if (entry.d_type == DT_UNKNOWN) {  // Some file systems do not report the type.
    struct stat found {};
    if (::fstatat(folder, entry.d_name, &found, AT_SYMLINK_NOFOLLOW) != 0)
      return Entry::Kind::other;
    mode = found.st_mode;
  }
  if (S_ISREG(mode)) return Entry::Kind::file;
  if (S_ISDIR(mode)) return Entry::Kind::folder;
  return S_ISLNK(mode) ? Entry::Kind::link : Entry::Kind::other;
}

class Walk {
 public:
  Walk(const Deadline& deadline, const std::function<Entry::Step(const Entry&)>& visit)
      : deadline_(deadline), visit_(visit) {}

  // Returns false if the visitor ended the walk.
  Result<bool> folder(Descriptor opened, const std::string& prefix, std::size_t depth) {
    std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(opened.number()), ::closedir);
    if (!stream) return io_error(fmt::format("cannot list: {}", std::strerror(errno)));
    opened.release();
    const int number = ::dirfd(stream.get());
    for (const Name& name : TRY(names_in(stream.get()))) {
      TRY(deadline_.check());
      const std::string path = prefix + name.text;
      const Entry::Step step = visit_({name.kind, path, name.text, number, depth});
      if (step == Entry::Step::end) return false;
      if (name.kind != Entry::Kind::folder || step == Entry::Step::skip) continue;
      if (depth == kMostDepth) {
        is_partial_ = true;
        continue;
      }
      Descriptor below(
          ::openat(number, name.text.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (!below) {
        is_partial_ = is_partial_ || errno == EACCES || errno == EMFILE || errno == ENFILE;
        continue;
      }
      if (!TRY(folder(std::move(below), path + "/", depth + 1))) return false;
    }
    return true;
  }

  bool is_partial() const { return is_partial_; }

 private:
  Result<std::vector<Name>> names_in(DIR* stream) {
    std::vector<Name> names;
    while (true) {
      errno = 0;
      const dirent* entry = ::readdir(stream);
      if (entry == nullptr) {
        if (errno != 0) return io_error(fmt::format("cannot list: {}", std::strerror(errno)));
        break;
      }
      const std::string_view text(entry->d_name);
      if (text == "." || text == "..") continue;
      if (names.size() == kMostNames) {
        is_partial_ = true;
        break;
      }
      names.push_back({std::string(text), kind_of(::dirfd(stream), *entry)});
      if (names.size() % 1024 == 0) TRY(deadline_.check());
    }
    std::sort(names.begin(), names.end(),
              [](const Name& a, const Name& b) { return a.text < b.text; });
    return names;
  }

  const Deadline& deadline_;
  const std::function<Entry::Step(const Entry&)>& visit_;
  bool is_partial_ = false;
};

}  // namespace

Result<bool> walk_folder(Descriptor folder, std::string_view prefix, const Deadline& deadline,
                         const std::function<Entry::Step(const Entry&)>& visit) {
  Walk walk(deadline, visit);
  TRY(walk.folder(std::move(folder), std::string(prefix), 1));
  return walk.is_partial();
}

std::string shown_path(std::string_view path) {
  for (const char c : path) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      return json::write_string(path);
    }
  }
  return std::string(path);
}

}  // namespace spoor::agent::builtin
