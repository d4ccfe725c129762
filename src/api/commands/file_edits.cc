#include "api/commands/file_edits.h"

#include <array>

#include "api/each_call.h"
#include "trace/deriver.h"
#include "trace/edits.h"

namespace spoor::api {
namespace {

constexpr std::array kExamples = {
    Example{"spoor file src/main.rs", "every edit of it: when, why, and the change"},
    Example{"spoor file Makefile --session 57 --json", "those of one session, for a program"},
};

// Returns true if both name the same file. `src/x.cc`, `./src/x.cc` and `/home/me/project/src/x.cc`
// are the same for the user, who types the end of a path or a path from the working folder. An
// empty path matches every file.
bool is_file(std::string_view edited, std::string_view wanted, std::string_view folder) {
  const auto ends_with = [](std::string_view path, std::string_view end) {
    return path == end || (path.size() > end.size() && path.ends_with(end) &&
                           path[path.size() - end.size() - 1] == '/');
  };
  if (wanted.starts_with("./")) wanted.remove_prefix(2);
  if (edited.starts_with("./")) edited.remove_prefix(2);
  if (wanted.empty() || ends_with(edited, wanted)) return true;
  if (wanted.starts_with('/')) return ends_with(wanted, edited);
  return edited == std::string(folder) + "/" + std::string(wanted);
}

class Search {
 public:
  Search(const Context& context, const FileQuery& query, const Sink<EditRow>& sink)
      : context_(context),
        reader_(context.workspace.repository().reader()),
        query_(query),
        sink_(sink),
        left_(query.limit.value_or(~std::uint64_t{0})) {}

  Result<void> run() {
    const SessionFilter filter{query_.sessions, query_.since, query_.project, query_.agent};
    for (const Session& session : TRY(find_sessions(context_, filter))) {
      if (!TRY(take(session))) break;
    }
    return {};
  }

 private:
  // Returns false if no more rows are wanted.
  Result<bool> take(const Session& session) {
    std::vector<EditRow> rows;
    TRY(each_call(context_, session,
                  [&](const trace::Call& call, const auto& request) -> Result<void> {
                    if (query_.since && (!call.started || *call.started < *query_.since)) return {};
                    for (const trace::Edit& edit : TRY(trace::edits_of(reader_, call))) {
                      if (!is_file(edit.path, query_.path, context_.folder)) continue;
                      rows.push_back(TRY(row_of(session, call, edit)));
                      if (request) rows.back().request = TRY(beginning_of(*request->commit));
                    }
                    return {};
                  }));
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
      if (left_ == 0 || !sink_(*row)) return false;
      --left_;
    }
    return true;
  }

  Result<std::string> beginning_of(const store::Commit& commit) const {
    constexpr std::size_t kColumns = 1'000;
    if (!commit.content) return std::string();
    const auto text = TRY(reader_.contents(std::span(&commit.content->oid, 1))).front();
    return text != nullptr ? compile::preview(*text, kColumns) : std::string();
  }

  Result<EditRow> row_of(const Session& session, const trace::Call& call,
                         const trace::Edit& edit) const {
    EditRow row{.number = session.number,
                .session = session.name(),
                .path = edit.path,
                .tool = call.tool,
                .why = TRY(trace::read_reason(reader_, call.asked.reason)),
                .time = call.started,
                .lines_added = edit.added,
                .lines_removed = edit.removed,
                .answer = call.answer,
                .result = call.result ? std::optional(call.result->oid) : std::nullopt};
    for (const graph::UnifiedLine& line : TRY(trace::diff_of(reader_, call, edit.path))) {
      if (line.kind != '@') row.diff += line.kind;
      row.diff.append(line.text).append("\n");
    }
    return row;
  }

  const Context& context_;
  const store::Reader& reader_;
  const FileQuery& query_;
  const Sink<EditRow>& sink_;
  std::uint64_t left_;
};

Result<void> run(Context& context, const FileQuery& query, const Sink<EditRow>& sink) {
  return Search(context, query, sink).run();
}

}  // namespace

constexpr Listing<FileQuery, EditRow> kFile{
    .name = "file",
    .summary = "Show every edit of a file in all sessions: when, why, and the change",
    .rows = "edits",
    .group = Group::read,
    .details =
        "PATH is the end of the file's path, or a path relative to the working folder. The\n"
        "reason is the one that the model stated for the call, else its thinking or its\n"
        "text before the call, else the request. Edits that failed or were refused are left\n"
        "out. The change is the one that the agent recorded, else the one that the call\n"
        "asked for. Edits by shell commands are not listed: see 'spoor calls --match PATH'.",
    .examples = kExamples,
    .run = run,
};

}  // namespace spoor::api
