#include "llm/reply.h"

#include <array>
#include <utility>

#include "base/words.h"

namespace spoor::llm {
namespace {

using std::pair;
using std::string_view;

constexpr std::array<pair<Outcome, string_view>, 6> kOutcomes = {{
    {Outcome::done, "done"},
    {Outcome::truncated, "truncated"},
    {Outcome::refused, "refused"},
    {Outcome::filtered, "filtered"},
    {Outcome::paused, "paused"},
    {Outcome::malformed, "malformed"},
}};

// platform.claude.com/docs/en/build-with-claude/handling-stop-reasons; OpenAI's API reference of
// chat completions and Responses; api-docs.deepseek.com (insufficient_system_resource);
// openrouter.ai/docs (error); ai.google.dev/api/generate-content (FinishReason); Ollama's
// api/types.go. 2026-11. All words that mean `done` are left out.
constexpr std::array<pair<string_view, Outcome>, 25> kFinishReasons = {{
    {"length", Outcome::truncated},
    {"max_tokens", Outcome::truncated},
    {"MAX_TOKENS", Outcome::truncated},
    {"incomplete", Outcome::truncated},
    {"max_output_tokens", Outcome::truncated},
    {"model_context_window_exceeded", Outcome::truncated},
    {"refusal", Outcome::refused},
    {"content_filter", Outcome::filtered},
    {"SAFETY", Outcome::filtered},
    {"RECITATION", Outcome::filtered},
    {"BLOCKLIST", Outcome::filtered},
    {"PROHIBITED_CONTENT", Outcome::filtered},
    {"SPII", Outcome::filtered},
    {"IMAGE_SAFETY", Outcome::filtered},
    {"LANGUAGE", Outcome::filtered},
    {"pause_turn", Outcome::paused},
    {"MALFORMED_FUNCTION_CALL", Outcome::malformed},
    {"UNEXPECTED_TOOL_CALL", Outcome::malformed},
    {"TOO_MANY_TOOL_CALLS", Outcome::malformed},
    {"MISSING_THOUGHT_SIGNATURE", Outcome::malformed},
    {"MALFORMED_RESPONSE", Outcome::malformed},
    {"OTHER", Outcome::malformed},
    {"FINISH_REASON_UNSPECIFIED", Outcome::malformed},
    {"error", Outcome::malformed},
    {"insufficient_system_resource", Outcome::malformed},
}};

}  // namespace

std::string Reply::text() const {
  std::string text;
  for (const Piece& piece : pieces) {
    if (piece.kind == Piece::Kind::text) text += piece.text;
  }
  return text;
}

std::optional<std::string> Reply::reasoning() const {
  std::optional<std::string> reasoning;
  for (const Piece& piece : pieces) {
    if (piece.kind != Piece::Kind::reasoning || piece.text.empty()) continue;
    if (reasoning) {
      *reasoning += "\n\n" + piece.text;
    } else {
      reasoning = piece.text;
    }
  }
  return reasoning;
}

std::vector<compile::ToolCall> Reply::calls() const {
  std::vector<compile::ToolCall> calls;
  for (const Piece& piece : pieces) {
    if (piece.kind == Piece::Kind::call) calls.push_back(piece.call);
  }
  return calls;
}

std::string_view name_of(Outcome outcome) { return word_in(kOutcomes, outcome); }

Outcome outcome_of(std::string_view finish_reason, bool is_refusal) {
  if (is_refusal) return Outcome::refused;
  for (const auto& [word, outcome] : kFinishReasons) {
    if (word == finish_reason) return outcome;
  }
  return Outcome::done;
}

}  // namespace spoor::llm
