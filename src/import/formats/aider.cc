#include "import/importers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/json/writer.h"
#include "base/text.h"
#include "base/utf8.h"
#include "import/names.h"
#include "import/records.h"
#include "store/commit.h"

namespace spoor::import::formats {
namespace {

using compile::Facts;
using compile::Turn;
using compile::Type;

constexpr std::string_view kStart = "# aider chat started at ";
constexpr std::string_view kTyped = "#### ";
constexpr std::string_view kPrinted = "> ";
constexpr std::string_view kEnd = "  ";  // Ends typed and printed lines, before the LF.
constexpr std::string_view kThought = "<thinking-content-7bbeb8e1441453ad999a0bbba8a46d4b>";
constexpr std::string_view kThoughtEnd = "</thinking-content-7bbeb8e1441453ad999a0bbba8a46d4b>";
constexpr std::string_view kTokens = "Tokens: ";
constexpr std::string_view kPageBegin = "<div class=\"chat-transcript\"";  // On Aider's website.
constexpr std::string_view kPageEnd = "</div>";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::size_t kMostPrinted = 1U << 20U;  // Anything longer was not printed at once.
constexpr std::size_t kMostBlock = 64U << 20U;   // A longer block is split.
constexpr std::size_t kMostFact = 256;           // Bytes: a few of them fit into meta.

/// Returns true for a question that Aider answered itself. It asks before it adds files and runs
/// commands; if one answer counts for a group of files, it writes the others as if they were typed
/// (`confirm_ask` in io.py). They are not sent to the model.
bool is_confirmation(std::string_view text) {
  return text.find("? (Y)es/(N)o") != std::string_view::npos;
}

/// A block of lines that Aider wrote at once.
struct Block {
  enum class Kind { none, start, typed, printed, answer, page };
  Kind kind = Kind::none;
  std::string text;   ///< without the marks
  std::string bytes;  ///< as in the file
  std::uint64_t line = 0;
};

Block::Kind kind_of_line(std::string_view line) {
  if (line.starts_with(kStart)) return Block::Kind::start;
  if (line.starts_with(kTyped)) return Block::Kind::typed;
  if (line.starts_with(kPrinted) || line == trimmed(kPrinted)) return Block::Kind::printed;
  return trimmed(line).empty() ? Block::Kind::none : Block::Kind::answer;
}

std::string_view without_end(std::string_view line) {
  if (line.ends_with(kEnd)) line.remove_suffix(kEnd.size());
  return line;
}

/// Returns true for the last line of one printed message. Padded lines end with more blanks, or
/// fewer.
bool is_end(std::string_view line) {
  return line.size() > kEnd.size() && line.ends_with(kEnd) &&
         kWhiteSpace.find(line[line.size() - kEnd.size() - 1]) == std::string_view::npos;
}

/// Returns a typed or printed line without its mark. In an empty line the mark has no blank.
std::string_view behind_mark(std::string_view line, std::string_view mark) {
  return line.substr(std::min(line.size(), mark.size()));
}

/// Returns true if Aider reports the tokens of the previous answer.
bool is_report(std::string_view line) { return behind_mark(line, kPrinted).starts_with(kTokens); }

std::string ended(std::string text) {
  text.resize(trimmed("x" + text).size() - 1);
  return text + std::string(kEnd) + '\n';
}

/// Returns a block as Aider writes it.
std::string written(const Block& block) {
  switch (block.kind) {
    case Block::Kind::printed:
      return ended(std::string(kPrinted) + block.text);
    case Block::Kind::typed: {
      std::string all(kTyped);
      for (const char c : block.text) {
        if (c == '\n') all += kEnd;
        all += c;
        if (c == '\n') all += kTyped;
      }
      return '\n' + ended(all);
    }
    default:
      return '\n' + block.text + "\n\n";
  }
}

/// Returns `3.2k sent, 21 received. Cost: $0.0082 message, …` as a JSON object. Counts are strings,
/// because Aider has rounded them. Empty for any other text.
std::string usage_of(std::string_view report) {
  static constexpr std::array<std::string_view, 4> kCounts = {"sent", "cache write", "cache hit",
                                                              "received"};
  if (report.size() > kMostFact) return {};
  json::Object usage;
  std::string_view counts = report.substr(0, report.find(" received"));
  if (counts.size() == report.size()) return {};
  counts = report.substr(0, counts.size() + std::string_view(" received").size());
  while (!counts.empty()) {
    const std::string_view one = counts.substr(0, counts.find(", "));
    counts.remove_prefix(std::min(counts.size(), one.size() + 2));
    const std::size_t blank = std::min(one.find(' '), one.size());
    const std::string_view count = one.substr(0, blank);
    const std::string_view what = one.substr(std::min(one.size(), blank + 1));
    const bool is_count =
        !count.empty() && count.find_first_not_of("0123456789.kM") == std::string_view::npos;
    if (!is_count || std::find(kCounts.begin(), kCounts.end(), what) == kCounts.end()) return {};
    std::string key(what);
    std::replace(key.begin(), key.end(), ' ', '_');
    usage.add_string(key, count);
  }
  constexpr std::string_view kCost = "Cost: $";
  if (const std::size_t at = report.find(kCost); at != std::string_view::npos) {
    std::string_view cost = report.substr(at + kCost.size());
    cost = cost.substr(0, cost.find(" message"));
    const auto document = json::parse(cost);
    if (document && document->root().is_number())
      usage.add_raw_token("cost", document->root().raw());
  }
  return usage.write();
}

class AiderSink final : public LineSink {
 public:
  using LineSink::LineSink;

  Result<void> add(const Line& line) override {
    if (!line.ended) {
      cut_off_ = Block{Block::Kind::none, {}, std::string(line.text), line.number};
      return {};
    }
    return held_.empty() && !begins_held(line.text) ? read(line) : hold(line);
  }

  Result<void> finish() override {
    if (is_marked_again_ && !held_.empty()) TRY(read_held(false));  // No line has an end.
    // Aider writes an empty line after an answer, but an editor may have removed it.
    if (open_.kind == Block::Kind::answer && blanks_.empty() && has_ends_) is_unfinished_ = true;
    // Aider appends a message in one write.
    if (is_unfinished_ || !held_.empty()) cut_off_ = cut_off_.value_or(Block());
    if (cut_off_) return give_up();
    take_end();
    TRY(close());
    TRY(settle({}));
    if (blanks_.empty()) return {};
    const auto count = std::count(blanks_.begin(), blanks_.end(), '\n');
    remark_cut_off(blanks_.size(), last_line_ + 1 - static_cast<std::uint64_t>(count));
    return {};  // The block that they belong to is not written yet.
  }

  /// Returns the current session's line first, then the others, latest first.
  std::vector<WantedRef> lines() const override {
    std::vector<WantedRef> all;
    if (tip_) all.push_back({base_, *tip_});
    all.insert(all.end(), earlier_.rbegin(), earlier_.rend());
    return all;
  }

 private:
  // --- Lines ------------------------------------------------------------------
  // Aider prints its own command line first. It may span several lines, including empty ones. Since
  // nothing was printed before, it is not known yet if an editor has cut the ends of lines. So the
  // first lines are held until a line has an end or a mark. A message may quote lines with a mark.

  bool begins_held(std::string_view text) const {
    if (text.ends_with('\r')) text.remove_suffix(1);
    return !knows_ends_ && !has_ends_ && has_start_ && !is_page_ && !is_end(text) &&
           kind_of_line(text) == Block::Kind::printed &&
           !trimmed(behind_mark(text, kPrinted)).empty();
  }

  Result<void> hold(const Line& line) {
    std::string_view text = line.text;
    if (text.ends_with('\r')) text.remove_suffix(1);
    const Block::Kind kind = kind_of_line(text);
    const bool is_marked = kind != Block::Kind::none && kind != Block::Kind::answer;
    const bool is_again = is_marked && !held_.empty();
    held_.emplace_back(line.text, line.number);
    held_bytes_ += line.text.size() + 1;
    is_marked_again_ = is_marked_again_ || is_again;
    const bool tells = is_end(text) || kind == Block::Kind::start ||
                       (is_again && !has_message(held_.front().first));
    if (!tells && held_bytes_ < kMostPrinted) return {};
    return read_held(is_end(text));
  }

  static bool has_message(std::string_view command) {
    constexpr std::array<std::string_view, 3> kOptions = {" --message", " --msg", " -m"};
    return std::any_of(kOptions.begin(), kOptions.end(), [&](std::string_view option) {
      return command.find(option) != command.npos;
    });
  }

  Result<void> read_held(bool has_ends) {
    knows_ends_ = true;
    has_ends_ = has_ends;
    held_bytes_ = 0;
    for (const auto& [held, number] : std::exchange(held_, {})) {
      TRY(read({.text = held, .number = number, .ended = true}));
    }
    return {};
  }

  Result<void> read(const Line& line) {
    last_line_ = line.number;
    std::string_view text = line.text;
    if (line.number == 1 && text.starts_with(kByteOrderMark)) {
      text.remove_prefix(kByteOrderMark.size());
    }
    if (text.ends_with('\r')) text.remove_suffix(1);
    const Block::Kind kind = kind_here(text);
    const bool is_marked = kind == Block::Kind::typed || kind == Block::Kind::printed;
    if (kind == Block::Kind::start || (is_padded_ && is_marked)) is_unfinished_ = false;
    if (is_unfinished_) return add_printed(text, line);
    if (kind == Block::Kind::answer && goes_on_printed()) return add_printed_again(text, line);
    if (kind == Block::Kind::none) {
      blanks_ += line.text;
      blanks_ += '\n';
      return blanks_.size() < kMostBlock ? Result<void>() : close_blanks();
    }
    const bool goes_on = kind == open_.kind && open_.bytes.size() < kMostBlock &&
                         ((kind == Block::Kind::typed && blanks_.empty()) ||
                          kind == Block::Kind::answer || kind == Block::Kind::page);
    if (!goes_on) TRY(begin(kind, line.number, text));
    return add_line(text, line, goes_on);
  }

  // --- Blocks -----------------------------------------------------------------

  /// Returns the kind of a line. A heading or a quote in an answer lacks the blanks that end typed
  /// and printed lines. A page may have lost them, and has other text around the parts of the chat.
  Block::Kind kind_here(std::string_view line) {
    const Block::Kind kind = kind_of_line(line);
    has_start_ = has_start_ || kind == Block::Kind::start;
    is_page_ = !has_start_ && (is_page_ || line.starts_with(kPageBegin));
    if (is_page_ && kind != Block::Kind::none) {
      const bool is_begin = line.starts_with(kPageBegin);
      const bool was_outside = is_outside_;
      is_outside_ = !is_begin && (is_outside_ || trimmed(line) == kPageEnd);
      return is_begin || was_outside || is_outside_ ? Block::Kind::page : kind;
    }
    const bool has_no_end = has_start_ && has_ends_ && !line.ends_with(kEnd);
    const bool may_be_said =
        kind == Block::Kind::typed
            ? open_.kind == Block::Kind::answer || open_.kind == Block::Kind::typed
            : kind == Block::Kind::printed && open_.kind == Block::Kind::answer && !is_report(line);
    return has_no_end && may_be_said ? Block::Kind::answer : kind;
  }

  /// Begins another block and closes the open one.
  Result<void> begin(Block::Kind kind, std::uint64_t line, std::string_view text) {
    take_end();
    if (open_.kind == Block::Kind::answer && kind == Block::Kind::printed && is_report(text)) {
      waiting_ = std::exchange(open_, {});
    } else {
      TRY(close());
    }
    open_ = {.kind = kind, .line = line};
    take_blanks(blanks_.size());  // The empty lines before its first line.
    return {};
  }

  Result<void> add_line(std::string_view text, const Line& line, bool goes_on) {
    if (goes_on) {
      open_.text += '\n';
      for (std::size_t i = 0; i < blanks_.size(); ++i) {
        if (!std::string_view(blanks_).substr(i).starts_with("\r\n")) open_.text += blanks_[i];
      }
      take_blanks(blanks_.size());
    }
    open_.bytes += line.text;
    open_.bytes += '\n';
    switch (open_.kind) {
      case Block::Kind::typed:
        open_.text += behind_mark(without_end(text), kTyped);
        break;
      case Block::Kind::printed:
        open_.text += behind_mark(is_end(text) ? without_end(text) : text, kPrinted);
        find_end(text, is_end(text) || trimmed(behind_mark(text, kPrinted)).empty());
        break;
      default:
        open_.text += text;
    }
    return {};
  }

  /// Finds the end of a printed message, which is two blanks. Without them it continues on the next
  /// line, in any case. With more of them it continues if no mark follows.
  void find_end(std::string_view text, bool has_end) {
    is_unfinished_ = !is_page_ && has_ends_ && !has_end && open_.bytes.size() < kMostPrinted;
    is_padded_ = is_unfinished_ && text.ends_with(kEnd);
    has_ends_ = has_ends_ || is_end(text);
  }

  Result<void> add_printed(std::string_view text, const Line& line) {
    find_end(text, is_end(text));
    open_.text += '\n';
    open_.text += is_unfinished_ ? text : without_end(text);
    open_.bytes += line.text;
    open_.bytes += '\n';
    return {};
  }

  /// Returns true if the next line belongs to the printed message although that had an end: there
  /// is no empty line between them, as there would be before an answer. A message has such lines
  /// where its author broke them.
  bool goes_on_printed() const {
    return open_.kind == Block::Kind::printed && blanks_.empty() && has_ends_ && has_start_ &&
           !is_page_ && open_.bytes.size() < kMostPrinted;
  }

  Result<void> add_printed_again(std::string_view text, const Line& line) {
    if (std::string_view(open_.bytes).ends_with("  \n")) open_.text += kEnd;
    return add_printed(text, line);
  }

  /// Closes the open block with a large number of empty lines, whose block is unknown.
  Result<void> close_blanks() {
    if (open_.kind == Block::Kind::none) open_.kind = Block::Kind::printed;
    take_blanks(blanks_.size());
    return close();
  }

  /// Moves `bytes` bytes of the empty lines to the open block.
  void take_blanks(std::size_t bytes) {
    open_.bytes.append(blanks_, 0, bytes);
    blanks_.erase(0, bytes);
  }

  /// Moves the empty line that ends the open block to it, if its kind has one and it was read.
  void take_end() {
    const bool has_end = open_.kind == Block::Kind::start || open_.kind == Block::Kind::answer;
    if (has_end && !blanks_.empty()) take_blanks(blanks_.find('\n') + 1);
  }

  Result<void> close() {
    Block block = std::exchange(open_, {});
    if (block.kind == Block::Kind::printed) {
      const std::string_view text = block.text;
      TRY(settle(text.starts_with(kTokens) ? usage_of(text.substr(kTokens.size())) : ""));
    }
    return write(std::move(block), {});
  }

  /// Writes the answer that waited for its token report.
  Result<void> settle(const std::string& usage) {
    if (!waiting_) return {};
    Block answer = std::move(*waiting_);
    waiting_.reset();
    return write(std::move(answer), usage);
  }

  /// Handles a file that ends within a line or a block. A block that may be incomplete is not
  /// imported.
  Result<void> give_up() {
    const bool is_whole = (open_.kind == Block::Kind::printed && !is_unfinished_) ||
                          (open_.kind == Block::Kind::start && !blanks_.empty());
    std::size_t lost = cut_off_->bytes.size();
    std::uint64_t line = cut_off_->line;
    if (is_whole) {
      take_end();
      TRY(close());
    } else if (open_.kind != Block::Kind::none) {
      lost += open_.bytes.size() + (waiting_ ? waiting_->bytes.size() : 0);
      line = waiting_ ? waiting_->line : open_.line;
    }
    lost += held_bytes_;
    if (!held_.empty() && is_whole) line = held_.front().second;
    remark_cut_off(lost + blanks_.size(), line);
    return {};
  }

  void remark_cut_off(std::size_t bytes, std::uint64_t line) {
    report().torn += 1;
    report().remark({Remark::Kind::unreadable, source_name(), line,
                     fmt::format("the last entry is cut off after {} bytes, not imported", bytes)});
  }

  // --- Turns ------------------------------------------------------------------

  Result<void> write(Block block, const std::string& usage) {
    if (block.kind == Block::Kind::none) return {};
    count(block.bytes);
    if (block.kind == Block::Kind::start || base_.empty()) begin_session(block);
    std::vector<Turn> turns = turns_of(block, usage);
    const Type usual = block.kind == Block::Kind::typed    ? Type::user
                       : block.kind == Block::Kind::answer ? Type::assistant
                                                           : Type::note;
    const bool is_canonical = written(block) == block.bytes && turns.back().type == usual;
    if (!is_canonical || turns.size() > 1)
      turns.back().raw.push_back({block.bytes, "text/markdown"});
    for (const Turn& turn : turns) tip_ = TRY(writer().append(tip_, turn));
    report().turn_records += 1;
    if (block.kind == Block::Kind::printed) learn(block.text);
    if (block.kind == Block::Kind::typed && block.text.starts_with("/architect")) model_.clear();
    if (!options().keep_source) return {};
    return writer().add_note(std::move(block.bytes), turns.back().time, "text/markdown");
  }

  std::vector<Turn> turns_of(const Block& block, const std::string& usage) {
    // A page around a chat, or the end of an answer whose beginning is missing.
    const bool is_before = !has_begun_ && block.kind == Block::Kind::answer;
    if (block.kind == Block::Kind::answer && !is_before) return answer_of(block.text, usage);
    has_begun_ = has_begun_ || !is_before;
    const bool is_typed = block.kind == Block::Kind::typed && !is_confirmation(block.text);
    Turn turn{.type = is_typed ? Type::user : Type::note, .text = block.text};
    if (turn.type == Type::user) turn.author = "user";
    turn.facts = facts();
    if (block.kind == Block::Kind::start) {
      // Local time without an offset: read as UTC, so that it is the same on every machine.
      const auto time = parse_rfc3339(session_ + "Z");
      if (time) turn.time = time.value();
    }
    return {std::move(turn)};
  }

  /// Returns an answer's turns. Thoughts, if they are marked, come before the answer.
  std::vector<Turn> answer_of(std::string_view text, const std::string& usage) {
    std::vector<Turn> turns;
    const std::size_t end = text.starts_with(kThought) ? text.find(kThoughtEnd) : text.npos;
    if (end != text.npos) {
      Turn thought{.type = Type::reasoning};
      thought.text = trimmed(text.substr(kThought.size(), end - kThought.size()), "\r\n");
      thought.fields.format = "think_tags";
      turns.push_back(std::move(thought));
      text = trimmed(text.substr(end + kThoughtEnd.size()), "\r\n");
    }
    turns.push_back({.type = Type::assistant, .text = std::string(text)});
    answers_ += 1;
    for (Turn& turn : turns) {
      turn.facts = facts();
      turn.facts.set(fact::message_id, fmt::format("answer-{}", answers_));
      if (model_.empty()) continue;
      turn.facts.set(fact::model, model_);
      if (store::is_author(model_)) turn.author = model_;
    }
    if (!usage.empty()) turns.back().facts.set(fact::usage, usage);
    return turns;
  }

  Facts facts() const {
    Facts facts;
    facts.set(fact::source, "aider");
    facts.set(fact::session, session_);
    facts.set(fact::agent_version, version_);
    facts.set(fact::cwd, cwd_);
    return facts;
  }

  // --- Sessions ---------------------------------------------------------------

  void begin_session(const Block& block) {
    if (tip_) earlier_.push_back({base_, *tip_});
    tip_.reset();
    session_.clear();
    version_.clear();
    model_.clear();
    cwd_.clear();
    answers_ = 0;
    std::string name = "without-start-" + RecordKey::of(block.bytes).hex(8);
    if (block.kind == Block::Kind::start) {
      session_ = fact_of(trimmed(std::string_view(block.text).substr(kStart.size())));
      if (!session_.empty()) name = ref_word(session_).substr(0, 64);
      writer().name_session(session_);
    }
    base_ = writer().line_of(name);
    writer().begin_conversation(base_);
  }

  /// Reads what Aider prints about itself when it starts, and when the user changes the model.
  void learn(std::string_view text) {
    const auto told = [&](std::string_view what) {
      return text.starts_with(what) ? text.substr(what.size()) : std::string_view();
    };
    if (const auto version = told("Aider v"); !version.empty()) version_ = fact_of(version);
    if (const auto folder = told("Cur working dir: "); !folder.empty()) cwd_ = fact_of(folder);
    for (const std::string_view what : {"Main model: ", "Models: ", "Model: "}) {
      const std::string_view model = told(what);
      const std::size_t end = model.find(" with ");
      if (end == model.npos) continue;
      // Architect and editor take turns, and the file does not record which of them answered.
      const bool is_architect = model.substr(end).starts_with(" with architect ");
      model_ = is_architect ? std::string() : fact_of(model.substr(0, end));
    }
  }

  static std::string fact_of(std::string_view text) {
    const bool is_plain = std::none_of(text.begin(), text.end(),
                                       [](char c) { return static_cast<unsigned char>(c) < 0x20; });
    const bool fits = text.size() <= kMostFact && is_plain && is_utf8(text);
    return fits ? std::string(text) : std::string();
  }

  Block open_;
  std::optional<Block> waiting_;  // An answer before its token report.
  std::string blanks_;            // Empty lines after the open block, with their LFs.
  std::uint64_t last_line_ = 0;
  bool is_unfinished_ = false;  // The open block continues on the next line, whatever that is.
  bool is_padded_ = false;      // The last line was padded with blanks.
  bool has_start_ = false;      // A line that starts a session was read.
  bool is_page_ = false;        // The chat is on a page of the Aider website,
  bool is_outside_ = false;     // and the last line was outside of it.
  bool has_begun_ = false;      // A typed or printed line was read.
  bool has_ends_ = false;       // Lines end as Aider ends them; an editor may have cut them.
  bool knows_ends_ = false;     // `has_ends_` was decided.
  std::vector<std::pair<std::string, std::uint64_t>> held_;  // Lines until then, with numbers.
  std::size_t held_bytes_ = 0;
  bool is_marked_again_ = false;  // A line after the first of them has a mark.
  std::optional<Block> cut_off_;

  std::string base_;  // The current session's line.
  std::optional<compile::Oid> tip_;
  std::vector<WantedRef> earlier_;
  std::string session_;
  std::string version_;
  std::string model_;
  std::string cwd_;
  std::uint64_t answers_ = 0;
};

int score_aider(const Head& head) {
  std::string_view text = head.bytes();
  text.remove_prefix(std::min(text.find_first_not_of("\r\n"), text.size()));
  if (text.starts_with(kStart)) return score::kSigned;
  // A part of a history, a history in another file, or one within a page.
  if (text.starts_with(kTyped)) return score::kShape;
  if (text.starts_with('{') || text.starts_with('[')) return score::kNone;
  constexpr std::array<std::string_view, 5> kSigns = {
      "> Aider v", "> Tokens: ", "> Main model: ", "> Model: ", "> Applied edit to "};
  const bool is_aider = std::any_of(kSigns.begin(), kSigns.end(), [&](std::string_view sign) {
    return text.starts_with(sign) || text.find('\n' + std::string(sign)) != text.npos;
  });
  const bool has_prompt = text.find("\n" + std::string(kTyped)) != text.npos;
  return is_aider && (has_prompt || text.starts_with(kPrinted)) ? score::kShape : score::kNone;
}

}  // namespace

/// Reads the chat histories that Aider appends to (`.aider.chat.history.md`): a text from which
/// every byte can be restored. Each start of Aider is a separate line. Typed text is a user turn
/// and an answer is an assistant turn. Each printed message is a note in its place: it is not a
/// call, and prompts do not contain it.
///
/// A turn has its part of the file as its `raw` item if the text alone does not restore that part.
/// A block that ends in an incomplete line is cut off: reported, and not imported.
///
/// Source: github.com/Aider-AI/aider, aider/io.py (`user_input`, `ai_output`, `tool_output`,
/// `append_chat_history`), aider/utils.py (`split_chat_history_markdown`), aider/coders/
/// base_coder.py (announcements, `calculate_and_show_tokens_and_cost`), aider/reasoning_tags.py.
const Importer kAider = {"aider", "Aider", score_aider, import_text_into<AiderSink>};

}  // namespace spoor::import::formats
