#include "cli/git/turn_files.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "base/json/reader.h"

namespace spoor::cli::git {

using api::JsonWriter;

namespace {

using compile::Entry;
using compile::Priority;

// Never uses the media type itself, so that no foreign text is part of a file name.
std::string_view extension_of(std::string_view media_type) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kKnown = {{
      {"application/json", "json"},
      {"application/pdf", "pdf"},
      {"image/gif", "gif"},
      {"image/jpeg", "jpg"},
      {"image/png", "png"},
      {"image/svg+xml", "svg"},
      {"image/webp", "webp"},
      {"text/x-diff", "diff"},
  }};
  for (const auto& [type, extension] : kKnown) {
    if (media_type == type) return extension;
  }
  return media_type.starts_with("text/") ? "txt" : "bin";
}

std::string_view extension_of_text(std::string_view media_type) {
  if (media_type == "text/plain" || media_type == "text/markdown") return "md";
  return extension_of(media_type);
}

void write_value(JsonWriter& out, const json::Value& value) {
  switch (value.type()) {
    case json::Type::object:
      out.object();
      for (const json::Member member : value.members()) {
        out.key(member.key.text());
        write_value(out, member.value);
      }
      out.end();
      return;
    case json::Type::array:
      out.array();
      for (const json::Value element : value.elements()) write_value(out, element);
      out.end();
      return;
    case json::Type::string:
      out.value(value.text());
      return;
    case json::Type::null:
    case json::Type::boolean:
    case json::Type::number:
      out.json(value.raw());
      return;
  }
}

void write_json(JsonWriter& out, std::string_view text) {
  const auto document = json::parse(text);
  if (document) {
    write_value(out, document.value().root());
  } else {
    out.value(text);
  }
}

std::string calls_json(const std::vector<compile::ToolCall>& calls) {
  JsonWriter out;
  out.array();
  for (const compile::ToolCall& call : calls) {
    out.object().member("id", std::string_view(call.id));
    out.member("name", std::string_view(call.name)).key("arguments");
    write_json(out, call.arguments);
    out.end();
  }
  return out.end().take();
}

Result<bool> is_empty(const store::Reader& reader, const store::Oid& content) {
  const auto bytes = reader.content(content);
  if (!bytes && bytes.error().code != Error::Code::not_found) return bytes.error();
  return bytes && bytes.value()->empty();
}

// Returns the reason of the annotation in force, as a content; nullopt if it gave none.
Result<std::optional<store::Oid>> reason_of(const store::Reader& reader, const Entry& entry) {
  if (!entry.directives) return std::optional<store::Oid>();
  const auto& given = *entry.directives;
  for (std::size_t i = given.annotations.size(); i > 0; --i) {
    if (given.priorities[i - 1] != entry.priority) continue;
    const auto by = TRY(reader.commit(given.annotations[i - 1]));
    if (by->op != store::Op::annotate || !by->content) break;
    return std::optional<store::Oid>(by->content->oid);
  }
  return std::optional<store::Oid>();
}

}  // namespace

std::string indented_json(std::string_view text) {
  JsonWriter out;
  write_json(out, text);
  return out.take();
}

Result<std::vector<TurnFile>> files_of(const store::Reader& reader, Blobs& blobs,
                                       const Entry& entry) {
  const std::string type(name_of(entry.type));
  const auto turn = TRY(reader.commit(entry.commit));
  const auto* calls = entry.calls();
  const bool has_calls = calls != nullptr && !calls->empty();
  std::vector<TurnFile> files;
  const auto add = [&](std::string_view ending, const GitOid& blob) {
    files.push_back({fmt::format("{}.{}", type, ending), blob});
  };

  // Most calls come without a text.
  const bool is_calls_alone = has_calls && TRY(is_empty(reader, entry.content));
  if (!is_calls_alone) {
    add(extension_of_text(turn->content->media_type), TRY(blobs.of(entry.content)));
  }
  if (has_calls) add("calls.json", TRY(blobs.of_text(calls_json(*calls))));
  if (entry.fields && !entry.fields->rationale.empty()) {
    add("rationale.json", TRY(blobs.of_text(indented_json(entry.fields->rationale))));
  }
  if (entry.attach) {
    std::size_t number = 0;
    for (const store::Content& item : *entry.attach) {
      const std::string ending = fmt::format("{}.{}", ++number, extension_of(item.media_type));
      add(ending, TRY(blobs.of(item.oid)));
    }
  }
  if (entry.is_explicit && entry.priority != Priority::normal && !entry.is_compressed()) {
    const auto reason = TRY(reason_of(reader, entry));
    const GitOid why = reason ? TRY(blobs.of(*reason)) : TRY(blobs.of_text(""));
    add(entry.priority == Priority::pinned ? "pinned.md" : "skipped.md", why);
  }
  return files;
}

Result<TurnFile> file_of(Blobs& blobs, const store::Commit& turn) {
  const GitOid blob = TRY(blobs.of(turn.content->oid));
  return TurnFile{
      fmt::format("{}.{}", name_of(*turn.type), extension_of_text(turn.content->media_type)), blob};
}

}  // namespace spoor::cli::git
