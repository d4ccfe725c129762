#include "proxy/conversation.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/json/writer.h"
#include "import/importers.h"
#include "llm/wire/calls.h"
#include "llm/wire/reply_parser.h"

namespace spoor::proxy {
namespace {

using llm::Wire;

std::string_view path_of(const Exchange& exchange) {
  return std::string_view(exchange.target).substr(0, exchange.target.find('?'));
}

void append_member(std::string& out, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  out.append(out.empty() ? "{" : ",");
  out.append(json::write_string(key)).append(":").append(value);
}

void append_text(std::string& out, std::string_view key, const std::string& text) {
  if (!text.empty()) append_member(out, key, json::write_string(text));
}

void append_element(std::string& out, std::string_view element) {
  if (!element.empty()) out.append(out.empty() ? "[" : ",").append(element);
}

// A block of Anthropic's or an item of the Responses API; of one that was cut off, what came.
// Empty: a call without its end.
std::string item_of(Wire wire, const llm::Piece& piece) {
  using Kind = llm::Piece::Kind;
  const bool is_text = piece.kind == Kind::text;
  if (!piece.raw.empty() || (!is_text && piece.kind != Kind::reasoning)) return piece.raw;
  const std::string text = json::write_string(piece.text);
  if (wire == Wire::anthropic) {
    return is_text ? R"({"type":"text","text":)" + text + "}"
                   : R"({"type":"thinking","thinking":)" + text + R"(,"signature":""})";
  }
  if (wire != Wire::openai_responses) return {};
  const std::string part = text + "}]}";
  return is_text
             ? R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":)" +
                   part
             : R"({"type":"reasoning","summary":[{"type":"summary_text","text":)" + part;
}

// Returns the items of an answer as a JSON array.
std::string items_of(Wire wire, const llm::Reply& reply) {
  std::string items;
  for (const llm::Piece& piece : reply.pieces) {
    append_element(items, item_of(wire, piece));
  }
  return items.empty() ? "[]" : items + "]";
}

// The messages, or contents, of an API, and its answer as one of them, as the next request would
// repeat it. Empty: there is none.
std::string anthropic_message(const llm::Reply& reply) {
  if (!reply.raw.empty()) return reply.raw;
  std::string message;
  append_text(message, "id", reply.id);
  append_member(message, "role", "\"assistant\"");
  append_member(message, "content", items_of(Wire::anthropic, reply));
  append_member(message, "stop_reason", json::write_string(reply.finish_reason));
  append_member(message, "usage", reply.usage.raw);
  return message + "}";
}

std::string chat_message(const llm::Reply& reply) {
  if (!reply.raw.empty()) return reply.raw;
  std::string message;
  append_text(message, "id", reply.id);
  append_member(message, "role", "\"assistant\"");
  append_text(message, "reasoning_content", reply.reasoning().value_or(""));
  append_member(message, "content", json::write_string(reply.text()));
  std::string calls;
  for (const compile::ToolCall& call : reply.calls()) {
    std::string made;
    append_text(made, "id", call.id);
    append_member(made, "type", R"("function")");
    append_member(made, "function",
                  R"({"name":)" + json::write_string(call.name) + R"(,"arguments":)" +
                      json::write_string(call.arguments) + "}");
    append_element(calls, made + "}");
  }
  if (!calls.empty()) append_member(message, "tool_calls", calls + "]");
  return message + "}";
}

std::string chat_choices(const llm::Reply& reply) {
  std::string choice;
  append_member(choice, "message", chat_message(reply));
  append_text(choice, "finish_reason", reply.finish_reason);
  return "[" + choice + "}]";
}

// The counts of a provider, in the members of the Chat API where it sends no object of them, such
// as Ollama.
std::string usage_of(const llm::Usage& usage) {
  if (!usage.raw.empty() || !(usage.input || usage.output)) return usage.raw;
  std::string counts;
  append_member(counts, "prompt_tokens", std::to_string(usage.input.value_or(0)));
  append_member(counts, "completion_tokens", std::to_string(usage.output.value_or(0)));
  return counts + "}";
}

std::string gemini_content(const llm::Reply& reply) {
  std::string content;
  append_member(content, "role", "\"model\"");
  append_member(content, "parts", items_of(Wire::gemini, reply));
  append_text(content, "modelVersion", reply.model);
  append_text(content, "responseId", reply.id);
  append_text(content, "finishReason", reply.finish_reason);
  append_member(content, "usageMetadata", reply.usage.raw);
  return content + "}";
}

// A response of the Responses API, or of the Chat API: what its importer reads of it.
std::string response_of(Wire wire, const llm::Reply& reply) {
  std::string response;
  append_text(response, "id", reply.id);
  append_text(response, "model", reply.model);
  if (wire == Wire::openai_responses) {
    append_member(response, "output", items_of(wire, reply));
  } else {
    append_member(response, "choices", chat_choices(reply));
  }
  append_member(response, "usage", usage_of(reply.usage));
  return response + "}";
}

std::string answer_of(Wire wire, const llm::Reply& reply) {
  if (reply.pieces.empty()) return {};
  if (wire == Wire::anthropic) return anthropic_message(reply);
  if (wire == Wire::gemini) return gemini_content(reply);
  return response_of(wire, reply);
}

// Whether an answer stands beside the messages, with what is known of it, and not as one of them.
bool has_response(Wire wire) {
  return wire == Wire::openai_responses || wire == Wire::openai_chat || wire == Wire::ollama;
}

// The members of a request that say what is asked; the last has the messages.
std::vector<std::string_view> members_of(Wire wire) {
  if (wire == Wire::openai_responses) {
    return {"model", "instructions", "previous_response_id", "input"};
  }
  if (wire == Wire::gemini) return {"systemInstruction", "system_instruction", "contents"};
  return {"model", "system", "messages"};
}

// The texts of a message, joined.
std::string text_of(Wire wire, const json::Value& message) {
  const json::Value content = message.find(wire == Wire::gemini ? "parts" : "content");
  std::string text = content.text();
  for (const json::Value& part : content.elements()) text += part.find("text").text();
  return text;
}

// Takes out the ids of calls that the provider did not send: the next request will have none.
void drop_made_ids(llm::Reply& reply, std::string_view response) {
  for (llm::Piece& piece : reply.pieces) {
    std::string& id = piece.call.id;
    if (llm::wire::is_made_call_id(id) && response.find(id) == std::string_view::npos) id.clear();
  }
}

}  // namespace

std::optional<Wire> wire_of(const Exchange& exchange) {
  const std::string_view path = path_of(exchange);
  const bool is_socket = exchange.status == 101;
  if (exchange.method != "POST" && !is_socket) return std::nullopt;
  if (path.ends_with("/responses")) return Wire::openai_responses;
  if (is_socket) return std::nullopt;
  if (path.ends_with("/messages")) return Wire::anthropic;
  if (path.ends_with("/chat/completions")) return Wire::openai_chat;
  if (path.ends_with("/api/chat")) return Wire::ollama;
  const bool is_gemini =
      path.find("/models/") != path.npos &&
      (path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent"));
  return is_gemini ? std::optional(Wire::gemini) : std::nullopt;
}

bool asks_a_model(const Exchange& exchange) {
  constexpr std::array<std::string_view, 4> kPaths = {":generateContent", ":streamGenerateContent",
                                                      "/api/generate", "/v1/completions"};
  const std::string_view path = path_of(exchange);
  return exchange.status == 101 ||  // A WebSocket of another API.
         std::any_of(kPaths.begin(), kPaths.end(),
                     [&](std::string_view each) { return path.ends_with(each); });
}

std::optional<json::Document> read_request(Wire wire, const std::string& body) {
  auto document = json::parse(body);
  if (!document || !document->root().find(members_of(wire).back())) return std::nullopt;
  return std::move(*document);
}

std::string model_of(const Exchange& exchange, const json::Value& request) {
  constexpr std::string_view kModels = "/models/";
  const std::string_view path = path_of(exchange);
  const std::size_t at = path.rfind(kModels);
  if (const json::Value model = request.find("model")) return model.text();
  if (at == path.npos) return {};
  return std::string(path.substr(at + kModels.size(), path.rfind(':') - at - kModels.size()));
}

std::optional<std::string> first_question(Wire wire, const json::Value& request) {
  const json::Value messages = request.find(members_of(wire).back());
  if (messages.is_string()) return messages.text();
  std::optional<std::string> question;
  for (const json::Value& message : messages.elements()) {
    const json::Value role = message.find("role");
    if (compile::is_instruction_role(role.text())) continue;
    if (question || (role && !role.equals("user"))) return std::nullopt;
    question = text_of(wire, message);
  }
  return question;
}

std::string last_question(Wire wire, const json::Value& request) {
  json::Value last;
  for (const json::Value& message : request.find(members_of(wire).back()).elements())
    last = message;
  return text_of(wire, last);
}

llm::Reply read_reply(Wire wire, const Exchange& exchange) {
  if (exchange.status >= 400) {
    llm::Reply reply;
    reply.failure = llm::wire::read_failure(exchange.status, exchange.response);
    return reply;
  }
  const auto parser = llm::wire::make_reply_parser(wire);
  if (exchange.status != 101) {
    parser->feed(exchange.response, {});
    llm::Reply reply = parser->finish({});
    drop_made_ids(reply, exchange.response);
    return reply;
  }
  std::string_view rest = exchange.response;  // A message a line.
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    parser->feed("data: " + std::string(rest.substr(0, end)) + "\n", {});
    rest.remove_prefix(end);
  }
  return parser->finish({});
}

std::string document_of(Wire wire, const json::Value& request, const std::string& session,
                        const llm::Reply& reply) {
  std::string document;
  append_text(document, "sessionId", session);
  const auto members = members_of(wire);
  const std::string answer = answer_of(wire, reply);
  for (const std::string_view key : members) {
    const json::Value value = request.find(key);
    if (!value) continue;
    if (key != members.back() || wire == Wire::openai_responses) {
      append_member(document, key, value.raw());
      continue;
    }
    std::string messages;
    for (const json::Value& message : value.elements()) append_element(messages, message.raw());
    if (!has_response(wire)) append_element(messages, answer);
    append_member(document, key, messages.empty() ? "[]" : messages + "]");
  }
  if (has_response(wire)) append_member(document, "response", answer);
  return document + "}";
}

const import::Importer& importer_of(Wire wire) {
  switch (wire) {
    case Wire::anthropic:
      return import::formats::kAnthropic;
    case Wire::openai_responses:
      return import::formats::kResponses;
    case Wire::gemini:
      return import::formats::kGemini;
    case Wire::openai_chat:
    case Wire::ollama:
      break;
  }
  return import::formats::kChat;
}

}  // namespace spoor::proxy
