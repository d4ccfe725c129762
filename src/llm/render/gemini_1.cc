#include "compile/json/reader.h"
#include "compile/json/writer.h"
#include "llm/base64.h"
#include "llm/render/json_text.h"
#include "llm/render/writers.h"

namespace spoor::llm::render {
namespace {

namespace json = compile::json;
using compile::Part;
using store::Result;

struct Turn {
  std::string_view role;
  std::string parts = "[";
};

// What the provider documents for a call that it did not make itself: its models from 3 on refuse
// calls of the turn under way without a signature.
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
    json::append_string(out, text);
    out += '}';
  }

  static void add_picture(std::string& out, const compile::Item& picture) {
    append_comma(out);
    out += R"({"inlineData":{"mimeType":)";
    json::append_string(out, picture.media_type);
    append_member(out, "data", encode_base64(picture.bytes));
    out += "}}";
  }

  void add_system(const Utterance& said, bool) override {
    for (const auto& piece : said.pieces) add_text(system_, *piece.part->text);
  }

  Result<void> add_user(const Utterance& said) override {
    for (const auto& piece : said.pieces) {
      for (const auto& picture : TRY(pictures_of(*piece.part, job_.reader))) {
        add_picture(parts_of("user"), picture);
      }
      add_text(parts_of("user"), *piece.part->text);
    }
    return {};
  }

  void add_answer(const Utterance& said) override {
    std::string& out = parts_of("model");
    bool is_signed = false;  // One signature is enough for the calls of one answer.
    for (const auto& piece : said.pieces) {
      const bool has_own_thoughts = holds_thoughts(piece.items);
      for (const auto& thought : piece.thoughts) {
        bool goes_back = false;
        for (const auto& item : thought.items) {
          if (has_own_thoughts) {
            goes_back |= has_signature(*item);
          } else {
            goes_back |= add_signed(*item, out);
          }
        }
        is_signed |= goes_back;
        if (goes_back) {
          note(Treatment::Kind::replayed, *thought.part);
        }
      }
      if (!add_items(piece, out, is_signed)) add_anew(*piece.part, out, is_signed);
    }
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

  // A summary of thoughts is for people; only one that is signed goes back.
  static bool add_signed(std::string_view item, std::string& out) {
    if (!has_signature(item)) return false;
    append_comma(out);
    out += strict_or_empty(item, json::Type::object);
    return true;
  }

  static bool add_items(const Utterance::Piece& piece, std::string& out, bool& is_signed) {
    bool has_any = false;
    for (const auto& item : piece.items) {
      const std::string part = strict_or_empty(*item, json::Type::object);
      if (part.empty()) continue;
      const auto document = json::parse(part);
      has_any = true;
      const bool has_own = has_signature(part);
      if (document->root().find("thought").is_true() && (!has_own || piece.thoughts.empty())) {
        continue;
      }
      is_signed |= has_own;
      append_comma(out);
      out += part;
    }
    return has_any;
  }

  static void add_anew(const Part& part, std::string& out, bool& is_signed) {
    add_text(out, *part.text);
    const auto* calls = part.calls();
    if (calls == nullptr) return;
    for (const auto& call : *calls) {
      append_comma(out);
      out += R"({"functionCall":{"name":)";
      json::append_string(out, call.name);
      append_key(out, "args");
      out += arguments_object(call.arguments) + '}';
      if (!std::exchange(is_signed, true)) append_member(out, "thoughtSignature", kNoSignature);
      out += '}';
    }
  }

  // Results are paired by name and order; `id` stands only where the call had one.
  Result<void> add_result(const CallResult& result) override {
    std::string& out = parts_of("user");
    append_comma(out);
    out += R"({"functionResponse":{"name":)";
    json::append_string(out, result.call->name);
    append_key(out, "response");
    const std::string_view text =
        result.part != nullptr ? std::string_view(*result.part->text) : kMissingResult;
    const bool is_error =
        result.part == nullptr || (result.part->fields && result.part->fields->is_error);
    out += '{';
    append_member(out, is_error ? "error" : "output", text);
    out += "}}}";
    if (result.part == nullptr) return {};
    for (const auto& picture : TRY(pictures_of(*result.part, job_.reader))) {
      add_picture(out, picture);
    }
    return {};
  }

  std::string finish() const {
    std::string out = R"("contents":[)";
    for (const Turn& turn : turns_) {
      if (turn.parts == "[") continue;  // A turn without parts is refused.
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
  std::vector<Turn> turns_;
};

}  // namespace

Result<std::string> write_gemini_1(Job& job) { return Writer(job).run(); }

}  // namespace spoor::llm::render
