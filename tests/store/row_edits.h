#pragma once

#include <doctest/doctest.h>

#include <array>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "store/fsck.h"
#include "store/sqlite/compression.h"
#include "store/sqlite/packed_text.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/store/database.h"
#include "tests/store/story.h"
#include "tests/store/temp_dir.h"
#include "tests/store/world_file.h"

namespace spoor::store::sample {

/// A store's file in the hands of somebody who edits it, and knows how rows are packed.
class Editor {
 public:
  explicit Editor(const std::string& path) : path_(path), file_(path) {}

  void run(const std::string& sql) { file_.run(sql); }
  std::vector<std::string> ask(const std::string& sql) { return file_.ask(sql); }

  /// Was a compressed body written?
  bool is_framed() const { return is_framed_; }

  /// Changes the body of any object, or of an operation.
  void edit(const Oid& oid, const std::function<void(std::string&)>& change) {
    const auto store = SqliteStore::open(path_).value();
    Object object = *store->get(std::array{oid}).value()[0];
    change(object.body);
    write_body(object.kind == Kind::commit ? "commits" : "objects", "oid=" + sql_blob(oid.view()),
               object.body);
  }
  void edit_commit(const Oid& oid, const std::function<void(Commit&)>& change) {
    edit(oid, [&](std::string& body) {
      Commit commit = parse_commit(body).value();
      change(commit);
      body = serialize(commit).value();
    });
  }
  void edit_operation(const LoggedOperation& logged,
                      const std::function<void(Operation&)>& change) {
    Operation operation = parse_operation(logged.body).value();
    change(operation);
    write_body("operations", "number=" + std::to_string(logged.number),
               serialize(operation).value());
  }

 private:
  // Packed as the body before; one that does not become smaller is not compressed.
  void write_body(const std::string& table, const std::string& where, const std::string& body) {
    int codec = std::stoi(file_.ask("SELECT codec FROM " + table + " WHERE " + where).at(0));
    std::string bytes = body;
    if ((codec & 1) != 0) {
      bytes = table == "objects" ? body.substr(16) : sqlite::pack_text(body).value();
    }
    if ((codec & 2) != 0) {
      const auto made = frame(table, bytes);
      if (made) bytes = *made;
      if (!made) codec &= 1;
    }
    is_framed_ = (codec & 2) != 0;
    file_.run("UPDATE " + table + " SET codec=" + std::to_string(codec) + ",size=" +
              std::to_string(body.size()) + ",body=" + sql_blob(bytes) + " WHERE " + where);
  }

  std::optional<std::string> frame(const std::string& table, const std::string& bytes) {
    const auto row = file_.ask("SELECT number,body FROM dictionaries WHERE serves='" + table +
                               "' ORDER BY number DESC LIMIT 1");
    const auto number = static_cast<sqlite::DictionaryNumber>(std::stoul(row.at(0)));
    sqlite::Compressor compressor(sqlite::unpack_dictionary(number, row.at(1)).value());
    const auto made = compressor.compress(bytes);
    return made ? std::optional(std::string(*made)) : std::nullopt;
  }

  bool is_framed_ = false;
  const std::string path_;
  Database file_;
};

/// One line for each problem.
inline std::string shown_problems(const FsckReport& report) {
  std::string text;
  for (const auto& each : report.problems) {
    text += each.subject + ": " + std::string(name_of(each.rule)) + ": " + each.message + "\n";
  }
  return text;
}

/// fsck of a file that nobody has open: what it finds, after a look that it changed nothing.
inline FsckReport report_of_file(const std::string& path) {
  const std::string before = read_file(path);
  FsckReport report;
  {
    const auto store = SqliteStore::open(path).value();  // One that may write.
    report = fsck(*store).value();
  }
  CHECK(read_file(path) == before);
  CHECK(read_file(path + "-wal").empty());
  return report;
}

/// What the file holds is all there is.
inline void empty_log(const std::string& path) {
  Database(path).run("PRAGMA wal_checkpoint(TRUNCATE)");
}

/// What fsck finds in a copy of a sound store after something was done to it. Says whether that
/// wrote a compressed body.
inline FsckReport report_after(const std::string& sound, const std::function<void(Editor&)>& edit,
                               bool* is_framed = nullptr) {
  const TempDir folder;
  const std::string path = folder / "store";
  std::ofstream(path, std::ios::binary) << sound;
  {
    Editor editor(path);
    edit(editor);
    if (is_framed != nullptr) *is_framed = editor.is_framed();
  }
  empty_log(path);
  REQUIRE(read_file(path) != sound);
  return report_of_file(path);
}

/// The file of write_story() as it was written; packed, too; and then rebuilt, so that the index
/// has the names that operations carried.
enum class StoryState { written, packed, rebuilt };

struct StoryFile {
  World world;
  std::string bytes;
};

inline StoryFile story_file(StoryState state) {
  const TempDir folder;
  const std::string path = folder / "store";
  StoryFile story{write_story(path), {}};
  if (state != StoryState::written) {
    CHECK(SqliteStore::open(path).value()->pack([] { return false; })->rows > 300);
  }
  if (state == StoryState::rebuilt) REQUIRE(SqliteStore::open(path).value()->rebuild());
  empty_log(path);
  const FsckReport report = report_of_file(path);
  REQUIRE_MESSAGE(report.is_sound(), shown_problems(report));
  story.bytes = read_file(path);
  return story;
}

}  // namespace spoor::store::sample
