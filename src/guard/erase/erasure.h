#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/repository.h"
#include "guard/erase/literal_finder.h"

namespace spoor::guard {

/// A place of a text to be erased, and why it is erased.
struct Occurrence {
  enum class Why {
    named,      ///< requested
    same_text,  ///< shows one of the same contents: a copy, another import
    edit,       ///< a later version of it
    summary,    ///< made from it
    about,      ///< is about it: a note, a decision, a reason for a priority, a tag's note
    request,    ///< a request to a model that was kept in full, or a change of it
    holds,      ///< contains the text, or the phrase, word for word
  };
  store::Oid object;  ///< a commit; a bundle, a tag or a content that no commit shows
  store::Kind kind = store::Kind::commit;
  Why why = Why::named;
  std::optional<store::Oid> of;  ///< the commit because of which it is erased
};
std::string_view name_of(Occurrence::Why why);

/// A place that contains the text and cannot be erased.
struct Obstacle {
  std::string where;  ///< "commit 0123…", "operation 17", "tag 0123…", "the name of refs/heads/x"
};

/// The plan to erase commits or a phrase.
struct ErasurePlan {
  std::vector<store::Oid> named;
  std::string phrase;               ///< to search for; empty: commits were named
  std::vector<Occurrence> places;   ///< named commits first, then by reason and name
  std::vector<store::Oid> objects;  ///< contents to be removed, ascending
  std::uint64_t bytes = 0;          ///< of them
  std::vector<Obstacle> obstacles;  ///< not empty: commits cannot be erased, phrases only in part
  LiteralFinder texts;              ///< the texts of the named commits that were searched for
  std::size_t too_short = 0;        ///< how many of their texts are too short to search for
  /// Commits, and contents that no commit shows, that are kept and contain a part of the texts: a
  /// short text, or an identifying word (text_forms.h). Ascending.
  std::vector<store::Oid> told_elsewhere;

  bool is_empty() const { return objects.empty(); }
};

/// Finds everything to remove so that the content of the `named` commits is nowhere left: their
/// texts, arguments, provider's items, labels and attachments; every other commit, on any branch,
/// that shows one of the same; later edits, summaries made from them, notes, decisions, reasons and
/// tags about them, requests kept in full; and every content that contains their texts word for
/// word, plain, escaped or encoded (literal_finder.h). Common words about them that also fit other
/// turns are kept, as are calls' names and ids.
///
/// Changes nothing. Reads every object twice. Returns Code::invalid if an object is not a commit.
Result<ErasurePlan> plan_erasure(const graph::Repository& repository,
                                 std::span<const store::Oid> named);

/// The minimum length of a phrase, in bytes.
constexpr std::size_t kLeastPhrase = 4;

/// Finds every place that contains `phrase`, without white space at its ends (literal_finder.h
/// lists the forms). Texts, arguments, providers' items, labels, attachments and all other contents
/// can be removed as a whole. Meta and authors of commits, tags, the log of operations and names of
/// refs are kept; they are obstacles. Edits and summaries of removed contents are kept unless they
/// contain the phrase too.
///
/// Changes nothing. Reads every object twice. Returns Code::invalid for a phrase shorter than
/// kLeastPhrase.
Result<ErasurePlan> plan_phrase_erasure(const graph::Repository& repository,
                                        std::string_view phrase);

/// The ref that records every erasure: a note about the named commits, with the reason.
constexpr const char* kErasuresRef = "refs/notes/erasures";

struct Erased {
  store::Oid tombstone;
  store::Oid operation;
  std::optional<store::Oid> attest;  ///< the signature of the tombstone
};

/// Removes all objects of `plan` permanently, in one transaction, and writes a tombstone, signed
/// with `signing_key` (store/signature.h; empty: not signed). No commit is changed. A process that
/// is killed midway has done all of it or nothing; finish_erasure() does the rest.
///
/// Returns Code::conflict if another writer has added an object to remove since the plan was made.
/// Returns Code::denied if the plan has obstacles (a phrase is removed everywhere else). Returns
/// Code::invalid if there is nothing to remove, or the reason is empty, too long or contains the
/// text.
Result<Erased> erase(graph::Repository& repository, const ErasurePlan& plan,
                     std::string_view reason, std::string_view signing_key);

/// Returns true if bytes of an erasure may still be in free space of the file, or in files next to
/// it.
Result<bool> is_erasure_unfinished(const graph::Repository& repository);

/// Clears such bytes from the store's file, its log and the files next to it, and rewrites the
/// file. Returns Code::unavailable while another process prevents that; try again then.
Result<void> finish_erasure(graph::Repository& repository);

}  // namespace spoor::guard
