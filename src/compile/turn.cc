#include "compile/turn.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/json/writer.h"
#include "base/utf8.h"
#include "store/sha256.h"

namespace spoor::compile {
namespace {

constexpr std::array<std::string_view, 7> kReasoningFormats = {
    "parsed", "reasoning_content", "think_tags", "anthropic", "responses", "gemini", "raw"};

std::string write_call(const ToolCall& call) {
  json::Object object;
  object.add_string("id", call.id);
  object.add_string("name", call.name);
  object.add_string("arguments", call.arguments);
  return object.write();
}

// Empty members of our own are omitted.
void add_text(json::Object& object, std::string_view key, std::string_view text) {
  if (!text.empty()) object.add_string(key, text);
}

Result<void> add_object(json::Object& object, std::string_view key, std::string_view text) {
  if (text.empty()) return {};
  std::string canonical = TRY(json::canonical(text));
  if (!canonical.starts_with('{')) {
    return invalid(fmt::format("'{}' is not a JSON object", key), "write it as {\"name\": value}");
  }
  if (canonical != "{}") object.add_json(key, std::move(canonical));
  return {};
}

std::string finish(const json::Object& object) { return object.empty() ? "" : object.write(); }

Result<json::Document> read_object(std::string_view text, std::string_view what) {
  auto document = json::parse(text);
  if (!document || !document->root().is_object()) {
    return corrupt(fmt::format("'{}' is not a JSON object", what), "run 'spoor store fsck'");
  }
  return std::move(document).value();
}

std::string canonical_of(const json::Value& value) {
  std::string out;
  if (value) json::append_canonical(out, value);
  return out;
}

}  // namespace

void Facts::set(const fact::Text& key, std::string_view value) { set_text(key.key, value); }

void Facts::set(const fact::Integer& key, std::int64_t value) { set_integer(key.key, value); }

void Facts::set(const fact::Flag& key, bool value) {
  if (value) set_json(key.key, "true");
}

std::optional<std::int64_t> Facts::get(const fact::Integer& key) const {
  const std::string written = json(key.key);
  std::int64_t value = 0;
  const char* end = written.data() + written.size();
  const auto read = std::from_chars(written.data(), end, value);
  if (written.empty() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

void Facts::set_text(std::string_view key, std::string_view value) {
  if (!value.empty()) set_json(key, json::write_string(value));
}

void Facts::set_integer(std::string_view key, std::int64_t value) {
  set_json(key, std::to_string(value));
}

void Facts::set_json(std::string_view key, std::string json) {
  values_.insert_or_assign(std::string(key), std::move(json));
}

std::string Facts::json(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? std::string() : found->second;
}

std::string Facts::text(std::string_view key) const {
  const std::string value = json(key);
  if (value.size() < 2 || value.front() != '"') return {};
  return json::unescape(std::string_view(value).substr(1, value.size() - 2));
}

Result<std::string> write_fields(const Fields& fields) {
  json::Object object;
  if (fields.tool_calls) {
    std::vector<std::string> calls;
    for (const ToolCall& call : *fields.tool_calls) calls.push_back(write_call(call));
    object.add_json("tool_calls", json::write_array(calls));
  }
  add_text(object, "call_id", fields.call_id);
  add_text(object, "name", fields.name);
  if (fields.is_error) object.add_boolean("is_error", true);
  add_text(object, "format", fields.format);
  add_text(object, "role", fields.role);
  TRY(add_object(object, "rationale", fields.rationale));
  TRY(add_object(object, "set", fields.set));
  return finish(object);
}

Result<std::string> write_extra(const Extra& extra) {
  json::Object object;
  add_text(object, "message", extra.message);
  TRY(add_object(object, "metadata", extra.metadata));
  if (!extra.tags.empty()) {
    object.add_json("tags", json::write_strings(extra.tags));
  }
  return finish(object);
}

Result<std::string> write_facts(const Facts& facts) {
  json::Object object;
  for (const auto& [key, value] : facts.values()) {
    object.add_json(key, TRY(json::canonical(value)));
  }
  std::string text = finish(object);
  if (text.size() > store::kMaxMeta) {
    return invalid("the machine facts of a commit are longer than 4 KiB",
                   "move longer data into 'metadata' or an attachment");
  }
  return text;
}

Result<Fields> read_fields(std::string_view text) {
  if (store::is_erasure_text(text)) return Fields{};
  const json::Document document = TRY(read_object(text, "fields"));
  const json::Value root = document.root();
  Fields fields;
  if (const json::Value calls = root.find("tool_calls"); calls.is_array()) {
    fields.tool_calls.emplace();
    for (const json::Value call : calls.elements()) {
      fields.tool_calls->push_back(
          {call.find("id").text(), call.find("name").text(), call.find("arguments").text()});
    }
  }
  fields.call_id = root.find("call_id").text();
  fields.name = root.find("name").text();
  fields.is_error = root.find("is_error").is_true();
  fields.format = root.find("format").text();
  fields.role = root.find("role").text();
  fields.rationale = canonical_of(root.find("rationale"));
  fields.set = canonical_of(root.find("set"));
  return fields;
}

Result<Extra> read_extra(std::string_view text) {
  if (store::is_erasure_text(text)) return Extra{};
  const json::Document document = TRY(read_object(text, "extra"));
  const json::Value root = document.root();
  Extra extra;
  extra.message = root.find("message").text();
  extra.metadata = canonical_of(root.find("metadata"));
  if (const json::Value tags = root.find("tags"); tags.is_array()) {
    for (const json::Value tag : tags.elements()) extra.tags.push_back(tag.text());
  }
  return extra;
}

Result<Facts> read_facts(std::string_view text) {
  Facts facts;
  if (text.empty()) return facts;
  const json::Document document = TRY(read_object(text, "meta"));
  for (const json::Member member : document.root().members()) {
    facts.set_json(member.key.text(), canonical_of(member.value));
  }
  return facts;
}

std::string message_id_of(const Commit& commit) {
  if (commit.meta.find(fact::message_id.key) == std::string::npos) return {};
  const auto document = json::parse(commit.meta);
  return document ? document->root().find(fact::message_id.key).text() : std::string();
}

bool is_reasoning_format(std::string_view format) {
  constexpr std::size_t kLongest = 64;
  return !format.empty() && format.size() <= kLongest &&
         std::all_of(format.begin(), format.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

Result<void> check_known_reasoning_format(std::string_view format) {
  const auto& known = kReasoningFormats;
  if (std::find(known.begin(), known.end(), format) != known.end()) return {};
  return invalid(fmt::format("'{}' is not a reasoning format", format),
                 "use parsed, reasoning_content, think_tags, anthropic, responses, gemini or raw");
}

std::string_view role_of(Type type) {
  switch (type) {
    case Type::system:
      return "system";
    case Type::user:
    case Type::summary:
      return "user";
    case Type::assistant:
    case Type::reasoning:
    case Type::artifact:
      return "assistant";
    case Type::tool:
      return "tool";
    case Type::config:
    case Type::decision:
    case Type::note:
      return {};
  }
  return {};
}

Priority default_priority(Type type) {
  if (type == Type::system || type == Type::summary) return Priority::pinned;
  return type == Type::reasoning ? Priority::skip : Priority::normal;
}

bool is_prompt_type(Type type) { return !role_of(type).empty(); }

bool is_bookkeeping(const Commit& commit) {
  return commit.op == store::Op::annotate || commit.type == Type::config;
}

Result<Fields> fields_of(const store::Reader& reader, const Commit& commit) {
  if (!commit.fields) return Fields{};
  return read_fields(*TRY(reader.content(*commit.fields)));
}

Result<Extra> extra_of(const store::Reader& reader, const Commit& commit) {
  if (!commit.extra) return Extra{};
  return read_extra(*TRY(reader.content(*commit.extra)));
}

Result<std::shared_ptr<const std::string>> text_of(const store::Reader& reader,
                                                   const Commit& commit) {
  if (!commit.content) return std::make_shared<const std::string>();
  return reader.content(commit.content->oid);
}

std::string_view kind_of(const Commit& commit) {
  return commit.type ? store::name_of(*commit.type) : store::name_of(commit.op);
}

Oid content_hash(const Commit& commit) {
  std::string seen = "spoor content ";
  seen += kind_of(commit);
  if (commit.content)
    seen += "\ncontent " + commit.content->oid.hex() + " " + commit.content->media_type;
  if (commit.fields) seen += "\nfields " + commit.fields->hex();
  for (const Oid& target : commit.target) seen += "\ntarget " + target.hex();
  if (commit.targets) seen += "\ntargets " + commit.targets->hex();
  if (commit.priority) seen += "\npriority " + std::string(store::name_of(*commit.priority));
  return store::sha256(seen);
}

std::string preview(std::string_view text, std::size_t columns) {
  std::string line;
  std::size_t count = 0;
  bool pending_space = false;
  while (!text.empty()) {
    const CodePoint next = decode_utf8(text);
    const std::string_view bytes = text.substr(0, next.length);
    text.remove_prefix(next.length);
    if (next.code == ' ' || next.code == '\t' || next.code == '\n' || next.code == '\r') {
      pending_space = count > 0;
      continue;
    }
    if (next.valid && is_control(next.code)) continue;
    if (count + (pending_space ? 2 : 1) > columns) {
      line += "…";
      break;
    }
    if (pending_space) line += ' ', ++count;
    pending_space = false;
    if (next.valid) {
      line += bytes;
    } else {
      line += "\xef\xbf\xbd";
    }
    ++count;
  }
  return line;
}

}  // namespace spoor::compile
