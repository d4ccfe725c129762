#include "import/formats/opencode_database.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "import/content.h"
#include "import/names.h"
#include "import/records.h"

namespace spoor::import::formats {
namespace {

using store::sqlite::ForeignFile;

struct Table {
  std::string_view name;
  std::array<std::string_view, 5> columns;
};
constexpr std::array kTables = {
    Table{"session", {"id", "time_created", "time_updated"}},
    Table{"message", {"id", "session_id", "time_created", "time_updated", "data"}},
    Table{"part", {"id", "message_id", "session_id", "time_updated", "data"}},
};

/// A column of `session`, and its place in the exported `info`: a member, or one of an object.
struct Column {
  std::string_view name;
  std::string_view holder;  // Empty: `info` itself.
  std::string_view member;
  bool is_json = false;
};
constexpr std::array kColumns = {
    Column{"id", "", "id"},
    Column{"slug", "", "slug"},
    Column{"project_id", "", "projectID"},
    Column{"workspace_id", "", "workspaceID"},
    Column{"directory", "", "directory"},
    Column{"path", "", "path"},
    Column{"parent_id", "", "parentID"},
    Column{"title", "", "title"},
    Column{"agent", "", "agent"},
    Column{"model", "", "model", true},
    Column{"version", "", "version"},
    Column{"summary_additions", "summary", "additions"},
    Column{"summary_deletions", "summary", "deletions"},
    Column{"summary_files", "summary", "files"},
    Column{"summary_diffs", "summary", "diffs", true},
    Column{"cost", "", "cost"},
    Column{"tokens_input", "tokens", "input"},
    Column{"tokens_output", "tokens", "output"},
    Column{"tokens_reasoning", "tokens", "reasoning"},
    Column{"tokens_cache_read", "tokens.cache", "read"},
    Column{"tokens_cache_write", "tokens.cache", "write"},
    Column{"share_url", "share", "url"},
    Column{"metadata", "", "metadata", true},
    Column{"revert", "", "revert", true},
    Column{"permission", "", "permission", true},
    Column{"time_created", "time", "created"},
    Column{"time_updated", "time", "updated"},
    Column{"time_compacting", "time", "compacting"},
    Column{"time_archived", "time", "archived"},
};

/// Writes an object whose members come in the order of kColumns.
class Info {
 public:
  explicit Info(std::string& out) : out_(out) { out_ += '{'; }

  void add(std::string_view holder, std::string_view member, std::string_view json) {
    go_to(holder);
    add_key(member);
    out_ += json;
  }
  void end() {
    go_to({});
    out_ += '}';
  }

 private:
  /// Closes the objects that `holder` is not in, and opens those that it is in.
  void go_to(std::string_view holder) {
    while (!holder_.empty() && holder != holder_ && !holder.starts_with(holder_ + ".")) {
      out_ += '}';
      const std::size_t dot = holder_.rfind('.');
      holder_.resize(dot == std::string::npos ? 0 : dot);
    }
    while (holder_ != holder) {
      const std::size_t begin = holder_.empty() ? 0 : holder_.size() + 1;
      const std::size_t end = std::min(holder.find('.', begin), holder.size());
      add_key(holder.substr(begin, end - begin));
      out_ += '{';
      holder_ = holder.substr(0, end);
    }
  }
  void add_key(std::string_view key) {
    if (out_.back() != '{') out_ += ',';
    json::append_string(out_, key);
    out_ += ':';
  }

  std::string& out_;
  std::string holder_;
};

/// Returns a column's value as JSON; empty if it is NULL or not a value of JSON.
std::string value_of(const ForeignFile::Rows& row, int column, bool is_json) {
  if (const auto number = row.integer(column)) return std::to_string(*number);
  if (const auto number = row.real(column)) {
    return std::isfinite(*number) ? fmt::format("{}", *number) : std::string();
  }
  const auto text = row.text(column);
  if (!text) return {};
  if (is_json && json::parse(*text)) return std::string(*text);
  std::string quoted;
  json::append_string(quoted, *text);
  return quoted;
}

/// Appends the object `data`, with more members after its own. Returns false if it is not one.
bool append_object(std::string& out, const json::Value& data, std::string_view more) {
  if (!data.is_object()) return false;
  const std::string_view raw = data.raw();
  out += raw.substr(0, raw.size() - 1);
  if (data.size() > 0) out += ',';
  out.append(more).append("}");
  return true;
}

/// Whether an answer is still written.
bool is_open(const json::Value& info) {
  return info.find("role").equals("assistant") &&
         says_nothing(info.find("time").find("completed")) && says_nothing(info.find("error"));
}

std::string member(std::string_view key, std::string_view text) {
  std::string written;
  json::append_string(written, key);
  written += ':';
  json::append_string(written, text);
  return written;
}

}  // namespace

Result<OpenCodeDatabase> OpenCodeDatabase::open(const std::string& path,
                                                const std::atomic<bool>* cancel) {
  OpenCodeDatabase database(TRY(ForeignFile::open(path, cancel)));
  TRY(database.file_->read([&] { return database.check_tables(); }));
  return database;
}

Result<void> OpenCodeDatabase::check_tables() const {
  for (const Table& table : kTables) {
    const auto columns = TRY(file_->columns_of(table.name));
    for (const std::string_view column : table.columns) {
      if (column.empty() || std::ranges::find(columns, column) != columns.end()) continue;
      return invalid(
          columns.empty()
              ? fmt::format("an SQLite file without OpenCode's table '{}'", table.name)
              : fmt::format("OpenCode's table '{}' has no column '{}'", table.name, column),
          "'opencode export' writes a session as JSON, which spoor reads");
    }
  }
  return {};
}

Result<std::vector<OpenCodeDatabase::Session>> OpenCodeDatabase::sessions(Timestamp since) {
  constexpr std::size_t kMostId = 256;
  std::string sql = "SELECT id, time_updated FROM session AS s";
  if (since.micros > 0) {
    const std::int64_t from = since.micros / 1000;
    sql += fmt::format(
        " WHERE time_updated >= {0} OR EXISTS (SELECT 1 FROM message WHERE session_id = s.id AND "
        "time_updated >= {0}) OR EXISTS (SELECT 1 FROM part WHERE session_id = s.id AND "
        "time_updated >= {0})",
        from);
  }
  sql += " ORDER BY time_created, id";
  std::vector<Session> sessions;
  TRY(file_->read([&]() -> Result<void> {
    sessions.clear();
    auto rows = TRY(file_->select(sql.c_str()));
    while (TRY(rows.next())) {
      const auto id = rows.text(0);
      if (!id || id->size() > kMostId) {
        return invalid("OpenCode's table 'session' has an id that is none",
                       "'opencode export' writes a session as JSON, which spoor reads");
      }
      sessions.push_back({std::string(*id), rows.integer(1).value_or(0)});
    }
    return {};
  }));
  return sessions;
}

Result<OpenCodeDatabase::Exported> OpenCodeDatabase::read(const std::string& session,
                                                          bool is_growing) {
  Exported exported;
  TRY(file_->read([&]() -> Result<void> {
    auto read = export_session(session, is_growing);
    if (read) {
      exported = std::move(read).value();
      return {};
    }
    if (read.error().code != Error::Code::invalid) return read.error();
    exported = {{}, {read.error().message + ", not imported"}};  // A value is too long.
    return {};
  }));
  return exported;
}

Result<OpenCodeDatabase::Exported> OpenCodeDatabase::export_session(const std::string& session,
                                                                    bool is_growing) const {
  Exported exported;
  exported.document = "{\"info\":";
  TRY(add_info(session, exported));
  exported.document += ",\"messages\":[";
  TRY(add_messages(session, is_growing, exported));
  exported.document += "]}\n";
  return exported;
}

Result<void> OpenCodeDatabase::add_info(const std::string& session, Exported& exported) const {
  auto row = TRY(file_->select("SELECT * FROM session WHERE id = ?", {session}));
  Info info(exported.document);
  if (TRY(row.next())) {
    for (const Column& column : kColumns) {
      for (int i = 0; i < row.columns(); ++i) {
        const std::string value =
            row.name(i) == column.name ? value_of(row, i, column.is_json) : std::string();
        if (!value.empty()) info.add(column.holder, column.member, value);
      }
    }
    for (int i = 0; i < row.columns(); ++i) {  // Those of later versions.
      const std::string value = value_of(row, i, false);
      const bool is_known =
          std::ranges::find(kColumns, row.name(i), &Column::name) != kColumns.end();
      if (!is_known && !value.empty()) info.add({}, row.name(i), value);
    }
  }
  info.end();
  return {};
}

Result<void> OpenCodeDatabase::add_messages(const std::string& session, bool is_growing,
                                            Exported& exported) const {
  std::string& out = exported.document;
  auto rows = TRY(file_->select(
      "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id", {session}));
  const std::size_t begin = out.size();
  std::size_t end = begin;  // The end of the last complete message.
  while (TRY(rows.next())) {
    const std::string id(rows.text(0).value_or(""));
    const std::string data(rows.text(1).value_or(""));
    const std::size_t before = out.size();
    if (before != begin) out += ',';
    out += "{\"info\":";
    const std::string names = member("id", id) + "," + member("sessionID", session);
    const auto document = json::parse(data);
    if (!document || !append_object(out, document->root(), names)) {
      out.resize(before);
      exported.problems.push_back(
          fmt::format("message '{}' is not a JSON object, not imported", plain_word(id)));
      continue;
    }
    const bool is_open_answer = is_open(document->root());
    out += ",\"parts\":[";
    TRY(add_parts(session, id, exported));
    out += "]}";
    if (!is_open_answer) end = out.size();
    if (out.size() > kMostDocument) {
      return invalid(fmt::format("a session of more than {} MiB", kMostDocument >> 20U));
    }
  }
  if (is_growing) out.resize(end);
  return {};
}

Result<void> OpenCodeDatabase::add_parts(const std::string& session, const std::string& message,
                                         Exported& exported) const {
  std::string& out = exported.document;
  auto rows =
      TRY(file_->select("SELECT id, data FROM part WHERE message_id = ? ORDER BY id", {message}));
  const std::size_t begin = out.size();
  while (TRY(rows.next())) {
    const std::string id(rows.text(0).value_or(""));
    const std::string_view data = rows.text(1).value_or("");
    const std::string names =
        member("id", id) + "," + member("sessionID", session) + "," + member("messageID", message);
    const std::size_t before = out.size();
    if (before != begin) out += ',';
    const auto document = json::parse(data);
    if (!document || !append_object(out, document->root(), names)) {
      out.resize(before);
      exported.problems.push_back(
          fmt::format("part '{}' is not a JSON object, not imported", plain_word(id)));
    }
    if (out.size() > kMostDocument) {
      return invalid(fmt::format("a session of more than {} MiB", kMostDocument >> 20U));
    }
  }
  return {};
}

}  // namespace spoor::import::formats
