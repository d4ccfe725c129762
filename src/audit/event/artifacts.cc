#include "audit/event/artifacts.h"

#include <utility>

#include <fmt/format.h>

#include "agent/builtin/test_run.h"
#include "audit/event/tool_call.h"
#include "compile/json/reader.h"
#include "llm/source_exit_code.h"
#include "store/sha256.h"

namespace spoor::audit {
namespace {

namespace json = compile::json;
using compile::Capture;
using store::Result;
using Type = Artifact::Type;

constexpr std::size_t kMostWords = 200;  // Bytes of a command in a summary.

// The last word of the output that is the address of a request to merge.
std::string request_in(const std::string& text) {
  std::string found;
  std::size_t at = 0;
  while ((at = text.find("https://", at)) != std::string::npos) {
    const std::size_t end = std::min(text.find_first_of(" \t\r\n\"'<>)", at), text.size());
    const std::string word = text.substr(at, end - at);
    const bool is_request = word.find("/pull/") != std::string::npos ||
                            word.find("/merge_requests/") != std::string::npos;
    if (is_request) found = word;
    at = end;
  }
  return found;
}

// `[main 1a2b3c4] subject`, as git says it.
std::string commit_in(const std::string& text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    const std::size_t close = line.find(']');
    if (line.starts_with('[') && close != std::string_view::npos) {
      const std::size_t blank = line.rfind(' ', close);
      const std::string_view hash =
          blank == std::string_view::npos ? "" : line.substr(blank + 1, close - blank - 1);
      const bool is_hash =
          hash.size() >= 7 && hash.find_first_not_of("0123456789abcdef") == std::string_view::npos;
      if (is_hash) return std::string(line);
    }
    at = end + 1;
  }
  return {};
}

bool commits_with_git(const std::vector<Words>& commands) {
  for (const Words& command : commands) {
    if (command.size() < 2 || command[0] != "git") continue;
    for (std::size_t i = 1; i < command.size(); ++i) {
      if (command[i] == "commit") return true;
      if (!command[i].starts_with('-')) break;
      if (command[i] == "-C" || command[i] == "-c") ++i;
    }
  }
  return false;
}

// What is known already stays.
void fill_lines(const FileEdit& edit, Artifact& artifact) {
  if (!artifact.lines_added) artifact.lines_added = edit.added;
  if (!artifact.lines_removed) artifact.lines_removed = edit.removed;
}

class Artifacts {
 public:
  Artifacts(const store::Reader& reader, const TurnSeen& result)
      : reader_(reader), result_(result) {}

  Artifact& add(Type type, std::string_view summary) {
    Artifact artifact;
    artifact.type = type;
    artifact.id = fmt::format("{}.{}", result_.oid.hex(16), made.size() + 1);
    artifact.summary = content(summary);
    made.push_back(std::move(artifact));
    return made.back();
  }

  Content content(std::string_view text) const { return content_of(text, result_.capture); }

  // What is attached with this type, if anything is.
  Result<void> refer(std::string_view media_type, Artifact& artifact) {
    for (const store::Content& attached : result_.commit->attach) {
      if (attached.media_type != media_type) continue;
      artifact.content_ref = attached.oid;
      const auto bytes = TRY(bytes_of(reader_, attached.oid));
      if (bytes) artifact.hash = store::sha256(*bytes).hex();
      return {};
    }
    return {};
  }

  std::vector<Artifact> made;

 private:
  const store::Reader& reader_;
  const TurnSeen& result_;
};

// Of a call that changes several files, or does something else besides: what it names.
void add_files(const std::vector<std::string>& paths, const std::vector<FileEdit>& edits,
               Artifacts& all) {
  for (const std::string& path : paths) {
    Artifact& artifact = all.add(Type::file_edit, path);
    artifact.path = all.content(path);
    for (const FileEdit& edit : edits) {
      if (edit.path == path) fill_lines(edit, artifact);
    }
  }
}

Result<void> add_edit(const store::Reader& reader, const TurnSeen& result, const CallSeen& call,
                      Artifacts& all) {
  const compile::FactsView& facts = *result.facts;
  std::string path = facts.text("path");
  if (path.empty()) path = path_of(call).value_or("");
  Artifact& artifact = all.add(Type::file_edit, path.empty() ? call.tool : path);
  if (!path.empty()) artifact.path = all.content(path);
  artifact.lines_added = facts.json("lines_added").integer();
  artifact.lines_removed = facts.json("lines_removed").integer();
  TRY(all.refer("text/x-diff", artifact));
  if (artifact.content_ref) return {};
  // What an imported record says of it, else what the call asks for.
  TRY(all.refer("application/json", artifact));
  if (artifact.content_ref) {
    const auto bytes = TRY(bytes_of(reader, *artifact.content_ref));
    const auto said = bytes ? edit_in_result(*bytes) : std::nullopt;
    if (said) fill_lines(*said, artifact);
    if (said && !artifact.path && !said->path.empty()) artifact.path = all.content(said->path);
  }
  const std::vector<FileEdit> asked = edits_of(call.tool, call.arguments);
  if (asked.size() == 1) fill_lines(asked.front(), artifact);
  return {};
}

// Of our own tools by the fact, of others by what a known runner prints at its end.
std::string tests_of(const compile::FactsView& facts, const std::vector<Words>& commands,
                     const std::string& output) {
  const json::Value tests = facts.json("tests");
  if (tests.is_object()) {
    return fmt::format("{}: {} passed, {} failed, {} skipped", tests.find("runner").text(),
                       tests.find("passed").integer().value_or(0),
                       tests.find("failed").integer().value_or(0),
                       tests.find("skipped").integer().value_or(0));
  }
  for (const Words& command : commands) {
    const auto read = agent::builtin::read_test_run(command, output);
    if (read) return fmt::format("{}: {}", read->runner, read->text());
  }
  return {};
}

}  // namespace

Ending ending_of(const TurnSeen& result, const std::string& text, bool is_error) {
  const compile::FactsView& facts = *result.facts;
  Ending ending{is_error, facts.json("exit_code").integer()};
  if (!ending.exit_code) {
    ending.exit_code = llm::read_source_exit_code(facts.text("source"), text, is_error);
  }
  ending.has_failed = is_error || ending.exit_code.value_or(0) != 0;
  return ending;
}

Result<std::vector<Artifact>> artifacts_of(const store::Reader& reader, const TurnSeen& result,
                                           AgentAction::Type type, const CallSeen& call,
                                           const std::string& text, const Ending& ending) {
  Artifacts all(reader, result);
  const std::vector<Words> commands = commands_of(call);
  const bool is_hashed = result.capture == Capture::hashed;
  const bool is_edit =
      call.artifact == "file_edit" || (call.artifact.empty() && type == AgentAction::Type::edit);
  if (is_edit) {
    // One of ours that changed nothing says so by having no artifact; one of others by its error.
    const bool is_ours = result.facts->json("run").is_string();
    const bool has_edited = is_ours ? !call.artifact.empty() : !ending.has_failed;
    const auto changed = is_ours ? std::vector<std::string>() : changed_by(call);
    if (has_edited && changed.size() > 1) {
      add_files(changed, edits_of(call.tool, call.arguments), all);
    } else if (has_edited) {
      TRY(add_edit(reader, result, call, all));
    }
  } else if (call.artifact == "command" || call.artifact == "test_run" || !commands.empty()) {
    const bool is_test = type == AgentAction::Type::run_tests;
    const std::string line = line_of(call).substr(0, kMostWords);
    const std::string tests =
        is_test && !is_hashed ? tests_of(*result.facts, commands, text) : std::string();
    Artifact& artifact = all.add(is_test ? Type::test_run : Type::command,
                                 tests.empty() ? (line.empty() ? call.tool : line) : tests);
    artifact.exit_code = ending.exit_code;
    TRY(all.refer("text/plain", artifact));
    if (ending.has_failed || is_hashed) return std::move(all.made);
    if (call.artifact.empty()) {
      add_files(changed_by(call), edits_of(call.tool, call.arguments), all);
    }
    if (type == AgentAction::Type::open_pr) {
      const std::string request = request_in(text);
      if (!request.empty()) all.add(Type::pr, request);
    }
    if (commits_with_git(commands)) {
      const std::string commit = commit_in(text);
      if (!commit.empty()) all.add(Type::commit, commit);
    }
  } else {
    Artifact diff;
    TRY(all.refer("text/x-diff", diff));
    if (diff.content_ref) {
      Artifact& artifact = all.add(Type::diff, call.tool);
      artifact.content_ref = diff.content_ref;
      artifact.hash = diff.hash;
    }
  }
  return std::move(all.made);
}

}  // namespace spoor::audit
