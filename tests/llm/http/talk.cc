#include "tests/llm/http/talk.h"

#include <nlohmann/json.hpp>

// The shapes are those of the providers' references, as their clients check them (tests/interop).
namespace spoor::testing {
namespace {

using Json = nlohmann::ordered_json;
using Frames = std::vector<std::string>;
using llm::Wire;

/// Pieces of a few bytes, cut between characters.
std::vector<std::string> pieces_of(const std::string& text) {
  constexpr std::size_t kSize = 5;
  std::vector<std::string> pieces;
  for (const char c : text) {
    const bool is_inside = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
    if (pieces.empty() || (pieces.back().size() >= kSize && !is_inside)) pieces.emplace_back();
    pieces.back() += c;
  }
  return pieces;
}

std::string event(const std::string& name, Json data) {
  return "event: " + name + "\ndata: " + data.dump() + "\n\n";
}

std::string data(const Json& json) { return "data: " + json.dump() + "\n\n"; }

// --- Anthropic: platform.claude.com/docs/en/api/messages, .../streaming ---

Json anthropic_usage(const Talk& talk) {
  return {{"input_tokens", talk.input_tokens},
          {"cache_creation_input_tokens", 0},
          {"cache_read_input_tokens", 0},
          {"output_tokens", talk.output_tokens}};
}

Json anthropic_message(const Talk& talk) {
  return {{"id", talk.id},
          {"type", "message"},
          {"role", "assistant"},
          {"model", talk.model},
          {"content", Json::array()},
          {"stop_reason", nullptr},
          {"stop_sequence", nullptr},
          {"usage", anthropic_usage(talk)}};
}

std::string anthropic_stop(const Talk& talk) { return talk.call ? "tool_use" : "end_turn"; }

std::string anthropic_whole(const Talk& talk) {
  Json message = anthropic_message(talk);
  if (!talk.thinking.empty()) {
    message["content"].push_back(
        {{"type", "thinking"}, {"thinking", talk.thinking}, {"signature", "c2ln"}});
  }
  message["content"].push_back({{"type", "text"}, {"text", talk.text}});
  if (talk.call) {
    message["content"].push_back({{"type", "tool_use"},
                                  {"id", talk.call->id},
                                  {"name", talk.call->name},
                                  {"input", Json::parse(talk.call->arguments)}});
  }
  message["stop_reason"] = anthropic_stop(talk);
  return message.dump();
}

void anthropic_block(Frames& frames, int index, Json start, const std::vector<Json>& deltas) {
  frames.push_back(event(
      "content_block_start",
      {{"type", "content_block_start"}, {"index", index}, {"content_block", std::move(start)}}));
  for (const Json& delta : deltas) {
    frames.push_back(event("content_block_delta",
                           {{"type", "content_block_delta"}, {"index", index}, {"delta", delta}}));
  }
  frames.push_back(event("content_block_stop", {{"type", "content_block_stop"}, {"index", index}}));
}

std::vector<Json> anthropic_deltas(const char* type, const char* key, const std::string& text) {
  std::vector<Json> deltas;
  for (const std::string& piece : pieces_of(text)) deltas.push_back({{"type", type}, {key, piece}});
  return deltas;
}

Frames anthropic_frames(const Talk& talk) {
  Frames frames;
  Json message = anthropic_message(talk);
  message["usage"]["output_tokens"] = 1;
  frames.push_back(event("message_start", {{"type", "message_start"}, {"message", message}}));
  frames.push_back(event("ping", {{"type", "ping"}}));
  int index = 0;
  if (!talk.thinking.empty()) {
    auto deltas = anthropic_deltas("thinking_delta", "thinking", talk.thinking);
    deltas.push_back({{"type", "signature_delta"}, {"signature", "c2ln"}});
    anthropic_block(frames, index++, {{"type", "thinking"}, {"thinking", ""}, {"signature", ""}},
                    deltas);
  }
  anthropic_block(frames, index++, {{"type", "text"}, {"text", ""}},
                  anthropic_deltas("text_delta", "text", talk.text));
  if (talk.call) {
    anthropic_block(frames, index++,
                    {{"type", "tool_use"},
                     {"id", talk.call->id},
                     {"name", talk.call->name},
                     {"input", Json::object()}},
                    anthropic_deltas("input_json_delta", "partial_json", talk.call->arguments));
  }
  frames.push_back(
      event("message_delta",
            {{"type", "message_delta"},
             {"delta", {{"stop_reason", anthropic_stop(talk)}, {"stop_sequence", nullptr}}},
             {"usage", {{"output_tokens", talk.output_tokens}}}}));
  frames.push_back(event("message_stop", {{"type", "message_stop"}}));
  return frames;
}

// --- OpenAI chat completions: platform.openai.com/docs/api-reference/chat ---

Json chat_usage(const Talk& talk) {
  return {{"prompt_tokens", talk.input_tokens},
          {"completion_tokens", talk.output_tokens},
          {"total_tokens", talk.input_tokens + talk.output_tokens}};
}

Json chat_call(const compile::ToolCall& call, const std::string& arguments) {
  return {{"id", call.id},
          {"type", "function"},
          {"function", {{"name", call.name}, {"arguments", arguments}}}};
}

std::string chat_finish(const Talk& talk) { return talk.call ? "tool_calls" : "stop"; }

std::string chat_whole(const Talk& talk) {
  Json message = {{"role", "assistant"}, {"content", talk.text}, {"refusal", nullptr}};
  if (!talk.thinking.empty()) message["reasoning_content"] = talk.thinking;
  if (talk.call) {
    message["tool_calls"] = Json::array({chat_call(*talk.call, talk.call->arguments)});
  }
  return Json{{"id", talk.id},
              {"object", "chat.completion"},
              {"created", 1'700'000'000},
              {"model", talk.model},
              {"choices", Json::array({{{"index", 0},
                                        {"message", message},
                                        {"logprobs", nullptr},
                                        {"finish_reason", chat_finish(talk)}}})},
              {"usage", chat_usage(talk)}}
      .dump();
}

std::string chat_chunk(const Talk& talk, const Json& delta, const Json& finish = nullptr) {
  return data(
      {{"id", talk.id},
       {"object", "chat.completion.chunk"},
       {"created", 1'700'000'000},
       {"model", talk.model},
       {"choices", Json::array({{{"index", 0}, {"delta", delta}, {"finish_reason", finish}}})}});
}

Frames chat_frames(const Talk& talk) {
  Frames frames;
  frames.push_back(chat_chunk(talk, {{"role", "assistant"}, {"content", ""}}));
  for (const std::string& piece : pieces_of(talk.thinking)) {
    frames.push_back(chat_chunk(talk, {{"reasoning_content", piece}}));
  }
  for (const std::string& piece : pieces_of(talk.text)) {
    frames.push_back(chat_chunk(talk, {{"content", piece}}));
  }
  if (talk.call) {
    Json first = chat_call(*talk.call, "");
    first["index"] = 0;
    frames.push_back(chat_chunk(talk, {{"tool_calls", Json::array({first})}}));
    for (const std::string& piece : pieces_of(talk.call->arguments)) {
      frames.push_back(chat_chunk(
          talk,
          {{"tool_calls", Json::array({{{"index", 0}, {"function", {{"arguments", piece}}}}})}}));
    }
  }
  frames.push_back(chat_chunk(talk, Json::object(), chat_finish(talk)));
  frames.push_back(data({{"id", talk.id},
                         {"object", "chat.completion.chunk"},
                         {"created", 1'700'000'000},
                         {"model", talk.model},
                         {"choices", Json::array()},
                         {"usage", chat_usage(talk)}}));
  frames.push_back("data: [DONE]\n\n");
  return frames;
}

// --- OpenAI responses: platform.openai.com/docs/api-reference/responses ---

Json responses_reasoning(const Talk& talk) {
  return {{"id", "rs_01"},
          {"type", "reasoning"},
          {"summary", Json::array({{{"type", "summary_text"}, {"text", talk.thinking}}})},
          {"encrypted_content", "Z2VoZWlt"}};
}

Json responses_message(const Talk& talk) {
  return {{"id", "m_01"},
          {"type", "message"},
          {"status", "completed"},
          {"role", "assistant"},
          {"content",
           Json::array(
               {{{"type", "output_text"}, {"text", talk.text}, {"annotations", Json::array()}}})}};
}

Json responses_call(const compile::ToolCall& call) {
  return {{"id", "fc_01"},      {"type", "function_call"}, {"status", "completed"},
          {"call_id", call.id}, {"name", call.name},       {"arguments", call.arguments}};
}

Json responses_output(const Talk& talk) {
  Json output = Json::array();
  if (!talk.thinking.empty()) output.push_back(responses_reasoning(talk));
  output.push_back(responses_message(talk));
  if (talk.call) output.push_back(responses_call(*talk.call));
  return output;
}

Json response_object(const Talk& talk, const char* status, Json output, Json usage) {
  return {{"id", talk.id},
          {"object", "response"},
          {"created_at", 1'700'000'000},
          {"status", status},
          {"error", nullptr},
          {"incomplete_details", nullptr},
          {"instructions", nullptr},
          {"model", talk.model},
          {"output", std::move(output)},
          {"parallel_tool_calls", true},
          {"tool_choice", "auto"},
          {"tools", Json::array()},
          {"usage", std::move(usage)}};
}

Json complete_response(const Talk& talk) {
  const Json usage = {{"input_tokens", talk.input_tokens},
                      {"input_tokens_details", {{"cached_tokens", 0}}},
                      {"output_tokens", talk.output_tokens},
                      {"output_tokens_details", {{"reasoning_tokens", 0}}},
                      {"total_tokens", talk.input_tokens + talk.output_tokens}};
  return response_object(talk, "completed", responses_output(talk), usage);
}

/// Numbers the events of one response, as its stream does.
class ResponseEvents {
 public:
  void add(const std::string& type, Json members) {
    Json whole = {{"type", type}, {"sequence_number", next_++}};
    whole.update(members);
    frames.push_back(event(type, whole));
  }

  void begin_item(int index, Json item) {
    item["status"] = "in_progress";
    add("response.output_item.added", {{"output_index", index}, {"item", std::move(item)}});
  }
  void end_item(int index, const Json& item) {
    add("response.output_item.done", {{"output_index", index}, {"item", item}});
  }

  Frames frames;

 private:
  int next_ = 0;
};

void stream_reasoning(ResponseEvents& events, int index, const Talk& talk) {
  Json start = responses_reasoning(talk);
  start["summary"] = Json::array();
  events.begin_item(index, start);
  const Json place = {{"item_id", "rs_01"}, {"output_index", index}, {"summary_index", 0}};
  const auto add = [&](const char* type, Json more) {
    Json members = place;
    members.update(more);
    events.add(type, members);
  };
  add("response.reasoning_summary_part.added",
      {{"part", {{"type", "summary_text"}, {"text", ""}}}});
  for (const std::string& piece : pieces_of(talk.thinking)) {
    add("response.reasoning_summary_text.delta", {{"delta", piece}});
  }
  add("response.reasoning_summary_text.done", {{"text", talk.thinking}});
  add("response.reasoning_summary_part.done",
      {{"part", {{"type", "summary_text"}, {"text", talk.thinking}}}});
  events.end_item(index, responses_reasoning(talk));
}

void stream_message(ResponseEvents& events, int index, const Talk& talk) {
  Json start = responses_message(talk);
  start["content"] = Json::array();
  events.begin_item(index, start);
  const Json place = {{"item_id", "m_01"}, {"output_index", index}, {"content_index", 0}};
  const auto add = [&](const char* type, Json more) {
    Json members = place;
    members.update(more);
    events.add(type, members);
  };
  const auto part = [](const std::string& text) {
    return Json{{"type", "output_text"}, {"text", text}, {"annotations", Json::array()}};
  };
  add("response.content_part.added", {{"part", part("")}});
  for (const std::string& piece : pieces_of(talk.text)) {
    add("response.output_text.delta", {{"delta", piece}});
  }
  add("response.output_text.done", {{"text", talk.text}});
  add("response.content_part.done", {{"part", part(talk.text)}});
  events.end_item(index, responses_message(talk));
}

void stream_call(ResponseEvents& events, int index, const compile::ToolCall& call) {
  Json start = responses_call(call);
  start["arguments"] = "";
  events.begin_item(index, start);
  for (const std::string& piece : pieces_of(call.arguments)) {
    events.add("response.function_call_arguments.delta",
               {{"item_id", "fc_01"}, {"output_index", index}, {"delta", piece}});
  }
  events.add("response.function_call_arguments.done",
             {{"item_id", "fc_01"}, {"output_index", index}, {"arguments", call.arguments}});
  events.end_item(index, responses_call(call));
}

Frames responses_frames(const Talk& talk) {
  ResponseEvents events;
  const Json begun = response_object(talk, "in_progress", Json::array(), nullptr);
  events.add("response.created", {{"response", begun}});
  events.add("response.in_progress", {{"response", begun}});
  int index = 0;
  if (!talk.thinking.empty()) stream_reasoning(events, index++, talk);
  stream_message(events, index++, talk);
  if (talk.call) stream_call(events, index++, *talk.call);
  events.add("response.completed", {{"response", complete_response(talk)}});
  return events.frames;
}

// --- Gemini: ai.google.dev/api/generate-content ---

std::string gemini_chunk(const Talk& talk, Json parts, bool is_last) {
  Json candidate = {{"content", {{"parts", std::move(parts)}, {"role", "model"}}}, {"index", 0}};
  if (is_last) candidate["finishReason"] = "STOP";
  Json chunk = {{"candidates", Json::array({candidate})},
                {"usageMetadata",
                 {{"promptTokenCount", talk.input_tokens},
                  {"candidatesTokenCount", talk.output_tokens},
                  {"totalTokenCount", talk.input_tokens + talk.output_tokens}}},
                {"modelVersion", talk.model},
                {"responseId", talk.id}};
  return chunk.dump();
}

Json gemini_call(const compile::ToolCall& call) {
  return {{"functionCall",
           {{"id", call.id}, {"name", call.name}, {"args", Json::parse(call.arguments)}}}};
}

std::string gemini_whole(const Talk& talk) {
  Json parts = Json::array();
  if (!talk.thinking.empty()) parts.push_back({{"text", talk.thinking}, {"thought", true}});
  parts.push_back({{"text", talk.text}});
  if (talk.call) parts.push_back(gemini_call(*talk.call));
  return gemini_chunk(talk, parts, true);
}

Frames gemini_frames(const Talk& talk) {
  std::vector<Json> parts;
  for (const std::string& piece : pieces_of(talk.thinking)) {
    parts.push_back({{"text", piece}, {"thought", true}});
  }
  for (const std::string& piece : pieces_of(talk.text)) parts.push_back({{"text", piece}});
  if (talk.call) parts.push_back(gemini_call(*talk.call));
  Frames frames;
  for (const Json& part : parts) {
    const bool is_last = &part == &parts.back();
    frames.push_back("data: " + gemini_chunk(talk, Json::array({part}), is_last) + "\r\n\r\n");
  }
  return frames;
}

// --- Ollama: docs.ollama.com/api/chat ---

Json ollama_line(const Talk& talk, Json message, bool is_done) {
  message["role"] = "assistant";
  if (!message.contains("content")) message["content"] = "";
  Json line = {{"model", talk.model},
               {"created_at", "2026-11-21T20:00:00Z"},
               {"message", std::move(message)},
               {"done", is_done}};
  if (is_done) {
    line["done_reason"] = "stop";
    line["prompt_eval_count"] = talk.input_tokens;
    line["eval_count"] = talk.output_tokens;
  }
  return line;
}

Json ollama_calls(const compile::ToolCall& call) {
  return Json::array(
      {{{"function", {{"name", call.name}, {"arguments", Json::parse(call.arguments)}}}}});
}

std::string ollama_whole(const Talk& talk) {
  Json message = {{"content", talk.text}};
  if (!talk.thinking.empty()) message["thinking"] = talk.thinking;
  if (talk.call) message["tool_calls"] = ollama_calls(*talk.call);
  return ollama_line(talk, message, true).dump();
}

Frames ollama_frames(const Talk& talk) {
  Frames frames;
  const auto add = [&](const Json& message) {
    frames.push_back(ollama_line(talk, message, false).dump() + "\n");
  };
  for (const std::string& piece : pieces_of(talk.thinking)) add({{"thinking", piece}});
  for (const std::string& piece : pieces_of(talk.text)) add({{"content", piece}});
  if (talk.call) add({{"tool_calls", ollama_calls(*talk.call)}});
  frames.push_back(ollama_line(talk, Json::object(), true).dump() + "\n");
  return frames;
}

}  // namespace

std::string whole_body(Wire wire, const Talk& talk) {
  switch (wire) {
    case Wire::anthropic:
      return anthropic_whole(talk);
    case Wire::openai_chat:
      return chat_whole(talk);
    case Wire::openai_responses:
      return complete_response(talk).dump();
    case Wire::gemini:
      return gemini_whole(talk);
    case Wire::ollama:
      return ollama_whole(talk);
  }
  return {};
}

std::vector<std::string> stream_frames(Wire wire, const Talk& talk) {
  switch (wire) {
    case Wire::anthropic:
      return anthropic_frames(talk);
    case Wire::openai_chat:
      return chat_frames(talk);
    case Wire::openai_responses:
      return responses_frames(talk);
    case Wire::gemini:
      return gemini_frames(talk);
    case Wire::ollama:
      return ollama_frames(talk);
  }
  return {};
}

std::string media_type(Wire wire, bool stream) {
  if (!stream) return "application/json";
  return wire == Wire::ollama ? "application/x-ndjson" : "text/event-stream";
}

std::string error_body(Wire wire, int status, const std::string& type, const std::string& message) {
  switch (wire) {
    case Wire::anthropic:
      return Json{{"type", "error"}, {"error", {{"type", type}, {"message", message}}}}.dump();
    case Wire::gemini:
      return Json{{"error", {{"code", status}, {"message", message}, {"status", type}}}}.dump();
    case Wire::ollama:
      return Json{{"error", message}}.dump();
    case Wire::openai_chat:
    case Wire::openai_responses:
      break;
  }
  return Json{{"error", {{"message", message}, {"type", type}, {"param", nullptr}, {"code", type}}}}
      .dump();
}

std::string models_body(Wire wire, const std::vector<std::string>& names, const std::string& next) {
  Json list = Json::array();
  for (const std::string& name : names) {
    switch (wire) {
      case Wire::gemini:
        list.push_back({{"name", "models/" + name},
                        {"supportedGenerationMethods", Json::array({"generateContent"})}});
        break;
      case Wire::ollama:
        list.push_back({{"name", name}, {"model", name}});
        break;
      case Wire::anthropic:
        list.push_back({{"type", "model"},
                        {"id", name},
                        {"display_name", name},
                        {"created_at", "2026-01-01T00:00:00Z"}});
        break;
      case Wire::openai_chat:
      case Wire::openai_responses:
        list.push_back({{"id", name}, {"object", "model"}, {"created", 0}, {"owned_by", "fake"}});
        break;
    }
  }
  if (wire == Wire::ollama) return Json{{"models", list}}.dump();
  if (wire == Wire::gemini) {
    Json page = {{"models", list}};
    if (!next.empty()) page["nextPageToken"] = next;
    return page.dump();
  }
  Json page = {{"object", "list"}, {"data", list}};
  if (wire == Wire::anthropic) {
    page["has_more"] = !next.empty();
    page["last_id"] = names.empty() ? Json(nullptr) : Json(names.back());
  }
  return page.dump();
}

}  // namespace spoor::testing
