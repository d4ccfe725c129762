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
  std::string_view models = {};  ///< a part of their names, known at other providers too
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
    Row{"deepseek", {Scope::with_calls, Form::reasoning_content}, "deepseek"},
    // platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model
    Row{"kimi", {Scope::with_calls, Form::reasoning_content}, "kimi"},
    // docs.z.ai/guides/capabilities/thinking-mode ("interleaved thinking")
    Row{"glm", {Scope::with_calls, Form::reasoning_content}, "glm-"},
    // openrouter.ai/docs/use-cases/reasoning-tokens ("preserving reasoning blocks")
    Row{"openrouter", {Scope::with_calls, Form::reasoning_details}},
    // platform.minimax.io/docs/guides/text-m2-function-call: the whole answer, tags included.
    Row{"minimax", {Scope::all, Form::think_tags}, "minimax-m"},
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

// Returns the row of a provider; a gateway, or a server of one's own (vLLM, SGLang, LiteLLM), takes
// that of the model. nullptr: there is none.
const Row* row_of(const Profile& profile, std::string_view model) {
  const auto row = std::find_if(kRows.begin(), kRows.end(),
                                [&](const Row& one) { return one.provider == profile.name; });
  if (row != kRows.end()) return &*row;
  if (profile.wire != Wire::openai_chat) return nullptr;
  const std::string name = lowered(model);
  const auto named = std::find_if(kRows.begin(), kRows.end(), [&](const Row& one) {
    return !one.models.empty() && name.find(one.models) != std::string::npos;
  });
  return named == kRows.end() ? nullptr : &*named;
}

}  // namespace

std::string_view name_of(ReplayRule::Scope scope) { return word_in(kScopes, scope); }
std::string_view name_of(ReplayRule::Form form) { return word_in(kForms, form); }

std::optional<ReplayRule::Scope> scope_from(std::string_view word) {
  return value_in(kScopes, word);
}

std::optional<ReplayRule::Form> form_from(std::string_view word) { return value_in(kForms, word); }

ReplayRule replay_rule(const Profile& profile, std::string_view model) {
  if (const Row* row = row_of(profile, model)) return row->rule;
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
