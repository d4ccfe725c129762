#include "graph/blame.h"

#include <algorithm>
#include <unordered_set>

#include "graph/call_text.h"

namespace spoor::graph {

using compile::default_priority;
using compile::Directives;
using compile::Entry;
using compile::Fields;
using compile::fields_of;
using compile::Message;
using compile::Part;
using compile::targets_of;
using store::Priority;
using store::Type;

namespace {

// One version of an entry: the turn as written, or after an edit.
struct Wording {
  Oid commit;
  Oid content;
  std::optional<std::vector<ToolCall>> calls;
};

Result<std::vector<Wording>> wordings_of(const store::Reader& reader, const State& state,
                                         const Oid& tip, const Oid& entry) {
  std::vector<Wording> wordings;
  std::optional<std::vector<ToolCall>> calls;
  for (const Version& version : TRY(versions_of(reader, state, tip, entry))) {
    Fields fields = TRY(fields_of(reader, *TRY(reader.commit(version.commit))));
    if (fields.tool_calls) calls = std::move(fields.tool_calls);
    wordings.push_back({version.commit, version.content, calls});
  }
  return wordings;
}

// Returns the index of the wording in force; the last one among equals. After a merge it need not
// be the last wording.
std::size_t place_in_force(const std::vector<Wording>& wordings, const Entry& entry) {
  for (std::size_t i = wordings.size(); i-- > 1;) {
    const std::vector<ToolCall>* calls = wordings[i].calls ? &*wordings[i].calls : nullptr;
    const bool same_calls = (calls == nullptr) == (entry.calls() == nullptr) &&
                            (calls == nullptr || *calls == *entry.calls());
    if (wordings[i].content == entry.content && same_calls) return i;
  }
  return 0;
}

// Returns the commit whose words the wording at `place` shows. Steps back over equal wordings.
Oid author_of_words(const std::vector<Wording>& wordings, std::size_t place) {
  while (place > 0 && wordings[place - 1].content == wordings[place].content &&
         wordings[place - 1].calls == wordings[place].calls) {
    --place;
  }
  return wordings[place].commit;
}

std::optional<Oid> shown_by(const Entry& entry) {
  if (!entry.directives) return std::nullopt;
  const Directives& all = *entry.directives;
  // Step back from the last annotation while each lets the entry into the prompt.
  std::optional<Oid> first;
  for (std::size_t i = all.priorities.size(); i-- > 0;) {
    if (all.priorities[i] == Priority::skip) return first;
    first = all.annotations[i];
  }
  return default_priority(entry.type) == Priority::skip ? first : std::nullopt;
}

Result<std::vector<Oid>> sources_of(const store::Reader& reader, const State& state,
                                    const Entry& entry) {
  const auto commit = TRY(reader.commit(entry.commit));
  if (commit->op == store::Op::compress) return targets_of(reader, *commit);
  std::vector<Oid> sources;
  if (commit->op != store::Op::merge) return sources;
  state.each([&](const Entry& other) {  // A digest replaces what its merge skipped.
    if (!other.directives) return;
    const std::vector<Oid>& by = other.directives->annotations;
    if (std::find(by.begin(), by.end(), entry.commit) != by.end()) sources.push_back(other.commit);
  });
  return sources;
}

// True for most entries: a turn that no directive has touched, whose words are its own.
bool is_untouched(const Entry& entry) { return !entry.directives && entry.type != Type::summary; }

// Finds the turns below a summary that contain the phrase.
class SourceSearch {
 public:
  SourceSearch(const store::Reader& reader, const State& state, std::string_view phrase)
      : reader_(reader), state_(state), phrase_(phrase) {}

  Result<std::vector<Oid>> below(const Entry& summary) {
    // Depth first, without recursion: a chain of summaries may be long. A summary is reported only
    // if nothing below it contains the phrase.
    std::vector<Oid> found;
    TRY(push(summary));
    while (!levels_.empty()) {
      Level& level = levels_.back();
      if (level.next == level.sources.size()) {
        const bool is_own = level.says && found.size() == level.found_before;
        if (is_own && level.entry != &summary) found.push_back(level.entry->commit);
        levels_.pop_back();
        continue;
      }
      const Entry* source = state_.find(level.sources[level.next++]);
      if (source == nullptr || !seen_.insert(source->commit).second) continue;
      const bool says_it = says(*TRY(reader_.content(source->content)), source->calls(), phrase_);
      if (source->type == Type::summary) {
        TRY(push(*source, says_it, found.size()));
      } else if (says_it) {
        found.push_back(source->commit);
      }
    }
    return found;
  }

 private:
  struct Level {
    const Entry* entry;
    std::vector<Oid> sources;
    std::size_t next;
    bool says;
    std::size_t found_before;
  };

  Result<void> push(const Entry& entry, bool says_it = false, std::size_t found = 0) {
    levels_.push_back({&entry, TRY(sources_of(reader_, state_, entry)), 0, says_it, found});
    return {};
  }

  const store::Reader& reader_;
  const State& state_;
  std::string_view phrase_;
  std::vector<Level> levels_;
  std::unordered_set<Oid> seen_;
};

// Returns the part that contains byte `offset` of a message's text.
std::size_t part_at(const Message& message, std::size_t offset) {
  std::size_t part = 0;
  while (part + 1 < message.parts.size() && offset >= message.parts[part].text->size()) {
    offset -= message.parts[part].text->size();
    ++part;
  }
  return part;
}

}  // namespace

Result<Origin> origin_of(const store::Reader& reader, const State& state, const Oid& tip,
                         const Oid& commit) {
  const Entry* entry = TRY(find_entry(reader, state, tip, commit));
  Origin origin;
  origin.commit = commit;
  origin.said_by = commit;
  if (is_untouched(*entry)) return origin;
  const std::vector<Wording> wordings = TRY(wordings_of(reader, state, tip, commit));
  origin.said_by = author_of_words(wordings, place_in_force(wordings, *entry));
  if (entry->directives) origin.edits = entry->directives->edits;
  origin.annotations = TRY(annotations_of(reader, state, tip, commit));
  origin.sources = TRY(sources_of(reader, state, *entry));
  origin.shown_by = shown_by(*entry);
  return origin;
}

bool says(std::string_view text, const std::vector<ToolCall>* calls, std::string_view phrase) {
  if (text.find(phrase) != std::string_view::npos) return true;
  if (calls == nullptr) return false;
  return std::any_of(calls->begin(), calls->end(),
                     [phrase](const ToolCall& call) { return says(call, phrase); });
}

Result<std::vector<Occurrence>> why(const Repository& repository, const Prompt& prompt,
                                    std::string_view phrase) {
  std::vector<Occurrence> found;
  if (!prompt.commit) return found;
  const store::Reader& reader = repository.reader();
  const auto state = TRY(repository.folder().at(*prompt.commit));
  for (std::size_t i = 0; i < prompt.messages.size(); ++i) {
    const Message& message = prompt.messages[i];
    std::vector<std::size_t> parts;
    for (std::size_t part = 0; part < message.parts.size(); ++part) {
      const Part& p = message.parts[part];
      if (says(*p.text, p.calls(), phrase)) parts.push_back(part);
    }
    if (parts.empty() && message.parts.size() > 1) {
      const std::size_t offset = message.text().find(phrase);
      if (offset != std::string::npos) parts.push_back(part_at(message, offset));
    }
    for (const std::size_t part : parts) {
      const Oid& commit = message.parts[part].commit;
      const Entry* entry = TRY(find_entry(reader, *state, *prompt.commit, commit));
      const auto wordings = TRY(wordings_of(reader, *state, *prompt.commit, commit));
      Occurrence occurrence;
      occurrence.message = i;
      occurrence.commit = commit;
      // Step back from the wording in force while the earlier one also contains the phrase.
      std::size_t place = place_in_force(wordings, *entry);
      while (place > 0) {
        const Wording& before = wordings[place - 1];
        const auto text = TRY(reader.content(before.content));
        if (!says(*text, before.calls ? &*before.calls : nullptr, phrase)) break;
        occurrence.kept_by.insert(occurrence.kept_by.begin(), wordings[place].commit);
        --place;
      }
      occurrence.brought_by = wordings[place].commit;
      occurrence.shown_by = shown_by(*entry);
      if (occurrence.brought_by == commit) {
        occurrence.sources = TRY(SourceSearch(reader, *state, phrase).below(*entry));
      }
      found.push_back(std::move(occurrence));
    }
  }
  return found;
}

}  // namespace spoor::graph
