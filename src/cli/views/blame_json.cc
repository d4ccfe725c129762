#include "cli/views/blame_json.h"

#include "api/turns/turn_view.h"
#include "cli/views/call_matches.h"
#include "graph/call_text.h"

namespace spoor::cli {

using api::Matcher;
using api::matches_of;
using store::Oid;

namespace {

// `{hash, type, author, time}` of one commit.
Result<void> write_maker(JsonWriter& json, const Workspace& workspace, const Oid& oid) {
  const auto commit = TRY(workspace.reader().commit(oid));
  json.object().member("hash", oid).member("type", compile::kind_of(*commit));
  json.member_or_null("author", commit->author).member("time", commit->time).end();
  return {};
}

Result<void> write_makers(JsonWriter& json, const Workspace& workspace, std::string_view name,
                          const std::vector<Oid>& oids) {
  json.list(name);
  for (const Oid& oid : oids) TRY(write_maker(json, workspace, oid));
  json.end();
  return {};
}

Result<void> write_origin(JsonWriter& json, const Workspace& workspace,
                          const graph::Origin& origin) {
  const auto commit = TRY(workspace.reader().commit(origin.commit));
  json.object().member("hash", origin.commit).member("type", compile::kind_of(*commit));
  json.member_or_null("author", commit->author).member("time", commit->time);
  json.member("said_by", origin.said_by);
  TRY(write_makers(json, workspace, "edits", origin.edits));
  json.list("annotations");
  for (const graph::Annotation& annotation : origin.annotations) {
    const auto by = TRY(workspace.reader().commit(annotation.commit));
    json.object().member("hash", annotation.commit).member("type", compile::kind_of(*by));
    json.member_or_null("author", by->author).member("time", by->time);
    json.member("priority", name_of(annotation.priority));
    json.member_or_null("reason", annotation.reason).end();
  }
  json.end().member("shown_by", origin.shown_by);
  json.list("sources");
  for (const Oid& source : origin.sources) json.value(source);
  json.end().end();
  return {};
}

}  // namespace

Result<void> write_blame(JsonWriter& json, const Workspace& workspace,
                         const compile::Prompt& prompt) {
  json.object().member("commit", prompt.commit).member("prompt_hash", prompt.hash);
  json.list("messages");
  if (prompt.commit) {
    const auto state = TRY(workspace.repository().folder().at(*prompt.commit));
    for (std::size_t i = 0; i < prompt.messages.size(); ++i) {
      const compile::Message& message = prompt.messages[i];
      json.object().member("message", static_cast<std::uint64_t>(i + 1));
      json.member("role", message.role).member("type", name_of(message.type()));
      json.member("preview", compile::preview(message.text())).list("origins");
      for (const compile::Part& part : message.parts) {
        TRY(write_origin(
            json, workspace,
            TRY(graph::origin_of(workspace.reader(), *state, *prompt.commit, part.commit))));
      }
      json.end().end();
    }
  }
  json.end().end();
  return {};
}

Result<void> write_why(JsonWriter& json, const Workspace& workspace, const compile::Prompt& prompt,
                       const std::string& phrase, const std::vector<graph::Occurrence>& found) {
  json.object().member("commit", prompt.commit).member("phrase", phrase).list("occurrences");
  for (const graph::Occurrence& occurrence : found) {
    const compile::Message& message = prompt.messages[occurrence.message];
    json.object().member("message", static_cast<std::uint64_t>(occurrence.message + 1));
    json.member("role", message.role).member("hash", occurrence.commit).key("brought_by");
    TRY(write_maker(json, workspace, occurrence.brought_by));
    TRY(write_makers(json, workspace, "kept_by", occurrence.kept_by));
    json.member("shown_by", occurrence.shown_by);
    TRY(write_makers(json, workspace, "sources", occurrence.sources));
    const std::string text = message.text();
    const Matcher matcher = [&phrase](std::string_view in) { return matches_of(in, phrase); };
    json.key("matches");
    write_matches(json, text, matcher(text));
    write_call_matches(json, message.tool_calls(), matcher);
    json.end();
  }
  json.end().end();
  return {};
}

}  // namespace spoor::cli
