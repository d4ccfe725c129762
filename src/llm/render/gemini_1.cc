#include <map>
#include <utility>

#include "base/base64.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "llm/render/json_text.h"
#include "llm/render/writers.h"

namespace spoor::llm::render {
namespace {

struct Turn {
  std::string_view role;
  std::string parts = "[";
};

// The documented placeholder for a call that Gemini did not generate: its models from 3 on reject
// calls of the current turn without a signature.
constexpr std::string_view kNoSignature = "skip_thought_signature_validator";

class Writer final : public DialogueWriter {
 public:
  using DialogueWriter::DialogueWriter;

  Result<std::string> run() {
    TRY(write_all());
    return finish();
  }

 private:
  std::string& parts_of(std::string_view role) {
    if (turns_.empty() || turns_.back().role != role) turns_.push_back({role});
    return turns_.back().parts;
  }

  static void add_text(std::string& out, std::string_view text) {
    if (text.empty()) return;
    append_comma(out);
    out += R"({"text":)";
    append_string(out, text);
    out += '}';
  }

  static void add_picture(std::string& out, const compile::Item& picture) {
    append_comma(out);
    out += R"({"inlineData":{"mimeType":)";
    append_string(out, picture.media_type);
    append_member(out, "data", encode_base64(picture.bytes));
    out += "}}";
  }

  void add_system(const Utterance& said, bool) override {
    for (const auto& piece : said.pieces) add_text(system_, *piece.part->text);
  }

  Result<void> add_user(const Utterance& said) override {
    for (const auto& piece : said.pieces) {
      for (const auto& picture : TRY(pictures_of(*piece.part, job_.reader, job_.originals))) {
        add_picture(parts_of("user"), picture);
      }
      add_text(parts_of("user"), *piece.part->text);
    }
    return {};
  }

  void add_answer(const Utterance& said) override {
    std::string& out = parts_of("model");
    needs_marker_ = needs_signatures() && !is_signed_call(said);
    for (const auto& piece : said.pieces) {
      const bool has_own_thoughts = holds_thoughts(piece.items);
      for (const auto& thought : piece.thoughts) {
        bool goes_back = false;
        for (const auto& item : thought.items) {
          goes_back |= has_own_thoughts ? has_signature(*item) : add_signed(*item, out);
        }
        if (goes_back) note(Treatment::Kind::replayed, *thought.part);
      }
      if (!add_items(piece, out)) add_anew(piece, out);
    }
  }

  // Models before 3 do not support signatures of calls.
  bool needs_signatures() const {
    return !job_.recipe.model.starts_with("gemini-1") && !job_.recipe.model.starts_with("gemini-2");
  }

  static bool is_signed_call(const Utterance& said) {
    for (const auto& piece : said.pieces) {
      for (const auto& item : piece.items) {
        const auto document = json::parse(*item);
        if (document && document->root().find("functionCall") && has_signature(*item)) return true;
      }
    }
    return false;
  }

  static bool has_signature(std::string_view item) {
    const auto document = json::parse(item);
    return document && !document->root().find("thoughtSignature").text().empty();
  }

  static bool holds_thoughts(const Items& items) {
    for (const auto& item : items) {
      const auto document = json::parse(*item);
      if (document && document->root().find("thought").is_true()) return true;
    }
    return false;
  }

  // A summary of thoughts is for people; it is sent back only if it is signed.
  static bool add_signed(std::string_view item, std::string& out) {
    if (!has_signature(item)) return false;
    append_comma(out);
    out += strict_or_empty(item, json::Type::object);
    return true;
  }

  bool add_items(const Utterance::Piece& piece, std::string& out) {
    std::size_t next_call = 0;
    for (const auto& item : piece.items) {
      const std::string part = strict_or_empty(*item, json::Type::object);
      if (part.empty()) continue;
      const auto document = json::parse(part);
      const json::Value root = document->root();
      if (root.find("thought").is_true() && (!has_signature(part) || piece.thoughts.empty())) {
        continue;
      }
      const json::Value call = root.find("functionCall");
      if (call && next_call < piece.calls.size()) {
        const WireCall& made = piece.calls[next_call++];
        ids_[made.call] = call.find("id").text();
        if (needs_marker_) {
          add_call(made, out);
          continue;
        }
      }
      append_comma(out);
      out += part;
    }
    return !piece.items.empty();
  }

  void add_anew(const Utterance::Piece& piece, std::string& out) {
    add_text(out, *piece.part->text);
    for (const WireCall& call : piece.calls) add_call(call, out);
  }

  // Marks the first call of an answer if none of its calls is signed.
  void add_call(const WireCall& call, std::string& out) {
    append_comma(out);
    out += R"({"functionCall":{"name":)";
    append_string(out, call.name);
    append_key(out, "args");
    out += arguments_object(call.call->arguments);
    if (const auto id = ids_.find(call.call); id != ids_.end() && !id->second.empty()) {
      append_member(out, "id", id->second);
    }
    out += '}';
    if (std::exchange(needs_marker_, false)) append_member(out, "thoughtSignature", kNoSignature);
    out += '}';
  }

  // Results are paired by name and order; `id` is set only if the call had one.
  Result<void> add_result(const CallResult& result) override {
    std::string& out = parts_of("user");
    append_comma(out);
    out += R"({"functionResponse":{"name":)";
    append_string(out, result.call.name);
    if (const auto id = ids_.find(result.call.call); id != ids_.end() && !id->second.empty()) {
      append_member(out, "id", id->second);
    }
    append_key(out, "response");
    const std::string_view text =
        result.part != nullptr ? std::string_view(*result.part->text) : kMissingResult;
    const bool is_error =
        result.part == nullptr || (result.part->fields && result.part->fields->is_error);
    out += '{';
    append_member(out, is_error ? "error" : "output", text);
    out += "}}}";
    if (result.part == nullptr) return {};
    for (const auto& picture : TRY(pictures_of(*result.part, job_.reader, job_.originals))) {
      add_picture(out, picture);
    }
    return {};
  }

  std::string finish() const {
    std::string out = R"("contents":[)";
    for (const Turn& turn : turns_) {
      if (turn.parts == "[") continue;  // The API rejects a turn without parts.
      append_comma(out);
      out += R"({"role":")";
      out += turn.role;
      out += R"(","parts":)" + turn.parts + "]}";
    }
    out += ']';
    if (system_ != "[") {
      append_key(out, "systemInstruction");
      out += R"({"parts":)" + system_ + "]}";
    }
    return out;
  }

  std::string system_ = "[";
  bool needs_marker_ = false;                            // For the current answer.
  std::map<const compile::ToolCall*, std::string> ids_;  // The ids that calls came with.
  std::vector<Turn> turns_;
};

}  // namespace

Result<std::string> write_gemini_1(Job& job) { return Writer(job).run(); }

}  // namespace spoor::llm::render
