#include "store/commit.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/utf8.h"
#include "store/lines.h"
#include "store/value_reader.h"

namespace spoor::store {
namespace {

constexpr std::array<std::string_view, 5> kOps = {"append", "edit", "annotate", "compress",
                                                  "merge"};
constexpr std::array<std::string_view, 10> kTypes = {"system",    "user",     "assistant", "tool",
                                                     "reasoning", "artifact", "summary",   "config",
                                                     "decision",  "note"};
constexpr std::array<std::string_view, 4> kModes = {"append", "digest", "pick", "ours"};
constexpr std::array<std::string_view, 3> kPriorities = {"skip", "normal", "pinned"};

template <class Enum, std::size_t n>
std::optional<Enum> find_word(const std::array<std::string_view, n>& words, std::string_view word) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) return std::nullopt;
  return static_cast<Enum>(found - words.begin());
}

bool is_change(std::string_view text) {
  return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Checks meta as far as this layer requires: one line, the outer braces of an object, no control
// characters. A higher layer ensures that it is canonical JSON.
bool is_meta(std::string_view text) {
  return text.size() > 2 && text.size() <= kMaxMeta && text.front() == '{' && text.back() == '}' &&
         std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20; }) &&
         is_utf8(text);
}

// Returns the rule that the commit breaks, or an empty text. Each line is one rule of
// docs/format.md.
std::string broken_rule(const Commit& c) {
  const bool is_append = c.op == Op::append;
  const bool is_merge = c.op == Op::merge;
  const bool is_digest = is_merge && c.mode == Mode::digest;
  const bool speaks = is_append || c.op == Op::compress || is_digest;  // Has a text of its own.
  const bool speaks_of = c.type == Type::note || c.type == Type::decision;
  const std::size_t target_count = c.target.size();

  if (c.type.has_value() != is_append) {
    return "'type' is required in an append and not allowed elsewhere";
  }
  if (c.mode.has_value() != is_merge) {
    return "'mode' is required in a merge and not allowed elsewhere";
  }
  if (is_merge ? c.parents.size() != 2 : c.parents.size() > 1) return "wrong number of parents";
  if (is_merge && c.parents[0] == c.parents[1]) return "a merge has two different parents";
  if (c.parents.empty() && !is_append) return "a root is an append";
  if (c.depth > kMaxInteger || c.gen > kMaxInteger || c.gen < c.depth) {
    return "'depth' or 'gen' out of range";
  }
  if (c.parents.empty() != (c.depth == 0)) return "a root has depth 0, and no other commit has";
  if (c.parents.empty() && c.gen != 0) return "a root has gen 0";
  if (c.skip.has_value() != (c.depth >= 2)) {
    return "'skip' is required from depth 2 on and not allowed before";
  }

  if (speaks && !c.content) return "'content' is missing";
  if (is_merge && !is_digest && c.content) return "'content' belongs to a digest merge only";
  if (c.op == Op::edit && !c.content && !c.fields) return "an edit changes 'content' or 'fields'";
  if (c.fields && !speaks && c.op != Op::edit) return "'fields' is out of place";
  if (!c.raw.empty() && !speaks) return "'raw' is out of place";
  if (c.prompt && !speaks) return "'prompt' is out of place";

  if (c.targets && target_count > 0) return "'target' and 'targets' exclude each other";
  if (target_count > kMaxTargetLines) return "more than 256 targets belong in 'targets'";
  const bool names_some = target_count > 0 || c.targets;
  const bool wants_some = c.op == Op::edit || c.op == Op::annotate || c.op == Op::compress ||
                          (is_merge && c.mode == Mode::pick);
  if (names_some != wants_some) return "'target' is missing or out of place";
  if (c.op == Op::edit && target_count != 1) return "an edit has one target";
  if (!c.about.empty() && !speaks_of) return "'about' belongs to a note or a decision";
  if (c.priority.has_value() != (c.op == Op::annotate)) {
    return "'priority' is required in an annotate and not allowed elsewhere";
  }

  const auto typed = [](const Content& content) { return is_media_type(content.media_type); };
  const bool media_types = (!c.content || typed(*c.content)) &&
                           std::all_of(c.raw.begin(), c.raw.end(), typed) &&
                           std::all_of(c.attach.begin(), c.attach.end(), typed);
  if (!media_types) return "a media type is malformed";
  if (!c.meta.empty() && !is_meta(c.meta)) {
    return "'meta' is not one line of JSON of at most 4096 bytes";
  }
  if (!c.author.empty() && !is_author(c.author)) return "'author' is malformed";
  if (c.time && (c.time->micros < 0 || c.time->micros > kLastMicro)) {
    return "'time' is out of range";
  }
  if (!c.change.empty() && !is_change(c.change)) return "'change' is not 32 hexadecimal digits";
  return {};
}

void append_content(std::string& out, std::string_view key, const Content& content) {
  out.append(key).append(1, ' ');
  append_hex(out, content.oid);
  out.append(1, ' ').append(content.media_type).append(1, '\n');
}

std::string write(const Commit& c) {
  std::string out;
  out.reserve(512 + c.meta.size());
  append_line(out, "op", name_of(c.op));
  if (c.type) append_line(out, "type", name_of(*c.type));
  if (c.mode) append_line(out, "mode", name_of(*c.mode));
  for (const Oid& parent : c.parents) append_line(out, "parent", parent);
  append_line(out, "depth", c.depth);
  append_line(out, "gen", c.gen);
  if (c.skip) append_line(out, "skip", *c.skip);
  if (c.content) append_content(out, "content", *c.content);
  if (c.fields) append_line(out, "fields", *c.fields);
  for (const Content& item : c.raw) append_content(out, "raw", item);
  if (!c.meta.empty()) append_line(out, "meta", c.meta);
  if (c.extra) append_line(out, "extra", *c.extra);
  for (const Content& item : c.attach) append_content(out, "attach", item);
  if (c.prompt) append_line(out, "prompt", *c.prompt);
  for (const Oid& target : c.target) append_line(out, "target", target);
  if (c.targets) append_line(out, "targets", *c.targets);
  for (const Oid& about : c.about) append_line(out, "about", about);
  if (c.priority) append_line(out, "priority", name_of(*c.priority));
  if (!c.author.empty()) append_line(out, "author", c.author);
  if (c.time) append_line(out, "time", c.time->text());
  if (!c.change.empty()) append_line(out, "change", c.change);
  return out;
}

// A ValueReader for the values that only commits have.
class CommitLines : public ValueReader {
 public:
  using ValueReader::ValueReader;

  std::optional<Content> content(std::string_view key) {
    const auto value = view(key);
    if (!value) return std::nullopt;
    const std::size_t blank = value->find(' ');
    const auto oid = Oid::from_hex(value->substr(0, blank));
    if (!oid || blank == std::string_view::npos) return fail(key), std::nullopt;
    return Content{*oid, std::string(value->substr(blank + 1))};
  }

  std::vector<Content> contents(std::string_view key) {
    std::vector<Content> all;
    while (auto next = content(key)) all.push_back(std::move(*next));
    return all;
  }

  template <class Enum>
  std::optional<Enum> word(std::string_view key, std::optional<Enum> (*from)(std::string_view)) {
    const auto value = view(key);
    if (!value) return std::nullopt;
    const auto parsed = from(*value);
    if (!parsed) fail(key);
    return parsed;
  }
};

}  // namespace

std::string_view name_of(Op op) { return kOps.at(static_cast<std::size_t>(op)); }
std::string_view name_of(Type type) { return kTypes.at(static_cast<std::size_t>(type)); }
std::string_view name_of(Mode mode) { return kModes.at(static_cast<std::size_t>(mode)); }
std::string_view name_of(Priority priority) {
  return kPriorities.at(static_cast<std::size_t>(priority));
}
std::optional<Op> op_from(std::string_view word) { return find_word<Op>(kOps, word); }
std::optional<Type> type_from(std::string_view word) { return find_word<Type>(kTypes, word); }
std::optional<Mode> mode_from(std::string_view word) { return find_word<Mode>(kModes, word); }
std::optional<Priority> priority_from(std::string_view word) {
  return find_word<Priority>(kPriorities, word);
}

std::uint64_t skip_height(std::uint64_t depth) {
  const auto clear_lowest = [](std::uint64_t n) { return n & (n - 1); };
  if (depth < 2) return 0;
  if (depth % 2 == 0) return clear_lowest(depth);
  return clear_lowest(clear_lowest(depth - 1)) + 1;
}

bool skips_toward(std::uint64_t depth, std::uint64_t goal) {
  // Prefer the parent's skip if it ends closer to `goal` and ours would overshoot, like Bitcoin's
  // CBlockIndex::GetAncestor.
  const std::uint64_t height = skip_height(depth);
  const std::uint64_t of_parent = depth >= 2 ? skip_height(depth - 1) : 0;
  const bool is_better_from_parent = height > goal && of_parent >= goal && of_parent + 2 < height;
  return depth >= 2 && height >= goal && !is_better_from_parent;
}

Result<std::string> serialize(const Commit& commit) {
  if (const std::string broken = broken_rule(commit); !broken.empty()) {
    return invalid("invalid commit: " + broken, "see docs/format.md");
  }
  std::string body = write(commit);
  if (body.size() > kMaxCommitBody) {
    return invalid("a commit is at most 1 MiB of text",
                   "move long texts into 'content', 'extra' or 'attach'");
  }
  return body;
}

Result<Commit> parse_commit(std::string_view body) {
  if (body.size() > kMaxCommitBody) {
    return corrupt("a commit is longer than 1 MiB", "run 'spoor store fsck'");
  }
  CommitLines lines(body);
  Commit c;
  if (const auto op = lines.word<Op>("op", op_from)) {
    c.op = *op;
  } else {
    lines.fail("op");
  }
  c.type = lines.word<Type>("type", type_from);
  c.mode = lines.word<Mode>("mode", mode_from);
  c.parents = lines.oids("parent");
  c.depth = lines.needed_integer("depth");
  c.gen = lines.needed_integer("gen");
  c.skip = lines.oid("skip");
  c.content = lines.content("content");
  c.fields = lines.oid("fields");
  c.raw = lines.contents("raw");
  c.meta = lines.text("meta");
  c.extra = lines.oid("extra");
  c.attach = lines.contents("attach");
  c.prompt = lines.oid("prompt");
  c.target = lines.oids("target");
  c.targets = lines.oid("targets");
  c.about = lines.oids("about");
  c.priority = lines.word<Priority>("priority", priority_from);
  c.author = lines.text("author");
  c.time = lines.time("time");
  c.change = lines.text("change");

  std::string problem = lines.problem();
  if (problem.empty()) problem = broken_rule(c);
  if (!problem.empty())
    return corrupt("a commit is malformed: " + problem, "run 'spoor store fsck'");
  return c;
}

std::string change_of(const Commit& commit, const Oid& oid) {
  return commit.change.empty() ? oid.hex(32) : commit.change;
}

bool is_author(std::string_view text) { return is_plain_line(text, kMaxAuthor); }

bool is_media_type(std::string_view text) {
  const std::size_t slash = text.find('/');
  return text.size() <= 127 && slash != std::string_view::npos && slash > 0 &&
         slash + 1 < text.size() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

}  // namespace spoor::store
