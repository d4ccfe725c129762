#include "compile/prompt.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "store/sha256.h"

namespace spoor::compile {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// A message while it is chosen: the entries it is made of, and its piece: what
// stays or goes together with it (a call and its results).
struct Group {
  std::vector<const Entry*> entries;
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

class Selection {
 public:
  Selection(const State& state, const CompileOptions& options) : options_(options) {
    lines_.reserve(state.entries().size());
    state.each([&](const Entry& entry) { lines_.push_back({&entry, kNone, std::nullopt}); });
    hide();
    group();
  }

  // Calls and their results become one piece; each other message is its own.
  void join_pieces() {
    std::unordered_map<std::string_view, std::size_t> callers;  // Call id to the latest group.
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      Group& group = groups_[i];
      group.piece = i;
      for (const Entry* entry : group.entries) {
        if (entry->priority == Priority::pinned) group.is_pinned = true;
        if (const auto* calls = entry->calls()) {
          for (const ToolCall& call : *calls) callers.insert_or_assign(call.id, i);
        }
        if (entry->type != Type::tool || !entry->fields) continue;
        const auto caller = callers.find(entry->fields->call_id);
        if (caller != callers.end()) group.piece = groups_[caller->second].piece;
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

  void apply_budget(std::uint64_t budget, const std::vector<std::uint64_t>& tokens) {
    std::uint64_t total = 0;
    std::vector<std::uint64_t> weights(groups_.size(), 0);  // By piece.
    std::vector<bool> pinned(groups_.size(), false);
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      if (groups_[i].dropped) continue;
      total += tokens[i];
      weights[groups_[i].piece] += tokens[i];
      if (groups_[i].is_pinned) pinned[groups_[i].piece] = true;
    }
    std::vector<bool> drops(groups_.size(), false);
    for (std::size_t i = 0; i < groups_.size() && total > budget; ++i) {
      const std::size_t piece = groups_[i].piece;
      if (groups_[i].dropped || piece != i || pinned[piece]) continue;
      drops[piece] = true;
      total -= weights[piece];
    }
    for (Group& group : groups_) {
      if (!group.dropped && drops[group.piece]) group.dropped = Why::budget;
    }
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
    for (Line& line : lines_) {
      if (line.out) continue;
      const Entry& entry = *line.entry;
      const bool joins = !entry.message_id.empty() && role_of(entry.type) == "assistant";
      if (joins) {
        const auto [place, is_new] = by_message.try_emplace(entry.message_id, groups_.size());
        if (!is_new) {
          line.group = place->second;
          groups_[line.group].entries.push_back(&entry);
          continue;
        }
      }
      line.group = groups_.size();
      groups_.push_back({{&entry}, 0, false, std::nullopt});
    }
  }

  const CompileOptions& options_;
  std::vector<Line> lines_;
  std::vector<Group> groups_;
};

std::string_view role_of_entry(const Entry& entry) {
  if (entry.type == Type::system && entry.fields && entry.fields->role == "developer") {
    return "developer";
  }
  return role_of(entry.type);
}

Part make_part(const Entry& entry, std::shared_ptr<const std::string> text,
               const TokenCounter& counter) {
  Part part{.commit = entry.commit,
            .type = entry.type,
            .priority = entry.priority,
            .is_explicit = entry.is_explicit,
            .is_edited = entry.is_edited,
            .content = entry.content,
            .text = std::move(text),
            .fields = entry.fields,
            .raw = entry.is_edited ? nullptr : entry.raw,
            .attach = entry.attach,
            .tokens = 0};
  part.tokens = counter.count(*part.text, part.calls());
  return part;
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
                      const CompileOptions& options, const TokenCounter& counter) {
  if (options.window && *options.window < 1) {
    return store::invalid("a window holds at least one turn", "give --window 1 or more");
  }
  if (options.budget && *options.budget < 0) {
    return store::invalid("a budget is not negative", "give --budget 0 or more");
  }
  Prompt prompt;
  prompt.conflicts = state.conflicts();
  if (options.strict && !prompt.conflicts.empty()) {
    return store::conflict(fmt::format("{} conflicts are not settled", prompt.conflicts.size()),
                           "settle each with 'spoor edit' or 'spoor annotate'");
  }

  Selection selection(state, options);
  if (options.window || options.budget) selection.join_pieces();
  if (options.window) selection.apply_window(*options.window);

  std::vector<Oid> wanted;
  for (const Group& group : selection.groups()) {
    if (group.dropped) continue;
    for (const Entry* entry : group.entries) wanted.push_back(entry->content);
  }
  auto texts = TRY(reader.contents(wanted));
  std::size_t next_text = 0;

  std::vector<Message> messages(selection.groups().size());
  std::vector<std::uint64_t> tokens(messages.size(), 0);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Group& group = selection.groups()[i];
    if (group.dropped) continue;
    messages[i].role = role_of_entry(*group.entries.front());
    messages[i].parts.reserve(group.entries.size());
    for (const Entry* entry : group.entries) {
      messages[i].parts.push_back(make_part(*entry, std::move(texts[next_text++]), counter));
    }
    tokens[i] = messages[i].tokens();
  }
  if (options.budget) selection.apply_budget(static_cast<std::uint64_t>(*options.budget), tokens);

  std::string seen = "spoor prompt 1";
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Group& group = selection.groups()[i];
    if (group.dropped) continue;
    seen += '\n';
    seen += messages[i].role;
    for (const Entry* entry : group.entries) seen += entry->digest.view();
    prompt.tokens += tokens[i];
    prompt.messages.push_back(std::move(messages[i]));
  }
  prompt.hash = store::sha256(seen);
  prompt.tokens_estimated = counter.is_estimate();
  prompt.config = state.config();
  prompt.left_out = selection.left_out();
  return prompt;
}

}  // namespace spoor::compile
