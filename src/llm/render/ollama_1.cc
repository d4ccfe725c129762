#include "base/base64.h"
#include "base/json/writer.h"
#include "llm/render/json_text.h"
#include "llm/render/writers.h"

namespace spoor::llm::render {
namespace {

using compile::Part;

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

  Result<void> append_pictures(const Part& part) {
    const auto pictures = TRY(pictures_of(part, job_.reader, job_.originals));
    if (pictures.empty()) return {};
    append_key(out_, "images");
    out_ += '[';
    for (const auto& picture : pictures) {
      append_comma(out_);
      append_string(out_, encode_base64(picture.bytes));
    }
    out_ += ']';
    return {};
  }

  void add_system(const Utterance& said, bool) override {
    for (const auto& piece : said.pieces) {
      start("system");
      append_member(out_, "content", *piece.part->text);
      out_ += '}';
    }
  }

  Result<void> add_user(const Utterance& said) override {
    for (const auto& piece : said.pieces) {
      start("user");
      append_member(out_, "content", *piece.part->text);
      TRY(append_pictures(*piece.part));
      out_ += '}';
    }
    return {};
  }

  void add_answer(const Utterance& said) override {
    std::string text;
    std::string thinking;
    std::string calls;
    for (const auto& piece : said.pieces) {
      for (const auto& thought : piece.thoughts) {
        note(Treatment::Kind::replayed, *thought.part);
        if (!thinking.empty()) thinking += "\n\n";
        thinking += *thought.part->text;
      }
      text += *piece.part->text;
      for (const WireCall& call : piece.calls) append_call(call, calls);
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

  static void append_call(const WireCall& call, std::string& out) {
    if (!out.empty()) out += ',';
    out += R"({"function":{"name":)";
    append_string(out, call.name);
    append_key(out, "arguments");
    out += arguments_object(call.call->arguments) + "}}";
  }

  Result<void> add_result(const CallResult& result) override {
    start("tool");
    append_member(out_, "tool_name", result.call.name);
    append_member(out_, "content",
                  result.part != nullptr ? std::string_view(*result.part->text) : kMissingResult);
    if (result.part != nullptr) TRY(append_pictures(*result.part));
    out_ += '}';
    return {};
  }

  std::string out_ = R"("messages":[)";
};

}  // namespace

Result<std::string> write_ollama_1(Job& job) { return Writer(job).run(); }

}  // namespace spoor::llm::render
