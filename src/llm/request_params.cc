#include "llm/request_params.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "llm/models/default_params.h"
#include "llm/structured.h"

namespace spoor::llm {
namespace {

// Adds the member that requests a stream. Gemini requests it in the URL instead.
void add_stream(Wire wire, bool stream, json::Object& params) {
  switch (wire) {
    case Wire::gemini:
      return;
    case Wire::ollama:
      return params.add_boolean("stream", stream);  // It streams by default.
    case Wire::openai_chat:
      if (!stream) return;
      params.add_boolean("stream", true);
      return params.add_json("stream_options", R"({"include_usage":true})");
    case Wire::openai_responses:
    case Wire::anthropic:
      if (stream) params.add_boolean("stream", true);
      return;
  }
}

// Members that the renderer writes. The meaning of a duplicate member depends on the server.
bool is_written(std::string_view key, bool with_tools) {
  constexpr std::array<std::string_view, 6> kWritten = {
      "model", "messages", "input", "contents", "system", "systemInstruction"};
  return (with_tools && key == "tools") ||
         std::find(kWritten.begin(), kWritten.end(), key) != kWritten.end();
}

// Checks that the caller's parameters leave the history alone.
Result<void> check_given(const Candidate& candidate) {
  if (candidate.params.empty()) return {};
  const json::Document given = TRY(json::parse(candidate.params));
  for (const json::Member member : given.root().members()) {
    const std::string key = member.key.text();
    if (is_written(key, !candidate.tools.empty())) {
      return invalid(fmt::format("'{}' is not a parameter: the history sets it", key),
                     "remove it from the parameters");
    }
  }
  return {};
}

// Whether an object has a member of the other's.
bool has_one_of(std::string_view params, std::string_view patch) {
  const auto given = json::parse(params);
  const auto refused = json::parse(patch);
  if (!given || !refused) return false;
  for (const json::Member member : refused->root().members()) {
    if (given->root().find(member.key.text())) return true;
  }
  return false;
}

// Anthropic: a budget of thinking is less than the longest answer, of which it is a part.
Result<std::string> with_room(const std::string& params) {
  const json::Document document = TRY(json::parse(params));
  const json::Value root = document.root();
  const auto budget = root.find("thinking").find("budget_tokens").integer();
  const auto most = root.find("max_tokens").integer();
  if (!budget || !most || *budget < *most) return params;
  const auto less = thinking_budget(*budget, *most);
  if (!less) return corrected(params, R"({"thinking":null})");
  return corrected(params, fmt::format(R"({{"thinking":{{"budget_tokens":{}}}}})", *less));
}

// Returns the members of a recorded request with those of the caller's that differ. One that the
// request did not have was refused then, unless it is a length, of which a larger one was.
Result<std::string> as_recorded(const std::string& recorded, const std::string& given) {
  if (given.empty()) return recorded;
  const json::Document before = TRY(json::parse(recorded));
  const json::Document now = TRY(json::parse(given));
  std::string params = recorded;
  for (const json::Member member : now.root().members()) {
    const std::string key = member.key.text();
    const json::Value known = before.root().find(key);
    const auto most = known.integer();
    const auto asked = member.value.integer();
    const bool was_renamed = key == "max_tokens" && before.root().find("max_completion_tokens");
    if (!known && (!asked || was_renamed)) continue;
    if (most && asked && *asked > *most) continue;
    json::Object one;
    one.add_value(key, member.value);
    params = TRY(merge_params(params, one.write()));
  }
  return params;
}

// Applies what the model's server refused before, and says so if the caller gave one of these.
Result<std::string> without_refused(const std::string& params, const Candidate& candidate,
                                    const GenerateOptions& options) {
  if (options.learned == nullptr) return params;
  const std::string name = full_name(candidate);
  const std::string patch = options.learned->patch_for(name);
  if (has_one_of(candidate.params, patch) && options.on_event &&
      options.learned->is_news(name, patch)) {
    const std::string text =
        fmt::format("{} refused a parameter before, so it is left out or changed: {}", name, patch);
    options.on_event({.kind = ReplyEvent::Kind::waiting, .text = text});
  }
  return corrected(params, patch);
}

}  // namespace

std::string full_name(const Candidate& candidate) {
  return candidate.provider->profile().name + '/' + candidate.model;
}

Result<std::string> request_params(const Candidate& candidate, const GenerateOptions& options,
                                   const std::string& corrections) {
  TRY(check_given(candidate));
  const Profile& profile = candidate.provider->profile();
  json::Object stream;
  add_stream(profile.wire, options.stream, stream);
  std::string params;
  if (candidate.recorded) {
    params = candidate.recorded->params.empty() ? "{}" : candidate.recorded->params;
    params = TRY(merge_params(params, stream.write()));
    params = TRY(as_recorded(params, candidate.params));
  } else {
    params = TRY(default_params(profile, candidate.model, candidate.params));
    params = TRY(merge_params(params, stream.write()));
    if (!candidate.params.empty()) params = TRY(merge_params(params, candidate.params));
    params = TRY(without_refused(params, candidate, options));
  }
  params = TRY(with_room(TRY(corrected(params, corrections))));
  return params == "{}" ? std::string() : params;
}

}  // namespace spoor::llm
