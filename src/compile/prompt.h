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

/// Options of a compilation. All of them are part of the cache key.
struct CompileOptions {
  bool include_reasoning = false;      ///< lifts a *default* SKIP only
  std::optional<std::int64_t> window;  ///< the last k turns; below 1 is invalid
  std::optional<std::int64_t> budget;  ///< the most tokens; negative is invalid
  /// Shortens each tool result that this many messages or more follow: its text and attachments
  /// give way to a line that states how much was left out, if that is shorter. Explicitly pinned
  /// results stay whole. Negative is invalid.
  std::optional<std::int64_t> clear_results_after;
  bool strict = false;                     ///< refuse unsettled conflicts (Code::conflict)
  bool with_thoughts = false;              ///< also fill Message::thoughts; no other effect
  bool lists_left_out = true;              ///< fill Prompt::left_out; no other effect
  std::uint32_t version = kNewestVersion;  ///< of fold and selection

  bool operator==(const CompileOptions&) const = default;
};

/// The part of a message that comes from one commit. `text` lives as long as the prompt.
struct Part {
  Oid commit;
  Type type = Type::user;
  Priority priority = Priority::normal;
  bool is_explicit = false;
  bool is_edited = false;
  bool is_cleared = false;  ///< `text` stands for a result that was left out
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

/// Reasoning that led to a message and is skipped by default. It is not part of the prompt, but
/// available for providers that require it back.
struct Thought {
  Part part;
  std::size_t before = 0;  ///< the index of the message's part that it preceded
};

/// One neutral message: usually one part, several if a provider's message was stored as several
/// records (`meta.message_id`).
struct Message {
  std::string_view role;          ///< system, developer, user, assistant or tool
  std::vector<Part> parts;        ///< at least one
  std::vector<Thought> thoughts;  ///< of an answer, in order; only CompileOptions::with_thoughts

  const Oid& hash() const { return parts.front().commit; }
  Type type() const { return parts.front().type; }
  std::string text() const;                      ///< the parts' texts, joined without a separator
  std::vector<ToolCall> tool_calls() const;      ///< the parts' calls, in order
  std::vector<store::Content> pictures() const;  ///< the parts' pictures, in order
  std::uint64_t tokens() const;
};

/// Why an entry is not in the prompt; of `clearing`, why only its text is not.
enum class Why { skip, directive, window, budget, clearing };
std::string_view name_of(Why why);

struct LeftOut {
  Oid commit;
  Why why = Why::skip;

  bool operator==(const LeftOut&) const = default;
};

/// The prompt of a commit, before it is rendered for a provider.
struct Prompt {
  std::optional<Oid> commit;  ///< nullopt: an empty branch
  std::vector<Message> messages;
  std::uint64_t tokens = 0;
  bool tokens_estimated = true;
  std::map<std::string, std::string> config;  ///< current settings: key to JSON
  std::vector<LeftOut> left_out;    ///< in prompt order; compressed sources are not listed
  std::vector<Conflict> conflicts;  ///< unsettled
  Oid hash;  ///< SHA-256 of what each message is made of: equal for equal prompts
};

/// Selects the entries of a state that `options` shows, without their texts. Calls the counter only
/// if a budget is set or `prompt` is filled. Code::invalid for a window below 1 and for a negative
/// budget or `clear_results_after`; Code::conflict under `strict` with an unsettled conflict;
/// Code::unavailable for an unknown version. With `originals`, the original texts and arguments
/// that it knows replace the stored ones.
Result<Prompt> select(const store::Reader& reader, const State& state,
                      const CompileOptions& options, const TokenCounter& counter,
                      const Scrubber* originals = nullptr);

/// As above, of a state that may be partial (part_fold.h). Returns nullopt if the prompt may depend
/// on an entry that is missing, and always without a window or a budget.
Result<std::optional<Prompt>> select_part(const store::Reader& reader, const State& state,
                                          const CompileOptions& options,
                                          const TokenCounter& counter,
                                          const Scrubber* originals = nullptr);

/// Returns true if a partial state may be enough for such a prompt.
bool may_be_of_part(const CompileOptions& options);

/// Returns the *prompt key*: the `Prompt::hash` of the default prompt, computed without reading
/// texts. `version` must be a known one.
Oid prompt_key(const State& state, std::uint32_t version = kNewestVersion);

/// Returns the version in the `options` content of a bundle: 1 if it has no such key, or is empty.
/// Code::unavailable for an unknown version, Code::corrupt if `options` is malformed.
Result<std::uint32_t> read_version(std::string_view options);

}  // namespace spoor::compile
