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
#include "llm/usage.h"
#include "store/reader.h"

namespace spoor::api {

using store::NamedCommit;
using store::Oid;

/// A number of tokens, counted or estimated.
struct TokenCount {
  std::uint64_t count = 0;
  bool is_estimate = true;

  /// Returns "1,204 tok", with `≈` before an estimate.
  std::string text() const;
};

/// A commit with its contents, read for display.
struct TurnView {
  Oid oid;
  std::shared_ptr<const store::Commit> commit;
  std::shared_ptr<const std::string> text;  ///< null: it has none, or its bytes are absent
  bool is_absent = false;                   ///< its content is named but not in this store
  bool is_erased = false;                   ///< likewise; `text` is the notice in its place
  compile::Fields fields;
  compile::Extra extra;
  compile::Facts facts;

  /// user, reasoning, edit, …
  std::string_view kind() const { return compile::kind_of(*commit); }
  bool is_reasoning() const { return commit->type == store::Type::reasoning; }
  std::string_view text_or_empty() const { return text ? std::string_view(*text) : ""; }

  /// Returns the text as people read it, without the reasons that `fields.rationale` already
  /// contains.
  std::string shown_text() const;

  /// Returns the calls of this turn; for an edit, the new ones.
  const std::vector<compile::ToolCall>& calls() const {
    static const std::vector<compile::ToolCall> kNone;
    return fields.tool_calls ? *fields.tool_calls : kNone;
  }

  /// Returns the provider's model, or empty.
  std::string model() const { return facts.get(fact::model); }

  /// Returns a one-line summary: the commit's own message, else a preview. For a turn without text,
  /// its pictures or its final error.
  std::string summary(std::size_t columns = 200) const;

  /// Returns the tokens of its own text and calls, according to `counter`.
  TokenCount tokens(const compile::TokenCounter& counter) const;

  /// Returns the provider's count for the whole message that ends with this turn, if it reported
  /// one; else tokens().
  TokenCount reported_tokens(const compile::TokenCounter& counter) const;
};

/// Returns the first text among a call's arguments, on one line: usually the command, the path or
/// the query. For arguments that are not JSON, returns their first line. Empty if there is none.
std::string main_argument(const compile::ToolCall& call, std::size_t columns = 60);

/// Returns the tokens that are recorded for a turn (agent::read_usage).
llm::Usage usage_of(const store::Commit& commit);

/// Reads many commits with few calls to the store. Absent bytes are marked, and are not an error.
Result<std::vector<TurnView>> read_views(const store::Reader& reader,
                                         std::span<const NamedCommit> commits);

/// Reads one commit.
Result<TurnView> read_view(const store::Reader& reader, const Oid& oid);

}  // namespace spoor::api
