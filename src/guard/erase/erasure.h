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

/// Where a text that is to be erased also stands, and why it goes along.
struct Occurrence {
  enum class Why {
    named,      ///< asked for
    same_text,  ///< shows one of the same contents: a copy, an import of the same
    edit,       ///< a later version of it
    summary,    ///< made from it
    about,      ///< speaks of it: a note, a decision, a reason for a priority, a tag's note
    request,    ///< a request to a model that was kept whole, or what changed it
    holds,      ///< the text, or the phrase that is looked for, stands in it word for word
  };
  store::Oid object;  ///< a commit; a bundle, a tag or a content that no commit shows
  store::Kind kind = store::Kind::commit;
  Why why = Why::named;
  std::optional<store::Oid> of;  ///< the commit that it follows from
};
std::string_view name_of(Occurrence::Why why);

/// Something that would still tell the text, and cannot be taken.
struct Obstacle {
  std::string where;  ///< "commit 0123…", "operation 17", "tag 0123…", "the name of refs/heads/x"
};

/// What erasing commits, or a phrase, comes to.
struct ErasurePlan {
  std::vector<store::Oid> named;
  std::string phrase;               ///< that was looked for; empty: commits were named
  std::vector<Occurrence> places;   ///< named ones first, then by kind of reason and name
  std::vector<store::Oid> objects;  ///< contents that go, ascending
  std::uint64_t bytes = 0;          ///< of them
  std::vector<Obstacle> obstacles;  ///< not empty: it cannot be done, or a phrase not wholly
  LiteralFinder texts;              ///< those of the named commits that were looked for
  std::size_t too_short = 0;        ///< how many of theirs are too short for that
  /// Commits, and contents that no commit shows, which stay and have a part of the texts in them: a
  /// text that is too short, or a word that tells (text_forms.h). Ascending.
  std::vector<store::Oid> told_elsewhere;

  bool is_empty() const { return objects.empty(); }
};

/// Finds all that has to go so that nothing tells any more what `named` commits say: their texts,
/// arguments, provider's items, labels and attachments; every other commit, on whatever branch,
/// that shows one of the same; later edits, summaries made from them, notes, decisions, reasons and
/// tags about them, requests kept whole; and every content in which their texts stand word for
/// word, as they are, escaped or encoded (literal_finder.h). What is about them in words that are
/// used of other turns too stays, as do calls' names and ids.
///
/// Changes nothing. Reads every object, twice. Code::invalid for what is no commit.
Result<ErasurePlan> plan_erasure(const graph::Repository& repository,
                                 std::span<const store::Oid> named);

/// The shortest phrase that is looked for, in bytes.
constexpr std::size_t kLeastPhrase = 4;

/// Finds every place in which `phrase` stands (literal_finder.h has the forms; white space at its
/// ends apart): texts, arguments, providers' items, labels, attachments and all other contents,
/// which can go as wholes; and as obstacles meta and authors of commits, tags, the log of
/// operations and names of refs, which stay. Edits and summaries of what goes stay unless they say
/// it, too.
///
/// Changes nothing. Reads every object, twice. Code::invalid for a phrase below kLeastPhrase.
Result<ErasurePlan> plan_phrase_erasure(const graph::Repository& repository,
                                        std::string_view phrase);

/// Where every erasure is noted: a note about the named commits, with the reason.
constexpr const char* kErasuresRef = "refs/notes/erasures";

struct Erased {
  store::Oid tombstone;
  store::Oid operation;
  std::optional<store::Oid> attest;  ///< the signature under the tombstone
};

/// Takes all that `plan` names, for good, in one transaction: a tombstone says so, signed with
/// `signing_key` (store/signature.h; empty: not signed). No commit is changed. A process that is
/// killed in the middle has done all of it or nothing; finish_erasure() does the rest.
///
/// Code::conflict when another writer has added to what has to go since the plan was made,
/// Code::denied when the plan has obstacles (a phrase goes from everywhere else), Code::invalid
/// when there is nothing to take, or the reason is empty, too long or says the text.
Result<Erased> erase(graph::Repository& repository, const ErasurePlan& plan,
                     std::string_view reason, std::string_view signing_key);

/// Is there an erasure whose bytes may still lie in free room of the file, or beside it?
Result<bool> is_erasure_unfinished(const graph::Repository& repository);

/// Clears such bytes out of the store's file, its log and what lies beside it; writes the file
/// anew. Code::unavailable while another process keeps it from that: to be tried again.
Result<void> finish_erasure(graph::Repository& repository);

}  // namespace spoor::guard
