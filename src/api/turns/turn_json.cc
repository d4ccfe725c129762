#include "api/turns/turn_json.h"

#include <algorithm>
#include <map>
#include <span>

#include "base/utf8.h"

namespace spoor::api {

namespace {

void write_oids(JsonWriter& json, std::string_view name, const std::vector<Oid>& oids) {
  json.list(name);
  for (const Oid& oid : oids) json.value(oid);
  json.end();
}

void write_texts(JsonWriter& json, std::string_view name, const std::vector<std::string>& texts) {
  json.list(name);
  for (const std::string& text : texts) json.value(text);
  json.end();
}

// A JSON value that a commit holds, or null.
void write_json_or_null(JsonWriter& json, std::string_view name, const std::string& text) {
  json.key(name);
  if (text.empty()) {
    json.null();
  } else {
    json.json(harmless_json(text));
  }
}

void write_entry_members(JsonWriter& json, const TurnView& view, const Marks& marks,
                         const TokenCount& tokens, const std::vector<std::string>& refs) {
  const store::Commit& commit = *view.commit;
  json.member("hash", view.oid).member("type", view.kind());
  write_oids(json, "parents", commit.parents);
  json.member("depth", commit.depth).member("generation", commit.gen);
  json.member_or_null("author", commit.author).member("time", commit.time);
  json.member_or_null("model", view.model()).member("message", view.summary());
  json.key("priority");
  const bool is_entry = (commit.type && compile::is_prompt_type(*commit.type)) ||
                        (commit.op != store::Op::append && commit.content &&
                         (commit.op == store::Op::compress || commit.op == store::Op::merge));
  const store::Type type = commit.type.value_or(store::Type::summary);
  if (is_entry) {
    json.value(name_of(marks.priority.value_or(compile::default_priority(type))));
  } else {
    json.null();
  }
  json.member("edited", marks.is_edited).member("summarised", marks.is_compressed);
  json.member("counterfactual", marks.is_counterfactual);
  json.member("tokens", tokens.count).member("tokens_estimated", tokens.is_estimate);
  write_texts(json, "refs", refs);
}

}  // namespace

void write_entry(JsonWriter& json, const TurnView& view, const Marks& marks,
                 const TokenCount& tokens, const std::vector<std::string>& refs) {
  json.object();
  write_entry_members(json, view, marks, tokens, refs);
  json.end();
}

void write_commit(JsonWriter& json, const TurnView& view, const Marks& marks,
                  const TokenCount& tokens, const std::vector<std::string>& refs) {
  const store::Commit& commit = *view.commit;
  json.object();
  write_entry_members(json, view, marks, tokens, refs);
  json.member("op", name_of(commit.op));
  json.key("mode");
  commit.mode ? json.value(name_of(*commit.mode)) : json.null();
  json.member("change", store::change_of(commit, view.oid));
  json.member("content_hash", compile::content_hash(commit));

  json.key("content");
  if (commit.content) {
    json.object()
        .member("hash", commit.content->oid)
        .member("media_type", commit.content->media_type)
        .member("bytes", static_cast<std::uint64_t>(view.text_or_empty().size()))
        .member("is_utf8", is_utf8(view.text_or_empty()))
        .member("is_absent", view.is_absent)
        .member("is_erased", view.is_erased)
        .end();
  } else {
    json.null();
  }
  json.key("text");
  view.text ? json.value(*view.text) : json.null();
  json.key("tool_calls");
  if (view.fields.tool_calls) {
    write_calls(json, *view.fields.tool_calls);
  } else {
    json.null();
  }
  json.member_or_null("call_id", view.fields.call_id).member_or_null("name", view.fields.name);
  json.member("is_error", view.fields.is_error);
  json.member_or_null("format", view.fields.format);
  const std::string_view role =
      view.fields.role.empty() && commit.type ? compile::role_of(*commit.type) : view.fields.role;
  json.member_or_null("role", role);
  write_json_or_null(json, "rationale", view.fields.rationale);
  write_json_or_null(json, "set", view.fields.set);
  write_texts(json, "tags", view.extra.tags);
  write_json_or_null(json, "metadata", view.extra.metadata);
  write_json_or_null(json, "meta", commit.meta);
  write_contents(json, "raw", commit.raw);
  write_contents(json, "attach", commit.attach);
  json.member("prompt", commit.prompt);
  write_oids(json, "targets", commit.target);
  json.member("target_list", commit.targets);
  write_oids(json, "about", commit.about);
  json.key("sets_priority");
  commit.priority ? json.value(name_of(*commit.priority)) : json.null();
  json.end();
}

void write_contents(JsonWriter& json, std::string_view name,
                    const std::vector<store::Content>& contents) {
  json.list(name);
  for (const store::Content& content : contents) {
    json.object().member("hash", content.oid).member("media_type", content.media_type).end();
  }
  json.end();
}

void write_calls(JsonWriter& json, const std::vector<compile::ToolCall>& calls) {
  json.array();
  for (const compile::ToolCall& call : calls) {
    json.object().member("id", call.id).member("name", call.name);
    json.member("arguments", call.arguments).end();
  }
  json.end();
}

// Thinking and words of a message have one text; its parts tell them apart.
void write_parts(JsonWriter& json, const compile::Message& message) {
  json.key("parts");
  const auto is_reasoning = [](const compile::Part& part) {
    return part.type == compile::Type::reasoning;
  };
  if (std::ranges::none_of(message.parts, is_reasoning)) {
    json.null();
    return;
  }
  json.array();
  for (const compile::Part& part : message.parts) {
    json.object().member("type", name_of(part.type)).member("text", *part.text).end();
  }
  json.end();
}

void write_message(JsonWriter& json, const compile::Message& message) {
  const compile::Part& first = message.parts.front();
  json.object().member("role", message.role).member("type", name_of(message.type()));
  const bool is_turn = message.hash() != Oid();  // Else only a captured request has it.
  json.key("hash");
  is_turn ? void(json.value(message.hash())) : void(json.null());
  json.list("commits");
  for (const compile::Part& part : message.parts) {
    if (is_turn) json.value(part.commit);
  }
  json.end();
  json.member("text", message.text());
  write_parts(json, message);
  json.key("tool_calls");
  const std::vector<compile::ToolCall> calls = message.tool_calls();
  if (calls.empty()) {
    json.null();
  } else {
    write_calls(json, calls);
  }
  write_contents(json, "pictures", message.pictures());
  json.member_or_null("call_id", first.fields ? first.fields->call_id : "");
  json.member_or_null("name", first.fields ? first.fields->name : "");
  json.member("is_error", first.fields && first.fields->is_error);
  json.member("priority", name_of(first.priority)).member("edited", first.is_edited);
  json.member("tokens", message.tokens()).end();
}

namespace {

template <class T>
std::span<const T> newest(const std::vector<T>& all, std::optional<std::uint64_t> most) {
  return std::span<const T>(all).last(
      static_cast<std::size_t>(std::min<std::uint64_t>(most.value_or(all.size()), all.size())));
}

}  // namespace

void write_left_out(JsonWriter& json, const compile::LeftOut& left_out) {
  json.object().key("hash");
  left_out.commit != Oid() ? void(json.value(left_out.commit)) : void(json.null());
  json.member("why", name_of(left_out.why)).end();
}

void write_prompt_facts(JsonWriter& json, const compile::Prompt& prompt,
                        std::optional<std::uint64_t> last) {
  json.member("commit", prompt.commit).member("prompt_hash", prompt.hash);
  json.member("count", static_cast<std::uint64_t>(prompt.messages.size()));
  json.member("tokens", prompt.tokens).member("tokens_estimated", prompt.tokens_estimated);
  json.key("config").object();
  for (const auto& [key, value] : prompt.config) json.key(key).json(harmless_json(value));
  json.end().list("left_out");
  for (const compile::LeftOut& left_out : newest(prompt.left_out, last)) {
    write_left_out(json, left_out);
  }
  json.end();
  if (last) {
    std::map<std::string_view, std::uint64_t> counts;
    for (const compile::LeftOut& left_out : prompt.left_out) ++counts[name_of(left_out.why)];
    json.key("left_out_counts").object();
    for (const auto& [why, count] : counts) json.member(why, count);
    json.end();
  }
  json.list("conflicts");
  for (const compile::Conflict& conflict : prompt.conflicts) {
    const bool is_edit = conflict.kind == compile::Conflict::Kind::edit;
    json.object().member("kind", is_edit ? "edit" : "priority").member("target", conflict.target);
    json.member("ours", conflict.ours).member("theirs", conflict.theirs).end();
  }
  json.end();
}

void write_messages(JsonWriter& json, const compile::Prompt& prompt,
                    std::optional<std::uint64_t> last) {
  json.list("messages");
  for (const compile::Message& message : newest(prompt.messages, last)) {
    write_message(json, message);
  }
  json.end();
}

void write_prompt(JsonWriter& json, const compile::Prompt& prompt) {
  json.object();
  write_prompt_facts(json, prompt);
  write_messages(json, prompt);
  json.end();
}

std::int64_t token_delta(const graph::MessageChange& change) {
  const auto count = [](const compile::Message* message) {
    return message == nullptr ? 0 : static_cast<std::int64_t>(message->tokens());
  };
  return count(change.after) - count(change.before);
}

void write_diff(JsonWriter& json, const std::optional<Oid>& from, const std::optional<Oid>& to,
                const graph::PromptDiff& diff, bool tokens_estimated) {
  using Kind = graph::MessageChange::Kind;
  const auto message_or_null = [&json](std::string_view name, const compile::Message* message) {
    json.key(name);
    if (message == nullptr) {
      json.null();
    } else {
      write_message(json, *message);
    }
  };
  json.object().member("from", from).member("to", to);
  json.member("added", static_cast<std::uint64_t>(diff.added));
  json.member("removed", static_cast<std::uint64_t>(diff.removed));
  json.member("changed", static_cast<std::uint64_t>(diff.changed));
  json.member("unchanged", static_cast<std::uint64_t>(diff.unchanged));
  json.member("token_delta", diff.token_delta).member("tokens_estimated", tokens_estimated);
  json.list("messages");
  for (const graph::MessageChange& change : diff.messages) {
    if (change.kind == Kind::unchanged) continue;
    const char* word = change.kind == Kind::added     ? "added"
                       : change.kind == Kind::removed ? "removed"
                                                      : "changed";
    json.object().member("change", word).member("token_delta", token_delta(change));
    message_or_null("before", change.before);
    message_or_null("after", change.after);
    json.end();
  }
  json.end().key("config").object();
  for (const auto& [key, values] : diff.config) {
    json.list(key);
    for (const std::string& value : {values.first, values.second}) {
      value.empty() ? json.null() : json.json(harmless_json(value));
    }
    json.end();
  }
  json.end().end();
}

}  // namespace spoor::api
