#include "report/event/artifacts.h"

#include <utility>

#include <fmt/format.h>

#include "agent/builtin/test_run.h"
#include "base/json/reader.h"
#include "store/sha256.h"
#include "trace/edits.h"

namespace spoor::report {

using guard::check::CallSeen;
using guard::check::commands_of;
using guard::check::line_of;
using trace::Words;

namespace {

using compile::Capture;
using Type = Artifact::Type;

constexpr std::size_t kMostWords = 200;  // Bytes of a command in a summary.

// Returns the last word of the output that is the address of a merge request.
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

// Finds `[main 1a2b3c4] subject`, as printed by git.
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

  // Refers to the attachment of this type, if there is one.
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

Result<void> add_edits(const store::Reader& reader, const trace::Call& call, Artifacts& all) {
  for (const trace::Edit& edit : TRY(trace::edits_of(reader, call))) {
    Artifact& artifact = all.add(Type::file_edit, edit.path.empty() ? call.tool : edit.path);
    if (!edit.path.empty()) artifact.path = all.content(edit.path);
    artifact.lines_added = edit.added;
    artifact.lines_removed = edit.removed;
    if (!edit.record) continue;
    artifact.content_ref = edit.record->oid;
    const auto bytes = TRY(bytes_of(reader, edit.record->oid));
    if (bytes) artifact.hash = store::sha256(*bytes).hex();
  }
  return {};
}

// Returns the tests by the fact of spoor's own tools, or by the last output of a known test runner.
std::string tests_of(const compile::FactsView& facts, const std::vector<Words>& commands,
                     const std::string& output) {
  const json::Value tests = facts.json(fact::tests);
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

Result<std::vector<Artifact>> artifacts_of(const store::Reader& reader, const TurnSeen& result,
                                           AgentAction::Type type, const trace::Call& call,
                                           const std::string& text) {
  Artifacts all(reader, result);
  const CallSeen seen{call.tool, call.asked.arguments, call.artifact};
  const std::vector<Words> commands = commands_of(seen);
  const bool is_hashed = result.capture == Capture::hashed;
  const bool is_edit =
      call.artifact == "file_edit" || (call.artifact.empty() && type == AgentAction::Type::edit);
  if (is_edit) {
    TRY(add_edits(reader, call, all));
  } else if (call.artifact == "command" || call.artifact == "test_run" || !commands.empty()) {
    const bool is_test = type == AgentAction::Type::run_tests;
    const std::string line = line_of(seen).substr(0, kMostWords);
    const std::string tests =
        is_test && !is_hashed ? tests_of(*result.facts, commands, text) : std::string();
    Artifact& artifact = all.add(is_test ? Type::test_run : Type::command,
                                 tests.empty() ? (line.empty() ? call.tool : line) : tests);
    artifact.exit_code = call.exit_code;
    TRY(all.refer("text/plain", artifact));
    if (call.outcome == trace::Outcome::failed || is_hashed) return std::move(all.made);
    TRY(add_edits(reader, call, all));
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

}  // namespace spoor::report
