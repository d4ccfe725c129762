#include <unordered_set>

#include "base/base64.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "llm/render/json_text.h"
#include "llm/render/writers.h"

namespace spoor::llm::render {
namespace {

using compile::Part;

class Writer final : public DialogueWriter {
 public:
  /// `knows_custom`: keep calls of custom tools, whose input is text, and their results in their
  /// own form. The API rejects a `function_call_output` for a `custom_tool_call`.
  Writer(Job& job, bool knows_custom) : DialogueWriter(job), knows_custom_(knows_custom) {}

  Result<std::string> run() {
    TRY(write_all());
    return out_ + ']';
  }

 private:
  void add_system(const Utterance& said, bool is_developer) override {
    for (const auto& piece : said.pieces) {
      add_message(is_developer ? "developer" : "system", *piece.part->text);
    }
  }

  void add_message(std::string_view role, std::string_view text) {
    append_comma(out_);
    out_ += R"({"role":")";
    out_ += role;
    out_ += '"';
    append_member(out_, "content", text);
    out_ += '}';
  }

  Result<std::string> parts_of(const Part& part) {
    const auto pictures = TRY(pictures_of(part, job_.reader, job_.originals));
    if (pictures.empty()) return std::string();
    std::string parts = R"([{"type":"input_text","text":)";
    append_string(parts, *part.text);
    parts += '}';
    for (const auto& picture : pictures) {
      parts += R"(,{"type":"input_image","image_url":)";
      append_string(parts,
                    "data:" + picture.media_type + ";base64," + encode_base64(picture.bytes));
      parts += '}';
    }
    return parts + ']';
  }

  Result<void> add_user(const Utterance& said) override {
    for (const auto& piece : said.pieces) {
      const std::string parts = TRY(parts_of(*piece.part));
      if (parts.empty()) {
        add_message("user", *piece.part->text);
        continue;
      }
      append_comma(out_);
      out_ += R"({"role":"user","content":)" + parts + '}';
    }
    return {};
  }

  void add_answer(const Utterance& said) override {
    for (const auto& piece : said.pieces) add_piece(piece);
  }

  // A reasoning item without `encrypted_content` is usable only by a server that stored it, and we
  // do not request that. Reasoning can be sent back only before the exact items that it led to.
  static bool is_sealed(const json::Value& item) {
    return !item.find("encrypted_content").text().empty();
  }

  void add_piece(const Utterance::Piece& piece) {
    if (knows_custom_) find_custom(piece);
    bool has_own_reasoning = false;
    std::string items = "[";
    for (const auto& item : piece.items) has_own_reasoning |= add_item(*item, items);
    std::string sealed = "[";
    bool is_whole = !piece.items.empty() && !piece.lost_reasoning;
    for (const auto& thought : piece.thoughts) {
      bool goes_back = false;
      for (const auto& item : thought.items) goes_back |= add_item(*item, sealed);
      is_whole &= goes_back;
    }
    is_whole &= !piece.thoughts.empty();
    for (const auto& thought : piece.thoughts) {
      note(is_whole ? Treatment::Kind::replayed : Treatment::Kind::stripped, *thought.part,
           is_whole              ? ""
           : piece.items.empty() ? "the items it led to were not kept as they came"
                                 : "it has no encrypted content");
    }
    // Items refer to each other: an item whose reasoning is not sent back is rewritten without its
    // id.
    if (is_whole) {
      if (!has_own_reasoning) append_raw(sealed);
      return append_raw(items);
    }
    if (!piece.part->text->empty()) add_message("assistant", *piece.part->text);
    for (const WireCall& call : piece.calls) {
      const bool is_custom = custom_.contains(call.id);
      append_comma(out_);
      out_ += is_custom ? R"({"type":"custom_tool_call","call_id":)"
                        : R"({"type":"function_call","call_id":)";
      append_string(out_, call.id);
      append_member(out_, "name", call.name);
      if (is_custom) {
        append_member(out_, "input", call.call->arguments);
      } else {
        append_member(out_, "arguments", arguments_object(call.call->arguments));
      }
      out_ += '}';
    }
  }

  void find_custom(const Utterance::Piece& piece) {
    for (const auto& item : piece.items) {
      const auto document = json::parse(*item);
      if (!document || !document->root().find("type").equals("custom_tool_call")) continue;
      const std::string id = document->root().find("call_id").text();
      for (const WireCall& call : piece.calls) {
        if (call.call->id == id) custom_.insert(call.id);
      }
    }
  }

  // Returns true if the added item was a reasoning.
  static bool add_item(std::string_view text, std::string& out) {
    const std::string item = strict_or_empty(text, json::Type::object);
    if (item.empty()) return false;
    const auto document = json::parse(item);
    const bool is_reasoning = document->root().find("type").equals("reasoning");
    if (is_reasoning && !is_sealed(document->root())) return false;
    append_comma(out);
    out += item;
    return is_reasoning;
  }

  void append_raw(std::string_view items) {
    append_comma(out_);
    out_ += items.substr(1);
  }

  Result<void> add_result(const CallResult& result) override {
    append_comma(out_);
    out_ += custom_.contains(result.call.id) ? R"({"type":"custom_tool_call_output","call_id":)"
                                             : R"({"type":"function_call_output","call_id":)";
    append_string(out_, result.call.id);
    append_key(out_, "output");
    if (result.part == nullptr) {
      append_string(out_, kMissingResult);
    } else {
      const std::string parts = TRY(parts_of(*result.part));
      if (parts.empty()) append_string(out_, *result.part->text);
      out_ += parts;
    }
    out_ += '}';
    return {};
  }

  const bool knows_custom_;
  std::unordered_set<std::string> custom_;  // Ids of calls of custom tools, as sent.
  std::string out_ = R"("input":[)";
};

}  // namespace

Result<std::string> write_openai_responses_1(Job& job) { return Writer(job, false).run(); }
Result<std::string> write_openai_responses_2(Job& job) { return Writer(job, true).run(); }

}  // namespace spoor::llm::render
