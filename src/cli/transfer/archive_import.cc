#include "cli/transfer/archive_import.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/terminal/interrupt.h"
#include "cli/views/times.h"
#include "store/quarantine.h"

namespace spoor::cli {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File open_to_read(const std::string& path) {
  return {std::fopen(path.c_str(), "rbe"), &std::fclose};
}

}  // namespace

bool is_archive(const std::string& path) {
  std::error_code error;  // A pipe can be read only once, so it is not inspected.
  if (!std::filesystem::is_regular_file(path, error)) return false;
  const File file = open_to_read(path);
  if (file == nullptr) return false;
  constexpr std::string_view kBegin = "spoor archive ";
  std::string begin(kBegin.size(), '\0');
  return std::fread(begin.data(), 1, begin.size(), file.get()) == begin.size() && begin == kBegin;
}

Result<ArchiveImport> import_archive(Workspace& workspace, const std::string& path) {
  Repository& repository = workspace.repository();
  // If the store is read-only, fail before anything is put into it.
  TRY(repository.transact("import", graph::OnConflict::fail,
                          [](graph::Draft&) { return Result<void>(); }));
  const File file = open_to_read(path);
  if (file == nullptr) {
    return io_error(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  }
  const auto source = [&](std::span<char> to) -> Result<std::size_t> {
    if (is_interrupted()) return interrupted("stopped", "nothing was stored");
    const std::size_t count = std::fread(to.data(), 1, to.size(), file.get());
    if (count == 0 && std::ferror(file.get()) != 0) {
      return io_error(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
    }
    return count;
  };
  const bool is_private = TRY(workspace.store().property("private")).has_value();
  ArchiveImport made;
  made.path = path;
  // Nothing enters the store before all of it is verified.
  auto opened = TRY(store::Quarantine::open(
      workspace.store(), std::filesystem::path(workspace.files()).parent_path().string()));
  store::Quarantine& aside = *opened;
  const auto together = TRY(repository.sibling(std::move(opened)));
  made.received = TRY(store::receive_archive(aside, {.is_private = is_private}, source));
  TRY(together->transact("import", graph::OnConflict::fail,
                         [&](graph::Draft& draft) -> Result<void> {
                           made.refs = TRY(store::place_refs(aside, made.received.head));
                           for (const store::PlacedRef& ref : made.refs) {
                             if (ref.is_new) TRY(draft.move(ref.as, ref.target));
                           }
                           return {};
                         }));
  // If all refs exist already, the archive's other contents are imported even so.
  const bool is_new = std::ranges::any_of(made.refs, &store::PlacedRef::is_new);
  if (!is_new) TRY(aside.admit());
  repository.drop_caches();
  return made;
}

void print_archive_import(Session& session, const ArchiveImport& made) {
  Output& out = session.out();
  const store::ArchiveCount& count = made.received.count;
  out.print(fmt::format("{}: {}, {}, {}: verified\n", made.path, counted(count.commits, "commit"),
                        counted(count.objects, "object"), byte_size(count.bytes)));
  if (made.received.left_out > 0) {
    out.print(
        fmt::format("  {} left out: erased here\n", counted(made.received.left_out, "content")));
  }
  for (const store::PlacedRef& ref : made.refs) {
    out.print("  ").print(Style::branch, ref.as).print(" ");
    out.print(Style::commit, ref.target.hex(8));
    if (!ref.is_new) out.print(" (unchanged)");
    if (ref.as != ref.name)
      out.print(fmt::format(" ({} is at another commit and was not moved)", ref.name));
    out.newline();
  }
}

void write_archive_import(JsonWriter& json, const ArchiveImport& made) {
  const store::ArchiveCount& count = made.received.count;
  json.object().member("path", made.path).member("commits", count.commits);
  json.member("objects", count.objects).member("bytes", count.bytes);
  json.member("erased", made.received.left_out).list("refs");
  for (const store::PlacedRef& ref : made.refs) {
    json.object().member("name", ref.name).member("as", ref.as).member("hash", ref.target);
    json.member("new", ref.is_new).end();
  }
  json.end().end();
}

}  // namespace spoor::cli
