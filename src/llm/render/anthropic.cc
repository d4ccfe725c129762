#include <algorithm>
#include <set>
#include <utility>

#include "base/base64.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "base/text.h"
#include "llm/render/json_text.h"
#include "llm/render/writers.h"

namespace spoor::llm::render {
namespace {

bool is_blank(std::string_view text) { return trimmed(text).empty(); }

bool has_duplicates(const json::Value& value) {
  if (value.is_array()) {
    for (const json::Value element : value.elements()) {
      if (has_duplicates(element)) return true;
    }
  }
  if (!value.is_object()) return false;
  std::set<std::string> keys;
  for (const json::Member member : value.members()) {
    if (!keys.insert(member.key.text()).second || has_duplicates(member.value)) return true;
  }
  return false;
}

// Appends an object: the API refuses a body in which one has a key twice. The last one counts, as
// for tools.
void append_without_duplicates(std::string& out, const std::string& text, const json::Value& root) {
  if (has_duplicates(root)) {
    json::append_canonical(out, root);
  } else {
    out += text;
  }
}

// Consecutive blocks of one role.
struct Turn {
  std::string_view role;
  std::string blocks = "[";
};

class Writer final : public DialogueWriter {
 public:
  /// `knows_documents`: send the user's documents, such as PDFs. `mends_calls`: see anthropic/3.
  /// `mark`: the `cache_control` of the turns that end a prefix, JSON; empty: none.
  Writer(Job& job, bool knows_documents, bool mends_calls, std::string mark = {})
      : DialogueWriter(job),
        knows_documents_(knows_documents),
        mends_calls_(mends_calls),
        mark_(std::move(mark)) {}

  Result<std::string> run() {
    TRY(write_all());
    if (!mark_.empty()) mark_prefixes();
    return finish();
  }

 private:
  std::string& blocks_of(std::string_view role) {
    if (turns_.empty() || turns_.back().role != role) turns_.push_back({role});
    return turns_.back().blocks;
  }

  void add_system(const Utterance& said, bool) override {
    for (const auto& piece : said.pieces) {
      if (is_blank(*piece.part->text)) continue;
      if (!system_.empty()) system_ += "\n\n";
      system_ += *piece.part->text;
    }
  }

  // The API rejects a blank text block.
  void add_text(std::string_view role, std::string_view text) {
    if (is_blank(text)) return;
    std::string& out = blocks_of(role);
    append_comma(out);
    append_text(out, text);
  }

  static void append_text(std::string& out, std::string_view text) {
    out += R"({"type":"text","text":)";
    append_string(out, text);
    out += '}';
  }

  static void append_picture(std::string& out, const compile::Item& picture) {
    append_comma(out);
    out += R"({"type":"image","source":{"type":"base64","media_type":)";
    append_string(out, picture.media_type);
    append_member(out, "data", encode_base64(picture.bytes));
    out += "}}";
  }

  Result<void> add_user(const Utterance& said) override {
    for (const auto& piece : said.pieces) {
      for (const auto& picture : TRY(pictures_of(*piece.part, job_.reader, job_.originals))) {
        append_picture(blocks_of("user"), picture);
      }
      if (knows_documents_) TRY(add_documents(*piece.part));
      add_text("user", *piece.part->text);
    }
    return {};
  }

  Result<void> add_documents(const compile::Part& part) {
    for (const std::string& document : TRY(documents_of(part, job_.reader, job_.originals))) {
      std::string& out = blocks_of("user");
      append_comma(out);
      out += document;
    }
    return {};
  }

  void add_answer(const Utterance& said) override {
    for (const auto& piece : said.pieces) add_piece(piece);
  }

  void add_piece(const Utterance::Piece& piece) {
    const bool replays = !piece.thoughts.empty();
    std::string items = "[";
    // If an answer's thinking came between its blocks, its items contain that thinking too.
    const auto [own_thinking, sent] = add_items(piece.items, replays, items);
    for (const auto& thought : piece.thoughts) {
      std::string blocks = "[";
      const auto thinking = add_items(thought.items, true, blocks).thinking;
      const bool was_replayed = !thinking.empty();
      job_.dialogue.treatments.push_back(
          {was_replayed ? Treatment::Kind::replayed : Treatment::Kind::stripped,
           thought.part->commit, was_replayed ? "" : "it has no signature"});
      if (!own_thinking.empty() || blocks.size() == 1) continue;
      append_raw(blocks);
      note_thinking(thinking, *thought.part, *piece.part);
    }
    if (!own_thinking.empty()) note_thinking(own_thinking, *piece.thoughts[0].part, *piece.part);
    const bool has_items = items.size() > 1;
    if (has_items) append_raw(items);
    if (has_items && !mends_calls_) return;
    if (!has_items) add_text("assistant", *piece.part->text);
    if (has_items && sent.size() == piece.calls.size()) return;
    for (const WireCall& call : piece.calls) {
      if (std::find(sent.begin(), sent.end(), call.id) != sent.end()) continue;
      std::string& out = blocks_of("assistant");
      append_comma(out);
      out += R"({"type":"tool_use","id":)";
      append_string(out, call.id);
      append_member(out, "name", call.name);
      append_key(out, "input");
      const std::string input = arguments_object(call.call->arguments);
      if (mends_calls_) {
        append_without_duplicates(out, input, json::parse(input)->root());
      } else {
        out += input;
      }
      out += '}';
    }
  }

  // Appends blocks to an open array.
  void append_raw(std::string_view blocks) {
    std::string& out = blocks_of("assistant");
    append_comma(out);
    out += blocks.substr(1);
  }

  void note_thinking(const std::vector<std::size_t>& owns, const compile::Part& reasoning,
                     const compile::Part& answer) {
    for (const std::size_t own : owns) {
      job_.dialogue.thinking.push_back({reasoning.commit, answer.commit, own});
    }
  }

  // The items of an answer that may be sent back.
  struct Added {
    std::vector<std::size_t> thinking;  // For each block of it, the number of other items before.
    std::vector<std::string> calls;     // Their ids.
  };

  // Appends the items that may be sent back. Skips thinking that was cut off before its signature,
  // because the API would reject the whole request.
  Added add_items(const Items& items, bool with_thinking, std::string& out) const {
    Added added;
    std::size_t others = 0;
    for (const auto& item : items) {
      const std::string block = strict_or_empty(*item, json::Type::object);
      if (block.empty()) continue;
      const auto document = json::parse(block);
      const json::Value root = document->root();
      const std::string type = root.find("type").text();
      if (type == "text" && is_blank(root.find("text").text())) continue;
      const bool is_call = type == "tool_use";
      if (mends_calls_ && is_call && !root.find("input").is_object()) continue;
      if (type == "thinking" || type == "redacted_thinking") {
        const bool is_signed =
            type == "redacted_thinking" || !root.find("signature").text().empty();
        if (!with_thinking || !is_signed) continue;
        added.thinking.push_back(others);
      } else {
        ++others;
      }
      if (is_call) added.calls.push_back(root.find("id").text());
      append_comma(out);
      if (mends_calls_) {
        append_without_duplicates(out, block, root);
      } else {
        out += block;
      }
    }
    return added;
  }

  Result<void> add_result(const CallResult& result) override {
    std::string& out = blocks_of("user");
    append_comma(out);
    out += R"({"type":"tool_result","tool_use_id":)";
    append_string(out, result.call.id);
    append_key(out, "content");
    if (result.part == nullptr) {
      append_string(out, kMissingResult);
      out += R"(,"is_error":true})";
      return {};
    }
    const auto pictures = TRY(pictures_of(*result.part, job_.reader, job_.originals));
    if (pictures.empty()) {
      append_string(out, *result.part->text);
    } else {
      out += '[';
      if (!is_blank(*result.part->text)) append_text(out, *result.part->text);
      for (const auto& picture : pictures) append_picture(out, picture);
      out += ']';
    }
    if (result.part->fields && result.part->fields->is_error) out += R"(,"is_error":true)";
    out += '}';
    return {};
  }

  // Ends a cached prefix after the first turn, which stays when later ones are left out, and where
  // the request before this one ended: from the end of this one, the provider looks back 20 blocks.
  // platform.claude.com/docs/en/build-with-claude/prompt-caching
  void mark_prefixes() {
    const auto is_users = [](const Turn& turn) { return turn.role == "user"; };
    const auto first = std::find_if(turns_.begin(), turns_.end(), is_users);
    if (first == turns_.end() || std::find_if(first + 1, turns_.end(), is_users) == turns_.end()) {
      return;  // The end of the request is marked by its own `cache_control`.
    }
    mark(*first);
    const auto last = std::find_if(turns_.rbegin(), turns_.rend(), is_users);
    const auto before = std::find_if(last + 1, turns_.rend(), is_users);
    if (&*before != &*first) mark(*before);
  }

  // A document may have a mark of its own.
  void mark(Turn& turn) const {
    if (turn.blocks.find(R"("cache_control":)") != std::string::npos) return;
    turn.blocks.insert(turn.blocks.size() - 1, R"(,"cache_control":)" + mark_);
  }

  std::string finish() const {
    std::string out = R"("messages":[)";
    for (const Turn& turn : turns_) {
      append_comma(out);
      out += R"({"role":")";
      out += turn.role;
      out += R"(","content":)" + turn.blocks + "]}";
    }
    out += ']';
    if (!system_.empty()) append_member(out, "system", system_);
    return out;
  }

  const bool knows_documents_;
  const bool mends_calls_;
  const std::string mark_;
  std::string system_;
  std::vector<Turn> turns_;
};

}  // namespace

Result<std::string> write_anthropic_1(Job& job) { return Writer(job, false, false).run(); }
Result<std::string> write_anthropic_2(Job& job) { return Writer(job, true, false).run(); }

Result<std::string> write_anthropic_3(Job& job) {
  const auto params = json::parse(job.recipe.params);
  const json::Value mark = params ? params->root().find("cache_control") : json::Value();
  return Writer(job, true, true, mark.is_object() ? std::string(mark.raw()) : std::string()).run();
}

}  // namespace spoor::llm::render
