#include "sync/folder_link.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/os/durable.h"
#include "base/rename_new.h"
#include "store/lines.h"
#include "store/sha256.h"

namespace spoor::sync {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "spoor push 1\n";
constexpr std::string_view kFolderFact = "folder";
constexpr std::size_t kBlock = 65'536;

Error folder_failed(const std::string& what) {
  return io_error(fmt::format("cannot {}: {}", what, std::strerror(errno)),
                  "check the folder's permissions and its free space");
}

std::string path_of(const std::string& folder, std::uint64_t number) {
  return fmt::format("{}/push-{:08}", folder, number);
}

// Returns the numbers of the pushes in a folder.
Result<std::set<std::uint64_t>> numbers_in(const std::string& folder) {
  constexpr std::string_view kPrefix = "push-";
  std::set<std::uint64_t> numbers;
  std::error_code problem;
  for (fs::directory_iterator each(folder, problem), end; !problem && each != end;
       each.increment(problem)) {
    const std::string name = each->path().filename().string();
    if (!name.starts_with(kPrefix)) continue;
    std::uint64_t number = 0;
    std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), number);
    if (fs::path(path_of(folder, number)).filename() == name) numbers.insert(number);
  }
  if (!problem) return numbers;
  errno = problem.value();
  return folder_failed("read '" + folder + "'");
}

Error not_a_push(const std::string& path) {
  return corrupt(fmt::format("'{}' is not a push", path));
}

// Opens a push; nullopt if there is none. Does not wait at a pipe.
Result<std::optional<Descriptor>> open_push(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::error_code problem;
  if (!file && errno == ENOENT && !fs::is_symlink(path, problem)) {
    return std::optional<Descriptor>();
  }
  struct stat about {};
  if (!file || ::fstat(file.number(), &about) != 0) return folder_failed("read '" + path + "'");
  if (!S_ISREG(about.st_mode)) return not_a_push(path);
  return std::optional(std::move(file));
}

// How far a mirror has come.
struct Progress {
  std::uint64_t taken = 0;  // The number of the last file.
  std::optional<Oid> file;  // Its fingerprint.
  bool is_pushing = false;  // It is ahead of the folder, unless the push has ended.
};

Result<Progress> progress_of(const store::Store& mirror) {
  Progress progress;
  const auto text = TRY(mirror.local(kFolderFact));
  if (!text) return progress;
  store::LineReader lines(*text);
  if (const auto taken = lines.take("taken")) {
    progress.taken = store::parse_integer(*taken).value_or(0);
  }
  if (const auto file = lines.take("file")) progress.file = Oid::from_hex(*file);
  progress.is_pushing = lines.take("pushing").has_value() || !lines.finished();
  return progress;
}

Result<void> note(store::Store& mirror, const Progress& progress) {
  std::string text;
  store::append_line(text, "taken", progress.taken);
  if (progress.file) store::append_line(text, "file", *progress.file);
  if (progress.is_pushing) store::append_line(text, "pushing", "yes");
  return mirror.set_local(kFolderFact, text);
}

// Reads a file from `at` on.
ByteSource source_of(int file, std::uint64_t at) {
  return [file, at](std::span<char> to) mutable -> Result<std::size_t> {
    const ssize_t count = ::pread(file, to.data(), to.size(), static_cast<off_t>(at));
    if (count < 0) return folder_failed("read a push");
    at += static_cast<std::uint64_t>(count);
    return static_cast<std::size_t>(count);
  };
}

ByteSource source_of(std::string_view bytes) {
  return [bytes](std::span<char> to) mutable -> Result<std::size_t> {
    const std::size_t count = bytes.copy(to.data(), to.size());
    bytes.remove_prefix(count);
    return count;
  };
}

// The hash of a file's size and its ends: a file is never changed, only replaced.
Result<std::optional<Oid>> fingerprint(const std::string& path) {
  const auto file = TRY(open_push(path));
  if (!file) return std::optional<Oid>();
  struct stat about {};
  if (::fstat(file->number(), &about) != 0) return folder_failed("read '" + path + "'");
  const auto size = static_cast<std::uint64_t>(about.st_size);
  std::string text = fmt::format("{}\n", size);
  std::array<char, kBlock> block{};
  for (const std::uint64_t at : {std::uint64_t{0}, size - std::min<std::uint64_t>(size, kBlock)}) {
    const std::size_t count = TRY(source_of(file->number(), at)(block));
    text.append(block.data(), count);
  }
  return std::optional(store::sha256(text));
}

Result<std::string> all_of(const ByteSource& source) {
  std::string bytes;
  std::array<char, kBlock> block{};
  while (const std::size_t count = TRY(source(block))) bytes.append(block.data(), count);
  return bytes;
}

// A push that has no number yet.
class Draft {
 public:
  Result<void> open(const std::string& folder) {
    path_ = folder + "/.push-XXXXXX";
    file_ = Descriptor(::mkostemp(path_.data(), O_CLOEXEC));
    if (!file_) return folder_failed("write into '" + folder + "'");
    ::fchmod(file_.number(), 0644);
    return {};
  }
  Draft() = default;
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    if (file_) ::unlink(path_.c_str());
  }

  bool is_open() const { return static_cast<bool>(file_); }
  int number() const { return file_.number(); }

  Result<void> write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::write(file_.number(), bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return folder_failed("write a push");
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return {};
  }

  // Gives it its name. False if that is taken.
  Result<bool> publish(const std::string& path) {
    if (os::sync_file(file_.number()) != 0) return folder_failed("write a push");
    errno = rename_new(path_, path);
    if (errno == EEXIST) return false;
    if (errno != 0) return folder_failed("make '" + path + "'");
    file_.close();
    ::unlink(path_.c_str());
    const Descriptor folder(::open(fs::path(path).parent_path().c_str(), O_RDONLY | O_CLOEXEC));
    if (folder) os::sync_file(folder.number());
    return true;
  }

 private:
  std::string path_;
  Descriptor file_;
};

// Gives the time of the push that is being taken.
class SetClock final : public Clock {
 public:
  Timestamp now() const override { return time; }
  Timestamp time;
};

}  // namespace

class FolderLink::Impl {
 public:
  Impl(std::string folder, std::string path, const Clock& clock, std::string actor)
      : folder_(std::move(folder)),
        path_(std::move(path)),
        clock_(clock),
        actor_(std::move(actor)) {}

  Result<void> open(const OpenMirror& open_mirror, std::function<bool()> is_cancelled) {
    lock_ = Descriptor(::open((path_ + "-lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!lock_ || ::flock(lock_.number(), LOCK_EX) != 0) {
      if (errno == EINTR) return interrupted("stopped");
      return folder_failed("lock the folder's mirror");
    }
    if (!TRY(reopens(open_mirror))) {
      mirror_.reset();
      mirror_ = TRY(open_mirror(true));
    }
    link_ = TRY(LocalLink::open(
        [this](const ByteSource& request, const ByteSink& answer) {
          ServerOptions options{.intake = {.file = path_, .actor = pushed_by_}};
          return Server(*mirror_, time_, std::move(options)).answer(request, answer);
        },
        std::move(is_cancelled)));
    return {};
  }

  Result<ByteSource> ask(const std::function<Result<void>(const ByteSink&)>& write) {
    TRY(catch_up());
    constexpr std::string_view kPush = "spoor sync 1 push ";
    std::string begin;
    Draft draft;
    TRY(write([&](std::string_view bytes) -> Result<void> {
      if (draft.is_open()) return draft.write(bytes);
      begin += bytes;
      if (!begin.starts_with(kPush)) return {};
      pushed_by_ = actor_;
      time_.time = clock_.now();
      TRY(draft.open(folder_));
      return draft.write(head_of(actor_, time_.time) + begin);
    }));
    if (draft.is_open()) return push(draft);
    return link_->ask([&](const ByteSink& sink) { return sink(begin); });
  }

 private:
  static std::string head_of(const std::string& actor, Timestamp time) {
    std::string head(kMagic);
    store::append_line(head, "actor", actor);
    store::append_line(head, "time", time.text());
    return head;
  }

  // Gives the mirror a file, which begins with a head of `skip` bytes, and returns its answer.
  Result<std::string> take(int file, std::size_t skip) {
    const ByteSource from = source_of(file, skip);
    const ByteSource answer = TRY(link_->ask([&](const ByteSink& sink) -> Result<void> {
      std::array<char, kBlock> block{};
      while (const std::size_t count = TRY(from(block))) TRY(sink({block.data(), count}));
      return {};
    }));
    return all_of(answer);
  }

  static Result<Message> message_in(std::string_view bytes) {
    const ByteSource source = source_of(bytes);
    LineInput input(source);
    return read_message(input);
  }

  // Opens the mirror that there is. False if it is damaged, or has taken other files.
  Result<bool> reopens(const OpenMirror& open_mirror) {
    auto opened = open_mirror(false);
    if (!opened) return false_if_damaged(opened.error());
    mirror_ = std::move(*opened);
    auto agreed = agrees();
    return agreed ? agreed : false_if_damaged(agreed.error());
  }

  static Result<bool> false_if_damaged(const Error& error) {
    const bool is_damaged =
        error.code == Error::Code::corrupt || error.code == Error::Code::invalid;
    return is_damaged ? Result<bool>(false) : error;
  }

  Result<bool> agrees() const {
    const Progress progress = TRY(progress_of(*mirror_));
    if (progress.is_pushing) return false;
    if (progress.taken == 0) return true;
    return TRY(fingerprint(path_of(folder_, progress.taken))) == progress.file;
  }

  // Returns whether the folder has no push after `taken`. One that is missing is an error.
  Result<bool> is_last(std::uint64_t taken) const {
    const auto numbers = TRY(numbers_in(folder_));
    std::uint64_t next = 1;
    while (numbers.contains(next)) ++next;
    const std::uint64_t last = numbers.empty() ? 0 : *numbers.rbegin();
    if (next > std::max(taken, last)) return last <= taken;
    return corrupt(fmt::format("'{}' is missing", path_of(folder_, next)),
                   "wait until the folder is complete, or take the file from a copy of it");
  }

  // Takes the pushes that others made.
  Result<void> catch_up() {
    Progress progress = TRY(progress_of(*mirror_));
    while (true) {
      const std::string path = path_of(folder_, progress.taken + 1);
      const auto file = TRY(open_push(path));
      if (!file && TRY(is_last(progress.taken))) return {};
      if (!file) continue;
      const ByteSource source = source_of(file->number(), 0);
      LineInput input(source);
      const auto malformed = [&] { return not_a_push(path); };
      std::string head;
      for (int i = 0; i < 3; ++i) {
        const auto line = input.line();
        if (!line) return malformed();
        head += *line;
      }
      if (!head.starts_with(kMagic)) return malformed();
      store::LineReader lines(std::string_view(head).substr(kMagic.size()));
      const auto actor = lines.take("actor");
      const auto time = parse_stored_time(lines.take("time").value_or(""));
      if (!actor || !time) return malformed();
      pushed_by_ = *actor;
      time_.time = *time;
      const Message answer = TRY(message_in(TRY(take(file->number(), head.size()))));
      if (answer.word != "ok") {
        const Error why = error_of(answer);
        return corrupt(fmt::format("'{}' cannot be taken: {}", path, why.message), why.hint);
      }
      ++progress.taken;
      progress.file = TRY(fingerprint(path));
      TRY(note(*mirror_, progress));
    }
  }

  Result<ByteSource> push(Draft& draft) {
    Progress progress = TRY(progress_of(*mirror_));
    progress.is_pushing = true;
    TRY(note(*mirror_, progress));
    answer_ = TRY(take(draft.number(), head_of(pushed_by_, time_.time).size()));
    progress.is_pushing = false;
    if (TRY(message_in(answer_)).word == "ok") {
      const std::string path = path_of(folder_, progress.taken + 1);
      if (!TRY(draft.publish(path))) {
        return conflict("somebody else pushed into the folder at the same time",
                        "run the command again");
      }
      ++progress.taken;
      progress.file = TRY(fingerprint(path));
    }
    TRY(note(*mirror_, progress));
    return source_of(answer_);
  }

  const std::string folder_;
  const std::string path_;
  const Clock& clock_;
  const std::string actor_;
  Descriptor lock_;
  std::unique_ptr<store::Store> mirror_;
  SetClock time_;
  std::string pushed_by_;
  std::string answer_;
  std::unique_ptr<LocalLink> link_;  // Its thread uses the others.
};

FolderLink::FolderLink(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FolderLink::~FolderLink() = default;

Result<std::unique_ptr<FolderLink>> FolderLink::open(const std::string& folder,
                                                     const std::string& path,
                                                     const OpenMirror& open_mirror,
                                                     const Clock& clock, const std::string& actor,
                                                     std::function<bool()> is_cancelled) {
  if (!fs::is_directory(folder)) {
    return not_found(fmt::format("there is no folder '{}'", folder), "make it: mkdir");
  }
  auto impl = std::make_unique<Impl>(folder, path, clock, actor);
  TRY(impl->open(open_mirror, std::move(is_cancelled)));
  return std::unique_ptr<FolderLink>(new FolderLink(std::move(impl)));
}

Result<ByteSource> FolderLink::ask(const std::function<Result<void>(const ByteSink&)>& write) {
  return impl_->ask(write);
}

}  // namespace spoor::sync
