#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace spoor::llm {

/// The wire formats that are spoken.
enum class Wire {
  openai_chat,       ///< POST /chat/completions
  openai_responses,  ///< POST /responses
  anthropic,         ///< POST /v1/messages
  gemini,            ///< POST /models/M:generateContent, :streamGenerateContent
  ollama,            ///< POST /api/chat
};

/// `openai-chat`, `openai-responses`, `anthropic`, `gemini`, `ollama`.
std::string_view name_of(Wire wire);
std::optional<Wire> wire_from(std::string_view name);

/// A provider as the program knows it: where it is, what it speaks, where its key is looked for.
/// What it must get back is in wire/replay_rules.h, by its name.
struct Profile {
  std::string name;  ///< `anthropic`, `openai`, `deepseek`, …: the word before the slash
  Wire wire = Wire::openai_chat;
  std::string base_url;      ///< without a slash at the end
  std::string key_variable;  ///< the environment variable of the key; empty: none is needed
  bool needs_key = true;
  /// Sent with every request, such as `anthropic-beta`; names in lower case. Never a key.
  std::vector<std::pair<std::string, std::string>> headers = {};

  bool operator==(const Profile&) const = default;
};

/// The providers that are known by name, sorted by it.
const std::vector<Profile>& known_profiles();

/// Code::not_found with the known names as a hint.
Result<Profile> find_profile(std::string_view name);

/// `anthropic/claude-sonnet-5` taken apart: the first slash divides. Code::invalid without one or
/// with nothing on a side.
struct ModelName {
  std::string provider;
  std::string model;

  bool operator==(const ModelName&) const = default;
};
Result<ModelName> parse_model_name(std::string_view text);

}  // namespace spoor::llm
