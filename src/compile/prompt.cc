#include "compile/prompt.h"

#include <deque>
#include <span>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/json/reader.h"
#include "compile/commitment.h"
#include "compile/entry_part.h"
#include "compile/pictures.h"
#include "compile/scrubber.h"
#include "compile/selection.h"
#include "store/sha256.h"

namespace spoor::compile {
namespace {

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

// Replaces the content of a result by its size, if that is shorter. A text of which only a hash was
// kept stays: its size is not known.
void clear(Part& part) {
  const std::size_t attached = part.attach ? part.attach->size() : 0;
  std::string words = fmt::format("[result left out: {} bytes", part.text->size());
  if (attached > 0) words += fmt::format(", {} attached", attached);
  words += ']';
  if (words.size() >= part.text->size() && attached == 0) return;
  if (is_commitment(*part.text)) return;
  part.text = std::make_shared<const std::string>(std::move(words));
  part.raw = nullptr;
  part.attach = nullptr;
  part.is_cleared = true;
}

Part make_part(const Entry& entry, std::shared_ptr<const std::string> text,
               const TokenCounter& counter, const Scrubber* originals, bool clears) {
  Part part = part_of(entry, std::move(text));
  if (originals != nullptr) put_back(*originals, part);
  if (clears) clear(part);
  part.tokens = counter.count(*part.text, part.calls());
  return part;
}

// The messages of a selection, made when first needed: each text is read once.
class Messages {
 public:
  Messages(const store::Reader& reader, const TokenCounter& counter, const Scrubber* originals,
           const Selection& selection)
      : reader_(reader),
        counter_(counter),
        originals_(originals),
        selection_(selection),
        places_(selection.size(), kNone) {}

  // Returns the tokens of some messages. Reads missing texts with one call to the store.
  Result<std::uint64_t> weigh(std::span<const std::uint32_t> messages) {
    std::vector<std::uint32_t> missing;
    std::vector<Oid> wanted;
    for (const std::uint32_t i : messages) {
      if (places_[i] != kNone) continue;
      missing.push_back(i);
      for (const Entry* entry : selection_.entries(i)) wanted.push_back(entry->content);
      for (const auto& thought : selection_.thoughts(i)) wanted.push_back(thought.entry->content);
    }
    auto texts = TRY(reader_.contents(wanted, store::Reader::keep_for(wanted.size())));
    auto text = texts.begin();
    for (const std::uint32_t i : missing) {
      const auto entries = selection_.entries(i);
      Message made;
      made.role = role_of(*entries.front());
      made.parts.reserve(entries.size());
      for (const Entry* entry : entries) {
        TRY(count(**text));
        made.parts.push_back(part(*entry, std::move(*text++), selection_.clears(i, *entry)));
        if (made.parts.back().is_cleared) cleared_.insert(entry);
      }
      for (const auto& [entry, before] : selection_.thoughts(i)) {
        TRY(count(**text));
        made.thoughts.push_back({part(*entry, std::move(*text++), false), before});
      }
      places_[i] = static_cast<std::uint32_t>(made_.size());
      made_.push_back(std::move(made));
    }
    std::uint64_t sum = 0;
    for (const std::uint32_t i : messages) sum += made_[places_[i]].tokens();
    return sum;
  }

  Message take(std::uint32_t message) { return std::move(made_[places_[message]]); }

  const Selection::Cleared& cleared() const { return cleared_; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  // Equal texts share memory here, but not in a rendered request, so each one counts.
  Result<void> count(const std::string& text) {
    bytes_ += text.size();
    if (bytes_ <= reader_.limits().text) return {};
    return over_limit("the prompt", bytes_, reader_.limits());
  }

  Part part(const Entry& entry, std::shared_ptr<const std::string> text, bool clears) const {
    return make_part(entry, std::move(text), counter_, originals_, clears);
  }

  const store::Reader& reader_;
  const TokenCounter& counter_;
  const Scrubber* originals_;  // May be null.
  const Selection& selection_;
  std::vector<std::uint32_t> places_;  // The index in made_, by message number.
  std::deque<Message> made_;
  Selection::Cleared cleared_;
  std::uint64_t bytes_ = 0;  // The size of the texts in made_.
};

Result<void> check_version(std::int64_t version) {
  if (version >= 1 && version <= kNewestVersion) return {};
  return unavailable(
      fmt::format("unknown fold version {}", version),
      fmt::format("this spoor supports versions 1 to {}; install a newer one", kNewestVersion));
}

Oid hash_of_shown(const Selection& selection, const Selection::Cleared& cleared) {
  std::string seen = "spoor prompt 1";
  for (std::size_t i = 0; i < selection.size(); ++i) {
    if (!selection.is_shown(i)) continue;
    const auto entries = selection.entries(i);
    seen += '\n';
    seen += role_of(*entries.front());
    for (const Entry* entry : entries) {
      seen += entry->digest.view();
      if (cleared.contains(entry)) seen += "cleared";
    }
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

std::vector<store::Content> Message::pictures() const {
  std::vector<store::Content> all;
  for (const Part& part : parts) {
    for (auto& each : pictures_in(part.attach.get())) all.push_back(std::move(each));
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
    case Why::clearing:
      return "clearing";
  }
  return {};
}

Result<Prompt> select(const store::Reader& reader, const State& state,
                      const CompileOptions& options, const TokenCounter& counter,
                      const Scrubber* originals) {
  auto prompt = TRY(select_part(reader, state, options, counter, originals));
  if (!prompt) throw std::logic_error("the prompt of a partial state is not known");
  return std::move(*prompt);
}

// Version 1 joins messages over any distance; thoughts may be left of where a part begins.
bool may_be_of_part(const CompileOptions& options) {
  const bool is_cut = options.window || options.budget;
  return is_cut && options.version == 2 && !options.with_thoughts && !options.lists_left_out;
}

Result<std::optional<Prompt>> select_part(const store::Reader& reader, const State& state,
                                          const CompileOptions& options,
                                          const TokenCounter& counter, const Scrubber* originals) {
  if (options.window && *options.window < 1) {
    return invalid("a window must have at least one turn", "give --window 1 or more");
  }
  if (options.budget && *options.budget < 0) {
    return invalid("a budget cannot be negative", "give --budget 0 or more");
  }
  if (options.clear_results_after && *options.clear_results_after < 0) {
    return invalid("results cannot be cleared after a negative number of messages",
                   "give --clear-results-after 0 or more");
  }
  TRY(check_version(options.version));
  Prompt prompt;
  prompt.conflicts = state.conflicts(options.version);
  if (options.strict && !prompt.conflicts.empty()) {
    const std::size_t count = prompt.conflicts.size();
    return conflict(count == 1 ? "1 conflict is not resolved"
                               : fmt::format("{} conflicts are not resolved", count),
                    "resolve each with 'spoor edit' or 'spoor annotate'");
  }

  Selection selection(state, options);
  if (options.window) selection.apply_window(*options.window);
  Messages messages(reader, counter, originals, selection);
  if (options.budget) {
    TRY(selection.apply_budget(
        static_cast<std::uint64_t>(*options.budget),
        [&](std::span<const std::uint32_t> some) { return messages.weigh(some); }));
  }
  if (!selection.is_exact()) return std::optional<Prompt>();
  std::vector<std::uint32_t> shown;
  for (std::uint32_t i = 0; i < selection.size(); ++i) {
    if (selection.is_shown(i)) shown.push_back(i);
  }
  prompt.tokens = TRY(messages.weigh(shown));

  prompt.messages.reserve(shown.size());
  for (const std::uint32_t i : shown) prompt.messages.push_back(messages.take(i));
  prompt.hash = hash_of_shown(selection, messages.cleared());
  prompt.tokens_estimated = counter.is_estimate();
  prompt.config = state.config();
  if (options.lists_left_out) prompt.left_out = selection.left_out(messages.cleared());
  return std::optional(std::move(prompt));
}

Oid prompt_key(const State& state, std::uint32_t version) {
  const CompileOptions usual{.version = version};
  return hash_of_shown(Selection(state, usual), {});
}

Result<std::uint32_t> read_version(std::string_view options) {
  if (options.empty()) return 1;
  const auto malformed = [] {
    return corrupt("the options of a bundle name no version of the fold");
  };
  const auto document = json::parse(options);
  if (!document || !document->root().is_object()) return malformed();
  const json::Value value = document->root().find("version");
  if (!value) return 1;
  const auto version = value.integer();
  if (!version) return malformed();
  TRY(check_version(*version));
  return static_cast<std::uint32_t>(*version);
}

}  // namespace spoor::compile
