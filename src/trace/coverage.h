#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "graph/repository.h"
#include "trace/deriver.h"
#include "trace/totals.h"

namespace spoor::trace {

enum class Presence { present, partial, absent };
std::string_view name_of(Presence presence);

/// The parts that a history is known to contain. An imported session file is not the prompt: most
/// leave out the system prompt and the tools.
struct Coverage {
  enum class Thinking {
    text,     ///< as the model wrote it
    summary,  ///< the provider's summary of it
    opaque,   ///< sealed: its text is absent
    none,     ///< no reasoning is stored
  };

  std::uint64_t answers = 0;
  std::uint64_t imported = 0;  ///< answers that an importer read
  std::uint64_t recorded = 0;  ///< answers whose request this history has, as it was sent
  std::uint64_t captured = 0;  ///< answers of which only the captured request is exact
  Presence system_prompt = Presence::absent;
  Presence tools = Presence::absent;
  /// Tokens of the prompt as stored (an estimate) and as the provider counted them, both at
  /// `measured`, the last answer that states its tokens.
  std::optional<std::uint64_t> stored, sent;
  std::optional<Oid> measured;
  Thinking reasoning = Thinking::none;
  Trust usage = Trust::unknown;
  Presence times = Presence::absent;
  std::optional<Presence> line_counts;  ///< of edits; nullopt: no edits

  /// Returns true if an importer's answer makes the prompts here shorter than those that were sent.
  bool is_partial() const { return imported > 0 && recorded < answers; }

  /// Returns the share of the sent tokens that is stored, 0 to 1. Returns nullopt if either is
  /// unknown, or if much more is stored than the provider counted: then the count is of something
  /// else.
  std::optional<double> share() const;
};
std::string_view name_of(Coverage::Thinking reasoning);

/// Finds out what the line up to `head` contains. If `totals` is null, `line_counts` is not set.
/// Returns the errors of reading.
Result<Coverage> coverage_of(const graph::Repository& repository, const Oid& head,
                             const Totals* totals);

/// Returns the coverage of a history that an importer read; nullopt for other histories, and for an
/// empty one.
Result<std::optional<Coverage>> imported_coverage(const graph::Repository& repository,
                                                  const std::optional<Oid>& head);

/// Returns `system prompt absent, tools absent, 1% of the tokens sent, reasoning text, …`.
std::string describe(const Coverage& coverage);

/// Returns the member `coverage` of JSON outputs (docs/cli-json.md).
std::string to_json(const Coverage& coverage);

}  // namespace spoor::trace
