#include "compile/prompt.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "compile/call_pairs.h"
#include "compile/entry_part.h"
#include "compile/scrubber.h"
#include "store/sha256.h"

namespace spoor::compile {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// A message while it is chosen: the entries it is made of, and its piece: what
// stays or goes together with it (a call and its results).
struct Group {
  struct Led {
    const Entry* entry;
    std::size_t before;  // The number of the group's entry that it led to.
  };
  std::vector<const Entry*> entries;
  std::vector<Led> thoughts;
  std::size_t piece = 0;
  bool is_pinned = false;
  std::optional<Why> dropped;
};

// One entry of the state in prompt order, and why it is out, if it is.
struct Line {
  const Entry* entry = nullptr;
  std::size_t group = kNone;
  std::optional<Why> out;
};

bool is_shown(const Entry& entry, const CompileOptions& options) {
  if (entry.priority != Priority::skip) return true;
  return options.include_reasoning && entry.type == Type::reasoning && !entry.is_explicit;
}

void put_back(const Scrubber& originals, Part& part) {
  if (auto text = originals.original_of(*part.text)) part.text = std::move(text);
  if (part.calls() == nullptr) return;
  auto fields = std::make_shared<Fields>(*part.fields);
  bool is_other = false;
  for (ToolCall& call : *fields->tool_calls) {
    const auto arguments = originals.original_of(call.arguments);
    if (arguments == nullptr) continue;
    call.arguments = *arguments;
    is_other = true;
  }
  if (is_other) part.fields = std::move(fields);
}

Part make_part(const Entry& entry, std::shared_ptr<const std::string> text,
               const TokenCounter& counter, const Scrubber* originals) {
  Part part = part_of(entry, std::move(text));
  if (originals != nullptr) put_back(*originals, part);
  part.tokens = counter.count(*part.text, part.calls());
  return part;
}

// The messages of groups, made when they are first needed: each text is read once.
class Messages {
 public:
  Messages(const store::Reader& reader, const TokenCounter& counter, const Scrubber* originals,
           std::size_t groups)
      : reader_(reader), counter_(counter), originals_(originals), all_(groups) {}

  // The tokens of some groups, by their numbers. What is missing is read with one
  // call to the store.
  Result<std::uint64_t> weigh(const std::vector<Group>& groups,
                              const std::vector<std::size_t>& numbers) {
    std::vector<std::size_t> missing;
    std::vector<Oid> wanted;
    for (const std::size_t i : numbers) {
      if (!all_[i].parts.empty()) continue;
      missing.push_back(i);
      for (const Entry* entry : groups[i].entries) wanted.push_back(entry->content);
      for (const auto& thought : groups[i].thoughts) wanted.push_back(thought.entry->content);
    }
    auto texts = TRY(reader_.contents(wanted));
    std::size_t next_text = 0;
    for (const std::size_t i : missing) {
      const auto& entries = groups[i].entries;
      all_[i].role = role_of(*entries.front());
      all_[i].parts.reserve(entries.size());
      for (const Entry* entry : entries) {
        all_[i].parts.push_back(
            make_part(*entry, std::move(texts[next_text++]), counter_, originals_));
      }
      for (const auto& [entry, before] : groups[i].thoughts) {
        all_[i].thoughts.push_back(
            {make_part(*entry, std::move(texts[next_text++]), counter_, originals_), before});
      }
    }
    std::uint64_t sum = 0;
    for (const std::size_t i : numbers) sum += all_[i].tokens();
    return sum;
  }

  Message take(std::size_t number) { return std::move(all_[number]); }

 private:
  const store::Reader& reader_;
  const TokenCounter& counter_;
  const Scrubber* originals_;  // May be null.
  std::vector<Message> all_;   // Without parts until read.
};

class Selection {
 public:
  Selection(const State& state, const CompileOptions& options) : options_(options) {
    lines_.reserve(state.entries().size());
    state.each([&](const Entry& entry) { lines_.push_back({&entry, kNone, std::nullopt}); });
    hide();
    group();
  }

  void join_pieces() {
    CallPairs pairs;
    for (Group& group : groups_) {
      group.piece = pairs.add(group.entries);
      for (const Entry* entry : group.entries) {
        if (entry->priority == Priority::pinned) group.is_pinned = true;
      }
    }
  }

  void apply_window(std::int64_t turns) {
    std::size_t start = groups_.size();
    while (start > 0 && turns > 0) {
      --start;
      if (groups_[start].entries.front()->type == Type::user) --turns;
    }
    if (turns > 0) return;  // Fewer turns than asked for: everything.

    std::vector<bool> keeps(groups_.size(), false);  // By piece.
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      if (i >= start || groups_[i].is_pinned) keeps[groups_[i].piece] = true;
    }
    for (Group& group : groups_) {
      if (!keeps[group.piece]) group.dropped = Why::window;
    }
  }

  // Keeps what is pinned, then the newest pieces until one does not fit: which is
  // what dropping the oldest ones until the rest fits comes to, but it reads no
  // more of a history than about twice what stays.
  Result<void> apply_budget(std::uint64_t budget, Messages& messages) {
    struct Piece {
      std::vector<std::size_t> members;
      bool is_pinned = false;
    };
    std::vector<Piece> pieces(groups_.size());  // By the number of the first member.
    std::vector<std::size_t> pinned;
    std::vector<std::size_t> loose;  // Numbers of the pieces that may go, oldest first.
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      if (groups_[i].dropped) continue;
      Piece& piece = pieces[groups_[i].piece];
      piece.members.push_back(i);
      if (groups_[i].is_pinned) piece.is_pinned = true;
    }
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const auto& members = pieces[i].members;
      if (pieces[i].is_pinned) pinned.insert(pinned.end(), members.begin(), members.end());
      if (!pieces[i].is_pinned && !members.empty()) loose.push_back(i);
    }

    std::uint64_t total = TRY(messages.weigh(groups_, pinned));
    std::size_t kept = loose.size();  // The pieces from this one on stay.
    for (std::size_t batch = 16; kept > 0 && total <= budget; batch *= 2) {
      const std::size_t from = kept - std::min(batch, kept);
      std::vector<std::size_t> wanted;
      for (std::size_t i = from; i < kept; ++i) {
        const auto& members = pieces[loose[i]].members;
        wanted.insert(wanted.end(), members.begin(), members.end());
      }
      TRY(messages.weigh(groups_, wanted));
      while (kept > from) {
        const std::uint64_t weight = TRY(messages.weigh(groups_, pieces[loose[kept - 1]].members));
        if (total + weight > budget) break;
        total += weight;
        --kept;
      }
      if (kept > from) break;
    }
    for (std::size_t i = 0; i < kept; ++i) {
      for (const std::size_t member : pieces[loose[i]].members) {
        groups_[member].dropped = Why::budget;
      }
    }
    return {};
  }

  const std::vector<Group>& groups() const { return groups_; }

  std::vector<LeftOut> left_out() const {
    std::vector<LeftOut> all;
    for (const Line& line : lines_) {
      const auto why = line.out ? line.out : groups_[line.group].dropped;
      if (why) all.push_back({line.entry->commit, *why});
    }
    return all;
  }

 private:
  // Of system prompts with one name only the last that is not skipped is shown.
  void hide() {
    std::unordered_map<std::string_view, const Entry*> last;
    const auto directive_of = [](const Entry& entry) -> std::string_view {
      return entry.type == Type::system && entry.fields ? entry.fields->name : std::string_view();
    };
    for (Line& line : lines_) {
      if (!is_shown(*line.entry, options_)) {
        line.out = Why::skip;
      } else if (const auto name = directive_of(*line.entry); !name.empty()) {
        last.insert_or_assign(name, line.entry);
      }
    }
    for (Line& line : lines_) {
      if (line.out) continue;
      const auto name = directive_of(*line.entry);
      if (!name.empty() && last.at(name) != line.entry) line.out = Why::directive;
    }
  }

  // The records of one provider message are one message, at the first one's place.
  void group() {
    std::unordered_map<std::string_view, std::size_t> by_message;
    std::vector<const Entry*> thoughts;  // Since the last turn that was none.
    for (Line& line : lines_) {
      const Entry& entry = *line.entry;
      if (options_.with_thoughts && entry.type == Type::reasoning) {
        if (line.out == Why::skip && !entry.is_explicit) thoughts.push_back(&entry);
      }
      if (line.out) {
        if (entry.type != Type::reasoning) thoughts.clear();
        continue;
      }
      const bool joins = !entry.message_id.empty() && role_of(entry.type) == "assistant";
      if (joins) {
        const auto [place, is_new] = by_message.try_emplace(entry.message_id, groups_.size());
        if (!is_new) {
          line.group = place->second;
          give(thoughts, entry, groups_[line.group]);
          groups_[line.group].entries.push_back(&entry);
          continue;
        }
      }
      line.group = groups_.size();
      groups_.push_back({{}, {}, 0, false, std::nullopt});
      give(thoughts, entry, groups_.back());
      groups_.back().entries.push_back(&entry);
    }
  }

  // The thoughts before `entry` belong to it when it is an answer, and to nothing when it is
  // another turn. A lifted or pinned reasoning between them is no turn of its own here.
  static void give(std::vector<const Entry*>& thoughts, const Entry& entry, Group& group) {
    if (entry.type == Type::reasoning) return;
    if (entry.type == Type::assistant) {
      for (const Entry* thought : thoughts) {
        group.thoughts.push_back({thought, group.entries.size()});
      }
    }
    thoughts.clear();
  }

  const CompileOptions& options_;
  std::vector<Line> lines_;
  std::vector<Group> groups_;
};

Oid hash_of_shown(const std::vector<Group>& groups) {
  std::string seen = "spoor prompt 1";
  for (const Group& group : groups) {
    if (group.dropped) continue;
    seen += '\n';
    seen += role_of(*group.entries.front());
    for (const Entry* entry : group.entries) seen += entry->digest.view();
  }
  return store::sha256(seen);
}

}  // namespace

std::string Message::text() const {
  std::string joined;
  for (const Part& part : parts) joined += *part.text;
  return joined;
}

std::vector<ToolCall> Message::tool_calls() const {
  std::vector<ToolCall> all;
  for (const Part& part : parts) {
    if (const auto* calls = part.calls()) all.insert(all.end(), calls->begin(), calls->end());
  }
  return all;
}

std::uint64_t Message::tokens() const {
  std::uint64_t sum = 0;
  for (const Part& part : parts) sum += part.tokens;
  return sum;
}

std::string_view name_of(Why why) {
  switch (why) {
    case Why::skip:
      return "skip";
    case Why::directive:
      return "directive";
    case Why::window:
      return "window";
    case Why::budget:
      return "budget";
  }
  return {};
}

Result<Prompt> select(const store::Reader& reader, const State& state,
                      const CompileOptions& options, const TokenCounter& counter,
                      const Scrubber* originals) {
  if (options.window && *options.window < 1) {
    return store::invalid("a window holds at least one turn", "give --window 1 or more");
  }
  if (options.budget && *options.budget < 0) {
    return store::invalid("a budget is not negative", "give --budget 0 or more");
  }
  Prompt prompt;
  prompt.conflicts = state.conflicts();
  if (options.strict && !prompt.conflicts.empty()) {
    const std::size_t count = prompt.conflicts.size();
    return store::conflict(count == 1 ? "1 conflict is not settled"
                                      : fmt::format("{} conflicts are not settled", count),
                           "settle each with 'spoor edit' or 'spoor annotate'");
  }

  Selection selection(state, options);
  if (options.window || options.budget) selection.join_pieces();
  if (options.window) selection.apply_window(*options.window);

  const std::vector<Group>& groups = selection.groups();
  Messages messages(reader, counter, originals, groups.size());
  if (options.budget) {
    TRY(selection.apply_budget(static_cast<std::uint64_t>(*options.budget), messages));
  }
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!groups[i].dropped) shown.push_back(i);
  }
  prompt.tokens = TRY(messages.weigh(groups, shown));

  prompt.messages.reserve(shown.size());
  for (const std::size_t i : shown) prompt.messages.push_back(messages.take(i));
  prompt.hash = hash_of_shown(groups);
  prompt.tokens_estimated = counter.is_estimate();
  prompt.config = state.config();
  prompt.left_out = selection.left_out();
  return prompt;
}

Oid prompt_key(const State& state) {
  const CompileOptions usual;
  return hash_of_shown(Selection(state, usual).groups());
}

}  // namespace spoor::compile
