#include "agent/reading/rationale_blocks.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "agent/reading/block_tags.h"
#include "base/json/finder.h"
#include "base/json/reader.h"
#include "base/text.h"

namespace spoor::agent::reading {
namespace {

using json::Document;
using json::Finder;
using json::Value;

constexpr std::string_view kTag = "rationale";

// Returns the inside of a code fence that spans all of `body`; else `body`.
std::string_view without_fence(std::string_view body) {
  constexpr std::string_view kFence = "```";
  if (body.size() < 2 * kFence.size() || !body.starts_with(kFence) || !body.ends_with(kFence)) {
    return body;
  }
  const std::string_view inside = body.substr(kFence.size(), body.size() - 2 * kFence.size());
  const std::size_t line_end = inside.find('\n');
  return line_end == std::string_view::npos ? inside : inside.substr(line_end + 1);
}

// Parses a decimal number of 1 or more. Eighteen digits fit with room to spare.
std::optional<std::int64_t> call_number(std::string_view text) {
  constexpr std::size_t kMaxDigits = 18;
  if (text.empty() || text.size() > kMaxDigits) return std::nullopt;
  std::int64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number > 0 ? std::optional(number) : std::nullopt;
}

// A block as found in the text.
struct Found {
  std::optional<std::string> call;  // As written.
  std::string tool;
  CleanRationale body;
  std::string plain;  // The body, if it is a plain text.
};

// Removes the blocks from a text.
class Scanner {
 public:
  Scanner(std::string_view text, InObjects in_objects)
      : text_(text), in_objects_(in_objects), finder_(text) {}

  void scan() {
    std::size_t at = 0;
    while (const auto tag = next_tag(at)) {
      has_tags_ = true;
      left_ += text_.substr(at, tag->begin - at);
      at = tag->end;
      if (tag->is_closing) continue;
      if (tag->is_cut) break;
      said_.reset();
      if (tag->attributes.ends_with('/')) {  // A self-closing tag.
        blocks_.push_back(found(*tag, {}));
        continue;
      }
      const auto closing = find_closing(at);
      if (!closing) {
        at = text_.size();
        break;
      }
      blocks_.push_back(found(*tag, text_.substr(at, closing->begin - at)));
      at = closing->end;
    }
    left_ += text_.substr(at);
  }

  std::vector<Found>& blocks() { return blocks_; }

  // The text without blocks, otherwise unchanged.
  std::string& left() { return left_; }

  // That text, tidied.
  std::string stripped() const {
    std::string out;
    std::string_view text = trimmed(left_);
    std::string split;
    if (has_tags_ && in_objects_ == InObjects::read) {
      split = split_tags(text);
      text = split;
    }
    std::size_t line_ends = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool is_crlf = text[i] == '\r' && text.substr(i + 1).starts_with('\n');
      const std::size_t size = is_crlf ? 2 : 1;
      const bool is_line_end = is_crlf || text[i] == '\n';
      line_ends = is_line_end ? line_ends + 1 : 0;
      if (line_ends <= 2) out += text.substr(i, size);
      i += size - 1;
    }
    return out;
  }

 private:
  std::optional<Tag> next_tag(std::size_t at) {
    if (in_objects_ == InObjects::read) return find_tag(text_, kTag, at);
    while ((at = text_.find_first_of("{<", at)) != std::string_view::npos) {
      if (text_[at] == '<') {
        if (const auto tag = tag_at(at)) return tag;
        ++at;
      } else {
        const Value object = finder_.value_at(at);
        at = object ? finder_.end_of(object) : at + 1;
      }
    }
    return std::nullopt;
  }

  // Finds the closing tag of the block whose body begins at `at`. Reads the objects on the way and
  // keeps the first with a `why`.
  std::optional<Tag> find_closing(std::size_t at) {
    while ((at = text_.find_first_of("{<", at)) != std::string_view::npos) {
      if (text_[at] == '<') {
        const auto tag = tag_at(at);
        if (tag && tag->is_closing) return tag;
        ++at;
        continue;
      }
      const Value object = finder_.value_at(at);
      if (object && !said_ && object.find("why").is_string()) said_ = clean_rationale(object);
      at = object ? finder_.end_of(object) : at + 1;
    }
    return std::nullopt;
  }

  std::optional<Tag> tag_at(std::size_t at) const {
    // A `<` ends text that is not a tag, and must not turn it into a cut tag.
    const std::size_t next = text_.find('<', at + 1);
    return find_tag(text_.substr(0, next == std::string_view::npos ? next : next + 1), kTag, at);
  }

  Found found(const Tag& tag, std::string_view body) {
    Found found;
    found.call = attribute(tag, "call");
    auto tool = attribute(tag, "tool");
    if (!tool) tool = attribute(tag, "name");
    found.tool = std::move(tool).value_or("");
    found.body = rationale_of(body);
    if (!found.body.rationale) found.plain = plain_text_of(body);
    return found;
  }

  // Returns the body if it is neither JSON nor begins as such.
  static std::string plain_text_of(std::string_view body) {
    const std::string_view text = trimmed(body);
    Document document;
    const bool is_json =
        text.empty() || text.find_first_of("{[`\"") == 0 || json::parse_one(text, document);
    return is_json ? std::string() : std::string(text);
  }

  CleanRationale rationale_of(std::string_view body) {
    Document document;
    const std::string_view whole = without_fence(trimmed(body));
    const json::Reading reading = json::parse_one(whole, document);
    if (reading && trimmed(whole.substr(reading.end)).empty()) {
      return clean_rationale(document.root());
    }
    if (said_) return std::move(*said_);
    CleanRationale nothing;
    nothing.dropped.emplace_back("no JSON object with a text 'why'");
    return nothing;
  }

  // Splits tags that only the removal of blocks has formed.
  static std::string split_tags(std::string_view text) {
    std::string out;
    std::size_t at = 0;
    while (const auto tag = find_tag(text, kTag, at)) {
      out.append(text.substr(at, tag->begin + 1 - at)).push_back(' ');
      at = tag->begin + 1;
    }
    return out.append(text.substr(at));
  }

  std::string_view text_;
  InObjects in_objects_;
  Finder finder_;
  std::string left_;
  std::vector<Found> blocks_;
  std::optional<CleanRationale> said_;
  bool has_tags_ = false;
};

// The numbers taken so far.
class Numbers {
 public:
  // Takes the first free number from `number` on.
  std::int64_t take_from(std::int64_t number) {
    std::int64_t free = number;
    for (auto next = next_.find(free); next != next_.end(); next = next_.find(free)) {
      free = next->second;
    }
    next_[free] = free + 1;
    while (number != free) number = std::exchange(next_[number], free + 1);  // Shortens the path.
    return free;
  }

  bool is_taken(std::int64_t number) const { return next_.contains(number); }

 private:
  std::unordered_map<std::int64_t, std::int64_t> next_;  // Taken number to next candidate.
};

void assign_numbers(std::vector<Found>& found, RationaleBlocks& result) {
  Numbers numbers;
  const auto put = [&](Found& block, std::int64_t number, Numbering numbering) {
    RationaleBlock& entry = result.blocks[number];
    entry.rationale = std::move(*block.body.rationale);
    entry.tool = std::move(block.tool);
    entry.numbering = numbering;
    entry.dropped = std::move(block.body.dropped);
    block.body.rationale.reset();
  };

  for (std::size_t i = 0; i < found.size(); ++i) {
    Found& block = found[i];
    if (!block.body.rationale) {
      if (block.plain.empty()) {
        result.unread.push_back(
            fmt::format("block {}: {}", i + 1, fmt::join(block.body.dropped, "; ")));
      } else {
        const auto position = static_cast<std::int64_t>(i + 1);
        const auto number = block.call ? call_number(*block.call).value_or(0) : position;
        result.plain.push_back({number, std::move(block.tool), std::move(block.plain)});
      }
      continue;
    }
    if (!block.call) continue;
    const auto number = call_number(*block.call);
    if (!number) {
      result.unmatched.push_back(*block.call);
      block.body.rationale.reset();
    } else if (numbers.is_taken(*number)) {
      result.repeated.push_back(*number);
    } else {
      put(block, numbers.take_from(*number), Numbering::claimed);
    }
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    Found& block = found[i];
    if (!block.body.rationale) continue;
    const auto wanted =
        block.call ? call_number(*block.call).value_or(0) : static_cast<std::int64_t>(i + 1);
    const std::int64_t number = numbers.take_from(wanted);
    put(block, number, number == wanted ? Numbering::position : Numbering::moved);
  }
  std::ranges::sort(result.repeated);
  const auto again = std::unique(result.repeated.begin(), result.repeated.end());
  result.repeated.erase(again, result.repeated.end());
}

RationaleBlocks read_one(std::string_view text, InObjects in_objects) {
  Scanner scanner(text, in_objects);
  scanner.scan();
  RationaleBlocks result;
  result.stripped = scanner.stripped();
  result.rest = std::move(scanner.left());
  assign_numbers(scanner.blocks(), result);
  return result;
}

}  // namespace

RationaleBlocks read_rationale_blocks(std::string_view text, std::string_view thinking,
                                      InObjects in_objects) {
  RationaleBlocks result = read_one(text, in_objects);
  if (thinking.empty()) return result;
  RationaleBlocks drafts = read_one(thinking, in_objects);
  for (auto& [number, block] : drafts.blocks) {
    block.is_from_thinking = true;
    result.blocks.try_emplace(number, std::move(block));
  }
  return result;
}

const RationaleBlock* block_for(const RationaleBlocks& blocks, std::int64_t number,
                                std::string_view tool) {
  const auto found = blocks.blocks.find(number);
  if (found == blocks.blocks.end()) return nullptr;
  const RationaleBlock& block = found->second;
  if (block.numbering == Numbering::moved) return nullptr;
  return block.tool.empty() || block.tool == tool ? &block : nullptr;
}

}  // namespace spoor::agent::reading
