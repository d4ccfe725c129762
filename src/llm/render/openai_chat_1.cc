#include "compile/json/writer.h"
#include "llm/base64.h"
#include "llm/render/json_text.h"
#include "llm/render/writers.h"

namespace spoor::llm::render {
namespace {

namespace json = compile::json;
using compile::Part;
using store::Result;
using Form = ReplayRule::Form;
using Side = Utterance::Side;

class Writer {
 public:
  explicit Writer(Job& job) : job_(job) {}

  Result<std::string> run() {
    for (const Utterance& said : job_.dialogue.utterances) {
      switch (said.side) {
        case Side::system:
          add_plain("system", said);
          break;
        case Side::developer:  // OpenAI's own role; others refuse it.
          add_plain(knows_developer() ? "developer" : "system", said);
          break;
        case Side::user:
          TRY(add_user(said));
          break;
        case Side::assistant:
          add_answer(said);
          break;
        case Side::results:
          for (const CallResult& result : said.results) add_result(result);
          break;
      }
    }
    return out_ + ']';
  }

 private:
  bool knows_developer() const {
    return job_.recipe.provider.starts_with("openai") || job_.recipe.provider == "azure";
  }

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

  void add_plain(std::string_view role, const Utterance& said) {
    start(role);
    append_member(out_, "content", text_of(said));
    out_ += '}';
  }

  Result<void> add_user(const Utterance& said) {
    std::string pictures;
    for (const auto& piece : said.pieces) {
      for (const auto& picture : TRY(pictures_of(*piece.part, job_.reader))) {
        pictures += R"(,{"type":"image_url","image_url":{"url":)";
        json::append_string(
            pictures, "data:" + picture.media_type + ";base64," + encode_base64(picture.bytes));
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
    json::append_string(out_, text_of(said));
    out_ += '}' + pictures + "]}";
    return {};
  }

  void add_answer(const Utterance& said) {
    std::string text;
    std::string thought;
    std::string details;
    std::string calls;
    for (const auto& piece : said.pieces) {
      for (const auto& replayed : piece.thoughts) {
        job_.dialogue.treatments.push_back({Treatment::Kind::replayed, replayed.part->commit, {}});
        if (!thought.empty()) thought += "\n\n";
        thought += *replayed.part->text;
        for (const auto& item : replayed.items) append_details(*item, details);
      }
      text += *piece.part->text;
      append_calls(*piece.part, calls);
    }
    const Form form = job_.recipe.replay.form;
    if (form == Form::think_tags && !thought.empty()) {
      text = "<think>\n" + thought + "\n</think>\n\n" + text;
    }
    start("assistant");
    if (text.empty() && !calls.empty()) {
      out_ += R"(,"content":null)";
    } else {
      append_member(out_, "content", text);
    }
    if (form == Form::reasoning_content && !thought.empty()) {
      append_member(out_, "reasoning_content", thought);
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

  // The elements of a list that came as one item.
  static void append_details(std::string_view item, std::string& details) {
    const std::string list = strict_or_empty(item, json::Type::array);
    if (list.size() <= 2) return;
    if (!details.empty()) details += ',';
    details += std::string_view(list).substr(1, list.size() - 2);
  }

  static void append_calls(const Part& part, std::string& out) {
    const auto* calls = part.calls();
    if (calls == nullptr) return;
    for (const auto& call : *calls) {
      if (!out.empty()) out += ',';
      out += R"({"id":)";
      json::append_string(out, call.id);
      out += R"(,"type":"function","function":{"name":)";
      json::append_string(out, call.name);
      append_member(out, "arguments", call.arguments.empty() ? "{}" : call.arguments);
      out += "}}";
    }
  }

  void add_result(const CallResult& result) {
    start("tool");
    append_member(out_, "tool_call_id", result.call->id);
    append_member(out_, "content",
                  result.part != nullptr ? std::string_view(*result.part->text) : kMissingResult);
    out_ += '}';
    if (result.part == nullptr || result.part->attach == nullptr) return;
    for (const store::Content& content : *result.part->attach) {
      if (!content.media_type.starts_with("image/")) continue;
      job_.dialogue.treatments.push_back({Treatment::Kind::unsendable, result.part->commit,
                                          "a result has no place for a picture"});
    }
  }

  Job& job_;
  std::string out_ = R"("messages":[)";
};

}  // namespace

Result<std::string> write_openai_chat_1(Job& job) { return Writer(job).run(); }

}  // namespace spoor::llm::render
