#include "llm/profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace spoor::llm {
namespace {

struct WireName {
  Wire wire;
  std::string_view name;
};

constexpr std::array kWireNames = {
    WireName{Wire::openai_chat, "openai-chat"},
    WireName{Wire::openai_responses, "openai-responses"},
    WireName{Wire::anthropic, "anthropic"},
    WireName{Wire::gemini, "gemini"},
    WireName{Wire::ollama, "ollama"},
};

Profile remote(std::string name, Wire wire, std::string base_url, std::string key_variable) {
  return {.name = std::move(name),
          .wire = wire,
          .base_url = std::move(base_url),
          .key_variable = std::move(key_variable)};
}

/// Returns a profile for the user's own machine, which may require a key.
Profile local(std::string name, Wire wire, std::string base_url, std::string key_variable) {
  Profile profile = remote(std::move(name), wire, std::move(base_url), std::move(key_variable));
  profile.needs_key = false;
  return profile;
}

// The source of each address and variable is the provider's manual, cited above it.
std::vector<Profile> make_profiles() {
  std::vector<Profile> profiles = {
      // platform.claude.com/docs/en/api/overview
      remote("anthropic", Wire::anthropic, "https://api.anthropic.com", "ANTHROPIC_API_KEY"),
      // inference-docs.cerebras.ai/resources/openai
      remote("cerebras", Wire::openai_chat, "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
      // api-docs.deepseek.com: `base_url` https://api.deepseek.com
      remote("deepseek", Wire::openai_chat, "https://api.deepseek.com", "DEEPSEEK_API_KEY"),
      // ai.google.dev/api: v1beta, and x-goog-api-key
      remote("gemini", Wire::gemini, "https://generativelanguage.googleapis.com/v1beta",
             "GEMINI_API_KEY"),
      // docs.z.ai/api-reference/introduction; the coding plan has /api/coding/paas/v4 instead
      remote("glm", Wire::openai_chat, "https://api.z.ai/api/paas/v4", "ZAI_API_KEY"),
      // console.groq.com/docs/openai
      remote("groq", Wire::openai_chat, "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
      // platform.moonshot.ai/docs; accounts in China have api.moonshot.cn
      remote("kimi", Wire::openai_chat, "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY"),
      // llama.cpp, tools/server/README.md: port 8080, --api-key or LLAMA_API_KEY
      local("llamacpp", Wire::openai_chat, "http://localhost:8080/v1", "LLAMA_API_KEY"),
      // lmstudio.ai/docs/developer/openai-compat: port 1234; a token only if the server requires
      // one
      local("lmstudio", Wire::openai_chat, "http://localhost:1234/v1", "LM_API_TOKEN"),
      // platform.minimax.io/docs/api-reference/text-openai-api; China has api.minimaxi.com
      remote("minimax", Wire::openai_chat, "https://api.minimax.io/v1", "MINIMAX_API_KEY"),
      // docs.mistral.ai/api
      remote("mistral", Wire::openai_chat, "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
      // docs.ollama.com/api: port 11434; the key is for ollama.com's own models
      local("ollama", Wire::ollama, "http://localhost:11434", "OLLAMA_API_KEY"),
      // platform.openai.com/docs/api-reference. The Responses API returns encrypted reasoning and
      // accepts it again; chat completions drop it. So the plain name means the Responses API.
      remote("openai", Wire::openai_responses, "https://api.openai.com/v1", "OPENAI_API_KEY"),
      remote("openai-chat", Wire::openai_chat, "https://api.openai.com/v1", "OPENAI_API_KEY"),
      // openrouter.ai/docs/api-reference/overview
      remote("openrouter", Wire::openai_chat, "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
      // docs.together.ai/docs/openai-api-compatibility
      remote("together", Wire::openai_chat, "https://api.together.xyz/v1", "TOGETHER_API_KEY"),
      // docs.vllm.ai, "OpenAI-Compatible Server": port 8000, --api-key or VLLM_API_KEY
      local("vllm", Wire::openai_chat, "http://localhost:8000/v1", "VLLM_API_KEY"),
      // docs.x.ai/docs/api-reference
      remote("xai", Wire::openai_chat, "https://api.x.ai/v1", "XAI_API_KEY"),
  };
  std::ranges::sort(profiles, {}, &Profile::name);
  return profiles;
}

}  // namespace

std::string_view name_of(Wire wire) {
  for (const WireName& known : kWireNames) {
    if (known.wire == wire) return known.name;
  }
  return "unknown";
}

std::optional<Wire> wire_from(std::string_view name) {
  for (const WireName& known : kWireNames) {
    if (known.name == name) return known.wire;
  }
  return std::nullopt;
}

const std::vector<Profile>& known_profiles() {
  static const std::vector<Profile> profiles = make_profiles();
  return profiles;
}

Result<Profile> find_profile(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Profile& profile : known_profiles()) {
    if (profile.name == name) return profile;
    names.push_back(profile.name);
  }
  return not_found(fmt::format("no provider named '{}'", name),
                   fmt::format("the providers are {}", fmt::join(names, ", ")));
}

Result<ModelName> parse_model_name(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size()) {
    return invalid(fmt::format("'{}' is not PROVIDER/MODEL", text),
                   "for example anthropic/claude-sonnet-5 or ollama/qwen3");
  }
  return ModelName{.provider = std::string(text.substr(0, slash)),
                   .model = std::string(text.substr(slash + 1))};
}

}  // namespace spoor::llm
