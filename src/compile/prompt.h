#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compile/state.h"
#include "compile/tokens.h"

namespace spoor::compile {

class Scrubber;

/// How a prompt is compiled. Part of the cache key, every one of them.
struct CompileOptions {
  bool include_reasoning = false;          ///< lifts a *default* SKIP only
  std::optional<std::int64_t> window;      ///< the last k turns; below 1 is invalid
  std::optional<std::int64_t> budget;      ///< at most so many tokens; negative is invalid
  bool strict = false;                     ///< refuse unsettled conflicts (Code::conflict)
  bool with_thoughts = false;              ///< fill Message::thoughts; nothing else changes
  std::uint32_t version = kNewestVersion;  ///< of fold and selection

  bool operator==(const CompileOptions&) const = default;
};

/// What one commit gives to a message. `text` lives as long as the prompt.
struct Part {
  Oid commit;
  Type type = Type::user;
  Priority priority = Priority::normal;
  bool is_explicit = false;
  bool is_edited = false;
  Oid content;
  std::shared_ptr<const std::string> text;
  std::shared_ptr<const Fields> fields;  ///< null: none
  std::shared_ptr<const std::vector<store::Content>> raw;
  std::shared_ptr<const std::vector<store::Content>> attach;
  std::uint64_t tokens = 0;

  const std::vector<ToolCall>* calls() const {
    return fields && fields->tool_calls ? &*fields->tool_calls : nullptr;
  }
};

/// Reasoning that led to a message and is skipped by default: not part of the prompt, but there
/// for providers that demand it back.
struct Thought {
  Part part;
  std::size_t before = 0;  ///< the part of the message that it stood before
};

/// One neutral message: usually one part, more where a provider's message came
/// as several records (`meta.message_id`).
struct Message {
  std::string_view role;          ///< system, developer, user, assistant or tool
  std::vector<Part> parts;        ///< at least one
  std::vector<Thought> thoughts;  ///< of an answer, in order; only CompileOptions::with_thoughts

  const Oid& hash() const { return parts.front().commit; }
  Type type() const { return parts.front().type; }
  std::string text() const;                      ///< the parts' texts, joined bare
  std::vector<ToolCall> tool_calls() const;      ///< the parts' calls, in order
  std::vector<store::Content> pictures() const;  ///< the parts' pictures, in order
  std::uint64_t tokens() const;
};

/// Why something is not in the prompt.
enum class Why { skip, directive, window, budget };
std::string_view name_of(Why why);

struct LeftOut {
  Oid commit;
  Why why = Why::skip;

  bool operator==(const LeftOut&) const = default;
};

/// What a model would be sent at a commit, before any provider's shape.
struct Prompt {
  std::optional<Oid> commit;  ///< nothing: of an empty branch
  std::vector<Message> messages;
  std::uint64_t tokens = 0;
  bool tokens_estimated = true;
  std::map<std::string, std::string> config;  ///< settings in force: key to JSON
  std::vector<LeftOut> left_out;    ///< in prompt order; compressed sources are not listed
  std::vector<Conflict> conflicts;  ///< unsettled
  Oid hash;  ///< SHA-256 over what each message is made of: equal prompts, equal hashes
};

/// Which entries of a state are shown under `options`, without their texts.
/// The counter is asked only when a budget is set or `prompt` is filled.
/// Code::invalid for a window below 1 or a negative budget; Code::conflict under
/// `strict` while a conflict is unsettled; Code::unavailable for an unknown version.
/// With `originals`, texts and arguments that it knows stand in place of what was kept of them.
Result<Prompt> select(const store::Reader& reader, const State& state,
                      const CompileOptions& options, const TokenCounter& counter,
                      const Scrubber* originals = nullptr);

/// The *prompt key*: `Prompt::hash` of what is shown there by default, without reading a text.
/// `version` must be a known one.
Oid prompt_key(const State& state, std::uint32_t version = kNewestVersion);

/// Returns the version that the `options` content of a bundle names: 1 if it has no such key, or
/// is empty. Code::unavailable for an unknown version, Code::corrupt if `options` is malformed.
Result<std::uint32_t> read_version(std::string_view options);

}  // namespace spoor::compile
