#include "tests/cassettes/wire_of.h"

#include <array>

#include "base/json/reader.h"
#include "llm/wire/body_decoder.h"

namespace cassettes {
namespace {

namespace json = spoor::json;
using spoor::llm::Wire;

struct Sign {
  std::string_view part;
  std::string_view why;
};

// Parts of an address that is none of ours.
constexpr std::array kForeignAddresses = {
    Sign{"bedrock-runtime.", "Bedrock's Converse"},
    Sign{"api.cohere.com", "Cohere"},
    Sign{"/mcp", "an MCP server"},
    Sign{"mbedContent", "embeddings"},
    Sign{":countTokens", "counting tokens"},
    Sign{"/count_tokens", "counting tokens"},
    Sign{"fileSearchStore", "a file store"},
};

// Parts of a path, for recordings without an address.
constexpr std::array kForeignPaths = {
    Sign{"/amazon-bedrock/", "Bedrock's Converse"},
    Sign{"/cohere/", "Cohere"},
    Sign{"/interactions/", "Gemini's interactions"},
    Sign{"embedding", "embeddings"},
    Sign{"transcription", "transcription"},
    Sign{"translation", "speech"},
    Sign{"reranking", "reranking"},
    Sign{"/image/", "images"},
    Sign{"/skills/", "skills"},
    Sign{"/completion/", "completions without a chat"},
};

template <std::size_t n>
std::string reason_in(const std::array<Sign, n>& signs, std::string_view text) {
  for (const Sign& sign : signs) {
    if (text.find(sign.part) != std::string_view::npos) return std::string(sign.why);
  }
  return {};
}

std::string host_of(const std::string& url) {
  const std::size_t begin = url.find("://");
  if (begin == std::string::npos) return {};
  return url.substr(begin + 3, url.find_first_of("/?#", begin + 3) - begin - 3);
}

std::optional<Wire> wire_of_address(const std::string& url) {
  const std::string path = url.substr(0, url.find_first_of("?#"));
  if (path.ends_with("/chat/completions")) return Wire::openai_chat;
  if (path.ends_with("/responses")) return Wire::openai_responses;
  if (path.ends_with("/v1/messages")) return Wire::anthropic;
  if (path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent") ||
      path.ends_with(":generateContentStream")) {  // Its name in Google's SDK.
    return Wire::gemini;
  }
  if (path.ends_with("/api/chat")) return Wire::ollama;
  return std::nullopt;
}

std::optional<Wire> wire_of_message(const json::Value& message) {
  const std::string type = message.find("type").text();
  if (message.find("choices").is_array()) return Wire::openai_chat;
  if (type.starts_with("response.") || message.find("output").is_array()) {
    return Wire::openai_responses;
  }
  if (type == "message_start" || (type == "message" && message.find("content").is_array())) {
    return Wire::anthropic;
  }
  if (message.find("candidates").is_array()) return Wire::gemini;
  if (message.find("message").is_object() && message.find("done")) return Wire::ollama;
  // An error has no shape of its own; this is what most send.
  if (message.find("error")) return Wire::openai_chat;
  return std::nullopt;
}

std::optional<Wire> wire_of_body(const std::string& body) {
  std::optional<Wire> wire;
  const auto look = [&](const spoor::llm::wire::BodyMessage& message) {
    if (wire) return;
    json::Document document;
    if (json::parse_one(message.data, document)) wire = wire_of_message(document.root());
  };
  spoor::llm::wire::BodyDecoder decoder;
  decoder.feed(body, look);
  decoder.finish(look);
  return wire;
}

// `packages/NAME/…`, as the fixtures of Vercel's SDK lie.
std::string package_of(const std::filesystem::path& path) {
  bool is_next = false;
  for (const auto& part : path) {
    if (is_next) return part.string();
    is_next = part == "packages";
  }
  return {};
}

}  // namespace

Origin origin_of(const Recording& recording, const std::filesystem::path& path) {
  Origin origin;
  origin.refused = recording.refused;
  if (!origin.refused.empty()) return origin;

  if (!recording.url.empty()) {
    origin.provider = host_of(recording.url);
    origin.refused = reason_in(kForeignAddresses, recording.url);
    if (origin.refused.empty()) origin.wire = wire_of_address(recording.url);
    if (!origin.wire && origin.refused.empty()) origin.refused = "no address of a model's";
    return origin;
  }
  origin.provider = package_of(path);
  if (!origin.provider.empty()) origin.refused = reason_in(kForeignPaths, path.string());
  if (origin.refused.empty()) origin.wire = wire_of_body(recording.body);
  if (!origin.wire && origin.refused.empty()) origin.refused = "unknown shape";
  return origin;
}

}  // namespace cassettes
