#include "llm/render/replay_rules.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/text.h"
#include "base/words.h"

namespace spoor::llm::render {
namespace {

using Scope = ReplayRule::Scope;
using Form = ReplayRule::Form;

struct Row {
  std::string_view provider;
  ReplayRule rule;
};

// From the providers' documentation in 2026-11.
constexpr std::array kRows = {
    // Turns are sent back as they came and a conversation is only added to: newer models build on
    // the thinking of earlier turns, older ones ignore it, and the cached prefix stays.
    // platform.claude.com/docs/en/build-with-claude/preserved-thinking
    Row{"anthropic", {Scope::all, Form::items}},
    // Stateless use (`store: false`): reasoning items with `encrypted_content` are sent back.
    // platform.openai.com/docs/guides/reasoning
    Row{"openai", {Scope::all, Form::items}},
    // A `thoughtSignature` is sent back in its original part.
    // ai.google.dev/gemini-api/docs/thought-signatures
    Row{"gemini", {Scope::all, Form::items}},
    // "reasoning_content" is required for a turn with tool calls, and ignored for others.
    // api-docs.deepseek.com/guides/thinking_mode
    Row{"deepseek", {Scope::with_calls, Form::reasoning_content}},
    // platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model
    Row{"kimi", {Scope::with_calls, Form::reasoning_content}},
    // docs.z.ai/guides/capabilities/thinking-mode ("interleaved thinking")
    Row{"glm", {Scope::with_calls, Form::reasoning_content}},
    // openrouter.ai/docs/use-cases/reasoning-tokens ("preserving reasoning blocks")
    Row{"openrouter", {Scope::with_calls, Form::reasoning_details}},
    // platform.minimax.io/docs/guides/text-m2-function-call: the whole answer, tags included.
    Row{"minimax", {Scope::all, Form::think_tags}},
    // docs.ollama.com/capabilities/thinking: gpt-oss and others read it inside a loop.
    Row{"ollama", {Scope::tool_loop, Form::thinking}},
};

constexpr std::array kScopes = {std::pair{Scope::none, std::string_view("none")},
                                std::pair{Scope::tool_loop, std::string_view("tool_loop")},
                                std::pair{Scope::with_calls, std::string_view("with_calls")},
                                std::pair{Scope::all, std::string_view("all")}};

constexpr std::array kForms = {
    std::pair{Form::items, std::string_view("items")},
    std::pair{Form::reasoning_content, std::string_view("reasoning_content")},
    std::pair{Form::reasoning_details, std::string_view("reasoning_details")},
    std::pair{Form::thinking, std::string_view("thinking")},
    std::pair{Form::think_tags, std::string_view("think_tags")}};

// Parts of the names of models whose own providers want the thinking back.
constexpr std::array kModelNames = {
    std::pair{std::string_view("deepseek"), std::string_view("deepseek")},
    std::pair{std::string_view("kimi"), std::string_view("kimi")},
    std::pair{std::string_view("glm-"), std::string_view("glm")},
    std::pair{std::string_view("minimax-m"), std::string_view("minimax")}};

const Row* row_of(std::string_view provider) {
  const auto found = std::find_if(kRows.begin(), kRows.end(),
                                  [&](const Row& row) { return row.provider == provider; });
  return found == kRows.end() ? nullptr : &*found;
}

}  // namespace

std::string_view name_of(ReplayRule::Scope scope) { return word_in(kScopes, scope); }
std::string_view name_of(ReplayRule::Form form) { return word_in(kForms, form); }

std::optional<ReplayRule::Scope> scope_from(std::string_view word) {
  return value_in(kScopes, word);
}

std::optional<ReplayRule::Form> form_from(std::string_view word) { return value_in(kForms, word); }

ReplayRule replay_rule(const Profile& profile, std::string_view model) {
  const Row* row = row_of(profile.name);
  if (row == nullptr && profile.wire == Wire::openai_chat) {
    // A gateway, or a server of one's own: vLLM, SGLang, LiteLLM.
    const std::string name = lowered(model);
    for (const auto& [part, provider] : kModelNames) {
      if (name.find(part) != std::string::npos) row = row_of(provider);
    }
  }
  if (row != nullptr) return row->rule;
  switch (profile.wire) {
    case Wire::anthropic:
    case Wire::openai_responses:
    case Wire::gemini:
      return {Scope::all, Form::items};
    case Wire::ollama:
      return {Scope::tool_loop, Form::thinking};
    case Wire::openai_chat:
      break;
  }
  return {};
}

}  // namespace spoor::llm::render
