#include "store/archive.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "base/os/durable.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/terminal/interrupt.h"
#include "cli/transfer/carried_refs.h"
#include "cli/views/times.h"

namespace spoor::cli {

using api::JsonWriter;
using store::Oid;

namespace {

constexpr std::array kOptions = {
    Option{"file", "FILE", "the file to write", 0, Takes::path, Count::one},
    Option{"ref", "REF", "a branch, a tag or a full ref name (default: all refs)", 0,
           Takes::revision, Count::many},
    Option{"--since", "REV", "leave out what its reader has: this commit and its history", 0,
           Takes::revision, Count::many},
    kJson,
};

// A new file that gets its name when it is completely on disk; otherwise it is deleted.
class NewFile {
 public:
  explicit NewFile(std::string path)
      : path_(std::move(path)), draft_(fmt::format("{}.{}.new", path_, ::getpid())) {}
  ~NewFile() {
    if (file_ == nullptr) return;
    std::fclose(file_);
    ::unlink(draft_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  Result<void> open() {
    const int fd = ::open(draft_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return failed();
    file_ = ::fdopen(fd, "wb");
    if (file_ == nullptr) {
      const Error error = failed();
      ::close(fd);
      ::unlink(draft_.c_str());
      return error;
    }
    return {};
  }

  Result<void> write(std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) return failed();
    return {};
  }

  Result<void> finish() {
    if (std::fflush(file_) != 0 || os::sync_file(::fileno(file_)) != 0) return failed();
    if (::rename(draft_.c_str(), path_.c_str()) != 0) return failed();
    std::fclose(std::exchange(file_, nullptr));
    return {};
  }

 private:
  Error failed() const {
    return io_error(fmt::format("cannot write '{}': {}", path_, std::strerror(errno)));
  }

  std::string path_;
  std::string draft_;
  std::FILE* file_ = nullptr;
};

Result<void> run(Session& session, const Arguments& arguments) {
  if (arguments.text("file") == "-") {
    return session.usage_error("cannot write an archive to standard output",
                               "name a file; write './-' for a file named '-'");
  }
  Workspace& workspace = *TRY(session.workspace());
  store::ArchiveHead head;
  head.is_private = TRY(workspace.store().property("private")).has_value();
  if (const auto newest = TRY(workspace.store().newest_operation())) head.operation = newest->name;
  head.refs = TRY(refs_with_company(workspace, arguments.all("ref")));
  for (const std::string& revision : arguments.all("--since")) {
    head.haves.push_back(TRY(workspace.resolve(revision)));
  }
  std::ranges::sort(head.haves);
  head.haves.erase(std::unique(head.haves.begin(), head.haves.end()), head.haves.end());
  if (head.refs.empty()) {
    return invalid("no ref to archive", "add a turn with 'spoor user TEXT'");
  }

  const Cancellable cancellable;
  const std::string path = arguments.text("file");
  NewFile file(path);
  TRY(file.open());
  const store::ArchiveCount count = TRY(
      store::write_archive(workspace.store(), head, [&](std::string_view bytes) -> Result<void> {
        if (is_interrupted()) return interrupted("stopped", "nothing was written");
        return file.write(bytes);
      }));
  TRY(file.finish());

  if (arguments.has("--json")) {
    JsonWriter json;
    json.object().member("path", path).member("commits", count.commits);
    json.member("objects", count.objects).member("bytes", count.bytes).list("refs");
    for (const store::Ref& ref : head.refs) {
      json.object().member("name", ref.name).member("hash", ref.target).end();
    }
    session.out().verbatim(json.end().end().take());
    return {};
  }
  session.out().print(fmt::format("{}: {}, {}, {}, {}\n", path, counted(head.refs.size(), "ref"),
                                  counted(count.commits, "commit"),
                                  counted(count.objects, "object"), byte_size(count.bytes)));
  return {};
}

constexpr std::array kExamples = {
    Example{"spoor store archive all.archive", "everything that any ref leads to"},
    Example{"spoor store archive one.archive main", "one branch"},
    Example{"spoor store archive new.archive main --since main~20", "its last 20 commits"},
    Example{"spoor import one.archive", "import it into another store"},
};

}  // namespace

extern const Command kArchive{
    .name = "store archive",
    .summary = "Export branches and all their objects into one file",
    .options = kOptions,
    .run = run,
    .group = Group::care,
    .details =
        "The file contains the refs and every object they need, under the same ids. 'spoor\n"
        "import' reads it: each byte is verified before any ref is created. A branch that\n"
        "exists here at another commit is not moved: the archive's branch is imported as\n"
        "NAME-imported. The operation log, HEAD and settings are not exported. The blobs of\n"
        "a private store are salted as they are, and the file never contains the key. A\n"
        "branch includes the runs that ended on it, and the requests that a proxy captured\n"
        "of it. An existing file of the same name is replaced. With --since, the file can be\n"
        "imported only where that commit is.",
    .examples = kExamples,
};

}  // namespace spoor::cli
