#include <algorithm>
#include <array>
#include <map>

#include "base/base64.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "compile/pictures.h"
#include "llm/render/json_text.h"
#include "llm/render/writers.h"

namespace spoor::llm::render {
namespace {

using Form = ReplayRule::Form;

// The reasoning for calls of another provider, or without stored reasoning, if the provider
// requires some. An empty text is rejected like a missing one.
constexpr std::string_view kNoThought = " ";

class Writer final : public DialogueWriter {
 public:
  using DialogueWriter::DialogueWriter;

  Result<std::string> run() {
    TRY(write_all());
    return out_ + ']';
  }

 private:
  void start(std::string_view role) {
    append_comma(out_);
    out_ += R"({"role":")";
    out_ += role;
    out_ += '"';
  }

  static std::string text_of(const Utterance& said) {
    std::string text;
    for (const auto& piece : said.pieces) text += *piece.part->text;
    return text;
  }

  void add_system(const Utterance& said, bool is_developer) override {
    add_plain(is_developer && is_of_openai(job_.recipe) ? "developer" : "system", said);
  }

  void add_plain(std::string_view role, const Utterance& said) {
    start(role);
    append_member(out_, "content", text_of(said));
    out_ += '}';
  }

  Result<void> add_user(const Utterance& said) override {
    std::string pictures;
    for (const auto& piece : said.pieces) {
      for (const auto& picture : TRY(pictures_of(*piece.part, job_.reader, job_.originals))) {
        pictures += R"(,{"type":"image_url","image_url":{"url":)";
        append_string(pictures,
                      "data:" + picture.media_type + ";base64," + encode_base64(picture.bytes));
        pictures += "}}";
      }
    }
    if (pictures.empty()) {
      add_plain("user", said);
      return {};
    }
    start("user");
    append_key(out_, "content");
    out_ += R"([{"type":"text","text":)";
    append_string(out_, text_of(said));
    out_ += '}' + pictures + "]}";
    return {};
  }

  void add_answer(const Utterance& said) override {
    std::string text;
    std::string thought;
    std::string details;
    std::string calls;
    std::string whole;  // The text of a complete message, including its tags.
    for (const auto& piece : said.pieces) {
      for (const auto& item : piece.items) {
        if (const auto message = json::parse(*item))
          whole += message->root().find("content").text();
      }
      for (const auto& replayed : piece.thoughts) {
        note(Treatment::Kind::replayed, *replayed.part);
        if (!thought.empty()) thought += "\n\n";
        thought += *replayed.part->text;
        for (const auto& item : replayed.items) append_details(*item, details);
      }
      text += *piece.part->text;
      append_calls(piece, own_calls(piece.items), calls);
    }
    const Form form = job_.recipe.replay.form;
    if (form == Form::think_tags && !thought.empty()) {
      text = whole.empty() ? "<think>\n" + thought + "\n</think>\n\n" + text : whole;
    }
    start("assistant");
    if (text.empty() && !calls.empty()) {
      out_ += R"(,"content":null)";
    } else {
      append_member(out_, "content", text);
    }
    if (form == Form::reasoning_content && (!thought.empty() || !calls.empty())) {
      append_member(out_, "reasoning_content", thought.empty() ? kNoThought : thought);
    }
    if (form == Form::reasoning_details && !details.empty()) {
      append_key(out_, "reasoning_details");
      out_ += '[' + details + ']';
    }
    if (!calls.empty()) {
      append_key(out_, "tool_calls");
      out_ += '[' + calls + ']';
    }
    out_ += '}';
  }

  // Appends the elements of a list that was received as one item.
  static void append_details(std::string_view item, std::string& details) {
    const std::string list = strict_or_empty(item, json::Type::array);
    if (list.size() <= 2) return;
    if (!details.empty()) details += ',';
    details += std::string_view(list).substr(1, list.size() - 2);
  }

  // Returns calls with additional members, by their id: providers that attach a signature to a call
  // (`extra_content`) require it back in the same place.
  static std::map<std::string, std::string> own_calls(const Items& items) {
    std::map<std::string, std::string> own;
    const auto take = [&](const json::Value& call) {
      constexpr std::array<std::string_view, 4> kUsual = {"id", "type", "function", "index"};
      bool says_more = false;
      for (const json::Member member : call.members()) {
        const std::string key = member.key.text();
        says_more |= std::find(kUsual.begin(), kUsual.end(), key) == kUsual.end();
      }
      if (says_more) own[call.find("id").text()] = call.raw();
    };
    for (const auto& item : items) {
      const auto document = json::parse(*item);
      if (!document) continue;
      const json::Value root = document->root();
      if (root.find("function")) take(root);
      for (const json::Value call : root.find("tool_calls").elements()) take(call);
    }
    return own;
  }

  static void append_calls(const Utterance::Piece& piece,
                           const std::map<std::string, std::string>& own, std::string& out) {
    for (const WireCall& call : piece.calls) {
      if (!out.empty()) out += ',';
      if (const auto found = own.find(call.id); found != own.end()) {
        out += strict_or_empty(found->second, json::Type::object);
        continue;
      }
      out += R"({"id":)";
      append_string(out, call.id);
      out += R"(,"type":"function","function":{"name":)";
      append_string(out, call.name);
      append_member(out, "arguments", arguments_object(call.call->arguments));
      out += "}}";
    }
  }

  Result<void> add_result(const CallResult& result) override {
    start("tool");
    append_member(out_, "tool_call_id", result.call.id);
    append_member(out_, "content",
                  result.part != nullptr ? std::string_view(*result.part->text) : kMissingResult);
    out_ += '}';
    if (result.part == nullptr) return {};
    for ([[maybe_unused]] const auto& each : compile::pictures_in(result.part->attach.get())) {
      job_.dialogue.treatments.push_back({Treatment::Kind::unsendable, result.part->commit,
                                          "a result has no place for a picture"});
    }
    return {};
  }

  std::string out_ = R"("messages":[)";
};

}  // namespace

Result<std::string> write_openai_chat_1(Job& job) { return Writer(job).run(); }

}  // namespace spoor::llm::render
