#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compile/tokens.h"
#include "compile/turn.h"
#include "store/reader.h"

namespace spoor::cli {

using store::NamedCommit;
using store::Oid;

/// How many tokens, and whether somebody counted or we guessed.
struct TokenCount {
  std::uint64_t count = 0;
  bool is_estimate = true;

  /// "1,204 tok", with `≈` before a guess.
  std::string text() const;
};

/// A commit with what it says, read for showing.
struct TurnView {
  Oid oid;
  std::shared_ptr<const store::Commit> commit;
  std::shared_ptr<const std::string> text;  ///< null: it has none, or its bytes are absent
  bool is_absent = false;                   ///< a content is named whose bytes are not here
  bool is_erased = false;                   ///< likewise, and `text` is what stands in its place
  compile::Fields fields;
  compile::Extra extra;
  compile::Facts facts;

  /// user, reasoning, edit, …
  std::string_view kind() const { return compile::kind_of(*commit); }
  bool is_reasoning() const { return commit->type == store::Type::reasoning; }
  std::string_view text_or_empty() const { return text ? std::string_view(*text) : ""; }

  /// The text as people read it: reasons that stand beside the calls (`fields.rationale`) are not
  /// shown in the text as well.
  std::string shown_text() const;

  /// The calls that it asks for itself; of an edit the new ones.
  const std::vector<compile::ToolCall>& calls() const {
    static const std::vector<compile::ToolCall> kNone;
    return fields.tool_calls ? *fields.tool_calls : kNone;
  }

  /// The provider's model, or empty.
  std::string model() const { return facts.get(fact::model); }

  /// One line that says what it says: its own message, else a preview; of a turn without a text its
  /// pictures, or the error that it ended with.
  std::string summary(std::size_t columns = 200) const;

  /// Of its own text and calls, as `counter` says.
  TokenCount tokens(const compile::TokenCounter& counter) const;

  /// What the provider reported for the whole message that this turn is the end
  /// of, where it reported anything; else tokens().
  TokenCount reported_tokens(const compile::TokenCounter& counter) const;
};

/// The first text among a call's arguments, on one line: usually the command, the
/// path or the query; of arguments that are no JSON their first line. Empty when there is none.
std::string main_argument(const compile::ToolCall& call, std::size_t columns = 60);

/// What the provider's `usage` says about one turn; absent where it says nothing.
struct Usage {
  std::optional<std::uint64_t> input;
  std::optional<std::uint64_t> output;
  std::optional<std::uint64_t> cache_read;
  std::optional<std::uint64_t> cache_write;
};
Usage usage_of(const compile::Facts& facts);

/// Reads many with few calls to the store. Bytes that are absent are marked, not
/// an error.
Result<std::vector<TurnView>> read_views(const store::Reader& reader,
                                         std::span<const NamedCommit> commits);

/// Reads one.
Result<TurnView> read_view(const store::Reader& reader, const Oid& oid);

}  // namespace spoor::cli
