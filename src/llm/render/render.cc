#include "llm/render/render.h"

#include <array>

#include <fmt/format.h>

#include "base/json/reader.h"
#include "compile/commitment.h"
#include "llm/render/json_text.h"
#include "llm/render/writers.h"

namespace spoor::llm::render {
namespace {

struct Renderer {
  std::string_view name;
  Wire wire;
  Result<std::string> (*write)(Job&);
};

// The newest renderer of each wire is first.
constexpr std::array kRenderers = {
    Renderer{"openai-chat/1", Wire::openai_chat, write_openai_chat_1},
    Renderer{"openai-responses/2", Wire::openai_responses, write_openai_responses_2},
    Renderer{"openai-responses/1", Wire::openai_responses, write_openai_responses_1},
    Renderer{"anthropic/3", Wire::anthropic, write_anthropic_3},
    Renderer{"anthropic/2", Wire::anthropic, write_anthropic_2},
    Renderer{"anthropic/1", Wire::anthropic, write_anthropic_1},
    Renderer{"gemini/1", Wire::gemini, write_gemini_1},
    Renderer{"ollama/1", Wire::ollama, write_ollama_1},
};

const Renderer* find(std::string_view name) {
  for (const Renderer& renderer : kRenderers) {
    if (renderer.name == name) return &renderer;
  }
  return nullptr;
}

// Returns the members of an object without its braces.
Result<std::string> members_of(std::string_view object) {
  const std::string text = strict_or_empty(object, json::Type::object);
  if (text.empty()) {
    return invalid("the parameters of a call are not a JSON object",
                   R"(give them as {"max_tokens":1024})");
  }
  return text.substr(1, text.size() - 2);
}

// Content of which only a hash was stored cannot be sent.
Result<void> check_known(const compile::Prompt& prompt) {
  const auto check = [](const compile::Part& part) -> Result<void> {
    bool is_hashed = compile::is_commitment(*part.text);
    if (const auto* calls = part.calls()) {
      for (const auto& call : *calls)
        is_hashed = is_hashed || compile::is_commitment(call.arguments);
    }
    if (!is_hashed) return {};
    return denied(
        fmt::format("only a hash was kept of {}, and this process does not have its text",
                    part.commit.hex(12)),
        "in capture mode hashed, only the process that wrote a turn can continue from it");
  };
  for (const compile::Message& message : prompt.messages) {
    for (const compile::Part& part : message.parts) TRY(check(part));
  }
  return {};
}

}  // namespace

Result<Rendered> render(const graph::Repository& repository,
                        const std::optional<compile::Oid>& commit, const Recipe& recipe) {
  const Renderer* renderer = find(recipe.renderer);
  if (renderer == nullptr) {
    return unavailable(fmt::format("unknown renderer '{}'", recipe.renderer),
                       "a newer version of spoor may have it");
  }
  Rendered rendered;
  compile::CompileOptions options = recipe.options;
  options.with_thoughts = recipe.replay.scope != ReplayRule::Scope::none;
  rendered.prompt = TRY(repository.compile_to_send(commit, options));
  TRY(check_known(rendered.prompt));
  Dialogue dialogue =
      TRY(arrange(rendered.prompt, recipe, repository.reader(), repository.scrubber()));
  Job job{dialogue, recipe, repository.reader(), repository.scrubber()};
  const std::string messages = TRY(renderer->write(job));

  std::string& body = rendered.body;
  body.reserve(messages.size() + recipe.tools.size() + recipe.params.size() + 256);
  body = "{";
  // Gemini has the model in the URL, and rejects a body that also contains it.
  if (renderer->wire != Wire::gemini) append_member(body, "model", recipe.model);
  append_comma(body);
  body += messages;
  if (!recipe.tools.empty()) {
    append_key(body, "tools");
    body += recipe.tools;
  }
  if (!recipe.params.empty()) {
    const std::string members = TRY(members_of(recipe.params));
    if (!members.empty()) {
      append_comma(body);
      body += members;
    }
  }
  body += '}';
  rendered.treatments = std::move(dialogue.treatments);
  rendered.thinking = std::move(dialogue.thinking);
  return rendered;
}

std::string_view newest_renderer(Wire wire) {
  for (const Renderer& renderer : kRenderers) {
    if (renderer.wire == wire) return renderer.name;
  }
  return {};
}

std::optional<Wire> wire_of_renderer(std::string_view name) {
  const Renderer* renderer = find(name);
  if (renderer == nullptr) return std::nullopt;
  return renderer->wire;
}

}  // namespace spoor::llm::render
