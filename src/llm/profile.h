#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace spoor::llm {

/// The supported wire formats.
enum class Wire {
  openai_chat,       ///< POST /chat/completions
  openai_responses,  ///< POST /responses
  anthropic,         ///< POST /v1/messages
  gemini,            ///< POST /models/M:generateContent, :streamGenerateContent
  ollama,            ///< POST /api/chat
};

/// Returns `openai-chat`, `openai-responses`, `anthropic`, `gemini` or `ollama`.
std::string_view name_of(Wire wire);
std::optional<Wire> wire_from(std::string_view name);

/// A provider's settings: address, wire format, and where to find the key. render/replay_rules.h
/// defines by `name` which items must be sent back.
struct Profile {
  std::string name;  ///< `anthropic`, `openai`, …: the part of a model name before the slash
  Wire wire = Wire::openai_chat;
  std::string base_url;      ///< without a trailing slash
  std::string key_variable;  ///< the environment variable of the key; empty: no key is needed
  bool needs_key = true;
  /// Sent with every request, such as `anthropic-beta`; names in lower case. Must not contain a
  /// key.
  std::vector<std::pair<std::string, std::string>> headers = {};

  bool operator==(const Profile&) const = default;
};

/// Returns the profiles of the known providers, sorted by name.
const std::vector<Profile>& known_profiles();

/// Finds a known profile. Code::not_found with the known names as a hint.
Result<Profile> find_profile(std::string_view name);

/// The parts of `anthropic/claude-sonnet-5`, split at the first slash. Code::invalid if there is no
/// slash or if a part is empty.
struct ModelName {
  std::string provider;
  std::string model;

  bool operator==(const ModelName&) const = default;
};
Result<ModelName> parse_model_name(std::string_view text);

}  // namespace spoor::llm
