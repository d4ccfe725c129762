#include "compile/json/writer.h"
#include "llm/base64.h"
#include "llm/render/json_text.h"
#include "llm/render/writers.h"

namespace spoor::llm::render {
namespace {

namespace json = compile::json;
using compile::Part;
using store::Result;
using Side = Utterance::Side;

class Writer {
 public:
  explicit Writer(Job& job) : job_(job) {}

  Result<std::string> run() {
    for (const Utterance& said : job_.dialogue.utterances) {
      switch (said.side) {
        case Side::system:
        case Side::developer:
          for (const auto& piece : said.pieces) TRY(add("system", *piece.part));
          break;
        case Side::user:
          for (const auto& piece : said.pieces) TRY(add("user", *piece.part));
          break;
        case Side::assistant:
          add_answer(said);
          break;
        case Side::results:
          for (const CallResult& result : said.results) TRY(add_result(result));
          break;
      }
    }
    return out_ + ']';
  }

 private:
  void start(std::string_view role) {
    append_comma(out_);
    out_ += R"({"role":")";
    out_ += role;
    out_ += '"';
  }

  Result<void> append_pictures(const Part& part) {
    const auto pictures = TRY(pictures_of(part, job_.reader));
    if (pictures.empty()) return {};
    append_key(out_, "images");
    out_ += '[';
    for (const auto& picture : pictures) {
      append_comma(out_);
      json::append_string(out_, encode_base64(picture.bytes));
    }
    out_ += ']';
    return {};
  }

  Result<void> add(std::string_view role, const Part& part) {
    start(role);
    append_member(out_, "content", *part.text);
    TRY(append_pictures(part));
    out_ += '}';
    return {};
  }

  void add_answer(const Utterance& said) {
    std::string text;
    std::string thinking;
    std::string calls;
    for (const auto& piece : said.pieces) {
      for (const auto& thought : piece.thoughts) {
        job_.dialogue.treatments.push_back({Treatment::Kind::replayed, thought.part->commit, {}});
        if (!thinking.empty()) thinking += "\n\n";
        thinking += *thought.part->text;
      }
      text += *piece.part->text;
      if (const auto* list = piece.part->calls()) {
        for (const auto& call : *list) append_call(call, calls);
      }
    }
    start("assistant");
    append_member(out_, "content", text);
    if (!thinking.empty()) append_member(out_, "thinking", thinking);
    if (!calls.empty()) {
      append_key(out_, "tool_calls");
      out_ += '[' + calls + ']';
    }
    out_ += '}';
  }

  static void append_call(const compile::ToolCall& call, std::string& out) {
    if (!out.empty()) out += ',';
    out += R"({"function":{"name":)";
    json::append_string(out, call.name);
    append_key(out, "arguments");
    out += arguments_object(call.arguments) + "}}";
  }

  Result<void> add_result(const CallResult& result) {
    start("tool");
    append_member(out_, "tool_name", result.call->name);
    append_member(out_, "content",
                  result.part != nullptr ? std::string_view(*result.part->text) : kMissingResult);
    if (result.part != nullptr) TRY(append_pictures(*result.part));
    out_ += '}';
    return {};
  }

  Job& job_;
  std::string out_ = R"("messages":[)";
};

}  // namespace

Result<std::string> write_ollama_1(Job& job) { return Writer(job).run(); }

}  // namespace spoor::llm::render
