#include "report/debrief/shown_texts.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/json/reader.h"
#include "compile/commitment.h"
#include "compile/turn.h"
#include "report/debrief/excerpt.h"
#include "trace/bytes.h"

namespace spoor::report::debrief {
namespace {

using agent::clean_rationale;

using store::Oid;

constexpr std::size_t kBatch = 512;  // Blobs to read with one call.
constexpr std::string_view kUnverified = "interrupted, effect unverified";

// Removes a label such as `[obs:3 grep]` before a tool's result in a user's turn.
std::string_view without_label(std::string_view text) {
  if (!text.starts_with("[obs:")) return text;
  const std::size_t end = text.find(']');
  return end == std::string_view::npos ? text : text.substr(end + 1);
}

// Removes the first line if it states the exit code, which is already shown.
std::string_view without_exit_code(std::string_view text, const std::optional<std::int64_t>& code) {
  if (!code) return text;
  std::string_view line = text.substr(0, text.find('\n'));
  constexpr std::string_view kError = "error: ";
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  if (line.starts_with(kError)) line.remove_prefix(kError.size());
  if (line != "exit code " + std::to_string(*code)) return text;
  text.remove_prefix(std::min(text.find('\n'), text.size()));
  return text;
}

std::optional<Rationale> rationale_in(std::string_view fields, const std::string& call) {
  const auto read = json::parse(fields);
  if (!read) return std::nullopt;
  json::Value found = read->root().find("rationale");
  if (!call.empty()) found = found.find(call);
  return found ? clean_rationale(found).rationale : std::nullopt;
}

// Returns the text before a call, used in place of a requested reason.
std::optional<Rationale> quoted(std::string_view text) {
  Rationale quote{.why = cut(one_line(text), agent::kMaxWhy)};
  return quote.why.empty() ? std::nullopt : std::optional(std::move(quote));
}

// Contents to read, and an action for each.
class PendingReads {
 public:
  using Take = std::function<void(std::string_view)>;

  void add(const Oid& oid, Take take) {
    oids_.push_back(oid);
    takes_.push_back(std::move(take));
  }

  Result<void> read(const store::Reader& reader) const {
    for (std::size_t at = 0; at < oids_.size(); at += kBatch) {
      const auto first = oids_.begin() + static_cast<std::ptrdiff_t>(at);
      const auto count = std::min(kBatch, oids_.size() - at);
      const std::vector<Oid> batch(first, first + static_cast<std::ptrdiff_t>(count));
      const auto bytes = TRY(trace::bytes_of(reader, batch));
      for (std::size_t i = 0; i < count; ++i) {
        if (bytes[i]) takes_[at + i](*bytes[i]);
      }
    }
    return {};
  }

 private:
  std::vector<Oid> oids_;
  std::vector<Take> takes_;
};

Result<void> add_outcome_read(const store::Reader& reader, Outcome& outcome,
                              PendingReads& pending) {
  if (!outcome.commit || !outcome.said.empty()) return {};
  const auto commit = TRY(reader.commit(*outcome.commit));
  if (!commit->content) return {};
  pending.add(commit->content->oid, [&outcome](std::string_view bytes) {
    const std::string shown = compile::shown_text(bytes);
    std::string_view text = shown;
    text = without_exit_code(without_label(text), outcome.exit_code);
    outcome.said = first_words(text, kMaxSaid);
    outcome.is_interrupted = outcome.is_error && outcome.said.ends_with(kUnverified);
  });
  return {};
}

// Adds reads for the texts and reasons of entries of which only the commit is known.
template <class Entry>
Result<void> add_list_reads(const store::Reader& reader, BoundedList<Entry>& list,
                            std::string Entry::*text, PendingReads& pending) {
  constexpr bool kIsNote = std::is_same_v<Entry, Note>;  // One line, without a reason.
  std::vector<Entry*> unread;
  list.each([&](Entry& entry) {
    if ((entry.*text).empty() && entry.place.commit) unread.push_back(&entry);
  });
  for (Entry* entry : unread) {
    const auto commit = TRY(reader.commit(*entry->place.commit));
    if (commit->content) {
      pending.add(commit->content->oid, [entry, text](std::string_view bytes) {
        entry->*text = compile::shown_text(bytes);
        if constexpr (kIsNote) entry->*text = first_line(entry->*text, kMaxSaid);
      });
    }
    if constexpr (!kIsNote) {
      if (!commit->fields) continue;
      pending.add(*commit->fields, [entry](std::string_view fields) {
        const auto rationale = rationale_in(fields, "");
        if constexpr (std::is_same_v<Entry, Weighing>) {
          if (rationale) entry->rejected = rationale->alternatives;
        } else {
          if (rationale) entry->rationale = rationale;
        }
      });
    }
  }
  return {};
}

}  // namespace

Result<void> read_reasons(const store::Reader& reader, const std::vector<PathEntry*>& entries) {
  using Source = trace::Reason::Source;
  PendingReads pending;
  for (PathEntry* entry : entries) {
    const auto unread = std::exchange(entry->unread, std::nullopt);
    if (!unread) continue;
    if (unread->source == Source::rationale && unread->where) {
      const std::string call = std::to_string(unread->call);
      pending.add(*unread->where, [entry, call](std::string_view text) {
        entry->rationale = rationale_in(text, call);
      });
    } else if (unread->where) {
      pending.add(*unread->where, [entry](std::string_view text) {
        entry->rationale = quoted(compile::shown_text(text));
      });
    } else {
      entry->rationale = quoted(unread->text);
    }
  }
  return pending.read(reader);
}

Result<void> read_shown(const store::Reader& reader, Debrief& debrief) {
  std::vector<PathEntry*> path;
  debrief.path.each([&](PathEntry& entry) { path.push_back(&entry); });
  TRY(read_reasons(reader, path));

  PendingReads pending;
  for (PathEntry* entry : path) {
    if (entry->outcome) TRY(add_outcome_read(reader, *entry->outcome, pending));
  }
  if (debrief.last_check) TRY(add_outcome_read(reader, debrief.last_check->outcome, pending));
  TRY(add_list_reads(reader, debrief.assumptions, &Assumption::assumption, pending));
  TRY(add_list_reads(reader, debrief.curator, &CuratorAction::target, pending));
  TRY(add_list_reads(reader, debrief.alternatives, &Weighing::chosen, pending));
  TRY(add_list_reads(reader, debrief.reactions, &Reaction::what, pending));
  TRY(add_list_reads(reader, debrief.notes, &Note::text, pending));
  return pending.read(reader);
}

}  // namespace spoor::report::debrief
